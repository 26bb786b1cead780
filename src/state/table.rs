//! The visited set: keys (bytes) to [`StateId`]s, shared by all workers of a search.
//!
//! Invariant: one id per key, one key per id, compared byte by byte: no two states are ever taken for one.
//!
//! Ids say where a state is stored; which worker came first decides them, so nothing that is printed may depend on them. What
//! does not depend on the workers is the *rank*, chosen by the search, for instance (number of the parent, number of the
//! successor) in one word. A level-synchronous search works like this:
//!
//! ```text
//! loop {
//!     for each state of the level, in parallel:  for each successor:  table.offer(key, rank)
//!     for Fresh { rank, id } in table.settle():  number the state, put it into the next level
//! }
//! ```
//!
//! A state is *fresh* from the first offer until the next [`StateTable::settle`]. While it is fresh it keeps the least rank it
//! was offered with; afterwards its rank never changes, whatever is offered. Since `settle` returns the fresh states by rank,
//! the order of the search is the same for any number of workers, and the rank of each state names the first way to reach it.
//!
//! Each shard is a hash table of positions in an append-only list of entries; the bytes lie in segments that never move.
//! Deliberately elsewhere: what keys mean (`layout`), the search itself (`explore`).

use crate::value::codec::{get_number, put_number};
use crossbeam::utils::CachePadded;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
/// Fixed, so that keys have the same hash in every process.
const SEED: u64 = 0x6263_6865_636b;
/// Segments double in size from the first to the last of these.
const FIRST_SEGMENT: usize = 1 << 10;
const LARGEST_SEGMENT: usize = 1 << 20;

/// Where a state is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// A state that was new since the last [`StateTable::settle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fresh {
    /// The least rank it was offered with.
    pub rank: u64,
    /// The state.
    pub id: StateId,
}

/// The concurrent visited set.
#[derive(Debug)]
pub struct StateTable {
    shards: Box<[CachePadded<Mutex<Shard>>]>,
    len: CachePadded<AtomicUsize>,
}

#[derive(Debug)]
struct Entry {
    segment: u32,
    start: u32,
    rank: u64,
}

#[derive(Debug, Default)]
struct Shard {
    /// Positions in `entries`.
    places: HashTable<u32>,
    entries: Vec<Entry>,
    /// Entries from here on are fresh.
    settled: usize,
    /// Each key is led by its length and lies in one segment. Segments never grow beyond their first capacity.
    segments: Vec<Vec<u8>>,
}

fn hash(key: &[u8]) -> u64 {
    xxh3_64_with_seed(key, SEED)
}

/// The table looks at the top and the bottom of the hash; the shard must not, or its keys would all look alike there.
fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

fn key_at<'a>(segments: &'a [Vec<u8>], entry: &Entry) -> &'a [u8] {
    let segment = &segments[entry.segment as usize];
    let mut at = entry.start as usize;
    let length = get_number(segment, &mut at) as usize;
    &segment[at..at + length]
}

impl Shard {
    /// Stores a key behind the others.
    fn append(segments: &mut Vec<Vec<u8>>, key: &[u8], rank: u64) -> Entry {
        // Ten bytes hold every length.
        let needed = key.len() + 10;
        let room = segments.last().is_some_and(|segment| segment.capacity() - segment.len() >= needed);
        if !room {
            let next = segments.last().map_or(FIRST_SEGMENT, |segment| (segment.capacity() * 2).min(LARGEST_SEGMENT));
            segments.push(Vec::with_capacity(next.max(needed)));
        }
        let number = segments.len() - 1;
        let segment = &mut segments[number];
        let start = segment.len();
        put_number(key.len() as u64, segment);
        segment.extend_from_slice(key);
        let small = |number: usize| u32::try_from(number).expect("a shard has fewer than 2^32 segments, and keys fewer than 2^32 bytes");
        Entry { segment: small(number), start: small(start), rank }
    }

