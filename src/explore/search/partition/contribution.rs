//! The sums and findings of all processes, merged.
//!
//! For errors and findings only the states are sent: each process recomputes them there.
//! Invariant: afterwards all processes have equal sums, errors and finding.

use super::super::saved::SavedClaim;
use super::Partition;
use super::message::Kind;
use crate::count::tally::{OrbitClass, Orbits, Tally};
use crate::number::StateNumber;
use bcheck_mesh::Loss;
use serde::{Deserialize, Serialize};

/// The sums and findings of one process in a batch of set-ups.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in super::super) struct Contribution {
    pub(in super::super) tally: Tally,
    /// The orbit sizes of its classes, in decimal.
    pub(in super::super) sizes: Vec<String>,
    /// Operations with the states of the first warnings about them.
    pub(in super::super) guards: Vec<(u32, StateNumber)>,
    pub(in super::super) unassigned: Vec<(u32, StateNumber)>,
    pub(in super::super) skipped: Option<StateNumber>,
    pub(in super::super) undecided: Option<StateNumber>,
    /// Sorted runs, and the bytes of states and runs.
    pub(in super::super) runs: u64,
    pub(in super::super) bytes: u64,
}

impl Contribution {
    /// Its tally, with classes of this process; `None` if it cannot be one of a machine with this number of operations.
    pub(in super::super) fn tally_here(&self, orbits: &Orbits, operations: usize) -> Option<Tally> {
        let sizes: Option<Vec<_>> = self.sizes.iter().map(|size| size.parse().ok()).collect();
        let classes: Vec<OrbitClass> = sizes?.into_iter().map(|size| orbits.class_of(size)).collect();
        self.tally.with_classes(&classes).filter(|tally| tally.is_countable() && tally.has_at_most(operations))
    }
}

impl Partition {
    /// The contributions of all processes.
    pub(in super::super) fn gather(&mut self, own: &Contribution) -> Result<Vec<Contribution>, Loss> {
        let sent = serde_json::to_vec(own).expect("plain data");
        let arrived = self.broadcast(Kind::Sums, |message| message.bytes.extend_from_slice(&sent))?;
        Self::read_all(&arrived, |message| serde_json::from_slice(message.rest()).ok())
    }

    /// The least finding of all processes, and which of them has it.
    pub(in super::super) fn least_claim(&mut self, own: Option<SavedClaim>) -> Result<Option<(usize, SavedClaim)>, Loss> {
        let sent = serde_json::to_vec(&own).expect("plain data");
        let arrived = self.broadcast(Kind::Claim, |message| message.bytes.extend_from_slice(&sent))?;
        let all: Vec<Option<SavedClaim>> = Self::read_all(&arrived, |message| serde_json::from_slice(message.rest()).ok())?;
        Ok(all.into_iter().enumerate().filter_map(|(process, claim)| Some((process, claim?))).min_by_key(|(_, claim)| claim.order()))
    }

    /// The number of this process.
    pub(in super::super) fn me(&self) -> usize {
        self.owners.me
    }
}
