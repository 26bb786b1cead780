//! Floor 5: the search: workers, properties, traces, coverage, counting.
//!
//! Invariant: counts, verdict and trace are the same for any number of workers. Deliberately elsewhere: printing and file
//! formats (`report`), the clock and signals (`cli` hands them in).
//!
//! The way through this folder: `setup` enumerates valuations of the constants; `engine` expands states, on words where they fit
//! (`words`), and `store` keeps them; general values are expanded one step for each orbit of arguments (`orbit`); `parallel` takes
//! it through them level by level, `ordered` depth first or at random; `property` says what is checked when; `counting` weighs
//! everything by orbits; `trace` turns a finding into a run that was replayed; `replay` runs a trace that was saved;
//! `animation` takes one step at a time; `graph` walks the states (or configurations: `space`) once more for a picture, `merged`
//! makes it smaller; `self_check` tests on some states that symmetries are symmetries; `survey` looks at the states for a report, `vacuity` says when a conjunct says something; `conclusion` makes the outcome; `search` is the façade. `sequential` is the plain search that all of this must agree with.
//! `refine` searches a refinement and the machine that it refines side by side.

mod animation;
mod conclusion;
mod counting;
mod coverage;
mod deep;
mod engine;
mod graph;
mod merged;
mod observer;
mod offers;
mod options;
mod orbit;
mod ordered;
mod outcome;
mod parallel;
mod property;
mod reduction;
pub mod refine;
mod replay;
mod search;
mod self_check;
mod sequential;
mod setup;
mod space;
mod store;
mod survey;
#[cfg(test)]
mod tests;
mod trace;
mod vacuity;
mod watch;
mod words;

pub use animation::{Enabled, Found, find_goal, next_steps, next_steps_folded, random_walk};
pub use deep::spawn_deep;
pub use graph::{GraphEdge, GraphState, GraphTotals, GraphVisitor, walk_graph};
pub use merged::{Merged, MergedEdge, MergedState, Merger, Naming};
pub use observer::{Observer, Progress, Silent};
pub use options::{Limits, Options, SET_UPS_AT_ONCE, Strategy};
pub use outcome::{Counts, Finding, FullCounts, LimitHit, OperationCounts, Outcome, PropertyKind, Trace, TraceStep, Verdict};
pub use property::verdict as verdict_of;
pub use replay::{Replayed, StopReason, ValuePlace, WantedKind, WantedStep, findings_at_end, place_of, replay_wanted};
pub use search::explore;
pub use self_check::{Difference, Doubt, SampleLimits, doubt};
pub use sequential::explore_reference;
pub use space::state_lines;
pub use survey::{Survey, SurveyLimits, survey};
pub use trace::{TraceFault, replay};
