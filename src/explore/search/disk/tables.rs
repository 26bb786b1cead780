//! Operations on the tables for a search beyond memory: their sizes, dropping their states, decoding keys of the log.
//!
//! Deliberately elsewhere: when they are called (`disk`).

use super::super::store::Store;
use bcheck_durable::log::Key;
use bcheck_eval::Machine;
use bcheck_value::Valuation;

/// The states in the tables at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    /// States stored as words.
    pub(super) packed: usize,
    /// States stored as bytes, and their total size.
    pub(super) in_bytes: usize,
    memory_in_bytes: usize,
}

impl TableSizes {
    pub(super) fn states(self) -> usize {
        self.packed + self.in_bytes
    }

    /// The average size of a state stored as bytes, including its part of the table: somewhat more than its key.
    pub(super) fn average_in_bytes(self) -> usize {
        self.memory_in_bytes.checked_div(self.in_bytes).unwrap_or(0)
    }
}

impl Store {
    /// Drops all states, which are in sorted runs from now on. Nobody else may use the store meanwhile, and every writer must drop them as
    /// well before its next offer.
    pub(in crate::search) fn spill(&self) {
        self.look_up_candidates();
        self.bytes.clear();
        if let Some(store) = &self.words {
            store.table.clear();
        }
    }

    /// The state with this key.
    pub(in crate::search) fn decode(&self, machine: &Machine, key: Key<'_>) -> Valuation {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) => {
                let mut words = Vec::new();
                let set_up = store.layout.decode(key, &mut words);
                store.unpack(machine, set_up, &words)
            }
            (Key::Words(_), None) => unreachable!("a log has keys of words only where states are packed"),
            (Key::Bytes(key), _) => self.general.decode(key),
        }
    }

    /// The sizes of the tables. Each shard of the table of bytes is locked, so it is called once a slice, not once a state.
    pub(super) fn sizes(&self) -> TableSizes {
        let (in_bytes, memory_in_bytes) = self.bytes.measure();
        TableSizes { packed: self.words.as_ref().map_or(0, |store| store.table.len()), in_bytes, memory_in_bytes }
    }

    /// The bytes that tables of these sizes take once this many more states are there.
    pub(super) fn memory(&self, sizes: TableSizes, more: usize) -> usize {
        sizes.memory_in_bytes
            + match &self.words {
                Some(store) => store.table.memory(more),
                // Tables of bytes grow shard by shard.
                None => sizes.average_in_bytes() * more,
            }
    }
}
