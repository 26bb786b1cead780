//! Expanding states in the packed tier, with the general tier behind it.
//!
//! Successors of one operation are made, put in canonical form where there is symmetry, and offered to the visited set together, so
//! that its cache misses overlap.
//! Invariant: the same representatives are offered, in the same order of ranks, as in the general tier. Where a packed run traps,
//! the operation is run again in general; the steps offered before the trap are a prefix of its steps, and offering a state again
//! under the same or a higher rank changes nothing.

use super::engine::Engine;
use super::expander::{Expander, Parent};
use super::ledger::{Batch, Entry, Ledger, first_rank};
use super::pending::{PackedExpander, Pending};
use super::store::WordStore;
use crate::eval::{Blocks, EvalErrorKind, PackedState, PackedStep};
use crate::explore::count::tally::Orbits;
use crate::explore::property::{Checks, Examination, examine};
use crate::explore::trace::{Origin, operations};
use crate::ir::OperationId;
use crate::state::StateId;
use crate::symmetry::Automorphisms;
use crate::value::Valuation;

/// Successors that are offered together, so that their cache misses overlap.
const OFFERED_AT_ONCE: usize = 256;
/// At most this many words of successors wait while another worker makes room for them.
const MOST_WAITING: usize = 1 << 18;

impl Expander<'_> {
    /// Expands a state; nothing of it is counted when it is interrupted, and operations that cannot be evaluated are left out.
    ///
    /// `state`: the state, if it need not be decoded.
    pub(super) fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        if self.packed.is_none() || !self.expand_packed(entry, distance) {
            self.expand_in_general(entry, state, distance);
        }
    }

    /// What was added since the last call.
    pub(super) fn take_batch(&mut self) -> Batch {
        self.offer_rest();
        self.close_batch()
    }

    /// Enters one initial state, unless it is known; `None` when the limit forbids to store it, or when interrupted.
    pub(super) fn enter_initial(&mut self, ledger: &mut Ledger, state: Valuation, origin: Origin, limit: u32) -> Option<StateId> {
        let id = self.offer(state, ledger.initial_rank(), None)?;
        let first = ledger.len();
        let batch = self.take_batch();
        ledger.number(self.engine, [batch], &self.engine.store.close_slice(), 0, limit);
        if ledger.is_full {
            return None;
        }
        ledger.note_initial(first, origin);
        Some(id)
    }

    /// Expands a state; returns false if it is not packed.
    fn expand_packed(&mut self, entry: Entry, distance: u64) -> bool {
        let engine = self.engine;
        let Some((store, at)) = engine.store.entry(entry.id) else {
            // Before the general tier offers anything: what waits has lower ranks.
            self.offer_rest();
            return false;
        };
        let Some(mut scratch) = self.packed.take() else { return false };
        let set_up = store.read(at, &mut scratch.key, &mut scratch.own);
        if scratch.frame.0 != set_up {
            let frame = engine.machine.packed_state(&store.constants[set_up as usize]);
            scratch.frame = (set_up, frame.expect("states are words only if all constants fit"));
        }
        self.run_operations(entry, distance, set_up, store, &mut scratch);
        self.packed = Some(scratch);
        true
    }

    fn run_operations(&mut self, entry: Entry, distance: u64, set_up: u32, store: &WordStore, scratch: &mut PackedExpander) {
        let engine = self.engine;
        // Invariant: whatever waits in `pending` has lower ranks than what is pushed later, so that a worker offers in ascending order.
        let PackedExpander { own, frame, pending, .. } = scratch;
        let frame = &mut frame.1;
        set_constants(engine, store, frame, own);
        let (moving, variables) = own.split_at(store.moving_words);
        let mut rank = first_rank(entry.number);
        let (mut is_deadlock, mut transitions) = (true, 0);
        let mut general = None;
        let mut is_exchanged = false;
        // The blocks of the last state are not blocks of this one. Those of this one are looked for when the first operation can use them.
        if store.symmetry.is_some() {
            frame.exchange(&Blocks::new());
        }
        for operation in operations(engine.machine) {
            let first = rank;
            let mut steps = 0;
            if !is_exchanged
                && engine.orbit_parameters
                && let Some(way) = &store.symmetry
                && engine.machine.has_parameter_orbits(operation)
            {
                let blocks = way.groups(own, &mut pending.scratch);
                frame.exchange(&blocks);
                is_exchanged = true;
            }
            let run = engine.machine.packed_successors(operation, frame, variables, &mut |step| {
                // A query leads back to the state itself, which is a representative and known: nothing to canonise or to offer.
                if step.leads_back || is_equal(step.next, variables) {
                    pending.note(store, step, None);
                } else {
                    self.represent(store, set_up, moving, step, rank, pending);
                    // While another worker makes room in the table, there are further successors to be made.
                    if pending.ranks.len().is_multiple_of(OFFERED_AT_ONCE)
                        && (!store.table.is_growing() || pending.keys.len() >= MOST_WAITING)
                    {
                        self.offer_pending(store, pending);
                    }
                }
                // Bindings that another one stands for have no rank here, while the general tier skips theirs: the order is the same.
                rank += 1;
                steps += step.weight;
            });
            // Counting arrows takes the entries of all successors. Without symmetry every step is an arrow, and the last few successors
            // wait for those of the next operation or state.
            let mut arrows = None;
            if store.symmetry.is_some() {
                self.offer_pending(store, pending);
                arrows = pending.distinct_arrows(entry.id.0);
            }
            // Examining writes the constants of the new states into the frame.
            if !pending.fresh.is_empty() {
                self.examine_fresh(store, set_up, frame, pending);
                set_constants(engine, store, frame, own);
            }
            let needs_general = match run {
                None => true,
                // The packed run counts, but only the general tier has the error that the warning or the finding shows.
                Some(run) => run.ill_defined_guard && (engine.checks.strict_guards || self.batch.guards.is_first(operation, entry.number)),
            };
            if !needs_general {
                self.batch.tally.instances(run.map_or(0, |run| run.instances));
                is_deadlock &= steps == 0;
                if steps > 0 {
                    self.count_steps(entry, operation, steps, arrows.unwrap_or(steps));
                }
                transitions += steps;
                continue;
            }
            let reached = std::mem::replace(&mut rank, first);
            // Before the general run offers anything: what waits has lower ranks.
            self.offer_pending(store, pending);
            self.examine_fresh(store, set_up, frame, pending);
            set_constants(engine, store, frame, own);
            let state = general.get_or_insert_with(|| store.unpack(engine.machine, set_up, own));
            match self.run_in_general(entry, distance, operation, state, &mut rank) {
                Some((steps, enabled)) => {
                    // Where the operation is left out in general, steps before the trap may still have been offered: their ranks are taken.
                    rank = rank.max(reached);
                    is_deadlock &= !enabled;
                    transitions += steps;
                }
                None => return,
            }
        }
        self.conclude(entry, distance, is_deadlock, transitions);
    }

    /// Runs an operation in the general evaluator; returns the number of its steps and whether it is enabled (as far as is known), or
    /// `None` when it was interrupted.
    fn run_in_general(
        &mut self,
        entry: Entry,
        distance: u64,
        operation: OperationId,
        state: &Valuation,
        rank: &mut u64,
    ) -> Option<(u64, bool)> {
        let successors = match self.engine.machine.successors(state, operation) {
            Ok(successors) => successors,
            Err(error) => {
                // The watcher knows why.
                if error.kind == EvalErrorKind::Interrupted {
                    return None;
                }
                // It may be enabled, so the state does not count as a deadlock.
                self.batch.skip(entry.number, error);
                return Some((0, true));
            }
        };
        let enabled = !successors.steps.is_empty() || !successors.ill_defined.is_empty();
        let mut parent = Parent::new(state, entry.id, None);
        Some((self.follow(entry, distance, &mut parent, operation, successors, rank), enabled))
    }

    /// Finds the representative of a successor and appends its key to those that wait to be offered.
    fn represent(&mut self, store: &WordStore, set_up: u32, moving: &[u64], step: PackedStep<'_>, rank: u64, pending: &mut Pending) {
        let Some(way) = &store.symmetry else {
            pending.ranks.push(rank);
            return store.layout.encode(set_up, step.next, &mut pending.keys);
        };
        pending.raw.clear();
        pending.raw.extend_from_slice(moving);
        pending.raw.extend_from_slice(step.next);
        pending.representative.clear();
        if !way.canonical(&pending.raw, &mut pending.scratch, &mut pending.representative) {
            if self.engine.control.is_stopped() {
                // An interrupted labelling leaves no permutation to rely on.
                return;
            }
            self.batch.tally.inexact();
        }
        // Its place among all offers of this operation: those made, then those that wait.
        pending.note(store, step, Some(pending.ranks.len() + pending.offered.len()));
        pending.ranks.push(rank);
        pending.factors.extend_from_slice(pending.scratch.factors());
        pending.ends.push(pending.factors.len());
        store.layout.encode(set_up, &pending.representative, &mut pending.keys);
    }

    /// Offers the successors that wait; those that are new get the class of their orbit and are to be examined.
    fn offer_pending(&mut self, store: &WordStore, pending: &mut Pending) {
        let first = pending.offered.len();
        store.table.offer_all(&mut self.writer.words, &pending.keys, &pending.ranks, &mut pending.offered);
        for (at, offered) in pending.offered[first..].iter().enumerate().filter(|(_, offered)| offered.is_new) {
            // Only new states need an orbit size; its factors lie between the end of the successor before and its own.
            let class = pending.ends.get(at).map_or(Orbits::SINGLE, |&end| {
                let start = at.checked_sub(1).map_or(0, |before| pending.ends[before]);
                self.reduction.class_of(&Automorphisms::of(&pending.factors[start..end]))
            });
            pending.fresh.push((pending.ranks[at], offered.entry, class));
        }
        pending.keys.clear();
        pending.ranks.clear();
        pending.factors.clear();
        pending.ends.clear();
        if store.symmetry.is_none() {
            pending.offered.clear();
        }
    }

    /// Offers what is still waiting, at the end of a batch.
    fn offer_rest(&mut self) {
        let (Some(store), Some(mut scratch)) = (&self.engine.store.words, self.packed.take()) else { return };
        self.offer_pending(store, &mut scratch.pending);
        let (set_up, frame) = &mut scratch.frame;
        self.examine_fresh(store, *set_up, frame, &mut scratch.pending);
        self.packed = Some(scratch);
    }

    /// Examines new states; `frame` has the constants of this set-up.
    fn examine_fresh(&mut self, store: &WordStore, set_up: u32, frame: &mut PackedState, pending: &mut Pending) {
        let Pending { fresh, raw, representative: key, .. } = pending;
        for (rank, entry, class) in fresh.drain(..) {
            let own_set_up = store.read(entry, key, raw);
            let examination = self.examine_words(store, own_set_up, raw, (own_set_up == set_up).then_some(&mut *frame));
            self.enter(rank, store.id(entry), class, examination);
        }
    }

    /// Examines a new state; `None` if it is known to have no finding.
    fn examine_words(&self, store: &WordStore, set_up: u32, words: &[u64], frame: Option<&mut PackedState>) -> Option<Examination> {
        let engine = self.engine;
        let Checks { invariant, assertions, goal, .. } = engine.checks;
        // The packed predicates answer only "surely true", which is enough for nearly all states. Anything else is left to the general
        // evaluator: which conjunct is false, what is ill-defined, and a goal, which is expected to be false.
        if let Some(frame) = frame.filter(|_| !goal) {
            set_constants(engine, store, frame, words);
            let variables = &words[store.moving_words..];
            if (!invariant || engine.machine.packed_invariant_holds(frame, variables))
                && (!assertions || engine.machine.packed_assertions_hold(frame, variables))
            {
                return None;
            }
        }
        let state = store.unpack(engine.machine, set_up, words);
        Some(examine(engine.machine, engine.checks, engine.symmetry.alike(), &state))
    }
}

/// Equality of states, which mostly are few words: a comparison in line beats a call.
#[inline]
fn is_equal(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b)
}

/// Writes the constants that stand in a state into a frame.
fn set_constants(engine: &Engine<'_>, store: &WordStore, frame: &mut PackedState, words: &[u64]) {
    let mut rest = words;
    for (constant, packing) in &store.moving {
        let (own, others) = rest.split_at(packing.words());
        rest = others;
        engine.machine.set_packed_constant(frame, *constant, own);
    }
}
