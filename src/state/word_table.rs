//! The visited set for keys that are a fixed number of words: lock-free, compared word by word.
//!
//! An open-addressing array of slots leads to entries, which are keys, in segments that never move.
//! Whoever finds an empty slot writes its entry first and then claims the slot; a loser of that race finds the winner's entry and
//! keeps its own for the next new key.
//!
//! The table does not keep the ranks that keys are offered with. Each worker notes with which rank it first found an entry that
//! another one has made since the last barrier ([`Find`]). As the ranks of a worker ascend, the least rank of an entry is the one it
//! was made with or that of a find, and no memory is written for it that another worker reads.
//!
//! Invariant: one entry per key. Slots are only written once; when three quarters of them are taken, one worker makes twice as many,
//! between two batches of offers, and whoever offers meanwhile waits ([`WordTable::is_growing`] says so before).
//! Deliberately elsewhere: what slots hold and how they grow (`slots`), what a worker offered lately (`recent`), keys of other lengths
//! (`table`), what keys mean (`word_layout`).

use super::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, SlotLock, zeroed};
use super::prefetch::prefetch;
use super::recent::Recent;
use super::slots::{DISPLACED, Hash, Home, Slots};
use crossbeam::utils::CachePadded;
use fixedbitset::FixedBitSet;
use std::ops::Range;
use std::sync::{OnceLock, PoisonError};

/// The first segment has this many entries, each further one as many as all before it together.
const FIRST_SEGMENT_BITS: u32 = if cfg!(loom) { 1 } else { 10 };
/// Room for what all workers may add between two looks at how full it is.
const MARGIN: usize = if cfg!(loom) { 2 * BATCH } else { 256 * (BATCH + MOST_RESERVED as usize) };
/// How many keys are offered between two looks at how full it is.
const BATCH: usize = if cfg!(loom) { 1 } else { 64 };
/// Prefetch distance: the line AHEAD keys early, the entry AHEAD/2, so that cache misses overlap.
const AHEAD: usize = 16;
/// A worker reserves one entry per WRITTEN_PER_RESERVED written since the barrier, at most MOST_RESERVED.
const WRITTEN_PER_RESERVED: u32 = 64;
const MOST_RESERVED: u32 = 32;

/// A visited set of keys of `width` words.
#[derive(Debug)]
pub struct WordTable {
    width: usize,
    /// How many bits of a key of one word are in use.
    bits: u32,
    /// Read for every few keys, so readers must not write to the same memory.
    slots: SlotLock<Slots>,
    /// Whether a worker is about to replace the slots.
    grows: AtomicBool,
    segments: [OnceLock<Segment>; 32],
    /// Entries handed out so far.
    entries: CachePadded<AtomicU32>,
    /// Entries below this one are from before the last barrier.
    settled: AtomicU32,
}

#[derive(Debug)]
struct Segment {
    keys: Box<[AtomicU64]>,
}

/// A worker's part in a [`WordTable`].
#[derive(Debug, Default)]
pub struct WordWriter {
    /// An entry that lost its race.
    spare: Option<u32>,
    /// Entries to be written next.
    reserved: Range<u32>,
    /// How many were written since the last barrier.
    written: u32,
    /// The first entry since the last barrier, and which from there on this worker has made or found.
    settled: u32,
    seen: FixedBitSet,
    finds: Vec<Find>,
    recent: Recent,
    /// Nobody else offers between the same barriers: there is nothing to note.
    pub alone: bool,
}

/// The first time that a worker found a key that another one has entered since the last barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    /// The rank it offered the key with.
    pub rank: u64,
    /// The entry of the key.
    pub entry: u32,
}

impl WordWriter {
    /// The finds since the last call, which is to be made before the barrier; further ones go to an empty list.
    #[must_use]
    pub fn take_finds(&mut self, empty: Vec<Find>) -> Vec<Find> {
        debug_assert!(empty.is_empty(), "each find is noted once");
        std::mem::replace(&mut self.finds, empty)
    }

    /// Notes what was offered after the barrier at `settled`, unless that was done before.
    #[inline]
    fn note(&mut self, settled: u32, offered: Offered, rank: u64) {
        let Offered { entry, is_new } = offered;
        if self.alone || entry < settled {
            return;
        }
        if self.settled != settled {
            self.settled = settled;
            self.seen.clear();
        }
        let place = (entry - settled) as usize;
        if place >= self.seen.len() {
            self.seen.grow((place + 1).next_power_of_two());
        }
        if !self.seen.put(place) && !is_new {
            self.finds.push(Find { rank, entry });
        }
    }
}

