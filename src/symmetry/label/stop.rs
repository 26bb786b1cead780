//! A flag that ends canonical labelling from another thread.
//!
//! Invariant: once raised it stays so until whoever computes has returned; what is then given is a permutation all the same, but not
//! said to be exact.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is looked at now and then; none is never raised.
#[derive(Clone, Debug, Default)]
pub(in crate::symmetry) struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    pub(in crate::symmetry) fn on(flag: &Arc<AtomicBool>) -> Self {
        Self(Some(flag.clone()))
    }

    /// Whether to come to an end.
    #[inline]
    pub(in crate::symmetry) fn is_raised(&self) -> bool {
        // Nothing else is read that the raising thread wrote.
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
