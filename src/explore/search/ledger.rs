//! The states of a search by number, and everything that its workers have counted and found.
//!
//! A state is offered to the visited set under its rank: the number of its parent and the ordinal of the step. The least rank
//! stands, so that sorting the states of a slice by rank numbers them as a sequential breadth-first search would.
//! Invariant: workers add only to their own [`Batch`]; batches merge in any order to the same ledger.
//! Beyond memory (`disk`) the log has the columns of the states, and the ledger only what it has counted.
//! Deliberately elsewhere: what makes a batch (`expander`), the merging of ranks (`offers`).

use super::disk::key_list::KeyList;
use super::engine::Engine;
use super::interim_step::InterimStep;
use super::numbers::Numbers;
use super::offers::{ByRank, NewState, Offers};
use super::partition::StatesWriter;
use super::rank::following_parent_of;
use super::recorder::Recorder;
use super::store::Slice;
use super::up_to_fault::{End, Sums, Uncounted, UpToFault};
use crate::count::first_errors::FirstErrors;
use crate::count::tally::{OrbitClass, Orbits, Tally};
use crate::property::{Claim, Examination, Place};
use crate::thresholds::KEPT_STATES;
use crate::trace::{Ancestry, Origin};
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_state::StateId;
use bcheck_value::Valuation;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// States in one part of the list of parents.
const PARENTS: usize = 1 << 16;

/// A stored state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    pub(crate) id: StateId,
    pub(crate) class: OrbitClass,
}

/// Stored states that are to be expanded.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) entries: Vec<Entry>,
    /// By number, unless there are too many: saves decoding a state, and keeps what its large sets share with those of its parent.
    states: FxHashMap<u32, Valuation>,
    /// Beyond memory: their keys, one for each entry, whose ids mean nothing.
    pub(super) keys: KeyList,
    /// How often the visited set was spilled before.
    pub(super) spills: u64,
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
        self.keys.clear();
    }
}

/// What only few new states have besides an entry.
pub(super) struct More {
    examination: Option<Examination>,
    state: Option<Valuation>,
}

/// What a worker adds to the search.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) tally: Tally,
    pub(crate) guards: FirstErrors,
    pub(crate) unassigned: FirstErrors,
    pub(super) offers: Offers,
    /// What belongs to other processes, by owner.
    pub(super) remote: Vec<StatesWriter>,
    pub(super) more: FxHashMap<StateId, More>,
    pub(super) claim: Option<Claim>,
    pub(super) skipped: Option<(u32, EvalError)>,
    /// Set where only some expansions may count.
    pub(crate) uncounted: Option<Box<Uncounted>>,
}

impl Batch {
    /// Takes out what may not count, the warnings among it.
    fn take_uncounted(&mut self) -> Option<Uncounted> {
        let uncounted = self.uncounted.take()?;
        Some(uncounted.with_warnings(std::mem::take(&mut self.guards), std::mem::take(&mut self.unassigned)))
    }

    pub(super) fn add(&mut self, rank: u64, id: StateId, class: OrbitClass, examination: Option<Examination>, state: Option<Valuation>) {
        let examination = examination.filter(|examination| !examination.is_clean());
        if examination.is_some() || state.is_some() {
            // Beside the list, not in it: of nearly all new states there is nothing more, and the list is what the barrier sorts.
            self.more.insert(id, More { examination, state });
        }
        self.offers.found.push(NewState { rank, id, class });
    }

    /// Adds what another batch has, but for its offers and their examinations; gives the offers.
    pub(super) fn absorb(&mut self, other: Batch) -> Offers {
        self.tally.merge(&other.tally);
        self.guards.merge(other.guards);
        self.unassigned.merge(other.unassigned);
        if let Some(claim) = other.claim {
            Claim::keep_least(&mut self.claim, claim);
        }
        if let Some((number, error)) = other.skipped {
            keep_first(&mut self.skipped, number, error);
        }
        other.offers
    }

    /// An operation is left out in a state, because its steps cannot be enumerated: the search goes on without them.
    pub(crate) fn skip(&mut self, number: u32, error: EvalError) {
        keep_first(&mut self.skipped, number, error);
    }
}

