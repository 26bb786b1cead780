//! The refinement check: a breadth-first search of a refinement and the machine that it refines, side by side.
//!
//! A *configuration* is a state of the refinement with the states that the refined machine may be in then, each with states of the
//! machines that this one refines: they know in which states operations are called. `configuration` defines what is stored, `step` makes
//! the steps of both and finds faults, `ascent` computes those of machines further up, `refusal` finds faults that are searched on demand,
//! `worker` makes configurations the subject of a search (`explore::search`), `reference` searches them as plainly as possible, `trace`
//! turns a fault into a run, and `mismatch` describes it; `space` walks the configurations again for a report, `sample` tests symmetries on
//! some of them.
//! `induction` looks at all pairs of states within the invariants instead of those that are reached. `facts` has what a check shows about
//! runs, `preservation` what follows from that for temporal formulas of the refined machine.
//! Both machines are one model, so one permutation renames the elements in both: a configuration is canonised as one structure.
//! Invariant: as in any search: a finding is shown only after its run was found again without reduction, and `verified` means that
//! every configuration was expanded. Deliberately elsewhere: what refines what (`sema`). Source: subset construction, as in
//! model checkers for CSP.

mod ascent;
mod configuration;
mod facts;
mod glue;
mod induction;
pub(crate) mod mismatch;
pub mod preservation;
mod reference;
mod refusal;
mod sample;
mod space;
mod step;
mod trace;
mod worker;

pub use facts::RefinementFacts;
pub use induction::{induction, within_invariants};
pub use mismatch::{Mismatch, Obligation, Reason, Tried};
pub use sample::doubt;
pub use space::survey;

use super::count::conclusion::conclude;
use super::count::reduction::Reduction;
use super::count::tally::Orbits;
use super::first_choices::with_first_choices;
use super::observer::Observer;
use super::property::{Claim, Place};
use super::search::Search;
use super::search::checkpoint::{CheckpointFault, Checkpoints};
use super::search::set_ups::no_initial_state;
use super::search::watch::{Control, watched};
use super::{Fault, Options, Outcome, Strategy};
use bcheck_eval::Machine;
use bcheck_ir::Refinement;
use bcheck_source::vocabulary;
use bcheck_symmetry::Symmetry;
use step::Product;
use worker::{Configurations, divergence};

/// The relation that a step of the refinement is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The states that the refined machine may be in; some must be related to the new state by the gluing invariant.
    Simulation,
    /// Without the gluing invariant: calls and results only.
    Trace,
    /// Each related state separately: the proof obligation on every reachable pair.
    SimulationAll,
}

vocabulary! { Matching,
    Simulation: "simulation", "Some state that the refined machine may be in follows each step, by the gluing invariant";
    Trace: "trace", "Calls and results only: each sequence of them is one of the refined machine";
    SimulationAll: "simulation-all", "Each related state of the refined machine follows each step: the proof obligation on reachable pairs";
}

/// The obligations of a refinement check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demands {
    /// The relation that steps are checked against.
    pub matching: Matching,
    /// Whether it may refuse no more calls than the refined machine.
    pub refusals: bool,
    /// Whether it may not continue forever by internal steps.
    pub divergence: bool,
}

/// A refinement check that can be run.
#[derive(Clone, Copy, Debug)]
pub struct RefinementCheck<'a> {
    /// The model of both machines, compiled.
    pub machine: &'a Machine,
    /// Its parts.
    pub refinement: &'a Refinement,
    /// The symmetries to search with.
    pub symmetry: &'a Symmetry,
    /// The obligations.
    pub demands: Demands,
    /// Limits, workers and the like. Properties and order are not used.
    pub options: &'a Options,
}

