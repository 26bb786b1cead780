//! States and findings as they are sent and stored: a state by its key, a finding by its place, so that it can be recomputed.
//!
//! Invariant: whatever can be recomputed is left out. Deliberately elsewhere: re-exploration (`checkpoint::again`).

use crate::fault::MET_IN_EXPANSION;
use crate::number::StateNumber;
use crate::property::{Claim, Place};
use bcheck_durable::log::Key;
use serde::{Deserialize, Serialize};

/// A finding in a state: where it is, and which of those that the state has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SavedClaim {
    pub(super) distance: u64,
    pub(super) state: StateNumber,
    /// As returned by [`Fault::rank`](crate::Fault).
    pub(super) kind: u8,
    pub(super) part: usize,
}

/// The key of a state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum SavedKey {
    Words(Vec<u64>),
    Bytes(Vec<u8>),
}

impl SavedKey {
    pub(super) fn of(key: Key<'_>) -> Self {
        match key {
            Key::Words(words) => Self::Words(words.to_vec()),
            Key::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }

    pub(super) fn key(&self) -> Key<'_> {
        match self {
            Self::Words(words) => Key::Words(words),
            Self::Bytes(bytes) => Key::Bytes(bytes),
        }
    }
}

impl SavedClaim {
    /// `None` for a finding before any state: it is found again when the set-ups are enumerated.
    pub(super) fn of(claim: &Claim) -> Option<Self> {
        let Place::State(state) = claim.place else { return None };
        // Not the fault itself, which may hold values and errors: kind and part find it again among the findings of the state.
        let (kind, part) = claim.fault.rank();
        Some(Self { distance: claim.distance, state, kind, part })
    }

    /// The order of findings in states: that of [`Claim`].
    pub(super) fn order(&self) -> (u64, u8, usize, StateNumber) {
        (self.distance, self.kind, self.part, self.state)
    }

    /// Whether it is found when its state is expanded, otherwise when it is examined.
    pub(super) fn is_met_in_expansion(&self) -> bool {
        self.kind >= MET_IN_EXPANSION
    }
}
