//! The foreign states that a worker has sent, if each needs a unique id.
//!
//! Invariant: a key that is known here was sent to its owner before, and with a lower rank, as the ranks of a worker's offers ascend:
//! sending it again would change nothing. So keys may be forgotten between any two slices. Deliberately elsewhere: the handling of unknown
//! keys (`foreign`), the cache of recent offers (`state`).

use crate::thresholds::{SENT_BYTES, SENT_KEYS};
use bcheck_durable::log::Key;
use rustc_hash::FxHashMap;

/// The sent keys, each with a unique number; within a slice none is forgotten.
#[derive(Default)]
pub(super) struct SentKeys {
    /// The bytes of all keys.
    size: usize,
    words: FxHashMap<Box<[u64]>, u32>,
    bytes: FxHashMap<Box<[u8]>, u32>,
}

impl SentKeys {
    /// The number of a key, and whether it was unknown.
    pub(super) fn number(&mut self, key: Key<'_>) -> (u32, bool) {
        let Self { size, words, bytes } = self;
        let known = match key {
            Key::Words(key) => words.get(key),
            Key::Bytes(key) => bytes.get(key),
        };
        if let Some(known) = known {
            return (*known, false);
        }
        let number = u32::try_from(words.len() + bytes.len()).expect("a slice finds fewer than 2^32 states");
        match key {
            Key::Words(key) => {
                *size += size_of_val(key);
                words.insert(key.into(), number);
            }
            Key::Bytes(key) => {
                *size += key.len();
                bytes.insert(key.into(), number);
            }
        }
        (number, true)
    }

    /// Forgets all keys, if there are many.
    pub(super) fn forget_many(&mut self) {
        if self.words.len() + self.bytes.len() >= SENT_KEYS.get() || self.size >= SENT_BYTES.get() {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn numbers_tell_keys_apart(keys in prop::collection::vec((0..20u64, prop::bool::ANY), 0..200)) {
            let mut sent = SentKeys::default();
            let mut numbers = BTreeSet::new();
            for (key, is_word) in keys {
                let (word, bytes) = ([key], key.to_le_bytes());
                let (number, is_new) = sent.number(if is_word { Key::Words(&word) } else { Key::Bytes(&bytes) });
                prop_assert_eq!(is_new, !numbers.iter().any(|(known, _)| *known == (key, is_word)));
                numbers.insert(((key, is_word), number));
            }
            let distinct: BTreeSet<u32> = numbers.iter().map(|(_, number)| *number).collect();
            prop_assert_eq!(distinct.len(), numbers.len());
            let known: BTreeSet<_> = numbers.iter().map(|(key, _)| *key).collect();
            prop_assert_eq!(known.len(), numbers.len(), "a key has one number");
        }
    }
}
