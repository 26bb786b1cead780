//! The thresholds of this floor: which forms values have.
//!
//! Invariant: as of all thresholds, none changes a verdict, but to `incomplete`. Deliberately elsewhere: sizes of formats, and intervals
//! between two looks at a flag, which stay constants where they are used.

bcheck_source::thresholds! {
    /// All of them.
    pub TABLE of "value";

    /// One operand must be this many times as large as the other before looking up single elements beats a merge.
    LOPSIDED: usize = 8, 1..=1_000_000;

    /// Sets with more elements than this are trees: changing one element of a slice copies all of it.
    TREE_FROM: usize = 256, 2..=65_536;

    /// Intervals of up to this many numbers are listed at once; longer ones stay symbolic.
    LISTED_INTERVAL: u64 = 1_024, 0..=100_000;

    /// Unions of more intervals than this are not counted.
    COUNTED_INTERVALS: usize = 64, 0..=10_000;

    /// The largest universe of the members of a set: 64 words for a mask.
    PACKED_MASK_BITS: u32 = 4_096, 0..=4_096;

    /// The most progressions that are compared with each other.
    COMPARED_PROGRESSIONS: usize = 1_000, 0..=10_000;

    /// The most numbers of a progression that are tried one by one.
    PROGRESSION_NUMBERS: i128 = 20_000, 0..=1_000_000;

    /// The most runs of one function.
    FUNCTION_RUNS: usize = 20_000, 1..=1_000_000;
}
