//! Which process a state belongs to.
//!
//! Invariant: the owner of a state depends on its key and on how many processes there are, and on nothing else; so it is the same in
//! every process and every run.

use bcheck_durable::log::Key;
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
        // A different hash from that of the tables, where the states of a process would otherwise cluster.
        let hash = match key {
            Key::Words([word]) => mixed(*word),
            Key::Words(words) => words.iter().fold(0, |hash, word| mixed(hash ^ word)),
            Key::Bytes(bytes) => xxh3_64(bytes),
        };
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
