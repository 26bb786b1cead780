//! A graph of numbered states, with the letters of its states and steps.
//!
//! A state without edges is a deadlock unless it is *open*: the known steps of an open state are steps, and it may have more. A state
//! without a row, a target that was not pushed yet, is open as well, and its letter is unknown.
//! Invariant: the edges of a state are sorted and without repetitions. Deliberately elsewhere: how rows are packed (`rows`), who records
//! them (`explore::temporal`).

use super::letters::{Alphabet, Indices};
use super::rows::{RowCursor, Rows};
use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};

bcheck_source::numbers! {
    /// The number of a state of a graph.
    #[derive(Serialize, Deserialize)]
    pub StateNumber;
    /// The index of a letter of states among all of them.
    pub(crate) StateLetter;
    /// The index of a letter of steps among all of them.
    pub StepLetter;
    /// Which one of the steps of its state a step is.
    pub StepOrdinal;
}

/// An edge: the index of the letter of a step, and its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Its target.
    pub to: StateNumber,
    /// The index of the letter of the step.
    pub letter: StepLetter,
}

/// A path of a graph that was found: a counterexample, or a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its states in order, from an initial one on.
    pub states: Vec<StateNumber>,
    /// The letters of its steps: the step of number `i` leads from state `i` to the next one; one that closes a loop is the last.
    pub letters: Vec<StepLetter>,
    /// The continuation after its last state.
    pub end: End,
    /// In a loop that is fair to each instance: for each step, its ordinal among the steps of its state; otherwise empty.
    pub(crate) ordinals: Vec<StepOrdinal>,
}

impl Run {
    /// Which one of the steps of its state the step of this number is, if it was chosen.
    #[must_use]
    pub fn ordinal(&self, step: usize) -> Option<StepOrdinal> {
        // Only steps of the loop were chosen, and they come last.
        let chosen_from = self.letters.len() - self.ordinals.len();
        step.checked_sub(chosen_from).map(|at| self.ordinals[at])
    }
}

/// The continuation after the last state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// One more step leads back to the state at this position.
    Loop(usize),
    /// It does not: no step is possible.
    Deadlock,
    /// Any continuation: it makes no difference.
    Prefix,
}

/// A graph, or as much of it as is known.
#[derive(Clone, Debug)]
pub struct Graph {
    rows: Rows,
    letter_of: Indices,
    state_letters: Alphabet,
    step_letters: Alphabet,
    initial: Vec<StateNumber>,
    open: FixedBitSet,
    /// The number behind the largest one of a state that is mentioned.
    size: StateNumber,
}

impl Graph {
    /// The number behind those of the states whose rows are known.
    #[must_use]
    pub fn known(&self) -> StateNumber {
        StateNumber::at(self.rows.len())
    }

    /// The states whose rows are known.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateNumber> + ExactSizeIterator {
        StateNumber::all(self.rows.len())
    }

    /// The number behind those of all states, the ones included that are only known as targets.
    #[must_use]
    pub fn size(&self) -> StateNumber {
        self.size.max(self.known())
    }

    /// The initial states, in the order in which they were added.
    #[must_use]
    pub fn initial(&self) -> &[StateNumber] {
        &self.initial
    }

    /// The letter of a state that has a row.
    #[inline]
    #[must_use]
    pub fn letter(&self, state: StateNumber) -> u64 {
        self.state_letters.letters()[self.letter_index(state).index()]
    }

    /// The index of the letter of a state that has a row.
    #[inline]
    #[must_use]
    pub(crate) fn letter_index(&self, state: StateNumber) -> StateLetter {
        StateLetter::new(self.letter_of.get(state.index()))
    }

    /// The distinct letters of states, by index.
    #[must_use]
    pub fn letters(&self) -> &[u64] {
        self.state_letters.letters()
    }

    /// The distinct letters of steps.
    #[must_use]
    pub fn steps(&self) -> &[u64] {
        self.step_letters.letters()
    }

    /// The propositions of a step, by the index of its letter.
    #[inline]
    #[must_use]
    pub fn step(&self, letter: StepLetter) -> u64 {
        self.step_letters.letters()[letter.index()]
    }

    /// The edges of a state; none if it has no row.
    pub fn edges(&self, state: StateNumber) -> impl Iterator<Item = Edge> {
        let mut cursor = (state < self.known()).then(|| self.cursor(state));
        std::iter::from_fn(move || self.next(cursor.as_mut()?))
    }

    /// The beginning of the edges of a state that has a row.
    #[must_use]
    pub fn cursor(&self, state: StateNumber) -> RowCursor {
        self.rows.cursor(state.number())
    }

    /// The edge at a place; the place moves on.
    #[inline]
    pub fn next(&self, cursor: &mut RowCursor) -> Option<Edge> {
        self.rows.next(cursor).map(|(to, letter)| Edge { to: StateNumber::new(to), letter: StepLetter::new(letter) })
    }

    /// Whether a state may have more steps than the known ones.
    #[must_use]
    pub fn is_open(&self, state: StateNumber) -> bool {
        state >= self.known() || self.open.contains(state.index())
    }

    /// Whether a state is known to have no steps.
    #[must_use]
    pub fn is_deadlock(&self, state: StateNumber) -> bool {
        // An open state without known steps is not a deadlock: its steps are missing.
        !self.is_open(state) && self.rows.is_without_edges(state.number())
    }

    /// Whether any state is open or has no row. An initial state that was never added is not recorded here: the caller knows.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.size > self.known() || !self.open.is_clear()
    }

    /// This graph with more open states.
    #[must_use]
    pub fn opened(&self, states: impl Iterator<Item = StateNumber>) -> Self {
        let mut graph = self.clone();
        states.for_each(|state| graph.open.grow_and_insert(state.index()));
        graph
    }

    /// Whether any state that has a row is open.
    pub(super) fn has_open_rows(&self) -> bool {
        self.open.ones().any(|state| state < self.rows.len())
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let letters = self.letter_of.allocated() + self.state_letters.allocated() + self.step_letters.allocated();
        self.rows.allocated() + letters + self.open.len() / 8 + 4 * self.initial.capacity()
    }
}

