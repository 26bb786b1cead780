//! Ranks: the order numbers of steps.
//!
//! Invariant: ranks order steps by the number of their state, then by their ordinal there; those of initial states, in order of
//! enumeration, precede all others. Deliberately elsewhere: who stores the least rank of a state (`offers`, `state`).

/// The lower half is the ordinal of the step.
const PARENT_SHIFT: u32 = 32;

/// The rank of the first step of a state.
pub(crate) fn first_rank(number: u32) -> u64 {
    // One more than the number: initial states have ranks with an upper half of 0, below those of all steps.
    (u64::from(number) + 1) << PARENT_SHIFT
}

/// The number of the state whose step has this rank; `None` of an initial state.
#[inline]
pub(super) fn parent_of(rank: u64) -> Option<u32> {
    following_parent_of(rank).checked_sub(1)
}

/// One more than the number of the state whose step has this rank; 0 of an initial state.
#[inline]
pub(super) fn following_parent_of(rank: u64) -> u32 {
    (rank >> PARENT_SHIFT) as u32
}

/// The ordinal of the step with this rank among those of its state.
#[inline]
pub(super) fn ordinal_of(rank: u64) -> u64 {
    rank & ((1 << PARENT_SHIFT) - 1)
}

/// The rank of the step with this ordinal; `following_parent` as of [`following_parent_of`]. `None` where no step has these numbers.
#[inline]
pub(super) fn rank_of(following_parent: u64, ordinal: u64) -> Option<u64> {
    (following_parent >> (u64::BITS - PARENT_SHIFT) == 0 && ordinal >> PARENT_SHIFT == 0)
        .then_some(following_parent << PARENT_SHIFT | ordinal)
}
