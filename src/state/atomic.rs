//! The atomics of the lock-free table, and the lock around its slots. Built with `--cfg loom`, they are those of loom, which runs every
//! order of steps and every value that the memory model allows a load (`scripts/loom.sh`; Norris and Demsky, "CDSChecker", OOPSLA 2013).
//!
//! Invariant: the table reaches shared memory through this module only, so what loom has seen is what runs.

#[cfg(not(loom))]
mod real {
    pub(crate) use crossbeam::sync::ShardedLock as SlotLock;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

    /// Words in memory that nobody has touched yet.
    pub(crate) fn zeroed(len: usize) -> Box<[AtomicU64]> {
        bytemuck::zeroed_slice_box(len)
    }

    /// The same, of a known number.
    pub(crate) fn zeroed_lines<const LINE: usize, const LINES: usize>() -> Box<[[AtomicU64; LINE]; LINES]> {
        bytemuck::zeroed_box()
    }

    /// What nobody else can reach.
    #[inline]
    pub(crate) fn owned(word: &mut AtomicU64) -> u64 {
        *word.get_mut()
    }

    /// Writes what nobody else can reach.
    #[inline]
    pub(crate) fn put(word: &mut AtomicU64, value: u64) {
        *word.get_mut() = value;
    }
}

#[cfg(loom)]
mod real {
    pub(crate) use loom::sync::RwLock as SlotLock;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

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
pub(super) use std::sync::atomic::Ordering;
