//! The thresholds of this floor, and those of the floors below that have any.
//!
//! Invariant: every floor with a table is listed.

use bcheck_source::ThresholdTable;

/// The tables of all floors.
#[must_use]
pub fn tables() -> [&'static ThresholdTable; 1] {
    [&bcheck_eval::thresholds::TABLE]
}
