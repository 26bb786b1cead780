//! The sums of a search that ends at its first fault, in the order of states: a refinement check.
//!
//! Workers expand the states of a slice together, and so reach some that a single worker would not have reached. Each worker stores its
//! sums by the ranks of its steps, and the barrier decides which of them count: all up to the first state that has a fault, the first
//! state that cannot be expanded, and the step that exceeds the limit on states. After a fault the rest of its level is searched only
//! for lesser faults.
//! Invariant: the result is that of one worker that expands one state after the other (`refine::reference`). Deliberately elsewhere:
//! the definition of faults (`refine`), numbering (`ledger`).

use super::internal_steps::InternalSteps;
use super::offers::Offers;
use super::rank::{first_rank, state_of};
use crate::count::first_errors::FirstErrors;
use crate::count::tally::{OrbitClass, Tally};
use crate::number::StateNumber;
use crate::property::{Claim, Place};
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;
use bcheck_state::{Rank, StateId};
use serde::{Deserialize, Serialize};

/// Steps of one operation from one state, whose ranks follow each other.
#[derive(Clone, Copy, Debug)]
struct Steps {
    first: Rank,
    count: u32,
    class: OrbitClass,
    operation: OperationId,
}

/// A worker's record of its expansions until it is known which of them count.
#[derive(Debug, Default)]
pub(crate) struct Uncounted {
    steps: Vec<Steps>,
    /// Each less than all before it: whatever end counts, the last one before it is the least.
    faults: Vec<Claim>,
    /// The first state that cannot be expanded.
    stuck: Option<(StateNumber, EvalError)>,
    /// The first state for which it cannot be decided whether it is a new deadlock.
    undecided: Option<(StateNumber, EvalError)>,
    /// The ranks of the first step to a representative that is not exact, and to a state that leaves a choice open.
    inexact: Option<Rank>,
    choice: Option<Rank>,
    /// The first new deadlock.
    deadlock: Option<StateNumber>,
    /// Rank, target and operation of internal steps.
    internal: Vec<(Rank, StateId, OperationId)>,
    guards: FirstErrors,
    unassigned: FirstErrors,
}

impl Uncounted {
    /// A fault of the state that is expanded.
    pub(crate) fn fault(&mut self, claim: Claim) {
        if self.faults.last().is_none_or(|last| claim.is_less(last)) {
            self.faults.push(claim);
        }
    }

    /// The state with this number cannot be expanded.
    pub(crate) fn stuck(&mut self, number: StateNumber, error: EvalError) {
        self.stuck.get_or_insert((number, error));
    }

    /// Notes whether the state with this number is a new deadlock, or why that cannot be decided.
    pub(crate) fn deadlock(&mut self, number: StateNumber, is_new: Result<bool, EvalError>) {
        match is_new {
            Ok(true) => _ = self.deadlock.get_or_insert(number),
            Ok(false) => {}
            Err(error) => _ = self.undecided.get_or_insert((number, error)),
        }
    }

    /// Steps of one operation from a state of this class; the first one has this rank.
    pub(crate) fn steps(&mut self, first: Rank, count: u32, class: OrbitClass, operation: OperationId) {
        self.steps.push(Steps { first, count, class, operation });
    }

    /// The representative of a successor may not be the only one of its orbit.
    pub(crate) fn inexact(&mut self, rank: Rank) {
        self.inexact.get_or_insert(rank);
    }

    /// A successor leaves open in which state the refined machine is.
    pub(crate) fn choice(&mut self, rank: Rank) {
        self.choice.get_or_insert(rank);
    }

    /// An internal step.
    pub(crate) fn internal(&mut self, rank: Rank, to: StateId, operation: OperationId) {
        self.internal.push((rank, to, operation));
    }

    /// Adds the warnings that a worker has recorded meanwhile.
    pub(super) fn with_warnings(self, guards: FirstErrors, unassigned: FirstErrors) -> Self {
        Self { guards, unassigned, ..self }
    }

    fn first_fault(&self) -> Option<StateNumber> {
        self.faults.first().map(place_of)
    }
}

fn place_of(claim: &Claim) -> StateNumber {
    match claim.place {
        Place::State(number) => number,
        Place::Machine | Place::SetUp(_) => unreachable!("faults are met in states"),
    }
}

/// Which of the expansions of a slice count.
#[derive(Debug)]
pub(super) struct End {
    /// States that were first found by a step with a lower rank are entered.
    pub(super) entered: Rank,
    /// Steps with a lower rank count.
    counted: Rank,
    /// Warnings about states with a lower number count.
    states: StateNumber,
    /// Faults of states with a lower number count.
    faults: StateNumber,
    /// Why the state behind them cannot be expanded.
    stuck: Option<EvalError>,
}

