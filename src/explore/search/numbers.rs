//! From ids of states back to their numbers, which the graph of formulas and internal steps are written in.
//!
//! Invariant: a state that a limit forbids to store has an id and no number. Deliberately elsewhere: from numbers to ids (`ledger`).

use super::word_store::BYTES;
use crate::number::StateNumber;
use bcheck_state::StateId;

/// The numbers of states by id; ids lie close together.
#[derive(Default)]
pub(super) struct Numbers {
    /// Of packed states, or of all if none are packed.
    low: Vec<StateNumber>,
    /// Of those stored as bytes in addition to packed ones.
    high: Vec<StateNumber>,
}

impl Numbers {
    /// No state has this number.
    const NONE: StateNumber = StateNumber::new(u32::MAX);

    pub(super) fn set(&mut self, id: StateId, number: StateNumber) {
        // Two dense vectors instead of a hash table: ids of the byte table begin at `BYTES`, and one vector for both would have a gap of
        // 2^31 entries.
        let (list, at) = if id.0 < BYTES { (&mut self.low, id.0) } else { (&mut self.high, id.0 - BYTES) };
        if at as usize >= list.len() {
            list.resize(at as usize + 1, Self::NONE);
        }
        list[at as usize] = number;
    }

    pub(super) fn get(&self, id: StateId) -> Option<StateNumber> {
        let (list, at) = if id.0 < BYTES { (&self.low, id.0) } else { (&self.high, id.0 - BYTES) };
        list.get(at as usize).copied().filter(|number| *number != Self::NONE)
    }
}
