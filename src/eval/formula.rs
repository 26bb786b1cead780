//! Formulas about a machine that are compiled after it, once, and evaluated in many states.
//!
//! Invariant: their closures are numbered after those of the machine, so that closures in the values of a state keep their meaning. The
//! names that they bind belong to the machine's model. Memberships that such a formula takes on trust are noted in its own context, not in
//! [`Machine::assumptions`]. Deliberately elsewhere: invariant, assertions and goal, which are compiled with the machine.

use super::EvalError;
use super::compile::Compiler;
use super::machine::Machine;
use super::plan::{ExprPlan, PredPlan, Slot};
use super::run::frame::{Context, Frame};
use crate::ir::{Expr, Pred};
use crate::value::Value;

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

    /// Evaluates an expression over the names of this machine's model.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn evaluate(&self, expr: &Expr, state: &[Value]) -> Result<Value, EvalError> {
        self.compile_expr(expr).evaluate(state)
    }

    /// Evaluates a predicate likewise.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds(&self, pred: &Pred, state: &[Value]) -> Result<bool, EvalError> {
        self.compile_pred(pred).holds(state)
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