    /// The position of a key, and whether it is new.
    fn offer(&mut self, hash_of_key: u64, key: &[u8], rank: u64) -> (u32, bool) {
        let Shard { places, entries, settled, segments } = self;
        let same = |place: &u32| key_at(segments, &entries[*place as usize]) == key;
        let rehash = |place: &u32| hash(key_at(segments, &entries[*place as usize]));
        match places.entry(hash_of_key, same, rehash) {
            Slot::Occupied(slot) => {
                let place = *slot.get();
                let entry = &mut entries[place as usize];
                if place as usize >= *settled && rank < entry.rank {
                    entry.rank = rank;
                }
                (place, false)
            }
            Slot::Vacant(slot) => {
                let place = u32::try_from(entries.len()).ok().filter(|place| place >> (32 - SHARD_BITS) == 0);
                let place = place.expect("a search runs out of memory before it has 2^32 states");
                slot.insert(place);
                entries.push(Self::append(segments, key, rank));
                (place, true)
            }
        }
    }
}

impl StateId {
    fn new(shard: usize, place: u32) -> Self {
        StateId(place << SHARD_BITS | shard as u32)
    }

    fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    fn place(self) -> usize {
        (self.0 >> SHARD_BITS) as usize
    }
}

impl Default for StateTable {
    fn default() -> Self {
        Self::new()
    }
}

