//! Explanations: PROPERTIES that contradict each other, sizes of deferred sets for which they do not, the conjunct that disables an
//! operation, the plan of an operation, and the evidence for the truth value of a predicate.
//!
//! Must not know: the compiled operations and properties of a machine. Formulas are recompiled, conjunct by conjunct.

pub(super) mod contradiction;
pub(crate) mod evidence;
pub(super) mod explanation;
pub(super) mod guard;
pub(super) mod obstacle;
pub(super) mod other_sizes;
