//! Expanding states in the packed tier, with the general tier as fallback.
//!
//! Successors of one operation are computed, canonised if there is symmetry, and offered to the visited set together, so that its cache
//! misses overlap. Invariant: the same representatives are offered, in the same order of ranks, as in the general tier. If a packed run
//! bails out, the operation is run again in general; the steps offered before are a prefix of its steps, and offering a state again under
//! the same or a higher rank changes nothing.

use super::columns::Entry;
use super::engine::Engine;
use super::expander::{Expander, Parent};
use super::ledger::Batch;
use super::pending::{Frame, PackedExpander, Pending};
use super::rank::first_rank;
use super::record_writer::PackedSubject;
use super::subject::Worker;
use super::word_store::WordStore;
use crate::count::tally::Orbits;
use crate::number::StateNumber;
use crate::property::{Checks, Examination, examine};
use crate::thresholds::WAITING_WORDS;
use crate::trace::operations;
use bcheck_durable::log::Key;
use bcheck_eval::{Blocks, EvalErrorKind, PackedRun, PackedState, PackedStep, Successors};
use bcheck_ir::OperationId;
use bcheck_state::{ConstantsNumber, Rank, StateId};
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
    set_up: ConstantsNumber,
    words: &'s [u64],
}

/// The result of a packed run of one operation.
struct Ran {
    /// `None` when it bailed out.
    run: Option<PackedRun>,
    /// The number of ranks that it used.
    ranks: u64,
    /// The number of steps, including those represented by others.
    steps: u64,
    /// The number of them that differ by the representative of the successor.
    arrows: u64,
    /// The number of ranks whose steps are self-loops.
    loops: u64,
}

/// One worker on the states of a machine: packed if possible, otherwise in general.
pub(crate) struct StateWorker<'e> {
    pub(super) general: Expander<'e>,
    /// Set where states are packed.
    pub(super) packed: Option<Box<PackedExpander>>,
}

impl<'e> StateWorker<'e> {
    pub(super) fn new(engine: &'e Engine<'e>) -> Self {
        Self { general: Expander::new(engine), packed: PackedExpander::new(engine).map(Box::new) }
    }

    /// Flushes pending offers before the general tier offers anything: pending ones have lower ranks.
    pub(super) fn offer_rest(&mut self) {
        if let (Some(store), Some(packed)) = (&self.general.engine.store.words, &mut self.packed) {
            self.general.offer_pending(store, &mut packed.pending);
        }
    }
}

impl<'e> Worker<'e> for StateWorker<'e> {
    fn expander(&mut self) -> &mut Expander<'e> {
        &mut self.general
    }

    fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        let Self { general, packed } = self;
        let engine = general.engine;
        // Letters that depend on the values of steps are found on values.
        if let Some(packed) = packed.as_mut().filter(|_| !general.recorder.needs_values()) {
            if let Some((store, at)) = engine.store.entry(entry.id) {
                let set_up = store.read(at, &mut packed.key, &mut packed.own);
                return general.expand_packed((entry, distance), (store, set_up), packed);
            }
            self.offer_rest();
        }
        self.general.expand(entry, state, distance);
    }

    fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64) {
        StateWorker::expand_key(self, entry, key, distance);
    }

    fn examine(&mut self, id: StateId) -> Option<Examination> {
        let Self { general, packed } = self;
        match (general.engine.store.entry(id), packed) {
            (Some((store, entry)), Some(packed)) => {
                let set_up = store.read(entry, &mut packed.key, &mut packed.own);
                general.examine_words(store, set_up, &packed.own, &mut packed.pending.examined)
            }
            _ => Some(general.examine(id)),
        }
    }

    fn take_batch(&mut self) -> Batch {
        self.offer_rest();
        self.general.take_batch()
    }
}

