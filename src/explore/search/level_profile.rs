//! The sizes of the last levels of a breadth-first search, and how many states there may be in all where levels shrink.
//!
//! Invariant: an extrapolation is made only where each of the last levels was smaller than the one before, and by the slowest of their
//! ratios, so that it errs on the side of more states. It is an estimate all the same: levels may grow again.

use crate::number::StateNumber;
use std::ops::Range;

/// Levels whose sizes are compared; so three ratios.
const LEVELS: usize = 4;
/// Levels that shrink more slowly foretell nothing: the sum of a geometric series explodes where its ratio is close to 1.
const SLOWEST: f64 = 0.95;

/// The last levels.
#[derive(Debug, Default)]
pub(super) struct LevelProfile {
    /// The oldest first; the last one is being expanded.
    sizes: Vec<u64>,
    /// The number behind the last state of the last level.
    end: StateNumber,
    /// States up to there.
    states: u64,
    /// Whether states will follow that belong to no level: those of another batch of set-ups.
    has_others: bool,
}

impl LevelProfile {
    /// Begins anew, for the states of a batch of set-ups; `is_last`: no other one follows.
    pub(super) fn begin(&mut self, is_last: bool) {
        *self = Self { has_others: !is_last, ..Self::default() };
    }

    /// A level is to be expanded; `before` states were stored before this batch of set-ups.
    pub(super) fn level(&mut self, level: &Range<StateNumber>, before: u64) {
        // Another search had its turn: its levels do not precede this one.
        if level.start != self.end {
            self.sizes.clear();
        }
        if self.sizes.len() == LEVELS {
            self.sizes.remove(0);
        }
        self.end = level.end;
        self.sizes.push(level.end.since(level.start).into());
        self.states = before + u64::from(level.end.number());
    }

    /// The number of states to be expected in all; `None` where levels do not shrink.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate")]
    pub(super) fn expected(&self) -> Option<u64> {
        let last = *self.sizes.last()?;
        if self.has_others || self.sizes.len() < LEVELS {
            return None;
        }
        let slowest = self.sizes.windows(2).map(|pair| pair[1] as f64 / pair[0] as f64).fold(0.0, f64::max);
        // The sum of all levels that follow: a geometric series.
        (slowest <= SLOWEST).then(|| self.states + (last as f64 * slowest / (1.0 - slowest)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(sizes: &[u32]) -> Option<u64> {
        let mut profile = LevelProfile::default();
        profile.begin(true);
        let mut end = StateNumber::new(0);
        for size in sizes {
            profile.level(&(end..end.plus(*size)), 0);
            end = end.plus(*size);
        }
        profile.expected()
    }

    #[test]
    fn levels_that_shrink_are_continued_as_a_geometric_series() {
        assert_eq!(expected(&[800, 400, 200, 100]), Some(1500 + 100));
        // The slowest ratio counts, and levels before the last four do not.
        assert_eq!(expected(&[10, 800, 400, 100, 50]), Some(1360 + 50));
    }

    #[test]
    fn nothing_is_expected_where_levels_grow_or_hardly_shrink_or_are_few() {
        assert_eq!(expected(&[1, 2, 4, 8]), None);
        assert_eq!(expected(&[800, 400, 401, 100]), None);
        assert_eq!(expected(&[1000, 999, 998, 997]), None);
        assert_eq!(expected(&[800, 400, 200]), None);
    }

    #[test]
    fn levels_of_another_search_are_forgotten() {
        let mut profile = LevelProfile::default();
        let mut expected_after = |levels: &[Range<u32>]| {
            levels.iter().for_each(|level| profile.level(&(StateNumber::new(level.start)..StateNumber::new(level.end)), 0));
            profile.expected()
        };
        assert_eq!(expected_after(&[0..8, 8..12, 12..14]), None);
        assert_eq!(expected_after(std::slice::from_ref(&(900..901))), None, "not the fourth of these");
    }

    #[test]
    fn nothing_is_expected_while_other_set_ups_follow() {
        let mut profile = LevelProfile::default();
        profile.begin(false);
        let mut end = StateNumber::new(0);
        for size in [8, 4, 2, 1] {
            profile.level(&(end..end.plus(size)), 100);
            end = end.plus(size);
        }
        assert_eq!(profile.expected(), None);
        profile.has_others = false;
        assert_eq!(profile.expected(), Some(100 + 15 + 1));
    }
}
