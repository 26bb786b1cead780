//! A few runs that together cover everything found to be coverable.
//!
//! The targets that take most steps come first: runs to them cover many of the others on the way. A run is extended while a remaining
//! target is nearer from its end than from the beginning. Finally, redundant runs are removed: those whose targets the others cover.
//! Invariant: each run is one of the machine without probes and without reduction, which has been replayed, and it covers what the machine
//! with probes shows along it; a step covers what any execution with its operation, arguments, results and states covers. Deliberately
//! elsewhere: the search (`search`).

use super::Coverable;
use super::outcome::{CoveredAt, CoveringRun, Refused};
use super::witness::{FoundWitnesses, Witness};
use crate::thresholds::COVER_STATES;
use crate::trace::{Ancestry, TraceFault, concretise, operations, replay, set_up_step};
use crate::visited::Visited;
use crate::{Trace, TraceStep};
use bcheck_ir::OperationId;
use bcheck_value::{Valuation, Value};
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// Chooses runs that cover all wanted targets that have a witness; as many as could be made until an interrupt, and whether there was one.
pub(super) fn runs(coverable: &Coverable, found: &mut FoundWitnesses<'_>, wanted: &[bool]) -> Result<(Vec<CoveringRun>, bool), TraceFault> {
    let mut runs = Vec::new();
    let is_stopped = match add_runs(coverable, found, wanted, &mut runs) {
        Ok(()) => false,
        Err(TraceFault::Interrupted) => true,
        Err(fault) => return Err(fault),
    };
    leave_out(&mut runs, wanted);
    Ok((runs, is_stopped))
}

fn add_runs(coverable: &Coverable, found: &mut FoundWitnesses<'_>, wanted: &[bool], runs: &mut Vec<CoveringRun>) -> Result<(), TraceFault> {
    let mut open: Vec<usize> = (0..wanted.len()).filter(|target| wanted[*target] && found.seen.witnesses[*target].is_some()).collect();
    // A stable sort: of equally long runs the first target in the text decides.
    open.sort_by_key(|target| Reverse(found.seen.witnesses[*target].as_ref().map(|(steps, _)| *steps)));
    while let Some(target) = open.first().copied() {
        let mut trace = run_to(coverable, found, target)?;
        loop {
            let run = covered(coverable, &trace)?;
            open.retain(|target| !run.covers(*target));
            match go_on(coverable, found, &trace, &open)? {
                Some(steps) => trace.steps.extend(steps),
                None => {
                    runs.push(run);
                    break;
                }
            }
        }
        if open.first() == Some(&target) {
            return Err(TraceFault::NotConfirmed);
        }
    }
    Ok(())
}

/// Leaves out runs all of whose targets are covered by the others, the shortest first.
fn leave_out(runs: &mut Vec<CoveringRun>, wanted: &[bool]) {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|at| (runs[*at].trace.steps.len(), Reverse(*at)));
    let mut is_kept = vec![true; runs.len()];
    for at in order {
        let others = |target: usize| (0..runs.len()).any(|other| other != at && is_kept[other] && runs[other].covers(target));
        is_kept[at] = runs[at].places.iter().any(|(target, _)| wanted[*target] && !others(*target));
    }
    let mut kept = is_kept.into_iter();
    runs.retain(|_| kept.next().unwrap_or(false));
}

/// The run to the witness of a target.
fn run_to(coverable: &Coverable, found: &mut FoundWitnesses<'_>, target: usize) -> Result<Trace, TraceFault> {
    let Some((_, witness)) = found.seen.witnesses[target].clone() else { return Err(TraceFault::NotConfirmed) };
    let machine = &coverable.machine;
    let (number, operation) = match witness {
        Witness::Beginning { set_up, state } => {
            let mut steps = set_up_step(machine, &found.set_ups[set_up.index()].constants);
            steps.push(TraceStep::beginning(state));
            return Ok(Trace::of(steps));
        }
        Witness::Step { from, operation } => (from, Some(operation)),
        Witness::Refusal { at } => (at, None),
    };
    let (mut trace, _) = concretise(machine, &mut found.reduction, &found.family as &dyn Ancestry, &found.set_ups, number)?;
    let Some(operation) = operation else { return Ok(trace) };
    let at = trace.steps.len();
    let state = trace.steps.last().map_or(&[][..], |step| &step.state);
    // The state reached is an image of the representative, so it has an image of its step.
    let steps = coverable.steps(state, operation).map_err(TraceFault::at(at))?;
    let Some((step, _)) = steps.into_iter().find(|(_, covered)| covered.contains(&target)) else { return Err(TraceFault::NoSuchStep(at)) };
    trace.steps.push(step);
    Ok(trace)
}

