//! Whether results are being written, which takes as long as their reader does: no limit ends that.
//!
//! Invariant: only writing to people and programs outside counts, or writing complete content to the disk. Deliberately elsewhere: limits
//! (`interrupt`), files (`output`).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

// Relaxed suffices for all of them: no other data depends on them.
static WRITERS: AtomicUsize = AtomicUsize::new(0);
static HAS_WRITTEN: AtomicBool = AtomicBool::new(false);
static NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// Writes results.
pub(crate) fn writing<T>(write: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    WRITERS.fetch_add(1, Ordering::Relaxed);
    let written = write();
    let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    NANOSECONDS.fetch_add(took, Ordering::Relaxed);
    HAS_WRITTEN.store(true, Ordering::Relaxed);
    WRITERS.fetch_sub(1, Ordering::Relaxed);
    written
}

/// Whether results are being written.
pub(crate) fn is_going_on() -> bool {
    WRITERS.load(Ordering::Relaxed) > 0
}

/// Whether results were written.
pub(crate) fn has_begun() -> bool {
    HAS_WRITTEN.load(Ordering::Relaxed)
}

/// The time that writing has taken so far.
pub(crate) fn time_taken() -> Duration {
    Duration::from_nanos(NANOSECONDS.load(Ordering::Relaxed))
}
