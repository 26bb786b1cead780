//! The statistics of all algorithms: of those of this floor, and of the floors below.
//!
//! Invariant: every table is listed. Deliberately elsewhere: what a report says of each search anyway (`count`).

use bcheck_source::{StatisticTable, statistics};

statistics! {
    /// What was kept of states as words, when each batch of set-ups ended.
    pub(crate) VISITED of "visited_set";

    /// States that were entered.
    KEYS;

    /// Slots for them.
    SLOTS;

    /// Keys that are not in their own line of slots, as it was full when they came: each costs one more probe, at least.
    COLLISIONS;

    /// Lines of slots that are read to find each key once.
    PROBES;
}

statistics! {
    /// What was judged of temporal formulas.
    pub(crate) TEMPORAL of "temporal";

    /// States of the products of graphs and automata.
    PRODUCT_STATES;

    /// Their edges.
    PRODUCT_EDGES;
}

/// The tables of all algorithms.
pub static TABLES: [&StatisticTable; 4] = [&bcheck_symmetry::statistics::TABLE, &bcheck_eval::statistics::TABLE, &VISITED, &TEMPORAL];
