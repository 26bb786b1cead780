//! The states stored so far by number: id, parent, orbit size, each in a separate column.
//!
//! Invariant: a parent has a lower number than its children; initial states have none. Beyond memory (`disk`) the log has the columns, and
//! only their number is here. Deliberately elsewhere: counts and findings (`ledger`).

use super::numbers::Numbers;
use crate::count::tally::{OrbitClass, Orbits};
use bcheck_state::StateId;
use bcheck_value::Valuation;
use rustc_hash::FxHashMap;

/// States in one part of the list of parents.
const PARENTS: usize = 1 << 16;

/// A stored state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    pub(crate) id: StateId,
    pub(crate) class: OrbitClass,
}

/// The columns.
#[derive(Default)]
pub(super) struct Columns {
    /// How many states there are, once the log has their columns; then the lists are empty.
    logged: Option<u32>,
    /// The states of a trace by number, with their parents plus one, if the log has the columns.
    traced: FxHashMap<u32, (Valuation, u32)>,
    ids: Vec<StateId>,
    /// As long as ids are handed out in the order of numbers, as to one worker, they are not listed: then `ids` is empty, and this is how
    /// many there are.
    in_order: u32,
    /// From ids back to numbers, where these are needed, and only from the first id out of order on.
    numbers: Option<Numbers>,
    /// The number of the state from which each was first reached, plus one; 0 for initial states. In parts that never move, each
    /// [`PARENTS`] long.
    parents: Vec<Vec<u32>>,
    /// Their orbit sizes; shorter, or empty, when those at the end are all of size 1.
    classes: Vec<OrbitClass>,
}

impl Columns {
    /// Empty ones; `has_numbers`: whether the numbers of ids are needed as well.
    pub(super) fn new(has_numbers: bool) -> Self {
        Self { numbers: has_numbers.then(Numbers::default), ..Self::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        if let Some(logged) = self.logged {
            return logged;
        }
        // One of the two is 0 or not above the other: `ids` holds all states or none.
        self.in_order.max(u32::try_from(self.ids.len()).expect("the number of states is limited to 32 bits"))
    }

    /// Gives a state the next number.
    fn push(&mut self, id: StateId) {
        // A worker that is alone enters states in the order in which they are numbered, so their ids need no memory.
        if self.ids.is_empty() && id.0 == self.in_order {
            self.in_order += 1;
            return;
        }
        let next = self.len();
        let numbers = &mut self.numbers;
        // The first id out of order: from here on all are listed.
        if self.ids.is_empty() {
            self.ids.extend((0..self.in_order).map(StateId));
            numbers.iter_mut().for_each(|numbers| (0..next).for_each(|number| numbers.set(StateId(number), number)));
        }
        numbers.iter_mut().for_each(|numbers| numbers.set(id, next));
        self.ids.push(id);
    }

    /// Enters a state under the next number; `parent`: one more than the number of the state from which it was first reached, 0 of an
    /// initial state.
    pub(super) fn enter(&mut self, id: StateId, parent: u32, class: OrbitClass) {
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

    #[inline]
    pub(super) fn entry(&self, number: u32) -> Entry {
        let class = self.classes.get(number as usize).copied().unwrap_or(Orbits::SINGLE);
        let id = if self.ids.is_empty() { StateId(number) } else { self.ids[number as usize] };
        Entry { number, id, class }
    }

    /// The number of a state, if it has one and numbers are needed.
    pub(super) fn number_of(&self, id: StateId) -> Option<u32> {
        match self.ids.is_empty() {
            true => (id.0 < self.in_order).then_some(id.0),
            false => self.numbers.as_ref()?.get(id),
        }
    }

    /// The parent of a state plus one; 0 of an initial state.
    pub(super) fn following_parent(&self, number: u32) -> u32 {
        match self.logged {
            Some(_) => self.traced[&number].1,
            None => self.parents[number as usize / PARENTS][number as usize % PARENTS],
        }
    }

    /// The data of a state in a checkpoint besides its key: its parent plus one (0 for an initial state), and its orbit size.
    pub(super) fn saved(&self, number: u32) -> (StateId, (u32, OrbitClass)) {
        let Entry { id, class, .. } = self.entry(number);
        (id, (self.following_parent(number), class))
    }

    /// Enters a state of a checkpoint, as returned by [`Self::saved`].
    pub(super) fn restore(&mut self, id: StateId, (parent, class): (u32, OrbitClass)) {
        match &mut self.logged {
            Some(logged) => *logged += 1,
            None => self.enter(id, parent, class),
        }
    }

    /// Leaves the columns of the first `states` states to the log, which has them.
    pub(super) fn spill(&mut self, states: u32) {
        (self.ids, self.in_order, self.parents, self.classes) = Default::default();
        self.logged = Some(states);
    }

    /// Whether the log has the columns.
    pub(super) fn is_spilled(&self) -> bool {
        self.logged.is_some()
    }

    /// Stores a state of a trace, with its parent plus one, if the log has the columns.
    pub(super) fn trace(&mut self, number: u32, state: Valuation, parent: u32) {
        self.traced.insert(number, (state, parent));
    }

    /// A state of a trace.
    pub(super) fn traced(&self, number: u32) -> Valuation {
        self.traced[&number].0.clone()
    }

    /// The bytes of the columns.
    pub(super) fn memory(&self) -> usize {
        let parents = self.parents.len() * PARENTS * size_of::<u32>();
        parents + self.ids.capacity() * size_of::<StateId>() + self.classes.capacity() * size_of::<OrbitClass>()
    }
}
