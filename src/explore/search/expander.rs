//! One worker: it expands states, offers their successors to the visited set, and collects counts and findings in a batch.
//!
//! Invariant: the ranks under which one worker offers states ascend, so its list of new states is sorted. Deliberately elsewhere: states of
//! words (`packed`, which falls back on this file), numbering new states (`ledger`).

use super::argument_orbits::ArgumentOrbits;
use super::columns::Entry;
use super::engine::Engine;
use super::inserter::Inserter;
use super::ledger::Batch;
use super::offers::Offers;
use super::rank::first_rank;
use super::record_writer::StepLetters;
use super::state_recorder::StateRecorder;
use crate::count::reduction::Reduction;
use crate::number::StateNumber;
use crate::property::{Claim, Examination, Place, examine};
use crate::thresholds::{KEPT_IN_BATCH, ORBIT_STEPS};
use crate::trace::operations;
use crate::{Fault, FaultyPart};
use bcheck_eval::{EvalErrorKind, Step, Successors};
use bcheck_ir::OperationId;
use bcheck_state::{ConstantsNumber, Rank, StateId};
use bcheck_symmetry::Exchangeable;
use bcheck_value::{Valuation, Value};
use std::sync::atomic::Ordering;

/// The state whose successors are offered.
pub(super) struct Parent<'s> {
    number: StateNumber,
    state: &'s [Value],
    id: StateId,
    /// The number of its constants in the layout.
    likely: Option<ConstantsNumber>,
    /// Its interchangeable blocks; computed when the first operation has steps enough.
    exchangeable: Option<Exchangeable>,
    /// Those of the operation whose successors are offered next; used only where the graph is recorded.
    letters: StepLetters,
}

impl<'s> Parent<'s> {
    pub(super) fn new(Entry { number, id, .. }: Entry, state: &'s [Value], likely: Option<ConstantsNumber>, letters: StepLetters) -> Self {
        Self { number, state, id, likely, exchangeable: None, letters }
    }
}

/// One worker.
pub(crate) struct Expander<'e> {
    pub(crate) engine: &'e Engine<'e>,
    pub(super) reduction: Reduction<'e>,
    pub(super) writer: Inserter,
    pub(crate) batch: Batch,
    pub(super) recorder: StateRecorder<'e>,
    /// Successors under one operation, with the index of the step: scratch for counting by representative.
    arrows: Vec<(StateId, usize)>,
    /// Transitions not yet added to the counter that the progress line shows.
    unreported: u64,
}

/// Transitions are added to the shared counter in batches, to avoid contention.
const REPORTED_AT_ONCE: u64 = 1 << 12;

impl<'e> Expander<'e> {
    pub(crate) fn new(engine: &'e Engine<'e>) -> Self {
        Self {
            engine,
            reduction: Reduction::new(engine.machine, engine.symmetry, engine.orbits).on_words(engine.store.words.as_ref()),
            writer: Inserter::new(engine),
            batch: Batch::default(),
            recorder: StateRecorder::new(engine),
            arrows: Vec::new(),
            unreported: 0,
        }
    }

    /// The additions since the last call. Pending offers of the packed tier have been made.
    pub(crate) fn take_batch(&mut self) -> Batch {
        self.report_transitions();
        // Buffers go round: what the ledger has emptied is filled here again.
        let Offers { found, finds, records } = self.engine.emptied.pop().unwrap_or_default();
        (self.batch.offers.finds, self.batch.foreign) = self.writer.take(self.engine, finds);
        let next = Batch { offers: Offers { found, finds: Vec::new(), records }, ..Batch::default() };
        std::mem::replace(&mut self.batch, next)
    }

    /// Offers the representative of a state, and examines it when it is new.
    ///
    /// Its constants are probably those with number `likely` in the layout. `None` when interrupted.
    pub(crate) fn offer(&mut self, state: Valuation, rank: Rank, likely: Option<ConstantsNumber>) -> Option<StateId> {
        let engine = self.engine;
        let representative = self.reduction.representative(state)?;
        if !representative.is_exact {
            self.batch.tally.inexact();
        }
        let found = (&representative.state[..], likely);
        let (id, is_new) = self.writer.offer(engine, found, rank, || self.reduction.class(&representative));
        if is_new {
            let class = self.reduction.class(&representative);
            // Beyond memory it may be known after all; it is examined when that is decided.
            let is_sure = !engine.store.is_spilled();
            // Of the representative: findings are claims about it, and the trace renames them (`trace`).
            let seen = is_sure.then(|| examine(engine.machine, engine.checks, engine.symmetry.conjunct_orbits(), &representative.state));
            // On words, decoding a state again costs less than keeping it.
            let is_kept = is_sure && engine.store.words.is_none() && self.batch.offers.found.len() < KEPT_IN_BATCH.get();
            self.batch.add(rank, id, class, seen, is_kept.then_some(representative.state));
        }
        Some(id)
    }

