//! Ranks: the order numbers of steps.
//!
//! Invariant: ranks order steps by the number of their state, then by their ordinal there; those of initial states, in order of
//! enumeration, precede all others. Deliberately elsewhere: who stores the least rank of a state (`offers`, `state`).

use crate::number::{ParentNumber, StateNumber};
use bcheck_state::Rank;

/// The lower half is the ordinal of the step.
const PARENT_SHIFT: u32 = 32;

/// The rank of the first step of a state.
pub(crate) fn first_rank(number: StateNumber) -> Rank {
    // One more than the number: initial states have ranks with an upper half of 0, below those of all steps.
    Rank((u64::from(number.number()) + 1) << PARENT_SHIFT)
}

/// The number of the state whose step has this rank; `None` of an initial state.
#[inline]
pub(super) fn state_of(rank: Rank) -> Option<StateNumber> {
    parent_of(rank).state()
}

/// The parent of a state that was first reached by the step with this rank.
#[inline]
pub(super) fn parent_of(rank: Rank) -> ParentNumber {
    ParentNumber::new((rank.0 >> PARENT_SHIFT) as u32)
}

/// The ordinal of the step with this rank among those of its state.
#[inline]
pub(super) fn ordinal_of(rank: Rank) -> u64 {
    rank.0 & ((1 << PARENT_SHIFT) - 1)
}

/// The rank of the step with this ordinal, into states with this parent. `None` where no step has these numbers.
#[inline]
pub(super) fn rank_of(parent: ParentNumber, ordinal: u64) -> Option<Rank> {
    (ordinal >> PARENT_SHIFT == 0).then(|| Rank(u64::from(parent.number()) << PARENT_SHIFT | ordinal))
}
