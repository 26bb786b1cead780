//! Formulas about a machine that are compiled after it, once, and evaluated in many states.
//!
//! Invariant: their closures are numbered after those of the machine, so that closures in the values of a state keep their meaning. The
//! names that they bind belong to the machine's model. Deliberately elsewhere: invariant, assertions and goal, which are compiled with
//! the machine.

use super::EvalError;
use super::compile::Compiler;
use super::machine::Machine;
use super::plan::{ExprPlan, PredPlan, Slot};
use super::run::context::Context;
use super::run::frame::Frame;
use crate::thresholds::SOLVED_FORMULA;
use bcheck_ir::{Expr, Model, Pred};
use bcheck_value::Value;
use std::sync::Arc;

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
    /// Compiles a predicate over the names of this machine's model, and of no other: ids of names are slots of this machine.
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
    /// As any evaluation.
    pub fn evaluate(&self, expr: &Expr, state: &[Value]) -> Result<Value, EvalError> {
        self.compile_once(expr).evaluate(state)
    }

    /// Compiles an expression that is evaluated once.
    #[must_use]
    pub fn compile_once(&self, expr: &Expr) -> CompiledExpr {
        let mut compiler = Compiler::resume(self.model(), self.context());
        compiler.propagate_above = SOLVED_FORMULA.get();
        let plan = compiler.expr(expr);
        CompiledExpr { context: compiler.context, plan }
    }

    /// Evaluates a predicate likewise.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds(&self, pred: &Pred, state: &[Value]) -> Result<bool, EvalError> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        compiler.propagate_above = SOLVED_FORMULA.get();
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
        // The frame holds the state after the step. From the state before, only variables that the predicate reads as `x$0` are added.
        for (variable, old) in &self.old {
            frame.set(*old, before[*variable].clone());
        }
        frame.holds(&self.plan)
    }
}

impl CompiledExpr {
    /// Its value in a state; a symbolic set is written out unless it is infinite or large.
    ///
    ///
    /// # Errors
    /// As any evaluation.
    pub fn evaluate(&self, state: &[Value]) -> Result<Value, EvalError> {
        let mut frame = Frame::new(&self.context, state);
        let value = frame.eval(&self.plan)?;
        frame.listed(value, self.plan.span)
    }

    /// The model with the comprehensions of this expression as well, which its values may be printed with.
    #[must_use]
    pub fn model(&self) -> Arc<Model> {
        self.context.model_of_formula()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::Scope;
    use bcheck_sema::{Analysis, Formula, FormulaContext, Macros, NoFiles, analyse_parsed, read_formula};
    use bcheck_source::FileId;
    use bcheck_syntax::parse_machine;
    use bcheck_value::display::display;

    /// A machine with three elements in deferred sets.
    struct Compiled {
        machine: Machine,
        macros: Macros,
    }

    impl Compiled {
        fn new(text: &str) -> Self {
            let Analysis { model, macros, diagnostics, .. } = analyse_parsed(parse_machine(FileId(0), text), &mut NoFiles);
            let model = Arc::new(model.unwrap_or_else(|| panic!("{text}: {diagnostics:?}")));
            let sizes = model.sets.values().map(|set| match &set.kind {
                bcheck_ir::GivenSetKind::Deferred => 3,
                bcheck_ir::GivenSetKind::Enumerated(elements) => u32::try_from(elements.len()).expect("few"),
            });
            Self { machine: Machine::compile(model.clone(), Scope { sizes: sizes.collect(), minint: -1, maxint: 3 }), macros }
        }

        /// A formula, and the machine with the names that it binds.
        fn read(&self, formula: &str) -> (Formula, Machine) {
            let context = FormulaContext { model: Some(self.machine.model()), scope: Some(self.machine.scope()), ..Default::default() };
            let read = read_formula(FileId(1), formula, context, &self.macros);
            let (formula, model) = read.unwrap_or_else(|faults| panic!("{formula}: {faults:?}"));
            (formula, Machine::compile(Arc::new(model), self.machine.scope().clone()))
        }

        /// The value of an expression, and its text.
        fn value(&self, formula: &str) -> (Value, String) {
            let (Formula::Expr(expr), machine) = self.read(formula) else { panic!("{formula} is no expression") };
            let compiled = machine.compile_once(&expr);
            let value = compiled.evaluate(&[]).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
            let text = display(&value, &*compiled.model());
            (value, text)
        }

        fn holds(&self, formula: &str) -> bool {
            let (Formula::Pred(pred), machine) = self.read(formula) else { panic!("{formula} is no predicate") };
            machine.holds(&pred, &[]).unwrap_or_else(|error| panic!("{formula}: {error:?}"))
        }
    }

    /// The texts of the values of formulas about a machine; each must be read again as the same value.
    fn read_again(text: &str, formulas: &[&str]) -> Vec<String> {
        let compiled = Compiled::new(text);
        let texts = formulas.iter().map(|formula| {
            let (first, text) = compiled.value(formula);
            assert_eq!(compiled.value(&text).0, first, "{formula}: {text}");
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
    fn descriptions_are_printed_as_the_formulas_that_they_are() {
        let compiled = Compiled::new("MACHINE M SETS S END");
        // With a part of the type on which the text must mean what the formula means.
        for (formula, expected, part) in [
            ("{x | x : NATURAL & x mod 2 = 0}", "{x | x : NATURAL & (x mod 2) = 0}", "0..20"),
            ("LET n BE n = 3 IN {x | x : NATURAL & x mod n = 0} END", "{x | x : NATURAL & (x mod 3) = 0}", "0..20"),
            ("LET n BE n = S - {S1} IN {x, s | x : NATURAL & s : n} END", "{x,s | x : NATURAL & s : {S2,S3}}", "(-1..2) * S"),
            ("%x.(x : INTEGER | x + 1)", "(%x.(x : INTEGER|x + 1))", "(0..5) * (0..5)"),
            ("dom(%x.(x : INTEGER & x * x > 5 | x + 1))", "{x | x : INTEGER & (x * x) > 5}", "-5..5"),
            ("{x . x > 0 | x * x}", "{x . x > 0 | x * x}", "0..30"),
        ] {
            let (_, text) = compiled.value(formula);
            assert_eq!(text, format!("/*@symbolic*/ {expected}"));
            assert!(compiled.holds(&format!("{part} /\\ {text} = {part} /\\ ({formula})")), "{text}");
        }
        let (_, text) = compiled.value("{1} \\/ {x | x : NATURAL & x mod 2 = 0}");
        assert_eq!(text, "({1}\\/ /*@symbolic*/ {x | x : NATURAL & (x mod 2) = 0})");
        assert!(compiled.holds(&format!("0..9 /\\ {text} = {{0, 1, 2, 4, 6, 8}}")), "{text}");
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
