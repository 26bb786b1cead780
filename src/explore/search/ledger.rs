//! The states of a search by number, and all counts and findings of its workers.
//!
//! A state is offered to the visited set under its rank: the number of its parent and the ordinal of the step. The least rank is stored, so
//! that sorting the states of a slice by rank numbers them as a sequential breadth-first search would. Invariant: workers add only to their
//! own [`Batch`]; batches merge in any order to the same ledger. Deliberately elsewhere: filling a batch (`expander`), the merging of ranks
//! (`offers`), the states by number (`columns`), further data from the batches of a slice (`attached`), numbering beyond memory (`disk`).

use super::attached::Attached;
use super::columns::{Columns, Entry};
use super::disk::key_list::KeyList;
use super::engine::Engine;
use super::offers::{ByRank, NewState, Offers};
use super::partition::StatesWriter;
use super::rank::parent_of;
use super::recorder::Recorder;
use super::store::Slice;
use super::up_to_fault::{Sums, Uncounted, UpToFault};
use crate::count::first_errors::FirstErrors;
use crate::count::tally::{OrbitClass, Tally};
use crate::extent::ExpandedStates;
use crate::number::StateNumber;
use crate::property::{Claim, Examination, Place};
use crate::thresholds::KEPT_STATES;
use crate::trace::Origin;
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_state::{Rank, StateId};
use bcheck_value::Valuation;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Stored states that are to be expanded.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) entries: Vec<Entry>,
    /// By number, unless there are too many: saves decoding a state, and shares the large sets of its parent.
    states: FxHashMap<StateNumber, Valuation>,
    /// Beyond memory: their keys, one for each entry, whose ids mean nothing.
    pub(super) keys: KeyList,
    /// How often the visited set was spilled before.
    pub(super) spills: u64,
}

impl Waiting {
    /// The state of an entry, if it is available.
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

/// The data that only few new states have besides an entry.
pub(super) struct More {
    pub(super) examination: Option<Examination>,
    pub(super) state: Option<Valuation>,
}

/// A worker's additions to the search.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) tally: Tally,
    pub(crate) guards: FirstErrors,
    pub(crate) unassigned: FirstErrors,
    pub(super) offers: Offers,
    /// States of other processes, by owner.
    pub(super) foreign: Vec<StatesWriter>,
    pub(super) more: FxHashMap<StateId, More>,
    pub(super) claim: Option<Claim>,
    pub(super) skipped: Option<(StateNumber, EvalError)>,
    /// States that it did not reach, as the search was stopped.
    pub(super) unexpanded: Vec<Range<StateNumber>>,
    /// Set where only some expansions may count.
    pub(crate) uncounted: Option<Box<Uncounted>>,
}

impl Batch {
    /// Takes out what may not count, the warnings among it.
    fn take_uncounted(&mut self) -> Option<Uncounted> {
        let uncounted = self.uncounted.take()?;
        Some(uncounted.with_warnings(std::mem::take(&mut self.guards), std::mem::take(&mut self.unassigned)))
    }

    pub(super) fn add(&mut self, rank: Rank, id: StateId, class: OrbitClass, examination: Option<Examination>, state: Option<Valuation>) {
        let examination = examination.filter(|examination| !examination.is_clean());
        if examination.is_some() || state.is_some() {
            // Beside the list, not in it: of nearly all new states there is nothing more, and the list is what the barrier sorts.
            self.more.insert(id, More { examination, state });
        }
        self.offers.found.push(NewState { rank, id, class });
    }

    /// Merges another batch, except its offers and their examinations; returns the offers.
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
        self.unexpanded.extend(other.unexpanded);
        other.offers
    }

    /// An operation is left out in a state, because its steps cannot be enumerated: the search continues without them.
    pub(crate) fn skip(&mut self, number: StateNumber, error: EvalError) {
        keep_first(&mut self.skipped, number, error);
    }
}

/// Keeps the error in the state with the least number, the first one there.
fn keep_first(kept: &mut Option<(StateNumber, EvalError)>, number: StateNumber, error: EvalError) {
    if kept.as_ref().is_none_or(|(kept, _)| number < *kept) {
        *kept = Some((number, error));
    }
}

/// The states stored so far, and everything that batches added.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(super) columns: Columns,
    /// Some of the states that wait to be expanded, by number.
    pub(super) decoded: FxHashMap<StateNumber, Valuation>,
    /// How the initial states were reached; they have the lowest numbers.
    pub(super) initial: Vec<Origin>,
    pub(super) tally: Tally,
    pub(super) guards: FirstErrors,
    pub(super) unassigned: FirstErrors,
    pub(super) claim: Option<Claim>,
    /// A property that cannot be decided in some state.
    pub(super) undecided: Option<(StateNumber, EvalError)>,
    /// Why steps of some state are missing.
    pub(super) skipped: Option<(StateNumber, EvalError)>,
    /// The states that are expanded.
    pub(super) expanded: ExpandedStates,
    /// A state was found that the limit on states forbids to store.
    pub(super) is_full: bool,
    /// Scratch: the least ranks of a slice's new states.
    least: Vec<Rank>,
    pub(super) attached: Attached,
}

