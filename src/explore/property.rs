//! Which property is checked when, and which of several findings a verdict is about.
//!
//! Static assertions are checked when the constants are set up; goal, invariant and assertions when a state is first found;
//! ill-defined operation bodies and deadlock when it is expanded. So one stage of the search expands the states at distance
//! n and examines those at distance n + 1.
//! Invariant: findings are totally ordered: those before any state first, by place; the others by the length of their trace, then goal,
//! invariant, assertion, ill-definedness, deadlock, then the conjunct, assertion or operation, then the number of the state. The verdict
//! is that of the least finding of the first stage that has any. Nothing but the last of these depends on how states are numbered, so
//! that neither schedule nor reduction influences verdict, conjunct and length of the trace.
//! An operation whose body is ill-defined is enabled, hence no deadlock. A machine without operations, such as a context, has no deadlock
//! finding, although its states without steps are counted.

use super::{Options, PropertyKind, Verdict};
use bcheck_eval::{EvalError, Machine};
use bcheck_symmetry::Alike;
use bcheck_value::Value;

/// The properties that are switched on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks {
    pub(super) invariant: bool,
    pub(super) deadlock: bool,
    pub(super) assertions: bool,
    pub(super) goal: bool,
    pub(super) strict_guards: bool,
}

impl Checks {
    pub(crate) fn new(machine: &Machine, options: &Options) -> Self {
        let model = machine.model();
        Self {
            // What is empty is switched off, so that nothing is evaluated and no frame is prepared for it.
            invariant: options.invariant && !model.invariant.is_empty(),
            // What has no operations is not meant to go on.
            deadlock: options.deadlock && model.has_operations(),
            assertions: options.assertions && !model.assertions.is_empty(),
            goal: options.goal && model.goal.is_some(),
            strict_guards: options.strict_guards,
        }
    }

    /// All that the machine has, with ill-defined guards as in ProB.
    pub(super) fn all(machine: &Machine) -> Self {
        let model = machine.model();
        Self {
            invariant: !model.invariant.is_empty(),
            deadlock: model.has_operations(),
            assertions: !model.assertions.is_empty(),
            goal: model.goal.is_some(),
            strict_guards: false,
        }
    }
}

/// The findings of one state or set-up.
#[derive(Clone, Debug, Default)]
pub(super) struct Examination {
    /// In order of priority.
    pub(super) findings: Vec<PropertyKind>,
    /// Why some property could not be decided: it is neither true nor false here, nor ill-defined. Or an interrupt.
    pub(super) undecided: Option<EvalError>,
}

impl Examination {
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.undecided.is_none()
    }

    /// Files an error: a finding if the property is ill-defined here, else a property that could not be decided.
    fn error(&mut self, error: EvalError, finding: impl FnOnce(EvalError) -> PropertyKind) {
        // The other kinds of errors are limits of the evaluator or interrupts: they are no fault of the machine.
        if error.kind.is_ill_defined() {
            self.findings.push(finding(error));
        } else {
            self.undecided.get_or_insert(error);
        }
    }
}

/// Checks goal, invariant and assertions in one state. Of conjuncts, and assertions, that are `alike`, it is the least image of one that
/// fails here that is found, which is one that fails in some state of the orbit.
pub(super) fn examine(machine: &Machine, checks: Checks, alike: &Alike, state: &[Value]) -> Examination {
    let mut seen = Examination::default();
    if checks.goal {
        match machine.is_goal(state) {
            Ok(true) => seen.findings.push(PropertyKind::Goal),
            Ok(false) => {}
            Err(error) => seen.error(error, PropertyKind::IllDefinedGoal),
        }
    }
    if checks.invariant {
        match machine.violated_invariant(state) {
            // The evaluator stops at the first false conjunct of this very state. In another state of the orbit an image of
            // it may come first.
            Ok(Some(first)) => {
                let conjunct = alike.invariant.least_of(first, |other| machine.is_conjunct_false(other, state));
                seen.findings.push(PropertyKind::Invariant(conjunct));
            }
            Ok(None) => {}
            // A conjunct that may be ill-defined is a run of its own (`symmetry::group::text`), so no symmetry maps it to another one.
            Err((conjunct, error)) => seen.error(error, |error| PropertyKind::IllDefinedInvariant(conjunct, error)),
        }
    }
    if checks.assertions {
        // The static ones were checked with the set-up.
        match machine.violated_assertion(state, false) {
            Ok(Some(first)) => {
                let is_dynamic = |index: usize| !machine.model().assertions[index].is_static;
                let fails = |other: usize| is_dynamic(other) && machine.is_assertion_false(other, state);
                seen.findings.push(PropertyKind::Assertion(alike.assertions.least_of(first, fails)));
            }
            Ok(None) => {}
            Err((index, error)) => seen.error(error, |error| PropertyKind::IllDefinedAssertion(index, error)),
        }
    }
    // At most one finding of each kind, so their order is total.
    seen.findings.sort_by_key(priority);
    seen
}

