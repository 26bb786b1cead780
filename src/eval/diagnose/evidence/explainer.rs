//! Evaluation for evidence: predicates and expressions in one state, with the values of bound names, within a budget.
//!
//! Invariant: each evaluation has its part of the budget, and all together have the whole; exhausting either counts as an interrupt.
//! Deliberately elsewhere: which parts are evaluated (`tree`).

use super::{BoundValues, TruthValue};
use crate::compile::Compiler;
use crate::plan::Slot;
use crate::run::frame::Frame;
use crate::thresholds::{ALL_EVIDENCE_WORK, EVIDENCE_NODES, EVIDENCE_WORK};
use crate::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{Expr, LocalId, Pred};
use bcheck_value::Value;

/// Makes the evidence for predicates in one state.
pub(super) struct Explainer<'m> {
    pub(super) compiler: Compiler<'m>,
    state: &'m [Value],
    /// The values of bound names, outermost first.
    pub(super) bound: Vec<(Slot, Value)>,
    /// How many nodes may still be made, and how much work may be done.
    pub(super) nodes: usize,
    work: u32,
}

impl<'m> Explainer<'m> {
    pub(super) fn new(machine: &'m Machine, state: &'m [Value], bound: BoundValues) -> Self {
        let compiler = Compiler::resume(machine.model(), machine.context());
        let bound = bound.into_iter().map(|(id, value)| (compiler.names().local_slot(id), value)).collect();
        Self { compiler, state, bound, nodes: EVIDENCE_NODES.get(), work: ALL_EVIDENCE_WORK.get() }
    }

    /// Evaluates something with the values of bound names, within the budget.
    pub(super) fn in_frame<T>(&mut self, run: impl FnOnce(&mut Frame<'_>) -> Result<T, EvalError>) -> Result<T, EvalError> {
        let mut frame = Frame::new(&self.compiler.context, self.state);
        for (slot, value) in &self.bound {
            frame.set(*slot, value.clone());
        }
        let granted = self.work.min(EVIDENCE_WORK.get());
        frame.limits.limit_work(granted);
        let result = run(&mut frame);
        self.work -= granted - frame.limits.work_left();
        result
    }

    /// Whether a name is bound here.
    pub(super) fn is_bound(&self, id: LocalId) -> bool {
        let slot = self.compiler.names().local_slot(id);
        self.bound.iter().any(|(bound, _)| *bound == slot)
    }

    /// The truth value of a predicate.
    pub(super) fn truth(&mut self, pred: &Pred) -> TruthValue {
        let plan = self.compiler.pred(pred);
        TruthValue::of(self.in_frame(|frame| frame.holds(&plan)))
    }

    /// The value of an expression, with symbolic sets written out if they are finite and not too large.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, EvalErrorKind> {
        let plan = self.compiler.expr(expr);
        let value = self.in_frame(|frame| {
            let value = frame.eval(&plan)?;
            // One that cannot be written out stays symbolic.
            match frame.listed(value.clone(), expr.span) {
                Err(error) if error.kind != EvalErrorKind::Interrupted => Ok(value),
                listed => listed,
            }
        });
        value.map_err(|error| error.kind)
    }

    /// Runs a function with these values of names, besides those bound so far.
    pub(super) fn with_bound<T>(&mut self, values: &[(LocalId, Value)], run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.bound.len();
        for (id, value) in values {
            let slot = self.compiler.names().local_slot(*id);
            self.bound.push((slot, value.clone()));
        }
        let result = run(self);
        self.bound.truncate(outer);
        result
    }
}
