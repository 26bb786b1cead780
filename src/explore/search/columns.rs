//! The states stored so far by number: id, parent, orbit size, each in a separate column.
//!
//! Invariant: a parent has a lower number than its children; initial states have none. Beyond memory (`disk`) the log has the columns, and
//! only their number is here. Deliberately elsewhere: counts and findings (`ledger`).

use super::numbers::Numbers;
use crate::count::tally::{OrbitClass, Orbits};
use crate::number::{ParentNumber, StateNumber};
use bcheck_state::StateId;
use bcheck_value::Valuation;
use rustc_hash::FxHashMap;

/// States in one part of the list of parents.
const PARENTS: usize = 1 << 16;

/// A stored state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) number: StateNumber,
    pub(crate) id: StateId,
    pub(crate) class: OrbitClass,
}

/// The columns.
#[derive(Default)]
pub(super) struct Columns {
    /// The number behind the last state, once the log has the columns; then the lists are empty.
    logged: Option<StateNumber>,
    /// The states of a trace by number, with their parents, if the log has the columns.
    traced: FxHashMap<StateNumber, (Valuation, ParentNumber)>,
    ids: Vec<StateId>,
    /// As long as ids are handed out in the order of numbers, as to one worker, they are not listed: then `ids` is empty, and this is the
    /// number behind the last one.
    in_order: StateNumber,
    /// From ids back to numbers, where these are needed, and only from the first id out of order on.
    numbers: Option<Numbers>,
    /// The states from which they were first reached. In parts that never move, each [`PARENTS`] long.
    parents: Vec<Vec<ParentNumber>>,
    /// Their orbit sizes; shorter, or empty, when those at the end are all of size 1.
    classes: Vec<OrbitClass>,
}

/// The id of the state with this number, where ids are handed out in the order of numbers.
#[inline]
fn id_in_order(number: StateNumber) -> StateId {
    StateId(number.number())
}

impl Columns {
    /// Empty ones; `has_numbers`: whether the numbers of ids are needed as well.
    pub(super) fn new(has_numbers: bool) -> Self {
        Self { numbers: has_numbers.then(Numbers::default), ..Self::default() }
    }

    /// The number behind the last state.
    #[inline]
    pub(super) fn end(&self) -> StateNumber {
        if let Some(logged) = self.logged {
            return logged;
        }
        // One of the two is 0 or not above the other: `ids` holds all states or none.
        self.in_order.max(StateNumber::at(self.ids.len()))
    }

    /// Gives a state the next number.
    fn push(&mut self, id: StateId) {
        // A worker that is alone enters states in the order in which they are numbered, so their ids need no memory.
        if self.ids.is_empty() && id == id_in_order(self.in_order) {
            self.in_order = self.in_order.next();
            return;
        }
        let next = self.end();
        let numbers = &mut self.numbers;
        // The first id out of order: from here on all are listed.
        if self.ids.is_empty() {
            let before = StateNumber::all(self.in_order.index());
            self.ids.extend(before.clone().map(id_in_order));
            numbers.iter_mut().for_each(|numbers| before.clone().for_each(|number| numbers.set(id_in_order(number), number)));
        }
        numbers.iter_mut().for_each(|numbers| numbers.set(id, next));
        self.ids.push(id);
    }

    /// Enters a state under the next number.
    pub(super) fn enter(&mut self, id: StateId, parent: ParentNumber, class: OrbitClass) {
        let at = self.end().index();
        self.push(id);
        if at.is_multiple_of(PARENTS) {
            self.parents.push(Vec::with_capacity(PARENTS));
        }
        self.parents[at / PARENTS].push(parent);
        // Padded up to here: most orbits of most machines are of one size, and trailing ones of size 1 need no entry.
        if class != Orbits::SINGLE {
            self.classes.resize(at, Orbits::SINGLE);
            self.classes.push(class);
        }
    }

    #[inline]
    pub(super) fn entry(&self, number: StateNumber) -> Entry {
        let class = self.classes.get(number.index()).copied().unwrap_or(Orbits::SINGLE);
        let id = if self.ids.is_empty() { id_in_order(number) } else { self.ids[number.index()] };
        Entry { number, id, class }
    }

    /// The number of a state, if it has one and numbers are needed.
    pub(super) fn number_of(&self, id: StateId) -> Option<StateNumber> {
        match self.ids.is_empty() {
            true => Some(StateNumber::new(id.0)).filter(|number| *number < self.in_order),
            false => self.numbers.as_ref()?.get(id),
        }
    }

    /// The state from which a state was first reached.
    pub(super) fn parent(&self, number: StateNumber) -> ParentNumber {
        match self.logged {
            Some(_) => self.traced[&number].1,
            None => self.parents[number.index() / PARENTS][number.index() % PARENTS],
        }
    }

    /// The data of a state in a checkpoint besides its key: its parent and its orbit size.
    pub(super) fn saved(&self, number: StateNumber) -> (StateId, (ParentNumber, OrbitClass)) {
        let Entry { id, class, .. } = self.entry(number);
        (id, (self.parent(number), class))
    }

    /// Enters a state of a checkpoint, as returned by [`Self::saved`].
    pub(super) fn restore(&mut self, id: StateId, (parent, class): (ParentNumber, OrbitClass)) {
        match &mut self.logged {
            Some(logged) => *logged = logged.next(),
            None => self.enter(id, parent, class),
        }
    }

    /// Leaves the columns of the states below this number to the log, which has them.
    pub(super) fn spill(&mut self, end: StateNumber) {
        (self.ids, self.in_order, self.parents, self.classes) = Default::default();
        self.logged = Some(end);
    }

    /// Whether the log has the columns.
    pub(super) fn is_spilled(&self) -> bool {
        self.logged.is_some()
    }

    /// Stores a state of a trace, with its parent, if the log has the columns.
    pub(super) fn trace(&mut self, number: StateNumber, state: Valuation, parent: ParentNumber) {
        self.traced.insert(number, (state, parent));
    }

    /// A state of a trace.
    pub(super) fn traced(&self, number: StateNumber) -> Valuation {
        self.traced[&number].0.clone()
    }

    /// The bytes of the columns.
    pub(super) fn memory(&self) -> usize {
        let parents = self.parents.len() * PARENTS * size_of::<ParentNumber>();
        parents + self.ids.capacity() * size_of::<StateId>() + self.classes.capacity() * size_of::<OrbitClass>()
    }
}
