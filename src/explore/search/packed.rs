//! Expanding states that are words: the fast way of a search, with the general way behind it.
//!
//! Successors of one operation are made, put in canonical form where there is symmetry, and offered to the visited set together, so
//! that its cache misses overlap.
//! Invariant: the same representatives are offered, in the same order of ranks, as in the general way. Where a packed run traps,
//! the operation is run again in general; the steps offered before the trap are a prefix of its steps, and offering a state twice
//! under one rank changes nothing.

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

/// Successors that are offered together: as many as have their cache misses side by side.
const OFFERED_AT_ONCE: usize = 256;
/// Words of successors that wait at most while another worker makes room for them.
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

    /// Expands a state; false when it is not kept as words.
    fn expand_packed(&mut self, entry: Entry, distance: u64) -> bool {
        let engine = self.engine;
        let Some((store, at)) = engine.store.entry(entry.id) else {
            // Ranks ascend: what waits has lower ones.
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
        let PackedExpander { own, frame, pending, .. } = scratch;
        let frame = &mut frame.1;
        set_constants(engine, store, frame, own);
        let (moving, variables) = own.split_at(store.moving_words);
        let mut rank = first_rank(entry.number);
        let (mut is_deadlock, mut transitions) = (true, 0);
        let mut general = None;
        let mut is_exchanged = false;
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
                // Queries lead back to the state itself.
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
                rank += 1;
                steps += step.weight;
            });
            // Without symmetry the last few wait for those of the next operation or state.
            let mut arrows = None;
            if store.symmetry.is_some() {
                self.offer_pending(store, pending);
                arrows = pending.distinct_arrows(entry.id.0);
            }
            if !pending.fresh.is_empty() {
                self.examine_fresh(store, set_up, frame, pending);
                set_constants(engine, store, frame, own);
            }
            let needs_general = match run {
                None => true,
                // Only for the warning or the finding, whose text the general way knows.
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
            // Ranks ascend: what waits has lower ones.
            self.offer_pending(store, pending);
            self.examine_fresh(store, set_up, frame, pending);
            set_constants(engine, store, frame, own);
            let state = general.get_or_insert_with(|| store.unpack(engine.machine, set_up, own));
            match self.run_in_general(entry, distance, operation, state, &mut rank) {
                Some((steps, enabled)) => {
                    // Where the operation is left out, its first steps may have been offered.
                    rank = rank.max(reached);
                    is_deadlock &= !enabled;
                    transitions += steps;
                }
                None => return,
            }
        }
        self.conclude(entry, distance, is_deadlock, transitions);
    }

    /// Runs an operation in the general evaluator: the number of its steps, and whether it is enabled (as far as is known);
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
                // Of an interrupt the watcher knows.
                if error.kind == EvalErrorKind::Interrupted {
                    return None;
                }
                self.batch.skip(entry.number, error);
                return Some((0, true));
            }
        };
        let enabled = !successors.steps.is_empty() || !successors.ill_defined.is_empty();
        let mut parent = Parent::new(state, entry.id, None);
        Some((self.follow(entry, distance, &mut parent, operation, successors, rank), enabled))
    }

    /// Lays a successor's representative down to be offered.
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
                // What the interrupted labelling has come to represents nothing.
                return;
            }
            self.batch.tally.inexact();
        }
        pending.note(store, step, Some(pending.ranks.len() + pending.offered.len()));
        pending.ranks.push(rank);
        pending.factors.extend_from_slice(pending.scratch.factors());
        pending.ends.push(pending.factors.len());
        store.layout.encode(set_up, &pending.representative, &mut pending.keys);
    }

    fn offer_pending(&mut self, store: &WordStore, pending: &mut Pending) {
        let first = pending.offered.len();
        store.table.offer_all(&mut self.writer.words, &pending.keys, &pending.ranks, &mut pending.offered);
        for (at, offered) in pending.offered[first..].iter().enumerate().filter(|(_, offered)| offered.is_new) {
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

    /// Examines new states with a frame for this set-up.
    fn examine_fresh(&mut self, store: &WordStore, set_up: u32, frame: &mut PackedState, pending: &mut Pending) {
        let Pending { fresh, raw, representative: key, .. } = pending;
        for (rank, entry, class) in fresh.drain(..) {
            let own_set_up = store.read(entry, key, raw);
            let examination = self.examine_words(store, own_set_up, raw, (own_set_up == set_up).then_some(&mut *frame));
            self.enter(rank, store.id(entry), class, examination);
        }
    }

    /// What there is to say of a new state, if there is anything.
    fn examine_words(&self, store: &WordStore, set_up: u32, words: &[u64], frame: Option<&mut PackedState>) -> Option<Examination> {
        let engine = self.engine;
        let Checks { invariant, assertions, goal, .. } = engine.checks;
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
