//! The keys of a visited set of words, entry after entry, in segments that never move.
//!
//! A segment is allocated when its first entry is touched, and each has as many entries as all before it together: a growing set copies no
//! key, and a key can be read while others are added.
//! Invariant: only the worker that took an entry writes its words, and only before a slot refers to it; then they never change.
//! Deliberately elsewhere: which slot refers to which entry, and the memory ordering that makes its words visible (`word_table`); how
//! workers take entries (`word_writer`).

use super::atomic::{AtomicU64, Ordering, zeroed};
use super::prefetch::prefetch;
use std::sync::OnceLock;

/// The first segment has this many entries, each further one as many as all before it together.
const FIRST_SEGMENT_BITS: u32 = if cfg!(loom) { 1 } else { 10 };

/// The keys of all entries, `width` words each.
#[derive(Debug)]
pub(super) struct Segments {
    width: usize,
    segments: [OnceLock<Segment>; 32],
}

#[derive(Debug)]
struct Segment {
    keys: Box<[AtomicU64]>,
}

/// The segment of an entry and its place there.
fn place(entry: u32) -> (usize, usize) {
    // A segment except the first has all entries with one highest bit: the value of this bit is the number of its first entry.
    let high = (entry >> FIRST_SEGMENT_BITS).checked_ilog2();
    match high {
        None => (0, entry as usize),
        Some(level) => (level as usize + 1, (entry - (1 << (FIRST_SEGMENT_BITS + level))) as usize),
    }
}

fn segment_len(segment: usize) -> usize {
    1 << (FIRST_SEGMENT_BITS as usize + segment.saturating_sub(1))
}

impl Segments {
    pub(crate) fn new(width: usize) -> Self {
        let segments = Self { width, segments: [const { OnceLock::new() }; 32] };
        if cfg!(loom) {
            // The standard library guarantees that the thread that allocates a segment publishes it to all others; loom does not know of
            // this.
            for number in 0..3 {
                segments.segment(number);
            }
        }
        segments
    }

    fn segment(&self, number: usize) -> &Segment {
        // Of several workers that need a new segment at once, one allocates it and the others wait; the cell publishes it to all. Its
        // memory is zeroed by the system page by page, as entries are written.
        self.segments[number].get_or_init(|| Segment { keys: zeroed(segment_len(number) * self.width) })
    }

    fn key(&self, entry: u32) -> &[AtomicU64] {
        let (segment, at) = place(entry);
        &self.segment(segment).keys[at * self.width..][..self.width]
    }

    /// Whether an entry that a slot referred to has this key. Loads and stores of words are relaxed: a reader gets an entry of another
    /// worker from its slot, whose release and acquire order the words as well, or reads it after a barrier.
    #[inline]
    pub(super) fn is_key(&self, entry: u32, key: &[u64]) -> bool {
        if let [word] = key {
            let (segment, at) = place(entry);
            return self.segment(segment).keys[at].load(Ordering::Relaxed) == *word;
        }
        self.key(entry).iter().zip(key).all(|(stored, word)| stored.load(Ordering::Relaxed) == *word)
    }

    /// Writes the key of an entry that no slot refers to yet.
    pub(super) fn write(&self, entry: u32, key: &[u64]) {
        let (segment, at) = place(entry);
        let segment = self.segment(segment);
        for (stored, &word) in segment.keys[at * self.width..].iter().zip(key) {
            stored.store(word, Ordering::Relaxed);
        }
    }

    /// Reads the key of an entry.
    pub(crate) fn read(&self, entry: u32, key: &mut [u64]) {
        key.iter_mut().zip(self.key(entry)).for_each(|(word, stored)| *word = stored.load(Ordering::Relaxed));
    }

    /// Prefetches the key of an entry; the key must have at least one word.
    #[inline]
    pub(super) fn prefetch(&self, entry: u32) {
        prefetch(&self.key(entry)[0]);
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

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
