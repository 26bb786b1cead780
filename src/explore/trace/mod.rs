//! From a finding among representatives to a concrete run.
//!
//! The parents of representatives form a path in the reduced space, whose steps do not fit together in concrete names. With `r` the current
//! representative and `p` the permutation from `r` to the concrete state, a step of `r` to `t` with representative `g·t` becomes a step of
//! `p·r` to `p·t`, and the next permutation is `p` after the inverse of `g`. If conjuncts are images of each other, the run as a whole is
//! renamed so that the claimed conjunct is the one that fails at its end. Invariant: a trace leaves this file only after a run in the plain
//! evaluator, without reduction, has found every step and confirmed the claimed violation at the end. Without reduction, building the trace
//! is that run. The evaluator decides which conjunct is reported: the first one that is false in the last state.

pub(super) mod closing;
pub mod replay;

use super::count::reduction::Reduction;
use super::count::set_up::SetUp;
use super::number::{SetUpNumber, StateNumber};
use super::property::{Claim, Place, judge};
use super::{Fault, FaultKind, FaultyPart, Finding, Trace, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Step};
use bcheck_ir::OperationId;
use bcheck_symmetry::{ConjunctOrbits, Permutation};
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;

/// How a representative was first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// As this initial state, in the order of enumeration, of this representative set-up.
    Initial { set_up: SetUpNumber, ordinal: u64 },
    /// By the first step of this state, in the order of enumeration over all operations, into its orbit.
    Step { parent: StateNumber },
}

/// The data of a search about each state: its predecessor and its representative.
pub(super) trait Ancestry {
    fn origin(&self, number: StateNumber) -> Origin;
    fn state(&self, number: StateNumber) -> Valuation;
}

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceFault {
    /// The evaluation was interrupted.
    #[error("interrupted while the trace was rebuilt")]
    Interrupted,
    /// Evaluation failed at a step (numbered from 0).
    #[error("step {0} cannot be evaluated: {reason}", reason = .1.kind)]
    Evaluation(usize, EvalError),
    /// The machine has no such step (numbered from 0).
    #[error("step {0} of the trace is not a step of the machine")]
    NoSuchStep(usize),
    /// The property does not fail at the end of the trace.
    #[error("the trace does not end in the claimed violation")]
    NotConfirmed,
    /// The path of representatives does not hold together.
    #[error("state {0} is not reached from its parent")]
    Broken(StateNumber),
}

impl TraceFault {
    pub(super) fn at(step: usize) -> impl Fn(EvalError) -> TraceFault {
        move |error| match error.kind {
            EvalErrorKind::Interrupted => TraceFault::Interrupted,
            _ => TraceFault::Evaluation(step, error),
        }
    }
}

/// Turns a claim into a finding with a validated trace.
pub(super) fn finding(
    machine: &Machine,
    reduction: &mut Reduction<'_>,
    ancestry: &dyn Ancestry,
    set_ups: &[SetUp],
    claim: &Claim,
) -> Result<Finding, TraceFault> {
    let _phase = tracing::debug_span!(target: "bcheck::explore", "trace").entered();
    let number = match claim.place {
        Place::State(number) => number,
        Place::Machine => {
            let fault = confirm(machine, &[], claim.fault.clone())?;
            return Ok(Finding { fault, trace: Trace::default() });
        }
        Place::SetUp(number) => {
            let constants = &set_ups[number.index()].constants;
            let fault = confirm(machine, constants, claim.fault.clone())?;
            return Ok(Finding { fault, trace: Trace::of(set_up_step(machine, constants)) });
        }
    };
    let (trace, rename) = concretise(machine, reduction, ancestry, set_ups, number)?;
    let Some(rename) = rename else {
        // Without reduction the trace has just been made by the plain evaluator, step by step from the set-up.
        let fault = confirm(machine, last_state(&trace), claim.fault.clone())?;
        return Ok(Finding { fault, trace });
    };
    let way = map_to_claim(machine, reduction.symmetry.conjunct_orbits(), last_state(&trace), &claim.fault);
    // Preferred is a run that ends in the claimed conjunct, then the run according to the parents, then the one that ends in the
    // representative itself, about which the claim was made.
    let mut ways = vec![way, Permutation::identity(), rename.inverse()];
    // The first two are equal unless conjuncts have images.
    ways.dedup();
    let mut fault = TraceFault::NotConfirmed;
    for way in ways {
        let trace = renamed(&trace, &way);
        let claimed = renamed_fault(&claim.fault, &rename.then(&way));
        match replay(machine, &trace).and_then(|()| confirm(machine, last_state(&trace), claimed)) {
            Ok(fault) => return Ok(Finding { fault, trace }),
            // No time for the others either. Any other failure may be one of this renaming only: the next one is tried.
            Err(TraceFault::Interrupted) => return Err(TraceFault::Interrupted),
            Err(other) => fault = other,
        }
    }
    Err(fault)
}

