//! Actions for temporal formulas during a search, besides recording the graph.
//!
//! Invariant: plain data. Repeated in this order, each when the same number of rows is written, these actions have the same effect.
//! Deliberately elsewhere: who performs them (`recording`), who stores them (`checkpoint`).

use crate::number::StateNumber;
use serde::{Deserialize, Serialize};

/// An action for formulas at a barrier, which a resumed search repeats.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct FormulaAction {
    /// States below this number were expanded.
    pub(super) expanded: StateNumber,
    pub(super) what: Done,
}

/// See [`FormulaAction`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Done {
    /// The recorded graph was judged.
    Judged,
    /// Other searches had their turn when this many states were stored.
    Turn(u64),
}