/// Keeps the error met in the state with the least number, the first one there.
fn keep_first(kept: &mut Option<(u32, EvalError)>, number: u32, error: EvalError) {
    if kept.as_ref().is_none_or(|(kept, _)| number < *kept) {
        *kept = Some((number, error));
    }
}

/// The states stored so far by number, and everything that batches added.
#[derive(Default)]
pub(super) struct Ledger {
    /// How many states there are, once the log has their columns; then the lists are empty.
    logged: Option<u32>,
    /// The states of a trace by number, with their parents plus one, where the log has the columns.
    traced: FxHashMap<u32, (Valuation, u32)>,
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
    pub(super) tally: Tally,
    pub(super) guards: FirstErrors,
    pub(super) unassigned: FirstErrors,
    pub(super) claim: Option<Claim>,
    /// A property that cannot be decided in some state.
    pub(super) undecided: Option<(u32, EvalError)>,
    /// Why steps of some state are missing.
    pub(super) skipped: Option<(u32, EvalError)>,
    /// A state was found that the limit on states forbids to store.
    pub(super) is_full: bool,
    /// Scratch: the least ranks of a slice's new states.
    least: Vec<u64>,
    /// Set where the graph is recorded.
    pub(super) recorder: Option<Box<Recorder>>,
    /// Set where the search ends at its first fault, which is that of one worker alone.
    pub(super) up_to_fault: Option<Box<UpToFault>>,
    /// What was done for formulas so far, in order.
    pub(super) passed: Vec<InterimStep>,
    /// Kept with `recorder` or `up_to_fault` only, and only from the first id out of order on.
    numbers: Numbers,
}

impl Ledger {
    /// An empty ledger; one with a recorder writes the graph.
    pub(super) fn new(recorder: Option<Recorder>, up_to_fault: Option<UpToFault>) -> Self {
        Self { recorder: recorder.map(Box::new), up_to_fault: up_to_fault.map(Box::new), ..Self::default() }
    }

    /// Whether numbers of ids are needed.
    fn has_numbers(&self) -> bool {
        self.recorder.is_some() || self.up_to_fault.as_ref().is_some_and(|own| own.has_internal)
    }

    pub(super) fn len(&self) -> u32 {
        if let Some(logged) = self.logged {
            return logged;
        }
        // One of the two is 0 or not above the other: `entries` holds all states or none.
        self.in_order.max(u32::try_from(self.entries.len()).expect("the number of states is limited to 32 bits"))
    }

    /// Gives a state the next number.
    fn push(&mut self, id: StateId) {
        // A worker that is alone enters states in the order in which they are numbered, so their ids need no memory.
        if self.entries.is_empty() && id.0 == self.in_order {
            self.in_order += 1;
            return;
        }
        // The first id out of order: from here on all are listed.
        if self.entries.is_empty() {
            self.entries.extend((0..self.in_order).map(StateId));
            if self.has_numbers() {
                (0..self.in_order).for_each(|number| self.numbers.set(StateId(number), number));
            }
        }
        if self.has_numbers() {
            self.numbers.set(id, self.len());
        }
        self.entries.push(id);
    }

    /// Enters a state under the next number; `parent`: one more than the number of the state from which it was first reached, 0 of an
    /// initial state.
    fn enter(&mut self, id: StateId, parent: u32, class: OrbitClass) {
        let number = self.len() as usize;
        self.push(id);
        if number.is_multiple_of(PARENTS) {
            self.parents.push(Vec::with_capacity(PARENTS));
        }
        self.parents[number / PARENTS].push(parent);
        // Padded up to here: most orbits of most machines are of one size, and trailing ones of size 1 need no entry.
        if class != Orbits::SINGLE {
            self.classes.resize(number, Orbits::SINGLE);
            self.classes.push(class);
        }
    }

    /// Enters a state of a checkpoint, as [`Self::logged`] gave it; nothing is counted.
    pub(super) fn restore(&mut self, id: StateId, (parent, class): (u32, OrbitClass)) {
        match &mut self.logged {
            Some(logged) => *logged += 1,
            None => self.enter(id, parent, class),
        }
    }

