//! The statistics of all algorithms: those of this floor, and of the floors below.
//!
//! Invariant: every table is listed. Deliberately elsewhere: the counts in each report (`count`).

use bcheck_source::{StatisticTable, statistics};

statistics! {
    /// The packed states stored at the end of each batch of set-ups.
    pub(crate) VISITED of "visited_set";

    /// States that were entered.
    KEYS;

    /// Slots for them.
    SLOTS;

    /// Keys outside of their own line of slots, as it was full when they came: each costs at least one more probe.
    COLLISIONS;

    /// Lines of slots that are read to find each key once.
    PROBES;
}

statistics! {
    /// Judging temporal formulas.
    pub(crate) TEMPORAL of "temporal";

    /// States of the products of graphs and automata.
    PRODUCT_STATES;

    /// Their edges.
    PRODUCT_EDGES;
}

/// The tables of all algorithms.
pub static TABLES: [&StatisticTable; 4] = [&bcheck_symmetry::statistics::TABLE, &bcheck_eval::statistics::TABLE, &VISITED, &TEMPORAL];
