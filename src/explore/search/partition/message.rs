//! The form of messages between processes that share a search.
//!
//! A message begins with its kind, so that processes that have come to different places of a search notice it. Numbers are varints, texts
//! and keys have their lengths in front. Invariant: reading takes no memory for what is not there.

use crate::durable::log::Key;
use crate::durable::varint::{push_varint, take_varint};
use crate::explore::count::tally::OrbitClass;
use crate::explore::search::saved::SavedKey;

/// What a message is about.
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

/// A message that is made.
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

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A list of states, unless it is empty.
    pub(super) fn states(&mut self, states: &StatesWriter) {
        if !states.bytes.is_empty() {
            self.number(states.bytes.len() as u64);
            self.bytes.extend_from_slice(&states.bytes);
        }
    }

    pub(super) fn key(&mut self, key: Key<'_>) {
        match key {
            Key::Words(words) => {
                self.number((words.len() as u64) << 1);
                words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
            }
            Key::Bytes(bytes) => {
                self.number((bytes.len() as u64) << 1 | 1);
                self.bytes.extend_from_slice(bytes);
            }
        }
    }
}

/// A list of remote states, in the order of ranks, as it is sent to their owner: of each the difference of its rank to the one before, its
/// orbit class with a bit for the kind of key, and the key. Keys of words have no length, as all of a search have the same.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct StatesWriter {
    bytes: Vec<u8>,
    /// Of the last one.
    rank: u64,
}

impl StatesWriter {
    /// An empty list for each process.
    pub(super) fn lists(processes: usize) -> Vec<Self> {
        vec![Self::default(); processes]
    }

    /// An empty list with room for as much as this one has.
    pub(super) fn with_room_as(&self) -> Self {
        Self { bytes: Vec::with_capacity(self.bytes.len()), rank: 0 }
    }

    /// Appends a state, unless the list has it: ranks ascend, but for steps that are made again because a run on words has trapped.
    #[inline]
    pub(super) fn push(&mut self, key: Key<'_>, rank: u64, class: OrbitClass) {
        // Such a step was offered with this rank before, so its state is on the list or was sent earlier. The ranks of steps are not 0.
        if rank <= self.rank {
            return;
        }
        push_varint(&mut self.bytes, rank - self.rank);
        self.rank = rank;
        let class = u64::from(class.index()) << 1;
        match key {
            // Words as they are: those of most keys have high bits.
            Key::Words(words) => {
                push_varint(&mut self.bytes, class);
                words.iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
            }
            Key::Bytes(bytes) => {
                push_varint(&mut self.bytes, class | 1);
                push_varint(&mut self.bytes, bytes.len() as u64);
                self.bytes.extend_from_slice(bytes);
            }
        }
    }
}

/// What is left of a list of remote states that is read.
pub(super) struct StatesReader<'m> {
    bytes: MessageReader<'m>,
    /// Of the last one.
    rank: u64,
    key_words: usize,
}

/// A remote state as it is read: its key, its rank, and its orbit class in the process that has sent it.
pub(super) struct ReadState<'k> {
    pub(super) key: Key<'k>,
    pub(super) rank: u64,
    pub(super) class: usize,
}

impl<'m> StatesReader<'m> {
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_at_end()
    }

    /// The next state; `words` gets those of its key if it has any.
    #[inline]
    pub(super) fn next<'k>(&mut self, words: &'k mut Vec<u64>) -> Option<ReadState<'k>>
    where
        'm: 'k,
    {
        self.rank = self.rank.checked_add(self.bytes.number()?)?;
        let mark = self.bytes.number()?;
        let key = match mark & 1 {
            0 => self.bytes.words(self.key_words, words)?,
            _ => {
                let length = usize::try_from(self.bytes.number()?).ok()?;
                Key::Bytes(self.bytes.bytes(length)?)
            }
        };
        Some(ReadState { key, rank: self.rank, class: usize::try_from(mark >> 1).ok()? })
    }
}

/// What is left of a message that is read.
pub(super) struct MessageReader<'m>(&'m [u8]);

impl<'m> MessageReader<'m> {
    /// Behind the kind, which was looked at.
    pub(super) fn new(message: &'m [u8]) -> Self {
        Self(message.get(1..).unwrap_or_default())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        take_varint(&mut self.0)
    }

    fn bytes(&mut self, length: usize) -> Option<&'m [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &'m [u8] {
        std::mem::take(&mut self.0)
    }

    pub(super) fn text(&mut self) -> Option<&'m str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    /// A key, whose words are put into `words` if it has any.
    pub(super) fn key<'k>(&mut self, words: &'k mut Vec<u64>) -> Option<Key<'k>>
    where
        'm: 'k,
    {
        let mark = self.number()?;
        let length = usize::try_from(mark >> 1).ok()?;
        if mark & 1 == 1 {
            return self.bytes(length).map(Key::Bytes);
        }
        self.words(length, words)
    }

    fn words<'k>(&mut self, count: usize, words: &'k mut Vec<u64>) -> Option<Key<'k>> {
        let bytes = self.bytes(count.checked_mul(size_of::<u64>())?)?;
        words.clear();
        words.extend(bytes.chunks_exact(size_of::<u64>()).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        Some(Key::Words(words))
    }

    /// A list of states whose keys, where they are words, have so many.
    pub(super) fn states(&mut self, key_words: usize) -> Option<StatesReader<'m>> {
        let length = usize::try_from(self.number()?).ok()?;
        Some(StatesReader { bytes: MessageReader(self.bytes(length)?), rank: 0, key_words })
    }

    pub(super) fn saved_key(&mut self) -> Option<SavedKey> {
        self.key(&mut Vec::new()).map(SavedKey::of)
    }
}