    /// Examines a state that is in the tables.
    pub(super) fn examine(&self, id: StateId) -> Examination {
        let engine = self.engine;
        examine(engine.machine, engine.checks, engine.symmetry.conjunct_orbits(), &engine.state(id))
    }

    /// Expands a state; nothing of it is counted when it is interrupted, and operations that cannot be evaluated are left out.
    ///
    /// `state`: the state, if it need not be decoded.
    pub(super) fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        let Entry { number, id, .. } = entry;
        let machine = self.engine.machine;
        let decoded;
        let state = match state {
            Some(state) => {
                debug_assert_eq!(&self.engine.state(id), state, "a key decodes to its state");
                state
            }
            None => {
                decoded = self.engine.state(id);
                &decoded
            }
        };
        let likely = self.engine.store.likely(id);
        let mut rank = first_rank(number);
        let mut is_deadlock = true;
        let mut transitions = 0;
        // All operations are run before any successor is offered, so that an interrupt in the last one leaves no trace of this state.
        let mut all: Vec<(OperationId, Successors)> = Vec::new();
        let mut is_whole = true;
        for operation in operations(machine) {
            match machine.successors(state, operation) {
                Ok(mut successors) => {
                    if let Some(error) = successors.partial.take() {
                        (is_deadlock, is_whole) = (false, false);
                        self.batch.skip(number, error);
                    }
                    all.push((operation, successors));
                }
                // The watcher knows the reason.
                Err(error) if error.kind == EvalErrorKind::Interrupted => return,
                Err(error) => {
                    // Unknown steps do not prove a deadlock; the search still ends as incomplete.
                    is_deadlock = false;
                    is_whole = false;
                    self.batch.skip(number, error);
                }
            }
        }
        let Ok(mut record) = self.recorder.state((number, state), &all, is_whole, &mut self.batch.offers.records) else { return };
        let mut parent = Parent::new(entry, state, likely, StepLetters::Same(0));
        for (operation, successors) in all {
            parent.letters = record.next_letters();
            is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty();
            transitions += self.follow(entry, distance, &mut parent, operation, successors, &mut rank);
        }
        self.recorder.state_ends(record, &mut self.batch.offers.records);
        self.conclude(entry, distance, is_deadlock, transitions);
    }

    /// Enters the steps of one operation in a state; returns their number. The caller has recorded that steps may be missing.
    pub(super) fn follow(
        &mut self,
        entry: Entry,
        distance: u64,
        parent: &mut Parent<'_>,
        operation: OperationId,
        successors: Successors,
        rank: &mut Rank,
    ) -> u64 {
        let Entry { number, class, .. } = entry;
        let Successors { mut steps, ill_defined, ill_defined_guard, unassigned, .. } = successors;
        if let Some(error) = ill_defined_guard {
            if self.engine.checks.strict_guards {
                let fault = Fault::ill_defined(FaultyPart::Guard(operation), error);
                Claim::keep_least(&mut self.batch.claim, Claim { distance, place: Place::State(number), fault });
                self.batch.tally.ill_defined(1);
            } else {
                self.batch.guards.note(operation, number, error);
            }
        }
        if let Some(error) = unassigned {
            self.batch.unassigned.note(operation, number, error);
        }
        self.batch.tally.ill_defined(ill_defined.len() as u64);
        if let Some((arguments, error)) = ill_defined.into_iter().next() {
            let fault = Fault::ill_defined(FaultyPart::Body(operation, arguments), error);
            Claim::keep_least(&mut self.batch.claim, Claim { distance, place: Place::State(number), fault });
        }
        // The steps of one binding of the parameters follow each other.
        self.batch.tally.instances(steps.chunk_by(|a, b| a.arguments == b.arguments).count() as u64);
        if !steps.is_empty() {
            let by_representative = self.offer_all(parent, operation, &mut steps, rank);
            self.batch.tally.steps(class, operation, steps.len() as u64, by_representative);
        }
        steps.len() as u64
    }

    /// Closes the expansion of a state: counts it as a deadlock where no operation is enabled. Whether it is left unexpanded instead.
    pub(super) fn conclude(&mut self, entry: Entry, distance: u64, is_deadlock: bool, transitions: u64) -> bool {
        let engine = self.engine;
        // The predicate's existence is tested first, since decoding the state is not free.
        let waits = is_deadlock && engine.machine.model().callable.is_some() && !engine.machine.is_callable(&engine.state(entry.id));
        let is_deadlock = is_deadlock && !waits;
        let is_unexpanded =
            is_deadlock && engine.machine.model().expanded.is_some() && !engine.machine.is_expanded(&engine.state(entry.id));
        if is_unexpanded {
            self.batch.tally.unexpanded(entry.class);
        } else if is_deadlock {
            self.batch.tally.deadlock(entry.class);
            // Where a step may be missing it is not a finding; then it is decisive that some state is without a step (`conclusion`).
            if self.engine.checks.deadlock
                && (engine.machine.tried_in_steps().is_empty() || engine.machine.has_all_steps(&engine.state(entry.id)))
            {
                let place = Place::State(entry.number);
                let fault = Fault::violated(FaultyPart::DeadlockFreedom);
                Claim::keep_least(&mut self.batch.claim, Claim { distance, place, fault });
            }
        }
        self.count_transitions(transitions);
        is_unexpanded
    }

    /// Counts transitions for the progress line.
    pub(crate) fn count_transitions(&mut self, transitions: u64) {
        self.unreported += transitions;
        if self.unreported >= REPORTED_AT_ONCE {
            self.report_transitions();
        }
    }

    fn report_transitions(&mut self) {
        self.engine.control.transitions.fetch_add(std::mem::take(&mut self.unreported), Ordering::Relaxed);
    }

    /// Offers the successors of one operation; returns the number of distinct edges by representative of the successor.
    fn offer_all(&mut self, parent: &mut Parent<'_>, operation: OperationId, steps: &mut [Step], rank: &mut Rank) -> u64 {
        let engine = self.engine;
        let constants = engine.machine.model().constants.len();
        let is_reduced = !engine.symmetry.is_trivial();
        let orbits = (is_reduced && engine.orbit_parameters && steps.len() >= ORBIT_STEPS.get() && engine.flat[operation.index()])
            .then(|| parent.exchangeable.get_or_insert_with(|| self.reduction.exchangeable(parent.state)))
            .filter(|exchangeable| !exchangeable.is_empty())
            .map(|exchangeable| ArgumentOrbits::new(exchangeable, steps));
        self.arrows.clear();
        for (index, step) in steps.iter_mut().enumerate() {
            // A step that is left out has a rank as well: ranks are those of the enumeration, whether or not orbits are used.
            let own_rank = *rank;
            *rank = rank.plus(1);
            if orbits.as_ref().is_some_and(|orbits| !orbits.leads(index)) {
                continue;
            }
            // Queries lead back to the state itself, which is a representative already.
            // Constants never change, so they are not compared.
            let is_loop = step.next[constants..] == parent.state[constants..];
            // The step's own state is moved, not copied: the rest of the step is its label, by which edges are counted.
            let successor = if is_loop { Some(parent.id) } else { self.offer(std::mem::take(&mut step.next), own_rank, parent.likely) };
            // An interrupted search counts the steps so far.
            let Some(successor) = successor else { break };
            self.recorder.step(parent.number, successor, (&parent.letters, index), &mut self.batch.offers.records);
            if is_reduced {
                self.arrows.push((successor, index));
            }
        }
        if !is_reduced {
            return steps.len() as u64;
        }
        let weight = |index: usize| orbits.as_ref().map_or(1, |orbits| orbits.weight(index));
        // Only arrows to one representative can coincide.
        self.arrows.sort_unstable();
        let mut distinct = 0;
        for same in self.arrows.chunk_by(|a, b| a.0 == b.0) {
            let mut labels: Vec<_> =
                same.iter().map(|(_, index)| (&steps[*index].arguments, &steps[*index].results, weight(*index))).collect();
            labels.sort_unstable();
            labels.dedup();
            distinct += labels.iter().map(|(_, _, weight)| weight).sum::<u64>();
        }
        distinct
    }
}