impl StateTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        StateTable {
            shards: (0..SHARDS).map(|_| CachePadded::new(Mutex::new(Shard::default()))).collect(),
            len: CachePadded::new(AtomicUsize::new(0)),
        }
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().expect("nothing panics while it holds a shard")
    }

    /// Adds a key, or finds it: its id, and whether it is new. A fresh state keeps the least of the ranks it is offered with.
    pub fn offer(&self, key: &[u8], rank: u64) -> (StateId, bool) {
        let hash = hash(key);
        let shard = shard_of(hash);
        let (place, is_new) = self.lock(shard).offer(hash, key, rank);
        if is_new {
            self.len.fetch_add(1, Ordering::Relaxed);
        }
        (StateId::new(shard, place), is_new)
    }

    /// Adds a key, or finds it, for searches that do not rank.
    pub fn insert(&self, key: &[u8]) -> (StateId, bool) {
        self.offer(key, u64::MAX)
    }

    /// The id of a key that was added.
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<StateId> {
        let hash = hash(key);
        let shard = self.lock(shard_of(hash));
        let place = shard.places.find(hash, |place| key_at(&shard.segments, &shard.entries[*place as usize]) == key);
        place.map(|place| StateId::new(shard_of(hash), *place))
    }

    /// Whether a key was added.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        self.find(key).is_some()
    }

    /// Replaces the content of `out` by the key of a state.
    ///
    /// # Panics
    /// When the id is from another table.
    pub fn get(&self, id: StateId, out: &mut Vec<u8>) {
        out.clear();
        self.with_key(id, |key| out.extend_from_slice(key));
    }

    /// Calls `read` with the key of a state. Part of the table is locked meanwhile, so `read` must not use the table.
    ///
    /// # Panics
    /// When the id is from another table.
    pub fn with_key<R>(&self, id: StateId, read: impl FnOnce(&[u8]) -> R) -> R {
        let shard = self.lock(id.shard());
        read(key_at(&shard.segments, &shard.entries[id.place()]))
    }

    /// The rank of a state: final once it was settled.
    ///
    /// # Panics
    /// When the id is from another table.
    #[must_use]
    pub fn rank(&self, id: StateId) -> u64 {
        self.lock(id.shard()).entries[id.place()].rank
    }

    /// Ends a level: returns the fresh states in ascending order of their ranks, and fixes these. No other thread may offer
    /// at the same time, or its states may end up in either level.
    #[must_use = "the fresh states are not listed again"]
    pub fn settle(&self) -> Vec<Fresh> {
        let mut fresh = Vec::new();
        for number in 0..SHARDS {
            let mut shard = self.lock(number);
            let first = shard.settled;
            fresh.extend((first..).zip(&shard.entries[first..]).map(|(place, entry)| Fresh {
                rank: entry.rank,
                id: StateId::new(number, u32::try_from(place).expect("positions were checked when they were given out")),
            }));
            shard.settled = shard.entries.len();
        }
        fresh.sort_unstable();
        fresh
    }

    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there are no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory in use, in bytes, to within a few percent.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let of_shard = |shard: &Shard| {
            let segments: usize = shard.segments.iter().map(Vec::capacity).sum();
            segments + shard.entries.capacity() * size_of::<Entry>() + shard.places.allocation_size()
        };
        size_of_val(&*self.shards) + (0..SHARDS).map(|number| of_shard(&self.lock(number))).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The obvious table: the least rank of each key, level by level.
    #[derive(Default)]
    struct Reference {
        settled: BTreeMap<Vec<u8>, u64>,
        fresh: BTreeMap<Vec<u8>, u64>,
    }

    impl Reference {
        fn offer(&mut self, key: &[u8], rank: u64) {
            if !self.settled.contains_key(key) {
                let least = self.fresh.entry(key.to_vec()).or_insert(rank);
                *least = rank.min(*least);
            }
        }

        fn settle(&mut self) -> Vec<(u64, Vec<u8>)> {
            let mut fresh: Vec<(u64, Vec<u8>)> = self.fresh.iter().map(|(key, rank)| (*rank, key.clone())).collect();
            self.settled.append(&mut self.fresh);
            fresh.sort();
            fresh
        }
    }

    fn key(table: &StateTable, id: StateId) -> Vec<u8> {
        table.with_key(id, <[u8]>::to_vec)
    }

    /// Offers each level's keys (ranked by position) from several threads, and compares each level with the reference.
    fn compare_with_reference(levels: &[Vec<Vec<u8>>], threads: usize) {
        let (table, mut reference) = (StateTable::new(), Reference::default());
        for level in levels {
            let ranked: Vec<(usize, &Vec<u8>)> = level.iter().enumerate().collect();
            let new = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for worker in 0..threads {
                    let (table, ranked, new) = (&table, &ranked, &new);
                    scope.spawn(move || {
                        // Backwards, so that ranks often have to be lowered.
                        for (rank, bytes) in ranked.iter().rev().skip(worker).step_by(threads) {
                            let (id, is_new) = table.offer(bytes, *rank as u64);
                            assert_eq!(&&key(table, id), bytes);
                            new.fetch_add(usize::from(is_new), Ordering::Relaxed);
                        }
                    });
                }
            });
            ranked.iter().for_each(|(rank, bytes)| reference.offer(bytes, *rank as u64));
            let fresh = table.settle();
            let settled: Vec<(u64, Vec<u8>)> = fresh.iter().map(|Fresh { rank, id }| (*rank, key(&table, *id))).collect();
            assert_eq!(settled, reference.settle());
            assert_eq!(new.into_inner(), fresh.len(), "each state is new exactly once");
        }
        assert!(table.settle().is_empty());
        assert_eq!(table.len(), reference.settled.len());
        for (bytes, rank) in &reference.settled {
            let id = table.find(bytes).unwrap();
            assert_eq!((&key(&table, id), table.rank(id)), (bytes, *rank));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn any_number_of_threads_agrees_with_the_reference(
            levels in prop::collection::vec(prop::collection::vec(prop::collection::vec(0..4u8, 0..5), 0..200), 1..4),
            threads in 1..9usize,
        ) {
            compare_with_reference(&levels, threads);
        }
    }

    #[test]
    fn many_states_of_many_lengths_under_eight_threads() {
        let bytes = |seed: u64| {
            let length = if seed.is_multiple_of(5000) { 70_000 } else { seed % 40 };
            (0..length).map(|place| (seed >> (place % 8)) as u8).chain(seed.to_le_bytes()).collect::<Vec<u8>>()
        };
        let levels: Vec<Vec<Vec<u8>>> =
            (0..3u64).map(|level| (0..20_000).map(|place| bytes((place * 7 + level * 4000) % 16_000)).collect()).collect();
        compare_with_reference(&levels, 8);
    }

    #[test]
    fn a_settled_rank_does_not_change() {
        let table = StateTable::new();
        let (id, is_new) = table.offer(b"state", 7);
        assert!(is_new);
        assert_eq!(table.offer(b"state", 5), (id, false));
        assert_eq!(table.offer(b"state", 9), (id, false));
        assert_eq!(table.settle(), [Fresh { rank: 5, id }]);
        assert_eq!(table.offer(b"state", 1), (id, false));
        assert_eq!(table.rank(id), 5);
        assert!(table.contains(b"state") && !table.contains(b"stat"));
    }

    #[test]
    fn memory_grows_with_the_states_and_the_empty_key_is_a_key() {
        let table = StateTable::new();
        assert!(table.is_empty());
        let empty = table.memory_bytes();
        assert!(table.insert(b"").1 && !table.insert(b"").1);
        for number in 0..10_000u32 {
            table.insert(&number.to_le_bytes());
        }
        assert_eq!(table.len(), 10_001);
        let each = (table.memory_bytes() - empty) / table.len();
        assert!((20..120).contains(&each), "{each} bytes per state");
    }
}
