//! The storage of states: packed into words if the machine allows it, otherwise as bytes.
//!
//! In a run whose states are packed, a state that does not fit words (a symbolic set, a big integer) is stored as bytes beside the others.
//! Invariant: equal states have one id, because whether a state fits words depends on the state alone; and symmetric states all fit or all
//! do not. Deliberately elsewhere: the form of keys and the tables themselves (`state`).

use super::word_store::{BYTES, WordStore};
use crate::count::set_up::SetUp;
use bcheck_durable::log::Key;
use bcheck_eval::Machine;
use bcheck_ir::Type;
use bcheck_state::{ConstantsNumber, Layout, Offered, Rank, StateId, StateTable, WordWriter};
use bcheck_symmetry::Symmetry;
use bcheck_value::{Valuation, Value};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The states of one run.
pub(crate) struct Store {
    pub(super) general: Layout,
    pub(super) bytes: StateTable,
    /// Set when states are packed.
    pub(crate) words: Option<WordStore>,
    /// Whether sorted runs have states that the tables have forgotten (`disk`), or other processes have states (`partition`): a state that
    /// is new here may not be new.
    is_spilled: AtomicBool,
}

/// Where a key is made.
#[derive(Default)]
pub(super) struct KeyScratch {
    state: Vec<u64>,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

/// The new states between two barriers.
pub(super) struct Slice {
    /// How many of them are stored as bytes.
    pub(crate) bytes: usize,
    /// The entries of those that are packed.
    pub(crate) entries: Range<u32>,
}

impl Store {
    /// The store of the states reachable from these set-ups, which decide its layout: constants on which they differ only by symmetry are
    /// part of the states.
    pub(crate) fn new(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp]) -> Self {
        let shared = shared_constants(machine, symmetry, set_ups);
        let words = WordStore::new(machine, symmetry, set_ups, &shared);
        Self { words, ..Self::of_bytes(machine, &machine.model().valuation_types(), set_ups, &shared) }
    }

    /// Likewise for valuations of other types after the constants, all stored as bytes.
    pub(crate) fn of_types(machine: &Machine, types: &[Type], symmetry: &Symmetry, set_ups: &[SetUp]) -> Self {
        Self::of_bytes(machine, types, set_ups, &shared_constants(machine, symmetry, set_ups))
    }

    fn of_bytes(machine: &Machine, types: &[Type], set_ups: &[SetUp], shared: &[bool]) -> Self {
        let mut general = Layout::new(types, machine.scope(), shared);
        for set_up in set_ups {
            general.share(&set_up.constants);
        }
        Self { words: None, general, bytes: StateTable::new(), is_spilled: AtomicBool::new(false) }
    }

    /// Prepares for concurrent offers by this many workers.
    pub(super) fn prepare_for(&mut self, workers: usize) {
        if let Some(store) = &mut self.words {
            store.table.prepare_for(workers);
        }
    }

