//! The outcome of a search: verdict, counts, findings with traces, coverage.
//!
//! Invariant: a verdict other than `Incomplete` is never affected by a limit; `Verified` means that the search came to its end, but for
//! set-ups of a machine without operations that could not change it (`Outcome::suffices`), and that nothing but ranges of integers that
//! were tried, which are reported with it, has cut the space.

use super::extent::Extent;
use super::fault::{Fault, FaultyPart};
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_ir::{LocalId, Model, OperationId};
use bcheck_source::vocabulary;
use bcheck_symmetry::Permutation;
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use std::time::Duration;

/// The verdict of a run; names and exit codes are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Whole space searched, nothing found.
    Verified,
    /// No valuation of the constants, or a static assertion is false.
    UnsatisfiableProperties,
    /// A reachable state enables no operation.
    Deadlock,
    /// A reachable state violates the invariant.
    InvariantViolation,
    /// The refinement does something that the refined machine does not allow.
    RefinementViolation,
    /// An assertion is false in a reachable state.
    AssertionViolation,
    /// The initialisation is not feasible.
    NoInitialState,
    /// The wanted state is reachable.
    GoalFound,
    /// A temporal formula does not hold.
    TemporalViolation,
    /// An ill-defined expression was evaluated in a body, the initialisation or the invariant.
    IllDefined,
    /// A limit or an interrupt stopped the search, and nothing was found and confirmed so far.
    Incomplete,
}

vocabulary! { Verdict,
    Verified: "verified", "the whole space was searched and nothing was found";
    UnsatisfiableProperties: "unsatisfiable_properties", "no valuation of the constants, or a false static assertion";
    Deadlock: "deadlock", "a reachable state enables no operation";
    InvariantViolation: "invariant_violation", "a reachable state violates the invariant";
    RefinementViolation: "refinement_violation", "a concrete step that no abstract step matches";
    AssertionViolation: "assertion_violation", "an assertion is false in a reachable state";
    NoInitialState: "no_initial_state", "the initialisation is not feasible";
    GoalFound: "goal_found", "the wanted state is reachable";
    TemporalViolation: "temporal_violation", "a temporal formula does not hold";
    IllDefined: "ill_defined", "an expression without a value was evaluated";
    Incomplete: "incomplete", "the search did not come to its end, and found nothing so far";
}

impl Verdict {
    /// The number that a process with this verdict ends with: as in TLC 10 for assumptions, 11 for a deadlock, 12 for safety, 14 for an
    /// assertion, 75 for an evaluation that fails.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Verified => 0,
            Self::UnsatisfiableProperties => 10,
            Self::Deadlock => 11,
            Self::InvariantViolation => 12,
            // No command has both.
            Self::RefinementViolation | Self::TemporalViolation => 13,
            Self::AssertionViolation => 14,
            Self::NoInitialState => 15,
            Self::GoalFound => 20,
            Self::IllDefined => 75,
            Self::Incomplete => 152,
        }
    }
}

/// Counts of the explored space (of representatives, if the run is reduced).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Valuations of the constants (0 if the machine has neither CONSTANTS nor PROPERTIES).
    pub setups: u64,
    /// Distinct initial states.
    pub initial: u64,
    /// Distinct states.
    pub states: u64,
    /// Distinct (operation, arguments, results, successor) from each state.
    pub transitions: u64,
    /// Breadth-first levels below the initial states.
    pub depth: u64,
    /// States without any step.
    pub deadlocks: u64,
    /// States that `SCOPE` leaves unexpanded.
    pub unexpanded: u64,
    /// States that violate the invariant.
    pub invariant_violations: u64,
    /// States that violate an assertion.
    pub assertion_violations: u64,
    /// States that satisfy the goal.
    pub goals: u64,
    /// Ill-defined evaluations: operation instances, initialisations, invariants, assertions.
    pub ill_defined: u64,
    /// States in the convention of ProB and of the literature: root and set-up nodes included, unexpanded states not.
    pub prob_states: u64,
    /// Transitions in that convention: set-up and initialisation arrows included, successors counted by representative.
    pub prob_transitions: u64,
}

/// These counts for the full space, by orbit sizes; bounds when not `exact`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in Counts")]
pub struct FullCounts {
    /// Whether these are the exact counts of the full space.
    pub exact: bool,
    /// If not, the reasons.
    pub why: Vec<String>,
    pub setups: BigUint,
    pub initial: BigUint,
    pub states: BigUint,
    pub transitions: BigUint,
    pub deadlocks: BigUint,
    pub unexpanded: BigUint,
    pub invariant_violations: BigUint,
    pub prob_states: BigUint,
    pub prob_transitions: BigUint,
}

