//! Where a search keeps its states: packed into words where the machine allows it, else as bytes.
//!
//! In a run whose states are packed, a state that does not fit words (a description, a big integer) is kept as bytes beside the
//! others. Invariant: equal states have one id, because whether a state fits words depends on the state alone; and symmetric states
//! all fit or all do not. Deliberately elsewhere: what the keys look like and the tables themselves (`state`).

use crate::count::set_up::SetUp;
use bcheck_durable::log::Key;
use bcheck_eval::Machine;
use bcheck_ir::Type;
use bcheck_state::{ConstantsTable, Layout, Offered, StateId, StateTable, WordLayout, WordTable, WordWriter};
use bcheck_symmetry::{PackedSymmetry, Symmetry};
use bcheck_value::packing::Packing;
use bcheck_value::{Valuation, Value};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// In a run whose states are packed: ids from here on are of states kept as bytes.
pub(super) const BYTES: u32 = 1 << 31;

/// The states of one run.
pub(crate) struct Store {
    general: Layout,
    bytes: StateTable,
    /// Set when states are packed.
    pub(crate) words: Option<WordStore>,
    /// Whether sorted runs have states that the tables have forgotten (`disk`), or other processes have states (`partition`): a state that
    /// is new here may not be new.
    is_spilled: AtomicBool,
}

/// The words of a state of the machine, where its states are packed.
pub fn state_words(machine: &Machine) -> Option<usize> {
    machine.is_packed().then(|| WordLayout::new(machine.packings().1.iter().flat_map(Packing::widths), 1).key_words())
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
    /// How many of them are kept as bytes.
    pub(crate) bytes: usize,
    /// The entries of those that are packed.
    pub(crate) entries: Range<u32>,
}

