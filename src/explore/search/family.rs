//! The source of traces: the stored states, and for each the state from which it was first reached.
//!
//! Deliberately elsewhere: how a trace is built from them (`trace`), reading those that are on disk (`checkpoint`).

use super::engine::Engine;
use super::ledger::Ledger;
use crate::number::StateNumber;
use crate::trace::{Ancestry, Origin};
use bcheck_value::Valuation;

/// The states of a search by number.
pub(super) struct Family<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) ledger: &'a Ledger,
}

impl Ancestry for Family<'_> {
    fn origin(&self, number: StateNumber) -> Origin {
        match self.ledger.columns.parent(number).state() {
            // Initial states have the first numbers, so their origins need no map.
            None => self.ledger.initial[number.index()],
            Some(parent) => Origin::Step { parent },
        }
    }

    fn state(&self, number: StateNumber) -> Valuation {
        match self.ledger.columns.is_spilled() {
            true => self.ledger.columns.traced(number),
            false => self.engine.state(self.ledger.entry(number).id),
        }
    }
}