/// Coverage of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationCounts {
    /// The operation.
    pub operation: OperationId,
    /// Steps explored.
    pub transitions: u64,
    /// Steps of the full space.
    pub full_transitions: BigUint,
}

/// A finding with its trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its fault.
    pub fault: Fault,
    /// How to get there, in concrete names; replayed without reduction.
    pub trace: Trace,
}

/// A concrete run from the set-up on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// `$setup_constants` (when there are constants), `$initialise_machine`, operations.
    pub steps: Vec<TraceStep>,
    /// How the run continues, if that belongs to the trace: for the counterexample of a temporal formula.
    pub end: Option<TraceEnd>,
    /// How it begins.
    pub beginning: TraceBeginning,
}

impl Trace {
    /// A run from the initialisation on that ends where its steps do.
    #[must_use]
    pub fn of(steps: Vec<TraceStep>) -> Self {
        Self { steps, end: None, beginning: TraceBeginning::Initialisation }
    }
}

/// How a run begins, after the set-up of the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceBeginning {
    /// With the initialisation.
    #[default]
    Initialisation,
    /// With a state that satisfies the invariant, reachable or not, instead of an initialisation.
    WithinInvariant,
}

/// How a run continues after the last step of its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEnd {
    /// It repeats a loop, from one of its states on, which equals its last state.
    Loop {
        /// The position in the trace of the first step to that state.
        start: usize,
        /// How many times the loop goes through one cycle of classes of symmetric states until the names of elements are back.
        rounds: u64,
    },
    /// Forever from one of its states on, of which its last state is an image under a renaming of elements: each round is the previous one,
    /// renamed again. It abbreviates a loop that would be too long if shown until the renaming is the identity.
    RenamedLoop {
        /// The position in the trace of the step to that state.
        start: usize,
    },
    /// It does not: its last state has no steps.
    Deadlock,
    /// Arbitrarily: every run with this prefix violates the formula.
    Prefix,
}

impl TraceEnd {
    /// Where a loop begins, whether it closes in the names of elements or only up to a renaming.
    #[must_use]
    pub fn loop_start(self) -> Option<usize> {
        match self {
            Self::Loop { start, .. } | Self::RenamedLoop { start } => Some(start),
            Self::Deadlock | Self::Prefix => None,
        }
    }

    /// This end where steps have other numbers.
    #[must_use]
    pub fn renumbered(self, number: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::Loop { start, rounds } => Self::Loop { start: number(start), rounds },
            Self::RenamedLoop { start } => Self::RenamedLoop { start: number(start) },
            Self::Deadlock | Self::Prefix => self,
        }
    }
}

/// A temporal formula with its result.
#[derive(Clone, Debug)]
pub struct TemporalResult {
    /// Its number in the model.
    pub formula: usize,
    /// Whether it holds.
    pub verdict: TemporalVerdict,
    /// States and acceptance sets of the automaton of its negation; `None` in branching time.
    pub automaton: Option<(usize, u32)>,
    /// States and edges of the product of that automaton with the graph; in branching time, of the graph.
    pub product: (u64, u64),
    /// The order of the group of symmetries under which it was judged.
    pub group_order: BigUint,
    /// Seconds.
    pub time_s: f64,
    /// A run on which it fails.
    pub trace: Option<Trace>,
    /// The values of the names quantified in front for which it fails.
    pub values: Vec<(LocalId, Value)>,
    /// Where that run ends in a renamed loop: what each round renames.
    pub renaming: Option<Permutation>,
    /// A run that shows that it holds, where there is one and it was requested.
    pub witness: Option<Trace>,
    /// Why it holds only vacuously.
    pub vacuity: Option<String>,
    /// Its subformulas along that run, outermost first; empty unless requested.
    pub explanation: Vec<SubformulaRow>,
}

/// A subformula of a temporal formula along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubformulaRow {
    /// Its text.
    pub text: String,
    /// How many operators are around it.
    pub depth: usize,
    /// Whether it holds in each state of the run, from the initial state on.
    pub values: Vec<bool>,
}

impl TemporalVerdict {
    /// The fault of the formula with this number.
    #[must_use]
    pub fn fault(&self, formula: usize) -> Option<Fault> {
        match self {
            Self::Violated => Some(Fault::violated(FaultyPart::Temporal(formula))),
            Self::IllDefined(error) => Some(Fault::ill_defined(FaultyPart::Temporal(formula), error.clone())),
            Self::Holds | Self::Unknown(_) => None,
        }
    }
}

