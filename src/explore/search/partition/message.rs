//! The form of messages between processes that share a search.
//!
//! A message begins with its kind, so that processes that have come to different places of a search notice it. Numbers are varints, texts
//! and keys have their lengths in front. Invariant: reading takes no memory for what is not there.

use crate::durable::log::Key;
use crate::durable::varint::{push_varint, take_varint};
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

    /// Words as they are: those of most keys have high bits.
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
        let bytes = self.bytes(length.checked_mul(8)?)?;
        words.clear();
        words.extend(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        Some(Key::Words(words))
    }

    pub(super) fn saved_key(&mut self) -> Option<SavedKey> {
        self.key(&mut Vec::new()).map(SavedKey::of)
    }
}
