//! The reference of the refinement check: one configuration after the other, on one thread, in one map of valuations.
//!
//! It is the oracle of the search by workers, with which it shares the steps, the obligations and the traces. Invariant: the two outcomes
//! are equal, whatever the machine and the limits on states and depth: it numbers configurations in the order in which they are found, and
//! counting ends with the first fault found. Deliberately elsewhere: limits of time and memory, which it ignores.

use super::configuration::Configuration;
use super::facts::RefinementFacts;
use super::step::Product;
use super::trace;
use super::worker::divergence;
use crate::count::conclusion::conclude;
use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::count::tally::Orbits;
use crate::number::{SetUpNumber, StateNumber};
use crate::plain::{BreadthFirst, Entered, Level, PlainSearch};
use crate::property::{Claim, Place};
use crate::search::internal_steps::InternalSteps;
use crate::search::set_ups::{Enumerated, SetUps, no_initial_state, set_ups};
use crate::trace::Origin;
use crate::{Fault, LimitHit, Options, Outcome};
use bcheck_eval::EvalError;
use bcheck_symmetry::Symmetry;
use std::ops::ControlFlow;

/// Searches the configurations of a refinement check, and returns the facts about runs.
pub(super) fn search(product: &Product<'_>, symmetry: &Symmetry, options: &Options, divergence: bool) -> (Outcome, RefinementFacts) {
    let orbits = Orbits::new();
    let search = ProductSearch {
        product,
        plain: PlainSearch::new(options, Reduction::new(product.machine, symmetry, &orbits)),
        set_ups: Vec::new(),
        valuations: Enumerated::default(),
        is_initialised: false,
        internal: InternalSteps::default(),
        divergence,
        facts: RefinementFacts::default(),
        skipped: None,
    };
    search.run()
}

struct ProductSearch<'a> {
    product: &'a Product<'a>,
    /// The representatives of configurations, and the sums.
    plain: PlainSearch<'a>,
    set_ups: Vec<SetUp>,
    /// Valuations of the constants visited.
    valuations: Enumerated,
    is_initialised: bool,
    internal: InternalSteps,
    /// Whether a divergence is a fault.
    divergence: bool,
    facts: RefinementFacts,
    /// Why steps or initial configurations are missing.
    skipped: Option<EvalError>,
}

