//! Explanations: conjuncts that contradict each other, sizes of sets that would do, the conjunct that disables an operation, and the plan
//! of an operation.
//!
//! Must not know: the machine as a whole; a question is compiled anew.

pub(super) mod contradiction;
pub(super) mod explanation;
pub(super) mod obstacle;
pub(super) mod other_sizes;
