//! How the keys of a sorted run are coded: numbers as differences to the key before, bytes without the prefix that they share with it.
//!
//! | keys | first of a block | each other |
//! |---|---|---|
//! | of one word, of two | varint | varint of the difference, which is not 0 |
//! | other | the same, sharing none | varint of how many bytes it shares with the key before, varint of how many follow, these |
//!
//! Two words are one number of 128 bits, the first word above the second. Three and more are kept as the bytes of their words, the highest
//! first, so that bytes ascend as words do.
//! Invariant: what is decoded ascends strictly, or is refused. Deliberately elsewhere: how lists are sorted by several threads (`sort`).

use super::log::Key;
use super::sort::sort_by;
use super::varint::{push_varint, push_wide_varint, take_varint, take_wide_varint};
use std::cmp::Ordering;

/// A key of a sorted run.
pub trait Coding: Ord + Clone + Default + Send + Sync {
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
        // An overflow, too, would yield a key that is not greater.
        *self = self.checked_add(step).filter(|_| step > 0).ok_or(DISORDERED)?;
        Ok(())
    }

    fn most_bytes(&self) -> usize {
        super::varint::MOST_VARINT_BYTES
    }
}

/// The words of a key of two words: as one number it would be aligned to 16 bytes, and a list of such keys with their places a third
/// longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoWords(pub [u64; 2]);

impl TwoWords {
    #[inline]
    fn number(self) -> u128 {
        let [high, low] = self.0.map(u128::from);
        high << 64 | low
    }
}

impl From<u128> for TwoWords {
    #[inline]
    fn from(number: u128) -> Self {
        Self([(number >> 64) as u64, number as u64])
    }
}

impl Ord for TwoWords {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }
}

impl PartialOrd for TwoWords {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Coding for TwoWords {
    fn encode(&self, last: Option<&Self>, payload: &mut Vec<u8>) {
        push_wide_varint(payload, self.number() - last.map_or(0, |last| last.number()));
    }

    #[inline]
    fn decode(&mut self, is_first: bool, payload: &mut &[u8]) -> Result<(), &'static str> {
        let step = take_wide_varint(payload).ok_or(SHORT)?;
        let last = if is_first { 0 } else { self.number() };
        *self = last.checked_add(step).filter(|_| is_first || step > 0).ok_or(DISORDERED)?.into();
        Ok(())
    }

    fn most_bytes(&self) -> usize {
        super::varint::MOST_WIDE_VARINT_BYTES
    }
}

impl Coding for Vec<u8> {
    fn encode(&self, last: Option<&Self>, payload: &mut Vec<u8>) {
        // Keys ascend, so the whole key is never a prefix of `last`: a byte follows the shared prefix.
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
        // A key is greater than the last one if it extends it, or has a greater byte after the shared prefix. Without a byte of its own it
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
pub trait SortedKeys<K>: Sync {
    /// How many keys there are.
    fn len(&self) -> usize;
    /// Whether it is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The index in the other list of the key at this index.
    fn place(&self, at: usize) -> u32;
    /// Compares the key at this index with `key`.
    fn compare(&self, at: usize, key: &K) -> Ordering;
    /// Makes `key` the key at this index.
    fn copy(&self, at: usize, key: &mut K);
}

/// Keys of one word, or of two.
pub struct SortedNumbers<K>(Vec<(K, u32)>);

impl<K: Coding + Copy> SortedNumbers<K> {
    /// An empty list with room for this many keys.
    pub fn with_capacity(keys: usize) -> Self {
        Self(Vec::with_capacity(keys))
    }

    /// Adds the next key, before the list is sorted.
    pub fn push(&mut self, key: K, place: u32) {
        self.0.push((key, place));
    }

    /// Sorts the list with at most this many threads.
    pub fn sort(&mut self, threads: usize) {
        // Unstable: the order of equal keys does not matter.
        sort_by(&mut self.0, threads, &|one, other| one.0.cmp(&other.0));
    }
}

impl<K: Coding + Copy> SortedKeys<K> for SortedNumbers<K> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn place(&self, at: usize) -> u32 {
        self.0[at].1
    }

    #[inline]
    fn compare(&self, at: usize, key: &K) -> Ordering {
        self.0[at].0.cmp(key)
    }

    fn copy(&self, at: usize, key: &mut K) {
        *key = self.0[at].0;
    }
}

/// Keys of bytes, and keys of zero or more than two words.
#[derive(Default)]
pub struct SortedBytes {
    bytes: Vec<u8>,
    keys: Vec<Extent>,
}

/// A key in a list of bytes.
#[derive(Clone, Copy)]
struct Extent {
    /// Its first eight bytes as a number, zeros behind its end: keys whose numbers differ are in the order of these, so that most
    /// comparisons do not touch the bytes, which are far away.
    prefix: u64,
    start: usize,
    length: u32,
    place: u32,
}

impl SortedBytes {
    /// With capacity for this many keys, and for this many bytes of all keys in total.
    pub fn with_capacity(keys: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), keys: Vec::with_capacity(keys) }
    }

    /// Adds the next key, before the list is sorted.
    pub fn push(&mut self, key: Key<'_>, place: u32) {
        let start = self.bytes.len();
        match key {
            Key::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            // Big-endian, so that comparing bytes compares the numbers.
            Key::Words(words) => words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_be_bytes())),
        }
        let own = &self.bytes[start..];
        let length = u32::try_from(own.len()).expect("a log refuses states of more than 2 GiB");
        let mut first = [0; 8];
        first.iter_mut().zip(own).for_each(|(first, byte)| *first = *byte);
        self.keys.push(Extent { prefix: u64::from_be_bytes(first), start, length, place });
    }

    /// Sorts the list with at most this many threads.
    pub fn sort(&mut self, threads: usize) {
        let Self { bytes, keys } = self;
        sort_by(keys, threads, &|one, other| one.prefix.cmp(&other.prefix).then_with(|| one.of(bytes).cmp(other.of(bytes))));
    }

    fn key(&self, at: usize) -> &[u8] {
        self.keys[at].of(&self.bytes)
    }
}

impl Extent {
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..][..self.length as usize]
    }
}

impl SortedKeys<Vec<u8>> for SortedBytes {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn place(&self, at: usize) -> u32 {
        self.keys[at].place
    }

    fn compare(&self, at: usize, key: &Vec<u8>) -> Ordering {
        self.key(at).cmp(key)
    }

    fn copy(&self, at: usize, key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(self.key(at));
    }
}
