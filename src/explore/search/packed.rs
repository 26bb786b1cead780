//! Expanding states in the packed tier, with the general tier behind it.
//!
//! Successors of one operation are made, put in canonical form where there is symmetry, and offered to the visited set together, so
//! that its cache misses overlap.
//! Invariant: the same representatives are offered, in the same order of ranks, as in the general tier. Where a packed run traps,
//! the operation is run again in general; the steps offered before the trap are a prefix of its steps, and offering a state again
//! under the same or a higher rank changes nothing.

use super::expander::{Expander, Parent};
use super::ledger::{Batch, Entry, Ledger};
use super::note_taker::{PackedSubject, StepLetters};
use super::notes::NotedState;
use super::partition::remote::is_remote;
use super::pending::{Frame, PackedExpander, Pending};
use super::rank::first_rank;
use super::store::WordStore;
use crate::count::tally::Orbits;
use crate::property::{Checks, Examination, examine};
use crate::thresholds::WAITING_WORDS;
use crate::trace::{Origin, operations};
use bcheck_durable::log::Key;
use bcheck_eval::{Blocks, EvalErrorKind, PackedRun, PackedState, PackedStep, Successors};
use bcheck_ir::OperationId;
use bcheck_state::StateId;
use bcheck_symmetry::Automorphisms;
use bcheck_value::Valuation;

/// Successors that are offered together, so that their cache misses overlap.
const OFFERED_AT_ONCE: usize = 256;
/// A packed state that is being expanded.
struct Current<'s> {
    entry: Entry,
    distance: u64,
    store: &'s WordStore,
    /// The number of its constants.
    set_up: u32,
    words: &'s [u64],
}

/// What a packed run of one operation did.
struct Ran {
    /// `None` when it trapped.
    run: Option<PackedRun>,
    /// The number of ranks that it used.
    ranks: u64,
    /// The number of steps, with those that others stood for.
    steps: u64,
    /// The number of them that differ by the representative of the successor.
    arrows: u64,
    /// The number of ranks whose steps lead back to the state.
    loops: u64,
}

