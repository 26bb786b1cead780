//! Replay: a run of the machine that agrees with a saved trace, as far as there is one.
//!
//! A saved trace may determine less than a run: a file may leave out arguments, or variables that its machine did not have. So all runs
//! that agree so far are followed side by side, layer by layer, and one of them is read off backwards in the end.
//! Invariant: every step of the resulting run was found by the plain evaluator, without reduction, and agrees with every value in the
//! trace, except results that the operation leaves unassigned; the reason why a replay stops is that of the first state in which it
//! stopped. Deliberately elsewhere: file formats (`report::recorded`), texts as values (`cli`).

use super::operations;
use crate::property::{Checks, examine, examine_set_up};
use crate::{Fault, FaultyPart, Trace, TraceBeginning, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Obstacle, ObstacleKind, Step};
use bcheck_ir::OperationId;
use bcheck_source::Span;
use bcheck_symmetry::ConjunctOrbits;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;

/// At most this many runs are followed side by side.
pub const FOLLOWED_RUNS: usize = 1_000;
/// At most this many possible values are reported.
const POSSIBILITIES: usize = 3;

/// The kind of a step in a saved trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedKind {
    /// A valuation of the constants.
    SetUp,
    /// The initialisation.
    Initialisation,
    /// In its place, a state that satisfies the invariant.
    WithinInvariant,
    /// An operation.
    Operation(OperationId),
    /// Any operation: the format does not name it.
    AnyOperation,
}

/// A step as far as a saved trace determines it.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedStep {
    /// Which kind of step.
    pub kind: WantedKind,
    /// By parameter of the operation; missing values, and those beyond the end, may be any.
    pub arguments: Vec<Option<Value>>,
    /// By result of the operation; may be shorter.
    pub results: Vec<Option<Value>>,
    /// By constant and variable; may be shorter.
    pub state: Vec<Option<Value>>,
}

/// A value of a state or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuePlace {
    /// The constant or variable with this position in a valuation.
    State(usize),
    /// The result of the operation with this position.
    Result(usize),
}

/// Why there is no such step.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// A conjunct of the guard, or of PROPERTIES, does not hold.
    Obstacle(Obstacle),
    /// The guard holds, but the body (or the initialisation) has no outcome.
    NoOutcome,
    /// There are such steps, but this value is not among the possible ones.
    Impossible {
        /// The place of the value.
        place: ValuePlace,
        /// The value in the trace.
        wanted: Value,
        /// Some of the possible values, if everything before agrees.
        possible: Vec<Value>,
    },
    /// The body is ill-defined with these arguments.
    IllDefined(EvalError),
    /// A step of this kind is not allowed here: constants come first, then the initialisation, then operations.
    OutOfOrder,
    /// The evaluator gave up.
    Evaluation(EvalError),
    /// A run that begins with any state that satisfies the invariant needs values of all constants and variables; this one has none.
    NotGiven(ValuePlace),
    /// No run continues among the [`FOLLOWED_RUNS`] that were followed; there may be more, one of which continues.
    TooManyRuns,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The run, as long as the trace or up to where it stopped.
    pub trace: Trace,
    /// Why it is shorter than the trace.
    pub stop: Option<StopReason>,
}

/// A state that some run is in: the step that led there, and the position of the candidate before it in the layer before.
struct Candidate {
    step: TraceStep,
    before: usize,
}

/// Runs the wanted steps one after the other.
#[must_use]
pub fn replay_wanted(machine: &Machine, wanted: &[WantedStep]) -> Replayed {
    replay_lasso(machine, wanted, None)
}

