//! States as structures for the labeller: `values` reads states of the general tier, `packed_words` those of the packed tier;
//! `description` opens symbolic sets.
//!
//! Invariant: two states that agree on their fixed parts have isomorphic structures exactly where a permutation of movable elements maps
//! one to the other. Must not know: how structures are labelled, which permutations are symmetries.

pub(super) mod description;
pub(super) mod packed;
pub(super) mod packed_skeleton;
mod packed_words;
pub(crate) mod values;
