//! Floor 5: the search: workers, properties, traces, coverage, counting.
//!
//! Invariant: counts, verdict and trace are the same for any number of workers. Deliberately elsewhere: printing and file formats
//! (`report`), signals (`cli` sets the flag that interrupts). The clock is read for time limits and pace only, never for results.
//!
//! A path through this folder: `search` is the façade and the fast engine: set-ups in batches, representatives interned and expanded by
//! workers, breadth first, depth first or at random; `simulate` makes random runs instead. `property` defines what is checked when, `count`
//! weighs everything by orbits and builds the outcome. `trace` turns a finding into a run that was replayed, and runs saved traces. `walk`
//! explores states again: for a graph, a survey in a report, an animation, a test of symmetries on a sample. `cover` finds runs that are
//! tests of a machine. `induct` examines all states that satisfy the invariant, reachable or not. `refine` searches a refinement and the
//! machine that it refines side by side, with the same engine. `reference` and `refine::reference` are the `plain` searches that the engine
//! must agree with. Searches without the engine store their states in `visited`.

mod count;
mod cover;
mod deep;
mod extent;
mod fault;
mod first_choices;
mod induct;
mod number;
mod observer;
mod options;
mod outcome;
mod plain;
mod property;
mod reference;
pub mod refine;
mod search;
mod simulate;
pub mod statistics;
mod temporal;
#[cfg(test)]
mod tests;
pub mod thresholds;
mod trace;
mod visited;
mod walk;
mod watch;

pub use cover::{BranchKind, Coverable, Coverage, CoveredAt, CoveringRun, Refused, Status, Target, TargetKind, Unobserved};
pub use deep::spawn_deep;
pub use extent::Extent;
pub use fault::{Fault, FaultKind, FaultyPart, PartRow};
pub use induct::reachability::reach_examples;
pub use induct::{
    Example, Induction, InductionCheck, Obligations, PreservationRow, Reachability, Refuted, Undefined, Unmatched, induction,
    within_invariant,
};
pub use observer::{LastCheckpoint, Observer, Progress, Silent};
pub use options::{Limits, Options, Strategy};
pub use outcome::{
    Counts, Finding, FullCounts, LimitHit, OperationCounts, Outcome, SubformulaRow, TemporalResult, TemporalVerdict, Trace, TraceBeginning,
    TraceEnd, TraceStep, Verdict,
};
pub use reference::explore_reference;
pub use search::checkpoint::{CheckpointFacts, DiskFacts};
pub use search::checkpoint::{CheckpointFault, Checkpoints, Manifest};
pub use search::disk::Share;
pub use search::partition::Partition;
pub use search::word_store::state_words;
pub use simulate::RUN_LENGTH;
pub use temporal::explore_with_checkpoints;
pub use temporal::{NegationAutomaton, NoValueOnRun, ValueOnRun, beginning_in, explore, judge_temporal, negation_automata, value_on_run};
pub use trace::closing::{EndCheck, check_end};
pub use trace::replay::{
    FOLLOWED_RUNS, Replayed, StopReason, ValuePlace, WantedKind, WantedStep, findings_at_end, place_of, replay_lasso, replay_wanted,
};
pub use trace::{TraceFault, replay};
pub use walk::animation::{Enabled, Found, find_goal, next_steps_folded, random_walk};
pub use walk::enabling::{EnabledOperation, Enabling, EnablingCounts, Weighed, enabling};
pub use walk::equivariance::{Difference, Doubt, SampleLimits, doubt};
pub use walk::growth::{Growth, growth};
pub use walk::guards::{FalseConjunct, NeverEnabled, never_enabled};
pub use walk::merged::{Merged, MergedEdge, MergedState, Merger, Naming};
pub use walk::projection::{Projected, Projection};
pub use walk::ranges::ValueRange;
pub use walk::space::state_lines;
pub use walk::survey::{Survey, SurveyLimits, survey};
pub use walk::{GraphEdge, GraphState, GraphTotals, GraphVisitor, walk_explored, walk_graph};
pub use watch::{LAST_CALL, Watch};
