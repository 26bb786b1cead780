//! From a path of representatives to a concrete run, and the proof that this run violates the formula.
//!
//! A cycle of representatives leads from a state to an image of it, not to the state itself. Each round renames the elements by the same
//! permutation, so the run is back where it began after at most as many rounds as the order of that permutation.
//! Invariant: a run is shown only if the plain evaluator has found each of its steps without reduction, and if, by the definitions, the
//! run is fair and the formula is false on it; otherwise the checker is at fault. For a finite prefix whose every continuation
//! violates the formula, only the steps are confirmed: the definition needs a complete path. Deliberately elsewhere: how the path was found
//! (`temporal::emptiness`).

use super::letters::{Letters, SeenStep, Valued};
use super::propositions::Used;
use super::threads::{Instance, instance_of, steps_of};
use crate::count::reduction::Reduction;
use crate::search::recording::Recording;
use crate::thresholds::UNROLLED_LOOP;
use crate::trace::closing::{EndCheck, check_end};
use crate::trace::{Ancestry, Origin, TraceFault, go_on, nth_initial, renaming, replay, set_up_step};
use crate::walk::animation::steps_after;
use crate::{Trace, TraceEnd, TraceStep};
use bcheck_eval::{EvalError, Machine};
use bcheck_symmetry::Permutation;
use bcheck_temporal::formula::{Fairness, Formula};
use bcheck_temporal::graph::{End, Graph, Run};
use bcheck_temporal::word::{Letter, Word, holds};
use bcheck_value::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// A run in concrete names.
pub(super) struct ConcreteRun {
    pub(super) trace: Trace,
    /// The permutation that each round of its loop applies, if only one round is shown.
    pub(super) renaming: Option<Permutation>,
}

/// The concrete run along a path of representatives.
pub(super) fn concrete(machine: &Machine, recording: &mut Recording<'_>, letters: &Letters, run: &Run) -> Result<ConcreteRun, TraceFault> {
    let Recording { graph, family, reduction, set_ups, .. } = recording;
    let family = *family;
    let first = *run.states.first().ok_or(TraceFault::NotConfirmed)?;
    let Origin::Initial { set_up, ordinal } = family.origin(first) else { return Err(TraceFault::Broken(first)) };
    let constants = &set_ups[set_up.index()].constants;
    // Enumerated again: the recording stores representatives, and this is the concrete state of the first of them.
    let initial = nth_initial(machine, constants, ordinal)?.ok_or(TraceFault::Broken(first))?;
    let at_initial = renaming(reduction, family, initial.clone(), first)?;
    let mut steps = set_up_step(machine, constants);
    let offset = steps.len();
    steps.push(TraceStep::beginning(initial));
    let mut walk = RunWalk { machine, family, reduction, letters, graph, run, steps };
    let last = run.states.len() - 1;
    let (end, renaming) = match run.end {
        End::Deadlock | End::Prefix => {
            walk.go(at_initial, 0..last)?;
            (if run.end == End::Deadlock { TraceEnd::Deadlock } else { TraceEnd::Prefix }, None)
        }
        End::Loop(start) => {
            let at_start = walk.go(at_initial, 0..start)?;
            walk.close(at_start, start, offset + start)?
        }
    };
    let trace = Trace { end: Some(end), ..Trace::of(walk.steps) };
    replay(machine, &trace)?;
    Ok(ConcreteRun { trace, renaming })
}

/// The conversion of a run of representatives into concrete states, in progress.
struct RunWalk<'w, 'r> {
    machine: &'w Machine,
    family: &'w dyn Ancestry,
    reduction: &'w mut Reduction<'r>,
    letters: &'w Letters,
    graph: &'w Graph,
    run: &'w Run,
    /// The concrete steps so far.
    steps: Vec<TraceStep>,
}

impl RunWalk<'_, '_> {
    /// Takes the steps from these positions of the run. `rename` maps the representative at the first of them to the concrete state
    /// reached; returns what does so at the end.
    fn go(&mut self, mut rename: Option<Permutation>, positions: Range<usize>) -> Result<Option<Permutation>, TraceFault> {
        let (run, letters) = (self.run, self.letters);
        for at in positions {
            // Several steps may lead to the same representative; only one with this letter matches what the automaton read.
            let wanted = self.graph.step(run.letters[at]);
            let chosen = match run.ordinal(at) {
                Some(ordinal) => {
                    let steps = steps_of(self.machine, &self.family.state(run.states[at]))?;
                    Some(steps.into_iter().nth(ordinal.index()).ok_or(TraceFault::NotConfirmed)?)
                }
                None => None,
            };
            let fits = &mut |state: &[_], step: &TraceStep| match &chosen {
                Some(chosen) => Ok(step == chosen),
                None => Ok(step_letter(letters, state, step)?.letter == wanted),
            };
            let after = match run.end {
                End::Loop(start) if at + 1 == run.states.len() => run.states[start],
                _ => run.states[at + 1],
            };
            rename = go_on(self.machine, self.reduction, self.family, &mut self.steps, rename, (run.states[at], after), fits)?;
        }
        Ok(rename)
    }

