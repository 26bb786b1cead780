//! The sums of a search: counts weighted by orbits (`tally`), representatives and orbit sizes (`reduction`), the first error of each
//! operation (`first_errors`), and the outcome that follows (`conclusion`).
//!
//! Invariant: what workers count merges in any order to the same sum. Must not know: who expands which state when.

pub(super) mod conclusion;
pub(super) mod first_errors;
pub(super) mod reduction;
pub(super) mod set_up;
pub(super) mod tally;
