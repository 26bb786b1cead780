//! Remote states: those of other processes, as long as it is of use to know that they were found.
//!
//! They are kept in tables of their own, small enough for the processor's cache: what is found again soon is not sent again. At the end of
//! a slice those that are new there go to their owners (`newcomers`). Once there are many, all are forgotten between two slices: what is
//! found again then is sent again, and its owner knows it.
//! Invariant: a state in these tables was sent to its owner with the least rank that this process has found it with, or will be at the
//! end of the current slice.
//! Deliberately elsewhere: the states of this process (`store`), which process has which (`owners`).

use super::super::offers::{NewState, Offers};
use super::super::store::{Slice, Store, WordStore};
use super::owners::Owners;
use crate::durable::log::Key;
use crate::explore::count::tally::OrbitClass;
use crate::state::{Find, Offered, StateId, WordWriter};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tag bit of the ids of remote states in lists that have local ids as well.
const REMOTE: u32 = 1 << 30;
/// So many remote states, or bytes of their tables, are kept from one slice to the next.
const MOST_STATES: usize = if cfg!(test) { 1 << 4 } else { 1 << 18 };
const MOST_BYTES: usize = 1 << 24;

/// The remote states that this process has found lately; all its workers share them.
pub(in crate::explore) struct RemoteStates {
    owners: Owners,
    pub(super) store: Store,
    /// How often all were forgotten.
    forgotten: AtomicU64,
}

/// What one worker offers remote states with, and those that are new since the last slice.
pub(in crate::explore) struct RemoteWriter {
    words: WordWriter,
    found: Vec<NewState>,
    /// How often all had been forgotten when this worker last forgot them.
    forgotten: u64,
    own: Portion,
    others: Portion,
}

/// Some of the successors that are offered together, with their places among all of them.
#[derive(Default)]
struct Portion {
    places: Vec<u32>,
    ranks: Vec<u64>,
    keys: Vec<u64>,
    /// What became of them.
    offered: Vec<Offered>,
}

impl Portion {
    /// Takes the ranks and keys at its places over from those of all; keys have this many words.
    fn gather(&mut self, keys: &[u64], ranks: &[u64], width: usize) {
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

/// The id of a remote state, marked.
fn marked(id: u32) -> u32 {
    assert!(id & REMOTE == 0, "remote states are forgotten before there are 2^30");
    id | REMOTE
}

/// An id of a state of this process must not look like one of a remote state.
pub(in super::super) fn check_unmarked(id: StateId) {
    assert!(id.0 & REMOTE == 0, "one of several processes runs out of memory before it has 2^30 states");
}

/// The id of a remote state in its tables; `None` if it is no remote one.
pub(in super::super) fn remote(id: u32) -> Option<StateId> {
    (id & REMOTE != 0).then_some(StateId(id & !REMOTE))
}

impl RemoteStates {
    /// None so far; `store` is an empty one, like that of this process.
    pub(in super::super) fn new(owners: Owners, store: Store) -> Self {
        Self { owners, store, forgotten: AtomicU64::new(0) }
    }

    /// Whether a state belongs to this process.
    #[inline]
    pub(in super::super) fn is_own(&self, key: Key<'_>) -> bool {
        self.owners.is_own(key)
    }

    /// Ends a slice.
    pub(in super::super) fn close_slice(&self) -> Slice {
        self.store.close_slice()
    }

    /// Forgets all remote states if there are many. No worker may be active; each forgets them before its next offer.
    pub(super) fn forget_many(&self) {
        let sizes = self.store.sizes();
        if sizes.states() >= MOST_STATES || self.store.memory(sizes, 0) >= MOST_BYTES {
            self.store.spill();
            // Relaxed: whatever starts a worker after that orders the two.
            self.forgotten.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl RemoteWriter {
    pub(in super::super) fn new() -> Self {
        // The tables of remote states are small enough by themselves.
        Self { words: WordWriter::of_distinct_keys(), found: Vec::new(), forgotten: 0, own: Portion::default(), others: Portion::default() }
    }

    /// Whether no other worker offers in the slices to come.
    pub(in super::super) fn work_alone(&mut self, alone: bool) {
        self.words.alone = alone;
    }

    /// Forgets what was forgotten since the last call.
    pub(in super::super) fn keep_up(&mut self, remote: &RemoteStates) {
        let forgotten = remote.forgotten.load(Ordering::Relaxed);
        if self.forgotten != forgotten {
            self.forgotten = forgotten;
            self.words.forget();
        }
    }

    /// Offers a remote state; gives its id, marked. `class`: its orbit size, asked for if it is new.
    pub(in super::super) fn offer(
        &mut self,
        remote: &RemoteStates,
        key: Key<'_>,
        rank: u64,
        class: impl FnOnce() -> OrbitClass,
    ) -> StateId {
        let (id, is_new) = remote.store.offer(&mut self.words, key, rank).expect("both stores have the same keys");
        if is_new {
            self.add(rank, id, class());
        }
        StateId(marked(id.0))
    }

    /// A remote state is new.
    pub(in super::super) fn add(&mut self, rank: u64, id: StateId, class: OrbitClass) {
        self.found.push(NewState { rank, id, class });
    }

    /// Offers states of words, each to the tables that are to have it, in the order of their ranks; the outcome of each is appended to
    /// `out`. Entries of remote states are marked.
    pub(in super::super) fn offer_all(
        &mut self,
        (remote, store): (&RemoteStates, &WordStore),
        writer: &mut WordWriter,
        (keys, ranks): (&[u64], &[u64]),
        out: &mut Vec<Offered>,
    ) {
        let width = store.layout.key_words();
        let Self { words, own, others, .. } = self;
        // Owners follow no pattern, so there is no branch on them: each place is written to both lists, and kept where the count moves on.
        own.places.resize(ranks.len(), 0);
        others.places.resize(ranks.len(), 0);
        let (mut of_own, mut of_others) = (0, 0);
        for place in 0..ranks.len() {
            let is_own = remote.is_own(Key::Words(&keys[place * width..][..width]));
            (own.places[of_own], others.places[of_others]) = (place as u32, place as u32);
            of_own += usize::from(is_own);
            of_others += usize::from(!is_own);
        }
        own.places.truncate(of_own);
        others.places.truncate(of_others);
        own.gather(keys, ranks, width);
        others.gather(keys, ranks, width);
        let first = out.len();
        out.resize(first + ranks.len(), Offered { entry: 0, is_new: false });
        let out = &mut out[first..];
        store.table.offer_all(writer, &own.keys, &own.ranks, &mut own.offered);
        for (place, offered) in own.places.iter().zip(&own.offered) {
            check_unmarked(store.id(offered.entry));
            out[*place as usize] = *offered;
        }
        let table = &remote.store.words.as_ref().expect("both stores have the same keys").table;
        table.offer_all(words, &others.keys, &others.ranks, &mut others.offered);
        for (place, Offered { entry, is_new }) in others.places.iter().zip(&others.offered) {
            out[*place as usize] = Offered { entry: marked(*entry), is_new: *is_new };
        }
    }

    /// What was found since the last call; `empty` has the lists to be filled next.
    pub(in super::super) fn take(&mut self, empty: Offers) -> Offers {
        let Offers { found, finds, notes } = empty;
        let finds: Vec<Find> = self.words.take_finds(finds);
        Offers { found: std::mem::replace(&mut self.found, found), finds, notes }
    }
}