/// The symmetry that maps a state of a claim's orbit to one that fails as claimed; the identity if there is none.
fn map_to_claim(machine: &Machine, orbits: &ConjunctOrbits, state: &[Value], fault: &Fault) -> Permutation {
    match fault {
        Fault { part: FaultyPart::Invariant(conjunct), kind: FaultKind::Violated } => {
            orbits.invariant.transversal_element(*conjunct, |other| machine.is_conjunct_false(other, state))
        }
        Fault { part: FaultyPart::Assertion(index), kind: FaultKind::Violated } => {
            orbits.assertions.transversal_element(*index, |other| machine.is_assertion_false(other, state))
        }
        _ => Permutation::identity(),
    }
}

/// The fault of a representative, transferred to an image of it.
fn renamed_fault(fault: &Fault, rename: &Permutation) -> Fault {
    let mut fault = fault.clone();
    if let FaultyPart::Body(_, arguments) = &mut fault.part {
        *arguments = rename.apply_all(arguments);
    }
    fault
}

fn renamed(trace: &Trace, rename: &Permutation) -> Trace {
    let step = |step: &TraceStep| TraceStep {
        operation: step.operation,
        arguments: rename.apply_all(&step.arguments),
        results: renamed_results(rename, &step.results),
        state: rename.apply_all(&step.state),
    };
    Trace { steps: trace.steps.iter().map(step).collect(), ..*trace }
}

/// The image of results, some of which may be unassigned.
pub(super) fn renamed_results(rename: &Permutation, results: &[Option<Value>]) -> Vec<Option<Value>> {
    results.iter().map(|result| result.as_ref().map(|value| rename.apply(value))).collect()
}

fn last_state(trace: &Trace) -> &[Value] {
    trace.steps.last().map_or(&[], |step| &step.state)
}

pub(super) fn set_up_step(machine: &Machine, constants: &[Value]) -> Vec<TraceStep> {
    if machine.model().constants.is_empty() {
        return Vec::new();
    }
    vec![TraceStep::beginning(constants.to_vec())]
}

/// Where the path to a state begins: with an initial state of a set-up.
pub(super) struct Beginning {
    /// The number of its representative.
    pub(super) first: StateNumber,
    pub(super) set_up: SetUpNumber,
    pub(super) ordinal: u64,
}

/// The path of representatives to a state: its beginning, and each step as parent and child.
pub(super) fn path_to(ancestry: &dyn Ancestry, number: StateNumber) -> (Beginning, Vec<(StateNumber, StateNumber)>) {
    // Parents have lower numbers, so this ends at an initial state.
    let mut path = Vec::new();
    let mut at = number;
    let (set_up, ordinal) = loop {
        match ancestry.origin(at) {
            Origin::Initial { set_up, ordinal } => break (set_up, ordinal),
            Origin::Step { parent } => {
                path.push((parent, at));
                at = parent;
            }
        }
    };
    path.reverse();
    (Beginning { first: at, set_up, ordinal }, path)
}

/// The concrete run to a representative, and the permutation from the representative to the run's last state.
pub(super) fn concretise(
    machine: &Machine,
    reduction: &mut Reduction<'_>,
    ancestry: &dyn Ancestry,
    set_ups: &[SetUp],
    number: StateNumber,
) -> Result<(Trace, Option<Permutation>), TraceFault> {
    let (Beginning { first: at, set_up, ordinal }, path) = path_to(ancestry, number);
    let constants = &set_ups[set_up.index()].constants;
    let initial = nth_initial(machine, constants, ordinal)?.ok_or(TraceFault::Broken(at))?;
    // Invariant of the loop: `rename` maps the representative last reached to the last state of `steps`; `None` is the identity,
    // throughout, in a run without symmetry.
    let mut rename = renaming(reduction, ancestry, initial.clone(), at)?;
    let mut steps = set_up_step(machine, constants);
    steps.push(TraceStep::beginning(initial));
    for (parent, child) in path {
        rename = go_on(machine, reduction, ancestry, &mut steps, rename, (parent, child), &mut |_, _| Ok(true))?;
    }
    Ok((Trace::of(steps), rename))
}

/// Whether a step of a state may be the one that a run takes.
pub(super) type Fits<'f> = dyn FnMut(&[Value], &TraceStep) -> Result<bool, EvalError> + 'f;