/// The packed states: each is the words of the constants that symmetries move, then those of the variables.
pub(crate) struct WordStore {
    pub(crate) layout: WordLayout,
    pub(crate) table: WordTable,
    /// The constants of each set-up, by number; what symmetries move of them stands in the states.
    pub(crate) constants: Vec<Valuation>,
    /// The numbers of set-ups, by the constants that do not stand in the states.
    numbers: ConstantsTable,
    /// The constants that stand in the states, with their packings.
    pub(crate) moving: Vec<(usize, Packing)>,
    /// The number of their words.
    pub(crate) moving_words: usize,
    /// For each word of a state, what its number is below; nothing where every word is a value.
    limits: Vec<Option<u64>>,
    /// How representatives are found, unless every state is its own.
    pub(crate) symmetry: Option<PackedSymmetry>,
}

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
    /// The store of the states that are reached from these set-ups, which decide what a state looks like in it: constants on which they
    /// differ only by symmetry stand in the states.
    pub(crate) fn new(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp]) -> Self {
        let shared = shared_constants(machine, symmetry, set_ups);
        let words = WordStore::new(machine, symmetry, set_ups, &shared);
        Self { words, ..Self::of_bytes(machine, &machine.model().valuation_types(), set_ups, &shared) }
    }

    /// The same for valuations of other types behind the constants, all kept as bytes.
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
    pub(super) fn key<'k>(&self, machine: &Machine, scratch: &'k mut KeyScratch, likely: Option<u32>, state: &[Value]) -> Key<'k> {
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

    /// From here on what is new to the tables may not be new: it is examined when that is known.
    pub(super) fn look_up_candidates(&self) {
        self.is_spilled.store(true, Ordering::Relaxed);
    }

    /// Forgets all states, which sorted runs have from here on. Nobody else may use the store meanwhile, and every writer must forget them
    /// too before its next offer.
    pub(super) fn spill(&self) {
        self.look_up_candidates();
        self.bytes.clear();
        if let Some(store) = &self.words {
            store.table.clear();
        }
    }

    /// What the tables have. Each shard of the table of bytes is looked at, so once a slice, not once a state.
    pub(crate) fn sizes(&self) -> TableSizes {
        let (in_bytes, memory_in_bytes) = self.bytes.measure();
        TableSizes { packed: self.words.as_ref().map_or(0, |store| store.table.len()), in_bytes, memory_in_bytes }
    }

    /// The bytes that tables of these sizes take once this many more states are there.
    pub(crate) fn memory(&self, sizes: TableSizes, more: usize) -> usize {
        sizes.memory_in_bytes
            + match &self.words {
                Some(store) => store.table.memory(more),
                // Tables of bytes grow shard by shard.
                None => sizes.average_in_bytes() * more,
            }
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

    /// Keeps the state with this key, or finds it: its id, and whether it is new. `None` where a store of these set-ups has no such keys,
    /// which may be those of an earlier run.
    pub(super) fn offer(&self, writer: &mut WordWriter, key: Key<'_>, rank: u64) -> Option<(StateId, bool)> {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) if key.len() == store.layout.key_words() => {
                let offered = store.table.offer_one(writer, key, rank);
                Some((store.id(offered.entry), offered.is_new))
            }
            (Key::Words(_), _) => None,
            (Key::Bytes(key), _) => Some(self.offer_bytes(key, rank)),
        }
    }

    /// Whether a key that another process has sent can be that of a packed state; of bytes, that is not known before they are decoded.
    /// `state`: scratch.
    pub(super) fn can_be(&self, key: Key<'_>, state: &mut Vec<u64>) -> bool {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) => store.can_be(key, state),
            (Key::Words(_), None) => false,
            (Key::Bytes(_), _) => true,
        }
    }

    /// Whether packed states of this store have keys of so many words.
    pub(super) fn has_words(&self, words: usize) -> bool {
        self.words.as_ref().is_some_and(|store| store.layout.key_words() == words)
    }

    /// Offers packed states by their keys, which lie one after the other, with rank 0; gives the outcome of each. `offered`: scratch.
    pub(super) fn offer_words<'o>(
        &'o self,
        writer: &mut WordWriter,
        (keys, states): (&[u64], usize),
        offered: &'o mut Vec<Offered>,
    ) -> impl Iterator<Item = (StateId, bool)> + 'o {
        let store = self.words.as_ref().expect("packed states have keys of this store");
        offered.clear();
        store.table.offer_all(writer, keys, &vec![0; states], offered);
        offered.iter().map(|offered| (store.id(offered.entry), offered.is_new))
    }

    fn offer_bytes(&self, key: &[u8], rank: u64) -> (StateId, bool) {
        let (id, is_new) = self.bytes.offer(key, rank);
        assert!(id.0 < BYTES, "a search runs out of memory before it has 2^31 states of bytes");
        (StateId(id.0 | if self.words.is_some() { BYTES } else { 0 }), is_new)
    }

    /// The word store and the entry of a packed state; `None` for one that is kept as bytes.
    pub(super) fn entry(&self, id: StateId) -> Option<(&WordStore, u32)> {
        self.words.as_ref().filter(|_| id.0 < BYTES).map(|store| (store, id.0))
    }

    /// The least rank that a state kept as bytes was offered with.
    pub(super) fn rank_of_bytes(&self, id: StateId) -> u64 {
        self.bytes.rank(Self::bytes_id(id))
    }

    fn bytes_id(id: StateId) -> StateId {
        StateId(id.0 & !BYTES)
    }

    /// The number of the constants of a state that is kept as bytes: a hint for the keys of its successors, which share them.
    pub(crate) fn likely(&self, id: StateId) -> Option<u32> {
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

    /// The state with a key of bytes, decoded.
    pub(super) fn decode_bytes(&self, key: &[u8]) -> Valuation {
        self.general.decode(key)
    }

    /// The state with this key, decoded.
    pub(crate) fn decode(&self, machine: &Machine, key: Key<'_>) -> Valuation {
        match (key, &self.words) {
            (Key::Words(key), Some(store)) => {
                let mut words = Vec::new();
                let set_up = store.layout.decode(key, &mut words);
                store.unpack(machine, set_up, &words)
            }
            (Key::Words(_), None) => unreachable!("a log has keys of words only where states are packed"),
            (Key::Bytes(key), _) => self.decode_bytes(key),
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

impl WordStore {
    fn new(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp], shared: &[bool]) -> Option<Self> {
        if !machine.is_packed() {
            return None;
        }
        let (constants, variables) = machine.packings();
        let moving = constants.iter().zip(shared).enumerate().filter(|(_, (_, is_shared))| !**is_shared);
        let moving: Vec<(usize, Packing)> =
            moving.map(|(at, (packing, _))| packing.clone().map(|packing| (at, packing))).collect::<Option<_>>()?;
        // Tested for all set-ups once, so that workers may rely on it when they change from one to another.
        if set_ups.iter().any(|set_up| machine.packed_state(&set_up.constants).is_none()) {
            return None;
        }
        // The constants that stand in the states come first, in each state and in each image under a permutation.
        let packings = || moving.iter().map(|(_, packing)| packing).chain(variables);
        let packed = match symmetry.is_trivial() {
            true => None,
            false => Some(PackedSymmetry::new(symmetry, &machine.scope().sizes, packings())?),
        };
        // Set-ups that differ only in moving constants have one number: what they differ in stands in the words.
        let mut kept: Vec<Valuation> = Vec::new();
        let mut numbers = ConstantsTable::new();
        for set_up in set_ups {
            if numbers.insert(set_up_constants(&set_up.constants, &moving)) as usize == kept.len() {
                kept.push(set_up.constants.clone());
            }
        }
        let layout = WordLayout::new(packings().flat_map(Packing::widths), kept.len());
        let limits = packings().flat_map(|packing| std::iter::repeat_n(packing.limit(), packing.words())).collect();
        let moving_words = moving.iter().map(|(_, packing)| packing.words()).sum();
        Some(Self {
            table: WordTable::new(layout.key_words(), layout.key_bits()),
            layout,
            constants: kept,
            numbers,
            moving,
            moving_words,
            limits,
            symmetry: packed,
        })
    }

    /// Whether this is a key of a state: of a set-up that there is, with numbers of values that there are.
    fn can_be(&self, key: &[u64], state: &mut Vec<u64>) -> bool {
        let set_up = self.layout.decode(key, state);
        let is_below = |(word, limit): (&u64, &Option<u64>)| limit.is_none_or(|limit| *word < limit);
        (set_up as usize) < self.constants.len() && state.iter().zip(&self.limits).all(is_below) && self.layout.has_no_more(key)
    }

    /// The id of an entry.
    pub(super) fn id(&self, entry: u32) -> StateId {
        assert!(entry < BYTES, "a search runs out of memory before it has 2^31 states");
        StateId(entry)
    }

    /// Appends the words of a state and gives the number of its constants; `None` when it does not fit words.
    pub(crate) fn pack(&self, machine: &Machine, state: &[Value], out: &mut Vec<u64>) -> Option<u32> {
        let constants = &state[..machine.model().constants.len()];
        let set_up = self.numbers.get(set_up_constants(constants, &self.moving)).expect("every state has a set-up");
        for (at, packing) in &self.moving {
            let start = out.len();
            out.resize(start + packing.words(), 0);
            if !packing.pack(&constants[*at], &mut out[start..]) {
                return None;
            }
        }
        machine.pack(state, out).then_some(set_up)
    }

    /// The state that these words stand for.
    pub(super) fn unpack(&self, machine: &Machine, set_up: u32, words: &[u64]) -> Valuation {
        let mut constants = self.constants[set_up as usize].clone();
        for (at, packing, own) in self.moving_in(words) {
            constants[at] = packing.unpack(own);
        }
        machine.unpack(&constants, &words[self.moving_words..])
    }

    /// The constants that stand in the words of a state, each with its own words.
    pub(super) fn moving_in<'w>(&'w self, words: &'w [u64]) -> impl Iterator<Item = (usize, &'w Packing, &'w [u64])> {
        let mut rest = words;
        self.moving.iter().map(move |(constant, packing)| {
            let (own, others) = rest.split_at(packing.words());
            rest = others;
            (*constant, packing, own)
        })
    }

    /// Reads an entry: its words, and the number of its constants.
    pub(crate) fn read(&self, entry: u32, key: &mut Vec<u64>, words: &mut Vec<u64>) -> u32 {
        key.clear();
        key.resize(self.layout.key_words(), 0);
        self.table.read(entry, key);
        self.layout.decode(key, words)
    }
}

/// By constant: whether it is kept once for each set-up, and does not stand in the states.
fn shared_constants(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp]) -> Vec<bool> {
    let generators = symmetry.few_generators();
    // In all set-ups of the batch: the layout is one for all of them.
    let is_fixed = |at: usize| {
        // What all generators leave as it is, the group leaves as it is.
        let mut values = set_ups.iter().map(|set_up| &set_up.constants[at]);
        values.all(|value| generators.iter().all(|generator| generator.apply(value) == *value))
    };
    // A constant that every symmetry leaves as it is, such as the table of a ring, never changes either.
    let constants = machine.model().constants.values().enumerate();
    constants.map(|(at, constant)| !symmetry.moves_type(&constant.ty) || is_fixed(at)).collect()
}

/// The constants that do not stand in the states.
fn set_up_constants<'a>(constants: &'a [Value], moving: &'a [(usize, Packing)]) -> impl Iterator<Item = &'a Value> + Clone {
    // It is these that `WordStore::numbers` numbers.
    let stands = |at: usize| moving.iter().any(|(moving, _)| *moving == at);
    constants.iter().enumerate().filter(move |(at, _)| !stands(*at)).map(|(_, value)| value)
}
