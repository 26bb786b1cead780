//! The slots of a visited set of words: which entries the keys with a given hash may have, and how slots grow.
//!
//! Slots lie in lines of the processor's cache; a key belongs to one line by its hash and goes to a later one only when that is full.
//! A slot is empty (0) or holds the number of its entry plus one, in the bits above it a tag of the key's hash, and in the highest bit
//! whether the key was displaced to a later line; so most other keys are refused without reading the entry. Keys of one word are hashed
//! one-to-one; if line and tag have bits enough, they determine a key, and entries are not read (quotienting: Knuth, TAOCP 3, 6.4,
//! exercise 13).
//!
//! Invariant: a line is filled from its beginning, and nothing is ever taken out of it.
//! Deliberately elsewhere: who claims a slot for which key, and when slots grow (`word_table`).

use super::atomic::{AtomicU64, Ordering, owned, put, zeroed_lines};

// Under loom, all sizes are small: a few keys must reach full lines and growing slots.

/// The number of lines of an empty set: with room for the batches of 256 workers (`WordTable::margin`).
const FIRST_LINES: usize = if cfg!(loom) { 2 } else { 6 * BLOCK };
/// The number of slots in a cache line of 64 bytes.
const LINE: usize = if cfg!(loom) { 2 } else { 8 };
/// The number of lines in an allocation. Blocks stay where they are when slots grow, so that this takes no memory beyond the new ones.
const BLOCK: usize = if cfg!(loom) { 1 } else { 1 << 10 };
/// In a slot: the key belongs to an earlier line, which was full.
pub(super) const DISPLACED: u64 = 1 << 63;
/// Prefetch distances while slots grow and keys must be read: in lines for keys in their own line, in keys for displaced ones.
const MOVED_AHEAD: usize = 4;
const DISPLACED_AHEAD: usize = 16;

type Line = [AtomicU64; LINE];

#[derive(Debug)]
pub(super) struct Slots {
    blocks: Vec<Box<[Line; BLOCK]>>,
    pub(super) form: Form,
}

/// How the content of a slot is read, which depends on the number of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    lines: usize,
    /// How many lower bits of a slot hold the entry, enough for as many entries as there are slots; the tag has the others but one.
    pub(super) entry_bits: u32,
    /// Whether line and tag determine the key, so that no entry is read to compare keys.
    pub(super) is_exact: bool,
    /// How many bits of a hash are in use.
    bits: u32,
}

/// The line that a key belongs to, and its tag in place: above the bits of the entry.
#[derive(Clone, Copy, Default)]
pub(super) struct Home {
    pub(super) line: usize,
    pub(super) tag: u64,
}

/// The hash of a key, aligned to both ends of a word: high bits determine lines, low bits tags.
#[derive(Clone, Copy, Default)]
pub(super) struct Hash {
    /// Shifted so that its highest bit is the highest of the word.
    high: u64,
    /// As it is.
    low: u64,
}

impl Hash {
    /// The hash of a key; of a single word, only the lowest `bits` (at least one) may be in use, and the hash has as many.
    #[inline]
    pub(crate) fn of(key: &[u64], bits: u32) -> Self {
        match key {
            [word] => Self::of_bits(permuted(*word, bits), bits),
            _ => {
                let hash = hash(key);
                Self { high: hash, low: hash }
            }
        }
    }

    fn of_bits(hash: u64, bits: u32) -> Self {
        Self { high: hash << (u64::BITS - bits), low: hash }
    }

    /// A number below `places`, monotone in the hash: a multiplication instead of a remainder, for any number of places.
    #[inline]
    pub(super) fn scaled(self, places: usize) -> usize {
        ((u128::from(self.high) * places as u128) >> 64) as usize
    }
}

/// A hash of several words.
fn hash(key: &[u64]) -> u64 {
    // Multiplication and folding, as in wyhash; the constants are odd and have no pattern.
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ key.len() as u64;
    for &word in key {
        state = fold(state ^ word, 0xa076_1d64_78bd_642f ^ state.rotate_left(29));
    }
    fold(state ^ 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3)
}

