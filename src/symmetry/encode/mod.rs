//! States as structures for the labeller: `values` reads general values, `packed` words; `description` sets that are not written out.
//!
//! Invariant: two states have isomorphic structures exactly where a permutation of movable elements maps one to the other.
//! Must not know: how structures are labelled, which permutations are symmetries.

pub(super) mod description;
pub(super) mod packed;
pub(super) mod packed_skeleton;
pub(super) mod values;
