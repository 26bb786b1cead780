//! A shorter concrete loop for a cycle of representatives.
//!
//! If each round of a cycle renames elements, repeating it until the names recur takes as many rounds as the order of the permutation.
//! Other steps between the same representatives may close the loop sooner: a breadth-first search finds the fewest rounds. Invariant: the
//! loop has the letters of as many rounds of the cycle, so whether it violates the formula is the same; fairness to each instance need not
//! be, so the caller confirms the run again. Deliberately elsewhere: the original run (`concrete`).

use super::concrete::step_letter;
use super::letters::Letters;
use super::threads::steps_of;
use crate::search::recording::Recording;
use crate::thresholds::SHORTENED_STATES;
use crate::trace::TraceFault;
use crate::{Trace, TraceEnd, TraceStep};
use bcheck_eval::Machine;
use bcheck_temporal::graph::{End, Run};
use bcheck_value::Valuation;
use rustc_hash::FxHashSet;

/// A step of the search: where in the cycle it ends, and the one before it.
struct LoopStep {
    place: usize,
    step: TraceStep,
    before: Option<usize>,
}

/// The run with the loop of the fewest rounds, if there is one of fewer.
pub(super) fn shorter(
    machine: &Machine,
    recording: &mut Recording<'_>,
    letters: &Letters,
    run: &Run,
    trace: &Trace,
) -> Result<Option<Trace>, TraceFault> {
    let (End::Loop(from), Some(TraceEnd::Loop { start, rounds })) = (run.end, trace.end) else { return Ok(None) };
    let length = run.states.len() - from;
    // A chosen step is the one that the fairness of an instance needs.
    if rounds < 2 || (from..run.states.len()).any(|at| run.ordinal(at).is_some()) {
        return Ok(None);
    }
    let begin = &trace.steps[start];
    let mut reached = vec![LoopStep { place: 0, step: begin.clone(), before: None }];
    let mut seen: FxHashSet<(usize, Valuation)> = FxHashSet::default();
    let mut at = 0;
    while at < reached.len() && reached.len() < SHORTENED_STATES.get() {
        let (place, state) = (reached[at].place, reached[at].step.state.clone());
        let wanted = recording.graph.step(run.letters[from + place]);
        let next = (place + 1) % length;
        let target = recording.family.state(run.states[from + next]);
        for step in steps_of(machine, &state)? {
            if step_letter(letters, &state, &step).map_err(TraceFault::at(start))?.letter != wanted {
                continue;
            }
            let is_back = next == 0 && step.state == begin.state;
            if !is_back && !seen.insert((next, step.state.clone())) {
                continue;
            }
            let representative = recording.reduction.representative(step.state.clone()).ok_or(TraceFault::Interrupted)?;
            if representative.state != target {
                continue;
            }
            reached.push(LoopStep { place: next, step, before: Some(at) });
            if is_back {
                return Ok(closed(trace, &reached, (start, length), rounds));
            }
        }
        at += 1;
    }
    Ok(None)
}

/// The run whose loop ends with the last step that was reached.
fn closed(trace: &Trace, reached: &[LoopStep], (start, length): (usize, usize), rounds: u64) -> Option<Trace> {
    let mut round: Vec<TraceStep> = Vec::new();
    let mut at = reached.len() - 1;
    while let Some(before) = reached[at].before {
        round.push(reached[at].step.clone());
        at = before;
    }
    round.reverse();
    let fewer = (round.len() / length) as u64;
    let steps = trace.steps[..=start].iter().cloned().chain(round).collect();
    (fewer < rounds).then(|| Trace { end: Some(TraceEnd::Loop { start, rounds: fewer }), ..Trace::of(steps) })
}