    /// Repeats the loop that begins at `start`, step `from` of the concrete run, until the names recur, or once if that takes too long:
    /// then each round renames elements by the returned permutation.
    fn close(&mut self, at_start: Option<Permutation>, start: usize, from: usize) -> Result<(TraceEnd, Option<Permutation>), TraceFault> {
        let length = self.run.states.len();
        let mut rename = self.go(at_start.clone(), start..length)?;
        // If `a` renames representatives to the run where the loop begins and `b` where the first round ends, the round maps the
        // concrete state by `b` after the inverse of `a`.
        let round = at_start.unwrap_or_default().inverse().then(&rename.clone().unwrap_or_default());
        // Each round takes the same steps of the same representatives, so it applies the same permutation to the end of the previous one.
        let rounds = rounds_until_back(&round, &self.steps[from].state, UNROLLED_LOOP.get() / (length - start));
        for _ in 1..rounds.unwrap_or(1) {
            rename = self.go(rename, start..length)?;
        }
        let begin = &self.steps[from].state;
        let image = if rounds.is_some() { begin.clone() } else { round.apply_all(begin) };
        if self.steps.last().map(|step| &step.state) != Some(&image) {
            return Err(TraceFault::NotConfirmed);
        }
        Ok(match rounds {
            Some(rounds) => (TraceEnd::Loop { start: from, rounds }, None),
            None => (TraceEnd::RenamedLoop { start: from }, Some(round)),
        })
    }
}

/// The number of rounds after which a state is reached again if each applies this permutation; `None` if more than `most` are needed.
fn rounds_until_back(round: &Permutation, state: &[Value], most: usize) -> Option<u64> {
    let mut image = round.apply_all(state);
    let mut rounds = 1;
    while image != state {
        if rounds >= most {
            return None;
        }
        image = round.apply_all(&image);
        rounds += 1;
    }
    Some(rounds as u64)
}

/// The letter of a step of a run.
pub(super) fn step_letter(letters: &Letters, state: &[Value], step: &TraceStep) -> Result<Valued, EvalError> {
    SeenStep::of(step).map_or_else(|| Ok(Valued::default()), |step| letters.step(state, step))
}

/// Confirms that a formula is false on a concrete run, and that the run is fair; returns the letters of the run unless it is a prefix.
pub(super) fn confirm(
    machine: &Machine,
    letters: (&Letters, Used),
    formula: &Formula,
    (fairness, each_is_strong): (&[Fairness], Option<bool>),
    trace: &Trace,
) -> Result<Option<Word>, TraceFault> {
    let set_up = trace.steps.len().min(usize::from(!machine.model().constants.is_empty()));
    let run = &trace.steps[set_up..];
    let back = match trace.end {
        // Renaming preserves every proposition, so each round of a renamed loop has the letters of the first.
        Some(TraceEnd::Loop { start, .. } | TraceEnd::RenamedLoop { start }) => Some(start - set_up),
        Some(TraceEnd::Deadlock) => None,
        Some(TraceEnd::Prefix) | None => return Ok(None),
    };
    // A loop ends with a copy of its first state, which is not a separate position.
    let positions = run.len() - usize::from(back.is_some());
    let along = along(machine, letters, run, positions, each_is_strong.is_some())?;
    if back.is_none() && !along.is_deadlock {
        return Err(TraceFault::NotConfirmed);
    }
    // From the definitions only: nothing that found the run takes part in confirming it.
    let is_fair_to_each = along.is_fair_to_each(back, each_is_strong);
    let word = Word { letters: along.letters, back };
    if holds(formula, &word) || !is_fair(&word, fairness) || !is_fair_to_each { Err(TraceFault::NotConfirmed) } else { Ok(Some(word)) }
}

/// Confirms that a run of a branching-time formula that ends in a deadlock does: its steps were replayed, but not that none follows.
pub(super) fn confirm_end(machine: &Machine, trace: &Trace) -> Result<(), TraceFault> {
    if trace.end != Some(TraceEnd::Deadlock) {
        return Ok(());
    }
    let end = check_end(machine, trace).map_err(TraceFault::at(trace.steps.len().saturating_sub(1)))?;
    if end == EndCheck::Confirmed { Ok(()) } else { Err(TraceFault::NotConfirmed) }
}

/// A run as formulas and fairness see it.
pub(super) struct Along {
    /// The letters of its positions.
    pub(super) letters: Vec<Letter>,
    /// Whether no step is possible at the last position.
    pub(super) is_deadlock: bool,
    /// The first position at which a step may be missing.
    pub(super) open: Option<usize>,
    /// By position, the enabled and taken instances; empty unless fairness to each instance is assumed.
    instances: Vec<Passed>,
}

