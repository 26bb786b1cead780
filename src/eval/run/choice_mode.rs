//! How choices among too many values are made: what a search has asked for.
//!
//! Invariant: nothing is left out unless a search asks for it. Deliberately elsewhere: which values are taken (`choices`).

use crate::eval::plan::Slot;
use crate::value::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How choices among too many values are made, for all who evaluate a machine. Set before a search, and not during one.
#[derive(Debug, Default)]
pub(in crate::eval) struct ChoiceMode {
    /// How many values are taken; with 0 such a choice is an error.
    most: AtomicU32,
    /// Whether they are taken at random, and the seed.
    is_random: AtomicBool,
    seed: AtomicU64,
    /// Whether such a choice ends the search, which begins again without symmetry.
    ends_search: AtomicBool,
    /// Whether one did.
    has_ended_search: AtomicBool,
    /// Values that are taken as well, wherever they are elements.
    wanted: Mutex<Vec<Value>>,
    /// Names that nothing reads, and that have one value of too many.
    not_chosen: Mutex<BTreeSet<Slot>>,
}

// Relaxed throughout: the flags are set before the threads of a search begin, and read when they have ended.
impl ChoiceMode {
    pub(in crate::eval) fn take(&self, most: u32) {
        self.most.store(most, Ordering::Relaxed);
        self.ends_search.store(false, Ordering::Relaxed);
        self.is_random.store(false, Ordering::Relaxed);
    }

    pub(in crate::eval) fn take_random(&self, most: u32, seed: u64) {
        self.take(most);
        self.seed.store(seed, Ordering::Relaxed);
        self.is_random.store(true, Ordering::Relaxed);
    }

    pub(in crate::eval) fn end_search(&self) {
        self.most.store(0, Ordering::Relaxed);
        self.has_ended_search.store(false, Ordering::Relaxed);
        self.ends_search.store(true, Ordering::Relaxed);
    }

    pub(in crate::eval) fn has_ended_search(&self) -> bool {
        self.has_ended_search.load(Ordering::Relaxed)
    }

    pub(in crate::eval) fn take_wanted(&self, values: Vec<Value>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = values;
    }

    pub(in crate::eval) fn not_chosen(&self) -> Vec<Slot> {
        self.not_chosen.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    pub(super) fn most(&self) -> u32 {
        self.most.load(Ordering::Relaxed)
    }

    /// The seed of random values, if these are asked for.
    pub(super) fn seed(&self) -> Option<u64> {
        self.is_random.load(Ordering::Relaxed).then(|| self.seed.load(Ordering::Relaxed))
    }

    pub(super) fn wanted(&self) -> Vec<Value> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn ends_search(&self) -> bool {
        self.ends_search.load(Ordering::Relaxed)
    }

    pub(super) fn note_end(&self) {
        self.has_ended_search.store(true, Ordering::Relaxed);
    }

    pub(super) fn leave_unchosen(&self, slots: &[Slot]) {
        self.not_chosen.lock().unwrap_or_else(PoisonError::into_inner).extend(slots);
    }
}
