//! Keys of representatives: general ones, and those of a plain search whose states are words.
//!
//! Invariant: one run uses one kind, and equal states have equal keys. Deliberately elsewhere: the bytes themselves (`state`).

use super::setup::SetUp;
use crate::eval::Machine;
use crate::state::{Layout, WordLayout};
use crate::symmetry::Symmetry;
use crate::value::packing::Packing;
use crate::value::{Valuation, Value};

/// The keys of one run.
pub(super) struct Keys {
    general: Layout,
    /// Set when states are kept as words.
    pub(super) words: Option<WordKeys>,
}

/// Keys of states that are words.
pub(super) struct WordKeys {
    pub(super) layout: WordLayout,
    /// The constants of each set-up, by number.
    pub(super) constants: Vec<Valuation>,
}

impl Keys {
    pub(super) fn new(machine: &Machine, symmetry: &Symmetry, set_ups: &[SetUp]) -> Self {
        let model = machine.model();
        let shared: Vec<bool> = model.constants.values().map(|constant| !symmetry.moves_type(&constant.ty)).collect();
        let mut general = Layout::with_shared(&model.valuation_types(), machine.scope(), &shared);
        for set_up in set_ups {
            general.share(&set_up.constants);
        }
        let constants: Vec<Valuation> = set_ups.iter().map(|set_up| set_up.constants.clone()).collect();
        let fits =
            machine.is_packed() && symmetry.is_trivial() && constants.iter().all(|constants| machine.packed_state(constants).is_some());
        let words = fits.then(|| WordKeys {
            layout: WordLayout::new(machine.packings().1.iter().flat_map(Packing::widths).collect(), !model.constants.is_empty()),
            constants,
        });
        Self { general, words }
    }

    /// Appends the key of a state, whose constants are probably those with number `likely`.
    pub(super) fn encode(&self, machine: &Machine, likely: Option<u32>, state: &[Value], out: &mut Vec<u8>) {
        let Some(keys) = &self.words else { return self.general.encode_beside(likely, state, out) };
        let own = &state[..machine.model().constants.len()];
        let set_up = keys.constants.iter().position(|constants| constants == own).expect("every state belongs to a set-up");
        let set_up = u32::try_from(set_up).expect("there are fewer than 2^32 set-ups");
        let mut words = Vec::new();
        if machine.pack(state, &mut words) {
            keys.layout.encode(set_up, &words, out);
        } else {
            keys.layout.mark_general(set_up, out);
            self.general.encode_beside(likely, state, out);
        }
    }

    /// The number of the constants in a general key, as a hint for the keys of successors.
    pub(super) fn likely(&self, key: &[u8]) -> Option<u32> {
        if self.words.is_some() { None } else { self.general.shared_number(key) }
    }

    /// The state of a key.
    pub(super) fn decode(&self, machine: &Machine, key: &[u8]) -> Valuation {
        let Some(keys) = &self.words else { return self.general.decode(key) };
        let mut words = Vec::new();
        match keys.layout.decode(key, &mut words) {
            (set_up, Ok(())) => machine.unpack(&keys.constants[set_up as usize], &words),
            (_, Err(at)) => self.general.decode(&key[at..]),
        }
    }
}
