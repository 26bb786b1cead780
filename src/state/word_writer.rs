//! A worker's part in a visited set of words: the entries it has taken, its finds since the last barrier, its cache of recent offers.
//!
//! Ranks are not in shared memory. The ranks of one worker's offers ascend, so only its first offer of a key since the barrier can have
//! the least one: that with which it inserted the key, or a [`Find`]. The least over all workers is computed after the barrier.
//! Invariant: for each entry since the last barrier, a worker records at most one find, and none for entries that it inserted itself.
//! Deliberately elsewhere: the table that is offered to (`word_table`), the final ranks (`explore`).

use super::atomic::{AtomicU32, Ordering};
use super::recent::Recent;
use super::table::Rank;
use fixedbitset::FixedBitSet;
use std::ops::Range;

/// A worker reserves one entry per WRITTEN_PER_RESERVED written since the barrier, at most MOST_RESERVED.
const WRITTEN_PER_RESERVED: u32 = 64;
pub(super) const MOST_RESERVED: u32 = 32;

/// No reservation begins from here on. The rest up to 2^32 is for workers that have not noticed: each one ends at its first reservation
/// beyond, so the counter never wraps.
const ENTRY_LIMIT: u32 = u32::MAX - (1 << 24);

/// A worker's part in a [`WordTable`](super::word_table::WordTable).
#[derive(Debug, Default)]
pub struct WordWriter {
    /// An entry whose key another worker inserted first: written, but no slot refers to it.
    pub(super) spare: Option<u32>,
    /// Entries that only this worker may write, to be used next.
    reserved: Range<u32>,
    /// The number of entries written since the last barrier.
    written: u32,
    /// The first entry since the last barrier, as of the last recorded find.
    barrier: u32,
    /// From there on, the entries that this worker has made or found.
    seen: FixedBitSet,
    pub(super) finds: Vec<Find>,
    pub(super) recent: Recent,
    /// Whether no other worker offers between the same barriers, so that there are no finds to record.
    pub alone: bool,
}

/// The first time that a worker found a key that another one has entered since the last barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    /// The rank of the offer.
    pub rank: Rank,
    /// The entry of the key.
    pub entry: u32,
}

/// The result of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The entry of the key.
    pub entry: u32,
    /// Whether this offer inserted it.
    pub is_new: bool,
}

impl WordWriter {
    /// A writer of keys that seldom come again soon.
    pub fn of_distinct_keys() -> Self {
        Self { recent: Recent::small(), ..Self::default() }
    }

    /// The finds since the last call, which is to be made before the barrier; further ones go to an empty list.
    #[must_use]
    pub fn take_finds(&mut self, empty: Vec<Find>) -> Vec<Find> {
        debug_assert!(empty.is_empty(), "each find is noted once");
        std::mem::replace(&mut self.finds, empty)
    }

    /// Forgets all entries, as the table did.
    pub fn forget(&mut self) {
        let mut recent = std::mem::take(&mut self.recent);
        recent.clear();
        *self = Self { alone: self.alone, recent, ..Self::default() };
    }

    /// Records an offer made after the barrier at `barrier`: a find, unless the key is older, this worker's own, or found before.
    #[inline]
    pub(super) fn note(&mut self, barrier: u32, offered: Offered, rank: Rank) {
        let Offered { entry, is_new } = offered;
        if self.alone || entry < barrier {
            return;
        }
        // After a later barrier, bits denote other entries. If `barrier` is the same, no entry lies between the two, and no bit is set.
        if self.barrier != barrier {
            self.barrier = barrier;
            self.seen.clear();
        }
        let place = (entry - barrier) as usize;
        if place >= self.seen.len() {
            self.seen.grow((place + 1).next_power_of_two());
        }
        // The first offer of a new key marks it as seen too, so that this worker's later offers of it are not finds.
        if !self.seen.put(place) && !is_new {
            self.finds.push(Find { rank, entry });
        }
    }

    /// An entry that nobody else uses; `entries` counts those handed out to all workers. Workers take several at once, or they would
    /// contend for the counter; but few compared with those that they have written, because the remainder is wasted at a barrier.
    ///
    ///
    /// When nearly 2^32 entries have been handed out.
    pub(super) fn free_entry(&mut self, barrier: u32, entries: &AtomicU32) -> u32 {
        // Entries from before the last barrier would not count as new.
        let spare = self.spare.take().filter(|entry| *entry >= barrier);
        if self.reserved.start < barrier {
            (self.reserved, self.written) = (0..0, 0);
        }
        self.written += 1;
        spare.or_else(|| self.reserved.next()).unwrap_or_else(|| {
            let count = (self.written / WRITTEN_PER_RESERVED).clamp(1, MOST_RESERVED);
            // Relaxed: that no two workers get one entry only takes an atomic addition; nothing is published through the counter.
            let first = entries.fetch_add(count, Ordering::Relaxed);
            assert!(first < ENTRY_LIMIT, "a search runs out of memory before it has 2^32 states");
            self.reserved = first + 1..first + count;
            first
        })
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::WordTable;

    #[test]
    fn no_entry_is_handed_out_twice_when_numbers_run_out() {
        let entries = AtomicU32::new(ENTRY_LIMIT - 1);
        let ask = || std::panic::catch_unwind(|| WordWriter { written: u32::MAX - 1, ..WordWriter::default() }.free_entry(0, &entries));
        assert_eq!(ask().ok(), Some(ENTRY_LIMIT - 1));
        // Each of many workers ends at its first reservation, and none of them gets an entry from the beginning.
        assert!((0..20).all(|_| ask().is_err()));
        assert!(entries.load(Ordering::Relaxed) >= ENTRY_LIMIT);
    }

    #[test]
    fn only_what_is_new_since_the_last_barrier_is_noted() {
        for alone in [false, true] {
            let (table, mut out) = (WordTable::new(1, 64), Vec::new());
            let (mut writer, mut other) = (WordWriter { alone, ..WordWriter::default() }, WordWriter::default());
            table.offer_all(&mut other, &[5, 6, 5], &[3, 7, 8].map(Rank), &mut out);
            table.offer_all(&mut writer, &[6, 6], &[4, 5].map(Rank), &mut out);
            assert_eq!(out.iter().map(|offered| offered.is_new).collect::<Vec<_>>(), [true, true, false, false, false]);
            let find = Find { rank: Rank(4), entry: out[1].entry };
            assert_eq!((writer.take_finds(Vec::new()), other.take_finds(Vec::new())), (if alone { vec![] } else { vec![find] }, vec![]));
            let made = table.close_slice();
            assert!(made.start == 0 && made.contains(&find.entry));
            table.offer_all(&mut writer, &[6, 9, 9], &[9, 10, 11].map(Rank), &mut out);
            assert_eq!((writer.take_finds(Vec::new()), out[6].is_new, table.close_slice().contains(&out[6].entry)), (vec![], true, true));
        }
    }
}
