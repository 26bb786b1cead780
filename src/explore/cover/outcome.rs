//! The result of a search for tests: which targets are covered, by which runs, and what became of the others.
//!
//! Invariant: a target is uncoverable only where every reachable state was expanded. Deliberately elsewhere: its words (`report`).

use crate::{LimitHit, Trace};
use bcheck_eval::EvalError;
use bcheck_ir::{LocalId, OperationId};
use bcheck_value::Value;

/// A run that covers targets.
#[derive(Clone, Debug)]
pub struct CoveringRun {
    /// The run, which was replayed without reduction.
    pub trace: Trace,
    /// The targets that it covers, in ascending order, each with the first place.
    pub places: Vec<(usize, CoveredAt)>,
}

/// Where in a run a target is covered.
#[derive(Clone, Debug)]
pub struct CoveredAt {
    /// The number of the step in the trace.
    pub step: usize,
    /// The call whose guard is false after that step, where that is what covers the target.
    pub refused: Option<Refused>,
}

/// A call that is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The operation.
    pub operation: OperationId,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

/// The status of a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// These runs cover it.
    Covered(Vec<usize>),
    /// Nothing reachable covers it.
    Uncoverable,
    /// The search came to its end before it was covered.
    Undecided,
    /// The guard could not be observed where it is false.
    Unobserved,
    /// It was not requested.
    Unwanted,
}

/// Why a guard could not be observed where it is false.
#[derive(Clone, Debug, PartialEq)]
pub enum Unobserved {
    /// Nothing but the guard itself bounds this parameter.
    Parameter(LocalId),
    /// In some state the parameters cannot be enumerated.
    Obstacle(EvalError),
}

/// The result.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The runs.
    pub runs: Vec<CoveringRun>,
    /// By target.
    pub status: Vec<Status>,
    /// The operations whose guards could not be observed where they are false.
    pub unobserved: Vec<(OperationId, Unobserved)>,
    /// Representatives visited.
    pub states: u64,
    /// Valuations of the constants, one for each orbit; one where there are no constants.
    pub set_ups: u64,
    /// Whether there is an initial state.
    pub is_initialised: bool,
    /// The limit that ended the search before every reachable state was expanded, and before everything was covered.
    pub limit: Option<LimitHit>,
    /// The first call whose body was ill-defined, which is not a step.
    pub ill_defined: Option<(OperationId, EvalError)>,
}

impl CoveringRun {
    pub(super) fn covers(&self, target: usize) -> bool {
        self.places.iter().any(|(other, _)| *other == target)
    }

    /// Adds the targets that a step covers.
    pub(super) fn add(&mut self, step: usize, targets: Vec<usize>) {
        for target in targets {
            self.add_place(target, CoveredAt { step, refused: None });
        }
    }

    /// Adds a place, unless an earlier one is known.
    pub(super) fn add_place(&mut self, target: usize, place: CoveredAt) {
        if !self.covers(target) {
            self.places.push((target, place));
        }
    }
}

impl Coverage {
    /// Whether nothing is left undecided.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !self.status.iter().any(|status| matches!(status, Status::Undecided | Status::Unobserved))
    }

    /// Whether everything requested is covered.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.status.iter().all(|status| matches!(status, Status::Covered(_) | Status::Unwanted))
    }
}
