//! One worker's interface to the visited set: the tables of this process, and the states of others if several share the search.
//!
//! Invariant: the ranks of a worker's offers ascend. Deliberately elsewhere: keys and tables (`store`, `state`), foreign states to be sent
//! to their owners (`partition`).

use super::engine::Engine;
use super::partition::StatesWriter;
use super::partition::foreign::{ForeignWriter, check_unmarked, is_foreign};
use super::store::KeyScratch;
use super::word_store::WordStore;
use crate::count::tally::OrbitClass;
use bcheck_durable::log::Key;
use bcheck_state::{ConstantsNumber, Find, Offered, Rank, StateId, WordWriter};
use bcheck_value::Value;

/// Finds or inserts the states of one worker.
pub(super) struct Inserter {
    /// For the tables of this process.
    pub(super) words: WordWriter,
    /// Set where several processes share the search.
    foreign: Option<Box<ForeignWriter>>,
    key: KeyScratch,
    /// How often the visited set had been spilled when this worker last forgot its entries.
    spills: u64,
}

impl Inserter {
    pub(super) fn new(engine: &Engine<'_>) -> Self {
        let foreign = engine.owners.map(|owners| Box::new(ForeignWriter::new(owners, !engine.symmetry.is_trivial())));
        Self { words: WordWriter::default(), foreign, key: KeyScratch::default(), spills: 0 }
    }

    /// Finds a representative or inserts it; returns its id, and whether it is new to the tables of this process. Its constants are
    /// probably those with number `likely` in the layout; `class` computes its orbit size, which is needed if it belongs to another
    /// process.
    pub(super) fn offer(
        &mut self,
        engine: &Engine<'_>,
        (state, likely): (&[Value], Option<ConstantsNumber>),
        rank: Rank,
        class: impl FnOnce() -> OrbitClass,
    ) -> (StateId, bool) {
        let key = engine.store.key(engine.machine, &mut self.key, likely, state);
        let mut foreign = self.foreign.as_mut().filter(|_| engine.is_shared_out());
        if let Some(id) = foreign.as_mut().and_then(|foreign| foreign.offer(key, rank, class)) {
            return (id, false);
        }
        let (id, is_new) = engine.store.offer(&mut self.words, key, rank).expect("the key is one of this store");
        if foreign.is_some() {
            check_unmarked(id);
        }
        (id, is_new)
    }

    /// As [`Self::offer`] for packed states, in the order of their ranks; the outcomes are appended to `out`.
    #[inline]
    pub(super) fn offer_all(&mut self, engine: &Engine<'_>, store: &WordStore, offers: (&[u64], &[Rank]), out: &mut Vec<Offered>) {
        match self.foreign.as_mut().filter(|_| engine.is_shared_out()) {
            Some(foreign) => foreign.offer_all(store, &mut self.words, offers, out),
            None => store.table.offer_all(&mut self.words, offers.0, offers.1, out),
        }
    }

    /// Puts a packed state that is new on the list of its owner; false if this process owns it.
    #[inline]
    pub(super) fn is_sent(&mut self, offered: Offered, key: &[u64], rank: Rank, class: OrbitClass) -> bool {
        match self.foreign.as_mut().filter(|_| is_foreign(offered.entry)) {
            Some(foreign) => {
                foreign.add(Key::Words(key), rank, class);
                true
            }
            None => false,
        }
    }

    /// The finds since the last call: packed states of other workers, into an empty list, and foreign ones by owner.
    pub(super) fn take(&mut self, engine: &Engine<'_>, finds: Vec<Find>) -> (Vec<Find>, Vec<StatesWriter>) {
        let foreign = self.foreign.as_mut().map(|foreign| foreign.take(&engine.emptied_lists)).unwrap_or_default();
        (self.words.take_finds(finds), foreign)
    }

    /// Forgets the entries of tables that were emptied since, where this is another number of spills than before.
    pub(super) fn keep_up(&mut self, spills: u64) {
        if self.spills != spills {
            self.spills = spills;
            self.words.forget();
        }
    }
}