/// Checks the static assertions of one valuation of the constants.
pub(super) fn examine_set_up(machine: &Machine, checks: Checks, constants: &[Value]) -> Examination {
    let mut seen = Examination::default();
    if checks.assertions {
        match machine.violated_assertion(constants, true) {
            Ok(Some(index)) => seen.findings.push(PropertyKind::StaticAssertion(index)),
            Ok(None) => {}
            Err((index, error)) => seen.error(error, |error| PropertyKind::IllDefinedAssertion(index, error)),
        }
    }
    seen
}

/// Where a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Before any valuation of the constants.
    Machine,
    /// At the representative set-up with this number.
    SetUp(u32),
    /// At the state with this number.
    State(u32),
}

/// A finding before its trace is built.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Steps from the initial states; 0 also for findings before them, which [`Place`] orders first.
    pub(super) distance: u64,
    pub(super) place: Place,
    pub(super) property: PropertyKind,
}

impl Claim {
    fn key(&self) -> (u64, Place, u8, usize, Place) {
        // The shortest trace first, and before any state what comes before all states. Which state it is matters last: the other parts are
        // the same for all members of an orbit and for every numbering.
        // `stage` is what the derived order of places says, without the number of a state.
        let stage = if let Place::State(_) = self.place { Place::State(0) } else { self.place };
        let (kind, part) = rank(&self.property);
        (self.distance, stage, kind, part, self.place)
    }

    /// Keeps the lesser of two findings.
    pub(super) fn keep_least(least: &mut Option<Claim>, other: Claim) {
        if least.as_ref().is_none_or(|kept| other.is_less(kept)) {
            *least = Some(other);
        }
    }

    /// Whether this finding comes before another one.
    pub(super) fn is_less(&self, other: &Claim) -> bool {
        self.key() < other.key()
    }
}

/// Order of findings at the end of runs of one length.
pub(super) fn rank(property: &PropertyKind) -> (u8, usize) {
    (priority(property), part(property))
}

/// From this priority on, findings are met when a state is expanded, below it when it is examined: a search that goes on with a checkpoint
/// looks for its finding there.
pub(super) const MET_IN_EXPANSION: u8 = 8;

/// Order of findings of different kinds at the end of runs of one length, and of several findings in one state.
fn priority(property: &PropertyKind) -> u8 {
    match property {
        PropertyKind::NoSetup(_) | PropertyKind::StaticAssertion(_) | PropertyKind::IllDefinedProperties(_) => 0,
        PropertyKind::NoInitialState | PropertyKind::IllDefinedInitialisation(_) => 1,
        PropertyKind::Goal => 2,
        PropertyKind::Invariant(_) => 3,
        PropertyKind::Assertion(_) => 4,
        PropertyKind::IllDefinedGoal(_) => 5,
        PropertyKind::IllDefinedInvariant(..) => 6,
        PropertyKind::IllDefinedAssertion(..) => 7,
        PropertyKind::IllDefinedOperation(..) | PropertyKind::IllDefinedGuard(..) => MET_IN_EXPANSION,
        PropertyKind::Deadlock => MET_IN_EXPANSION + 1,
        PropertyKind::Refinement(_) => MET_IN_EXPANSION + 2,
        // Judged when the search of states has ended.
        PropertyKind::Temporal(_) | PropertyKind::IllDefinedTemporal(..) => MET_IN_EXPANSION + 3,
    }
}

