//! From a path of representatives to a concrete run, and the proof that it violates the formula.
//!
//! A cycle of representatives leads from a state to an image of it, not to the state itself. Each round renames the elements by the same
//! permutation, so that after as many rounds as its order, at most, the run is back where it began. Invariant: a run leaves this file
//! only after the plain evaluator has found each of its steps without reduction, and after the formula, evaluated on it by its
//! definition, was false; else the checker is at fault. A run that violates the formula however it goes on has no end to be evaluated on:
//! of it the steps are confirmed. Deliberately elsewhere: how the path was found (`temporal::emptiness`).

use super::propositions::Propositions;
use super::record::Recording;
use crate::eval::Machine;
use crate::explore::trace::Ancestry;
use crate::explore::trace::{Origin, TraceFault, go_on, nth_initial, renaming, replay, set_up_step};
use crate::explore::walk::animation::steps_after;
use crate::explore::{Trace, TraceEnd, TraceStep};
use crate::temporal::formula::{Fairness, Formula};
use crate::temporal::graph::{End, Run};
use crate::temporal::word::{Letter, Word, holds};

/// A loop is shown until the names of elements are back, but not beyond this many steps.
const LONGEST_LOOP: usize = 10_000;

/// The concrete run along a path of representatives.
pub(super) fn concrete(
    machine: &Machine,
    recording: &mut Recording<'_>,
    propositions: &Propositions<'_>,
    run: &Run,
) -> Result<Trace, TraceFault> {
    let Recording { graph, family, reduction, set_ups, .. } = recording;
    let family = &*family;
    let first = *run.states.first().ok_or(TraceFault::NotConfirmed)?;
    let Origin::Initial { set_up, ordinal } = family.origin(first) else { return Err(TraceFault::Broken(first)) };
    let constants = &set_ups[set_up as usize].constants;
    let initial = nth_initial(machine, constants, ordinal)?.ok_or(TraceFault::Broken(first))?;
    let mut rename = renaming(reduction, family, initial.clone(), first)?;
    let mut steps = set_up_step(machine, constants);
    let offset = steps.len();
    steps.push(TraceStep::beginning(initial));
    let mut take = |steps: &mut Vec<TraceStep>, at: usize, child: u32| {
        let wanted = graph.step(run.letters[at]);
        let fits = &mut |state: &[_], step: &TraceStep| Ok(propositions.step(state, step)? == wanted);
        rename = go_on(machine, reduction, family, steps, rename.take(), (run.states[at], child), fits)?;
        Ok(())
    };
    for (at, child) in run.states.iter().enumerate().skip(1) {
        take(&mut steps, at - 1, *child)?;
    }
    let end = match run.end {
        End::Deadlock => TraceEnd::Deadlock,
        End::Prefix => TraceEnd::Prefix,
        End::Loop(start) => {
            let last = run.states.len() - 1;
            let mut rounds = 1;
            take(&mut steps, last, run.states[start])?;
            let is_closed = |steps: &[TraceStep]| steps.last().map(|step| &step.state) == Some(&steps[offset + start].state);
            while !is_closed(&steps) {
                if steps.len() > LONGEST_LOOP {
                    return Err(TraceFault::NotConfirmed);
                }
                rounds += 1;
                for at in start..last {
                    take(&mut steps, at, run.states[at + 1])?;
                }
                take(&mut steps, last, run.states[start])?;
            }
            TraceEnd::Loop { start: offset + start, rounds }
        }
    };
    let trace = Trace { steps, end: Some(end) };
    replay(machine, &trace)?;
    Ok(trace)
}

/// Confirms that a formula is false on a concrete run, and that the run is fair; returns the letters of the run, if it has an end.
pub(super) fn confirm(
    machine: &Machine,
    propositions: &Propositions<'_>,
    formula: &Formula,
    fairness: &[Fairness],
    trace: &Trace,
) -> Result<Option<Word>, TraceFault> {
    let set_up = trace.steps.len().min(usize::from(!machine.model().constants.is_empty()));
    let run = &trace.steps[set_up..];
    let back = match trace.end {
        Some(TraceEnd::Loop { start, .. }) => Some(start - set_up),
        Some(TraceEnd::Deadlock) => None,
        Some(TraceEnd::Prefix) | None => return Ok(None),
    };
    // The last state of a loop is its first one once more, and has no position of its own.
    let positions = run.len() - usize::from(back.is_some());
    let mut letters = Vec::with_capacity(positions);
    for (at, step) in run.iter().enumerate().take(positions) {
        let enabled = steps_after(machine, machine.model().set_up_steps() + 1, &step.state).map_err(TraceFault::at(at))?;
        let steps: Vec<TraceStep> = enabled.alike.into_iter().flatten().collect();
        if back.is_none() && at + 1 == positions && !steps.is_empty() {
            return Err(TraceFault::NotConfirmed);
        }
        let state = propositions.state(&step.state, &steps, false).map_err(TraceFault::at(at))?;
        let taken = run.get(at + 1).map(|next| propositions.step(&step.state, next)).transpose().map_err(TraceFault::at(at))?;
        letters.push(Letter { state, step: taken.unwrap_or(0) });
    }
    let word = Word { letters, back };
    if holds(formula, &word) || !is_fair(&word, fairness) { Err(TraceFault::NotConfirmed) } else { Ok(Some(word)) }
}

/// Whether a path satisfies assumptions of fairness, by their definition; finite paths do.
fn is_fair(word: &Word, fairness: &[Fairness]) -> bool {
    let Some(back) = word.back else { return true };
    let round = &word.letters[back..];
    fairness.iter().all(|assumption| {
        let is_enabled = |letter: &Letter| letter.state >> assumption.enabled & 1 == 1;
        let is_taken = round.iter().any(|letter| letter.step >> assumption.taken & 1 == 1);
        let must_be_taken = if assumption.is_strong { round.iter().any(is_enabled) } else { round.iter().all(is_enabled) };
        is_taken || !must_be_taken
    })
}
