//! The refinement check: a breadth-first search of a refinement and the machine that it refines, side by side.
//!
//! A *configuration* is a state of the refinement with the states that the refined machine may be in then. `configuration` says what
//! is stored, `step` makes the steps of both and meets the faults, `refusal` and `divergence` meet those that are looked for on
//! demand, `trace` turns a fault into a run, and `mismatch` tells it; `space` walks the configurations once more for a report,
//! `sample` tests symmetries on some of them.
//! Both machines are one model, so one permutation renames the elements in both: a configuration is canonised as one structure.
//! Invariant: as in any search: a finding is shown only after its run was found again without reduction, and `verified` means that
//! every configuration was expanded. Deliberately elsewhere: what refines what (`sema`). Source: subset construction, as in
//! model checkers for CSP.

mod configuration;
mod divergence;
mod mismatch;
mod refusal;
mod sample;
mod space;
mod step;
mod trace;

pub use mismatch::{Mismatch, Obligation, Reason, Tried};
pub use sample::doubt;
pub use space::survey;

use super::count::conclusion::{confirmation, interrupted, why_bounds};
use super::count::first_errors::FirstErrors;
use super::count::reduction::Reduction;
use super::count::set_up::SetUp;
use super::count::tally::{Orbits, Tally};
use super::observer::Observer;
use super::property::{Claim, Place};
use super::search::set_ups::{SetUps, no_initial_state, set_ups};
use super::search::watch::{Control, watched};
use super::trace::{Origin, TraceFault};
use super::visited::{Entered, Visited};
use super::{Finding, LimitHit, Options, Outcome, PropertyKind, Verdict};
use crate::eval::{EvalError, Machine};
use crate::ir::Refinement;
use crate::source::vocabulary;
use crate::symmetry::Symmetry;
use configuration::Configuration;
use divergence::{Cycle, InternalSteps};
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

/// Checks a refinement; `machine` is the model of both. Properties, order and workers of the options are not used.
#[must_use]
pub fn refine(
    machine: &Machine,
    refinement: &Refinement,
    symmetry: &Symmetry,
    demands: Demands,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    let control = Control::new(machine.interrupt());
    watched(&control, &options.limits, observer, || {
        let product = Product { machine, refinement, matching: demands.matching, refusals: demands.refusals };
        let orbits = Orbits::new();
        let search = RefinementSearch {
            product: &product,
            options,
            control: &control,
            reduction: Reduction::new(machine, symmetry, &orbits),
            set_ups: Vec::new(),
            valuations: 0,
            is_initialised: false,
            visited: Visited::new(options.limits.states),
            tally: Tally::default(),
            guards: FirstErrors::default(),
            unassigned: FirstErrors::default(),
            internal: demands.divergence.then(InternalSteps::default),
            cycle: None,
            claim: None,
            limit: None,
            depth: 0,
        };
        control.explained(search.run())
    })
}

struct RefinementSearch<'a> {
    product: &'a Product<'a>,
    options: &'a Options,
    control: &'a Control<'a>,
    reduction: Reduction<'a>,
    set_ups: Vec<SetUp>,
    /// Valuations of the constants visited.
    valuations: u64,
    is_initialised: bool,
    /// The representatives of configurations.
    visited: Visited,
    tally: Tally,
    guards: FirstErrors,
    unassigned: FirstErrors,
    /// Set when divergence is looked for.
    internal: Option<InternalSteps>,
    /// Where the run of the finding goes on in a circle.
    cycle: Option<Cycle>,
    claim: Option<Claim>,
    limit: Option<LimitHit>,
    depth: u64,
}