/// Order of findings of one kind: by the conjunct, assertion or operation that they are about.
fn part(property: &PropertyKind) -> usize {
    match property {
        PropertyKind::Invariant(index)
        | PropertyKind::Assertion(index)
        | PropertyKind::StaticAssertion(index)
        | PropertyKind::IllDefinedInvariant(index, _)
        | PropertyKind::IllDefinedAssertion(index, _)
        | PropertyKind::Temporal(index)
        | PropertyKind::IllDefinedTemporal(index, _) => *index,
        // The guard of an operation is evaluated before its body.
        PropertyKind::IllDefinedGuard(operation, _) => 2 * operation.index(),
        PropertyKind::IllDefinedOperation(operation, ..) => 2 * operation.index() + 1,
        PropertyKind::Refinement(mismatch) => mismatch.rank(),
        PropertyKind::Deadlock
        | PropertyKind::Goal
        | PropertyKind::IllDefinedGoal(_)
        | PropertyKind::IllDefinedInitialisation(_)
        | PropertyKind::IllDefinedProperties(_)
        | PropertyKind::NoSetup(_)
        | PropertyKind::NoInitialState => 0,
    }
}

/// The verdict that a finding leads to.
#[must_use]
pub fn verdict(property: &PropertyKind) -> Verdict {
    match property {
        PropertyKind::NoSetup(_) | PropertyKind::StaticAssertion(_) => Verdict::UnsatisfiableProperties,
        PropertyKind::NoInitialState => Verdict::NoInitialState,
        PropertyKind::Goal => Verdict::GoalFound,
        PropertyKind::Invariant(_) => Verdict::InvariantViolation,
        PropertyKind::Assertion(_) => Verdict::AssertionViolation,
        PropertyKind::Deadlock => Verdict::Deadlock,
        PropertyKind::Refinement(_) => Verdict::RefinementViolation,
        PropertyKind::Temporal(_) => Verdict::TemporalViolation,
        PropertyKind::IllDefinedOperation(..)
        | PropertyKind::IllDefinedGuard(..)
        | PropertyKind::IllDefinedInvariant(..)
        | PropertyKind::IllDefinedAssertion(..)
        | PropertyKind::IllDefinedGoal(_)
        | PropertyKind::IllDefinedTemporal(..)
        | PropertyKind::IllDefinedInitialisation(_)
        | PropertyKind::IllDefinedProperties(_) => Verdict::IllDefined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(distance: u64, number: u32, property: PropertyKind) -> Claim {
        Claim { distance, place: Place::State(number), property }
    }

    #[test]
    fn the_shortest_trace_wins_then_the_graver_property_then_the_first_conjunct_then_the_lowest_number() {
        let mut least = None;
        let mut keep = |other| {
            Claim::keep_least(&mut least, other);
            let least = least.as_ref().unwrap();
            (least.distance, least.place, least.property.clone())
        };
        keep(claim(2, 1, PropertyKind::Goal));
        assert_eq!(keep(claim(1, 3, PropertyKind::Deadlock)), (1, Place::State(3), PropertyKind::Deadlock));
        keep(claim(1, 9, PropertyKind::Invariant(2)));
        keep(claim(1, 8, PropertyKind::Invariant(1)));
        keep(claim(1, 4, PropertyKind::Deadlock));
        assert_eq!(keep(claim(1, 2, PropertyKind::Invariant(2))), (1, Place::State(8), PropertyKind::Invariant(1)));
        assert_eq!(keep(claim(1, 5, PropertyKind::Invariant(1))), (1, Place::State(5), PropertyKind::Invariant(1)));
        assert_eq!(keep(claim(1, 7, PropertyKind::Goal)), (1, Place::State(7), PropertyKind::Goal));
    }

    #[test]
    fn a_finding_at_the_set_up_comes_before_one_in_an_initial_state() {
        let mut least = Some(claim(0, 0, PropertyKind::Goal));
        let set_up = Claim { distance: 0, place: Place::SetUp(3), property: PropertyKind::StaticAssertion(0) };
        Claim::keep_least(&mut least, set_up);
        assert_eq!(least.unwrap().place, Place::SetUp(3));
    }
}