impl RefinementCheck<'_> {
    /// Runs the check.
    #[must_use]
    pub fn run(self, observer: &mut dyn Observer) -> Outcome {
        self.searched(observer, false, None).0
    }

    /// As [`Self::run`], with the premises of the preservation of temporal formulas.
    #[must_use]
    pub fn run_for_facts(self, observer: &mut dyn Observer) -> (Outcome, RefinementFacts) {
        self.searched(observer, true, None)
    }

    /// As [`Self::run_for_facts`], by the reference search, which expands one configuration after the other; limits of time and memory,
    /// and workers are ignored.
    #[must_use]
    pub fn run_reference(self) -> (Outcome, RefinementFacts) {
        with_first_choices((self.machine, self.symmetry), (self.options.max_choices, true), |symmetry| {
            reference::search(&self.product(), symmetry, &self.own_options(), self.demands.divergence)
        })
    }

    /// As [`Self::run`], with checkpoints in a folder; facts only `with_facts`.
    ///
    /// # Errors
    /// As in a search of states.
    pub fn run_with_checkpoints(
        self,
        observer: &mut dyn Observer,
        with_facts: bool,
        checkpoints: &mut Checkpoints,
    ) -> Result<(Outcome, RefinementFacts), CheckpointFault> {
        let found = self.searched(observer, with_facts, Some(&mut *checkpoints));
        checkpoints.take_fault().map_or(Ok(found), Err)
    }

    fn product(&self) -> Product<'_> {
        let Self { machine, refinement, demands, .. } = *self;
        Product::new(machine, refinement, demands)
    }

    /// The options of the search. Properties of a single machine, and its assertions, which are consequences of the invariant, are not
    /// obligations of a refinement; after a failed one the following configurations are meaningless.
    fn own_options(&self) -> Options {
        Options {
            invariant: false,
            deadlock: false,
            assertions: false,
            strict_guards: false,
            goal: false,
            keep_going: false,
            strategy: Strategy::Breadth,
            ..self.options.clone()
        }
    }

    fn searched(
        self,
        observer: &mut dyn Observer,
        with_facts: bool,
        mut checkpoints: Option<&mut Checkpoints>,
    ) -> (Outcome, RefinementFacts) {
        let options = &self.options.timed_from_now();
        let may_begin_again = checkpoints.is_none();
        with_first_choices((self.machine, self.symmetry), (options.max_choices, may_begin_again), |symmetry| {
            RefinementCheck { symmetry, options, ..self }.searched_once(observer, with_facts, checkpoints.as_deref_mut())
        })
    }

    fn searched_once(
        self,
        observer: &mut dyn Observer,
        with_facts: bool,
        mut checkpoints: Option<&mut Checkpoints>,
    ) -> (Outcome, RefinementFacts) {
        let (product, options) = (self.product(), self.own_options());
        let control = Control::new(self.machine, &options.limits);
        watched(&control, observer, || {
            let orbits = checkpoints.as_mut().map_or_else(Orbits::new, |checkpoints| checkpoints.orbits());
            let configurations = Configurations::new(&product, &options, (with_facts, with_facts || self.demands.divergence));
            let mut search = Search::new(&configurations, (self.machine, self.symmetry, &options), (&control, &orbits), None);
            if let Some(checkpoints) = checkpoints {
                search.keep(checkpoints);
            }
            let (outcome, facts) = self.concluded(search, &product, (&control, &orbits));
            (control.explained(outcome), facts)
        })
    }

    /// Searches, and concludes.
    fn concluded<'a, 'r: 'a>(
        &self,
        mut search: Search<'a, 'r, Configurations<'a>>,
        product: &Product<'_>,
        (control, orbits): (&Control<'_>, &Orbits),
    ) -> (Outcome, RefinementFacts) {
        let are_all = search.explore_all();
        let Search { mut ending, visited, is_initialised, part, facts, cyclic, skipped, .. } = search;
        let may_go_on = ending.limit.is_none() && ending.claim.is_none();
        if !is_initialised && may_go_on && skipped.is_none() {
            ending.claim = Some(no_initial_state());
        }
        ending.is_exhausted = are_all && may_go_on && ending.claim.is_none();
        // A cycle of internal steps. Safety first: a run to a fault is a shorter explanation than an infinite one.
        let (cycle, cyclic) = cyclic.filter(|_| ending.claim.is_none()).unzip();
        let mut found = RefinementFacts {
            is_simulated: ending.is_exhausted,
            has_internal: facts.has_internal,
            divergence: cycle.as_ref().map(|cycle| cycle.steps[0].1),
            has_new_deadlock: facts.has_new_deadlock,
            has_choices: facts.has_choices,
        };
        let (cycle, part) = if self.demands.divergence && cycle.is_some() { (cycle, cyclic) } else { (None, part.or(cyclic)) };
        if let Some(cycle) = &cycle {
            let fault = Fault::mismatch(divergence(cycle));
            ending.claim = Some(Claim { distance: ending.depth, place: Place::State(cycle.start), fault });
        }
        if ending.claim.is_none() {
            ending.leave_out(self.machine, self.options, skipped, None);
        }
        ending.limit = control.finish(ending.limit);
        found.is_simulated &= ending.limit.is_none();
        let part = part.expect("there is at least one batch, if only of no set-ups");
        let mut reduction = Reduction::new(self.machine, self.symmetry, orbits);
        let mut outcome = conclude(self.machine, self.options.symmetry, &mut reduction, visited, ending, |reduction, claim| {
            trace::finding(product, reduction, &part.family(), &part.set_ups, claim, cycle.as_ref())
        });
        // The later ones in the model are operations of the refined machine, whose steps are not counted separately.
        outcome.operations.truncate(self.refinement.operations.len());
        found.is_simulated &= outcome.internal_error.is_none();
        (outcome, found)
    }
}