/// Adds the first fitting step from a representative to another to a run that has reached the former, or its image under `rename`. Returns
/// what maps the representative of the state reached to that state.
pub(crate) fn go_on(
    machine: &Machine,
    reduction: &mut Reduction<'_>,
    ancestry: &dyn Ancestry,
    steps: &mut Vec<TraceStep>,
    rename: Option<Permutation>,
    (parent, child): (StateNumber, StateNumber),
    fits: &mut Fits<'_>,
) -> Result<Option<Permutation>, TraceFault> {
    let of_parent;
    let state = match (&rename, steps.last()) {
        // Nothing was renamed, and the current state shares its large sets with earlier ones.
        (None, Some(last)) => &last.state,
        _ => {
            of_parent = ancestry.state(parent);
            &of_parent
        }
    };
    let (step, back) = first_step(machine, reduction, ancestry, state, child, (steps.len(), fits))?;
    steps.push(TraceStep {
        operation: step.operation,
        arguments: apply(rename.as_ref(), &step.arguments),
        results: rename.as_ref().map_or_else(|| step.results.clone(), |rename| renamed_results(rename, &step.results)),
        state: apply(rename.as_ref(), &step.state),
    });
    // `back` maps the representative of `child` to `step.state`, and the old renaming maps that to the state just pushed.
    Ok(match (back, rename) {
        (Some(back), Some(rename)) => Some(back.then(&rename)),
        (back, rename) => back.or(rename),
    })
}

fn apply(rename: Option<&Permutation>, values: &[Value]) -> Vec<Value> {
    rename.map_or_else(|| values.to_vec(), |rename| rename.apply_all(values))
}

/// The permutation from the representative `number` to this state of its orbit.
pub(super) fn renaming(
    reduction: &mut Reduction<'_>,
    ancestry: &dyn Ancestry,
    state: Valuation,
    number: StateNumber,
) -> Result<Option<Permutation>, TraceFault> {
    if reduction.is_trivial() {
        return Ok(None);
    }
    let representative = reduction.representative(state).ok_or(TraceFault::Interrupted)?;
    if representative.state != ancestry.state(number) {
        return Err(TraceFault::Broken(number));
    }
    Ok(representative.permutation.map(|permutation| permutation.inverse()))
}

/// The initial state with this number, in the order of enumeration.
pub(super) fn nth_initial(machine: &Machine, constants: &[Value], ordinal: u64) -> Result<Option<Valuation>, TraceFault> {
    let (mut count, mut wanted) = (0, None);
    let visit = &mut |state| {
        if count == ordinal {
            wanted = Some(state);
            return ControlFlow::Break(());
        }
        count += 1;
        ControlFlow::Continue(())
    };
    match (machine.for_each_initial(constants, visit), wanted) {
        // Found: that another alternative is ill-defined, which the evaluator reports in the end, does not matter for this state.
        (_, Some(wanted)) => Ok(Some(wanted)),
        (result, None) => result.map(|()| None).map_err(TraceFault::at(0)),
    }
}

/// The first fitting step from a state into the orbit of `child`, and the permutation from the representative `child` to the step's
/// successor; `at` is the number of the step in the run.
fn first_step(
    machine: &Machine,
    reduction: &mut Reduction<'_>,
    ancestry: &dyn Ancestry,
    state: &[Value],
    child: StateNumber,
    (at, fits): (usize, &mut Fits<'_>),
) -> Result<(TraceStep, Option<Permutation>), TraceFault> {
    // Any step into the orbit would do, as `child` represents its target; the first one yields the same trace in every run.
    let wanted = ancestry.state(child);
    for operation in operations(machine) {
        // The search went on without the steps that cannot be enumerated, so the step to `child` is another one.
        let Ok(successors) = machine.successors_or_obstacle(state, operation).map_err(TraceFault::at(at))? else { continue };
        for Step { arguments, results, next } in successors.steps {
            let step = TraceStep { operation: Some(operation), arguments, results, state: next };
            let back = if reduction.is_trivial() {
                if step.state != wanted {
                    continue;
                }
                None
            } else {
                let representative = reduction.representative(step.state.clone()).ok_or(TraceFault::Interrupted)?;
                if representative.state != wanted {
                    continue;
                }
                representative.permutation.map(|permutation| permutation.inverse())
            };
            if fits(state, &step).map_err(TraceFault::at(at))? {
                return Ok((step, back));
            }
        }
    }
    Err(TraceFault::Broken(child))
}

/// The machine's operations in declaration order.
pub(super) fn operations(machine: &Machine) -> impl Iterator<Item = OperationId> + use<> {
    (0..machine.model().operations.len()).map(|index| OperationId(u32::try_from(index).expect("operations have 32-bit ids")))
}

/// Runs a trace again in the plain evaluator, without reduction: every step must be one of the machine's.
///
/// # Errors
/// The first step that is not, or that cannot be evaluated.
pub fn replay(machine: &Machine, trace: &Trace) -> Result<(), TraceFault> {
    let has_constants = !machine.model().constants.is_empty();
    let mut state = Valuation::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let is_possible = match step.operation {
            Some(operation) => {
                let steps = machine.successors(&state, operation).map_err(TraceFault::at(index))?.steps;
                steps.iter().any(|other| other.next == step.state && other.arguments == step.arguments && other.results == step.results)
            }
            None if has_constants && index == 0 => is_set_up(machine, &step.state, index)?,
            None => visits(&step.state, |visit| machine.for_each_initial(&state, visit), index)?,
        };
        if !is_possible {
            return Err(TraceFault::NoSuchStep(index));
        }
        state.clone_from(&step.state);
    }
    Ok(())
}

