//! The thresholds of this floor: what decides which search runs, and how far.
//!
//! Invariant: as of all thresholds, none changes a verdict, but to `incomplete`. Deliberately elsewhere: sizes of formats, intervals between
//! two looks at the interrupt flag, and how much is shown, which stay constants where they are used.

bcheck_source::thresholds! {
    /// All of them, in the order of the files below.
    pub TABLE of "eval";

    // The solver.

    /// Constraints of integers that are propagated before the solver looks at its limits again: bounds of large integers can take long to
    /// meet.
    PROPAGATED_AT_ONCE: u32 = 2_000, 1..=1_000_000;

    /// How many learned clauses are kept at first.
    LEARNED_CLAUSES: usize = 4_000, 1..=1_000_000;

    /// Conflicts before the first restart, and the unit of the Luby sequence.
    RESTART_UNIT: u64 = 128, 1..=1_000_000;

    /// The number of models that are excluded by a blocking clause each, which leaves the search free to restart and to jump back where
    /// models are rare. Where there are more, the clauses would slow propagation down.
    BLOCKED_MODELS: u32 = 1_000, 1..=1_000_000;

    /// Conflicts without a model between them that teach nothing, when blocking clauses are used up. More of them show a part of the search
    /// space that learned clauses may close.
    DEAD_ENDS: u32 = 300, 0..=1_000_000;

    /// How many learned clauses are kept when blocking clauses are used up: each slows propagation down.
    LEARNED_CLAUSES_OF_MANY: usize = 500, 1..=1_000_000;

    /// The smallest choice is decided first unless choices have more literals than this, which are all looked at for each decision.
    CHOICE_LITERALS: usize = 4_096, 0..=1_000_000;
}
