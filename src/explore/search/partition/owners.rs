//! Which process a state belongs to.
//!
//! Invariant: the owner of a state depends on its key and on how many processes there are, and on nothing else; so it is the same in
//! every process and every run.

use crate::durable::log::Key;
use xxhash_rust::xxh3::xxh3_64;

/// This process among those that share a search.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Owners {
    pub(super) me: usize,
    pub(super) processes: usize,
}

impl Owners {
    /// Whether a state belongs to this process.
    #[inline]
    pub(in super::super) fn is_own(self, key: Key<'_>) -> bool {
        self.owner(key) == self.me
    }

    /// The process that a state belongs to.
    #[inline]
    pub(super) fn owner(self, key: Key<'_>) -> usize {
        match key {
            Key::Words(words) => self.owner_of_words(words),
            Key::Bytes(bytes) => self.of_hash(xxh3_64(bytes)),
        }
    }

    /// The same for a key of words: asked for each successor.
    #[inline]
    pub(super) fn owner_of_words(self, words: &[u64]) -> usize {
        // Another hash than that of the tables: there, the states of a process would lie close together.
        self.of_hash(match words {
            [word] => mixed(*word),
            _ => words.iter().fold(0, |hash, word| mixed(hash ^ word)),
        })
    }

    #[inline]
    fn of_hash(self, hash: u64) -> usize {
        // The high bits, scaled to the number of processes: as even as the hash, whatever the number.
        ((u128::from(hash) * self.processes as u128) >> 64) as usize
    }
}

/// A bijection on words in which each bit of the result depends on all bits: the finalizer of MurmurHash3 (Appleby, 2011).
#[inline]
fn mixed(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^= word >> 33;
    word = word.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ word >> 33
}
