//! What a search is asked to do.
//!
//! Invariant: plain data, already resolved: no defaults are applied below this floor.

use crate::symmetry::Mode;
use std::time::Duration;

/// The order of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Level by level: shortest counterexamples.
    Breadth,
    /// Newest state first.
    Depth,
    /// Random order from a fixed seed.
    Random,
}

/// Where to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// States stored.
    pub states: Option<u64>,
    /// Breadth-first levels expanded.
    pub depth: Option<u64>,
    /// Wall-clock time of the search.
    pub time: Option<Duration>,
    /// Bytes of the process.
    pub memory_bytes: Option<u64>,
}

/// Options of one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How representatives are found.
    pub symmetry: Mode,
    /// Check the invariant.
    pub invariant: bool,
    /// Check for deadlocks.
    pub deadlock: bool,
    /// Check assertions.
    pub assertions: bool,
    /// Look for the goal of the model.
    pub goal: bool,
    /// Cover the whole space in spite of findings.
    pub keep_going: bool,
    /// Order of the search.
    pub strategy: Strategy,
    /// Threads; 1 uses the sequential search.
    pub workers: usize,
    /// Where to stop.
    pub limits: Limits,
}
