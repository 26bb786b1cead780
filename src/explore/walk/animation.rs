//! One step at a time: the possible next steps, a random walk, a search from the current state.
//!
//! Invariant: every step is one of the unreduced evaluator, with concrete elements; symmetry only groups the enabled steps into orbits for
//! the list of choices. Deliberately elsewhere: histories and commands (`cli`).

use crate::trace::operations;
use crate::visited::Visited;
use crate::{Trace, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Step, TriedRange};
use bcheck_ir::OperationId;
use bcheck_source::SplitMix64;
use bcheck_symmetry::{Scratch, Symmetry};
use bcheck_value::{Valuation, Value};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// At most this many set-ups, or initial states, are considered where any may be taken.
const LISTED: usize = 10_000;
/// To list set-ups line by line, at most this many are considered for each line, as all of them may be symmetric.
const VISITED_FOR_EACH: usize = 500;

/// The possible next steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Enabled {
    /// The possible steps, grouped into orbits under the symmetries of the state; in the order of operations and arguments.
    pub alike: Vec<Vec<TraceStep>>,
    /// Calls whose body is ill-defined.
    pub ill_defined: Vec<(OperationId, Vec<Value>, EvalError)>,
    /// Operations whose steps cannot be enumerated.
    pub left_out: Vec<(OperationId, EvalError)>,
    /// Whether there are more set-ups or initial states than these.
    pub is_cut: bool,
    /// The range in which a parameter or a choice was tried, if there may be other steps.
    pub untried: Option<TriedRange>,
}

/// All steps that may follow a run: set-ups of the constants, initial states, operations; each forms a separate group.
fn next_steps(machine: &Machine, run: &Trace) -> Result<Enabled, EvalError> {
    steps_after(machine, run.steps.len(), run.steps.last().map_or(&[], |step| step.state.as_slice()))
}

/// The steps after a run of this length that ends in this state.
pub(crate) fn steps_after(machine: &Machine, length: usize, state: &[Value]) -> Result<Enabled, EvalError> {
    // Small evaluations end without a look at the flag, and there may be any number of them.
    if machine.interrupt().load(Ordering::Relaxed) {
        return Err(EvalError { kind: EvalErrorKind::Interrupted, span: machine.model().initialisation.span });
    }
    let mut enabled = Enabled::default();
    let initialisation = machine.model().set_up_steps();
    if length <= initialisation {
        let mut visit = |state: Valuation| {
            enabled.is_cut = enabled.alike.len() == LISTED;
            if enabled.is_cut {
                return ControlFlow::Break(());
            }
            enabled.alike.push(vec![TraceStep::beginning(state)]);
            ControlFlow::Continue(())
        };
        let found = if length < initialisation { machine.for_each_setup(&mut visit) } else { machine.for_each_initial(state, &mut visit) };
        match found {
            Err(error) if error.kind.is_left_out() => enabled.is_cut = true,
            other => other?,
        }
        return Ok(enabled);
    }
    for operation in operations(machine) {
        let successors = match machine.successors_or_obstacle(state, operation)? {
            Ok(successors) => successors,
            Err(error) => {
                enabled.left_out.push((operation, error));
                continue;
            }
        };
        enabled.untried = enabled.untried.take().or(successors.cut);
        for Step { arguments, results, next } in successors.steps {
            enabled.alike.push(vec![TraceStep { operation: Some(operation), arguments, results, state: next }]);
        }
        enabled.left_out.extend(successors.partial.map(|error| (operation, error)));
        enabled.ill_defined.extend(successors.ill_defined.into_iter().map(|(arguments, error)| (operation, arguments, error)));
    }
    Ok(enabled)
}

/// All steps that may follow a run, grouped into orbits under the symmetries of its last state; of set-ups the first `set_ups` groups, as
/// finding all of them may take long.
///
/// # Errors
/// When something cannot be enumerated.
pub fn next_steps_folded(machine: &Machine, symmetry: &Symmetry, run: &Trace, set_ups: usize) -> Result<Enabled, EvalError> {
    if run.steps.len() < machine.model().set_up_steps() {
        return first_set_ups(machine, symmetry, set_ups);
    }
    let before: &[Value] = run.steps.last().map_or(&[], |step| step.state.as_slice());
    Ok(next_steps(machine, run)?.folded(machine.model().constants.len(), symmetry, before, &mut Scratch::default()))
}

/// Set-ups in order of discovery, as far as they are in the first `most` orbits.
fn first_set_ups(machine: &Machine, symmetry: &Symmetry, most: usize) -> Result<Enabled, EvalError> {
    let (mut enabled, mut orbits) = (Enabled::default(), FxHashMap::default());
    let (mut visited, mut scratch) = (0, Scratch::default());
    machine.for_each_setup(&mut |constants| {
        let at = *orbits.entry(symmetry.canonical(&constants, &mut scratch).state).or_insert(enabled.alike.len());
        enabled.is_cut = at == most || visited == most.saturating_mul(VISITED_FOR_EACH);
        if enabled.is_cut {
            return ControlFlow::Break(());
        }
        visited += 1;
        let step = TraceStep::beginning(constants);
        match enabled.alike.get_mut(at) {
            Some(orbit) => orbit.push(step),
            None => enabled.alike.push(vec![step]),
        }
        ControlFlow::Continue(())
    })?;
    Ok(enabled)
}

