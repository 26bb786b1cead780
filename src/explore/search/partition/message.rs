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

    /// Bytes with their length in front.
    fn sized(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.sized(text.as_bytes());
    }

    /// A list of states, unless it is empty.
    pub(super) fn states(&mut self, StatesWriter { list, .. }: &StatesWriter) {
        if !list.bytes.is_empty() {
            self.sized(&list.bytes);
        }
    }

    /// Words as they are: those of most keys have high bits.
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

/// A list of remote states, in the order of ranks, as it is sent to their owner: of each the difference of its rank to the one before, its
/// orbit class with a bit for the kind of key, and the key. Keys of words have no length, as all of a search have the same.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct StatesWriter {
    list: MessageWriter,
    /// Of the last one.
    rank: u64,
}

impl StatesWriter {
    /// An empty list with room for as much as this one has.
    pub(super) fn with_room_as(&self) -> Self {
        Self { list: MessageWriter { bytes: Vec::with_capacity(self.list.bytes.len()) }, rank: 0 }
    }

    /// Appends a state. Ranks ascend, except where the packed run of an operation has trapped and the general evaluator repeats its steps:
    /// those are left out.
    #[inline]
    pub(super) fn push(&mut self, key: Key<'_>, rank: u64, class: OrbitClass) {
        // A repeated step was offered with this rank before, so its state is on the list or was sent earlier. No step has rank 0.
        if rank <= self.rank {
            return;
        }
        self.list.number(rank - self.rank);
        self.rank = rank;
        let class = u64::from(class.index()) << 1;
        match key {
            Key::Words(words) => {
                self.list.number(class);
                self.list.words(words);
            }
            Key::Bytes(bytes) => {
                self.list.number(class | 1);
                self.list.sized(bytes);
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
            _ => Key::Bytes(self.bytes.sized()?),
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

    /// A list of states; the keys of packed ones have this many words.
    pub(super) fn states(&mut self, key_words: usize) -> Option<StatesReader<'m>> {
        Some(StatesReader { bytes: MessageReader(self.sized()?), rank: 0, key_words })
    }

    pub(super) fn saved_key(&mut self) -> Option<SavedKey> {
        self.key(&mut Vec::new()).map(SavedKey::of)
    }
}