    /// The key of a state, which is a representative; its constants are probably those with number `likely` in the layout.
    pub(super) fn key<'k>(
        &self,
        machine: &Machine,
        scratch: &'k mut KeyScratch,
        likely: Option<ConstantsNumber>,
        state: &[Value],
    ) -> Key<'k> {
        let KeyScratch { state: own, words, bytes } = scratch;
        if let Some(store) = &self.words {
            own.clear();
            // Else it is stored as bytes below; `own` may hold a part of it, and is cleared before it is used again.
            if let Some(set_up) = store.pack(machine, state, own) {
                // Whether a state fits depends on the state alone, so an equal one was not stored as bytes.
                words.clear();
                store.layout.encode(set_up, own, words);
                return Key::Words(words);
            }
        }
        bytes.clear();
        self.general.encode(likely, state, bytes);
        Key::Bytes(bytes)
    }

    /// Whether a state that is new to the tables may be known elsewhere.
    pub(super) fn is_spilled(&self) -> bool {
        // Relaxed: it changes between slices, and whatever starts a worker after that orders the two.
        self.is_spilled.load(Ordering::Relaxed)
    }

    /// From now on, states new to the tables may not be new: they are examined when that is known.
    pub(super) fn look_up_candidates(&self) {
        self.is_spilled.store(true, Ordering::Relaxed);
    }

    /// The number of words of the keys of packed states.
    pub(crate) fn key_words(&self) -> usize {
        self.words.as_ref().map_or(0, |store| store.layout.key_words())
    }

    /// Calls `read` with the key of a state; part of the set may be locked meanwhile.
    pub(super) fn with_key<R>(&self, id: StateId, words: &mut Vec<u64>, read: impl FnOnce(Key<'_>) -> R) -> R {
        match self.entry(id) {
            None => self.bytes.with_key(Self::bytes_id(id), |key| read(Key::Bytes(key))),
            Some((store, entry)) => {
                words.clear();
                words.resize(store.layout.key_words(), 0);
                store.table.read(entry, words);
                read(Key::Words(words))
            }
        }
    }

    /// Finds or inserts the state with this key: its id, and whether it is new. `None` where a store of these set-ups has no such keys,
    /// which may be those of an earlier run.
    pub(super) fn offer(&self, writer: &mut WordWriter, key: Key<'_>, rank: Rank) -> Option<(StateId, bool)> {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) if key.len() == store.layout.key_words() => {
                let offered = store.table.offer_one(writer, key, rank);
                Some((store.id(offered.entry), offered.is_new))
            }
            (Key::Words(_), _) => None,
            (Key::Bytes(key), _) => Some(self.offer_bytes(key, rank)),
        }
    }

    /// Whether a key sent by another process can be that of a packed state; for bytes, that is not known before they are decoded. `state`:
    /// scratch.
    pub(super) fn can_be(&self, key: Key<'_>, state: &mut Vec<u64>) -> bool {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) => store.can_be(key, state),
            (Key::Words(_), None) => false,
            (Key::Bytes(_), _) => true,
        }
    }

    /// Whether packed states of this store have keys of this many words.
    pub(super) fn has_words(&self, words: usize) -> bool {
        self.words.as_ref().is_some_and(|store| store.layout.key_words() == words)
    }

    /// Offers packed states by their keys, which are concatenated, with rank 0; returns the outcome of each. `offered`: scratch.
    pub(super) fn offer_words<'o>(
        &'o self,
        writer: &mut WordWriter,
        (keys, states): (&[u64], usize),
        offered: &'o mut Vec<Offered>,
    ) -> impl Iterator<Item = (StateId, bool)> + 'o {
        let store = self.words.as_ref().expect("packed states have keys of this store");
        offered.clear();
        store.table.offer_all(writer, keys, &vec![Rank(0); states], offered);
        offered.iter().map(|offered| (store.id(offered.entry), offered.is_new))
    }

    fn offer_bytes(&self, key: &[u8], rank: Rank) -> (StateId, bool) {
        let (id, is_new) = self.bytes.offer(key, rank);
        assert!(id.0 < BYTES, "a search runs out of memory before it has 2^31 states of bytes");
        (StateId(id.0 | if self.words.is_some() { BYTES } else { 0 }), is_new)
    }

    /// The word store and the entry of a packed state; `None` for one stored as bytes.
    pub(super) fn entry(&self, id: StateId) -> Option<(&WordStore, u32)> {
        self.words.as_ref().filter(|_| id.0 < BYTES).map(|store| (store, id.0))
    }

    /// The least rank that a state stored as bytes was offered with.
    pub(super) fn rank_of_bytes(&self, id: StateId) -> Rank {
        self.bytes.rank(Self::bytes_id(id))
    }

    fn bytes_id(id: StateId) -> StateId {
        StateId(id.0 & !BYTES)
    }

    /// The number of the constants of a state stored as bytes: a hint for the keys of its successors, which share them.
    pub(crate) fn likely(&self, id: StateId) -> Option<ConstantsNumber> {
        if self.entry(id).is_some() { None } else { self.bytes.with_key(Self::bytes_id(id), |key| self.general.shared_number(key)) }
    }

    /// The state with this id, decoded.
    pub(super) fn state(&self, machine: &Machine, id: StateId) -> Valuation {
        match self.entry(id) {
            None => self.bytes.with_key(Self::bytes_id(id), |key| self.general.decode(key)),
            Some((store, entry)) => {
                let (mut key, mut words) = (Vec::new(), Vec::new());
                let set_up = store.read(entry, &mut key, &mut words);
                store.unpack(machine, set_up, &words)
            }
        }
    }

    /// Ends a slice: the ranks of its states are final from here on. No other thread may offer meanwhile.
    pub(super) fn close_slice(&self) -> Slice {
        Slice { bytes: self.bytes.close_slice(), entries: self.words.as_ref().map_or(0..0, |store| store.table.close_slice()) }
    }

    /// Makes room for another slice that finds as much as this one, while the other workers still make successors.
    pub(super) fn make_room(&self, slice: &Slice) {
        if let Some(store) = &self.words {
            store.table.make_room(slice.entries.len());
        }
    }
}

/// By constant: whether it is stored once for each set-up, and not in the states.
fn shared_constants(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp]) -> Vec<bool> {
    let generators = symmetry.few_generators();
    // In all set-ups of the batch: the layout is one for all of them.
    let is_fixed = |at: usize| {
        // A value fixed by all generators is fixed by the group.
        let mut values = set_ups.iter().map(|set_up| &set_up.constants[at]);
        values.all(|value| generators.iter().all(|generator| generator.apply(value) == *value))
    };
    // A constant fixed by every symmetry, such as the table of a ring, never changes either.
    let constants = machine.model().constants.values().enumerate();
    constants.map(|(at, constant)| !symmetry.moves_type(&constant.ty) || is_fixed(at)).collect()
}
