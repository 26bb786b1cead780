//! Explanations: PROPERTIES that contradict each other, sizes of deferred sets for which they do not, the conjunct that disables an
//! operation, and the plan of an operation.
//!
//! Must not know: the compiled operations and properties of a machine. Formulas are compiled anew, conjunct by conjunct.

pub(super) mod contradiction;
pub(super) mod explanation;
pub(super) mod obstacle;
pub(super) mod other_sizes;
