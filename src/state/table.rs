//! The visited set of the general tier: keys of bytes to [`StateId`]s, shared by all workers of a search.
//!
//! Invariant: one id per key, one key per id, compared byte by byte: no two states are ever taken for one.
//!
//! An id is the place where a state is stored, and depends on which worker came first; so nothing that is printed may depend on it. The
//! *rank* of a state does not depend on the workers. The search chooses it: the number of the parent and the ordinal of the step, in one
//! word. A state is *fresh* from its first offer until the next [`StateTable::close_slice`]. While it is fresh it keeps the least rank it
//! was offered with; afterwards its rank never changes. So the rank of each state names the first step that reaches it, for any number of
//! workers, and the search numbers the states of a slice in the order of their ranks (`explore`).
//!
//! Each shard is a hash table of positions in an append-only list of entries; the bytes lie in segments that never move.
//! Deliberately elsewhere: what keys mean (`layout`), states of words (`word_table`), the search itself (`explore`).

use bcheck_value::codec::{get_number, put_number};
use crossbeam::utils::CachePadded;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Shards, each with a separate lock: with this many, lock contention is rare.
const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
/// Fixed, so that keys have the same hash in every process.
const SEED: u64 = 0x6263_6865_636b;
/// Segments double in size from the first to the last of these, in bytes.
const FIRST_SEGMENT: usize = 1 << 10;
const LARGEST_SEGMENT: usize = 1 << 20;

/// Where a state is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// The order number of the step that found a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Rank(pub u64);

impl Rank {
    /// No step has this rank.
    pub const NONE: Self = Self(u64::MAX);

    /// The rank that is so much greater.
    #[inline]
    #[must_use]
    pub const fn plus(self, steps: u64) -> Self {
        Self(self.0 + steps)
    }

