//! How the keys of a sorted run are coded: numbers as differences to the key before, bytes without the prefix that they share with it.
//!
//! | keys | first of a block | each other |
//! |---|---|---|
//! | of one word | varint | varint of the difference, which is not 0 |
//! | other | the same, sharing none | varint of how many bytes it shares with the key before, varint of how many follow, these |
//!
//! Keys of several words are kept as the bytes of their words, the highest first, so that bytes ascend as words do.
//! Invariant: what is decoded ascends strictly, or is refused.

use super::log::Key;
use super::varint::{push_varint, take_varint};

/// A key of a sorted run.
pub(crate) trait Coding: Ord + Clone + Default + Send + Sync {
    /// Appends a key, which comes after `last`.
    fn encode(&self, last: Option<&Self>, payload: &mut Vec<u8>);
    /// Becomes the next key of a payload, which is advanced past it. `is_first`: whether it is the first key of its block.
    fn decode(&mut self, is_first: bool, payload: &mut &[u8]) -> Result<(), &'static str>;
    /// An upper bound of the bytes of the key.
    fn most_bytes(&self) -> usize;
}

const SHORT: &str = "a block has fewer keys than it says";
const DISORDERED: &str = "its keys do not ascend";

impl Coding for u64 {
    fn encode(&self, last: Option<&Self>, payload: &mut Vec<u8>) {
        push_varint(payload, self - last.unwrap_or(&0));
    }

    #[inline]
    fn decode(&mut self, is_first: bool, payload: &mut &[u8]) -> Result<(), &'static str> {
        let step = take_varint(payload).ok_or(SHORT)?;
        if is_first {
            *self = step;
            return Ok(());
        }
        // An overflow, too, would lead to a key that is not greater.
        *self = self.checked_add(step).filter(|_| step > 0).ok_or(DISORDERED)?;
        Ok(())
    }

    fn most_bytes(&self) -> usize {
        super::varint::MOST_VARINT_BYTES
    }
}

impl Coding for Vec<u8> {
    fn encode(&self, last: Option<&Self>, payload: &mut Vec<u8>) {
        // Keys ascend, so `last` never has the whole key as a prefix: behind what they share a byte follows.
        let shared = last.map_or(0, |last| last.iter().zip(self).take_while(|(last, own)| last == own).count());
        push_varint(payload, shared as u64);
        push_varint(payload, (self.len() - shared) as u64);
        payload.extend_from_slice(&self[shared..]);
    }

    fn decode(&mut self, is_first: bool, payload: &mut &[u8]) -> Result<(), &'static str> {
        let mut length = || usize::try_from(take_varint(payload)?).ok();
        let (shared, more) = (length().ok_or(SHORT)?, length().ok_or(SHORT)?);
        let (own, rest) = payload.split_at_checked(more).ok_or(SHORT)?;
        *payload = rest;
        // A key is greater than the last one if it goes on where that one ends, or has a greater byte there. Without a byte of its own it
        // would be the last key or a prefix of it.
        if is_first {
            self.clear();
            if shared > 0 {
                return Err("the first key of a block shares bytes with none");
            }
        } else if shared > self.len() || own.first().is_none_or(|first| self.get(shared).is_some_and(|last| last >= first)) {
            return Err(DISORDERED);
        }
        self.truncate(shared);
        self.extend_from_slice(own);
        Ok(())
    }

    fn most_bytes(&self) -> usize {
        self.len() + 2 * super::varint::MOST_VARINT_BYTES
    }
}

/// Keys in ascending order, each with its place in another list.
pub(crate) trait SortedKeys<K>: Sync {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Where the key at this index stands in the other list.
    fn place(&self, at: usize) -> u32;
    fn compare(&self, at: usize, key: &K) -> std::cmp::Ordering;
    /// Makes `key` the key at this index.
    fn copy(&self, at: usize, key: &mut K);
}

/// Keys of one word.
#[derive(Default)]
pub(crate) struct SortedWords(Vec<(u64, u32)>);

impl SortedWords {
    pub(crate) fn with_capacity(keys: usize) -> Self {
        Self(Vec::with_capacity(keys))
    }

    /// Adds the next key, before the list is sorted.
    pub(crate) fn push(&mut self, key: u64, place: u32) {
        self.0.push((key, place));
    }

    pub(crate) fn sort(&mut self) {
        self.0.sort_unstable();
    }
}

impl SortedKeys<u64> for SortedWords {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn place(&self, at: usize) -> u32 {
        self.0[at].1
    }

    #[inline]
    fn compare(&self, at: usize, key: &u64) -> std::cmp::Ordering {
        self.0[at].0.cmp(key)
    }

    fn copy(&self, at: usize, key: &mut u64) {
        *key = self.0[at].0;
    }
}

/// Keys of bytes, and of several words or none.
#[derive(Default)]
pub(crate) struct SortedBytes {
    bytes: Vec<u8>,
    /// Where a key begins, its length and its place.
    keys: Vec<(usize, u32, u32)>,
}

impl SortedBytes {
    /// Adds the next key, before the list is sorted.
    pub(crate) fn push(&mut self, key: Key<'_>, place: u32) {
        let start = self.bytes.len();
        match key {
            Key::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            // Big-endian, so that comparing bytes compares the numbers.
            Key::Words(words) => words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_be_bytes())),
        }
        let length = u32::try_from(self.bytes.len() - start).expect("a log refuses states of more than 2 GiB");
        self.keys.push((start, length, place));
    }

    pub(crate) fn sort(&mut self) {
        let Self { bytes, keys } = self;
        let own = |(start, length, _): &(usize, u32, u32)| &bytes[*start..][..*length as usize];
        keys.sort_unstable_by(|one, other| own(one).cmp(own(other)));
    }

    fn key(&self, at: usize) -> &[u8] {
        let (start, length, _) = self.keys[at];
        &self.bytes[start..][..length as usize]
    }
}

impl SortedKeys<Vec<u8>> for SortedBytes {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn place(&self, at: usize) -> u32 {
        self.keys[at].2
    }

    fn compare(&self, at: usize, key: &Vec<u8>) -> std::cmp::Ordering {
        self.key(at).cmp(key)
    }

    fn copy(&self, at: usize, key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(self.key(at));
    }
}
