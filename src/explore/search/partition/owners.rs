//! Which process a state belongs to.
//!
//! Invariant: the owner of a state depends on its key and on how many processes there are, and on nothing else; so it is the same in
//! every process and every run.

use crate::durable::log::Key;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

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
        let hash = match key {
            // Most keys: a hash in parts has a state of its own, which takes longer to begin than this takes as a whole.
            Key::Words(&[word]) => xxh3_64(&word.to_le_bytes()),
            Key::Words(words) => {
                let mut hash = Xxh3::new();
                words.iter().for_each(|word| hash.update(&word.to_le_bytes()));
                hash.digest()
            }
            Key::Bytes(bytes) => xxh3_64(bytes),
        };
        // The high bits, scaled to the number of processes: as even as the hash, whatever the number.
        ((u128::from(hash) * self.processes as u128) >> 64) as usize
    }
}
