//! The thresholds of this floor: how large automata may become, and how far they are simplified.
//!
//! Invariant: as of all thresholds, none changes a verdict, but to `incomplete`. Deliberately elsewhere: sizes of formats, and intervals
//! between two looks at a flag, which stay constants where they are used.

bcheck_source::thresholds! {
    /// All of them.
    pub TABLE of "temporal";

    /// States of an automaton of a formula without past operators: the search stores as many bits for each state of the graph.
    AUTOMATON_STATES: usize = 256, 2..=256;

    /// States while an automaton is built, and of the automaton of a formula with past operators.
    AUTOMATON_SETS: usize = 4_096, 2..=65_536;

    /// Beyond this number of cubes, prime implicants are not completed: the set is equivalent but not canonical.
    PRIME_CUBES: usize = 128, 0..=4_096;

    /// An initial state is replaced by at most this number of states.
    REPLACED_INITIAL: usize = 8, 0..=1_000;

    /// Conjunctions of more parts are not searched for pairs that make something smaller.
    REWRITTEN_PARTS: usize = 128, 0..=4_096;

    /// Automata with more transitions are not compared by simulation, whose cost is a multiple of the square of their number.
    SIMULATED_TRANSITIONS: usize = 1_000, 0..=10_000;

    /// Pairs of terms that are compared while an automaton is built.
    TERM_PAIRS: usize = 16_777_216, 16..=100_000_000;

    /// Pairs of terms that are joined at once.
    JOINED_TERMS: usize = 8_192, 16..=1_000_000;
}
