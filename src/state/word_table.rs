//! The visited set for keys that are a fixed number of words: lock-free, compared word by word.
//!
//! A hash table with linear probing: an array of slots refers to entries, whose keys lie in segments that never move. A worker that finds
//! an empty slot first writes its key into an entry and then claims the slot by compare-and-swap; the loser of a race for a slot finds the
//! winner's entry and reuses its own for the next new key.
//!
//! Invariant: one entry per key. Slots are written once until they grow. Before more than three quarters of them are occupied, one worker
//! doubles them, between two batches of offers, and offers wait for it ([`WordTable::is_growing`] lets a worker do something else).
//! Deliberately elsewhere: contents of slots and how they grow (`slots`), keys of entries (`segments`), ranks of offers and the part of
//! each worker (`word_writer`, `recent`), keys of other lengths (`table`), what keys mean (`word_layout`).

use super::atomic::{AtomicBool, AtomicU32, Ordering, SlotLock};
use super::prefetch::prefetch;
use super::segments::Segments;
use super::slots::{DISPLACED, Hash, Home, Slots};
use super::table::Rank;
use super::word_writer::{MOST_RESERVED, Offered, WordWriter};
use crossbeam::utils::CachePadded;
use std::ops::Range;
use std::sync::PoisonError;

/// The workers that an empty set has room for.
const FEW_WORKERS: usize = if cfg!(loom) { 2 } else { 256 };
/// The most entries that a worker takes between two checks for room: one per key of a batch, and the reserved ones, which under loom are
/// more than its few offers use.
const TAKEN: usize = if cfg!(loom) { BATCH } else { BATCH + MOST_RESERVED as usize };
/// The number of keys that a worker offers between two checks for room.
const BATCH: usize = if cfg!(loom) { 1 } else { 64 };
/// Prefetch distance: the line AHEAD keys early, the entry AHEAD/2, so that cache misses overlap.
const AHEAD: usize = 16;

/// How full a table is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Occupancy {
    /// Places for keys.
    pub slots: usize,
    /// Those that are taken.
    pub keys: usize,
    /// Keys that are not in their own line of slots, as it was full.
    pub displaced: usize,
    /// Lines of slots that are read to find each key once.
    pub probes: usize,
}

/// A visited set of keys of `width` words.
#[derive(Debug)]
pub struct WordTable {
    width: usize,
    /// How many bits of a key of one word are in use.
    bits: u32,
    /// Room for the entries that all workers may take between two checks for room.
    margin: usize,
    /// Locked for reading by every batch of offers, so its readers must not write to the same cache line; locked for writing to grow.
    slots: SlotLock<Slots>,
    /// Whether a worker is about to replace the slots. A hint: nothing is read or written on the strength of it.
    grows: AtomicBool,
    segments: Segments,
    /// The number of entries taken by workers: at least that of the occupied slots.
    entries: CachePadded<AtomicU32>,
    /// The first entry since the last barrier.
    barrier: AtomicU32,
}

impl WordTable {
    /// An empty set of keys of `width` words; of a single word, only the lowest `bits` are in use.
    #[must_use]
    pub fn new(width: usize, bits: u32) -> Self {
        let bits = bits.clamp(1, u64::BITS);
        Self {
            width,
            bits,
            margin: FEW_WORKERS * TAKEN,
            slots: SlotLock::new(Slots::new(width, bits)),
            grows: AtomicBool::new(false),
            segments: Segments::new(width),
            entries: CachePadded::new(AtomicU32::new(0)),
            barrier: AtomicU32::new(0),
        }
    }

    /// Prepares for concurrent offers by this many workers; without this call, for [`FEW_WORKERS`].
    pub fn prepare_for(&mut self, workers: usize) {
        self.margin = self.margin.max(workers * TAKEN);
    }

