//! Re-expands and re-examines the states recorded in a checkpoint to recompute their findings and errors.
//!
//! Invariant: none of this is counted. Deliberately elsewhere: the states in which they occurred (`snapshot`).

use super::super::columns::Entry;
use super::super::ledger::Batch;
use super::super::saved::SavedClaim;
use super::super::subject::Worker;
use super::CheckpointFault;
use crate::Fault;
use crate::count::first_errors::FirstErrors;
use crate::number::StateNumber;
use crate::property::{Claim, Place, examine};
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;

pub(super) const OTHER_STATES: CheckpointFault = CheckpointFault::Other("the machine has other states now than those of the log");

/// Which part of the exploration of a state is repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    Expansion,
    Examination,
    Both,
}

impl Parts {
    /// The parts in which a finding occurs.
    pub(super) fn of(saved: SavedClaim) -> Self {
        if saved.is_met_in_expansion() { Self::Expansion } else { Self::Examination }
    }
}

/// The result of expanding or examining a state again.
pub(super) struct Again {
    pub(super) batch: Batch,
    pub(super) findings: Vec<Fault>,
    pub(super) undecided: Option<EvalError>,
}

impl Again {
    pub(super) fn of<'e>(worker: &mut impl Worker<'e>, entry: Entry, distance: u64, parts: Parts) -> Self {
        let engine = worker.expander().engine;
        let examined = match parts {
            Parts::Expansion => Default::default(),
            _ => examine(engine.machine, engine.checks, engine.symmetry.conjunct_orbits(), &engine.state(entry.id)),
        };
        // Steps from a state that was only examined lead to states that are not in the visited set.
        if parts != Parts::Examination {
            worker.expand(entry, None, distance);
        }
        Self { batch: worker.take_batch(), findings: examined.findings, undecided: examined.undecided }
    }

    /// The saved finding; `None` if it is not found again.
    pub(super) fn claim(self, saved: SavedClaim) -> Option<Claim> {
        let SavedClaim { distance, state, kind, part } = saved;
        let met = self.findings.into_iter().chain(self.batch.claim.map(|claim| claim.fault));
        let fault = met.into_iter().find(|fault| fault.rank() == (kind, part))?;
        Some(Claim { distance, place: Place::State(state), fault })
    }
}

/// Notes the error that an operation has in a state; false if it has none.
pub(super) fn note(into: &mut FirstErrors, again: &FirstErrors, operation: u32, state: StateNumber) -> bool {
    let operation = OperationId(operation);
    let error = again.error_in(operation, state).cloned();
    let is_met = error.is_some();
    error.into_iter().for_each(|error| into.note(operation, state, error));
    is_met
}