/// What became of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The entry of the key.
    pub entry: u32,
    /// Whether this offer entered it.
    pub is_new: bool,
}

/// The segment of an entry and its place there.
fn place(entry: u32) -> (usize, usize) {
    let high = (entry >> FIRST_SEGMENT_BITS).checked_ilog2();
    match high {
        None => (0, entry as usize),
        Some(level) => (level as usize + 1, (entry - (1 << (FIRST_SEGMENT_BITS + level))) as usize),
    }
}

fn segment_len(segment: usize) -> usize {
    1 << (FIRST_SEGMENT_BITS as usize + segment.saturating_sub(1))
}

impl WordTable {
    /// An empty set of keys of `width` words; of a single word, only the lowest `bits` are in use.
    #[must_use]
    pub fn new(width: usize, bits: u32) -> Self {
        let bits = bits.clamp(1, u64::BITS);
        let table = Self {
            width,
            bits,
            slots: SlotLock::new(Slots::new(width, bits)),
            grows: AtomicBool::new(false),
            segments: [const { OnceLock::new() }; 32],
            entries: CachePadded::new(AtomicU32::new(0)),
            settled: AtomicU32::new(0),
        };
        if cfg!(loom) {
            // That whoever makes a segment hands it over to all others is a promise of the standard library, of which loom does not know.
            for number in 0..3 {
                table.segment(number);
            }
        }
        table
    }

    fn segment(&self, number: usize) -> &Segment {
        self.segments[number].get_or_init(|| Segment { keys: zeroed(segment_len(number) * self.width) })
    }

    fn key(&self, entry: u32) -> &[AtomicU64] {
        let (segment, at) = place(entry);
        &self.segment(segment).keys[at * self.width..][..self.width]
    }

    #[inline]
    fn is_key(&self, entry: u32, key: &[u64]) -> bool {
        if let [word] = key {
            let (segment, at) = place(entry);
            return self.segment(segment).keys[at].load(Ordering::Relaxed) == *word;
        }
        self.key(entry).iter().zip(key).all(|(stored, word)| stored.load(Ordering::Relaxed) == *word)
    }

    /// Offers keys, laid one after the other, with their ranks; what became of each is appended to `out`.
    ///
    /// # Panics
    /// When there would be 2^32 keys.
    pub fn offer_all(&self, writer: &mut WordWriter, keys: &[u64], ranks: &[u64], out: &mut Vec<Offered>) {
        if self.width == 0 {
            // All keys are equal.
            return ranks.iter().for_each(|&rank| out.push(self.offer_empty(writer, rank)));
        }
        for (keys, ranks) in keys.chunks(BATCH * self.width).zip(ranks.chunks(BATCH)) {
            self.with_room(|slots| self.offer_batch(slots, writer, keys, ranks, out));
        }
    }

    /// Offers one key; see [`Self::offer_all`].
    ///
    /// # Panics
    /// When there would be 2^32 keys.
    pub fn offer_one(&self, writer: &mut WordWriter, key: &[u64], rank: u64) -> Offered {
        if self.width == 0 {
            return self.offer_empty(writer, rank);
        }
        let settled = self.settled.load(Ordering::Relaxed);
        let offered = self.with_room(|slots| self.offer::<false>(slots, writer, settled, slots.form.home(Hash::of(key, self.bits)), key));
        writer.note(settled, offered, rank);
        offered
    }

    /// Whether an offer would have to wait, because another worker makes room: who has something else to do may offer later.
    pub fn is_growing(&self) -> bool {
        self.grows.load(Ordering::Relaxed)
    }

    /// Runs an offer of at most a batch while the slots stay, after they have grown if need be.
    #[inline]
    fn with_room<R>(&self, offer: impl FnOnce(&Slots) -> R) -> R {
        loop {
            let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
            if self.is_room_in(&slots, 0) {
                return offer(&slots);
            }
            drop(slots);
            self.grow(0);
        }
    }

    fn is_room_in(&self, slots: &Slots, more: usize) -> bool {
        slots.form.has_room(self.entries.load(Ordering::Relaxed) as usize + more + MARGIN)
    }