/// As [`replay_wanted`], with a run whose last state is that after this step if one of those followed is.
#[must_use]
pub fn replay_lasso(machine: &Machine, wanted: &[WantedStep], loop_start: Option<usize>) -> Replayed {
    let mut layers: Vec<Vec<Candidate>> = Vec::new();
    let mut stop = None;
    let mut is_cut = false;
    for (index, step) in wanted.iter().enumerate() {
        match next_layer(machine, layers.last().map_or(&[], Vec::as_slice), index, step) {
            Ok(layer) => {
                // A layer of exactly this length may have been complete, but this is not known.
                is_cut |= layer.len() >= FOLLOWED_RUNS;
                layers.push(layer);
            }
            Err(reason) => {
                let is_interrupt = matches!(&reason, StopReason::Evaluation(error) if error.kind == EvalErrorKind::Interrupted);
                // If runs were left out, one of them might continue; reasons independent of the runs are certain all the same.
                let is_sure = !is_cut || is_interrupt || reason == StopReason::OutOfOrder;
                stop = Some(if is_sure { reason } else { StopReason::TooManyRuns });
                break;
            }
        }
    }
    // From the first candidate of the last layer back to the beginning. Taking one out of a layer that is popped changes no position that
    // is still used; a layer is never empty.
    let mut steps = Vec::with_capacity(layers.len());
    // Among several runs that agree with the trace, one whose loop closes, if there is any.
    let mut at = loop_start.and_then(|start| closing(machine, &layers, start)).unwrap_or(0);
    while let Some(mut layer) = layers.pop() {
        let candidate = layer.swap_remove(at);
        at = candidate.before;
        steps.push(candidate.step);
    }
    steps.reverse();
    let is_within = wanted.iter().any(|step| step.kind == WantedKind::WithinInvariant);
    let beginning = if is_within { TraceBeginning::WithinInvariant } else { TraceBeginning::Initialisation };
    Replayed { trace: Trace { beginning, ..Trace::of(steps) }, stop }
}

/// The position in the last layer of a candidate whose run was in the same state after this step.
fn closing(machine: &Machine, layers: &[Vec<Candidate>], start: usize) -> Option<usize> {
    let is_same = |(one, other): (&Value, &Value)| machine.is_same(one, other);
    (0..layers.last()?.len()).find(|&last| {
        // Back along the run, down to the layer of the step.
        let mut at = last;
        for layer in layers.iter().skip(start.saturating_add(1)).rev() {
            at = layer[at].before;
        }
        let (begin, end) = (layers.get(start).map(|layer| &layer[at].step.state), &layers[layers.len() - 1][last].step.state);
        begin.is_some_and(|begin| begin.len() == end.len() && begin.iter().zip(end).all(is_same))
    })
}

/// The candidates after one more step, the one with this index.
fn next_layer(machine: &Machine, before: &[Candidate], index: usize, wanted: &WantedStep) -> Result<Vec<Candidate>, StopReason> {
    let initialisation = machine.model().set_up_steps();
    // Before anything is evaluated: the message about the order is clearer than that about a false guard.
    let is_in_order = match wanted.kind {
        WantedKind::SetUp => index < initialisation,
        WantedKind::Initialisation | WantedKind::WithinInvariant => index == initialisation,
        WantedKind::Operation(_) | WantedKind::AnyOperation => index > initialisation,
    };
    if !is_in_order {
        return Err(StopReason::OutOfOrder);
    }
    let mut next = Next { machine, wanted, found: Vec::new(), rejected: None };
    match wanted.kind {
        WantedKind::SetUp => next.set_ups()?,
        WantedKind::Initialisation if index == 0 => next.initial_states(0, &[])?,
        WantedKind::Initialisation => {
            for (index, candidate) in before.iter().enumerate() {
                next.initial_states(index, &candidate.step.state)?;
                if next.is_full() {
                    break;
                }
            }
        }
        WantedKind::WithinInvariant => next.within_invariant(before)?,
        WantedKind::Operation(operation) => next.operation(before, &[operation])?,
        WantedKind::AnyOperation => next.operation(before, &operations(machine).collect::<Vec<_>>())?,
    }
    if next.found.is_empty() { Err(next.why(before)) } else { Ok(next.found) }
}

/// The states after one step, while they are found.
struct Next<'a> {
    machine: &'a Machine,
    wanted: &'a WantedStep,
    found: Vec<Candidate>,
    rejected: Option<Rejected>,
}

