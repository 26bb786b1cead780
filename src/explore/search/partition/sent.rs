//! What a worker remembers of the remote states that it has sent.
//!
//! Invariant: a key that is known here was sent to its owner before, and with a lower rank, as the ranks that a worker offers states with
//! ascend: sending it again would change nothing. So a key may be forgotten at any time.
//! Deliberately elsewhere: what becomes of a key that is not known (`remote`).

use super::owners::hash_of;
use crate::durable::log::Key;
use rustc_hash::FxHashMap;

/// The most memory that [`SentWords`] take, in bytes: a part of the processor's second level of cache, where what was offered lately to the
/// tables of this process is looked for as well.
const MOST_BYTES: usize = if cfg!(test) { 1 << 7 } else { 1 << 19 };
/// So many keys with numbers are kept from one slice to the next.
const MOST_NUMBERED: usize = if cfg!(test) { 1 << 4 } else { 1 << 17 };

/// Keys of words that were sent lately: a direct-mapped cache.
#[derive(Default)]
pub(super) struct SentWords {
    /// One key after the other. Each was sent, or has another place than this: no key that is looked up equals it.
    keys: Box<[u64]>,
    /// The places less one: a power of two less one.
    mask: usize,
}

impl SentWords {
    /// Makes room for keys of `width` words, the first time that it is called.
    pub(super) fn prepare(&mut self, width: usize) {
        if !self.keys.is_empty() || width == 0 {
            return;
        }
        let places: usize = 1 << (MOST_BYTES / (width * size_of::<u64>())).max(2).ilog2();
        self.mask = places - 1;
        // The key of zeros has place 0, so at any other one it stands for none. At place 0, a key with another place does.
        self.keys = vec![0; places * width].into();
        let mut other = vec![0; width];
        while self.place(hash_of(&other)) == 0 {
            other[0] += 1;
        }
        self.keys[..width].copy_from_slice(&other);
    }

    fn place(&self, hash: u64) -> usize {
        // The low bits: the owner is decided by the high ones.
        hash as usize & self.mask
    }

    /// Whether a key is known; from here on it is.
    #[inline]
    pub(super) fn is_known(&mut self, key: &[u64]) -> bool {
        let place = self.place(hash_of(key));
        match key {
            // Written in any case: whether it is known follows no pattern.
            [word] => std::mem::replace(&mut self.keys[place], *word) == *word,
            _ => {
                let kept = &mut self.keys[place * key.len()..][..key.len()];
                let is_known = kept == key;
                kept.copy_from_slice(key);
                is_known
            }
        }
    }
}

/// Keys that were sent lately, with numbers that tell them apart: all that were sent in one slice are known until it ends.
#[derive(Default)]
pub(super) struct SentKeys {
    words: FxHashMap<Box<[u64]>, u32>,
    bytes: FxHashMap<Box<[u8]>, u32>,
}

impl SentKeys {
    /// The number of a key, and whether it was not known.
    pub(super) fn number(&mut self, key: Key<'_>) -> (u32, bool) {
        let Self { words, bytes } = self;
        let known = match key {
            Key::Words(key) => words.get(key),
            Key::Bytes(key) => bytes.get(key),
        };
        if let Some(known) = known {
            return (*known, false);
        }
        let number = u32::try_from(words.len() + bytes.len()).expect("a slice finds fewer than 2^32 states");
        match key {
            Key::Words(key) => words.insert(key.into(), number),
            Key::Bytes(key) => bytes.insert(key.into(), number),
        };
        (number, true)
    }

    /// Forgets all keys, if there are many.
    pub(super) fn forget_many(&mut self) {
        if self.words.len() + self.bytes.len() >= MOST_NUMBERED {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_key_of_zeros_is_not_known_from_the_start() {
        for width in [1, 2, 5] {
            let mut sent = SentWords::default();
            sent.prepare(width);
            let zeros = vec![0; width];
            assert!(!sent.is_known(&zeros));
            assert!(sent.is_known(&zeros));
        }
    }

    proptest! {
        #[test]
        fn only_what_was_sent_is_known(keys in prop::collection::vec(0..40u64, 0..200)) {
            for prefix in [&[][..], &[7], &[0, 0]] {
                let mut sent = SentWords::default();
                sent.prepare(prefix.len() + 1);
                let mut all = BTreeSet::new();
                for key in &keys {
                    let words = [prefix, &[*key]].concat();
                    prop_assert!(!sent.is_known(&words) || all.contains(key));
                    prop_assert!(sent.is_known(&words), "the one sent last is known");
                    all.insert(key);
                }
            }
        }

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
