//! Whether a run ends as stated in its trace: a loop closes, a deadlock is one.
//!
//! Invariant: confirmation comes from the plain evaluator in the states of the run itself, without reduction. Deliberately elsewhere: the
//! run (`replay`), and whether a formula holds on it, which a trace alone does not determine.

use crate::{Trace, TraceEnd};
use bcheck_eval::{EvalError, Machine, TriedRange};
use bcheck_ir::OperationId;
use bcheck_value::Value;

/// Whether the end of a run is as stated in its trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndCheck {
    /// The last state is that at which the loop begins; or no operation is enabled in it.
    Confirmed,
    /// The last state is not that at which the loop begins, but a step of this operation leads there.
    ClosedBy(OperationId),
    /// The last state is another one, by the constants and variables with these positions, and no step leads back.
    Differs(Vec<usize>),
    /// The loop begins at no state of the run.
    NoSuchState,
    /// It is not a deadlock: this operation is enabled.
    Enabled(OperationId),
    /// The state is outside of SCOPE, whose steps are not computed, so it does not count as a deadlock.
    OutsideScope,
    /// No operation is enabled within the range that was tried for this name.
    WithinRange(TriedRange),
    /// The run alone does not show it.
    Open,
}

/// Checks the end of a run.
///
/// # Errors
/// When the steps of the last state cannot be enumerated.
pub fn check_end(machine: &Machine, trace: &Trace) -> Result<EndCheck, EvalError> {
    let Some(last) = trace.steps.last() else { return Ok(EndCheck::Open) };
    match trace.end {
        Some(TraceEnd::Loop { start, .. }) => check_loop(machine, trace, start, &last.state),
        Some(TraceEnd::Deadlock) => check_deadlock(machine, &last.state),
        Some(TraceEnd::RenamedLoop { .. } | TraceEnd::Prefix) | None => Ok(EndCheck::Open),
    }
}

fn check_loop(machine: &Machine, trace: &Trace, start: usize, last: &[Value]) -> Result<EndCheck, EvalError> {
    // The set-up does not yet lead to a state.
    let begin = trace.steps.get(start).filter(|_| start >= machine.model().set_up_steps());
    let Some(begin) = begin.map(|step| &step.state) else { return Ok(EndCheck::NoSuchState) };
    let differing = (0..last.len()).filter(|&at| begin.get(at).is_none_or(|value| !machine.is_same(value, &last[at])));
    let differing: Vec<usize> = differing.collect();
    // A loop has a step; one that begins with the last state still needs it.
    if differing.is_empty() && start + 1 < trace.steps.len() {
        return Ok(EndCheck::Confirmed);
    }
    let is_back = |next: &[Value]| next.len() == begin.len() && next.iter().zip(begin).all(|(one, other)| machine.is_same(one, other));
    let mut failed = None;
    for operation in super::operations(machine) {
        match machine.successors_or_obstacle(last, operation)? {
            Ok(found) if found.steps.iter().any(|step| is_back(&step.next)) => return Ok(EndCheck::ClosedBy(operation)),
            Ok(found) => failed = failed.or(found.partial),
            Err(error) => _ = failed.get_or_insert(error),
        }
    }
    // A step that was not found may be the one that leads back.
    failed.map_or(Ok(EndCheck::Differs(differing)), Err)
}

fn check_deadlock(machine: &Machine, last: &[Value]) -> Result<EndCheck, EvalError> {
    // Outside of SCOPE no steps are computed, so nothing is known about them.
    if !machine.is_expanded(last) {
        return Ok(EndCheck::OutsideScope);
    }
    let mut failed = None;
    for operation in super::operations(machine) {
        match machine.successors_or_obstacle(last, operation)? {
            // An instance that is ill-defined has passed its guard.
            Ok(found) if !found.steps.is_empty() || !found.ill_defined.is_empty() => return Ok(EndCheck::Enabled(operation)),
            Ok(found) => failed = failed.or(found.partial),
            Err(error) => _ = failed.get_or_insert(error),
        }
    }
    match machine.untried(last)? {
        Some(tried) if failed.is_none() => Ok(EndCheck::WithinRange(tried)),
        _ => failed.map_or(Ok(EndCheck::Confirmed), Err),
    }
}

#[cfg(test)]
mod tests;
