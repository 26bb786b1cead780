//! The refinement check: a breadth-first search of a refinement and the machine that it refines, side by side.
//!
//! A *configuration* is a state of the refinement with the states that the refined machine may be in then. `configuration` defines
//! what is stored, `step` makes the steps of both and meets the faults, `refusal` and `divergence` meet those that are looked for on
//! demand, `trace` turns a fault into a run, and `mismatch` describes it; `space` walks the configurations once more for a report,
//! `sample` tests symmetries on some of them. `facts` are what is found out about runs, `preservation` what follows from them for temporal
//! formulas of the refined machine.
//! Both machines are one model, so one permutation renames the elements in both: a configuration is canonised as one structure.
//! Invariant: as in any search: a finding is shown only after its run was found again without reduction, and `verified` means that
//! every configuration was expanded. Deliberately elsewhere: what refines what (`sema`). Source: subset construction, as in
//! model checkers for CSP.

mod configuration;
mod divergence;
mod facts;
mod mismatch;
pub mod preservation;
mod refusal;
mod sample;
mod space;
mod step;
mod trace;

pub use facts::RefinementFacts;
pub use mismatch::{Mismatch, Obligation, Reason, Tried};
pub use sample::doubt;
pub use space::survey;

use super::count::conclusion::conclude;
use super::count::reduction::Reduction;
use super::count::set_up::SetUp;
use super::count::tally::Orbits;
use super::observer::Observer;
use super::plain::{BreadthFirst, Entered, Level, PlainSearch};
use super::property::{Claim, Place};
use super::search::set_ups::{SetUps, no_initial_state, set_ups};
use super::search::watch::{Control, watched};
use super::trace::Origin;
use super::{LimitHit, Options, Outcome, PropertyKind};
use crate::eval::{EvalError, Machine};
use crate::ir::Refinement;
use crate::source::vocabulary;
use crate::symmetry::Symmetry;
use configuration::Configuration;
use divergence::InternalSteps;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use step::Product;

/// What a step of the refinement is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The states that the refined machine may be in; some must be related to the new state by the gluing invariant.
    Simulation,
    /// The same without the gluing invariant: calls and results only.
    Trace,
    /// Each related state by itself: the proof obligation on every reachable pair.
    SimulationAll,
}

vocabulary! { Matching,
    Simulation: "simulation", "Some state that the refined machine may be in follows each step, by the gluing invariant";
    Trace: "trace", "Calls and results only: each sequence of them is one of the refined machine";
    SimulationAll: "simulation-all", "Each related state of the refined machine follows each step: the proof obligation on reachable pairs";
}

/// What is checked of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demands {
    /// What its steps are held against.
    pub matching: Matching,
    /// Whether it may refuse no more calls than the refined machine.
    pub refusals: bool,
    /// Whether it may not go on for ever by internal steps.
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
    /// What is checked.
    pub demands: Demands,
    /// Limits and the like. Properties, order and workers are not used.
    pub options: &'a Options,
}

impl RefinementCheck<'_> {
    /// Runs the check.
    #[must_use]
    pub fn run(self, observer: &mut dyn Observer) -> Outcome {
        self.searched(observer, false).0
    }

    /// The same, with what the preservation of temporal formulas rests on.
    #[must_use]
    pub fn run_for_facts(self, observer: &mut dyn Observer) -> (Outcome, RefinementFacts) {
        self.searched(observer, true)
    }

    fn searched(self, observer: &mut dyn Observer, with_facts: bool) -> (Outcome, RefinementFacts) {
        let Self { machine, refinement, symmetry, demands, options } = self;
        let control = Control::new(machine.interrupt());
        // Assertions are consequences of the invariant, proved by themselves; after a failed obligation the configurations that follow mean
        // nothing.
        let options = Options { assertions: false, keep_going: false, ..options.clone() };
        watched(&control, &options.limits, observer, || {
            let product = Product { machine, refinement, matching: demands.matching, refusals: demands.refusals };
            let orbits = Orbits::new();
            let search = ProductSearch {
                product: &product,
                control: &control,
                // On general values: a configuration holds a set of states, which has no place in words.
                plain: PlainSearch::new(&options, Reduction::new(machine, symmetry, &orbits)),
                set_ups: Vec::new(),
                valuations: 0,
                is_initialised: false,
                internal: (demands.divergence || with_facts).then(InternalSteps::default),
                divergence: demands.divergence,
                facts: with_facts.then(RefinementFacts::default),
            };
            let (outcome, facts) = search.run();
            (control.explained(outcome), facts)
        })
    }
}

