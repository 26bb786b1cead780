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

use super::number::{SetUpNumber, StateNumber};
use super::{Fault, FaultyPart, Options};
use bcheck_eval::{EvalError, Machine};
use bcheck_symmetry::ConjunctOrbits;
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
            // Empty properties are switched off, so that nothing is evaluated and no frame is prepared for them.
            invariant: options.invariant && !model.invariant.is_empty(),
            // A machine without operations is not meant to make steps.
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
    pub(super) findings: Vec<Fault>,
    /// Why some property could not be decided: it is neither true nor false here, nor ill-defined. Or an interrupt.
    pub(super) undecided: Option<EvalError>,
}

impl Examination {
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.undecided.is_none()
    }

    /// Records an error: a finding if the property is ill-defined here, otherwise a property that could not be decided.
    fn error(&mut self, part: FaultyPart, error: EvalError) {
        // The other kinds of errors are limits of the evaluator or interrupts, not faults of the machine.
        if error.kind.is_ill_defined() {
            self.findings.push(Fault::ill_defined(part, error));
        } else {
            self.undecided.get_or_insert(error);
        }
    }
}

/// Checks goal, invariant and assertions in one state. Among symmetric conjuncts (or assertions), it reports the least image of one that
/// fails here, which fails in some state of the orbit.
pub(super) fn examine(machine: &Machine, checks: Checks, orbits: &ConjunctOrbits, state: &[Value]) -> Examination {
    let mut seen = Examination::default();
    // At most one part of each of these is at fault, so the order of findings is total. Static assertions were checked with the set-up.
    let parts =
        [(checks.goal, FaultyPart::Goal), (checks.invariant, FaultyPart::Invariant(0)), (checks.assertions, FaultyPart::Assertion(0))];
    for (_, part) in parts.iter().filter(|(is_on, _)| *is_on) {
        match judge(machine, part, state) {
            Ok(first) => seen.findings.extend(first.map(|part| Fault::violated(least_image(machine, orbits, part, state)))),
            // A conjunct that may be ill-defined is a run of its own (`symmetry::group::text`), so no symmetry maps it to another one.
            Err((part, error)) => seen.error(part, error),
        }
    }
    seen.findings.sort_by_key(Fault::order);
    seen
}

/// The first part of this kind, a property of states or set-ups, that fails in this one; an error with the part in which it occurred.
pub(super) fn judge(machine: &Machine, kind: &FaultyPart, state: &[Value]) -> Result<Option<FaultyPart>, (FaultyPart, EvalError)> {
    let (found, part): (_, fn(usize) -> FaultyPart) = match kind {
        FaultyPart::Goal => (machine.is_goal(state).map(|is_goal| is_goal.then_some(0)).map_err(|error| (0, error)), |_| FaultyPart::Goal),
        FaultyPart::Invariant(_) => (machine.violated_invariant(state), FaultyPart::Invariant),
        FaultyPart::Assertion(_) => (machine.violated_assertion(state, false), FaultyPart::Assertion),
        FaultyPart::StaticAssertion(_) => (machine.violated_assertion(state, true), FaultyPart::StaticAssertion),
        _ => return Ok(None),
    };
    found.map(|index| index.map(part)).map_err(|(index, error)| (part(index), error))
}

/// The evaluator stops at the first false conjunct of this very state; in another state of the orbit an image of it may come first.
fn least_image(machine: &Machine, orbits: &ConjunctOrbits, first: FaultyPart, state: &[Value]) -> FaultyPart {
    match first {
        FaultyPart::Invariant(first) => {
            FaultyPart::Invariant(orbits.invariant.least_of(first, |other| machine.is_conjunct_false(other, state)))
        }
        FaultyPart::Assertion(first) => {
            let is_dynamic = |index: usize| !machine.model().assertions[index].is_static;
            let fails = |other: usize| is_dynamic(other) && machine.is_assertion_false(other, state);
            FaultyPart::Assertion(orbits.assertions.least_of(first, fails))
        }
        other => other,
    }
}

/// Checks the static assertions of one valuation of the constants.
pub(super) fn examine_set_up(machine: &Machine, checks: Checks, constants: &[Value]) -> Examination {
    let mut seen = Examination::default();
    if checks.assertions {
        match judge(machine, &FaultyPart::StaticAssertion(0), constants) {
            Ok(first) => seen.findings.extend(first.map(Fault::violated)),
            Err((part, error)) => seen.error(part, error),
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
    SetUp(SetUpNumber),
    /// At the state with this number.
    State(StateNumber),
}

/// A finding before its trace is built.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Steps from the initial states; 0 also for findings before them, which [`Place`] orders first.
    pub(super) distance: u64,
    pub(super) place: Place,
    pub(super) fault: Fault,
}

impl Claim {
    fn key(&self) -> (u64, Place, u8, usize, Place) {
        // The shortest trace first, and places before all states before any state. The number of the state matters last: the other parts
        // are equal for all members of an orbit and for every numbering. `stage` is the derived order of places without the number of a
        // state.
        let stage = if let Place::State(_) = self.place { Place::State(StateNumber::default()) } else { self.place };
        let (kind, part) = self.fault.rank();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state(number: u32) -> Place {
        Place::State(StateNumber::new(number))
    }

    fn claim(distance: u64, number: u32, part: FaultyPart) -> Claim {
        Claim { distance, place: state(number), fault: Fault::violated(part) }
    }

    #[test]
    fn the_shortest_trace_wins_then_the_graver_property_then_the_first_conjunct_then_the_lowest_number() {
        let mut least = None;
        let mut keep = |other| {
            Claim::keep_least(&mut least, other);
            let least = least.as_ref().unwrap();
            (least.distance, least.place, least.fault.part.clone())
        };
        keep(claim(2, 1, FaultyPart::Goal));
        assert_eq!(keep(claim(1, 3, FaultyPart::DeadlockFreedom)), (1, state(3), FaultyPart::DeadlockFreedom));
        keep(claim(1, 9, FaultyPart::Invariant(2)));
        keep(claim(1, 8, FaultyPart::Invariant(1)));
        keep(claim(1, 4, FaultyPart::DeadlockFreedom));
        assert_eq!(keep(claim(1, 2, FaultyPart::Invariant(2))), (1, state(8), FaultyPart::Invariant(1)));
        assert_eq!(keep(claim(1, 5, FaultyPart::Invariant(1))), (1, state(5), FaultyPart::Invariant(1)));
        assert_eq!(keep(claim(1, 7, FaultyPart::Goal)), (1, state(7), FaultyPart::Goal));
    }

    #[test]
    fn a_finding_at_the_set_up_comes_before_one_in_an_initial_state() {
        let mut least = Some(claim(0, 0, FaultyPart::Goal));
        let set_up =
            Claim { distance: 0, place: Place::SetUp(SetUpNumber::new(3)), fault: Fault::violated(FaultyPart::StaticAssertion(0)) };
        Claim::keep_least(&mut least, set_up);
        assert_eq!(least.unwrap().place, Place::SetUp(SetUpNumber::new(3)));
    }
}
