//! What all search strategies share: interning representatives, numbering and expanding them.
//!
//! A state is offered to the visited set under its rank: the number of its parent and the ordinal of the step. The least rank
//! stands, so that sorting the states of a slice by rank numbers them as a sequential breadth-first search would.
//! Invariant: workers add only to their own [`Batch`]; batches merge in any order to the same ledger.
//! Deliberately elsewhere: who expands what when (`breadth_first`, `depth_first`).

use super::argument_orbits::{self, ArgumentOrbits};
use super::offers::{ByRank, Found, Offers};
use super::packed::WordExpander;
use super::set_ups::SetUp;
use super::store::{Slice, Store, StoreWriter};
use super::watch::Control;
use crate::eval::{EvalError, EvalErrorKind, Machine, Step, Successors};
use crate::explore::count::first_errors::FirstErrors;
use crate::explore::count::reduction::Reduction;
use crate::explore::count::tally::{OrbitClass, Orbits, Tally};
use crate::explore::property::{Checks, Claim, Examination, Place, examine};
use crate::explore::trace::{Ancestry, Origin, operations};
use crate::explore::{Options, PropertyKind};
use crate::ir::OperationId;
use crate::state::StateId;
use crate::symmetry::{Exchangeable, Symmetry};
use crate::value::{Valuation, Value};
use crossbeam::queue::SegQueue;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// What all workers share.
pub(super) struct Engine<'a> {
    pub(in crate::explore) machine: &'a Machine,
    pub(in crate::explore) symmetry: &'a Symmetry,
    pub(in crate::explore) orbits: &'a Orbits,
    pub(in crate::explore) control: &'a Control<'a>,
    pub(in crate::explore) checks: Checks,
    pub(in crate::explore) store: Store,
    /// Whether one binding of parameters may stand for others.
    pub(in crate::explore) orbit_parameters: bool,
    /// By operation: whether steps can be sorted into orbits of arguments.
    flat: Vec<bool>,
    /// States of earlier batches of set-ups, for the progress line.
    stored_before: u64,
    /// Free list of buffers: returning large ones to the system (munmap) stalls all threads.
    emptied: SegQueue<Offers>,
}

/// Limits on decoded states kept in the frontier: in all, and per worker and slice.
const KEPT_STATES: usize = 1 << 15;
const KEPT_IN_BATCH: usize = 1 << 12;

/// A stored state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(in crate::explore) number: u32,
    pub(in crate::explore) id: StateId,
    pub(in crate::explore) class: OrbitClass,
}

/// Stored states that are to be expanded.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(in crate::explore) entries: Vec<Entry>,
    /// By number, unless there are too many: saves decoding a state, and keeps what its large sets share with those of its parent.
    states: FxHashMap<u32, Valuation>,
}

impl Waiting {
    /// The state of an entry, if it is there.
    pub(super) fn state(&self, entry: Entry) -> Option<&Valuation> {
        if self.states.is_empty() { None } else { self.states.get(&entry.number) }
    }

    /// Takes all states out.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.states.clear();
    }
}

/// What few states have.
struct More {
    examination: Option<Examination>,
    state: Option<Valuation>,
}

/// What a worker adds to the search.
#[derive(Default)]
pub(super) struct Batch {
    pub(in crate::explore) tally: Tally,
    pub(in crate::explore) guards: FirstErrors,
    pub(in crate::explore) unassigned: FirstErrors,
    offers: Offers,
    more: FxHashMap<StateId, More>,
    pub(in crate::explore) claim: Option<Claim>,
    skipped: Option<(u32, EvalError)>,
}

impl Batch {
    fn add(&mut self, rank: u64, id: StateId, class: OrbitClass, examination: Option<Examination>, state: Option<Valuation>) {
        let examination = examination.filter(|examination| !examination.is_clean());
        if examination.is_some() || state.is_some() {
            self.more.insert(id, More { examination, state });
        }
        self.offers.found.push(Found { rank, id, class });
    }

    /// An operation is left out in a state, because its steps cannot be enumerated: the search goes on without them.
    pub(super) fn skip(&mut self, number: u32, error: EvalError) {
        keep_first(&mut self.skipped, number, error);
    }
}

