//! What a search has done for temporal formulas on its way, besides the graph that it records.
//!
//! Invariant: plain data. Repeated in this order, each step when as many rows are written as then, these steps have the same effect.
//! Deliberately elsewhere: who takes them (`recording`), who keeps them (`checkpoint`).

use serde::{Deserialize, Serialize};

/// What was done at a barrier for formulas, so that a search that goes on with a checkpoint can repeat it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct InterimStep {
    /// States below this number were expanded.
    pub(super) expanded: u32,
    pub(super) what: Done,
}

/// See [`InterimStep`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Done {
    /// What was recorded was judged.
    Judged,
    /// Other searches had their turn when this many states were stored.
    Turn(u64),
}
