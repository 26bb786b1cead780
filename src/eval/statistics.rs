//! Statistics of the solver.
//!
//! Invariant: counted by each solver for itself, and added when it is given up. Deliberately elsewhere: how long each search of a predicate
//! is (`order::log`).

bcheck_source::statistics! {
    /// The counts of all solvers of the process.
    pub TABLE of "solver";

    /// Literals that were decided.
    DECISIONS;

    /// Clauses and constraints that became false.
    CONFLICTS;

    /// Literals whose consequences were followed.
    PROPAGATIONS;

    /// Restarts.
    RESTARTS;
}

/// The counts of one solver.
#[derive(Default)]
pub(crate) struct SolverCounts {
    pub(crate) decisions: u64,
    pub(crate) conflicts: u64,
    pub(crate) propagations: u64,
    pub(crate) restarts: u64,
}

impl Drop for SolverCounts {
    fn drop(&mut self) {
        DECISIONS.add(self.decisions);
        CONFLICTS.add(self.conflicts);
        PROPAGATIONS.add(self.propagations);
        RESTARTS.add(self.restarts);
    }
}