/// Whether a machine has this set-up.
pub(super) fn is_set_up(machine: &Machine, constants: &Valuation, index: usize) -> Result<bool, TraceFault> {
    // The enumeration may reach it after millions of others. It is needed if PROPERTIES compare values that cannot be compared separately.
    match machine.is_setup(constants) {
        Ok(true) => Ok(true),
        _ => visits(constants, |visit| machine.for_each_setup(visit), index),
    }
}

/// Called with each valuation of an enumeration.
pub(super) type Visit<'v> = dyn FnMut(Valuation) -> ControlFlow<()> + 'v;

/// Whether an enumeration visits `wanted`.
pub(super) fn visits(
    wanted: &Valuation,
    enumerate: impl FnOnce(&mut Visit<'_>) -> Result<(), EvalError>,
    index: usize,
) -> Result<bool, TraceFault> {
    let mut is_found = false;
    let result = enumerate(&mut |other| {
        is_found = other == *wanted;
        if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match result {
        // Once the state is found, an error elsewhere in the enumeration does not matter.
        Err(error) if !is_found => Err(TraceFault::at(index)(error)),
        _ => Ok(is_found),
    }
}

/// Confirms a fault of a state. Returns it with the conjunct that is false, and the errors that occur, in this very state.
pub(super) fn confirm(machine: &Machine, state: &[Value], claimed: Fault) -> Result<Fault, TraceFault> {
    let of_operation = |operation: OperationId| machine.successors(state, operation).map_err(TraceFault::at(0));
    let here = match &claimed.part {
        // These are about a whole enumeration, which has just been run.
        FaultyPart::Properties => Some(claimed.clone()),
        FaultyPart::Initialisation if claimed.is_ill_defined() => {
            let result = machine.for_each_initial(state, &mut |_| ControlFlow::Continue(()));
            uncut(result)?.err().map(|error| Fault::ill_defined(FaultyPart::Initialisation, error))
        }
        FaultyPart::Initialisation => Some(claimed.clone()),
        // The error may have another text in this state, but the call is the claimed one.
        FaultyPart::Body(operation, arguments) => {
            let same = of_operation(*operation)?.ill_defined.into_iter().find(|(other, _)| other == arguments);
            same.map(|(_, error)| Fault::ill_defined(claimed.part.clone(), error))
        }
        FaultyPart::Guard(operation) => {
            of_operation(*operation)?.ill_defined_guard.map(|error| Fault::ill_defined(claimed.part.clone(), error))
        }
        FaultyPart::DeadlockFreedom => {
            for operation in operations(machine) {
                let here = of_operation(operation)?;
                // An ill-defined body is a step that goes wrong, not a disabled operation.
                if !here.steps.is_empty() || !here.ill_defined.is_empty() || here.partial.is_some() {
                    return Err(TraceFault::NotConfirmed);
                }
            }
            (machine.has_all_steps(state) && machine.is_callable(state)).then(|| claimed.clone())
        }
        // A refinement check confirms its findings itself, and whoever judges temporal formulas their counterexamples.
        FaultyPart::Obligation(_) | FaultyPart::Temporal(_) => None,
        FaultyPart::Goal | FaultyPart::Invariant(_) | FaultyPart::Assertion(_) | FaultyPart::StaticAssertion(_) => {
            match uncut(judge(machine, &claimed.part, state))? {
                Ok(part) => part.map(Fault::violated),
                Err((part, error)) => Some(Fault::ill_defined(part, error)),
            }
        }
    };
    here.filter(|here| here.is_ill_defined() == claimed.is_ill_defined()).ok_or(TraceFault::NotConfirmed)
}

/// The result of an evaluation that came to its end. One that was interrupted decides nothing: neither is the claim refuted, nor is the
/// interrupt the error that was claimed.
fn uncut<T, E: Failed>(result: Result<T, E>) -> Result<Result<T, E>, TraceFault> {
    match result {
        Err(failed) if failed.error().kind == EvalErrorKind::Interrupted => Err(TraceFault::Interrupted),
        result => Ok(result),
    }
}

/// Why an evaluation has no result, possibly with the expression that has none.
trait Failed {
    fn error(&self) -> &EvalError;
}

impl Failed for EvalError {
    fn error(&self) -> &EvalError {
        self
    }
}

impl Failed for (FaultyPart, EvalError) {
    fn error(&self) -> &EvalError {
        &self.1
    }
}