/// The instances that are enabled at a position, and the one that is taken there.
struct Passed {
    taken: Option<Instance>,
    enabled: BTreeSet<Instance>,
}

impl Along {
    /// Whether the run is strongly or weakly fair to each instance, as assumed, by the definition; finite paths are.
    pub(super) fn is_fair_to_each(&self, back: Option<usize>, is_strong: Option<bool>) -> bool {
        let (Some(back), Some(is_strong)) = (back, is_strong) else { return true };
        let round = &self.instances[back..];
        let taken: BTreeSet<&Instance> = round.iter().filter_map(|passed| passed.taken.as_ref()).collect();
        // Weak fairness concerns only those enabled at all positions of the loop, strong fairness those enabled at any.
        let must_be_taken = |instance: &&Instance| is_strong || round.iter().all(|passed| passed.enabled.contains(*instance));
        round.iter().flat_map(|passed| &passed.enabled).filter(must_be_taken).all(|instance| taken.contains(instance))
    }
}

/// The letters of the first positions of a run that begins in an initial state, and the instances there if requested.
pub(super) fn along(
    machine: &Machine,
    (letters, used): (&Letters, Used),
    run: &[TraceStep],
    positions: usize,
    asks_instances: bool,
) -> Result<Along, TraceFault> {
    // A proposition of another formula may lack a value on this run, which does not matter.
    let own = |valued: Valued| match valued.without.into_iter().find(|(proposition, _)| used.contains(*proposition)) {
        Some((_, error)) => Err(error),
        None => Ok(valued.letter),
    };
    let mut found = Along { letters: Vec::with_capacity(positions), is_deadlock: false, open: None, instances: Vec::new() };
    for (at, step) in run.iter().enumerate().take(positions) {
        // All steps, evaluated anew: `e(op)` and `deadlock` must not be taken from the graph that is to be confirmed.
        let enabled = steps_after(machine, machine.model().set_up_steps() + 1, &step.state).map_err(TraceFault::at(at))?;
        let is_missing = !enabled.left_out.is_empty() || !enabled.ill_defined.is_empty();
        let steps: Vec<TraceStep> = enabled.alike.into_iter().flatten().collect();
        let is_open = is_missing || steps.is_empty() && !machine.has_all_steps(&step.state);
        found.open = found.open.or(is_open.then_some(at));
        found.is_deadlock = steps.is_empty() && !is_open;
        let seen: Vec<SeenStep<'_>> = steps.iter().filter_map(SeenStep::of).collect();
        let state = letters.state(&step.state, &seen, is_open).and_then(own).map_err(TraceFault::at(at))?;
        let taken = run.get(at + 1).map(|next| step_letter(letters, &step.state, next).and_then(own));
        let taken = taken.transpose().map_err(TraceFault::at(at))?;
        found.letters.push(Letter { state, step: taken.unwrap_or(0) });
        if asks_instances {
            found.instances.push(Passed { taken: run.get(at + 1).map(instance_of), enabled: steps.iter().map(instance_of).collect() });
        }
    }
    Ok(found)
}

/// Whether a path satisfies fairness assumptions, by their definition; finite paths do.
pub(super) fn is_fair(word: &Word, fairness: &[Fairness]) -> bool {
    let Some(back) = word.back else { return true };
    let round = &word.letters[back..];
    fairness.iter().all(|assumption| {
        let is_enabled = |letter: &Letter| letter.state >> assumption.enabled & 1 == 1;
        let is_taken = round.iter().any(|letter| letter.step >> assumption.taken & 1 == 1);
        // On a lasso, "infinitely often" is "in some position of the loop" and "from some time on forever" is "in all of them".
        let must_be_taken = if assumption.is_strong { round.iter().any(is_enabled) } else { round.iter().all(is_enabled) };
        is_taken || !must_be_taken
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::OperationId;

    #[test]
    fn fairness_to_each_instance_is_that_of_the_definition() {
        let call = |number: u32| (OperationId(number), Vec::new());
        let at = |taken: u32, enabled: &[u32]| Passed {
            taken: Some(call(taken)),
            enabled: enabled.iter().map(|&number| call(number)).collect(),
        };
        let is_fair = |instances: Vec<Passed>, is_strong| {
            Along { letters: Vec::new(), is_deadlock: false, open: None, instances }.is_fair_to_each(Some(0), Some(is_strong))
        };
        // Number 1 is never taken: always enabled in the first loop, now and then in the second one.
        let always = || vec![at(0, &[0, 1]), at(0, &[0, 1])];
        let sometimes = || vec![at(0, &[0, 1]), at(0, &[0])];
        assert!(!is_fair(always(), false) && is_fair(sometimes(), false));
        assert!(!is_fair(always(), true) && !is_fair(sometimes(), true));
        assert!(is_fair(vec![at(0, &[0, 1]), at(1, &[1])], true));
    }
}