/// Keeps the error met in the state with the least number, the first one there.
fn keep_first(kept: &mut Option<(u32, EvalError)>, number: u32, error: EvalError) {
    if kept.as_ref().is_none_or(|(kept, _)| number < *kept) {
        *kept = Some((number, error));
    }
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        symmetry: &'a Symmetry,
        options: &Options,
        set_ups: &[SetUp],
        orbits: &'a Orbits,
        control: &'a Control<'a>,
        stored_before: u64,
    ) -> Self {
        let store = Store::new(machine, symmetry, set_ups);
        let flat = operations(machine).map(|operation| argument_orbits::has_flat_parameters(machine, operation)).collect();
        Self {
            machine,
            symmetry,
            orbits,
            control,
            checks: Checks::new(machine, options),
            store,
            orbit_parameters: options.orbit_parameters,
            flat,
            stored_before,
            emptied: SegQueue::new(),
        }
    }

    fn state(&self, id: StateId) -> Valuation {
        self.store.state(self.machine, id)
    }
}

/// The state whose successors are offered.
pub(super) struct Parent<'s> {
    state: &'s [Value],
    id: StateId,
    /// The number of its constants in the layout.
    likely: Option<u32>,
    /// What can be exchanged in it; computed when the first operation has steps enough.
    exchangeable: Option<Exchangeable>,
}

impl<'s> Parent<'s> {
    pub(super) fn new(state: &'s [Value], id: StateId, likely: Option<u32>) -> Self {
        Self { state, id, likely, exchangeable: None }
    }
}

/// One worker.
pub(super) struct Expander<'e> {
    pub(in crate::explore) engine: &'e Engine<'e>,
    pub(in crate::explore) reduction: Reduction<'e>,
    pub(in crate::explore) writer: StoreWriter,
    key: Vec<u8>,
    pub(in crate::explore) batch: Batch,
    /// Set when states are words.
    pub(in crate::explore) words: Option<Box<WordExpander>>,
    /// Successors under one operation, with the index of the step: scratch for counting by representative.
    arrows: Vec<(StateId, usize)>,
    /// Transitions that the progress line has not been told of.
    untold: u64,
}

/// Transitions are added to the shared counter in batches, to avoid contention.
const TOLD_AT_ONCE: u64 = 1 << 12;

impl<'e> Expander<'e> {
    pub(super) fn new(engine: &'e Engine<'e>) -> Self {
        let reduction = Reduction::new(engine.machine, engine.symmetry, engine.orbits).on_words(engine.store.words.as_ref());
        let words = WordExpander::new(engine).map(Box::new);
        Self {
            engine,
            reduction,
            writer: StoreWriter::default(),
            key: Vec::new(),
            batch: Batch::default(),
            words,
            arrows: Vec::new(),
            untold: 0,
        }
    }

    /// What was added since the last call.
    pub(super) fn take_batch(&mut self) -> Batch {
        self.offer_rest();
        self.tell();
        let Offers { found, finds } = self.engine.emptied.pop().unwrap_or_default();
        self.batch.offers.finds = self.writer.words.take_finds(finds);
        let next = Batch { offers: Offers { found, finds: Vec::new() }, ..Batch::default() };
        std::mem::replace(&mut self.batch, next)
    }

    /// Offers the representative of a state, and examines it when it is new.
    ///
    /// Its constants are probably those with number `likely` in the layout. `None` when interrupted.
    pub(super) fn offer(&mut self, state: Valuation, rank: u64, likely: Option<u32>) -> Option<StateId> {
        let engine = self.engine;
        let representative = self.reduction.representative(state)?;
        if !representative.is_exact {
            self.batch.tally.inexact();
        }
        let kept = engine.store.offer(engine.machine, &mut self.writer, &mut self.key, likely, &representative.state, rank);
        let (id, is_new) = kept;
        if is_new {
            let class = self.reduction.class(&representative);
            let seen = Some(examine(engine.machine, engine.checks, engine.symmetry.alike(), &representative.state));
            let is_kept = self.words.is_none() && self.batch.offers.found.len() < KEPT_IN_BATCH;
            self.batch.add(rank, id, class, seen, is_kept.then_some(representative.state));
        }
        Some(id)
    }

