//! The thresholds of this floor: what decides which search runs, and how far.
//!
//! Invariant: as of all thresholds, none changes a verdict, but to `incomplete`. Deliberately elsewhere: sizes of formats, intervals
//! between two looks at the interrupt flag, and how much is shown, which stay constants where they are used.

bcheck_source::thresholds! {
    /// All of them, in the order of the files below.
    pub TABLE of "eval";

    // Compiling.

    /// The work budget for testing numbers at compile time (`Limits::limit_work`).
    TESTED_CONSTANTS_WORK: u32 = 256, 0..=65_536;

    /// Free types with more values (by estimate) are not listed.
    LISTED_FREE_VALUES: f64 = 100_000, 0..=10_000_000;

    /// Choices for which a plain search would visit more bindings than this (by estimate) are given to the solver. It is higher than that
    /// for constants: a choice is run in many states, and the solver has to encode its problem in each of them.
    SOLVED_CHOICE: f64 = 100_000, 0..=1_000_000_000;

    /// The corresponding limit for a formula that is evaluated in one state only.
    SOLVED_FORMULA: f64 = 2_000, 0..=1_000_000_000;

    /// PROPERTIES for which a plain search would visit more bindings than this (by estimate) are given to the solver.
    SOLVED_PROPERTIES: f64 = 20_000, 0..=1_000_000_000;

    // The order of a search.

    /// The factor by which a plain search may exceed the limit and still be better than solving only a part of the conjuncts.
    PARTIAL_SOLVING_FACTOR: f64 = 50_000, 1..=1_000_000_000;

    /// Above this estimated cost, each name is tried as the first one to be bound, if there are not more than [`ORDERED_NAMES`] names.
    ORDERS_TRIED_ABOVE: f64 = 1_000, 0..=1_000_000_000;

    /// Bounds that follow from sums and products are taken in quantifiers and sets where they leave fewer bindings than this (by estimate).
    BOUNDED_BINDINGS: f64 = 10_000_000, 0..=1_000_000_000;

    /// The most names of which each is tried as the first one.
    ORDERED_NAMES: usize = 6, 0..=12;

    /// Rounds of propagation over all comparisons.
    BOUND_ROUNDS: usize = 12, 1..=1_000;

    /// Differences of more names are not looked through for cycles, which takes a round for each name.
    CYCLE_NAMES: usize = 64, 0..=1_000;

    /// The factor by which the bindings of an existential may exceed the limit for the solver before it is given to it: its search ends
    /// with the first witness.
    WITNESS_FACTOR: f64 = 100, 1..=1_000_000;

    /// Longer lists of distinct values are not split into disequalities, whose number is quadratic.
    SPLIT_DISTINCT: usize = 12, 0..=64;

    /// Sets with more elements are not listed for the bounds of names.
    CONTEXT_ELEMENTS: usize = 256, 0..=65_536;

    /// The estimate for a variable that may hold an infinite set: almost any other generator is better.
    INFINITE_ESTIMATE: f64 = 1_000_000, 100..=1_000_000_000;

    /// The estimate for a set, or an interval, of which nothing is known.
    UNKNOWN_SET_ESTIMATE: f64 = 8, 1..=1_000_000;

    /// If there are fewer functions `B --> C` than this (by estimate), they are listed as the values of a function to functions.
    CURRIED_FUNCTIONS: f64 = 64, 0..=100_000;

    /// If the best generator costs more than this, disjunctions and existentials are tried as generators too.
    BRANCHES_TRIED_ABOVE: f64 = 64, 0..=1_000_000_000;

    /// Limit on the nesting of branches that are tried as generators.
    BRANCH_DEPTH: usize = 4, 0..=6;

    /// How many branches are ordered for one order, nested ones included: n disjunctions give up to n * (n - 1) * … nestings.
    ORDERED_BRANCHES: usize = 2_000, 0..=20_000;

    /// Numbers next to those of the text that are tried for a name that nothing bounds.
    NEAR_NUMBERS: usize = 12, 0..=1_000;

    /// Rounds over all conjuncts: intervals only shrink, and each is right at any time.
    NARROWING_ROUNDS: usize = 12, 1..=1_000;

    /// Expressions and predicates that are examined for bounds; later ones narrow nothing.
    NARROWING_WORK: usize = 100_000, 0..=10_000_000;

    /// Definitions of sets by each other are followed this far.
    DEFINITION_DEPTH: u32 = 4, 0..=16;

    /// Function spaces up to this size (by estimate) are enumerated directly.
    PLAIN_FUNCTION_SPACE: f64 = 10_000, 0..=1_000_000_000;

    /// The estimated number of divisors of a number.
    DIVISORS_ESTIMATE: f64 = 16, 1..=1_000_000;

    /// The estimate for a sum that is not written as a number.
    SUM_ESTIMATE: f64 = 1_000, 1..=1_000_000;

    /// How many numbers beyond a known end are tested with the conjuncts from which propagation gets no bound.
    WINDOW_TESTS: i64 = 4_096, 0..=1_000_000;

    /// Sets that are cut to a window are enumerated only up to this many elements (by estimate).
    WINDOW_ELEMENTS: f64 = 10_000_000, 0..=100_000_000;

    /// The values of a type are a bound of a name if there are not more of them than this (by estimate).
    SOLVED_TYPE: f64 = 65_536, 0..=1_000_000;

    /// Quantifiers with more bindings than this (by estimate) are left out, because each binding is encoded separately.
    SOLVED_BINDINGS: f64 = 4_000_000, 0..=100_000_000;

    /// From this many values on, summands of long sums are solved by their bounds: a literal for each value would lead to too many partial
    /// sums. With the ten digits both encodings take the same time; with 16 values (magic squares of order 4) the direct one takes 30 times
    /// as long.
    SUMMED_INTEGER: u64 = 6, 2..=1_000_000;

    /// The corresponding number for summands of short sums.
    COMPARED_INTEGER: u64 = 65, 2..=1_000_000;

    /// Comparisons of fewer summands are short: what they compare is listed value by value.
    LONG_SUM: usize = 3, 2..=64;

    // States that fit words.

    /// The most bits of the constants and variables of a state that is packed into words.
    PACKED_STATE_BITS: u32 = 1_024, 0..=4_096;

    /// The largest table of a function's values that is laid out, in words.
    PACKED_TABLE_WORDS: usize = 16_384, 0..=1_048_576;

    /// The largest base whose subsets are enumerated, 2^30 of them; larger ones are left to the general tier.
    PACKED_SUBSETS_BASE: u32 = 30, 0..=30;

    /// Choices among more than 2 to this power values, each of which leads to a step, are left to the general tier: it may take first
    /// values.
    PACKED_CHOICE_BITS: u32 = 22, 0..=26;

    // Choices of a step and of set-ups: how many candidates, bindings and values are taken of too many. Hopeless is a plain search that
    // would never end.

    /// Candidates of one choice of a step whose values are too many for a plain search.
    STEP_CANDIDATES_OF_LARGE: usize = 16_384, 1..=1_048_576;

    /// Candidates of one choice of a step where a plain search is hopeless.
    STEP_CANDIDATES_OF_HOPELESS: usize = 4_096, 1..=1_048_576;

    /// Candidates of a set-up that fit, whose values are too many for a plain search.
    SET_UP_CANDIDATES_OF_LARGE: usize = 65_536, 1..=1_048_576;

    /// Candidates of a set-up that fit, where a plain search is hopeless.
    SET_UP_CANDIDATES_OF_HOPELESS: usize = 16_384, 1..=1_048_576;

    /// A choice of a machine that is taken in full has at most this many values, where all of them are values of a step or of a set-up:
    /// each costs a state.
    FULL_CHOICE: u64 = 4_194_304, 16..=67_108_864;

    /// How many bindings are tried for a choice whose set is larger than that, although conjuncts reject some of its elements.
    TESTED_BINDINGS: u64 = 1_048_576, 1..=67_108_864;

    /// How many set-ups are tried for such a choice.
    TESTED_SET_UPS: u64 = 65_536, 1..=67_108_864;

    /// How many values are tried for names that nothing reads before these names count as read.
    UNREAD_VALUES: usize = 64, 1..=1_000_000;

    /// The longest sequence with repetitions; integers that nothing bounds are at most 2 to this power.
    RANDOM_SEQUENCE: usize = 8, 1..=62;

    /// How often an element accepted by a kind or a condition is searched for.
    RANDOM_ATTEMPTS: usize = 20, 1..=1_000_000;

    // Sets, and what is computed of them.

    /// Sets up to this many elements are written out when they are stored or combined.
    WRITTEN_SET: u64 = 1_000_000, 16..=16_000_000;

    /// Sets up to this many elements are written out for an operator that has no other form for its operand.
    LISTED_SET: u64 = 16_000_000, 16..=256_000_000;

    /// Larger sets and longer ranges of integers are not enumerated: at a million elements a second it would take hours.
    VISITED_SET: u64 = 17_179_869_184, 1_024..=1_000_000_000_000;

    /// Comprehensions with a larger estimate are not written out. The limit is generous, because the estimate ignores tests that fail
    /// early.
    HOPELESS_COST: f64 = 1_000_000_000_000_000_000, 1_000_000_000..=1_000_000_000_000_000_000;

    /// Comprehensions that visit more bindings than this (by estimate) stay descriptions until their elements are needed: at a million
    /// bindings a second, minutes would be spent on a set that is perhaps only applied or asked for members. Both tiers must agree on it,
    /// because a binding that is ill-defined is met only where the set is written out.
    WRITTEN_COMPREHENSION: f64 = 100_000_000, 1_000..=10_000_000_000;

    /// Products of up to this many pairs are written out.
    WRITTEN_PRODUCT: usize = 4_096, 0..=1_000_000;

    /// Limit on the bindings that the branches of a disjunction give: they are collected, so that each counts once.
    COLLECTED_BRANCH_VALUES: usize = 4_000_000, 16..=16_000_000;

    /// Symbolic sets with at most this many elements are written out when a name is bound to them.
    WRITTEN_BOUND_SET: u32 = 1_000, 0..=1_000_000;

    /// How many elements of a set that is too large to be enumerated are visited before it is refused.
    VISITED_OF_MANY: u32 = 10_000, 0..=1_000_000;

    /// How many elements of a set that is too large to be counted are visited before it is refused.
    VISITED_OF_UNCOUNTED: u32 = 16, 0..=10_000;

    /// Listed sets with more elements are not converted to intervals.
    INTERVALS_OF_LISTED: usize = 10_000, 0..=1_000_000;

    /// How many elements of each interval of an infinite set are visited before the enumeration is refused.
    VISITED_OF_INFINITE: i64 = 100, 0..=100_000;

    /// How many values of one sample argument are visited.
    SAMPLED_VALUES: usize = 10, 0..=1_000;

    /// The work for more values than a few, where a witness decides (`Frame::within_work`).
    WITNESS_WORK: u32 = 16, 0..=65_536;

    /// The work that one sample argument is worth, in units of fuel: some milliseconds.
    SAMPLED_WORK: u32 = 16, 0..=1_000;

    /// The most elements of a finite set for each of which an argument is searched for.
    SAMPLED_TARGETS: usize = 1_000, 0..=100_000;

    /// A transitive closure that reaches more values from one argument counts as infinite.
    CLOSURE_VALUES: usize = 100_000, 16..=1_000_000;

    /// Limit on compositions of a described relation with itself, which nest as deep.
    DESCRIBED_ITERATIONS: i64 = 1_000, 1..=1_000;

    /// How often a listed relation is composed with itself at most: numbers of steps have up to as many bits.
    LISTED_ITERATIONS: u64 = 4_096, 64..=65_536;

    /// Limit on nested closures; the stack of every thread that evaluates suffices for it.
    CLOSURE_DEPTH: u32 = 10_000, 64..=10_000;

    /// Limit on trial divisions for the divisors of one number: enough for every number up to 10^14.
    TRIAL_DIVISIONS: i64 = 10_000_000, 1_000..=1_000_000_000;

    /// The longest text that padding makes.
    PADDED_TEXT: usize = 1_048_576, 1_024..=16_777_216;

    // The solver: what is encoded.

    /// A name with more candidates than this is not solved.
    SOLVED_CANDIDATES: usize = 300_000, 0..=1_000_000;

    /// The corresponding limit for a name that is not a set: arithmetic visits each of its values.
    SOLVED_NUMBERS: usize = 5_000, 0..=1_000_000;

    /// Valuations that are tried to see whether solutions are dense.
    DENSITY_VALUATIONS: u64 = 256, 0..=1_000_000;

    /// From this number of solutions on a plain search is quicker: a model costs some hundred times as much as a test.
    DENSE_SOLUTIONS: u64 = 8, 1..=1_000_000;

    /// Sets up to this many elements are written out as gates.
    GATED_SET: u64 = 300_000, 0..=10_000_000;

    /// At most this many combinations of the operands' values are evaluated one by one.
    GATED_COMBINATIONS: usize = 250_000, 0..=10_000_000;

    /// Bindings of quantifiers in one conjunct.
    GATED_BINDINGS: u64 = 4_000_000, 0..=100_000_000;

    /// Images of more arguments than this are not examined for whether these differ in all their images.
    SPREAD_ARGUMENTS: usize = 64, 0..=10_000;

    /// Products with more pairs than this are not written out.
    GATED_PRODUCT: usize = 1_000_000, 0..=10_000_000;

    /// More partial sums than this after one summand are not written out.
    PARTIAL_SUMS: usize = 20_000, 0..=1_000_000;

    /// Sums with more different values than this are not written out.
    GATED_SUMS: usize = 20_000, 0..=1_000_000;

    /// Sets with more uncertain elements than this are not counted.
    COUNTED_ELEMENTS: usize = 1_000, 0..=100_000;

    /// Integers that are listed all the same, for an operator that needs their values, have no more than this.
    LISTED_INTEGERS: u64 = 5_000, 0..=1_000_000;

    /// How many images for each argument are few.
    IMAGES_EACH: u64 = 4, 0..=1_000;

    /// Functions with more arguments than this are not solved argument by argument.
    SOLVED_ARGUMENTS: usize = 2_000, 0..=100_000;

    /// A power of more factors is listed.
    POWER_FACTORS: i64 = 8, 0..=62;

    /// More gates than this are not built: the formula is tested instead.
    CIRCUIT_GATES: usize = 3_000_000, 16..=30_000_000;

    /// Positions of a row that are compared for one renaming; differences behind them are not excluded.
    LEADER_PLACES: usize = 400, 0..=100_000;

    /// Places that are compared for all renamings together.
    LEADER_PLACES_IN_ALL: usize = 20_000, 0..=1_000_000;

    /// `sum /= limit` is propagated as a linear disequality where the sum has at most this many values, else as two inequalities of which
    /// one holds.
    DISEQUALITY_VALUES: i128 = 1_024, 0..=1_000_000;

    // Sizes of sets and bounds of integers that are searched for.

    /// The work for the sizes that would be taken: what needs more keeps them.
    FITTING_SCOPE_WORK: u32 = 64, 0..=65_536;

    /// The work for the default bounds, and for all candidates that are no numbers of the text.
    DEFAULT_BOUNDS_WORK: u32 = 64, 0..=65_536;

    /// The work for all candidates that are numbers of the text.
    OTHER_BOUNDS_WORK: u32 = 256, 0..=65_536;

    /// Expressions that are evaluated for numbers that bounds may need.
    BOUND_EXPRESSIONS: usize = 200, 0..=100_000;

    /// Numbers that are combined to others.
    COMBINED_NUMBERS: usize = 8, 0..=64;

    /// Sums and products that are tried as bounds.
    COMBINED_BOUNDS: usize = 40, 0..=1_000;

    /// The largest power of two that is tried as a bound, as its exponent.
    BOUND_EXPONENT: u32 = 16, 0..=40;

    // Explanations.

    /// The work budget of one query for contradictions (`Limits::limit_work`).
    CONTRADICTION_WORK: u32 = 128, 0..=65_536;

    /// The budget of one query about a small set of conjuncts, as there are many such sets.
    SMALL_CONTRADICTION_WORK: u32 = 8, 0..=65_536;

    /// The budget of all queries together, except those about small sets.
    CONTRADICTIONS_WORK: u32 = 1_024, 0..=65_536;

    /// The budget of all queries about small sets.
    SMALL_CONTRADICTIONS_WORK: u32 = 256, 0..=65_536;

    /// Limit on the small sets of conjuncts that are tried for a smaller contradiction.
    SMALL_CONTRADICTIONS: usize = 300, 0..=100_000;

    /// The work budget of one candidate for other sizes (`Limits::limit_work`).
    OTHER_SIZE_WORK: u32 = 16, 0..=65_536;

    /// The work budget of all of them together.
    OTHER_SIZES_WORK: u32 = 128, 0..=65_536;

    /// By how much the size of one set may differ from that of this run.
    OTHER_SIZE_DISTANCE: u32 = 8, 0..=64;

    /// By how much the sizes of two sets may differ together.
    OTHER_SIZES_DISTANCE: u32 = 4, 0..=16;

    /// The number of conjuncts whose compilation counts as one unit of the budget.
    CONJUNCTS_OF_WORK: usize = 64, 1..=10_000;

    /// The most bindings of a quantifier that are visited.
    EVIDENCE_BINDINGS: usize = 10_000, 1..=1_000_000;

    /// The estimated cost of a search for candidates above which it is not tried.
    EVIDENCE_COST: f64 = 1_000_000, 0..=100_000_000;

    /// The most nodes of a tree of evidence.
    EVIDENCE_NODES: usize = 80, 1..=10_000;

    /// The work budget of one evaluation for evidence (`Limits::limit_work`).
    EVIDENCE_WORK: u32 = 1_024, 0..=65_536;

    /// The work budget of all of them together.
    ALL_EVIDENCE_WORK: u32 = 8_192, 0..=65_536;

    // The solver: how it searches.

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

/// The most candidates of a choice of a step, else of a set-up, whose values are too many for a plain search, or where that would never
/// end.
pub(crate) fn most_candidates(is_of_step: bool, is_hopeless: bool) -> usize {
    let [of_large, of_hopeless] = match is_of_step {
        true => [&STEP_CANDIDATES_OF_LARGE, &STEP_CANDIDATES_OF_HOPELESS],
        false => [&SET_UP_CANDIDATES_OF_LARGE, &SET_UP_CANDIDATES_OF_HOPELESS],
    };
    if is_hopeless { of_hopeless.get() } else { of_large.get() }
}