/// A bijective hash on `bits`-bit words.
#[inline]
fn permuted(word: u64, bits: u32) -> u64 {
    // Each step is invertible: multiplication by an odd number modulo a power of two, and xor with a shift by half of the bits or more.
    // Multiplication carries information upwards only, folding brings it down again: tags are made of the low bits.
    let all = u64::MAX >> (u64::BITS - bits);
    let half = bits.div_ceil(2);
    let fold = |word: u64| if half < bits { word ^ word >> half } else { word };
    let once = fold(word.wrapping_mul(0x9e37_79b9_7f4a_7c15) & all);
    fold(once.wrapping_mul(0xe703_7ed1_a0b4_28db) & all)
}

impl Form {
    fn new(lines: usize, width: usize, bits: u32) -> Self {
        // The number of lines is three times a power of two, so these bits hold a third more entries than there are slots, and twice as
        // many lines need exactly one bit more.
        let entry_bits = (lines * LINE).next_power_of_two().trailing_zeros();
        let tag_bits = u64::BITS - 1 - entry_bits;
        // A line has consecutive hashes, at most 2^bits / lines of them (rounded up). They differ in their low `tag_bits` bits if that is
        // at most 2^tag_bits. Twice as many lines take one bit from the tag and halve the hashes of a line: growing does not change it.
        let is_exact = width == 1 && lines as u128 >= 1 << bits.saturating_sub(tag_bits);
        Self { lines, entry_bits, is_exact, bits }
    }

    /// Whether `entries` take less than three quarters of the slots; linear probing becomes slow beyond.
    pub(super) fn has_room(&self, entries: usize) -> bool {
        entries * 4 < self.slots() * 3
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.lines * LINE
    }

    /// The bytes of the slots once they have grown to have room for `entries`.
    pub(super) fn memory_for(mut self, entries: usize) -> usize {
        while !self.has_room(entries) {
            self.lines *= 2;
        }
        self.slots() * size_of::<u64>()
    }

    /// The entry that a slot holds.
    #[inline]
    pub(super) fn entry(&self, slot: u64) -> u32 {
        // The slot is occupied, so the number in it is at least 1.
        ((slot & ((1 << self.entry_bits) - 1)) - 1) as u32
    }

    /// Where a key belongs: the high bits of its hash, scaled.
    #[inline]
    pub(super) fn home(&self, hash: Hash) -> Home {
        // The tag has the low bits of the hash, the line the high ones: together they determine a short hash.
        Home { line: hash.scaled(self.lines), tag: hash.low << self.entry_bits & !DISPLACED }
    }

    #[inline]
    pub(super) fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines { 0 } else { line + 1 }
    }

    /// The least hash of the keys that belong to this line: the least h with h * lines / 2^bits >= line.
    fn least_hash(&self, line: usize) -> u64 {
        ((line as u128) << self.bits).div_ceil(self.lines as u128) as u64
    }

    /// Recovers a hash from the content of a slot (quotienting): the only hash of the line, whose hashes begin with `least`, with the low
    /// bits of the tag. Only for a key in its own line, where line and tag determine it.
    #[inline]
    fn recovered_hash(&self, least: u64, content: u64) -> u64 {
        // The distance from `least`, modulo 2^tag_bits.
        let known = u64::MAX >> (self.entry_bits + 1);
        least + ((content >> self.entry_bits).wrapping_sub(least) & known)
    }
}

impl Slots {
    /// The first slots for keys of `width` words; of a single word, only the lowest `bits` are in use.
    pub(crate) fn new(width: usize, bits: u32) -> Self {
        let mut slots = Self { blocks: Vec::new(), form: Form::new(FIRST_LINES, width, bits) };
        slots.add_blocks();
        slots
    }

    /// Adds empty blocks up to the number of lines; those that are there keep their place and content.
    fn add_blocks(&mut self) {
        self.blocks.resize_with(self.form.lines / BLOCK, zeroed_lines);
    }

    pub(super) fn lines(&self) -> usize {
        self.form.lines
    }

    #[inline]
    pub(super) fn line(&self, line: usize) -> &Line {
        &self.blocks[line / BLOCK][line % BLOCK]
    }

    /// The occupied slots of a line: its contents up to the first empty slot. Acquire: see `WordTable::offer`.
    #[inline]
    pub(super) fn held(&self, line: usize) -> impl Iterator<Item = u64> {
        self.line(line).iter().map(|slot| slot.load(Ordering::Acquire)).take_while(|content| *content != 0)
    }

