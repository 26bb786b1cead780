//! The progress of a search.
//!
//! Deliberately elsewhere: its counts and findings (`ledger`).

use super::ledger::Ledger;
use crate::property::Claim;
use std::ops::Range;

/// How far a search has come at a barrier.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The states at this distance.
    pub(super) level: Range<u32>,
    pub(super) distance: u64,
    /// States below this number are expanded, and their successors are numbered.
    pub(super) expanded: u32,
    /// The finding of the levels before.
    pub(super) before: Option<Claim>,
    /// An on-the-fly check is due before anything else is expanded.
    pub(super) is_check_due: bool,
}

impl Position {
    /// Only the initial states are known.
    pub(super) fn first(ledger: &mut Ledger) -> Self {
        Self { level: 0..ledger.len(), distance: 0, expanded: 0, before: ledger.claim.take(), is_check_due: false }
    }
}
