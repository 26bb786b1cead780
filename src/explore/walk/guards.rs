//! Why operations are never enabled: in how many of the reachable states each conjunct of their guards is false.
//!
//! Invariant: all conjuncts are counted over the same states, whose number is returned; states of one orbit count once. Deliberately
//! elsewhere: which conjuncts those are (`eval`).

use super::walk_graph;
use crate::{GraphState, GraphVisitor, Options, SurveyLimits};
use bcheck_eval::{EvalError, GuardConjuncts, Machine};
use bcheck_ir::{OperationId, Pred};
use bcheck_symmetry::Symmetry;
use std::ops::ControlFlow;

/// An operation that no reachable state enables.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverEnabled {
    /// The operation.
    pub operation: OperationId,
    /// How many states were visited, and whether these are all.
    pub states: usize,
    /// Whether they are all that can be reached.
    pub is_complete: bool,
    /// The conjuncts of its guard in the order of the text.
    pub conjuncts: Vec<FalseConjunct>,
}

/// A conjunct of a guard.
#[derive(Clone, Debug, PartialEq)]
pub struct FalseConjunct {
    /// The conjunct.
    pub pred: Pred,
    /// Whether it reads parameters: then it is false where no values satisfy it with the conjuncts before it.
    pub is_open: bool,
    /// In how many states it is false.
    pub states: usize,
}

/// Walks the states, and counts for these operations; `is_over` is polled before each state.
///
/// # Errors
/// When something cannot be enumerated.
pub fn never_enabled(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    operations: &[OperationId],
    (limits, is_over): (SurveyLimits<'_>, &mut dyn FnMut() -> bool),
) -> Result<Vec<NeverEnabled>, EvalError> {
    let guards: Vec<GuardConjuncts> = operations.iter().map(|operation| machine.guard_conjuncts(*operation)).collect();
    let counts = guards.iter().map(|guard| vec![0; guard.preds().len()]).collect();
    let mut counter = GuardCounter { guards, counts, states: 0, failed: None, was_over: false, is_over };
    let options = Options { limits: crate::Limits { set_ups: limits.set_ups, ..options.limits.clone() }, ..options.clone() };
    let totals = walk_graph(machine, symmetry, &options, limits.states, &mut counter)?;
    if let Some(error) = counter.failed {
        return Err(error);
    }
    let is_complete = totals.is_complete && !counter.was_over;
    let rows = operations.iter().zip(counter.guards.iter().zip(counter.counts));
    let row = |(operation, (guard, counts)): (&OperationId, (&GuardConjuncts, Vec<usize>))| NeverEnabled {
        operation: *operation,
        states: counter.states,
        is_complete,
        conjuncts: guard
            .preds()
            .iter()
            .zip(guard.are_open())
            .zip(counts)
            .map(|((pred, is_open), states)| FalseConjunct { pred: pred.clone(), is_open, states })
            .collect(),
    };
    Ok(rows.map(row).collect())
}

struct GuardCounter<'a> {
    guards: Vec<GuardConjuncts>,
    /// For each operation, for each conjunct: in how many states it is false.
    counts: Vec<Vec<usize>>,
    states: usize,
    failed: Option<EvalError>,
    was_over: bool,
    is_over: &'a mut dyn FnMut() -> bool,
}

impl GraphVisitor for GuardCounter<'_> {
    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        self.was_over = (self.is_over)();
        if self.was_over {
            return ControlFlow::Break(());
        }
        for (guard, counts) in self.guards.iter().zip(&mut self.counts) {
            match guard.false_in(state.state) {
                Ok(all) => counts.iter_mut().zip(all).for_each(|(count, is_false)| *count += usize::from(is_false)),
                Err(error) => {
                    self.failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
        }
        self.states += 1;
        ControlFlow::Continue(())
    }
}