    /// Leaves the columns of the first `states` states to the log, which has them.
    pub(super) fn spill(&mut self, states: u32) {
        (self.entries, self.in_order, self.parents, self.classes) = Default::default();
        self.decoded = FxHashMap::default();
        self.logged = Some(states);
    }

    /// Whether the log has the columns.
    pub(super) fn is_spilled(&self) -> bool {
        self.logged.is_some()
    }

    /// Keeps a state of a trace, with its parent plus one.
    pub(super) fn trace(&mut self, number: u32, state: Valuation, parent: u32) {
        self.traced.insert(number, (state, parent));
    }

    /// The bytes of the columns.
    pub(super) fn memory(&self) -> usize {
        let parents = self.parents.len() * PARENTS * size_of::<u32>();
        parents + self.entries.capacity() * size_of::<StateId>() + self.classes.capacity() * size_of::<OrbitClass>()
    }

    /// What a checkpoint keeps of a state besides its key: its parent plus one (0 of an initial state), and its orbit size.
    pub(super) fn logged(&self, number: u32) -> (StateId, (u32, OrbitClass)) {
        let Entry { id, class, .. } = self.entry(number);
        (id, (self.parents[number as usize / PARENTS][number as usize % PARENTS], class))
    }

    pub(super) fn entry(&self, number: u32) -> Entry {
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

    /// Counts the states from number `first` on as initial ones, reached in this way.
    pub(super) fn note_initial(&mut self, first: u32, origin: Origin) {
        for number in first..self.len() {
            self.tally.initial(self.entry(number).class);
            self.initial.push(origin);
        }
    }

    /// The rank of the next initial state: they are offered one by one, before all others.
    pub(super) fn initial_rank(&self) -> u64 {
        self.initial.len() as u64
    }

    /// Numbers the states that batches found at this distance, in the order of their ranks, and adds up everything else.
    ///
    /// All offers of the slice have been made.
    pub(super) fn number(
        &mut self,
        engine: &Engine<'_>,
        batches: impl IntoIterator<Item = Batch>,
        slice: &Slice,
        distance: u64,
        limit: u32,
    ) {
        let (mut more, mut parts) = (FxHashMap::default(), Vec::new());
        let add_up = |mut batch: Batch| {
            parts.extend(batch.take_uncounted());
            self.add_up(batch, &mut more)
        };
        let mut offers: Vec<Offers> = batches.into_iter().map(add_up).collect();
        // Another worker may have offered a state under a lesser rank after it was entered: only at the barrier are ranks final.
        let mut lowered = slice.resolve_ranks(&engine.store, &mut offers, &mut self.least);
        let mut end = self.up_to_fault.as_ref().map(|before| End::of(&parts, self.claim.is_some(), before));
        end.iter().for_each(|end| end.cut(offers.iter_mut().chain([&mut lowered])));
        for NewState { rank, id, class } in ByRank::new(offers.iter().chain([&lowered]).map(|own| &own.found[..])) {
            let number = self.len();
            // States beyond the limit stay in the visited set without a number: the search ends here.
            if number >= limit {
                self.is_full = true;
                end.iter_mut().for_each(|end| end.limit_at(rank));
                break;
            }
            self.enter(id, following_parent_of(rank), class);
            self.tally.state(class);
            // Most slices have nothing more of any state: then there is nothing to look up.
            if !more.is_empty()
                && let Some(more) = more.remove(&id)
            {
                self.keep(number, class, more, distance);
            }
        }
        self.write_rows(&offers);
        end.into_iter().for_each(|end| self.count(std::mem::take(&mut parts), end));
        for mut own in offers {
            own.clear();
            engine.emptied.push(own);
        }
        engine.control.states.store(engine.stored_before + u64::from(self.len()), Ordering::Relaxed);
    }

    /// The same beyond memory, for a slice whose new states are known with their numbers, of which the last one is before `end`; `log` gets
    /// each, and refuses where it cannot be written.
    pub(super) fn number_in_log(
        &mut self,
        engine: &Engine<'_>,
        sums: Batch,
        (found, end): (impl IntoIterator<Item = (NewState, u64, Option<Examination>)>, u64),
        (distance, limit): (u64, u32),
        log: &mut dyn FnMut(&NewState, u32) -> bool,
    ) {
        self.add_up(sums, &mut FxHashMap::default());
        self.is_full = end > u64::from(limit);
        // A checkpoint that another limit was given for may have more states than this one allows.
        let end = u32::try_from(end).unwrap_or(u32::MAX).min(limit).max(self.len());
        for (new, number, examination) in found {
            let Some(number) = u32::try_from(number).ok().filter(|number| *number < end) else { break };
            if !log(&new, number) {
                self.logged = Some(number);
                return;
            }
            self.tally.state(new.class);
            self.keep(number, new.class, More { examination, state: None }, distance);
        }
        self.logged = Some(end);
        engine.control.states.store(engine.stored_before + u64::from(self.len()), Ordering::Relaxed);
    }

    /// Marks the states so far as the initial ones of the graph, where it is recorded; `are_all`: but for those left out.
    pub(super) fn begin_rows(&mut self, are_all: bool, left_out: Option<EvalError>) {
        let initial = self.len();
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(initial);
            recorder.has_begun = are_all;
            recorder.initial_left_out = recorder.initial_left_out.take().or(left_out);
        }
    }

