//! The configurations of a refinement check as the subject of a search: how they are stored, entered and expanded.
//!
//! Invariant: what a worker adds does not depend on what others do, but for what never counts: states behind a fault or behind one that
//! cannot be expanded (`search::up_to_fault`). Deliberately elsewhere: steps and faults (`step`), what counts of them.

use super::step::{Expansion, Product, ProductStep};
use super::{Mismatch, Obligation, Reason, Tried};
use crate::count::set_up::SetUp;
use crate::number::{SetUpNumber, StateNumber};
use crate::property::{Claim, Place};
use crate::search::columns::Entry;
use crate::search::engine::Engine;
use crate::search::expander::Expander;
use crate::search::internal_steps::Cycle;
use crate::search::ledger::Batch;
use crate::search::rank::first_rank;
use crate::search::set_ups::Beginnings;
use crate::search::store::Store;
use crate::search::subject::{Subject, Worker};
use crate::search::up_to_fault::{Uncounted, UpToFault};
use crate::trace::Origin;
use crate::{LimitHit, Options};
use bcheck_durable::log::Key;
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_state::StateId;
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;
use std::sync::atomic::{AtomicU32, Ordering};

/// The configurations of a refinement check.
pub(super) struct Configurations<'a> {
    product: &'a Product<'a>,
    options: &'a Options,
    /// Whether facts about runs are requested.
    has_facts: bool,
    /// Whether internal steps are stored.
    has_internal: bool,
    /// No state behind these counts: the first one so far that has a fault, and that cannot be expanded.
    first_fault: AtomicU32,
    first_stuck: AtomicU32,
}

impl<'a> Configurations<'a> {
    pub(super) fn new(product: &'a Product<'a>, options: &'a Options, (has_facts, has_internal): (bool, bool)) -> Self {
        let none = || AtomicU32::new(u32::MAX);
        Self { product, options, has_facts, has_internal, first_fault: none(), first_stuck: none() }
    }
}

impl Subject for Configurations<'_> {
    type Worker<'e>
        = ConfigurationWorker<'e>
    where
        Self: 'e;

    fn worker<'e>(&'e self, engine: &'e Engine<'e>) -> ConfigurationWorker<'e> {
        ConfigurationWorker { configurations: self, expander: Expander::new(engine), uncounted: Box::default() }
    }

    /// On general values: a configuration holds a set of states, which has no place in words.
    fn store(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Store {
        Store::of_types(self.product.machine, &self.product.key_types(), symmetry, set_ups)
    }

    fn initial(&self, set_ups: &[SetUp], enter: &mut dyn FnMut(Valuation, Origin) -> Option<StateId>) -> Beginnings {
        let mut found = Beginnings::default();
        for (set_up, SetUp { constants, class }) in SetUpNumber::all(set_ups.len()).zip(set_ups) {
            let initial = match self.product.initial(constants) {
                Ok(initial) => initial,
                Err(error) => {
                    found.limit = Some(LimitHit::Enumeration(error));
                    break;
                }
            };
            found.is_initialised |= !initial.configurations.is_empty() || initial.fault.is_some();
            found.skipped = found.skipped.take().or(initial.skipped);
            found.has_choices |= initial.configurations.iter().any(|found| self.product.leaves_choice(found));
            // Arrows by representative are not distinguished: ProB has no such graph to be compared with.
            let count = initial.configurations.len() as u64;
            found.tally.initial_arrows(*class, count, count);
            for (ordinal, configuration) in (0u64..).zip(initial.configurations) {
                if enter(self.product.key(&configuration), Origin::Initial { set_up, ordinal }).is_none() {
                    found.limit = Some(self.options.limits.states.map_or(LimitHit::Interrupted, LimitHit::States));
                    return found;
                }
            }
            if let Some(fault) = initial.fault {
                found.claim = Some(Claim { distance: 0, place: Place::SetUp(set_up), fault });
                break;
            }
        }
        found
    }

    fn up_to_fault(&self) -> Option<UpToFault> {
        Some(UpToFault::new(self.has_internal))
    }
}

