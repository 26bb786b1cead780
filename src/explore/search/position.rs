//! The progress of a search.
//!
//! Deliberately elsewhere: its counts and findings (`ledger`).

use super::ledger::Ledger;
use crate::number::StateNumber;
use crate::property::Claim;
use std::ops::Range;

/// How far a search has come at a barrier.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The states at this distance.
    pub(super) level: Range<StateNumber>,
    pub(super) distance: u64,
    /// States below this number are expanded, and their successors are numbered.
    pub(super) expanded: StateNumber,
    /// The finding of the levels before.
    pub(super) before: Option<Claim>,
    /// An on-the-fly check is due before anything else is expanded.
    pub(super) is_check_due: bool,
}

impl Position {
    /// Only the initial states are known.
    pub(super) fn first(ledger: &mut Ledger) -> Self {
        let first = StateNumber::new(0);
        Self { level: first..ledger.end(), distance: 0, expanded: first, before: ledger.claim.take(), is_check_due: false }
    }
}