    /// Writes the rows of the states that were expanded, now that all states to which their steps lead have their numbers.
    fn write_rows(&mut self, offers: &[Offers]) {
        // Taken out while the numbers are read.
        let Some(mut recorder) = self.recorder.take() else { return };
        let notes = offers.iter().map(|own| &own.notes);
        match self.entries.is_empty() {
            true => recorder.write(notes, |id| (id.0 < self.in_order).then_some(id.0)),
            false => recorder.write(notes, |id| self.numbers.get(id)),
        }
        self.recorder = Some(recorder);
    }

    /// Adds what counts of the expansions of a slice, now that all states to which their steps lead have their numbers.
    fn count(&mut self, parts: Vec<Uncounted>, end: End) {
        let Self { entries, in_order, numbers, up_to_fault, tally, guards, unassigned, claim, .. } = self;
        let number_of = |id: StateId| match entries.is_empty() {
            true => (id.0 < *in_order).then_some(id.0),
            false => numbers.get(id),
        };
        if let Some(up_to_fault) = up_to_fault {
            up_to_fault.count(parts, end, Sums { tally, guards, unassigned, claim }, number_of);
        }
    }

    /// Merges the counters of a batch, and collects in `more` what is stored for few of its states. Returns its offers.
    fn add_up(&mut self, batch: Batch, more: &mut FxHashMap<StateId, More>) -> Offers {
        self.tally.merge(&batch.tally);
        self.guards.merge(batch.guards);
        self.unassigned.merge(batch.unassigned);
        if let Some(claim) = batch.claim {
            // The least, not the first to arrive: which worker was faster must not show.
            Claim::keep_least(&mut self.claim, claim);
        }
        if let Some((number, error)) = batch.skipped {
            keep_first(&mut self.skipped, number, error);
        }
        // Each state stands in one batch only, so nothing is replaced.
        if more.is_empty() {
            *more = batch.more;
        } else {
            more.extend(batch.more);
        }
        batch.offers
    }

    /// Keeps what few states have: the state itself while there is room, and what examining it has found.
    fn keep(&mut self, number: u32, class: OrbitClass, more: More, distance: u64) {
        if let Some(state) = more.state
            && self.decoded.len() < KEPT_STATES.get()
        {
            self.decoded.insert(number, state);
        }
        let Some(examination) = more.examination else { return };
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
}

/// What traces are built from: the stored states, and for each the state from which it was first reached.
pub(super) struct Family<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) ledger: &'a Ledger,
}

impl Ancestry for Family<'_> {
    fn origin(&self, number: u32) -> Origin {
        let following = match self.ledger.is_spilled() {
            true => self.ledger.traced[&number].1,
            false => self.ledger.parents[number as usize / PARENTS][number as usize % PARENTS],
        };
        match following.checked_sub(1) {
            // Initial states have the first numbers, so their origins need no map.
            None => self.ledger.initial[number as usize],
            Some(parent) => Origin::Step { parent },
        }
    }

    fn state(&self, number: u32) -> Valuation {
        if self.ledger.is_spilled() {
            return self.ledger.traced[&number].0.clone();
        }
        self.engine.state(self.ledger.entry(number).id)
    }
}
