//! Unit tests of more than one file of this floor.
//!
//! Invariant: what is tested is compared with the definition, or with figures of the literature. Deliberately elsewhere: tests of single
//! files, which are in them.

mod automata;
mod known;
pub(crate) mod random;