impl RefinementSearch<'_> {
    fn run(mut self) -> Outcome {
        let off = Options { assertions: false, ..self.options.clone() };
        let (machine, symmetry, orbits) = (self.product.machine, self.reduction.symmetry, self.reduction.orbits);
        let are_all = set_ups(machine, symmetry, orbits, &off, off.set_ups_at_once, &mut |batch| {
            self.explore(batch);
            if self.may_go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if !self.is_initialised && self.may_go_on() {
            self.claim = Some(no_initial_state());
        }
        let is_exhausted = are_all && self.may_go_on();
        if self.claim.is_none() {
            self.cycle = self.internal.as_ref().and_then(InternalSteps::cycle);
            self.claim = self.cycle.as_ref().map(|cycle| Claim {
                distance: self.depth,
                place: Place::State(cycle.start),
                property: PropertyKind::Refinement(Box::new(cycle.mismatch())),
            });
        }
        self.conclude(is_exhausted)
    }

    /// Expands what is reached from a batch of set-ups.
    fn explore(&mut self, batch: SetUps) {
        self.valuations += batch.visited;
        self.tally.merge(&batch.tally);
        self.claim = batch.claim;
        self.limit = batch.limit;
        let mut level = self.visited.len()..self.visited.len();
        if self.may_go_on() {
            self.initial(batch.list);
            level.end = self.visited.len();
        }
        let mut depth = 0;
        while self.may_go_on() && !level.is_empty() {
            if self.options.limits.depth.is_some_and(|limit| depth >= limit) {
                self.limit = Some(LimitHit::Depth(depth));
                break;
            }
            self.control.level.store(depth, Ordering::Relaxed);
            for number in level.clone() {
                // A level with a fault is looked at to its end: the fault reported does not depend on the order of its configurations.
                self.expand(u32::try_from(number).expect("numbers have 32 bits"), depth);
                self.control.frontier.store((level.end - number) as u64, Ordering::Relaxed);
                if self.limit.is_some() {
                    break;
                }
            }
            level = level.end..self.visited.len();
            if !level.is_empty() {
                depth += 1;
                self.depth = self.depth.max(depth);
            }
        }
    }

    fn may_go_on(&self) -> bool {
        self.limit.is_none() && self.claim.is_none()
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
            let count = initial.configurations.len() as u64;
            self.tally.initial_arrows(class, count, count);
            for (ordinal, configuration) in (0u64..).zip(initial.configurations) {
                let Some(entered) = self.enter(&configuration, Origin::Initial { set_up, ordinal }) else { return };
                if entered.is_new {
                    self.tally.initial(entered.class);
                }
            }
            if let Some(property) = initial.fault {
                self.claim = Some(Claim { distance: 0, place: Place::SetUp(set_up), property });
                return;
            }
        }
    }

    /// Stores a configuration's representative unless it is known; `None` when a limit forbids to store it.
    fn enter(&mut self, configuration: &Configuration, origin: Origin) -> Option<Entered> {
        match self.visited.enter(&mut self.reduction, self.product.key(configuration), origin, &mut self.tally) {
            Ok(entered) => {
                self.control.states.store(self.visited.len() as u64, Ordering::Relaxed);
                Some(entered)
            }
            Err(limit) => {
                self.limit = Some(limit);
                None
            }
        }
    }

    fn stuck(&mut self, error: EvalError) {
        self.limit.get_or_insert(LimitHit::Enumeration(error));
    }

    fn expand(&mut self, number: u32, distance: u64) {
        if let Some(reason) = self.control.stop_reason() {
            self.limit = Some(reason);
            return;
        }
        let class = self.visited.class(number);
        let configuration = self.product.configuration(self.visited.representative(number));
        let expansion = match self.product.expand(&configuration) {
            Ok(expansion) => expansion,
            Err(error) => return self.stuck(error),
        };
        let is_over = self.claim.is_some();
        if let Some(property) = expansion.fault {
            Claim::keep_least(&mut self.claim, Claim { distance, place: Place::State(number), property });
        }
        if is_over {
            // Only for a fault that comes before the one that is known.
            return;
        }
        for (operation, error) in expansion.guards {
            self.guards.note(operation, number, error);
        }
        for (operation, error) in expansion.unassigned {
            self.unassigned.note(operation, number, error);
        }
        for step in expansion.steps {
            self.tally.steps(class, step.operation, 1, 1);
            self.control.transitions.fetch_add(1, Ordering::Relaxed);
            let Some(child) = self.enter(&step.next, Origin::Step { parent: number }) else { return };
            if let Some(internal) = &mut self.internal
                && self.product.is_internal(step.operation)
            {
                internal.add(number, child.number, step.operation);
            }
        }
    }

    fn conclude(mut self, is_exhausted: bool) -> Outcome {
        let machine = self.product.machine;
        let mut limit = self.limit.take().map(interrupted);
        if limit.is_some() {
            limit = self.control.stop_reason().or(limit);
        }
        self.control.finish();
        let complete = is_exhausted && limit.is_none();
        let why = why_bounds(limit.as_ref(), complete, self.options.symmetry, &self.reduction, &self.tally, self.valuations);
        let claim = self.claim.take();
        let confirmation = claim.as_ref().map(|claim| confirmation(machine, claim, || self.finding(claim)));
        let model = machine.model();
        let orbits = self.reduction.orbits;
        let mut operations = self.tally.operations(model, orbits);
        operations.truncate(self.product.refinement.operations.len());
        Outcome {
            verdict: Verdict::Incomplete,
            complete,
            limit,
            explored: self.tally.counts(model, self.depth),
            full: self.tally.full_counts(model, orbits, why),
            operations,
            instances: 0,
            finding: None,
            guard_warnings: self.guards.into_list(),
            unassigned_results: self.unassigned.into_list(),
            unconfirmed: None,
            internal_error: None,
        }
        .concluded(confirmation)
    }

    fn finding(&mut self, claim: &Claim) -> Result<Finding, TraceFault> {
        trace::finding(self.product, &mut self.reduction, &self.visited, &self.set_ups, claim, self.cycle.as_ref())
    }
}