/// Builds a graph, state by state in the order of their numbers. The part built so far can be judged at any time.
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    graph: Graph,
    /// The initial states as a set, so that each is listed once.
    is_initial: FixedBitSet,
}

impl GraphBuilder {
    /// A graph without states. If no formula depends on steps, their letters are not stored: every step has the letter 0.
    #[must_use]
    pub fn new(has_step_letters: bool) -> Self {
        let mut graph = Graph {
            rows: Rows::new(has_step_letters),
            letter_of: Indices::default(),
            state_letters: Alphabet::default(),
            step_letters: Alphabet::default(),
            initial: Vec::new(),
            open: FixedBitSet::new(),
            size: StateNumber::new(0),
        };
        if !has_step_letters {
            // The only letter, of every edge: `step` reads it without checking whether letters are stored.
            let _ = graph.step_letters.index(0);
        }
        Self { graph, is_initial: FixedBitSet::new() }
    }

    /// The index of the letter of a step, for [`Edge::letter`].
    pub fn step_letter(&mut self, propositions: u64) -> StepLetter {
        StepLetter::new(if self.graph.rows.has_letters() { self.graph.step_letters.index(propositions) } else { 0 })
    }

    /// Adds the next state, with its letter and its edges in any order. The edges are sorted where they are, repetitions are removed.
    ///
    /// # Panics
    /// When there are 2^32 - 1 states already.
    pub fn push(&mut self, letter: u64, edges: &mut Vec<Edge>) -> StateNumber {
        let state = self.next_state(letter);
        if !self.graph.rows.has_letters() {
            // Before sorting: edges that differ only in letters that no formula reads are one edge.
            edges.iter_mut().for_each(|edge| edge.letter = StepLetter::new(0));
        }
        edges.sort_unstable();
        edges.dedup();
        self.graph.rows.push(edges.iter().map(|edge| (edge.to.number(), edge.letter.number())));
        // Sorted, so the last edge has the largest target.
        self.graph.size = self.graph.size.max(state.next()).max(edges.last().map_or(state, |edge| edge.to.next()));
        state
    }

    /// Adds the next state of a graph that stores letters of steps: its steps are targets with propositions, in any order. The index of a
    /// letter depends on the set of steps alone.
    pub fn push_steps(&mut self, letter: u64, steps: &mut Vec<(StateNumber, u64)>, edges: &mut Vec<Edge>) -> StateNumber {
        steps.sort_unstable();
        steps.dedup();
        edges.clear();
        edges.extend(steps.iter().map(|&(to, propositions)| Edge { to, letter: self.step_letter(propositions) }));
        self.push(letter, edges)
    }

    /// Adds the next state of a graph that does not store letters of steps: its targets are in any order.
    ///
    /// # Panics
    /// When there are 2^32 - 1 states already.
    pub fn push_targets(&mut self, letter: u64, targets: &mut Vec<StateNumber>) -> StateNumber {
        debug_assert!(!self.graph.rows.has_letters(), "steps have letters");
        let state = self.next_state(letter);
        targets.sort_unstable();
        targets.dedup();
        self.graph.rows.push(targets.iter().map(|to| (to.number(), 0)));
        self.graph.size = self.graph.size.max(state.next()).max(targets.last().map_or(state, |to| to.next()));
        state
    }

    /// The number of the next state, whose letter this is.
    fn next_state(&mut self, letter: u64) -> StateNumber {
        let state = self.graph.known();
        assert!(state.number() < u32::MAX, "the number of states has 32 bits");
        let index = self.graph.state_letters.index(letter);
        self.graph.letter_of.push(index);
        state
    }

    /// Makes a state initial.
    pub fn mark_initial(&mut self, state: StateNumber) {
        if !self.is_initial.contains(state.index()) {
            self.is_initial.grow_and_insert(state.index());
            self.graph.initial.push(state);
            self.graph.size = self.graph.size.max(state.next());
        }
    }

    /// Makes a state open: it may have more steps than those that are pushed.
    pub fn mark_open(&mut self, state: StateNumber) {
        self.graph.open.grow_and_insert(state.index());
        self.graph.size = self.graph.size.max(state.next());
    }

    /// The graph built so far.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, with nothing allocated beyond it.
    #[must_use]
    pub fn finish(mut self) -> Graph {
        self.graph.rows.shrink();
        self.graph.letter_of.shrink();
        self.graph
    }
}

#[cfg(test)]
pub(super) mod tests;
