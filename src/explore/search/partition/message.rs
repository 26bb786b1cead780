//! The form of messages between processes that share a search.
//!
//! A message begins with its kind, so that processes at different stages of a search notice it. Numbers are varints, texts and keys are
//! preceded by their lengths. Ranks ascend and are sent as differences: most have a parent slightly behind the previous one, and a small
//! ordinal, so that two bytes suffice. Invariant: reading allocates no memory for data that is not there.

use crate::count::tally::{OrbitClass, Orbits};
use crate::number::ParentNumber;
use crate::search::rank::{ordinal_of, parent_of, rank_of};
use crate::search::saved::SavedKey;
use bcheck_durable::log::Key;
use bcheck_durable::varint::{push_varint, take_varint};
use bcheck_state::Rank;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Flags = 1,
    Barrier,
    State,
    Epoch,
    Newcomers,
    Ranks,
    Claim,
    Sums,
}

/// How many extra bits come with a rank.
const MARK_BITS: u32 = 2;
/// Their meaning for a foreign state: its orbit class follows, as it is not the first one; its key has bytes.
const CLASS: u64 = 1;
const BYTES: u64 = 2;

/// A message that is made.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageWriter {
    pub(super) bytes: Vec<u8>,
}

impl MessageWriter {
    pub(super) fn new(kind: Kind) -> Self {
        Self { bytes: vec![kind as u8] }
    }

    pub(super) fn number(&mut self, number: u64) {
        push_varint(&mut self.bytes, number);
    }

    /// A rank that is not below the one `before`, with two extra bits.
    #[inline]
    pub(super) fn rank(&mut self, before: Rank, rank: Rank, mark: u64) {
        let parents = u64::from(parent_of(rank).since(parent_of(before)));
        self.number(parents << MARK_BITS | mark);
        self.number(ordinal_of(rank) - if parents == 0 { ordinal_of(before) } else { 0 });
    }

    /// Bytes with their length in front.
    fn sized(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.sized(text.as_bytes());
    }

    /// Words unencoded: those of most keys have high bits.
    fn words(&mut self, words: &[u64]) {
        words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
    }

    pub(super) fn key(&mut self, key: Key<'_>) {
        match key {
            Key::Words(words) => {
                self.number((words.len() as u64) << 1);
                self.words(words);
            }
            Key::Bytes(bytes) => {
                self.number((bytes.len() as u64) << 1 | 1);
                self.bytes.extend_from_slice(bytes);
            }
        }
    }
}

/// A list of foreign states, in the order of ranks, in the form in which it is sent to their owner: for each its rank, its orbit class
/// unless that is the first one, and its key. Keys of words have no length, as all keys of a search have the same.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct StatesWriter {
    list: MessageWriter,
    /// Of the last one.
    rank: Rank,
}

impl StatesWriter {
    /// Its bytes, as [`MessageReader::states`] reads them.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.list.bytes
    }

    /// Removes all states, and retains the memory.
    pub(super) fn clear(&mut self) {
        self.list.bytes.clear();
        self.rank = Rank(0);
    }

    /// Appends a state. Ranks ascend, except where the packed run of an operation has bailed out and the general evaluator repeats its
    /// steps: those are left out.
    #[inline]
    pub(crate) fn push(&mut self, key: Key<'_>, rank: Rank, class: OrbitClass) {
        // A repeated step was offered with this rank before, so its state is on the list or was sent earlier. No step has rank 0.
        if rank <= self.rank {
            return;
        }
        let with_class = if class == Orbits::SINGLE { 0 } else { CLASS };
        let with_bytes = if let Key::Bytes(_) = key { BYTES } else { 0 };
        self.list.rank(self.rank, rank, with_class | with_bytes);
        self.rank = rank;
        if with_class != 0 {
            self.list.number(class.number().into());
        }
        match key {
            Key::Words(words) => self.list.words(words),
            Key::Bytes(bytes) => self.list.sized(bytes),
        }
    }
}

/// The unread rest of a list of foreign states.
pub(super) struct StatesReader<'m> {
    bytes: MessageReader<'m>,
    /// Of the last one.
    rank: Rank,
    key_words: usize,
}

/// A foreign state as read: its key if that has bytes, its rank, and its orbit class in the sending process.
pub(super) struct ReadState<'m> {
    pub(super) bytes: Option<&'m [u8]>,
    pub(super) rank: Rank,
    pub(super) class: usize,
}