/// Whether a temporal formula holds.
#[derive(Clone, Debug, PartialEq)]
pub enum TemporalVerdict {
    /// On all fair paths from all initial states.
    Holds,
    /// Not on all.
    Violated,
    /// It cannot be decided, for this reason.
    Unknown(String),
    /// One of its propositions has no value in a reachable state.
    IllDefined(EvalError),
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The operation; `None` for set-up and initialisation.
    pub operation: Option<OperationId>,
    /// Argument values.
    pub arguments: Vec<Value>,
    /// Result values; `None` where the operation leaves a result unassigned.
    pub results: Vec<Option<Value>>,
    /// The state reached: constants only after the set-up, constants and variables after the others.
    pub state: Valuation,
}

impl TraceStep {
    /// A set-up or an initialisation with this state.
    pub fn beginning(state: Valuation) -> Self {
        Self { operation: None, arguments: Vec::new(), results: Vec::new(), state }
    }
}

/// The limit that stopped a search, or why it is incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitHit {
    /// `--max-states`
    States(u64),
    /// `--max-depth`
    Depth(u64),
    /// `--max-setups`, where there are more
    SetUps(u64),
    /// `--runs` of a simulation
    Runs(u64),
    /// `--time-limit`
    Time(Duration),
    /// `--memory-limit`
    Memory(u64),
    /// A checkpoint could not be written, as the disk is full.
    DiskFull,
    /// `--disk-limit`
    DiskLimit(u64),
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// Something could not be enumerated.
    Enumeration(EvalError),
    /// The search went to its end, but without steps that could not be enumerated.
    Partial(EvalError),
    /// All states were visited, but some property is undecided in one of them.
    Undecided(EvalError),
    /// PROPERTIES are unknown for a valuation of the constants, and were assumed to hold: no verdict follows.
    Assumed(EvalError),
    /// No state was left to expand, but some are outside of SCOPE, and their successors are not known.
    Scope,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the whole space was covered.
    pub complete: bool,
    /// Whether set-ups were left out because those that were found suffice: the machine has no operations, and nothing in its states is
    /// to be checked.
    pub suffices: bool,
    /// Whether the search came to its end, in a space that SCOPE and ranges of integers that were tried may have cut.
    pub exhausted: bool,
    /// Which states are expanded, if the search is incomplete; unknown for random runs.
    pub extent: Option<Extent>,
    /// The limit that was hit, if any.
    pub limit: Option<LimitHit>,
    /// Counts of the states and steps explored.
    pub explored: Counts,
    /// These counts for the full space.
    pub full: FullCounts,
    /// Per operation, in declaration order.
    pub operations: Vec<OperationCounts>,
    /// Bindings of parameters that satisfied their guard and were run, without those represented by others.
    pub instances: u64,
    /// The finding that the verdict is about.
    pub finding: Option<Finding>,
    /// The temporal formulas of the model, in order; none if none is checked.
    pub temporal: Vec<TemporalResult>,
    /// Operations that had an ill-defined guard, with the first such error.
    pub guard_warnings: Vec<(OperationId, EvalError)>,
    /// Operations that left a result unassigned, with the first such error.
    pub unassigned_results: Vec<(OperationId, EvalError)>,
    /// The verdict of a finding whose trace could not be rebuilt in time; then there is no finding.
    pub unconfirmed: Option<Verdict>,
    /// Why PROPERTIES are unknown for valuations of the constants that were explored under the assumption that they hold: then the verdict
    /// is `Incomplete`, and a finding is one under this assumption.
    pub assumptions: Vec<EvalError>,
    /// A fault of the checker itself: a finding whose replay without reduction failed. Then there is no finding and the verdict is
    /// `Incomplete`; an unconfirmed trace is never shown.
    pub internal_error: Option<String>,
}

impl Outcome {
    /// Nothing is verified while a stated property that should have been checked is not judged; findings remain.
    pub fn leave_open(&mut self, model: &Model) {
        let open = model.not_checked.iter().find(|property| property.leaves_open);
        if let Some(property) = open.filter(|_| self.verdict == Verdict::Verified) {
            let kind = EvalErrorKind::NotJudged(property.name.clone(), property.reason);
            self.verdict = Verdict::Incomplete;
            self.limit = Some(LimitHit::Undecided(EvalError { kind, span: property.span }));
        }
    }
}