    /// The entry of the first key in its own line that has this tag: probably the key that is looked for, and certainly where line and tag
    /// determine keys.
    #[inline]
    pub(super) fn likely(&self, home: Home) -> Option<u32> {
        // The tag of an empty slot is also 0.
        let mut held = self.held(home.line);
        held.find(|content| (content ^ home.tag) >> self.form.entry_bits == 0).map(|content| self.form.entry(content))
    }

    /// Doubles the number of slots of keys of `width` words, in place; `hash` returns the hash of an entry's key, `ask` prefetches the
    /// key.
    ///
    /// The line of a hash h is h * lines / 2^bits, rounded down. So with twice as many lines, keys that belong to line n belong to line 2n
    /// or 2n + 1, and keys of one line stay neighbours.
    pub(super) fn grow(&mut self, width: usize, mut hash: impl FnMut(u32) -> Hash, ask: impl Fn(u32)) {
        let (old, new) = (self.form, Form::new(self.form.lines * 2, width, self.form.bits));
        self.form = new;
        self.add_blocks();
        // Displaced keys do not belong to the line that they lie in. They are put in by probing when all others have their places, since a
        // key may only be displaced from a full line.
        let mut displaced = Vec::new();
        // From the last line down: the lines 2 * at and 2 * at + 1 are new, or have been emptied before (those of at = 0 just now), and no
        // other line is moved to them. Slots are read and written in sequence; only keys are read at random, and where slots determine them
        // not at all.
        for at in (0..old.lines).rev() {
            if !old.is_exact && at >= MOVED_AHEAD {
                self.held(at - MOVED_AHEAD).for_each(|content| ask(old.entry(content)));
            }
            // Taken out first, as line 0 moves to itself and its neighbour.
            let moved = self.blocks[at / BLOCK][at % BLOCK].each_mut().map(|slot| {
                let content = owned(slot);
                put(slot, 0);
                content
            });
            let least = if old.is_exact { old.least_hash(at) } else { 0 };
            // The number of slots occupied in each of the two lines: at most LINE, as all come from one line. Filling both from their
            // beginnings preserves the invariant that the occupied slots are the first ones of a line.
            let mut ends = [0; 2];
            for content in moved.into_iter().take_while(|content| *content != 0) {
                let entry = old.entry(content);
                if content & DISPLACED != 0 {
                    displaced.push(entry);
                    continue;
                }
                let home = new.home(if old.is_exact { Hash::of_bits(old.recovered_hash(least, content), old.bits) } else { hash(entry) });
                let end = &mut ends[home.line - 2 * at];
                put(&mut self.blocks[home.line / BLOCK][home.line % BLOCK][*end], home.tag | u64::from(entry + 1));
                *end += 1;
            }
        }
        for (place, &entry) in displaced.iter().enumerate() {
            displaced.get(place + DISPLACED_AHEAD).copied().map(&ask);
            let Home { mut line, tag: mut label } = new.home(hash(entry));
            // As in `WordTable::offer`. At most three quarters of the old slots were occupied, so one is free.
            let free = loop {
                match self.blocks[line / BLOCK][line % BLOCK].iter_mut().find_map(|slot| (owned(slot) == 0).then_some(slot)) {
                    Some(free) => break free,
                    None => (line, label) = (new.after(line), label | DISPLACED),
                }
            };
            put(free, label | u64::from(entry + 1));
        }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_words_are_one_to_one() {
        for bits in 1..=17 {
            let hashes: std::collections::BTreeSet<u64> = (0..1u64 << bits).map(|word| permuted(word, bits)).collect();
            assert_eq!((hashes.len(), hashes.last()), (1 << bits, Some(&((1 << bits) - 1))), "{bits}");
        }
    }

    #[test]
    fn words_of_few_bits_are_determined_by_line_and_tag() {
        for lines in [FIRST_LINES, FIRST_LINES << 10] {
            assert!(Form::new(lines, 1, 59).is_exact && !Form::new(lines, 1, 60).is_exact);
            for bits in [1, 20, 44, 47, 58, 59] {
                let form = Form::new(lines, 1, bits);
                for word in (0..1000u64).map(|at| at.wrapping_mul(0x5851_f42d_4c95_7f2d) >> (64 - bits)) {
                    let hash = Hash::of(&[word], bits);
                    let home = form.home(hash);
                    assert_eq!(form.recovered_hash(form.least_hash(home.line), home.tag | 77), hash.low, "{lines} {bits}");
                }
            }
        }
    }
}
