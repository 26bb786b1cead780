//! The atomics of the lock-free table, and the lock around its slots. Built with `--cfg loom`, they are those of loom, which explores
//! every interleaving and every value that the memory model allows a load (`scripts/loom.sh`; Norris and Demsky, "CDSChecker", OOPSLA
//! 2013).
//!
//! Invariant: the table accesses shared memory through this module only, so the checked code is the code that runs (except for
//! `OnceLock`).

#[cfg(not(loom))]
mod real {
    // Readers lock a shard each, instead of one counter that all of them would write to; writers, which are rare, lock all shards.
    pub(crate) use crossbeam::sync::ShardedLock as SlotLock;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

    /// Zeroed words, whose memory the system provides when it is first touched.
    pub(crate) fn zeroed(len: usize) -> Box<[AtomicU64]> {
        bytemuck::zeroed_slice_box(len)
    }

    /// A block of such lines, allocated directly on the heap: it may not fit on the stack.
    pub(crate) fn zeroed_lines<const LINE: usize, const LINES: usize>() -> Box<[[AtomicU64; LINE]; LINES]> {
        bytemuck::zeroed_box()
    }

    /// The value of a word that no other thread can reach.
    #[inline]
    pub(crate) fn owned(word: &mut AtomicU64) -> u64 {
        *word.get_mut()
    }

    /// Writes a word that no other thread can reach.
    #[inline]
    pub(crate) fn put(word: &mut AtomicU64, value: u64) {
        *word.get_mut() = value;
    }
}

#[cfg(loom)]
mod real {
    pub use loom::sync::RwLock as SlotLock;
    pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

    // Element by element: loom registers each atomic when it is constructed, so zeroed memory would hold none.
    pub(crate) fn zeroed(len: usize) -> Box<[AtomicU64]> {
        (0..len).map(|_| AtomicU64::new(0)).collect()
    }

    pub(crate) fn zeroed_lines<const LINE: usize, const LINES: usize>() -> Box<[[AtomicU64; LINE]; LINES]> {
        Box::new(std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))))
    }

    pub(crate) fn owned(word: &mut AtomicU64) -> u64 {
        word.with_mut(|word| *word)
    }

    pub(crate) fn put(word: &mut AtomicU64, value: u64) {
        word.with_mut(|word| *word = value);
    }
}

pub(super) use real::{AtomicBool, AtomicU32, AtomicU64, SlotLock, owned, put, zeroed, zeroed_lines};
pub(crate) use std::sync::atomic::Ordering;
