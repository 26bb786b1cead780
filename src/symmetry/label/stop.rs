//! A flag that ends canonical labelling from another thread.
//!
//! Invariant: once raised, it stays so until the computation has returned. Its result is then still a permutation, but not reported as
//! exact.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that long computations poll; without one, they are never stopped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    pub(crate) fn on(flag: &Arc<AtomicBool>) -> Self {
        Self(Some(flag.clone()))
    }

    /// Whether the flag was raised, so that the computation is to end.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        // Relaxed: no other memory is read that the raising thread wrote.
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