impl<'a> BreadthFirst<'a> for ProductSearch<'a> {
    fn plain(&mut self) -> &mut PlainSearch<'a> {
        &mut self.plain
    }

    fn expand(&mut self, number: StateNumber, level: &Level) -> ControlFlow<()> {
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
        let are_all = set_ups(machine, symmetry, orbits, options, (options.set_ups_at_once, &|_| ()), &mut |batch| {
            self.explore(batch);
            if self.plain.may_go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if !self.is_initialised && self.plain.may_go_on() && self.skipped.is_none() {
            self.plain.ending.claim = Some(no_initial_state());
        }
        let Self { product, plain, set_ups, valuations, internal, divergence: is_fault, mut facts, skipped, .. } = self;
        let is_exhausted = are_all && plain.may_go_on();
        let PlainSearch { mut reduction, family, mut ending, .. } = plain;
        ending.is_exhausted = is_exhausted;
        // A cycle of internal steps. Safety first: a run to a fault is a shorter explanation than an infinite one. Where a limit stopped
        // the search, the internal steps found so far may still contain a cycle.
        let mut cycle = if ending.claim.is_none() { internal.cycle() } else { None };
        facts.is_simulated = is_exhausted && ending.claim.is_none();
        facts.has_internal = !internal.is_empty();
        facts.divergence = cycle.as_ref().map(|cycle| cycle.steps[0].1);
        cycle = cycle.filter(|_| is_fault);
        if ending.claim.is_none() {
            ending.claim = cycle.as_ref().map(|cycle| Claim {
                distance: ending.depth,
                place: Place::State(cycle.start),
                fault: Fault::mismatch(divergence(cycle)),
            });
        }
        ending.leave_out(machine, options, skipped.filter(|_| ending.claim.is_none()), None);
        facts.is_simulated &= ending.limit.is_none();
        let mut outcome = conclude(machine, options.symmetry, &mut reduction, valuations, ending, |reduction, claim| {
            trace::finding(product, reduction, &family, &set_ups, claim, cycle.as_ref())
        });
        // The later ones in the model are operations of the refined machine, whose steps are not counted separately.
        outcome.operations.truncate(product.refinement.operations.len());
        facts.is_simulated &= outcome.internal_error.is_none();
        (outcome, facts)
    }

    /// Expands everything reachable from a batch of set-ups.
    fn explore(&mut self, batch: SetUps) {
        let first = self.plain.family.end();
        self.valuations.add(batch.visited);
        let ending = &mut self.plain.ending;
        ending.tally.merge(&batch.tally);
        ending.claim = batch.claim;
        ending.limit = batch.limit;
        self.skipped = self.skipped.take().or(batch.skipped);
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
            let set_up = SetUpNumber::at(at);
            let SetUp { constants, class } = &self.set_ups[at];
            let class = *class;
            let initial = match self.product.initial(constants) {
                Ok(initial) => initial,
                Err(error) => return self.stuck(error),
            };
            self.is_initialised |= !initial.configurations.is_empty() || initial.fault.is_some();
            self.skipped = self.skipped.take().or(initial.skipped);
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
            if let Some(fault) = initial.fault {
                self.plain.ending.claim = Some(Claim { distance: 0, place: Place::SetUp(set_up), fault });
                return;
            }
        }
    }

    /// Notes as a fact where the refined machine may be in several states.
    fn note_choices(&mut self, configurations: &[Configuration]) {
        self.facts.has_choices |= configurations.iter().any(|found| self.product.leaves_choice(found));
    }

    /// Notes as a fact that the refinement has a deadlock which is new; `configuration` has no step.
    fn note_deadlock(&mut self, configuration: &Configuration) -> Result<(), EvalError> {
        self.facts.has_new_deadlock = self.facts.has_new_deadlock || self.product.is_new_deadlock(configuration)?;
        Ok(())
    }

    /// Stores a configuration's representative unless it is known; `None` when a limit forbids to store it.
    fn enter(&mut self, configuration: &Configuration, origin: Origin) -> Option<Entered> {
        self.plain.enter(self.product.key(configuration), origin)
    }

    fn stuck(&mut self, error: EvalError) {
        self.plain.ending.limit.get_or_insert(LimitHit::Enumeration(error));
    }

    /// Enters the steps of a configuration, and its fault if it has one.
    fn follow(&mut self, number: StateNumber, distance: u64) {
        let class = self.plain.family.class(number);
        let configuration = self.product.configuration(self.plain.family.representative(number));
        let expansion = match self.product.expand(&configuration) {
            Ok(expansion) => expansion,
            Err(error) => return self.stuck(error),
        };
        let ending = &mut self.plain.ending;
        // Once a fault is known, the rest of the level is expanded only for a lesser one: nothing is entered or counted any more.
        let is_over = ending.claim.is_some();
        if let Some(fault) = expansion.fault {
            Claim::keep_least(&mut ending.claim, Claim { distance, place: Place::State(number), fault });
        }
        if is_over {
            return;
        }
        let is_partial = expansion.skipped.is_some();
        self.skipped = self.skipped.take().or(expansion.skipped);
        if expansion.steps.is_empty()
            && !is_partial
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
            self.note_choices(std::slice::from_ref(&step.next));
            let Some(child) = self.enter(&step.next, Origin::Step { parent: number }) else { return };
            if self.product.is_internal(step.operation) {
                self.internal.add(number, child.number, step.operation);
            }
        }
    }
}
