//! What a search has done for temporal formulas on its way, besides the graph that it records.
//!
//! Invariant: plain data: done again in this order, on as many rows, it leaves behind the same. Deliberately elsewhere: who does it
//! (`recording`), who keeps it (`checkpoint`).

use serde::{Deserialize, Serialize};

/// What was done at a barrier for formulas, so that a search that goes on with a checkpoint can do it again.
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
    /// Others had their turn, where so many states were stored.
    Turn(u64),
}
