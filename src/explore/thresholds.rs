//! The thresholds of this floor, and those of the floors below that have any.
//!
//! Invariant: every floor with a table is listed.

use bcheck_source::{ThresholdTable, thresholds};

thresholds! {
    /// Those of this floor.
    TABLE of "explore";

    // The search.

    /// States between two barriers, which bound how far a search overshoots a limit on states, and the lists of new ones; few in unit
    /// tests, so that small machines have levels of several slices.
    SLICE_STATES: u32 = if cfg!(test) { 1 << 3 } else { 1 << 14 }, 1..=1_000_000;

    /// Keys of states that were sent to other processes are all forgotten at the end of a slice where there are this many.
    SENT_KEYS: usize = if cfg!(test) { 1 << 4 } else { 1 << 17 }, 1..=10_000_000;

    /// A worker is woken only if its share of a slice is at least this many states.
    LEAST_SHARE: usize = 4, 1..=10_000;

    /// The most decoded states stored in the frontier in total.
    KEPT_STATES: usize = 32_768, 0..=1_000_000;

    /// The most decoded states that a worker stores for a slice.
    KEPT_IN_BATCH: usize = 4_096, 0..=1_000_000;

    /// At most this many words of successors wait while another worker makes room for them.
    WAITING_WORDS: usize = 262_144, 1..=10_000_000;

    /// Orbits are computed only among at least this many steps.
    ORBIT_STEPS: usize = 4, 1..=1_000_000;

    /// A batch is handed over after at most this many valuations per representative wanted.
    VISITED_VALUATIONS: u64 = 64, 1..=1_000_000;

    /// States expanded again at each end of the log.
    RESTORED_SAMPLE: u32 = 64, 1..=100_000;

    /// Slices in a superstep, for each process: then each expands about this many slices' states.
    SUPERSTEP_SLICES: usize = 4, 1..=1_000;

    /// The most bytes that a process should send and receive in a superstep.
    SUPERSTEP_BYTES: u64 = 67_108_864, 1..=1_000_000_000;

    /// Keys of states that were sent to other processes are all forgotten where they take this many bytes.
    SENT_BYTES: usize = 16_777_216, 1..=1_000_000_000;

    // Temporal formulas.

    /// The first on-the-fly check is at this number of expanded states, each later one at [`INTERIM_FACTOR`] times the number before: all
    /// on-the-fly checks together judge a third of the states of the next one.
    FIRST_INTERIM: u64 = 4_096, 1..=1_000_000_000;

    /// The factor between the numbers of expanded states at two on-the-fly checks.
    INTERIM_FACTOR: u64 = 4, 2..=1_000;

    /// The first turn of a search for formulas comes when the search of states has stored this many.
    FIRST_TURN: u64 = 4_096, 1..=1_000_000_000;

    /// The next one comes when it has stored this many times as many.
    TURN_FACTOR: u64 = 2, 2..=1_000;

    /// The factor by which shares grow once the search of states is complete.
    ROUND_FACTOR: u64 = 4, 2..=1_000;

    /// More values of one name are refused: each makes a copy of the formula.
    QUANTIFIED_VALUES: usize = 4_096, 1..=65_536;

    /// More copies of parts of one formula are refused, where quantifiers nest.
    FORMULA_COPIES: usize = 65_536, 16..=1_000_000;

    /// Graphs with more states are not searched for a state that satisfies a premise with temporal operators: it takes as long as judging
    /// the formula, for a warning.
    VACUITY_STATES: u32 = 65_536, 0..=10_000_000;

    /// The most states that are searched for a shorter counterexample, which is worth some time.
    SHORTENED_STATES: usize = 5_000, 1..=1_000_000;

    /// A loop is unrolled until all elements have their names back, unless that takes more steps than this: then one round is shown, with
    /// its permutation. The order of a permutation grows faster than any polynomial in the number of elements (Landau, 1903).
    UNROLLED_LOOP: usize = 10_000, 1..=1_000_000;

    // Other examinations of states.

    /// At most this many states are searched for targets near the end of a run.
    COVER_STATES: usize = 200, 1..=100_000;

    /// The states of the first batch of an inductiveness check; each batch has twice as many as the one before.
    FIRST_INDUCTION_BATCH: usize = 64, 1..=4_096;

    /// The states of its largest batch: small enough that first findings are reported soon.
    INDUCTION_BATCH: usize = 4_096, 1..=1_000_000;

    /// The most values that are requested.
    GLUED_VALUES: usize = 64, 0..=1_000_000;

    /// Steps of each run that looks for growth.
    GROWTH_STEPS: usize = 400, 1..=100_000;

    /// A run with fewer steps is not evidence of growth.
    GROWTH_LEAST_STEPS: usize = 100, 1..=100_000;
}

/// The tables of all floors.
#[must_use]
pub fn tables() -> [&'static ThresholdTable; 5] {
    [
        &bcheck_value::thresholds::TABLE,
        &bcheck_eval::thresholds::TABLE,
        &bcheck_symmetry::thresholds::TABLE,
        &bcheck_temporal::thresholds::TABLE,
        &TABLE,
    ]
}