impl<'m> StatesReader<'m> {
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_at_end()
    }

    /// The next state; if its key has words, they are appended to these.
    #[inline]
    pub(super) fn next(&mut self, words: &mut Vec<u64>) -> Option<ReadState<'m>> {
        let (rank, mark) = self.bytes.rank(self.rank)?;
        self.rank = rank;
        let class = if mark & CLASS == 0 { 0 } else { usize::try_from(self.bytes.number()?).ok()? };
        if mark & BYTES != 0 {
            return Some(ReadState { bytes: Some(self.bytes.sized()?), rank, class });
        }
        for _ in 0..self.key_words {
            words.push(self.bytes.word()?);
        }
        Some(ReadState { bytes: None, rank, class })
    }
}

/// The rest of a message during reading.
pub(super) struct MessageReader<'m>(&'m [u8]);

impl<'m> MessageReader<'m> {
    /// Behind the kind, which has been read.
    pub(super) fn new(message: &'m [u8]) -> Self {
        Self(message.get(1..).unwrap_or_default())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        take_varint(&mut self.0)
    }

    /// A rank, which is not below the one `before`, and the bits that come with it.
    #[inline]
    pub(super) fn rank(&mut self, before: Rank) -> Option<(Rank, u64)> {
        let head = self.number()?;
        let parents = head >> MARK_BITS;
        let ordinal = self.number()?.checked_add(if parents == 0 { ordinal_of(before) } else { 0 })?;
        let parent = u64::from(parent_of(before).number()).checked_add(parents)?;
        let rank = rank_of(ParentNumber::new(u32::try_from(parent).ok()?), ordinal)?;
        Some((rank, head & ((1 << MARK_BITS) - 1)))
    }

    fn bytes(&mut self, length: usize) -> Option<&'m [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Bytes with their length in front.
    fn sized(&mut self) -> Option<&'m [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.bytes(length)
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &'m [u8] {
        std::mem::take(&mut self.0)
    }

    pub(super) fn text(&mut self) -> Option<&'m str> {
        std::str::from_utf8(self.sized()?).ok()
    }

    #[inline]
    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// A list of states of this many bytes; the keys of packed ones have this many words.
    pub(super) fn states(&mut self, bytes: usize, key_words: usize) -> Option<StatesReader<'m>> {
        Some(StatesReader { bytes: MessageReader(self.bytes(bytes)?), rank: Rank(0), key_words })
    }

    pub(super) fn saved_key(&mut self) -> Option<SavedKey> {
        let mark = self.number()?;
        let length = usize::try_from(mark >> 1).ok()?;
        if mark & 1 == 1 {
            return self.bytes(length).map(|bytes| SavedKey::Bytes(bytes.to_vec()));
        }
        let mut words = Self(self.bytes(length.checked_mul(size_of::<u64>())?)?);
        Some(SavedKey::Words(std::iter::from_fn(|| words.word()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::StateNumber;
    use crate::search::rank::first_rank;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_of_states_come_back(
            states in prop::collection::btree_map((0..90u32, 0..300u64), (0..3u128, prop::bool::ANY, prop::num::u64::ANY), 0..50),
            far in prop::bool::ANY,
            width in 1..=2usize,
        ) {
            let orbits = Orbits::new();
            let mut list = StatesWriter::default();
            let states: Vec<(Rank, OrbitClass, bool, u64)> = states.into_iter().map(|((parent, ordinal), (size, is_word, key))| {
                let (parent, ordinal) = if far { (parent << 25, ordinal << 23) } else { (parent, ordinal) };
                (first_rank(StateNumber::new(parent)).plus(ordinal), orbits.class_of((size + 1).into()), is_word, key)
            }).collect();
            for (rank, class, is_word, key) in &states {
                let (words, bytes) = ([*key, !key], key.to_le_bytes());
                let key = if *is_word { Key::Words(&words[..width]) } else { Key::Bytes(&bytes[..(*key % 9) as usize]) };
                list.push(key, *rank, *class);
            }
            let mut reader = MessageReader(list.bytes());
            let (mut read, mut words) = (reader.states(list.bytes().len(), width).expect("all bytes"), Vec::new());
            for (rank, class, is_word, key) in states {
                let before = words.len();
                let state = read.next(&mut words).expect("a state");
                prop_assert_eq!((state.rank, state.class), (rank, class.index()));
                match state.bytes {
                    None => prop_assert_eq!((is_word, &words[before..]), (true, &[key, !key][..width])),
                    Some(bytes) => prop_assert_eq!((is_word, bytes), (false, &key.to_le_bytes()[..(key % 9) as usize])),
                }
            }
            prop_assert!(read.is_at_end() && reader.is_at_end());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(prop::num::u8::ANY, 0..60)) {
            let mut list = StatesReader { bytes: MessageReader(&bytes), rank: Rank(0), key_words: 1 };
            let (mut words, mut before) = (Vec::new(), Rank(0));
            while let Some(ReadState { rank, .. }) = list.next(&mut words) {
                prop_assert!(rank >= before);
                before = rank;
            }
        }
    }
}
