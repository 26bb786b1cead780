//! How choices among too many values are made, as requested by a search.
//!
//! Invariant: nothing is left out unless a search requests it, and the request is set before it begins. Deliberately elsewhere: which
//! values are taken (`choices`).

use crate::plan::Slot;
use bcheck_value::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The treatment of a choice among too many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceMode {
    /// It is an error.
    Refuse,
    /// It is an error, unless nothing reads the value: for searches that can neither leave values out nor begin again.
    OnlyUnread,
    /// It ends the search, which begins again without symmetry; unless nothing reads the value.
    EndSearch,
    /// The first values are taken; at least one.
    First(u32),
    /// This many are taken at random, depending on the seed, the state and the set.
    Random {
        /// How many are taken.
        most: u32,
        /// The seed of the generator.
        seed: u64,
    },
}

impl ChoiceMode {
    /// The mode that takes the first `most` values; with 0, such a choice is an error.
    pub fn first(most: u32) -> Self {
        if most == 0 { Self::Refuse } else { Self::First(most) }
    }

    /// As [`Self::first`], with random values.
    pub fn random(most: u32, seed: u64) -> Self {
        if most == 0 { Self::Refuse } else { Self::Random { most, seed } }
    }

    /// How many values are taken.
    pub(super) fn most(self) -> Option<usize> {
        match self {
            Self::First(most) | Self::Random { most, .. } => Some(most as usize),
            Self::Refuse | Self::OnlyUnread | Self::EndSearch => None,
        }
    }
}

/// How a machine chooses, and what became of it; shared by all who evaluate the machine.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The mode as two words (`set` and `mode`), which are read without a lock: each choice reads them.
    mode: AtomicU64,
    seed: AtomicU64,
    /// Whether a choice has ended the search.
    has_ended_search: AtomicBool,
    /// Values that are also taken, wherever they are elements.
    wanted: Mutex<Vec<Value>>,
    /// Names that nothing reads, and that have one value of too many.
    not_chosen: Mutex<BTreeSet<Slot>>,
}

// Relaxed throughout: the mode is set before the threads of a search begin, and reading late that the search is ended only delays its end.
impl Choices {
    /// Sets the mode of the next search.
    pub(crate) fn set(&self, mode: ChoiceMode) {
        let (word, seed) = match mode {
            ChoiceMode::Refuse => (0, 0),
            ChoiceMode::OnlyUnread => (1, 0),
            ChoiceMode::EndSearch => (2, 0),
            ChoiceMode::First(most) => (u64::from(most) << 2, 0),
            ChoiceMode::Random { most, seed } => (u64::from(most) << 2 | 3, seed),
        };
        self.mode.store(word, Ordering::Relaxed);
        self.seed.store(seed, Ordering::Relaxed);
        self.has_ended_search.store(false, Ordering::Relaxed);
    }

    pub(super) fn mode(&self) -> ChoiceMode {
        let word = self.mode.load(Ordering::Relaxed);
        let most = u32::try_from(word >> 2).expect("32 bits were shifted by two");
        match word & 3 {
            0 => ChoiceMode::first(most),
            1 => ChoiceMode::OnlyUnread,
            2 => ChoiceMode::EndSearch,
            _ => ChoiceMode::Random { most, seed: self.seed.load(Ordering::Relaxed) },
        }
    }

    /// Ends the search, which restarts in another mode.
    pub(super) fn end_search(&self) {
        self.has_ended_search.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_ended_search(&self) -> bool {
        self.has_ended_search.load(Ordering::Relaxed)
    }

    pub(crate) fn take_wanted(&self, values: Vec<Value>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = values;
    }

    pub(crate) fn not_chosen(&self) -> Vec<Slot> {
        self.not_chosen.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    pub(super) fn wanted(&self) -> Vec<Value> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn leave_unchosen(&self, slots: &[Slot]) {
        self.not_chosen.lock().unwrap_or_else(PoisonError::into_inner).extend(slots);
    }
}

#[cfg(test)]
mod tests {
    use super::{ChoiceMode, Choices};

    #[test]
    fn the_mode_that_was_set_is_read_and_a_new_one_has_not_ended() {
        let choices = Choices::default();
        assert_eq!(choices.mode(), ChoiceMode::Refuse);
        let random = ChoiceMode::random(u32::MAX, u64::MAX);
        for mode in
            [ChoiceMode::OnlyUnread, ChoiceMode::first(16), ChoiceMode::first(u32::MAX), random, ChoiceMode::EndSearch, ChoiceMode::Refuse]
        {
            choices.end_search();
            choices.set(mode);
            assert_eq!((choices.mode(), choices.has_ended_search()), (mode, false));
        }
        assert_eq!((ChoiceMode::first(0), ChoiceMode::random(0, 7)), (ChoiceMode::Refuse, ChoiceMode::Refuse));
    }
}