impl Expander<'_> {
    /// Expands a state; nothing of it is counted when it is interrupted, and operations that cannot be evaluated are left out.
    ///
    /// `state`: the state, if it need not be decoded.
    pub(super) fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        // Letters that depend on the values of steps are found on values.
        let is_general = self.packed.is_none() || self.notes.as_ref().is_some_and(|taker| taker.asks_for_values);
        if is_general || !self.expand_packed(entry, None, distance) {
            self.expand_in_general(entry, state, distance);
        }
    }

    /// What was added since the last call.
    pub(crate) fn take_batch(&mut self) -> Batch {
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

    /// Expands a state, given by its entry or its key; returns false if it is not packed.
    pub(super) fn expand_packed(&mut self, entry: Entry, own_key: Option<&[u64]>, distance: u64) -> bool {
        let engine = self.engine;
        let stored = match own_key {
            Some(_) => engine.store.words.as_ref().map(|store| (store, 0)),
            None => engine.store.entry(entry.id),
        };
        let Some((store, at)) = stored else {
            // Before the general tier offers anything: what waits has lower ranks.
            self.offer_rest();
            return false;
        };
        // Taken out while it is used: the methods below borrow the worker as a whole.
        let Some(mut scratch) = self.packed.take() else { return false };
        let PackedExpander { own: words, key, frame, pending } = &mut *scratch;
        let set_up = match own_key {
            Some(own_key) => store.layout.decode(own_key, words),
            None => store.read(at, key, words),
        };
        let frame = frame.with_constants(engine, store, set_up, words);
        self.run_operations(&Current { entry, distance, store, set_up, words }, frame, pending);
        self.packed = Some(scratch);
        true
    }

    /// Runs all operations in a state, one after the other.
    fn run_operations(&mut self, current: &Current<'_>, frame: &mut PackedState, pending: &mut Pending) {
        let Current { entry, distance, store, set_up, words } = *current;
        let engine = self.engine;
        // Invariant: whatever waits in `pending` has lower ranks than what is pushed later, so that a worker offers in ascending order.
        let mut rank = first_rank(entry.number);
        let (mut is_deadlock, mut transitions) = (true, 0);
        let mut general = None;
        let mut is_exchanged = false;
        // The blocks of the last state are not blocks of this one. Those of this one are looked for when the first operation can use them.
        if store.symmetry.is_some() {
            frame.exchange(&Blocks::new());
        }
        if let Some(taker) = &mut self.notes {
            taker.begin();
        }
        for operation in operations(engine.machine) {
            if !is_exchanged
                && engine.orbit_parameters
                && let Some(symmetry) = &store.symmetry
                && engine.machine.has_parameter_orbits(operation)
            {
                frame.exchange(&symmetry.groups(words, &mut pending.scratch));
                is_exchanged = true;
            }
            if let Some(taker) = self.notes.as_ref().filter(|taker| taker.has_steps) {
                pending.begin_letter(taker.letter_of(operation));
            }
            let Ran { run, ranks, steps, arrows, loops } = self.run_packed(current, operation, rank, frame, pending);
            if let Some(run) = run.filter(|run| !self.needs_error(*run, operation, entry.number)) {
                self.batch.tally.instances(run.instances);
                is_deadlock &= steps == 0;
                if steps > 0 {
                    self.batch.tally.steps(entry.class, operation, steps, arrows);
                }
                if let Some(taker) = &mut self.notes {
                    taker.ran(entry.number, operation, ranks, loops, &mut self.batch.offers.notes);
                }
                transitions += steps;
                rank += ranks;
                continue;
            }
            let reached = rank + ranks;
            // Before the general run offers anything: what waits has lower ranks.
            self.offer_pending(store, pending);
            let state = general.get_or_insert_with(|| store.unpack(engine.machine, set_up, words));
            let Some((steps, enabled)) = self.run_in_general(entry, distance, operation, state, &mut rank) else { return };
            // Where the operation is left out in general, steps before the trap may still have been offered: their ranks are taken.
            rank = rank.max(reached);
            is_deadlock &= !enabled;
            transitions += steps;
        }
        let is_unexpanded = self.conclude(entry, distance, is_deadlock, transitions);
        self.note_state(current, is_unexpanded, general);
    }

    /// Notes a state whose operations have all run, for temporal formulas; `general` is the state where an operation ran on general values.
    fn note_state(&mut self, current: &Current<'_>, is_unexpanded: bool, mut general: Option<Valuation>) {
        let Current { entry, store, set_up, words, .. } = *current;
        // After all its steps were found: an interrupted labelling has left some of them out, and the flag stays raised.
        if self.engine.control.is_stopped() {
            return;
        }
        if let Some(taker) = &mut self.notes {
            taker.outlook.is_open |= is_unexpanded;
            let (number, is_open, notes) = (entry.number, taker.outlook.is_open, &mut self.batch.offers.notes);
            let subject = PackedSubject { store, set_up, words, general: &mut general };
            // Last, as the letter depends on which operations had steps. An interrupt leaves the state without a note, and no row follows
            // it.
            if let Some(letter) = taker.packed_letter(number, subject, notes) {
                notes.states.push(NotedState { number, is_open, letter });
            }
        }
    }

    /// Makes the steps of one operation, which have ranks from `first` on, and offers their successors as soon as enough of them wait.
    fn run_packed(
        &mut self,
        current: &Current<'_>,
        operation: OperationId,
        first: u64,
        frame: &mut PackedState,
        pending: &mut Pending,
    ) -> Ran {
        let Current { entry, store, words, .. } = *current;
        let variables = &words[store.moving_words..];
        let (mut rank, mut steps, mut loops) = (first, 0, 0);
        let run = self.engine.machine.packed_successors(operation, frame, variables, &mut |step| {
            // A query leads back to the state itself, which is a representative and known: nothing to canonise or to offer.
            if step.leads_back || is_equal(step.next, variables) {
                pending.note(store, step, None);
                loops += 1;
            } else {
                self.represent(current, step, rank, pending);
                // While another worker makes room in the table, there are further successors to be made.
                if pending.ranks.len().is_multiple_of(OFFERED_AT_ONCE)
                    && (!store.table.is_growing() || pending.keys.len() >= WAITING_WORDS.get())
                {
                    self.offer_pending(store, pending);
                }
            }
            // Bindings that another one stands for have no rank here, while the general tier skips theirs: the order is the same.
            rank += 1;
            steps += step.weight;
        });
        // Counting distinct edges needs the entry of every successor, so flush. Without symmetry each step is an edge, and pending
        // successors may stay in the batch.
        let mut arrows = None;
        if store.symmetry.is_some() {
            self.offer_pending(store, pending);
            arrows = pending.distinct_arrows(entry.id.0);
        }
        Ran { run, ranks: rank - first, steps, arrows: arrows.unwrap_or(steps), loops }
    }

    /// Whether a packed run counts, but the warning or the finding shows an error that only the general tier has.
    fn needs_error(&self, run: PackedRun, operation: OperationId, number: u32) -> bool {
        run.ill_defined_guard && (self.engine.checks.strict_guards || self.batch.guards.is_first(operation, number))
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
        let mut successors = match self.engine.machine.successors(state, operation) {
            Ok(successors) => successors,
            // The watcher knows why.
            Err(error) if error.kind == EvalErrorKind::Interrupted => return None,
            Err(error) => Successors { partial: Some(error), ..Successors::default() },
        };
        let mut enabled = !successors.steps.is_empty() || !successors.ill_defined.is_empty();
        if let Some(error) = successors.partial.take() {
            if let Some(taker) = &mut self.notes {
                taker.outlook.is_open = true;
            }
            // It may be enabled, so the state does not count as a deadlock.
            enabled = true;
            self.batch.skip(entry.number, error);
        }
        let mut parent = Parent::new(entry, state, None);
        if let Some(taker) = &mut self.notes {
            taker.ran_in_general(operation, state, &successors);
            self.batch.offers.notes.ran(entry.number, &successors);
            parent = parent.with_letters(StepLetters::Same(taker.letter_of(operation)));
        }
        Some((self.follow(entry, distance, &mut parent, operation, successors, rank), enabled))
    }

    /// Finds the representative of a successor and appends its key to those that wait to be offered.
    fn represent(&mut self, current: &Current<'_>, step: PackedStep<'_>, rank: u64, pending: &mut Pending) {
        let Current { store, set_up, words, .. } = *current;
        let Some(symmetry) = &store.symmetry else {
            pending.ranks.push(rank);
            return store.layout.encode(set_up, step.next, &mut pending.keys);
        };
        pending.raw.clear();
        pending.raw.extend_from_slice(&words[..store.moving_words]);
        pending.raw.extend_from_slice(step.next);
        pending.representative.clear();
        if !symmetry.canonical(&pending.raw, &mut pending.scratch, &mut pending.representative) {
            if self.engine.control.is_stopped() {
                // An interrupted labelling leaves no permutation to rely on; the state is not noted then.
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

    /// Offers the successors that wait; those that are new get the class of their orbit and are examined.
    fn offer_pending(&mut self, store: &WordStore, pending: &mut Pending) {
        let engine = self.engine;
        let Pending { raw: words, examined, keys, ranks, factors, ends, offered, letters, .. } = pending;
        let first = offered.len();
        match self.remote.as_mut().filter(|_| engine.is_shared_out()) {
            Some(remote) => remote.offer_all(store, &mut self.writer, (keys, ranks), offered),
            None => store.table.offer_all(&mut self.writer, keys, ranks, offered),
        }
        if self.notes.is_some() {
            self.batch.offers.notes.offered(ranks, &offered[first..], letters);
            // The last run goes on: further steps of the same operation may follow.
            letters.drain(..letters.len().saturating_sub(1));
            letters.iter_mut().for_each(|(start, _)| *start = 0);
        }
        let width = store.layout.key_words();
        for (at, offered) in offered[first..].iter().enumerate().filter(|(_, offered)| offered.is_new) {
            // Only new states need an orbit size; its factors lie between the end of the successor before and its own.
            let class = ends.get(at).map_or(Orbits::SINGLE, |&end| {
                let start = at.checked_sub(1).map_or(0, |before| ends[before]);
                self.reduction.class_of(&Automorphisms::of(&factors[start..end]))
            });
            let key = &keys[at * width..][..width];
            if let Some(remote) = self.remote.as_mut().filter(|_| is_remote(offered.entry)) {
                remote.add(Key::Words(key), ranks[at], class);
                continue;
            }
            // Without symmetry a state of another set-up may have waited, so its own is read from the key.
            let set_up = store.layout.decode(key, words);
            // Beyond memory it is examined when it is known whether it is new.
            let examination = if engine.store.is_spilled() { None } else { self.examine_words(store, set_up, words, examined) };
            self.batch.add(ranks[at], store.id(offered.entry), class, examination, None);
        }
        keys.clear();
        ranks.clear();
        factors.clear();
        ends.clear();
        if store.symmetry.is_none() {
            offered.clear();
        }
    }

    /// Examines a state of words; `None` if it is known to have no finding.
    pub(super) fn examine_entry(&mut self, store: &WordStore, entry: u32) -> Option<Examination> {
        let mut scratch = self.packed.take()?;
        let PackedExpander { own: words, key, pending, .. } = &mut *scratch;
        let set_up = store.read(entry, key, words);
        let examination = self.examine_words(store, set_up, words, &mut pending.examined);
        self.packed = Some(scratch);
        examination
    }

    /// Offers what is still waiting, at the end of a batch.
    pub(super) fn offer_rest(&mut self) {
        let (Some(store), Some(mut scratch)) = (&self.engine.store.words, self.packed.take()) else { return };
        self.offer_pending(store, &mut scratch.pending);
        self.packed = Some(scratch);
    }

    /// Examines a new state; `None` if it is known to have no finding.
    fn examine_words(&self, store: &WordStore, set_up: u32, words: &[u64], frame: &mut Frame) -> Option<Examination> {
        let engine = self.engine;
        // Named one by one, so that a new check cannot be skipped on this tier: these two are judged by the steps of a state.
        let Checks { invariant, assertions, goal, deadlock: _, strict_guards: _ } = engine.checks;
        // The packed predicates answer only "surely true", which is enough for nearly all states. Anything else is left to the general
        // evaluator: which conjunct is false, what is ill-defined, and a goal, which is expected to be false.
        if !goal {
            let frame = frame.with_constants(engine, store, set_up, words);
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