impl Expander<'_> {
    /// Expands a state, whose words are in the scratch memory, with constants of this number.
    pub(super) fn expand_packed(
        &mut self,
        (entry, distance): (Entry, u64),
        (store, set_up): (&WordStore, ConstantsNumber),
        scratch: &mut PackedExpander,
    ) {
        let PackedExpander { own: words, frame, pending, .. } = scratch;
        let frame = frame.with_constants(self.engine, store, set_up, words);
        self.run_operations(&Current { entry, distance, store, set_up, words }, frame, pending);
    }

    /// Runs all operations in a state, one after the other.
    fn run_operations(&mut self, current: &Current<'_>, frame: &mut PackedState, pending: &mut Pending) {
        let Current { entry, distance, store, set_up, words } = *current;
        let engine = self.engine;
        // Invariant: everything in `pending` has lower ranks than what is pushed later, so that a worker offers in ascending order.
        let mut rank = first_rank(entry.number);
        let (mut is_deadlock, mut transitions) = (true, 0);
        let mut general = None;
        let mut is_exchanged = false;
        // The blocks of the last state are not blocks of this one. Those of this one are looked for when the first operation can use them.
        if store.symmetry.is_some() {
            frame.exchange(&Blocks::new());
        }
        self.recorder.packed_state_begins();
        for operation in operations(engine.machine) {
            if !is_exchanged
                && engine.orbit_parameters
                && let Some(symmetry) = &store.symmetry
                && engine.machine.has_parameter_orbits(operation)
            {
                frame.exchange(&symmetry.groups(words, &mut pending.scratch));
                is_exchanged = true;
            }
            self.recorder.operation_begins(operation, pending);
            let Ran { run, ranks, steps, arrows, loops } = self.run_packed(current, operation, rank, frame, pending);
            if let Some(run) = run.filter(|run| !self.needs_error(*run, operation, entry.number)) {
                self.batch.tally.instances(run.instances);
                is_deadlock &= steps == 0;
                if steps > 0 {
                    self.batch.tally.steps(entry.class, operation, steps, arrows);
                }
                self.recorder.ran(entry.number, operation, (ranks, loops), &mut self.batch.offers.records);
                transitions += steps;
                rank = rank.plus(ranks);
                continue;
            }
            let reached = rank.plus(ranks);
            // Before the general run offers anything: waiting successors have lower ranks.
            self.offer_pending(store, pending);
            let state = general.get_or_insert_with(|| store.unpack(engine.machine, set_up, words));
            let Some((steps, enabled)) = self.run_in_general(entry, distance, operation, state, &mut rank) else { return };
            // Where the operation is left out in general, steps before the bail-out may still have been offered: their ranks are used up.
            rank = rank.max(reached);
            is_deadlock &= !enabled;
            transitions += steps;
        }
        let is_unexpanded = self.conclude(entry, distance, is_deadlock, transitions);
        let subject = PackedSubject { store, set_up, words, general: &mut general };
        self.recorder.packed_state_ends(entry, is_unexpanded, subject, &mut self.batch.offers.records);
    }

    /// Computes the steps of one operation, which have ranks from `first` on, and offers their successors as soon as enough of them are
    /// pending.
    fn run_packed(
        &mut self,
        current: &Current<'_>,
        operation: OperationId,
        first: Rank,
        frame: &mut PackedState,
        pending: &mut Pending,
    ) -> Ran {
        let Current { entry, store, words, .. } = *current;
        let variables = &words[store.moving_words..];
        let (mut rank, mut steps, mut loops) = (first, 0, 0);
        let run = self.engine.machine.packed_successors(operation, frame, variables, &mut |step| {
            // A query is a self-loop on a known representative: nothing to canonise or to offer.
            if step.leads_back || is_equal(step.next, variables) {
                pending.record(store, step, None);
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
            // Bindings represented by another one have no rank here, while the general tier skips theirs: the order is the same.
            rank = rank.plus(1);
            steps += step.weight;
        });
        // Counting distinct edges needs the entry of every successor, so flush. Without symmetry each step is an edge, and pending
        // successors may stay in the batch.
        let mut arrows = None;
        if store.symmetry.is_some() {
            self.offer_pending(store, pending);
            arrows = pending.distinct_arrows(entry.id.0);
        }
        Ran { run, ranks: rank.since(first), steps, arrows: arrows.unwrap_or(steps), loops }
    }

    /// Whether a packed run counts, but the warning or the finding shows an error that only the general tier has.
    fn needs_error(&self, run: PackedRun, operation: OperationId, number: StateNumber) -> bool {
        run.ill_defined_guard && (self.engine.checks.strict_guards || self.batch.guards.is_first(operation, number))
    }

    /// Runs an operation in the general evaluator; returns the number of its steps and whether it is enabled (as far as known), or `None`
    /// when interrupted.
    fn run_in_general(
        &mut self,
        entry: Entry,
        distance: u64,
        operation: OperationId,
        state: &Valuation,
        rank: &mut Rank,
    ) -> Option<(u64, bool)> {
        let mut successors = match self.engine.machine.successors(state, operation) {
            Ok(successors) => successors,
            // The watcher knows the reason.
            Err(error) if error.kind == EvalErrorKind::Interrupted => return None,
            Err(error) => Successors { partial: Some(error), ..Successors::default() },
        };
        let mut enabled = !successors.steps.is_empty() || !successors.ill_defined.is_empty();
        let error = successors.partial.take();
        let ran = (&successors, error.is_none());
        let letters = self.recorder.ran_in_general((entry.number, state), operation, ran, &mut self.batch.offers.records);
        if let Some(error) = error {
            // It may be enabled, so the state does not count as a deadlock.
            enabled = true;
            self.batch.skip(entry.number, error);
        }
        let mut parent = Parent::new(entry, state, None, letters);
        Some((self.follow(entry, distance, &mut parent, operation, successors, rank), enabled))
    }

    /// Finds the representative of a successor and appends its key to those that wait to be offered.
    fn represent(&mut self, current: &Current<'_>, step: PackedStep<'_>, rank: Rank, pending: &mut Pending) {
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
                // An interrupted labelling leaves no permutation to rely on; then the state is not recorded.
                return;
            }
            self.batch.tally.inexact();
        }
        // Its place among all offers of this operation: those made, then those that wait.
        pending.record(store, step, Some(pending.ranks.len() + pending.offered.len()));
        pending.ranks.push(rank);
        pending.factors.extend_from_slice(pending.scratch.factors());
        pending.ends.push(pending.factors.len());
        store.layout.encode(set_up, &pending.representative, &mut pending.keys);
    }

    /// Offers the successors that wait; those that are new get the class of their orbit and are examined.
    fn offer_pending(&mut self, store: &WordStore, pending: &mut Pending) {
        let engine = self.engine;
        let first = pending.offered.len();
        self.writer.offer_all(engine, store, (&pending.keys, &pending.ranks), &mut pending.offered);
        self.recorder.offered(pending, first, &mut self.batch.offers.records);
        let Pending { raw: words, examined, keys, ranks, factors, ends, offered, .. } = pending;
        let width = store.layout.key_words();
        for (at, offered) in offered[first..].iter().enumerate().filter(|(_, offered)| offered.is_new) {
            // Only new states need an orbit size; its factors lie between the end of the successor before and its own.
            let class = ends.get(at).map_or(Orbits::SINGLE, |&end| {
                let start = at.checked_sub(1).map_or(0, |before| ends[before]);
                self.reduction.class_of(&Automorphisms::of(&factors[start..end]))
            });
            let key = &keys[at * width..][..width];
            if self.writer.is_sent(*offered, key, ranks[at], class) {
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

    /// Examines a new state; `None` if it is known to have no finding.
    fn examine_words(&self, store: &WordStore, set_up: ConstantsNumber, words: &[u64], frame: &mut Frame) -> Option<Examination> {
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
        Some(examine(engine.machine, engine.checks, engine.symmetry.conjunct_orbits(), &state))
    }
}

/// Equality of states, which mostly are few words: a comparison in line beats a call.
#[inline]
fn is_equal(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b)
}