    /// Offers keys, laid one after the other, with their ranks; the outcome of each offer is appended to `out`.
    ///
    /// # Panics
    /// When there would be 2^32 keys.
    pub fn offer_all(&self, writer: &mut WordWriter, keys: &[u64], ranks: &[Rank], out: &mut Vec<Offered>) {
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
    pub fn offer_one(&self, writer: &mut WordWriter, key: &[u64], rank: Rank) -> Offered {
        if self.width == 0 {
            return self.offer_empty(writer, rank);
        }
        let barrier = self.barrier.load(Ordering::Relaxed);
        let offered = self.with_room(|slots| self.offer::<false>(slots, writer, barrier, slots.form.home(Hash::of(key, self.bits)), key));
        writer.note(barrier, offered, rank);
        offered
    }

    /// Enters a key that is never offered to this table into the writer's cache of recent offers; whether it was there.
    #[inline]
    pub fn note_elsewhere(&self, writer: &mut WordWriter, key: &[u64]) -> bool {
        writer.recent.prepare(self.width);
        let place = writer.recent.place(Hash::of(key, self.bits));
        let is_known = writer.recent.entry(place, key).is_some();
        writer.recent.keep(place, key, 0);
        is_known
    }

    /// Whether an offer would have to wait, because another worker grows the slots: a worker with other work may offer later.
    pub fn is_growing(&self) -> bool {
        self.grows.load(Ordering::Relaxed)
    }

    /// Runs an offer of at most a batch on slots with room for it, which do not grow meanwhile.
    #[inline]
    fn with_room<R>(&self, offer: impl FnOnce(&Slots) -> R) -> R {
        loop {
            // The lock is held during the whole offer: no other thread moves the slots meanwhile, and a thread that locks them for writing
            // later sees all slots that the offer has claimed, and all keys that it has written.
            let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
            if self.is_room_in(&slots, 0) {
                return offer(&slots);
            }
            drop(slots);
            self.grow(0);
        }
    }

    /// Whether the slots have room for all entries, `more`, and what workers may add before they check again.
    fn is_room_in(&self, slots: &Slots, more: usize) -> bool {
        // Relaxed: a worker sees at least the count after its own latest addition. So one that has taken entries beyond the room notices
        // at its next check: beyond it, no worker takes more entries than those of one batch.
        slots.form.has_room(self.entries.load(Ordering::Relaxed) as usize + more + self.margin)
    }

    /// Makes room for `more` keys ahead of time, so that offers need not wait for it soon after.
    pub fn make_room(&self, more: usize) {
        // At most an eighth more keys: a large slice must not double slots that would have been large enough. Relaxed, as an estimate
        // suffices: each offer checks for room again.
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
        // Relaxed: the lock orders the slots. Every worker that comes here stores false after its own true, so the flag ends up false.
        self.grows.store(true, Ordering::Relaxed);
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        // Checked again under the lock: of several workers that found no room, the first one to get here makes it for all.
        let grown = (!self.is_room_in(&slots, more)).then(|| {
            let mut key = vec![0; self.width];
            // The lock was acquired after all offers released it, so relaxed loads see the keys of all entries that slots refer to.
            let hash = |entry| {
                self.read(entry, &mut key);
                Hash::of(&key, self.bits)
            };
            slots.grow(self.width, hash, |entry| self.segments.prefetch(entry));
            slots.form.slots()
        });
        self.grows.store(false, Ordering::Relaxed);
        // Reported once others can continue: a log may be slow.
        drop(slots);
        if let Some(slots) = grown {
            report_growth(slots, self.entries.load(Ordering::Relaxed));
        }
    }

    /// Offers the only key of zero words, which needs no slot: it is entry 0, inserted by the first worker that increments the count.
    fn offer_empty(&self, writer: &mut WordWriter, rank: Rank) -> Offered {
        // Relaxed: the exchange decides who is first, and the key has no words that would have to be published.
        let is_new = self.entries.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        let offered = Offered { entry: 0, is_new };
        writer.note(self.barrier.load(Ordering::Relaxed), offered, rank);
        offered
    }

    /// Offers at most [`BATCH`] keys, in order of their ranks. Three stages form a software pipeline, each some keys ahead of the next
    /// one: prefetching a key's line, prefetching the entry in that line, and the offer itself.
    fn offer_batch(&self, slots: &Slots, writer: &mut WordWriter, keys: &[u64], ranks: &[Rank], out: &mut Vec<Offered>) {
        let key_at = |at: u8| &keys[usize::from(at) * self.width..][..self.width];
        // `barrier` only changes at barriers, and whatever starts a worker after a barrier orders the two: relaxed is enough.
        let (first, barrier) = (out.len(), self.barrier.load(Ordering::Relaxed));
        writer.recent.prepare(self.width);
        // Those that were not offered lately, without a branch to be mispredicted: each is written, and kept if the count advances.
        let mut rest = [(0, Hash::default()); BATCH];
        let mut count = 0;
        for (at, key) in (0..).zip(keys.chunks_exact(self.width)) {
            let hash = Hash::of(key, self.bits);
            let known = writer.recent.entry(writer.recent.place(hash), key);
            // For an unknown key, a placeholder.
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
            // Where slots determine keys, no key is read, so there is nothing to prefetch.
            if !slots.form.is_exact
                && let Some(at) = step.checked_sub(AHEAD / 2).filter(|at| *at < count)
                && let Some(entry) = slots.likely(homes[at])
            {
                self.segments.prefetch(entry);
            }
            if let Some(step) = step.checked_sub(AHEAD) {
                let ((at, hash), home) = (rest[step], homes[step]);
                let key = key_at(at);
                // A key that occurs twice in a batch may be offered twice; the second offer then finds the entry of the first.
                let offered = match slots.form.is_exact {
                    true => self.offer::<true>(slots, writer, barrier, home, key),
                    false => self.offer::<false>(slots, writer, barrier, home, key),
                };
                writer.note(barrier, offered, ranks[usize::from(at)]);
                writer.recent.keep(writer.recent.place(hash), key, offered.entry);
                out[first + usize::from(at)] = offered;
            }
        }
    }

    /// Offers a key; `EXACT`: line and tag determine it.
    ///
    /// All offers of a key probe slots in the same order and claim only the first empty one, and slots are never emptied. So a worker that
    /// probes past the slot of its key compares it, and finds it: no key is inserted twice, and an empty slot proves that a key is
    /// missing.
    #[inline]
    fn offer<const EXACT: bool>(&self, slots: &Slots, writer: &mut WordWriter, barrier: u32, home: Home, key: &[u64]) -> Offered {
        // Most keys are known and lie in their own line; nothing but the line is read for them.
        if EXACT && let Some(entry) = slots.likely(home) {
            return Offered { entry, is_new: false };
        }
        let (mut line, mut label) = (home.line, home.tag);
        // The entry with the key written, once an empty slot was found: it is reused for the next slot if another worker is faster.
        let mut own = None;
        // Ends: fewer entries are handed out than there are slots, so some slot is empty.
        loop {
            for slot in slots.line(line) {
                // Acquire, here and where the exchange fails: pairs with the release of the exchange that claimed the slot, before which
                // the key was written. So the relaxed loads of `is_key`, and later readers of the entry, see the key.
                let mut content = slot.load(Ordering::Acquire);
                if content == 0 {
                    let entry = *own.get_or_insert_with(|| self.write(writer, barrier, key));
                    debug_assert!((u64::from(entry) + 1) >> slots.form.entry_bits == 0, "fewer entries than slots");
                    // Release publishes the key. What it acquires does not matter: empty slots are made by threads that hold the lock.
                    match slot.compare_exchange(0, label | u64::from(entry + 1), Ordering::AcqRel, Ordering::Acquire) {
                        Ok(_) => return Offered { entry, is_new: true },
                        // Another worker was faster, possibly with the same key: its content is examined like any other.
                        Err(other) => content = other,
                    }
                }
                // Equal in all bits above the entry: the tag, and whether the key is displaced. A displaced key may belong to any earlier
                // line, so there line and tag do not determine it.
                if (content ^ label) >> slots.form.entry_bits == 0
                    && (EXACT && label & DISPLACED == 0 || self.segments.is_key(slots.form.entry(content), key))
                {
                    // If the spare entry was used, `own` was it; else it stays: no entry is lost.
                    writer.spare = own.or(writer.spare);
                    return Offered { entry: slots.form.entry(content), is_new: false };
                }
            }
            // The line is full and stays so: the key, if it is there, was displaced from it.
            line = slots.form.after(line);
            label |= DISPLACED;
        }
    }

    /// Writes a key into an entry of its own.
    fn write(&self, writer: &mut WordWriter, barrier: u32, key: &[u64]) -> u32 {
        let entry = writer.free_entry(barrier, &self.entries);
        self.segments.write(entry, key);
        entry
    }

    /// Reads the key of an entry.
    // The search calls it for each state that it expands.
    #[inline]
    pub fn read(&self, entry: u32, key: &mut [u64]) {
        self.segments.read(entry, key);
    }

    /// Removes all keys. No thread may use the table meanwhile, and every writer must [forget](WordWriter::forget) before its next offer.
    pub fn clear(&self) {
        *self.slots.write().unwrap_or_else(PoisonError::into_inner) = Slots::new(self.width, self.bits);
        // Segments keep their memory: a key is written again before a slot refers to its entry. Relaxed, as starting a worker orders these
        // stores with its loads.
        self.entries.store(0, Ordering::Relaxed);
        self.barrier.store(0, Ordering::Relaxed);
    }

    /// The number of entries that workers have taken.
    #[allow(clippy::len_without_is_empty, reason = "a table without entries is of no interest")]
    pub fn len(&self) -> usize {
        self.entries.load(Ordering::Relaxed) as usize
    }

    /// The bytes of slots and keys once there are `more` further keys.
    pub fn memory(&self, more: usize) -> usize {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner).form.memory_for(self.len() + more + self.margin);
        slots + (self.len() + more) * self.width * size_of::<u64>()
    }

