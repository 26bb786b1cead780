//! Formulas about a machine that are compiled after it, once, and evaluated in many states.
//!
//! Invariant: their closures are numbered after those of the machine, so that closures in the values of a state keep their meaning. The
//! names that they bind belong to the machine's model. Deliberately elsewhere: invariant, assertions and goal, which are compiled with
//! the machine.

use super::EvalError;
use super::compile::Compiler;
use super::machine::Machine;
use super::plan::{ExprPlan, PredPlan, Slot};
use super::run::frame::{Context, Frame};
use crate::ir::{Expr, Pred};
use crate::value::Value;

/// The limit of [`Compiler::propagate_above`] for a formula that is evaluated in one state only.
const PROPAGATE_ONCE_ABOVE: f64 = 2_000.0;

/// A predicate about states, or about steps: then `x$0` is the value before.
#[derive(Debug)]
pub struct CompiledPred {
    context: Context,
    plan: PredPlan,
    /// The variables that are read as `x$0`, each with the slot for its value before the step.
    old: Vec<(Slot, Slot)>,
}

/// An expression about states.
#[derive(Debug)]
pub struct CompiledExpr {
    context: Context,
    plan: ExprPlan,
}

impl Machine {
    /// Compiles a predicate over the names of this machine's model, and of no other: ids of names stand for slots of this machine.
    #[must_use]
    pub fn compile_pred(&self, pred: &Pred) -> CompiledPred {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let (plan, old) = compiler.pred_of_step(pred);
        CompiledPred { context: compiler.context, plan, old }
    }

    /// Compiles an expression likewise.
    #[must_use]
    pub fn compile_expr(&self, expr: &Expr) -> CompiledExpr {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let plan = compiler.expr(expr);
        CompiledExpr { context: compiler.context, plan }
    }

    /// Evaluates an expression over the names of this machine's model, once: so the solver is worth its while sooner.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn evaluate(&self, expr: &Expr, state: &[Value]) -> Result<Value, EvalError> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        compiler.propagate_above = PROPAGATE_ONCE_ABOVE;
        let plan = compiler.expr(expr);
        CompiledExpr { context: compiler.context, plan }.evaluate(state)
    }

    /// Evaluates a predicate likewise.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds(&self, pred: &Pred, state: &[Value]) -> Result<bool, EvalError> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        compiler.propagate_above = PROPAGATE_ONCE_ABOVE;
        let (plan, old) = compiler.pred_of_step(pred);
        CompiledPred { context: compiler.context, plan, old }.holds(state)
    }
}

impl CompiledPred {
    /// Its plan and the number of slots of its frame, if it is about states.
    pub(super) fn of_states(&self) -> Option<(&PredPlan, usize)> {
        self.old.is_empty().then_some((&self.plan, self.context.slot_names.len()))
    }

    /// Whether it holds in a state; `x$0` is the value there.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds(&self, state: &[Value]) -> Result<bool, EvalError> {
        self.holds_of_step(state, state)
    }

    /// Whether it holds of a step between these states.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds_of_step(&self, before: &[Value], after: &[Value]) -> Result<bool, EvalError> {
        let mut frame = Frame::new(&self.context, after);
        // The frame holds the state after the step. Of the state before, only what the predicate reads as `x$0` is added.
        for (variable, old) in &self.old {
            frame.set(*old, before[*variable].clone());
        }
        frame.holds(&self.plan)
    }
}

impl CompiledExpr {
    /// Its value in a state; a description of a set is written out unless the set is infinite or large.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn evaluate(&self, state: &[Value]) -> Result<Value, EvalError> {
        let mut frame = Frame::new(&self.context, state);
        let value = frame.eval(&self.plan)?;
        frame.listed(value, self.plan.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scope;
    use crate::sema::{Analysis, Formula, FormulaContext, NoFiles, analyse_parsed, read_formula};
    use crate::source::FileId;
    use crate::syntax::parse_machine;
    use crate::value::display::display;
    use std::sync::Arc;

    /// Whether the value of each formula about the machine, with three elements in deferred sets, is read again as itself; its text.
    fn read_again(text: &str, formulas: &[&str]) -> Vec<String> {
        let Analysis { model, macros, diagnostics, .. } = analyse_parsed(parse_machine(FileId(0), text), &mut NoFiles);
        let model = Arc::new(model.unwrap_or_else(|| panic!("{text}: {diagnostics:?}")));
        let sizes = model.sets.values().map(|set| match &set.kind {
            crate::ir::GivenSetKind::Deferred => 3,
            crate::ir::GivenSetKind::Enumerated(elements) => u32::try_from(elements.len()).expect("few"),
        });
        let machine = Machine::compile(model.clone(), Scope { sizes: sizes.collect(), minint: -1, maxint: 3 });
        let value = |formula: &str| {
            let context = FormulaContext { model: Some(&model), scope: Some(machine.scope()), ..FormulaContext::default() };
            match read_formula(FileId(1), formula, context, &macros) {
                Ok((Formula::Expr(expr), _)) => machine.evaluate(&expr, &[]).unwrap_or_else(|error| panic!("{formula}: {error:?}")),
                other => panic!("{formula}: {other:?}"),
            }
        };
        let texts = formulas.iter().map(|formula| {
            let first = value(formula);
            let text = display(&first, &*model);
            assert_eq!(value(&text), first, "{formula}: {text}");
            text
        });
        texts.collect()
    }

    #[test]
    fn names_that_are_no_words_are_printed_so_that_they_are_read_again() {
        let names = ["`1x`", "`_x`", "`x'`", "`r'f`", "`x$0`", "`.a`", "`a..`", "`a.dom`", "`dom`", "`f g`", "`λ`", "a.b", "b"];
        let text = format!(
            "MACHINE M SETS T = {{{}}} FREETYPES `L i` = `nil x`, `min`, `cons x`(POW(INTEGER)) END",
            names.map(|name| format!("`{}`", name.trim_matches('`'))).join(", ")
        );
        assert_eq!(read_again(&text, &names), names);
        let parts = ["{`nil x`,`min`,`cons x`({2})}", "rec(`a.b`:3,`f g`:1,`min`:b)", "`L i`", "struct(`f g`:INTEGER)"];
        assert_eq!(read_again(&text, &parts[1..]), parts[1..]);
        read_again(&text, &parts[..1]);
    }

    #[test]
    fn elements_of_deferred_sets_are_never_printed_as_other_names() {
        for text in [
            "MACHINE M SETS S; T = {S1, S2} END",
            "MACHINE M SETS S; S1; S_ END",
            "MACHINE M DEFINITIONS S2 == 5 SETS S; `f g` FREETYPES F = `f g2`, S_3 END",
        ] {
            read_again(text, &["S"]);
        }
        assert_eq!(
            read_again("MACHINE M SETS S; T = {S1, S2} END", &["S", "T", "{S_1 |-> S1}"]),
            ["{S_1,S_2,S_3}", "{S1,S2}", "{S_1|->S1}"]
        );
    }
}