/// The data with which one thread expands configurations.
pub(super) struct ConfigurationWorker<'e> {
    configurations: &'e Configurations<'e>,
    expander: Expander<'e>,
    uncounted: Box<Uncounted>,
}

impl<'e> Worker<'e> for ConfigurationWorker<'e> {
    fn expander(&mut self) -> &mut Expander<'e> {
        &mut self.expander
    }

    fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        let Configurations { product, has_facts, first_fault, first_stuck, .. } = self.configurations;
        let number = entry.number;
        // Relaxed: these save work, and decide nothing.
        if number.number() > first_stuck.load(Ordering::Relaxed) {
            return;
        }
        let configuration = match state {
            Some(state) => product.configuration(state),
            None => product.configuration(&self.expander.engine.state(entry.id)),
        };
        let Expansion { steps, fault, guards, unassigned, skipped, .. } = match product.expand(&configuration) {
            Ok(expansion) => expansion,
            Err(error) => return self.stuck(number, error),
        };
        let is_over = number.number() > first_fault.load(Ordering::Relaxed);
        if let Some(fault) = fault {
            first_fault.fetch_min(number.number(), Ordering::Relaxed);
            self.uncounted.fault(Claim { distance, place: Place::State(number), fault });
        }
        // The rest of a level with a fault is expanded only for a lesser one.
        if is_over {
            return;
        }
        if steps.is_empty() && skipped.is_none() && *has_facts {
            self.uncounted.deadlock(number, product.is_new_deadlock(&configuration));
        }
        skipped.into_iter().for_each(|error| self.expander.batch.skip(number, error));
        guards.into_iter().for_each(|(operation, error)| self.expander.batch.guards.note(operation, number, error));
        unassigned.into_iter().for_each(|(operation, error)| self.expander.batch.unassigned.note(operation, number, error));
        self.follow(entry, &steps);
    }

    fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64) {
        let entry = self.expander.enter_key(entry, key);
        self.expand(entry, None, distance);
    }

    fn take_batch(&mut self) -> Batch {
        let mut batch = self.expander.take_batch();
        batch.uncounted = Some(std::mem::take(&mut self.uncounted));
        batch
    }
}

impl ConfigurationWorker<'_> {
    fn stuck(&mut self, number: StateNumber, error: EvalError) {
        // The watcher knows the reason.
        if error.kind != EvalErrorKind::Interrupted {
            self.configurations.first_stuck.fetch_min(number.number(), Ordering::Relaxed);
            self.uncounted.stuck(number, error);
        }
    }

    /// Enters the steps of a configuration.
    fn follow(&mut self, entry: Entry, steps: &[ProductStep]) {
        let Configurations { product, has_facts, has_internal, .. } = self.configurations;
        let engine = self.expander.engine;
        let likely = engine.store.likely(entry.id);
        let mut rank = first_rank(entry.number);
        for same in steps.chunk_by(|one, other| one.operation == other.operation) {
            let operation = same[0].operation;
            let first = rank;
            let is_internal = *has_internal && product.is_internal(operation);
            for step in same {
                if *has_facts && product.leaves_choice(&step.next) {
                    self.uncounted.choice(rank);
                }
                // An interrupted search counts the steps so far.
                let Some(id) = self.expander.offer(product.key(&step.next), rank, likely) else { break };
                if self.expander.batch.tally.take_inexact() {
                    self.uncounted.inexact(rank);
                }
                if is_internal {
                    self.uncounted.internal(rank, id, operation);
                }
                rank = rank.plus(1);
            }
            let count = rank.since(first);
            self.uncounted.steps(first, u32::try_from(count).expect("ordinals of steps have 32 bits"), entry.class, operation);
            self.expander.count_transitions(count);
            if count < same.len() as u64 {
                return;
            }
        }
    }
}

/// The failed obligation that a cycle of internal steps is.
pub(super) fn divergence(cycle: &Cycle) -> Mismatch {
    Mismatch {
        obligation: Obligation::Divergence,
        operation: cycle.steps.first().map(|(_, operation)| *operation),
        arguments: Vec::new(),
        results: Vec::new(),
        next: None,
        tried: vec![Tried { before: None, reason: Reason::Repeats(cycle.steps.len()) }],
    }
}