    /// Expands a state; nothing of it is counted when it is interrupted, and operations that cannot be evaluated are left out.
    ///
    /// `state`: the state, if it need not be decoded.
    pub(super) fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        let Entry { number, id, .. } = entry;
        let machine = self.engine.machine;
        if self.words.is_some() && self.expand_words(entry, distance) {
            return;
        }
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
        let mut parent = Parent::new(state, id, likely);
        let mut is_deadlock = true;
        let mut transitions = 0;
        let mut all: Vec<(OperationId, Successors)> = Vec::new();
        for operation in operations(machine) {
            match machine.successors(state, operation) {
                Ok(successors) => all.push((operation, successors)),
                // The watcher knows why.
                Err(error) if error.kind == EvalErrorKind::Interrupted => return,
                Err(error) => {
                    is_deadlock = false;
                    self.batch.skip(number, error);
                }
            }
        }
        for (operation, successors) in all {
            is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty();
            transitions += self.follow(entry, distance, &mut parent, operation, successors, &mut rank);
        }
        self.conclude(entry, distance, is_deadlock, transitions);
    }

    /// Enters what one operation does in a state; gives the number of steps.
    pub(super) fn follow(
        &mut self,
        entry: Entry,
        distance: u64,
        parent: &mut Parent<'_>,
        operation: OperationId,
        successors: Successors,
        rank: &mut u64,
    ) -> u64 {
        let Entry { number, class, .. } = entry;
        let Successors { mut steps, ill_defined, ill_defined_guard, unassigned } = successors;
        if let Some(error) = ill_defined_guard {
            if self.engine.checks.strict_guards {
                let property = PropertyKind::IllDefinedGuard(operation, error);
                Claim::keep_least(&mut self.batch.claim, Claim { distance, place: Place::State(number), property });
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
            let property = PropertyKind::IllDefinedOperation(operation, arguments, error);
            Claim::keep_least(&mut self.batch.claim, Claim { distance, place: Place::State(number), property });
        }
        self.batch.tally.instances(steps.chunk_by(|a, b| a.arguments == b.arguments).count() as u64);
        if !steps.is_empty() {
            let by_representative = self.offer_all(parent, operation, &mut steps, rank);
            self.batch.tally.steps(class, operation, steps.len() as u64, by_representative);
        }
        steps.len() as u64
    }

    /// Counts the steps of one operation: all of them, and those that differ by the representative of the successor.
    pub(super) fn count_steps(&mut self, entry: Entry, operation: OperationId, steps: u64, by_representative: u64) {
        self.batch.tally.steps(entry.class, operation, steps, by_representative);
    }

    /// Enters a new state that is kept as words.
    pub(super) fn enter(&mut self, rank: u64, id: StateId, class: OrbitClass, examination: Option<Examination>) {
        self.batch.add(rank, id, class, examination, None);
    }

    /// What all operations together say of a state.
    pub(super) fn conclude(&mut self, entry: Entry, distance: u64, is_deadlock: bool, transitions: u64) {
        let engine = self.engine;
        if is_deadlock && engine.machine.model().expanded.is_some() && !engine.machine.is_expanded(&engine.state(entry.id)) {
            self.batch.tally.unexpanded(entry.class);
        } else if is_deadlock {
            self.batch.tally.deadlock(entry.class);
            if self.engine.checks.deadlock {
                let place = Place::State(entry.number);
                Claim::keep_least(&mut self.batch.claim, Claim { distance, place, property: PropertyKind::Deadlock });
            }
        }
        self.untold += transitions;
        if self.untold >= TOLD_AT_ONCE {
            self.tell();
        }
    }

    fn tell(&mut self) {
        self.engine.control.transitions.fetch_add(std::mem::take(&mut self.untold), Ordering::Relaxed);
    }

    /// Offers the successors of one operation; gives the number of distinct arrows by representative of the successor.
    fn offer_all(&mut self, parent: &mut Parent<'_>, operation: OperationId, steps: &mut [Step], rank: &mut u64) -> u64 {
        let engine = self.engine;
        let constants = engine.machine.model().constants.len();
        let is_reduced = !engine.symmetry.is_trivial();
        let orbits =
            (is_reduced && engine.orbit_parameters && steps.len() >= argument_orbits::WORTHWHILE && engine.flat[operation.index()])
                .then(|| parent.exchangeable.get_or_insert_with(|| self.reduction.exchangeable(parent.state)))
                .filter(|exchangeable| !exchangeable.is_empty())
                .map(|exchangeable| ArgumentOrbits::new(exchangeable, steps));
        self.arrows.clear();
        for (index, step) in steps.iter_mut().enumerate() {
            let own_rank = *rank;
            *rank += 1;
            if orbits.as_ref().is_some_and(|orbits| !orbits.leads(index)) {
                continue;
            }
            // Queries lead back to the state itself, which is a representative already.
            let is_loop = step.next[constants..] == parent.state[constants..];
            let successor = if is_loop { Some(parent.id) } else { self.offer(std::mem::take(&mut step.next), own_rank, parent.likely) };
            // An interrupted search counts what it has come to.
            let Some(successor) = successor else { break };
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

/// The rank of the first step of a state. Ranks below those of state 0 belong to the initial states, in order of enumeration.
pub(super) fn first_rank(number: u32) -> u64 {
    (u64::from(number) + 1) << PARENT_SHIFT
}

/// In a rank: the lower half is the ordinal of the step.
const PARENT_SHIFT: u32 = 32;
const PARENTS: usize = 1 << 16;

/// The states stored so far by number, and everything that batches added.
#[derive(Default)]
pub(super) struct Ledger {
    entries: Vec<StateId>,
    /// As long as ids are handed out in the order of numbers, as to one worker, they are not listed: then `entries` is empty, and
    /// this is how many there are.
    in_order: u32,
    /// The number of the state from which each was first reached, plus one; 0 for initial states. In parts that never move,
    /// each [`PARENTS`] long.
    parents: Vec<Vec<u32>>,
    /// Their orbit sizes; shorter, or empty, when those at the end are all of size 1.
    classes: Vec<OrbitClass>,
    /// Some of those that wait to be expanded, by number.
    decoded: FxHashMap<u32, Valuation>,
    /// How the initial states were reached; they have the lowest numbers.
    initial: Vec<Origin>,
    pub(in crate::explore) tally: Tally,
    pub(in crate::explore) guards: FirstErrors,
    pub(in crate::explore) unassigned: FirstErrors,
    pub(in crate::explore) claim: Option<Claim>,
    /// A property that cannot be decided in some state.
    pub(in crate::explore) undecided: Option<(u32, EvalError)>,
    /// Why steps of some state are missing.
    pub(in crate::explore) skipped: Option<(u32, EvalError)>,
    /// A state was found that the limit on states forbids to store.
    pub(in crate::explore) is_full: bool,
    /// Scratch: the least ranks of a slice's new states.
    least: Vec<u64>,
}

impl Ledger {
    pub(super) fn len(&self) -> u32 {
        self.in_order.max(u32::try_from(self.entries.len()).expect("the number of states is limited to 32 bits"))
    }

    /// Gives a state the next number.
    fn push(&mut self, id: StateId) {
        if self.entries.is_empty() && id.0 == self.in_order {
            self.in_order += 1;
            return;
        }
        if self.entries.is_empty() {
            self.entries.extend((0..self.in_order).map(StateId));
        }
        self.entries.push(id);
    }

    fn entry(&self, number: u32) -> Entry {
        let class = self.classes.get(number as usize).copied().unwrap_or(Orbits::SINGLE);
        let id = if self.entries.is_empty() { StateId(number) } else { self.entries[number as usize] };
        Entry { number, id, class }
    }

    /// Lists states that are now to be expanded.
    pub(super) fn list(&mut self, numbers: Range<u32>, waiting: &mut Waiting) {
        waiting.entries.extend(numbers.clone().map(|number| self.entry(number)));
        if !self.decoded.is_empty() {
            waiting.states.extend(numbers.filter_map(|number| Some((number, self.decoded.remove(&number)?))));
        }
    }

    /// A state that is now to be expanded.
    pub(super) fn take(&mut self, number: u32) -> (Entry, Option<Valuation>) {
        let state = if self.decoded.is_empty() { None } else { self.decoded.remove(&number) };
        (self.entry(number), state)
    }

    /// Enters one initial state, unless it is known; `None` when the limit forbids to store it, or when interrupted.
    pub(super) fn enter_initial(&mut self, worker: &mut Expander<'_>, state: Valuation, origin: Origin, limit: u32) -> Option<StateId> {
        let rank = self.initial.len() as u64;
        let id = worker.offer(state, rank, None)?;
        let first = self.len();
        let batch = worker.take_batch();
        self.settle(worker.engine, [batch], &worker.engine.store.settle(), 0, limit);
        if self.is_full {
            return None;
        }
        for number in first..self.len() {
            let class = self.entry(number).class;
            self.tally.initial(class);
            self.initial.push(origin);
        }
        Some(id)
    }

    /// Numbers the states that batches found at this distance and adds up everything else.
    ///
    /// All offers of the slice have been made.
    pub(super) fn settle(
        &mut self,
        engine: &Engine<'_>,
        batches: impl IntoIterator<Item = Batch>,
        slice: &Slice,
        distance: u64,
        limit: u32,
    ) {
        let (mut offers, mut more) = (Vec::new(), FxHashMap::default());
        for batch in batches {
            self.tally.merge(&batch.tally);
            self.guards.merge(batch.guards);
            self.unassigned.merge(batch.unassigned);
            if let Some(claim) = batch.claim {
                Claim::keep_least(&mut self.claim, claim);
            }
            if let Some((number, error)) = batch.skipped {
                keep_first(&mut self.skipped, number, error);
            }
            if more.is_empty() {
                more = batch.more;
            } else {
                more.extend(batch.more);
            }
            offers.push(batch.offers);
        }
        let lowered = slice.settle_ranks(engine, &mut offers, &mut self.least);
        for Found { rank, id, class } in ByRank::new(offers.iter().chain([&lowered])) {
            let number = self.len();
            if number >= limit {
                self.is_full = true;
                break;
            }
            self.push(id);
            if (number as usize).is_multiple_of(PARENTS) {
                self.parents.push(Vec::with_capacity(PARENTS));
            }
            self.parents[number as usize / PARENTS].push((rank >> PARENT_SHIFT) as u32);
            if class != Orbits::SINGLE {
                self.classes.resize(number as usize, Orbits::SINGLE);
                self.classes.push(class);
            }
            self.tally.state(class);
            if more.is_empty() {
                continue;
            }
            let Some(More { examination, state }) = more.remove(&id) else { continue };
            if let Some(state) = state
                && self.decoded.len() < KEPT_STATES
            {
                self.decoded.insert(number, state);
            }
            let Some(examination) = examination else { continue };
            for property in examination.findings {
                self.tally.property(class, &property);
                Claim::keep_least(&mut self.claim, Claim { distance, place: Place::State(number), property });
            }
            if let Some(error) = examination.undecided
                && error.kind != EvalErrorKind::Interrupted
            {
                keep_first(&mut self.undecided, number, error);
            }
        }
        for mut own in offers {
            own.clear();
            engine.emptied.push(own);
        }
        engine.control.states.store(engine.stored_before + u64::from(self.len()), Ordering::Relaxed);
    }
}

/// Where traces begin: the stored states and those from which they were first reached.
pub(super) struct Family<'a> {
    pub(in crate::explore) engine: &'a Engine<'a>,
    pub(in crate::explore) ledger: &'a Ledger,
}

impl Ancestry for Family<'_> {
    fn origin(&self, number: u32) -> Origin {
        match self.ledger.parents[number as usize / PARENTS][number as usize % PARENTS].checked_sub(1) {
            None => self.ledger.initial[number as usize],
            Some(parent) => Origin::Step { parent },
        }
    }

    fn state(&self, number: u32) -> Valuation {
        self.engine.state(self.ledger.entry(number).id)
    }
}