struct ProductSearch<'a> {
    product: &'a Product<'a>,
    control: &'a Control<'a>,
    /// The representatives of configurations, and the sums.
    plain: PlainSearch<'a>,
    set_ups: Vec<SetUp>,
    /// Valuations of the constants visited.
    valuations: u64,
    is_initialised: bool,
    /// Set when divergence is looked for, as an obligation or as a fact.
    internal: Option<InternalSteps>,
    /// Whether a divergence is a fault.
    divergence: bool,
    /// Set when they are asked for.
    facts: Option<RefinementFacts>,
}

impl<'a> BreadthFirst<'a> for ProductSearch<'a> {
    fn plain(&mut self) -> &mut PlainSearch<'a> {
        &mut self.plain
    }

    fn expand(&mut self, number: u32, level: &Level) -> ControlFlow<()> {
        self.control.level.store(level.distance, Ordering::Relaxed);
        self.control.frontier.store(u64::from(self.plain.family.len() - number), Ordering::Relaxed);
        self.follow(number, level.distance);
        // A level with a fault is expanded to its end: the fault reported does not depend on the order of its configurations.
        if self.plain.ending.limit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl ProductSearch<'_> {
    fn run(mut self) -> (Outcome, RefinementFacts) {
        let (machine, options) = (self.product.machine, self.plain.options);
        let (symmetry, orbits) = (self.plain.reduction.symmetry, self.plain.reduction.orbits);
        // As in the search of one machine: no step leads from one set-up to another, so batches are explored one after the other.
        let are_all = set_ups(machine, symmetry, orbits, options, options.set_ups_at_once, &mut |batch| {
            self.explore(batch);
            if self.plain.may_go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if !self.is_initialised && self.plain.may_go_on() {
            self.plain.ending.claim = Some(no_initial_state());
        }
        let Self { product, control, plain, set_ups, valuations, internal, divergence, facts, .. } = self;
        let is_exhausted = are_all && plain.may_go_on();
        let PlainSearch { mut reduction, family, mut ending, .. } = plain;
        ending.is_exhausted = is_exhausted;
        // Where a run goes on in a circle. Safety first: a run that goes wrong is a shorter explanation than one that never ends. Where a
        // limit stopped the search, the internal steps found so far may contain a cycle all the same.
        let mut cycle = if ending.claim.is_none() { internal.as_ref().and_then(InternalSteps::cycle) } else { None };
        let mut facts = facts.unwrap_or_default();
        facts.is_simulated = is_exhausted && ending.claim.is_none();
        facts.has_internal = internal.is_some_and(|internal| !internal.is_empty());
        facts.divergence = cycle.as_ref().map(|cycle| cycle.steps[0].1);
        cycle = cycle.filter(|_| divergence);
        if ending.claim.is_none() {
            ending.claim = cycle.as_ref().map(|cycle| Claim {
                distance: ending.depth,
                place: Place::State(cycle.start),
                property: PropertyKind::Refinement(Box::new(cycle.mismatch())),
            });
        }
        ending.limit = control.finish(ending.limit);
        facts.is_simulated &= ending.limit.is_none();
        let mut outcome = conclude(machine, options.symmetry, &mut reduction, valuations, ending, |reduction, claim| {
            trace::finding(product, reduction, &family, &set_ups, claim, cycle.as_ref())
        });
        // What follows in the model are operations of the refined machine, whose steps are not counted by themselves.
        outcome.operations.truncate(product.refinement.operations.len());
        facts.is_simulated &= outcome.internal_error.is_none();
        (outcome, facts)
    }

    /// Expands what is reached from a batch of set-ups.
    fn explore(&mut self, batch: SetUps) {
        let first = self.plain.family.len();
        self.valuations += batch.visited;
        let ending = &mut self.plain.ending;
        ending.tally.merge(&batch.tally);
        ending.claim = batch.claim;
        ending.limit = batch.limit;
        if self.plain.may_go_on() {
            self.initial(batch.list);
            self.levels(first);
        }
    }

    /// The initial configurations of each of some representative set-ups.
    fn initial(&mut self, batch: Vec<SetUp>) {
        let before = self.set_ups.len();
        self.set_ups.extend(batch);
        for at in before..self.set_ups.len() {
            let set_up = u32::try_from(at).expect("set-ups fit in memory and in 32 bits");
            let SetUp { constants, class } = &self.set_ups[at];
            let class = *class;
            let initial = match self.product.initial(constants) {
                Ok(initial) => initial,
                Err(error) => return self.stuck(error),
            };
            self.is_initialised |= !initial.configurations.is_empty() || initial.fault.is_some();
            self.note_choices(&initial.configurations);
            // Arrows by representative are not distinguished: ProB has no such graph to be compared with.
            let count = initial.configurations.len() as u64;
            self.plain.ending.tally.initial_arrows(class, count, count);
            for (ordinal, configuration) in (0u64..).zip(initial.configurations) {
                let Some(entered) = self.enter(&configuration, Origin::Initial { set_up, ordinal }) else { return };
                if entered.is_new {
                    self.plain.ending.tally.initial(entered.class);
                }
            }
            if let Some(property) = initial.fault {
                self.plain.ending.claim = Some(Claim { distance: 0, place: Place::SetUp(set_up), property });
                return;
            }
        }
    }

    /// Notes as a fact where the refined machine may be in several states.
    fn note_choices(&mut self, configurations: &[Configuration]) {
        if let Some(facts) = &mut self.facts {
            // A configuration of each related state by itself has one; there the refined machine follows from each of them.
            facts.has_choices |= configurations.iter().any(|configuration| configuration.abstracts.len() > 1);
        }
    }

    /// Notes as a fact that the refinement has a deadlock which is new; `configuration` has no step.
    fn note_deadlock(&mut self, configuration: &Configuration) -> Result<(), EvalError> {
        if let Some(facts) = &mut self.facts {
            facts.has_new_deadlock = facts.has_new_deadlock || self.product.is_new_deadlock(configuration)?;
        }
        Ok(())
    }

    /// Stores a configuration's representative unless it is known; `None` when a limit forbids to store it.
    fn enter(&mut self, configuration: &Configuration, origin: Origin) -> Option<Entered> {
        let entered = self.plain.enter(self.product.key(configuration), origin)?;
        self.control.states.store(self.plain.family.len().into(), Ordering::Relaxed);
        Some(entered)
    }

    fn stuck(&mut self, error: EvalError) {
        self.plain.ending.limit.get_or_insert(LimitHit::Enumeration(error));
    }

    /// Enters the steps of a configuration, and keeps its fault if it has one.
    fn follow(&mut self, number: u32, distance: u64) {
        let ending = &mut self.plain.ending;
        if let Some(reason) = self.control.stop_reason() {
            ending.limit = Some(reason);
            return;
        }
        let class = self.plain.family.class(number);
        let configuration = self.product.configuration(self.plain.family.representative(number));
        let expansion = match self.product.expand(&configuration) {
            Ok(expansion) => expansion,
            Err(error) => return self.stuck(error),
        };
        // Once a fault is known, the rest of the level is expanded only for a lesser one: nothing is entered or counted any more.
        let is_over = ending.claim.is_some();
        if let Some(property) = expansion.fault {
            Claim::keep_least(&mut ending.claim, Claim { distance, place: Place::State(number), property });
        }
        if is_over {
            return;
        }
        if expansion.steps.is_empty()
            && let Err(error) = self.note_deadlock(&configuration)
        {
            return self.stuck(error);
        }
        let ending = &mut self.plain.ending;
        for (operation, error) in expansion.guards {
            ending.guards.note(operation, number, error);
        }
        for (operation, error) in expansion.unassigned {
            ending.unassigned.note(operation, number, error);
        }
        for step in expansion.steps {
            self.plain.ending.tally.steps(class, step.operation, 1, 1);
            self.control.transitions.fetch_add(1, Ordering::Relaxed);
            self.note_choices(std::slice::from_ref(&step.next));
            let Some(child) = self.enter(&step.next, Origin::Step { parent: number }) else { return };
            if let Some(internal) = &mut self.internal
                && self.product.is_internal(step.operation)
            {
                internal.add(number, child.number, step.operation);
            }
        }
    }
}