    /// How full the slots are, and what it takes to find each key once. No thread may offer at the same time.
    pub fn occupancy(&self) -> Occupancy {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let (mut key, lines) = (vec![0; self.width], slots.lines());
        let mut found = Occupancy { slots: slots.form.slots(), ..Occupancy::default() };
        for (line, content) in (0..lines).flat_map(|line| slots.held(line).map(move |content| (line, content))) {
            (found.keys, found.probes) = (found.keys + 1, found.probes + 1);
            if content & DISPLACED != 0 {
                self.read(slots.form.entry(content), &mut key);
                found.displaced += 1;
                found.probes += (line + lines - slots.form.home(Hash::of(&key, self.bits)).line) % lines;
            }
        }
        found
    }

    /// Ends a slice: sets a barrier, and returns the entries taken since the one before; some of them may be unused. No thread may offer
    /// at the same time.
    pub fn close_slice(&self) -> Range<u32> {
        // Relaxed: workers have handed over their batches before, and get their next ones after it; that orders both with their offers.
        let end = self.entries.load(Ordering::Relaxed);
        self.barrier.swap(end, Ordering::Relaxed)..end
    }
}

fn report_growth(slots: usize, keys: u32) {
    // Loom builds this file without most dependencies.
    #[cfg(not(loom))]
    tracing::debug!(target: "bcheck::state", slots, keys, "the visited set of words grew");
    #[cfg(loom)]
    let _ = (slots, keys);
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::Find;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    /// Offers keys from several threads; everything must be as in a map of least ranks.
    fn compare(keys: &[Vec<u64>], width: usize, threads: usize) {
        let bits = keys.iter().flatten().map(|word| u64::BITS - word.leading_zeros()).max().unwrap_or(0);
        let table = WordTable::new(width, bits);
        let mut reference: BTreeMap<&[u64], Rank> = BTreeMap::new();
        for (rank, key) in (0..).map(Rank).zip(keys) {
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
                    let own: Vec<(Rank, &Vec<u64>)> = (0..).map(Rank).zip(keys).skip(worker).step_by(threads).collect();
                    for batch in own.chunks(50) {
                        let laid: Vec<u64> = batch.iter().flat_map(|(_, key)| key.iter().copied()).collect();
                        let ranks: Vec<Rank> = batch.iter().map(|(rank, _)| *rank).collect();
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
        let made = table.close_slice();
        assert!(finds.len() <= reference.len() * threads && finds.iter().all(|find| made.contains(&find.entry)));
        let mut least: BTreeMap<u32, Rank> = BTreeMap::new();
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
    fn full_batches_of_all_workers_fit_beside_what_has_room() {
        for workers in [1, 256, 385, 1024] {
            let mut table = WordTable::new(1, 64);
            table.prepare_for(workers);
            table.offer_one(&mut WordWriter::default(), &[7], Rank(0));
            let slots = table.slots.read().unwrap().form.slots();
            let most = (0..slots).take_while(|entries| table.slots.read().unwrap().form.has_room(entries + table.margin)).count();
            assert!(most + workers * TAKEN < slots, "{workers} workers, {slots} slots");
        }
    }

    #[test]
    fn keys_of_other_tables_are_remembered_and_not_entered() {
        for width in [1, 2] {
            let (table, mut writer, mut out) = (WordTable::new(width, 64), WordWriter::default(), Vec::new());
            let key = |word: u64| vec![word; width];
            assert_eq!([0, 7, 0, 7].map(|word| table.note_elsewhere(&mut writer, &key(word))), [false, false, true, true]);
            table.offer_all(&mut writer, &[key(5), key(6), key(5)].concat(), &[1, 2, 3].map(Rank), &mut out);
            assert_eq!(out.iter().map(|offered| (offered.entry, offered.is_new)).collect::<Vec<_>>(), [(0, true), (1, true), (0, false)]);
            let known = (100..200_000).filter(|word| table.note_elsewhere(&mut writer, &key(*word))).count();
            assert_eq!((known, table.len()), (0, 2), "none was noted before");
            writer.forget();
            assert!(!table.note_elsewhere(&mut writer, &key(199_999)));
        }
    }

    #[test]
    fn room_is_made_before_it_is_needed() {
        let (table, mut writer, mut out) = (WordTable::new(1, 64), WordWriter::default(), Vec::new());
        let keys: Vec<u64> = (0..10_000).collect();
        let ranks = |keys: &[u64]| keys.iter().copied().map(Rank).collect::<Vec<_>>();
        table.offer_all(&mut writer, &keys, &ranks(&keys), &mut out);
        let bits = || table.slots.read().unwrap().form.entry_bits;
        let before = bits();
        for _ in 0..3 {
            // Once for as many as there may be, and not again.
            table.make_room(usize::MAX);
            assert_eq!((bits(), table.is_growing()), (before, false), "an eighth more fits");
        }
        let more: Vec<u64> = (0..11_000).collect();
        table.offer_all(&mut writer, &more, &ranks(&more), &mut out);
        table.make_room(1_000_000);
        table.make_room(1_000_000);
        assert_eq!((bits(), table.is_growing()), (before + 1, false));
        table.offer_all(&mut writer, &more, &ranks(&more), &mut out);
        assert!(out[21_000..].iter().zip(&out[10_000..]).all(|(again, first)| !again.is_new && again.entry == first.entry));
    }

    #[test]
    fn words_of_few_bits_are_distinguished_without_their_keys() {
        for (bits, count) in [(1, 2), (5, 32), (17, 100_000), (44, 60_000), (59, 60_000), (60, 60_000)] {
            let keys: Vec<Vec<u64>> = (0..count).map(|at: u64| vec![at.wrapping_mul(0x5851_f42d_4c95_7f2d) % (1 << bits)]).collect();
            compare(&keys, 1, 4);
        }
    }

    #[test]
    fn keys_of_no_words_are_one_key() {
        compare(&vec![Vec::new(); 5], 0, 2);
    }
}
