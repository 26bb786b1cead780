//! What a search beyond memory asks of the tables: how much they take, to forget their states, to decode keys of the log.
//!
//! Deliberately elsewhere: when that is asked (`disk`).

use super::super::store::Store;
use bcheck_durable::log::Key;
use bcheck_eval::Machine;
use bcheck_value::Valuation;

/// The states in the tables at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    /// States that are kept as words.
    pub(super) packed: usize,
    /// States that are kept as bytes, and the bytes that they take.
    pub(super) in_bytes: usize,
    memory_in_bytes: usize,
}

impl TableSizes {
    pub(super) fn states(self) -> usize {
        self.packed + self.in_bytes
    }

    /// What a state that is kept as bytes takes on average, with its part of the table: rather more than its key.
    pub(super) fn average_in_bytes(self) -> usize {
        self.memory_in_bytes.checked_div(self.in_bytes).unwrap_or(0)
    }
}

impl Store {
    /// Forgets all states, which sorted runs have from here on. Nobody else may use the store meanwhile, and every writer must forget them
    /// too before its next offer.
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

    /// What the tables have. Each shard of the table of bytes is looked at, so once a slice, not once a state.
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