    /// How many ranks there are from an earlier one on, without this one; none if it is no earlier one.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The concurrent visited set.
#[derive(Debug)]
pub struct StateTable {
    shards: Box<[CachePadded<Mutex<Shard>>]>,
    /// The number of places in all shards when growth was last reported.
    reported: AtomicUsize,
}

#[derive(Debug)]
struct Entry {
    segment: u32,
    start: u32,
    rank: Rank,
}

#[derive(Debug, Default)]
struct Shard {
    /// Positions in `entries`.
    places: HashTable<u32>,
    entries: Vec<Entry>,
    /// Entries from here on are fresh.
    first_fresh: usize,
    /// Each key is led by its length and lies in one segment. Segments never grow beyond their first capacity.
    segments: Vec<Vec<u8>>,
}

fn hash(key: &[u8]) -> u64 {
    xxh3_64_with_seed(key, SEED)
}

/// The shard of a key, from the middle of its hash. The hash table uses the bits at both ends: if keys of one shard agreed in these, they
/// would collide there.
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
    /// Stores a key behind the others. Segments are never reallocated, so adding a key copies no other one.
    fn append(segments: &mut Vec<Vec<u8>>, key: &[u8], rank: Rank) -> Entry {
        // Ten bytes suffice for every length. The rest of the last segment stays unused; a key too long for any gets its own segment.
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
    fn offer(&mut self, hash_of_key: u64, key: &[u8], rank: Rank) -> (u32, bool) {
        // The hash table has positions only, four bytes each: keys are compared, and hashed again when it grows, where they are stored.
        let Shard { places, entries, first_fresh, segments } = self;
        let same = |place: &u32| key_at(segments, &entries[*place as usize]) == key;
        let rehash = |place: &u32| hash(key_at(segments, &entries[*place as usize]));
        match places.entry(hash_of_key, same, rehash) {
            Slot::Occupied(slot) => {
                // The rank of a fresh state is the least so far; that of any other state is final.
                let place = *slot.get();
                let entry = &mut entries[place as usize];
                if place as usize >= *first_fresh && rank < entry.rank {
                    entry.rank = rank;
                }
                (place, false)
            }
            Slot::Vacant(slot) => {
                // An id has room for the place above the bits of the shard.
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
        StateTable { shards: (0..SHARDS).map(|_| CachePadded::new(Mutex::new(Shard::default()))).collect(), reported: AtomicUsize::new(0) }
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().expect("nothing panics while it holds a shard")
    }

    /// Finds or inserts a key: its id, and whether it is new. A fresh state stores the least of the ranks it is offered with.
    pub fn offer(&self, key: &[u8], rank: Rank) -> (StateId, bool) {
        // Hashed before the lock is taken: the longer the key, the longer others would wait.
        let hash = hash(key);
        let shard = shard_of(hash);
        let (place, is_new) = self.lock(shard).offer(hash, key, rank);
        (StateId::new(shard, place), is_new)
    }

    /// Calls `read` with the key of a state. Part of the table is locked meanwhile, so `read` must not use the table.
    ///
    /// # Panics
    /// When the id is from another table.
    pub fn with_key<R>(&self, id: StateId, read: impl FnOnce(&[u8]) -> R) -> R {
        let shard = self.lock(id.shard());
        read(key_at(&shard.segments, &shard.entries[id.place()]))
    }

    /// The rank of a state: final when it is no longer fresh.
    ///
    /// # Panics
    /// When the id is from another table.
    #[must_use]
    pub fn rank(&self, id: StateId) -> Rank {
        self.lock(id.shard()).entries[id.place()].rank
    }

    /// Forgets all states: ids mean other ones from here on. No other thread may use the table meanwhile.
    pub fn clear(&self) {
        (0..SHARDS).for_each(|shard| *self.lock(shard) = Shard::default());
        self.reported.store(0, Ordering::Relaxed);
    }

    /// The number of states, and the bytes that they take.
    pub fn measure(&self) -> (usize, usize) {
        (0..SHARDS).fold((0, 0), |(states, bytes), shard| {
            let shard = self.lock(shard);
            let places = shard.places.capacity() * (size_of::<u32>() + 2) + shard.entries.capacity() * size_of::<Entry>();
            (states + shard.entries.len(), bytes + places + shard.segments.iter().map(Vec::capacity).sum::<usize>())
        })
    }

    /// Ends a slice: fixes the ranks of the fresh states, and returns their number. No other thread may offer at the same time, or its
    /// states may end up in either slice.
    pub fn close_slice(&self) -> usize {
        let (mut fresh, mut keys, mut slots) = (0, 0, 0);
        for shard in 0..SHARDS {
            let mut shard = self.lock(shard);
            fresh += shard.entries.len() - shard.first_fresh;
            shard.first_fresh = shard.entries.len();
            (keys, slots) = (keys + shard.entries.len(), slots + shard.places.capacity());
        }
        // Shards grow one at a time, within offers: reported here, once all together have room for twice as many keys. Relaxed: slices are
        // closed by one thread at a time.
        if slots > 0 && slots >= 2 * self.reported.load(Ordering::Relaxed) {
            self.reported.store(slots, Ordering::Relaxed);
            tracing::debug!(target: "bcheck::state", slots, keys, "the visited set of bytes grew");
        }
        fresh
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
        closed: BTreeMap<Vec<u8>, Rank>,
        fresh: BTreeMap<Vec<u8>, Rank>,
    }

    impl Reference {
        fn offer(&mut self, key: &[u8], rank: Rank) {
            if !self.closed.contains_key(key) {
                let least = self.fresh.entry(key.to_vec()).or_insert(rank);
                *least = rank.min(*least);
            }
        }

        fn close_slice(&mut self) -> usize {
            let fresh = self.fresh.len();
            self.closed.append(&mut self.fresh);
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
                            let (id, is_new) = table.offer(bytes, Rank(*rank as u64));
                            assert_eq!(&&key(table, id), bytes);
                            new.fetch_add(usize::from(is_new), Ordering::Relaxed);
                        }
                    });
                }
            });
            ranked.iter().for_each(|(rank, bytes)| reference.offer(bytes, Rank(*rank as u64)));
            let fresh = table.close_slice();
            assert_eq!((fresh, new.into_inner()), (reference.close_slice(), fresh), "each state is new exactly once");
        }
        assert_eq!(table.close_slice(), 0);
        for (bytes, rank) in &reference.closed {
            let (id, is_new) = table.offer(bytes, Rank(0));
            assert_eq!((&key(&table, id), table.rank(id), is_new), (bytes, *rank, false));
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
    fn a_table_that_was_cleared_is_as_a_new_one() {
        let (table, other) = (StateTable::new(), StateTable::new());
        (0..3000u32).for_each(|key| _ = table.offer(&key.to_le_bytes(), Rank(7)));
        let (states, bytes) = table.measure();
        assert!(states == 3000 && bytes > 3000 * 5, "{bytes}");
        table.clear();
        assert_eq!(table.measure(), (0, 0));
        for key in (0..3000u32).rev() {
            let (bytes, rank) = (key.to_le_bytes(), Rank(key.into()));
            assert_eq!(table.offer(&bytes, rank), other.offer(&bytes, rank));
        }
        assert_eq!((table.close_slice(), other.close_slice()), (3000, 3000));
    }

    #[test]
    fn a_rank_does_not_change_after_its_slice() {
        let table = StateTable::new();
        let (id, is_new) = table.offer(b"state", Rank(7));
        assert!(is_new);
        assert_eq!(table.offer(b"state", Rank(5)), (id, false));
        assert_eq!(table.offer(b"state", Rank(9)), (id, false));
        assert_eq!(table.close_slice(), 1);
        assert_eq!(table.offer(b"state", Rank(1)), (id, false));
        assert_eq!(table.rank(id), Rank(5));
        let is_new = |key: &[u8]| table.offer(key, Rank(1)).1;
        assert!(is_new(b"stat") && is_new(b"") && !is_new(b""), "the empty key is a key");
    }
}
