//! The options of a search.
//!
//! Invariant: plain data; the defaults are those of `bcheck check`, with one worker, and no others are applied below this floor.

use super::FaultyPart;
use bcheck_eval::{FIRST_CHOICES, Machine};
use bcheck_ir::{Assertion, Model, Scope};
use bcheck_source::vocabulary;
use bcheck_symmetry::{Mode, Symmetry};
use std::time::{Duration, Instant};

/// The order of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Level by level: shortest counterexamples.
    Breadth,
    /// Newest state first.
    Depth,
    /// Random order from a fixed seed.
    Random,
    /// No order: random runs, which never cover the space (`simulate`).
    Simulation,
}

vocabulary! { Strategy,
    Breadth: "bfs", "Level by level: shortest traces";
    Depth: "dfs", "Newest state first";
    Random: "random", "Random, the same in every run";
    Simulation: "simulate", "Random runs from initial states, by all workers, until --runs or --time-limit; never `verified`";
}

impl Strategy {
    /// Whether one state is expanded at a time, whatever the number of workers.
    pub fn is_sequential(self) -> bool {
        match self {
            Self::Breadth | Self::Simulation => false,
            Self::Depth | Self::Random => true,
        }
    }
}

/// Limits at which a search stops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// States stored: the search stops when it finds one more.
    pub states: Option<u64>,
    /// Steps from the initial states: a state at this distance is stored and examined, but not expanded.
    pub depth: Option<u64>,
    /// Valuations of the constants, symmetric ones included, so that with and without reduction the same ones are explored.
    pub set_ups: Option<u64>,
    /// Wall-clock time; checked about every 20 ms.
    pub time: Option<Duration>,
    /// When the time begins to count: by default at the start of the search, otherwise earlier, as when loading the machine counts.
    pub since: Option<Instant>,
    /// Bytes of the process; checked about every 5 ms.
    pub memory_bytes: Option<u64>,
}

/// What [`Options::set_ups_at_once`] is by default: few enough to be found soon, and enough for most machines to be searched as a whole.
/// Batches do not begin with one set-up and grow, because the finding is that of the first batch which has any: then the first set-up
/// would end the run with its trace, where another one has a shorter one, and counts up to a finding would differ as well.
/// [`Limits::set_ups`] is for who wants to see the first set-ups soon.
const SET_UPS_AT_ONCE: usize = 1024;

/// Options of one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How representatives are found.
    pub symmetry: Mode,
    /// Move elements that the machine names where its text is symmetric in them.
    pub named_symmetry: bool,
    /// Run only one binding of parameters of each orbit under the symmetries of the state.
    pub orbit_parameters: bool,
    /// Check the invariant.
    pub invariant: bool,
    /// Check for deadlocks.
    pub deadlock: bool,
    /// Check assertions.
    pub assertions: bool,
    /// Ill-defined guards are findings; otherwise they disable and are warned about.
    pub strict_guards: bool,
    /// Look for the goal of the model.
    pub goal: bool,
    /// Cover the whole space in spite of findings.
    pub keep_going: bool,
    /// Give the values of the subformulas of a violated temporal formula along its counterexample.
    pub explain: bool,
    /// Give a run where a formula of branching time with EF, EG, EU or EX outermost holds.
    pub witness: bool,
    /// Order of the search.
    pub strategy: Strategy,
    /// Set-ups per batch (≥ 1). A batch is explored before the next is enumerated; counterexamples are shortest within their batch.
    pub set_ups_at_once: usize,
    /// Threads that expand states; 0 counts as 1. They never influence the outcome. Depth and random order use one.
    pub workers: usize,
    /// Limits at which it stops.
    pub limits: Limits,
    /// How many runs a simulation makes; without a number, until another limit.
    pub runs: Option<u64>,
    /// The seed, which determines the runs of a simulation.
    pub seed: u64,
    /// How many values to take of a choice with too many to enumerate; the result is then incomplete. With 0, all its steps, initial states
    /// or set-ups are left out.
    pub max_choices: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            symmetry: Mode::Exact,
            named_symmetry: true,
            orbit_parameters: true,
            invariant: true,
            deadlock: true,
            assertions: true,
            strict_guards: false,
            goal: true,
            keep_going: false,
            explain: false,
            witness: false,
            strategy: Strategy::Breadth,
            set_ups_at_once: SET_UPS_AT_ONCE,
            workers: 1,
            limits: Limits::default(),
            runs: None,
            seed: 0,
            max_choices: FIRST_CHOICES,
        }
    }
}

impl Options {
    /// The symmetry of a machine under these options.
    #[must_use]
    pub fn symmetry_of(&self, machine: &Machine) -> Symmetry {
        self.symmetry_of_model(machine.model(), machine.scope())
    }

    /// The symmetry of a model at these sizes.
    pub(crate) fn symmetry_of_model(&self, model: &Model, scope: &Scope) -> Symmetry {
        let of = match (self.named_symmetry, self.invariant) {
            (false, _) => Symmetry::of_unnamed,
            (true, true) => Symmetry::new,
            (true, false) => Symmetry::without_invariant,
        };
        of(model, scope, self.symmetry)
    }

    /// These options, with time that counts from now on at the latest: for searches that have it together.
    pub(crate) fn timed_from_now(&self) -> Self {
        let since = Some(self.limits.since.unwrap_or_else(Instant::now));
        Self { limits: Limits { since, ..self.limits.clone() }, ..self.clone() }
    }

    /// The kinds of properties that are switched on, in words, whether or not a machine has any.
    pub fn kinds_checked(&self) -> impl Iterator<Item = &'static str> {
        let kinds = [(self.invariant, "invariant"), (self.deadlock, "deadlock"), (self.assertions, "assertions"), (self.goal, "goal")];
        kinds.into_iter().filter(|(is_on, _)| *is_on).map(|(_, word)| word)
    }

    /// The properties of states and set-ups of a machine that are checked.
    #[must_use]
    pub fn checked(&self, model: &Model) -> Vec<FaultyPart> {
        let assertion = |(index, assertion): (usize, &Assertion)| match assertion.is_static {
            true => FaultyPart::StaticAssertion(index),
            false => FaultyPart::Assertion(index),
        };
        let mut parts = Vec::new();
        if self.invariant {
            parts.extend((0..model.invariant.len()).map(FaultyPart::Invariant));
        }
        if self.assertions {
            parts.extend(model.assertions.iter().enumerate().map(assertion));
        }
        // A machine without operations is not meant to continue.
        parts.extend((self.deadlock && model.has_operations()).then_some(FaultyPart::DeadlockFreedom));
        parts.extend((self.goal && model.goal.is_some()).then_some(FaultyPart::Goal));
        parts
    }

    /// The number of threads that expand states, which may be lower than requested.
    #[must_use]
    pub fn effective_workers(&self) -> usize {
        if self.strategy.is_sequential() { 1 } else { self.workers.max(1) }
    }
}