/// Of the steps with the wanted arguments, those that agree with the trace in most places.
struct Rejected {
    /// The number of places in which they agree.
    agreeing: usize,
    /// The next place, where they do not.
    place: ValuePlace,
    wanted: Value,
    /// Some of the values found there.
    possible: Vec<Value>,
}

impl Next<'_> {
    fn set_ups(&mut self) -> Result<(), StopReason> {
        let count = self.machine.model().constants.len();
        let given: Option<Valuation> = (0..count).map(|index| self.wanted.state.get(index).cloned().flatten()).collect();
        match given {
            // All constants are known: PROPERTIES are tested, not solved.
            Some(given) => {
                let given_values: Vec<Option<Value>> = given.iter().cloned().map(Some).collect();
                match self.machine.properties_obstacle(&given_values).map_err(StopReason::Evaluation)? {
                    None => self.found.push(Candidate { step: TraceStep::beginning(given), before: 0 }),
                    Some(obstacle) => return Err(StopReason::Obstacle(obstacle)),
                }
            }
            // Some constants are unknown: all set-ups are enumerated, and those that agree are retained.
            None => {
                let machine = self.machine;
                let result = machine.for_each_setup(&mut |state| self.consider(0, TraceStep::beginning(state)));
                self.unless_found(result)?;
            }
        }
        Ok(())
    }

    fn initial_states(&mut self, before: usize, constants: &[Value]) -> Result<(), StopReason> {
        let machine = self.machine;
        let result = machine.for_each_initial(constants, &mut |state| self.consider(before, TraceStep::beginning(state)));
        self.unless_found(result)
    }

    /// The state in the trace, if it satisfies the invariant.
    fn within_invariant(&mut self, before: &[Candidate]) -> Result<(), StopReason> {
        let model = self.machine.model();
        let (constants, count) = (model.constants.len(), model.constants.len() + model.variables.len());
        let given = |at: usize| self.wanted.state.get(at).cloned().flatten().ok_or(StopReason::NotGiven(ValuePlace::State(at)));
        let state: Valuation = (0..count).map(given).collect::<Result<_, _>>()?;
        match self.machine.violated_invariant(&state) {
            Ok(None) => {}
            Ok(Some(conjunct)) => {
                let span = model.invariant[conjunct].pred.span;
                return Err(StopReason::Obstacle(Obstacle { kind: ObstacleKind::False, span, values: Vec::new() }));
            }
            Err((_, error)) if error.kind.is_ill_defined() => return Err(StopReason::IllDefined(error)),
            Err((_, error)) => return Err(StopReason::Evaluation(error)),
        }
        // After the constants of the run, whose values are compared with the given ones; without constants nothing precedes.
        let of_run: Vec<(usize, &[Value])> = match before {
            [] => vec![(0, &[])],
            runs => runs.iter().enumerate().map(|(at, candidate)| (at, candidate.step.state.as_slice())).collect(),
        };
        for (at, before) in of_run {
            if self.consider(at, TraceStep::beginning([before, &state[constants..]].concat())).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// An error in an enumeration counts only when nothing was found before it.
    fn unless_found(&self, result: Result<(), EvalError>) -> Result<(), StopReason> {
        match result {
            // A run that agrees is enough: other evaluation errors do not concern the trace.
            Err(error) if self.found.is_empty() && error.kind.is_ill_defined() => Err(StopReason::IllDefined(error)),
            Err(error) if self.found.is_empty() || error.kind == EvalErrorKind::Interrupted => Err(StopReason::Evaluation(error)),
            _ => Ok(()),
        }
    }

    fn operation(&mut self, before: &[Candidate], operations: &[OperationId]) -> Result<(), StopReason> {
        let mut failed = None;
        for (index, candidate) in before.iter().enumerate() {
            for &operation in operations {
                let successors = match self.machine.successors(&candidate.step.state, operation) {
                    Ok(successors) => successors,
                    // Another candidate, or another operation, may still have the wanted step.
                    Err(error) => {
                        failed.get_or_insert(StopReason::Evaluation(error));
                        continue;
                    }
                };
                if let Some(error) = successors.partial {
                    failed.get_or_insert(StopReason::Evaluation(error));
                }
                for Step { arguments, results, next } in successors.steps {
                    let is_wanted = self.agrees(&self.wanted.arguments, &arguments);
                    if is_wanted
                        && self.consider(index, TraceStep { operation: Some(operation), arguments, results, state: next }).is_break()
                    {
                        return Ok(());
                    }
                }
                let ill_defined = successors.ill_defined.into_iter().find(|(arguments, _)| self.agrees(&self.wanted.arguments, arguments));
                if let Some((_, error)) = ill_defined {
                    failed.get_or_insert(StopReason::IllDefined(error));
                }
            }
        }
        match failed {
            Some(reason) if self.found.is_empty() && self.rejected.is_none() => Err(reason),
            _ => Ok(()),
        }
    }

    fn agrees(&self, wanted: &[Option<Value>], given: &[Value]) -> bool {
        wanted.iter().zip(given).all(|(wanted, given)| wanted.as_ref().is_none_or(|wanted| self.machine.is_same(wanted, given)))
    }

    /// Stores a step if it agrees with the trace, otherwise records where it does not. Breaks once enough are stored; a caller that
    /// continues may exceed [`FOLLOWED_RUNS`].
    fn consider(&mut self, before: usize, step: TraceStep) -> ControlFlow<()> {
        let results = self.wanted.results.iter().zip(&step.results).enumerate();
        let results = results.filter_map(|(index, (wanted, given))| Some((ValuePlace::Result(index), wanted.as_ref()?, given.as_ref()?)));
        let state = self.wanted.state.iter().zip(&step.state).enumerate();
        let state = state.filter_map(|(index, (wanted, given))| Some((ValuePlace::State(index), wanted.as_ref()?, given)));
        for (agreeing, (place, wanted, given)) in results.chain(state).enumerate() {
            if self.machine.is_same(wanted, given) {
                continue;
            }
            // Only the steps that come closest are reported; with one that comes closer the list begins anew.
            match &mut self.rejected {
                Some(best) if best.agreeing > agreeing => {}
                Some(Rejected { agreeing: best, possible, .. }) if *best == agreeing => {
                    if possible.len() < POSSIBILITIES && !possible.contains(given) {
                        possible.push(given.clone());
                    }
                }
                _ => self.rejected = Some(Rejected { agreeing, place, wanted: wanted.clone(), possible: vec![given.clone()] }),
            }
            return ControlFlow::Continue(());
        }
        // Another run to the same state has the same future, so one of them is enough.
        if self.found.iter().all(|other| other.step.state != step.state) {
            self.found.push(Candidate { step, before });
        }
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether no further runs are followed.
    fn is_full(&self) -> bool {
        self.found.len() >= FOLLOWED_RUNS
    }

    /// The reason why nothing was found: preferably a value, then a conjunct, then the body.
    fn why(&mut self, before: &[Candidate]) -> StopReason {
        if let Some(Rejected { place, wanted, possible, .. }) = self.rejected.take() {
            return StopReason::Impossible { place, wanted, possible };
        }
        // The guard is explained in the first of the states followed: one reason is read, a thousand are not.
        let obstacle = match (self.wanted.kind, before.first()) {
            (WantedKind::Operation(operation), Some(candidate)) => {
                self.machine.guard_obstacle(&candidate.step.state, operation, &self.wanted.arguments)
            }
            (WantedKind::SetUp, _) => self.machine.properties_obstacle(&self.wanted.state),
            _ => Ok(None),
        };
        match obstacle {
            Ok(Some(obstacle)) => StopReason::Obstacle(obstacle),
            Ok(None) => StopReason::NoOutcome,
            Err(error) => StopReason::Evaluation(error),
        }
    }
}

/// The findings at the end of a run: goal, invariant, assertions, ill-defined bodies, deadlock, in this order.
///
/// # Errors
/// When a property cannot be evaluated for another reason than ill-definedness.
pub fn findings_at_end(machine: &Machine, trace: &Trace) -> Result<Vec<Fault>, EvalError> {
    let Some(last) = trace.steps.last() else { return Ok(Vec::new()) };
    let model = machine.model();
    let checks = Checks::all(machine);
    // After the set-up there is no state yet: only a static assertion can be false, or there is no initial state.
    let is_set_up = !model.constants.is_empty() && trace.steps.len() == 1;
    if is_set_up {
        let mut seen = examine_set_up(machine, checks, &last.state);
        if seen.findings.is_empty() {
            let mut is_feasible = false;
            let visit = &mut |_| {
                is_feasible = true;
                ControlFlow::Break(())
            };
            match machine.for_each_initial(&last.state, visit) {
                Err(error) if error.kind.is_ill_defined() => seen.findings.push(Fault::ill_defined(FaultyPart::Initialisation, error)),
                Err(error) => return Err(error),
                Ok(()) if !is_feasible => seen.findings.push(Fault::violated(FaultyPart::Initialisation)),
                Ok(()) => {}
            }
        }
        return decided(seen.findings, seen.undecided);
    }
    // Without images of conjuncts: this state counts, not its orbit.
    let seen = examine(machine, checks, &ConjunctOrbits::default(), &last.state);
    let mut findings = seen.findings;
    let mut is_deadlock = true;
    for operation in operations(machine) {
        // An operation whose steps cannot be enumerated may be enabled.
        let Ok(successors) = machine.successors_or_obstacle(&last.state, operation)? else {
            is_deadlock = false;
            continue;
        };
        is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty() && successors.partial.is_none();
        if let Some((arguments, error)) = successors.ill_defined.into_iter().next() {
            findings.push(Fault::ill_defined(FaultyPart::Body(operation, arguments), error));
        }
    }
    if is_deadlock && checks.deadlock && machine.has_all_steps(&last.state) && machine.is_callable(&last.state) {
        findings.push(Fault::violated(FaultyPart::DeadlockFreedom));
    }
    decided(findings, seen.undecided)
}

/// The findings; an error if there are none and something was undecided, or at an interrupt.
fn decided(findings: Vec<Fault>, undecided: Option<EvalError>) -> Result<Vec<Fault>, EvalError> {
    match undecided {
        Some(error) if findings.is_empty() || error.kind == EvalErrorKind::Interrupted => Err(error),
        _ => Ok(findings),
    }
}

/// The place of the operation or clause of a step of this kind.
#[must_use]
pub fn place_of(machine: &Machine, kind: WantedKind) -> Span {
    let model = machine.model();
    match kind {
        WantedKind::Operation(operation) => model.operations[operation.index()].span,
        WantedKind::SetUp => model.properties.first().map_or(model.initialisation.span, |first| first.pred.span),
        WantedKind::WithinInvariant => model.invariant.first().map_or(model.initialisation.span, |first| first.pred.span),
        WantedKind::Initialisation | WantedKind::AnyOperation => model.initialisation.span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::tests::machine;

    #[test]
    fn where_runs_were_left_out_no_reason_is_given_as_if_all_had_been_followed() {
        // Each set-up has more initial states than runs are followed, and the run that continues is not among the first of them.
        let text = "MACHINE m CONSTANTS c PROPERTIES c : 1..2 VARIABLES x INVARIANT x : 0..1500 INITIALISATION x :: 0..1200
            OPERATIONS go = PRE x = 1200 THEN x := 1500 END END";
        let machine = machine(text, 1, &[]);
        let step = |kind| WantedStep { kind, arguments: Vec::new(), results: Vec::new(), state: Vec::new() };
        let wanted = [step(WantedKind::SetUp), step(WantedKind::Initialisation), step(WantedKind::AnyOperation)];
        let Replayed { trace, stop } = replay_wanted(&machine, &wanted);
        assert_eq!((trace.steps.len(), stop), (2, Some(StopReason::TooManyRuns)));
    }
}
