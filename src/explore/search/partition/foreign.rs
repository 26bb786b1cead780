//! Foreign states: those of other processes, to be sent to their owners.
//!
//! Each worker writes the foreign states that it finds into a list for each owner, which is sent at the end of the superstep
//! (`candidates`), and remembers some of them: a state found again soon is not sent again. A forgotten one is sent again, and its owner
//! knows it. Packed states are looked up in the cache of recent offers, like own ones; if ids are compared, and for keys of bytes, in
//! `sent`. Invariant: the last rank sent for a state, or to be sent at the end of the current superstep, is the least with which the worker
//! has found it since it forgot the state. Deliberately elsewhere: the states of this process (`store`), which process owns which
//! (`owners`), the form of a list (`message`).

use super::super::word_store::WordStore;
use super::message::StatesWriter;
use super::owners::Owners;
use super::sent::SentKeys;
use crate::count::tally::{OrbitClass, Orbits};
use bcheck_durable::log::Key;
use bcheck_state::{Offered, Rank, StateId, WordWriter};
use crossbeam::queue::SegQueue;

/// Tag bit of the ids of foreign states in lists that have local ids as well.
const FOREIGN: u32 = 1 << 30;

/// The foreign states that one worker finds.
pub(crate) struct ForeignWriter {
    owners: Owners,
    /// Whether distinct foreign states need distinct ids: under symmetry, arrows are counted by the id of their successor.
    needs_ids: bool,
    keys: SentKeys,
    /// By owner: those found since the last batch was taken.
    lists: Vec<StatesWriter>,
    /// Scratch: the places of foreign states among those that are offered together.
    places: Vec<u32>,
    own: Portion,
}

/// Those of some successors that belong to this process, with their positions among all of them.
#[derive(Default)]
struct Portion {
    places: Vec<u32>,
    ranks: Vec<Rank>,
    keys: Vec<u64>,
    /// The outcomes of their offers.
    offered: Vec<Offered>,
}

impl Portion {
    /// Takes the ranks and keys at its places over from those of all; keys have this many words.
    fn gather(&mut self, keys: &[u64], ranks: &[Rank], width: usize) {
        let Self { places, ranks: own_ranks, keys: own_keys, offered } = self;
        offered.clear();
        own_ranks.clear();
        own_ranks.extend(places.iter().map(|place| ranks[*place as usize]));
        own_keys.clear();
        match width {
            1 => own_keys.extend(places.iter().map(|place| keys[*place as usize])),
            _ => places.iter().for_each(|place| own_keys.extend_from_slice(&keys[*place as usize * width..][..width])),
        }
    }
}

/// The id of a foreign state.
fn marked(number: u32) -> u32 {
    assert!(number & FOREIGN == 0, "a slice finds fewer than 2^30 foreign states");
    number | FOREIGN
}

/// An id of a state of this process must not look like one of a foreign state.
pub(in super::super) fn check_unmarked(id: StateId) {
    assert!(!is_foreign(id.0), "one of several processes runs out of memory before it has 2^30 states");
}

/// Whether this is the id of a foreign state.
pub(in super::super) fn is_foreign(id: u32) -> bool {
    id & FOREIGN != 0
}

impl ForeignWriter {
    pub(in super::super) fn new(owners: Owners, needs_ids: bool) -> Self {
        let (keys, own) = (SentKeys::default(), Portion::default());
        Self { owners, needs_ids, keys, lists: vec![StatesWriter::default(); owners.processes], places: Vec::new(), own }
    }

    /// Offers a state if it is foreign; returns its id. `class` computes its orbit size, needed if it is unknown.
    pub(in super::super) fn offer(&mut self, key: Key<'_>, rank: Rank, class: impl FnOnce() -> OrbitClass) -> Option<StateId> {
        if self.owners.is_own(key) {
            return None;
        }
        let (number, is_new) = self.keys.number(key);
        if is_new {
            self.add(key, rank, class());
        }
        Some(StateId(marked(number)))
    }

    /// Puts a foreign state on the list of its owner.
    pub(in super::super) fn add(&mut self, key: Key<'_>, rank: Rank, class: OrbitClass) {
        self.lists[self.owners.owner(key)].push(key, rank, class);
    }

    /// Offers states of words in the order of their ranks, those of this process to its table; the outcome of each is appended to `out`.
    /// Foreign ones with ids that are new are to be [added](Self::add); without ids they are on their lists then, as no orbit size is to be
    /// found.
    pub(in super::super) fn offer_all(
        &mut self,
        store: &WordStore,
        writer: &mut WordWriter,
        (keys, ranks): (&[u64], &[Rank]),
        out: &mut Vec<Offered>,
    ) {
        let width = store.layout.key_words();
        let Self { owners, needs_ids, keys: numbered, lists, places, own } = self;
        let first = out.len();
        out.resize(first + ranks.len(), Offered { entry: FOREIGN, is_new: false });
        let out = &mut out[first..];
        // Owners follow no pattern, so there is no branch on them: each index is written to both lists, and kept where the count advances.
        places.resize(ranks.len(), 0);
        own.places.resize(ranks.len(), 0);
        let (mut of_own, mut of_others) = (0, 0);
        for (place, key) in (0..).zip(keys.chunks_exact(width.max(1))) {
            let is_own = owners.is_own(Key::Words(key));
            (own.places[of_own], places[of_others]) = (place, place);
            of_own += usize::from(is_own);
            of_others += usize::from(!is_own);
        }
        own.places.truncate(of_own);
        own.gather(keys, ranks, width);
        store.table.offer_all(writer, &own.keys, &own.ranks, &mut own.offered);
        for (place, offered) in own.places.iter().zip(&own.offered) {
            check_unmarked(store.id(offered.entry));
            out[*place as usize] = *offered;
        }
        let of_place = |place: u32| (&keys[place as usize * width..][..width], ranks[place as usize]);
        if *needs_ids {
            for place in &places[..of_others] {
                let (number, is_new) = numbered.number(Key::Words(of_place(*place).0));
                out[*place as usize] = Offered { entry: marked(number), is_new };
            }
            return;
        }
        // Nor on what was sent before: the others move to the front.
        let mut unknown = 0;
        for at in 0..of_others {
            let place = places[at];
            let is_known = store.table.note_elsewhere(writer, of_place(place).0);
            places[unknown] = place;
            unknown += usize::from(!is_known);
        }
        for place in &places[..unknown] {
            let (words, rank) = of_place(*place);
            let key = Key::Words(words);
            lists[owners.owner(key)].push(key, rank, Orbits::SINGLE);
        }
    }

    /// The lists of the finds since the last call, by owner; non-empty ones are replaced by `emptied` ones.
    pub(in super::super) fn take(&mut self, emptied: &SegQueue<StatesWriter>) -> Vec<StatesWriter> {
        self.keys.forget_many();
        let full = self.lists.iter_mut().map(|list| match list.bytes().is_empty() {
            true => StatesWriter::default(),
            false => std::mem::replace(list, emptied.pop().unwrap_or_default()),
        });
        full.collect()
    }
}