impl End {
    /// Where counting ends in an expanded slice. `has_fault`: an earlier state of this level has a fault. `before`: the sums of the states
    /// before the slice.
    pub(super) fn of(parts: &[Uncounted], has_fault: bool, before: &UpToFault) -> Self {
        let least = |of: fn(&Uncounted) -> Option<&(StateNumber, EvalError)>| {
            parts.iter().filter_map(of).min_by_key(|(number, _)| *number).cloned()
        };
        let (first, none) = (StateNumber::new(0), StateNumber::new(u32::MAX));
        let fault = if has_fault { Some(first) } else { parts.iter().filter_map(Uncounted::first_fault).min() };
        // One worker looks for new deadlocks up to the first one and to the first fault only.
        let deadlock = if before.facts.has_new_deadlock { Some(first) } else { parts.iter().filter_map(|part| part.deadlock).min() };
        let undecided = least(|part| part.undecided.as_ref()).filter(|(number, _)| {
            !has_fault && fault.is_none_or(|fault| *number <= fault) && deadlock.is_none_or(|deadlock| *number < deadlock)
        });
        let stuck = least(|part| part.stuck.as_ref()).into_iter().chain(undecided).min_by_key(|(number, _)| *number);
        let first_stuck = stuck.as_ref().map_or(none, |(number, _)| *number);
        let states = if has_fault { first } else { fault.map_or(none, StateNumber::next).min(first_stuck) };
        let counted = match has_fault {
            true => Rank(0),
            false if states == none => Rank::NONE,
            false => first_rank(states),
        };
        // A state for which a deadlock cannot be decided may have a fault, which was found before.
        Self {
            entered: counted,
            counted,
            states,
            faults: if first_stuck == none { none } else { first_stuck.next() },
            stuck: stuck.map(|(_, error)| error),
        }
    }

    /// The step with this rank exceeds the limit on states: nothing after it counts.
    pub(super) fn limit_at(&mut self, rank: Rank) {
        let behind = state_of(rank).map_or(StateNumber::new(0), StateNumber::next);
        *self = Self { entered: rank, counted: rank.plus(1), states: behind, faults: behind, stuck: None };
    }

    /// The number behind the last state whose expansion counts.
    pub(super) fn states(&self) -> StateNumber {
        self.states
    }

    /// Removes the states that are not entered from the new states.
    pub(super) fn cut<'o>(&self, offers: impl Iterator<Item = &'o mut Offers>) {
        if self.entered < Rank::NONE {
            offers.for_each(|own| own.found.retain(|new| new.rank < self.entered));
        }
    }
}

/// Facts about runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunFacts {
    /// Some run of the refinement leaves open in which state the refined machine is.
    pub(crate) has_choices: bool,
    /// The refinement has a deadlock where the refined machine, in each of the states in which it may be, has a step.
    pub(crate) has_new_deadlock: bool,
    /// An internal step was taken.
    pub(crate) has_internal: bool,
}

impl RunFacts {
    pub(super) fn merge(&mut self, other: Self) {
        self.has_choices |= other.has_choices;
        self.has_new_deadlock |= other.has_new_deadlock;
        self.has_internal |= other.has_internal;
    }
}

/// The further data of the ledger of a search that ends at its first fault.
#[derive(Debug, Default)]
pub(crate) struct UpToFault {
    /// Whether internal steps are stored.
    pub(super) has_internal: bool,
    pub(super) facts: RunFacts,
    pub(super) internal: InternalSteps,
    /// Why the search cannot continue.
    pub(super) stuck: Option<EvalError>,
}

/// Where a ledger adds up.
pub(super) struct Sums<'l> {
    pub(super) tally: &'l mut Tally,
    pub(super) guards: &'l mut FirstErrors,
    pub(super) unassigned: &'l mut FirstErrors,
    pub(super) claim: &'l mut Option<Claim>,
}

impl UpToFault {
    /// No sums yet; internal steps are stored on request.
    pub(crate) fn new(has_internal: bool) -> Self {
        Self { has_internal, ..Self::default() }
    }

    /// Adds the expansions of a slice, as far as they count; `number_of` returns the number of a state, if it has one.
    pub(super) fn count(&mut self, parts: Vec<Uncounted>, end: End, sums: Sums<'_>, number_of: impl Fn(StateId) -> Option<StateNumber>) {
        let End { entered, counted, states, faults, stuck } = end;
        let is_before = |rank: Option<Rank>| rank.is_some_and(|rank| rank < counted);
        let mut internal = Vec::new();
        for part in parts {
            for Steps { first, count, class, operation } in part.steps {
                let count = u64::from(count).min(counted.since(first));
                if count > 0 {
                    // Arrows by representative are not distinguished: ProB has no such graph to be compared with.
                    sums.tally.steps(class, operation, count, count);
                }
            }
            if is_before(part.inexact) {
                sums.tally.inexact();
            }
            self.facts.has_choices |= is_before(part.choice);
            self.facts.has_new_deadlock |= part.deadlock.is_some_and(|number| number < states);
            sums.guards.merge(part.guards.below(states));
            sums.unassigned.merge(part.unassigned.below(states));
            for fault in part.faults.into_iter().filter(|fault| place_of(fault) < faults) {
                Claim::keep_least(sums.claim, fault);
            }
            internal.extend(part.internal.into_iter().filter(|(rank, ..)| *rank < entered));
        }
        // States are expanded by one worker each, but not in the order of workers.
        internal.sort_unstable_by_key(|(rank, ..)| *rank);
        for (rank, to, operation) in internal {
            if let (Some(from), Some(to)) = (state_of(rank), number_of(to)) {
                self.internal.add(from, to, operation);
            }
        }
        self.facts.has_internal |= !self.internal.is_empty();
        self.stuck = self.stuck.take().or(stuck);
    }
}
