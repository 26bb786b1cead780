//! The kinds of numbers that a search uses side by side, each with a type of its own.
//!
//! Invariant: states are numbered in the order in which they are found, from 0 on, so a state has a lower number than those that were first
//! reached from it. The number behind the last of some states ends their range. Deliberately elsewhere: ids of states, which depend on the
//! schedule (`state`); orbit classes (`count::tally`).

pub(crate) use bcheck_temporal::graph::StateNumber;

use serde::{Deserialize, Serialize};

bcheck_source::numbers! {
    /// The number of a representative set-up of its batch.
    pub(crate) SetUpNumber;
    /// One more than the number of the state from which a state was first reached; 0 of an initial state.
    pub(crate) ParentNumber;
    /// The place of a state in the log of this process: its number, where no other process shares the search.
    #[derive(Serialize, Deserialize)]
    pub(crate) LogPlace;
}

impl ParentNumber {
    /// That of an initial state.
    pub(crate) const NONE: Self = Self::new(0);

    /// The state from which it is reached; `None` of an initial state.
    #[inline]
    pub(crate) fn state(self) -> Option<StateNumber> {
        self.number().checked_sub(1).map(StateNumber::new)
    }
}
