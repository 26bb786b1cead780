//! Packed states: their words, the constants outside these, the table that stores them.
//!
//! Invariant: set-ups that differ only in constants that symmetries move share a number, as the words contain the difference.
//! Deliberately elsewhere: states that do not fit words (`store`), how words are encoded and found again (`state`).

use crate::count::set_up::SetUp;
use bcheck_eval::Machine;
use bcheck_state::{ConstantsNumber, ConstantsTable, StateId, WordLayout, WordTable};
use bcheck_symmetry::{PackedSymmetry, Symmetry};
use bcheck_value::packing::Packing;
use bcheck_value::{Valuation, Value};

/// In a run whose states are packed: ids from here on belong to states stored as bytes.
pub(super) const BYTES: u32 = 1 << 31;

/// The number of words of a state of the machine, if its states are packed.
pub fn state_words(machine: &Machine) -> Option<usize> {
    machine.is_packed().then(|| WordLayout::new(machine.packings().1.iter().flat_map(Packing::widths), 1).key_words())
}

/// The packed states: each is the words of the constants that symmetries move, then those of the variables.
pub(crate) struct WordStore {
    pub(crate) layout: WordLayout,
    pub(crate) table: WordTable,
    /// The constants of each set-up, by number; those that symmetries move are part of the states.
    pub(crate) constants: Vec<Valuation>,
    /// The numbers of set-ups, by the constants that are not part of the states.
    numbers: ConstantsTable,
    /// The constants that are part of the states, with their packings.
    pub(crate) moving: Vec<(usize, Packing)>,
    /// The number of their words.
    pub(crate) moving_words: usize,
    /// For each word of a state, the exclusive bound of its number; `None` if every word is a value.
    limits: Vec<Option<u64>>,
    /// How representatives are found, unless every state is its own.
    pub(crate) symmetry: Option<PackedSymmetry>,
}

impl WordStore {
    pub(super) fn new(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp], shared: &[bool]) -> Option<Self> {
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
        // The constants that are part of the states come first, in each state and in each image under a permutation.
        let packings = || moving.iter().map(|(_, packing)| packing).chain(variables);
        let packed = match symmetry.is_trivial() {
            true => None,
            false => Some(PackedSymmetry::new(symmetry, &machine.scope().sizes, packings())?),
        };
        // Set-ups that differ only in moving constants have the same number: the words contain the difference.
        let mut kept: Vec<Valuation> = Vec::new();
        let mut numbers = ConstantsTable::new();
        for set_up in set_ups {
            if numbers.insert(set_up_constants(&set_up.constants, &moving)).index() == kept.len() {
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
    pub(super) fn can_be(&self, key: &[u64], state: &mut Vec<u64>) -> bool {
        let set_up = self.layout.decode(key, state);
        let is_below = |(word, limit): (&u64, &Option<u64>)| limit.is_none_or(|limit| *word < limit);
        set_up.index() < self.constants.len() && state.iter().zip(&self.limits).all(is_below) && self.layout.has_no_more(key)
    }

    /// The id of an entry.
    pub(super) fn id(&self, entry: u32) -> StateId {
        assert!(entry < BYTES, "a search runs out of memory before it has 2^31 states");
        StateId(entry)
    }

    /// Appends the words of a state and returns the number of its constants; `None` if it does not fit words.
    pub(crate) fn pack(&self, machine: &Machine, state: &[Value], out: &mut Vec<u64>) -> Option<ConstantsNumber> {
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

    /// The state encoded by these words.
    pub(super) fn unpack(&self, machine: &Machine, set_up: ConstantsNumber, words: &[u64]) -> Valuation {
        let mut constants = self.constants[set_up.index()].clone();
        for (at, packing, own) in self.moving_in(words) {
            constants[at] = packing.unpack(own);
        }
        machine.unpack(&constants, &words[self.moving_words..])
    }

    /// The constants in the words of a state, each with its own words.
    pub(super) fn moving_in<'w>(&'w self, words: &'w [u64]) -> impl Iterator<Item = (usize, &'w Packing, &'w [u64])> {
        let mut rest = words;
        self.moving.iter().map(move |(constant, packing)| {
            let (own, others) = rest.split_at(packing.words());
            rest = others;
            (*constant, packing, own)
        })
    }

    /// Reads an entry: its words, and the number of its constants.
    pub(crate) fn read(&self, entry: u32, key: &mut Vec<u64>, words: &mut Vec<u64>) -> ConstantsNumber {
        key.clear();
        key.resize(self.layout.key_words(), 0);
        self.table.read(entry, key);
        self.layout.decode(key, words)
    }
}

/// The constants that are not part of the states.
fn set_up_constants<'a>(constants: &'a [Value], moving: &'a [(usize, Packing)]) -> impl Iterator<Item = &'a Value> + Clone {
    // It is these that `WordStore::numbers` numbers.
    let stands = |at: usize| moving.iter().any(|(moving, _)| *moving == at);
    constants.iter().enumerate().filter(move |(at, _)| !stands(*at)).map(|(_, value)| value)
}
