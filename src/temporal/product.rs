//! The product of a graph and an automaton: pairs of a state and a phase, which is a state of the automaton.
//!
//! A step of the graph takes fairness, and the transition that reads it keeps promises, so both belong to an edge of the product.
//! Invariant: edges come in a fixed order, that of the edges of the graph, then of the transitions. States without a row are never reached,
//! open ones only if they may be used. Deliberately elsewhere: sets of pairs (`pairs`), which paths are accepted (`emptiness`).

use super::automaton::Automaton;
use super::components::Successors;
use super::graph::{Edge, Graph};
use super::pairs::{Pair, Pairs};
use super::readings::{Allowed, Readings};
use super::rows::RowCursor;

/// A graph and an automaton that reads its paths.
#[derive(Clone, Debug)]
pub(super) struct Product<'a> {
    pub(super) graph: &'a Graph,
    pub(super) automaton: &'a Automaton,
    /// Whether there are open states that paths must not go through, besides those without a row.
    has_barred: bool,
    pub(super) readings: Readings,
}

/// An edge of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) to: Pair,
    /// The index of the letter of the step.
    pub(super) letter: u32,
    /// The promises that the transition keeps.
    pub(super) kept: u64,
}

/// A place among the edges of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    row: RowCursor,
    edge: Edge,
    slot: u32,
    /// The position of the transition that is tried next with the edge.
    transition: u32,
}

impl<'a> Product<'a> {
    pub(crate) fn new(graph: &'a Graph, automaton: &'a Automaton, uses_open: bool) -> Self {
        // Letters of steps are not put into classes: there are few, and most automata do not read them.
        let has_barred = !uses_open && graph.has_open_rows();
        Self { graph, automaton, has_barred, readings: Readings::new(automaton, graph.letters()) }
    }

    /// The initial pairs, in order.
    pub(super) fn initial(&self) -> impl Iterator<Item = Pair> {
        let states = self.graph.initial().iter().filter(|&&state| self.is_usable(state));
        states.flat_map(|&state| self.automaton.initial.iter().map(move |&phase| Pair { state, phase }))
    }

    /// Whether a state has a row, and is open, and paths must not go through it.
    #[inline]
    pub(super) fn is_barred(&self, state: u32) -> bool {
        self.has_barred && state < self.graph.known() && self.graph.is_open(state)
    }

    /// Whether paths may go through a state.
    #[inline]
    fn is_usable(&self, state: u32) -> bool {
        state < self.graph.known() && !self.is_barred(state)
    }

    /// Whether a finite path that ends in this pair is accepted.
    pub(super) fn accepts_end(&self, pair: Pair) -> bool {
        let letter = self.graph.letter(pair.state);
        self.automaton.accepts_end[pair.phase as usize].iter().any(|cube| cube.allows(letter, 0))
    }

    /// Whether a path to this pair may be accepted, whatever the steps from its state are.
    pub(super) fn goes_on(&self, pair: Pair) -> bool {
        let (begin, end) = self.readings.all.bounds(self.slot(pair));
        begin < end || self.accepts_end(pair)
    }

    /// The letter of the state of a pair, and its phase.
    #[inline]
    pub(super) fn slot(&self, pair: Pair) -> u32 {
        self.readings.slot(self.graph.letter_index(pair.state), pair.phase)
    }

    /// The beginning of the edges of a pair.
    fn place(&self, from: Pair) -> Place {
        // Past the last transition, so that the first call reads the first edge.
        Place { row: self.graph.cursor(from.state), edge: Edge { to: 0, letter: 0 }, slot: self.slot(from), transition: u32::MAX }
    }

    /// The edge at a place, by the transitions of a table; the place moves on.
    #[inline]
    fn next(&self, table: &Allowed, place: &mut Place) -> Option<Arc> {
        let (begin, end) = table.bounds(place.slot);
        // Most pairs that a search meets have no transition for their letter: their row is not even decoded.
        if begin == end {
            return None;
        }
        loop {
            while place.transition < end {
                let transition = table.transition(place.transition);
                place.transition += 1;
                let step = self.graph.step(place.edge.letter);
                if step & transition.reads.step_true == transition.reads.step_true && step & transition.reads.step_false == 0 {
                    let to = Pair { state: place.edge.to, phase: transition.to };
                    return Some(Arc { to, letter: place.edge.letter, kept: transition.kept });
                }
            }
            place.edge = self.graph.next(&mut place.row)?;
            // Else `transition` stays at the end, and the edge is passed over.
            if self.is_usable(place.edge.to) {
                place.transition = begin;
            }
        }
    }

    /// The edges of a pair.
    pub(super) fn arcs(&self, from: Pair) -> impl Iterator<Item = Arc> {
        let mut place = self.place(from);
        std::iter::from_fn(move || self.next(&self.readings.all, &mut place))
    }

    /// Those of them that can be inside a component that keeps all promises.
    pub(super) fn inner_arcs(&self, from: Pair) -> impl Iterator<Item = Arc> {
        let mut place = self.place(from);
        std::iter::from_fn(move || self.next(&self.readings.inner, &mut place))
    }

    /// Whether a pair has transitions inside a component of the automaton that keeps all promises, and the promises that they keep.
    pub(super) fn inner(&self, pair: Pair) -> (bool, u64) {
        let slot = self.slot(pair);
        let (begin, end) = self.readings.inner.bounds(slot);
        (begin < end, self.readings.inner.kept(slot))
    }

    /// The promise that the fewest of some pairs keep inside a component of the automaton, as a bit; none if there are no promises.
    pub(super) fn rarest_promise(&self, pairs: &Pairs) -> u64 {
        let mut pairs_in = vec![0_u64; self.readings.inner.slots()];
        pairs.members().for_each(|pair| pairs_in[self.slot(pair) as usize] += 1);
        let keeping = |promise: u64| -> u64 {
            let slots = (0..).zip(&pairs_in).filter(|(slot, _)| self.readings.inner.kept(*slot) & promise != 0);
            slots.map(|(_, pairs)| pairs).sum()
        };
        (0..self.automaton.promises).map(|promise| 1 << promise).min_by_key(|&promise| keeping(promise)).unwrap_or(0)
    }

    /// A set of pairs without members.
    pub(super) fn no_pairs(&self) -> Pairs {
        let mut pairs = Pairs::new(self.automaton.transitions.len());
        pairs.grow(self.graph.known());
        pairs
    }
}

/// A product with the set of the pairs that are reached in it, which has a number for each; its edges are the inner ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) pairs: &'a Pairs,
}

impl Successors for Reached<'_> {
    type Node = Pair;
    type Place = Place;

    #[inline]
    fn number(&self, node: Pair) -> usize {
        self.pairs.number(node)
    }

    fn place(&self, node: Pair) -> Place {
        self.product.place(node)
    }

    #[inline]
    fn next(&self, place: &mut Place) -> Option<Pair> {
        self.product.next(&self.product.readings.inner, place).map(|arc| arc.to)
    }
}
