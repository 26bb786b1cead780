//! A cache of the keys that a worker offered lately, so that most keys which recur soon are not looked up in the shared slots.
//!
//! It is direct-mapped and fits the processor's second-level cache: neighbouring states have many successors in common, and a line of the
//! shared slots, which other workers write to, costs several times as much.
//! Invariant: a key that is reported as known was offered before by the same worker, and so with a lower rank: offering it again changes
//! nothing. Keys that are never offered to the table may be cached as well; their entries are not read. The cache belongs to one worker,
//! so it has no atomics. Deliberately elsewhere: the visited set itself (`word_table`).

use super::slots::Hash;

/// The most memory that the cache takes, in bytes, unless a single key is longer.
const BYTES: usize = 1 << 20;

/// The cache: some of the recently offered keys, with their entries.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The words of one key after the other.
    keys: Box<[u64]>,
    /// The number of its entry plus one; 0 where there is no key. The system allocates zeroed memory only where it is touched.
    entries: Box<[u32]>,
    /// Keeps one key only.
    is_small: bool,
}

impl Recent {
    /// For a writer whose keys seldom recur soon: a cache of a single key, which leaves the processor's cache to others.
    pub(super) fn small() -> Self {
        Self { is_small: true, ..Self::default() }
    }

    /// Makes room for keys of `width` words, the first time that it is called.
    pub(super) fn prepare(&mut self, width: usize) {
        if self.entries.is_empty() {
            let most = if self.is_small { 1 } else { BYTES / (width * size_of::<u64>() + size_of::<u32>()) };
            let places = 1 << most.max(1).ilog2();
            self.keys = vec![0; places * width].into();
            self.entries = vec![0; places].into();
        }
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        self.entries.fill(0);
    }

    /// The place of a key with this hash.
    #[inline]
    pub(super) fn place(&self, hash: Hash) -> usize {
        hash.scaled(self.entries.len())
    }

    /// The entry of a key, if it is known.
    #[inline]
    pub(super) fn entry(&self, place: usize, key: &[u64]) -> Option<u32> {
        // Without a key, this is u32::MAX, which is not an entry: the words there are zeros, which may be a key.
        let entry = self.entries[place].wrapping_sub(1);
        let is_equal = match key {
            [word] => self.keys[place] == *word,
            _ => self.keys[place * key.len()..][..key.len()] == *key,
        };
        (is_equal && entry != u32::MAX).then_some(entry)
    }

    /// Keeps a key in place of another one.
    #[inline]
    pub(super) fn keep(&mut self, place: usize, key: &[u64], entry: u32) {
        // Does not overflow: the table refuses u32::MAX as an entry.
        self.entries[place] = entry + 1;
        match key {
            [word] => self.keys[place] = *word,
            _ => self.keys[place * key.len()..][..key.len()].copy_from_slice(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_kept_is_known() {
        for width in [1, 3, 1 << 17] {
            let mut recent = Recent::default();
            recent.prepare(width);
            recent.prepare(width);
            let (key, other) = (vec![0; width], vec![7; width]);
            let place = recent.place(Hash::of(&key, 64));
            assert_eq!(recent.entry(place, &key), None, "the key of zeros is not there from the start");
            recent.keep(place, &key, 5);
            assert_eq!((recent.entry(place, &key), recent.entry(place, &other)), (Some(5), None));
            recent.keep(place, &other, 6);
            assert_eq!((recent.entry(place, &key), recent.entry(place, &other)), (None, Some(6)));
        }
    }
}
