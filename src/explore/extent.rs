//! How far a search has come: which of its states are expanded, so that its graph can be walked again (`walk`).
//!
//! Invariant: plain numbers, a few for the whole search. All states under the set-ups before the last batch of these are expanded; a walk
//! finds the states of the last batch in the order in which the search has numbered them, or makes the same choices (`Strategy`) again.
//! Deliberately elsewhere: set-ups in batches (`search::set_ups`).

use crate::number::StateNumber;
use crate::{Options, Strategy};
use std::ops::Range;

/// How far a search has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// So many valuations of the constants precede those of the last batch: all states under them are expanded.
    pub(crate) whole: u64,
    /// The valuations of the last batch.
    pub(crate) last: u64,
    /// The states stored under these.
    pub(crate) states: u32,
    pub(crate) expanded: ExpandedStates,
    /// The order of the search, unless it proceeds level by level, and its limit on depth.
    pub(crate) order: Option<Strategy>,
    pub(crate) depth: Option<u64>,
}

/// The states of a batch of set-ups that are expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExpandedStates {
    /// The number of states: breadth first, those with the lowest numbers.
    pub(crate) count: u32,
    /// Except these, which it had not reached when it was stopped.
    pub(crate) but: Vec<Range<StateNumber>>,
}

impl Extent {
    /// That of a search that has not begun.
    pub(crate) fn of(options: &Options) -> Self {
        let order = Some(options.strategy).filter(|strategy| *strategy != Strategy::Breadth);
        Self { order, depth: options.limits.depth, ..Self::default() }
    }

    /// Goes on to the next batch of set-ups, whose search has ended with so many states.
    pub(crate) fn go_on(&mut self, valuations: u64, states: u32, expanded: ExpandedStates) {
        *self = Self { whole: self.whole + self.last, last: valuations, states, expanded, ..*self };
    }

    /// A batch of set-ups whose states were all expanded by an earlier run.
    pub(crate) fn pass_over(&mut self, valuations: u64) {
        let expanded = ExpandedStates::default();
        *self = Self { whole: self.whole + self.last + valuations, last: 0, states: 0, expanded, ..*self };
    }
}

impl ExpandedStates {
    /// Whether the state with this number is expanded.
    pub(crate) fn has(&self, number: StateNumber) -> bool {
        number.number() < self.count && !self.but.iter().any(|numbers| numbers.contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_batch_has_states_that_are_not_expanded() {
        let mut extent = Extent::default();
        extent.go_on(5, 100, ExpandedStates { count: 100, but: Vec::new() });
        extent.pass_over(2);
        extent.go_on(1, 10, ExpandedStates { count: 6, but: std::iter::once(StateNumber::new(3)..StateNumber::new(5)).collect() });
        assert_eq!((extent.whole, extent.last, extent.states), (7, 1, 10));
        let expanded = StateNumber::all(10).filter(|number| extent.expanded.has(*number));
        assert_eq!(expanded.map(StateNumber::number).collect::<Vec<_>>(), [0, 1, 2, 5]);
    }
}