    /// Makes room for so many more keys, but not much more than there are, so that offers need not wait for it soon after.
    pub fn make_room(&self, more: usize) {
        let more = more.min(self.entries.load(Ordering::Relaxed) as usize / 8);
        let is_room = self.is_room_in(&self.slots.read().unwrap_or_else(PoisonError::into_inner), more);
        if !is_room {
            self.grow(more);
        }
    }

    /// Doubles the slot array unless another worker just did. One thread does it: concurrent first-touch page faults cost more than they
    /// save.
    #[cold]
    fn grow(&self, more: usize) {
        self.grows.store(true, Ordering::Relaxed);
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_room_in(&slots, more) {
            let mut key = vec![0; self.width];
            let hash = |entry| {
                self.read(entry, &mut key);
                Hash::of(&key, self.bits)
            };
            slots.grow(self.width, hash, |entry| prefetch(&self.key(entry)[0]));
        }
        self.grows.store(false, Ordering::Relaxed);
    }

    fn offer_empty(&self, writer: &mut WordWriter, rank: u64) -> Offered {
        let is_new = self.entries.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire).is_ok();
        let offered = Offered { entry: 0, is_new };
        writer.note(self.settled.load(Ordering::Relaxed), offered, rank);
        offered
    }

    fn offer_batch(&self, slots: &Slots, writer: &mut WordWriter, keys: &[u64], ranks: &[u64], out: &mut Vec<Offered>) {
        let key_at = |at: u8| &keys[usize::from(at) * self.width..][..self.width];
        let (first, settled) = (out.len(), self.settled.load(Ordering::Relaxed));
        writer.recent.prepare(self.width);
        // Those that were not offered lately, without a branch that the processor would have to guess.
        let mut rest = [(0, Hash::default()); BATCH];
        let mut count = 0;
        for (at, key) in (0..).zip(keys.chunks_exact(self.width)) {
            let hash = Hash::of(key, self.bits);
            let known = writer.recent.entry(writer.recent.place(hash), key);
            out.push(Offered { entry: known.unwrap_or_default(), is_new: false });
            rest[count] = (at, hash);
            count += usize::from(known.is_none());
        }
        let mut homes = [Home::default(); BATCH];
        for step in 0..count + AHEAD {
            if step < count {
                let home = slots.form.home(rest[step].1);
                prefetch(slots.line(home.line));
                homes[step] = home;
            }
            if !slots.form.tell_keys
                && let Some(at) = step.checked_sub(AHEAD / 2).filter(|at| *at < count)
                && let Some(entry) = slots.likely(homes[at])
            {
                prefetch(&self.key(entry)[0]);
            }
            if let Some(step) = step.checked_sub(AHEAD) {
                let ((at, hash), home) = (rest[step], homes[step]);
                let key = key_at(at);
                let offered = match slots.form.tell_keys {
                    true => self.offer::<true>(slots, writer, settled, home, key),
                    false => self.offer::<false>(slots, writer, settled, home, key),
                };
                writer.note(settled, offered, ranks[usize::from(at)]);
                writer.recent.keep(writer.recent.place(hash), key, offered.entry);
                out[first + usize::from(at)] = offered;
            }
        }
    }

    /// Offers a key; `TELLS`: line and tag determine it.
    #[inline]
    fn offer<const TELLS: bool>(&self, slots: &Slots, writer: &mut WordWriter, settled: u32, home: Home, key: &[u64]) -> Offered {
        if TELLS && let Some(entry) = slots.likely(home) {
            return Offered { entry, is_new: false };
        }
        let (mut line, mut label) = (home.line, home.tag);
        let mut own = None;
        loop {
            for slot in slots.line(line) {
                let mut content = slot.load(Ordering::Acquire);
                if content == 0 {
                    let entry = *own.get_or_insert_with(|| self.write(writer, settled, key));
                    debug_assert!((u64::from(entry) + 1) >> slots.form.entry_bits == 0, "fewer entries than slots");
                    match slot.compare_exchange(0, label | u64::from(entry + 1), Ordering::AcqRel, Ordering::Acquire) {
                        Ok(_) => return Offered { entry, is_new: true },
                        // Somebody else took the slot.
                        Err(other) => content = other,
                    }
                }
                if (content ^ label) >> slots.form.entry_bits == 0
                    && (TELLS && label & DISPLACED == 0 || self.is_key(slots.form.entry(content), key))
                {
                    writer.spare = own.or(writer.spare);
                    return Offered { entry: slots.form.entry(content), is_new: false };
                }
            }
            line = slots.form.after(line);
            label |= DISPLACED;
        }
    }

    /// Writes a key into an entry of its own.
    fn write(&self, writer: &mut WordWriter, settled: u32, key: &[u64]) -> u32 {
        let entry = self.free_entry(writer, settled);
        assert!(entry < u32::MAX, "a search runs out of memory before it has 2^32 states");
        let (segment, at) = place(entry);
        let segment = self.segment(segment);
        for (stored, &word) in segment.keys[at * self.width..].iter().zip(key) {
            stored.store(word, Ordering::Relaxed);
        }
        entry
    }

    /// An entry that nobody else uses. Workers take several at once, or they would wait for each other at the counter; but few
    /// compared with those that they have written, because what is left at a barrier stays unused.
    fn free_entry(&self, writer: &mut WordWriter, settled: u32) -> u32 {
        // Entries from before the last barrier would not count as new.
        let spare = writer.spare.take().filter(|entry| *entry >= settled);
        if writer.reserved.start < settled {
            (writer.reserved, writer.written) = (0..0, 0);
        }
        writer.written += 1;
        spare.or_else(|| writer.reserved.next()).unwrap_or_else(|| {
            let count = (writer.written / WRITTEN_PER_RESERVED).clamp(1, MOST_RESERVED);
            let first = self.entries.fetch_add(count, Ordering::Relaxed);
            writer.reserved = first + 1..first + count;
            first
        })
    }

    /// Reads the key of an entry.
    pub fn read(&self, entry: u32, key: &mut [u64]) {
        key.iter_mut().zip(self.key(entry)).for_each(|(word, stored)| *word = stored.load(Ordering::Relaxed));
    }

    /// Ends what counts as one time between barriers, and gives the entries of it; some of them may not have been used. No thread
    /// may offer at the same time.
    pub fn settle(&self) -> Range<u32> {
        let end = self.entries.load(Ordering::Relaxed);
        self.settled.swap(end, Ordering::Relaxed)..end
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    /// Offers keys from several threads; everything must be as in a map of least ranks.
    fn compare(keys: &[Vec<u64>], width: usize, threads: usize) {
        let bits = keys.iter().flatten().map(|word| u64::BITS - word.leading_zeros()).max().unwrap_or(0);
        let table = WordTable::new(width, bits);
        let mut reference: BTreeMap<&[u64], u64> = BTreeMap::new();
        for (rank, key) in (0..).zip(keys) {
            reference.entry(key).and_modify(|least| *least = rank.min(*least)).or_insert(rank);
        }
        let entries: Mutex<BTreeMap<Vec<u64>, u32>> = Mutex::default();
        let finds: Mutex<Vec<Find>> = Mutex::default();
        let new = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for worker in 0..threads {
                let (table, entries, finds, new) = (&table, &entries, &finds, &new);
                scope.spawn(move || {
                    let (mut writer, mut own_finds) = (WordWriter::default(), Vec::new());
                    let own: Vec<(u64, &Vec<u64>)> = (0..).zip(keys).skip(worker).step_by(threads).collect();
                    for batch in own.chunks(50) {
                        let laid: Vec<u64> = batch.iter().flat_map(|(_, key)| key.iter().copied()).collect();
                        let ranks: Vec<u64> = batch.iter().map(|(rank, _)| *rank).collect();
                        let mut out = Vec::new();
                        table.offer_all(&mut writer, &laid, &ranks, &mut out);
                        assert_eq!(out.len(), batch.len());
                        for (offered, (rank, key)) in out.iter().zip(batch) {
                            if offered.is_new {
                                own_finds.push(Find { rank: *rank, entry: offered.entry });
                            }
                            let mut stored = vec![0; width];
                            table.read(offered.entry, &mut stored);
                            assert_eq!(&&stored, key);
                            new.fetch_add(u32::from(offered.is_new), Ordering::Relaxed);
                            let known = *entries.lock().unwrap().entry(stored).or_insert(offered.entry);
                            assert_eq!(known, offered.entry, "one entry per key");
                        }
                    }
                    assert!(writer.finds.is_sorted_by_key(|find| find.rank), "ranks ascend");
                    own_finds.append(&mut writer.take_finds(Vec::new()));
                    finds.lock().unwrap().extend(own_finds);
                });
            }
        });
        assert_eq!(new.into_inner() as usize, reference.len(), "each key is new exactly once");
        let (entries, finds) = (entries.into_inner().unwrap(), finds.into_inner().unwrap());
        let made = table.settle();
        assert!(finds.len() <= reference.len() * threads && finds.iter().all(|find| made.contains(&find.entry)));
        let mut least: BTreeMap<u32, u64> = BTreeMap::new();
        for Find { rank, entry } in finds {
            least.entry(entry).and_modify(|least| *least = rank.min(*least)).or_insert(rank);
        }
        for (key, rank) in reference {
            assert_eq!(least[&entries[key]], rank);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn any_number_of_threads_agrees_with_a_map(
            keys in prop::collection::vec(prop::collection::vec(0..6u64, 3), 0..400),
            threads in 1..9usize,
        ) {
            compare(&keys, 3, threads);
        }
    }

    #[test]
    fn it_grows_while_eight_threads_offer() {
        let keys: Vec<Vec<u64>> = (0..60_000u64).map(|at| vec![at * 7 % 40_000, 3]).collect();
        compare(&keys, 2, 8);
    }

    #[test]
    fn room_is_made_before_it_is_needed() {
        let (table, mut writer, mut out) = (WordTable::new(1, 64), WordWriter::default(), Vec::new());
        let keys: Vec<u64> = (0..10_000).collect();
        table.offer_all(&mut writer, &keys, &keys, &mut out);
        let bits = || table.slots.read().unwrap().form.entry_bits;
        let before = bits();
        for _ in 0..3 {
            // Once for as many as there may be, and not again.
            table.make_room(usize::MAX);
            assert_eq!((bits(), table.is_growing()), (before, false), "an eighth more fits");
        }
        let more: Vec<u64> = (0..11_000).collect();
        table.offer_all(&mut writer, &more, &more, &mut out);
        table.make_room(1_000_000);
        table.make_room(1_000_000);
        assert_eq!((bits(), table.is_growing()), (before + 1, false));
        table.offer_all(&mut writer, &more, &more, &mut out);
        assert!(out[21_000..].iter().zip(&out[10_000..]).all(|(again, first)| !again.is_new && again.entry == first.entry));
    }

    #[test]
    fn words_of_few_bits_are_told_apart_without_their_keys() {
        for (bits, count) in [(1, 2), (5, 32), (17, 100_000), (44, 60_000), (59, 60_000), (60, 60_000)] {
            let keys: Vec<Vec<u64>> = (0..count).map(|at: u64| vec![at.wrapping_mul(0x5851_f42d_4c95_7f2d) % (1 << bits)]).collect();
            compare(&keys, 1, 4);
        }
    }

    #[test]
    fn only_what_is_new_since_the_last_barrier_is_noted() {
        for alone in [false, true] {
            let (table, mut out) = (WordTable::new(1, 64), Vec::new());
            let (mut writer, mut other) = (WordWriter { alone, ..WordWriter::default() }, WordWriter::default());
            table.offer_all(&mut other, &[5, 6, 5], &[3, 7, 8], &mut out);
            table.offer_all(&mut writer, &[6, 6], &[4, 5], &mut out);
            assert_eq!(out.iter().map(|offered| offered.is_new).collect::<Vec<_>>(), [true, true, false, false, false]);
            let find = Find { rank: 4, entry: out[1].entry };
            assert_eq!((writer.take_finds(Vec::new()), other.take_finds(Vec::new())), (if alone { vec![] } else { vec![find] }, vec![]));
            let made = table.settle();
            assert!(made.start == 0 && made.contains(&find.entry));
            table.offer_all(&mut writer, &[6, 9, 9], &[9, 10, 11], &mut out);
            assert_eq!((writer.take_finds(Vec::new()), out[6].is_new, table.settle().contains(&out[6].entry)), (vec![], true, true));
        }
    }

    #[test]
    fn keys_of_no_words_are_one_key() {
        compare(&vec![Vec::new(); 5], 0, 2);
    }

    #[test]
    fn entries_lie_in_segments_without_gaps() {
        let mut expected = (0, 0);
        for entry in 0..1 << 14 {
            assert_eq!(place(entry), expected);
            expected.1 += 1;
            if expected.1 == segment_len(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
