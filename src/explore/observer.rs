//! Events that a running search reports, and its questions to the observer.
//!
//! Invariant: an observer never influences counts, verdict or trace (except through a memory limit). It is called from the thread that
//! called the search, about every 100 ms, and once at the end.

use std::time::Duration;

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Steps from the initial states to the states being expanded.
    pub level: u64,
    /// States stored.
    pub states: u64,
    /// Transitions seen.
    pub transitions: u64,
    /// States stored that wait to be expanded.
    pub frontier: u64,
    /// Valuations of the constants found so far; 0 where the machine has none.
    pub set_ups: u64,
    /// Whether more of them are being enumerated, before the first batch or between two batches.
    pub is_seeking: bool,
    /// Whether those of a checkpoint are among them.
    pub is_resumed: bool,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How many states there may be in all: an estimate, made only where levels shrink.
    pub expected: Option<u64>,
    /// The last checkpoint that this run has written.
    pub checkpoint: Option<LastCheckpoint>,
}

/// The last checkpoint of a search that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCheckpoint {
    /// How many were written before it, including those of earlier runs.
    pub epoch: u64,
    /// States in it.
    pub states: u64,
    /// Time since it was written.
    pub age: Duration,
}

/// An observer of a search.
pub trait Observer {
    /// Called about every 100 ms and once at the end.
    fn progress(&mut self, progress: &Progress);

    /// Bytes that the process occupies; called equally often. The operating system is not known on this floor.
    fn memory_bytes(&mut self) -> u64 {
        0
    }

    /// Called at the end when the system has started fewer threads than requested.
    fn missing_workers(&mut self, _missing: usize) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}
}
