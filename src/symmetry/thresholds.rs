//! The thresholds of this floor: which groups are computed, and how representatives are found.
//!
//! Invariant: as of all thresholds, none changes a verdict, but to `incomplete`. Deliberately elsewhere: sizes of formats, and intervals
//! between two looks at a flag, which stay constants where they are used.

bcheck_source::thresholds! {
    /// All of them.
    pub TABLE of "symmetry";

    // The group.

    /// Larger enumerated sets are fixed: a canonical form needs memory that grows with the square of their size. Deferred sets are not
    /// accepted in larger sizes.
    MOVED_ELEMENTS: usize = 10_000, 0..=10_000;

    /// The most nodes above elements with non-unique colours; of longer texts the group is not computed.
    NAMED_NODES: usize = 3_000, 0..=30_000;

    /// The most elements with non-unique colours: the transposition of each with another one is a list of that length.
    NAMED_ELEMENTS: usize = 2_000, 0..=10_000;

    /// The most nodes above elements of a text that is explained part by part.
    EXPLAINED_NODES: usize = 30_000, 0..=300_000;

    /// Sets with at most as many members of their type, as a logarithm of base 2, are certainly explicit.
    LISTED_SET_BITS: f64 = 19, 0..=24;

    /// The most canonical forms that are computed to find generators.
    GENERATOR_FORMS: usize = 2_000, 0..=100_000;

    /// The most nodes that the canonical forms may have in all: about a second.
    GENERATOR_NODES: usize = 500_000, 0..=10_000_000;

    /// More orbits of pairs than this are not tried as relations.
    PAIR_ORBITS: usize = 400, 0..=100_000;

    /// In larger groups all generators found are kept, since their members would have to be listed to find the redundant ones.
    PRUNED_GROUP: u32 = 1_000, 0..=100_000;

    /// The number of images that are memoised; then all are forgotten.
    REMEMBERED_IMAGES: usize = 65_536, 1..=1_000_000;

    /// The most permutations that a solver leaves images out by: each costs it clauses, and later ones exclude little.
    SOLVER_RENAMINGS: usize = 200, 0..=10_000;

    // Representatives.

    /// Groups with more members are enumerated without listing them.
    LISTED_GROUP: u32 = 100_000, 0..=1_000_000;

    /// Structures of more words (16 MiB, about a cache) are not labelled where few permutations are left to try.
    LARGE_STRUCTURE: usize = 2_097_152, 0..=67_108_864;

    /// Structures of more words (512 MiB) are not labelled at all.
    LARGEST_STRUCTURE: usize = 67_108_864, 0..=268_435_456;

    /// The number of vertices that may be individualised per state; a search that needs more keeps the best result so far, which is not
    /// exact.
    BRANCH_NODES: u32 = 20_000, 1..=10_000_000;

    /// More arrangements than this are not tried.
    TRIED_ARRANGEMENTS: u64 = 1_000, 0..=1_000_000;

    /// Groups with a skeleton and more members than this are not listed.
    TRIED_GROUP: u32 = 20_000, 0..=1_000_000;

    /// A set of more sets than this has a large structure, whatever the sets hold: that is known without reading it.
    CROWDED_SET: usize = 8_192, 0..=1_000_000;
}