impl Enabled {
    /// Groups the steps of a state into orbits under its symmetries; `constants` is the number of constants.
    pub(crate) fn folded(mut self, constants: usize, symmetry: &Symmetry, before: &[Value], scratch: &mut Scratch) -> Self {
        if symmetry.is_trivial() {
            return self;
        }
        let mut known: FxHashMap<(Option<OperationId>, Vec<bool>, Valuation), usize> = FxHashMap::default();
        let mut folded: Vec<Vec<TraceStep>> = Vec::new();
        // Each orbit is listed at its first step, so the order of operations and arguments is preserved.
        for step in std::mem::take(&mut self.alike).into_iter().flatten() {
            // State, call and successor as one structure: two of them are symmetric exactly when a symmetry of the state makes
            // one step of the other. The constants of the successor are those of the state.
            let mut all: Valuation = before.to_vec();
            all.extend(step.arguments.iter().cloned());
            all.extend(step.results.iter().flatten().cloned());
            all.extend(step.state.iter().skip(if before.is_empty() { 0 } else { constants }).cloned());
            // Results that are left unassigned are missing from the structure, so the key lists which ones there are.
            let assigned = step.results.iter().map(Option::is_some).collect();
            let key = (step.operation, assigned, symmetry.canonical(&all, scratch).state);
            let at = *known.entry(key).or_insert(folded.len());
            match folded.get_mut(at) {
                Some(orbit) => orbit.push(step),
                None => folded.push(vec![step]),
            }
        }
        self.alike = folded;
        self
    }
}

/// At most `steps` random steps after a run, fewer where nothing can follow. The walk is determined by the seed.
///
/// # Errors
/// When something cannot be enumerated.
pub fn random_walk(machine: &Machine, run: &Trace, steps: usize, seed: u64) -> Result<Vec<TraceStep>, EvalError> {
    let mut whole = run.clone();
    let mut random = SplitMix64::new(seed);
    for _ in 0..steps {
        let mut possible = next_steps(machine, &whole)?.alike;
        if possible.is_empty() {
            break;
        }
        whole.steps.extend(possible.swap_remove(random.below(possible.len())));
    }
    Ok(whole.steps.split_off(run.steps.len()))
}

/// The result of a search for the goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A shortest path to such a state; empty when this one is.
    Here(Vec<TraceStep>),
    /// There is none among the states that can be reached; their number.
    Nowhere(usize),
    /// There is none among this number of states, and there are more states.
    GaveUp(usize),
}

/// Searches, breadth first and without reduction, for a state where the machine's goal holds.
///
/// # Errors
/// When something cannot be enumerated, or the goal evaluated.
pub fn find_goal(machine: &Machine, run: &Trace, limit: usize) -> Result<Found, EvalError> {
    // An actual state comes after the set-up and the initialisation.
    let complete = machine.model().set_up_steps() + 1;
    let (length, state) = (run.steps.len(), run.steps.last().map(|step| step.state.clone()).unwrap_or_default());
    // Every state is tested when it is found, so the one to begin with is tested here.
    if length >= complete && machine.is_goal(&state)? {
        return Ok(Found::Here(Vec::new()));
    }
    // Valuations with the number of steps before them, as far as it matters: in a machine without variables a set-up and its initial state
    // are the same valuation.
    let mut visited = Visited::new(usize::MAX);
    visited.enter((length.min(complete), state), || None);
    let mut states = usize::from(length >= complete);
    let mut number = 0;
    while let Some(((length, state), _)) = visited.get(number) {
        let next = complete.min(length + 1);
        for mut step in steps_after(machine, *length, state)?.alike.into_iter().flatten() {
            let key = (next, std::mem::take(&mut step.state));
            let Some((found, true)) = visited.enter(key, || Some(Reached { step, before: number })) else { continue };
            let Some(((_, state), _)) = visited.get(found).filter(|_| next == complete) else { continue };
            if machine.is_goal(state)? {
                return Ok(Found::Here(path(&visited, found)));
            }
            // After the test for the goal: a goal that is found as the first state beyond the limit is found all the same.
            if states >= limit {
                return Ok(Found::GaveUp(states));
            }
            states += 1;
        }
        number += 1;
    }
    Ok(Found::Nowhere(states))
}

/// How a search came to a state.
struct Reached {
    /// Without the state, which is the key.
    step: TraceStep,
    /// The number of the state before.
    before: usize,
}

/// The steps to a state, from the one without a step before it.
fn path(visited: &Visited<(usize, Valuation), Option<Reached>>, mut number: usize) -> Vec<TraceStep> {
    let mut steps = Vec::new();
    while let Some(((_, state), Some(Reached { step, before }))) = visited.get(number) {
        steps.push(TraceStep { state: state.clone(), ..step.clone() });
        number = *before;
    }
    steps.reverse();
    steps
}
