//! The source of traces: the stored states, and for each the state from which it was first reached.
//!
//! Deliberately elsewhere: how a trace is built from them (`trace`), reading those that are on disk (`checkpoint`).

use super::engine::Engine;
use super::ledger::Ledger;
use crate::trace::{Ancestry, Origin};
use bcheck_value::Valuation;

/// The states of a search by number.
pub(super) struct Family<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) ledger: &'a Ledger,
}

impl Ancestry for Family<'_> {
    fn origin(&self, number: u32) -> Origin {
        match self.ledger.columns.following_parent(number).checked_sub(1) {
            // Initial states have the first numbers, so their origins need no map.
            None => self.ledger.initial[number as usize],
            Some(parent) => Origin::Step { parent },
        }
    }

    fn state(&self, number: u32) -> Valuation {
        match self.ledger.columns.is_spilled() {
            true => self.ledger.columns.traced(number),
            false => self.engine.state(self.ledger.entry(number).id),
        }
    }
}