impl Ledger {
    /// An empty ledger; one with a recorder writes the graph.
    pub(super) fn new(recorder: Option<Recorder>, up_to_fault: Option<UpToFault>) -> Self {
        let attached = Attached::new(recorder, up_to_fault);
        Self { columns: Columns::new(attached.needs_numbers()), attached, ..Self::default() }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> u32 {
        self.end().number()
    }

    /// The number behind the last state.
    pub(super) fn end(&self) -> StateNumber {
        self.columns.end()
    }

    /// Whether the log has the columns.
    pub(super) fn is_spilled(&self) -> bool {
        self.columns.is_spilled()
    }

    pub(super) fn entry(&self, number: StateNumber) -> Entry {
        self.columns.entry(number)
    }

    /// Lists states that are now to be expanded.
    pub(super) fn list(&mut self, numbers: Range<StateNumber>, waiting: &mut Waiting) {
        let numbers = StateNumber::each(numbers);
        waiting.entries.extend(numbers.clone().map(|number| self.entry(number)));
        if !self.decoded.is_empty() {
            waiting.states.extend(numbers.filter_map(|number| Some((number, self.decoded.remove(&number)?))));
        }
    }

    /// A state that is now to be expanded.
    pub(super) fn take(&mut self, number: StateNumber) -> (Entry, Option<Valuation>) {
        let state = if self.decoded.is_empty() { None } else { self.decoded.remove(&number) };
        (self.entry(number), state)
    }

    /// Counts the states from number `first` on as initial ones with this origin.
    pub(super) fn note_initial(&mut self, first: StateNumber, origin: Origin) {
        for number in StateNumber::each(first..self.end()) {
            self.tally.initial(self.entry(number).class);
            self.initial.push(origin);
        }
    }

    /// The rank of the next initial state: they are offered one at a time, before all others.
    pub(super) fn initial_rank(&self) -> Rank {
        Rank(self.initial.len() as u64)
    }

    /// Numbers the states that batches found at this distance, in the order of their ranks, and adds up everything else.
    ///
    /// All offers of the slice have been made. Returns the number after the last state whose expansion counts.
    pub(super) fn number(
        &mut self,
        engine: &Engine<'_>,
        batches: impl IntoIterator<Item = Batch>,
        slice: &Slice,
        distance: u64,
        limit: u32,
    ) -> StateNumber {
        let (mut more, mut parts) = (FxHashMap::default(), Vec::new());
        let add_up = |mut batch: Batch| {
            parts.extend(batch.take_uncounted());
            self.add_up(batch, &mut more)
        };
        let mut offers: Vec<Offers> = batches.into_iter().map(add_up).collect();
        // Another worker may have offered a state under a lesser rank after it was entered: only at the barrier are ranks final.
        let mut lowered = slice.resolve_ranks(&engine.store, &mut offers, &mut self.least);
        let mut closing = self.attached.slice_closed(parts, self.claim.is_some(), offers.iter_mut().chain([&mut lowered]));
        for NewState { rank, id, class } in ByRank::new(offers.iter().chain([&lowered]).map(|own| &own.found[..])) {
            let number = self.end();
            // States beyond the limit stay in the visited set without a number: the search ends here.
            if number.number() >= limit {
                self.is_full = true;
                closing.limit_at(rank);
                break;
            }
            self.columns.enter(id, parent_of(rank), class);
            self.tally.state(class);
            // Most slices have nothing more of any state: then there is nothing to look up.
            if !more.is_empty()
                && let Some(more) = more.remove(&id)
            {
                self.keep(number, class, more, distance);
            }
        }
        let Self { tally, guards, unassigned, claim, .. } = self;
        let counted = self.attached.slice_numbered(&offers, closing, Sums { tally, guards, unassigned, claim }, &self.columns);
        for mut own in offers {
            own.clear();
            engine.emptied.push(own);
        }
        self.show_states(engine);
        counted
    }

    /// Tells the watcher how many states there are.
    pub(super) fn show_states(&self, engine: &Engine<'_>) {
        engine.control.states.store(engine.stored_before + u64::from(self.len()), Ordering::Relaxed);
    }

    /// Merges the counters of a batch, and collects in `more` what is stored for few of its states. Returns its offers.
    pub(super) fn add_up(&mut self, batch: Batch, more: &mut FxHashMap<StateId, More>) -> Offers {
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
        self.expanded.but.extend(batch.unexpanded);
        // Each state is in one batch only, so nothing is replaced.
        if more.is_empty() {
            *more = batch.more;
        } else {
            more.extend(batch.more);
        }
        batch.offers
    }

    /// Keeps what few states have: the state itself while there is room, and what examining it has found.
    pub(super) fn keep(&mut self, number: StateNumber, class: OrbitClass, more: More, distance: u64) {
        if let Some(state) = more.state
            && self.decoded.len() < KEPT_STATES.get()
        {
            self.decoded.insert(number, state);
        }
        let Some(examination) = more.examination else { return };
        for fault in examination.findings {
            self.tally.fault(class, &fault);
            Claim::keep_least(&mut self.claim, Claim { distance, place: Place::State(number), fault });
        }
        if let Some(error) = examination.undecided
            && error.kind != EvalErrorKind::Interrupted
        {
            keep_first(&mut self.undecided, number, error);
        }
    }
}