/// The steps from the end of a run to the nearest of some targets, if it is nearer from there than from the beginning.
fn go_on(coverable: &Coverable, found: &FoundWitnesses<'_>, trace: &Trace, open: &[usize]) -> Result<Option<Vec<TraceStep>>, TraceFault> {
    let (Some(last), false) = (trace.steps.last(), open.is_empty()) else { return Ok(None) };
    if last.operation.is_none() && trace.steps.len() < coverable.machine.model().set_up_steps() + 1 {
        return Ok(None);
    }
    // A separate run would also need the set-up and the initialisation.
    let beginning = coverable.machine.model().set_up_steps() as u64 + 1;
    let far = |target: &usize| found.seen.witnesses[*target].as_ref().map_or(0, |(steps, _)| *steps + beginning);
    let farthest = open.iter().map(far).max().unwrap_or(0);
    let mut visited: Visited<Valuation, (usize, u64, Option<TraceStep>)> = Visited::new(COVER_STATES.get());
    let _ = visited.enter(last.state.clone(), || (0, 0, None));
    let mut at = 0;
    while let Some((state, (_, distance, _))) = visited.get(at) {
        let (state, distance) = (state.clone(), *distance);
        let is_near = |target: &usize| open.contains(target) && distance < far(target);
        if distance > 0 {
            let refusals = coverable.refusals(&state).map_err(TraceFault::at(trace.steps.len()))?;
            if refusals.iter().any(|(target, _)| is_near(target)) {
                return Ok(Some(path(&visited, at)));
            }
        }
        if distance + 1 >= farthest {
            break;
        }
        for operation in operations(&coverable.machine) {
            for (step, covered) in coverable.steps(&state, operation).map_err(TraceFault::at(trace.steps.len()))? {
                if covered.iter().any(|target| open.contains(target) && distance + 1 < far(target)) {
                    let mut steps = path(&visited, at);
                    steps.push(step);
                    return Ok(Some(steps));
                }
                let _ = visited.enter(step.state.clone(), || (at, distance + 1, Some(step)));
            }
        }
        at += 1;
    }
    Ok(None)
}

/// The steps to a state of a search that began with the state 0.
fn path(visited: &Visited<Valuation, (usize, u64, Option<TraceStep>)>, mut at: usize) -> Vec<TraceStep> {
    let mut steps = Vec::new();
    while let Some((_, (parent, _, Some(step)))) = visited.get(at) {
        steps.push(step.clone());
        at = *parent;
    }
    steps.reverse();
    steps
}

/// The targets that a run covers, with the first place of each; the run is replayed.
fn covered(coverable: &Coverable, trace: &Trace) -> Result<CoveringRun, TraceFault> {
    replay(&coverable.machine, trace)?;
    let mut run = CoveringRun { trace: trace.clone(), places: Vec::new() };
    let set_up = coverable.machine.model().set_up_steps();
    let mut before: &[Value] = &[];
    for (at, step) in trace.steps.iter().enumerate() {
        match step.operation {
            None if at < set_up => {}
            None => run.add(at, beginning(coverable, before, &step.state).map_err(TraceFault::at(at))?),
            Some(operation) => {
                let is_same =
                    |other: &TraceStep| (&other.arguments, &other.results, &other.state) == (&step.arguments, &step.results, &step.state);
                let steps = coverable.steps(before, operation).map_err(TraceFault::at(at))?;
                let targets = steps.into_iter().filter(|(other, _)| is_same(other)).flat_map(|(_, covered)| covered);
                run.add(at, targets.collect());
            }
        }
        if at >= set_up {
            for (target, refused) in coverable.refusals(&step.state).map_err(TraceFault::at(at))? {
                run.add_place(target, CoveredAt { step: at, refused: Some(refused) });
            }
        }
        before = &step.state;
    }
    run.places.sort_by_key(|(target, _)| *target);
    Ok(run)
}

/// The targets covered by the initialisation of a state.
fn beginning(coverable: &Coverable, constants: &[Value], wanted: &[Value]) -> Result<Vec<usize>, bcheck_eval::EvalError> {
    let mut targets = Vec::new();
    let done = coverable.probed.for_each_initial(constants, &mut |mut state| {
        let covered = coverable.covered_by_step(&mut state);
        if state == wanted {
            targets.extend(covered);
        }
        ControlFlow::Continue(())
    });
    match done {
        // It does not matter for this state that another alternative is ill-defined.
        Err(error) if targets.is_empty() && !error.kind.is_ill_defined() => Err(error),
        _ => Ok(targets),
    }
}

impl Coverable {
    /// The steps of an operation with what each covers; executions with the same step are one. None where they cannot be enumerated.
    fn steps(&self, state: &[Value], operation: OperationId) -> Result<Vec<(TraceStep, Vec<usize>)>, bcheck_eval::EvalError> {
        let Ok(found) = self.probed.successors_or_obstacle(&self.with_probes(state), operation)? else { return Ok(Vec::new()) };
        let execution = |mut step: bcheck_eval::Step| {
            let covered = self.covered_by_step(&mut step.next);
            let step = TraceStep { operation: Some(operation), arguments: step.arguments, results: step.results, state: step.next };
            (step, covered)
        };
        Ok(found.steps.into_iter().map(execution).collect())
    }

    /// The targets that guards cover which are false in a state, with the first call that each refuses.
    fn refusals(&self, state: &[Value]) -> Result<Vec<(usize, Refused)>, bcheck_eval::EvalError> {
        let mut refusals: Vec<(usize, Refused)> = Vec::new();
        let Some(observers) = &self.observers else { return Ok(refusals) };
        let state = self.with_probes(state);
        for operation in operations(observers) {
            let Ok(found) = observers.successors_or_obstacle(&state, operation)? else { continue };
            for step in found.steps {
                for target in self.covered_by_refusal(&step.next) {
                    if refusals.iter().all(|(known, _)| *known != target) {
                        refusals.push((target, Refused { operation, arguments: step.arguments.clone() }));
                    }
                }
            }
        }
        Ok(refusals)
    }
}
