//! Expanding states beyond memory, which are given by their keys and may be in no table.
//!
//! Invariant: a state that is compared with its successors is entered into the tables first. Deliberately elsewhere: where keys are read
//! (`checkpoint`), expanding what is in the tables (`expander`, `packed`).

use super::super::columns::Entry;
use super::super::expander::Expander;
use super::super::packed::StateWorker;
use super::super::rank::first_rank;
use super::super::subject::Worker;
use bcheck_durable::log::Key;

impl StateWorker<'_> {
    /// Expands a state; the entry has no id.
    pub(in crate::search) fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64) {
        let Self { general, packed } = self;
        let engine = general.engine;
        // Without symmetry nothing is compared with the state itself, and its words are all that is needed.
        let needs_entry = !engine.symmetry.is_trivial()
            || general.recorder.needs_values()
            || engine.machine.model().callable.is_some()
            || engine.machine.model().expanded.is_some()
            || !engine.machine.tried_in_steps().is_empty();
        if let (Key::Words(words), Some(store), Some(packed), false) = (key, &engine.store.words, packed, needs_entry) {
            let set_up = store.layout.decode(words, &mut packed.own);
            return general.expand_packed((entry, distance), (store, set_up), packed);
        }
        // Pending offers have lower ranks.
        self.offer_rest();
        let entry = self.general.enter_key(entry, key);
        self.expand(entry, None, distance);
    }
}

impl Expander<'_> {
    /// Enters a state beyond memory into the tables.
    pub(crate) fn enter_key(&mut self, entry: Entry, key: Key<'_>) -> Entry {
        // The state becomes a candidate unless the tables have it; as it is in a run, it will be removed as a duplicate.
        let rank = first_rank(entry.number);
        let entered = self.engine.store.offer(&mut self.writer.words, key, rank);
        let (id, is_new) = entered.expect("keys of the log are those of this store");
        let entry = Entry { id, ..entry };
        if is_new {
            self.batch.add(rank, id, entry.class, None, None);
        }
        entry
    }
}
