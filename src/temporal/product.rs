//! The product of a graph and an automaton: each product state is a state of the graph and one of the automaton.
//!
//! Fairness is about steps of the graph, and acceptance marks are on the transition that reads a step, so both belong to an edge of the
//! product.
//! Invariant: edges come in a fixed order, that of the edges of the graph, then of the transitions. States without a row are never
//! reached, open ones only if they may be used. Deliberately elsewhere: sets of product states (`product_states`), which paths are
//! accepted (`emptiness`).

use super::automaton::Automaton;
use super::components::Successors;
use super::graph::{Edge, Graph, StateNumber, StepLetter};
use super::product_states::{ProductState, ProductStates};
use super::readings::{Allowed, AllowedPosition, Readings, Slot};
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
    pub(super) to: ProductState,
    /// The index of the letter of the step.
    pub(super) letter: StepLetter,
    /// The marks of the transition.
    pub(super) marks: u64,
}

/// A place among the edges of a product state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    row: RowCursor,
    edge: Edge,
    slot: Slot,
    /// The position of the transition that is tried next with the edge.
    transition: AllowedPosition,
}

impl<'a> Product<'a> {
    pub(crate) fn new(graph: &'a Graph, automaton: &'a Automaton, uses_open: bool) -> Self {
        // Letters of steps are not put into classes: there are few, and most automata do not read them.
        let has_barred = !uses_open && graph.has_open_rows();
        Self { graph, automaton, has_barred, readings: Readings::new(automaton, graph.letters()) }
    }

    /// The initial product states, in order.
    pub(super) fn initial(&self) -> impl Iterator<Item = ProductState> {
        let states = self.graph.initial().iter().filter(|&&state| self.is_usable(state));
        states.flat_map(|&state| self.automaton.initial.iter().map(move |&automaton_state| ProductState { state, automaton_state }))
    }

    /// Whether a state has a row, and is open, and paths must not go through it.
    #[inline]
    pub(super) fn is_barred(&self, state: StateNumber) -> bool {
        self.has_barred && state < self.graph.known() && self.graph.is_open(state)
    }

    /// Whether paths may go through a state.
    #[inline]
    fn is_usable(&self, state: StateNumber) -> bool {
        state < self.graph.known() && !self.is_barred(state)
    }

    /// Whether a finite path that ends in this product state is accepted.
    pub(super) fn accepts_end(&self, product_state: ProductState) -> bool {
        let letter = self.graph.letter(product_state.state);
        self.automaton.accepts_end[product_state.automaton_state.index()].iter().any(|cube| cube.allows(letter, 0))
    }

    /// Whether a path to this product state may be accepted, whatever the steps from its state are.
    pub(super) fn goes_on(&self, product_state: ProductState) -> bool {
        let (begin, end) = self.readings.all.bounds(self.slot(product_state));
        begin < end || self.accepts_end(product_state)
    }

    /// The letter of the state of a product state, and its automaton state.
    #[inline]
    pub(super) fn slot(&self, product_state: ProductState) -> Slot {
        self.readings.slot(self.graph.letter_index(product_state.state), product_state.automaton_state)
    }

    /// The beginning of the edges of a product state.
    fn place(&self, from: ProductState) -> Place {
        // Past the last transition, so that the first call reads the first edge.
        let transition = AllowedPosition::new(u32::MAX);
        Place { row: self.graph.cursor(from.state), edge: Edge::default(), slot: self.slot(from), transition }
    }

    /// The edge at a place, by the transitions of a table; the place moves on.
    #[inline]
    fn next(&self, table: &Allowed, place: &mut Place) -> Option<Arc> {
        let (begin, end) = table.bounds(place.slot);
        // Most product states have no transition for their letter: then the row is not even decoded.
        if begin == end {
            return None;
        }
        loop {
            while place.transition < end {
                let transition = table.transition(place.transition);
                place.transition = place.transition.next();
                let step = self.graph.step(place.edge.letter);
                if step & transition.reads.step_true == transition.reads.step_true && step & transition.reads.step_false == 0 {
                    let to = ProductState { state: place.edge.to, automaton_state: transition.to };
                    return Some(Arc { to, letter: place.edge.letter, marks: transition.marks });
                }
            }
            place.edge = self.graph.next(&mut place.row)?;
            // Otherwise `transition` stays at the end, and the edge is skipped.
            if self.is_usable(place.edge.to) {
                place.transition = begin;
            }
        }
    }

    /// The edges of a product state.
    pub(super) fn arcs(&self, from: ProductState) -> impl Iterator<Item = Arc> {
        let mut place = self.place(from);
        std::iter::from_fn(move || self.next(&self.readings.all, &mut place))
    }

    /// Those of them that may lie in a component with all marks.
    pub(super) fn inner_arcs(&self, from: ProductState) -> impl Iterator<Item = Arc> {
        let mut place = self.place(from);
        std::iter::from_fn(move || self.next(&self.readings.inner, &mut place))
    }

    /// Whether a product state has transitions inside a component of the automaton with all marks, and the marks of these transitions.
    pub(super) fn inner(&self, product_state: ProductState) -> (bool, u64) {
        let slot = self.slot(product_state);
        let (begin, end) = self.readings.inner.bounds(slot);
        (begin < end, self.readings.inner.marks(slot))
    }

    /// The mark that the fewest of some product states have inside a component of the automaton, as a bit; zero if there are no acceptance
    /// sets.
    pub(super) fn rarest_mark(&self, product_states: &ProductStates) -> u64 {
        let mut counts = vec![0_u64; self.readings.inner.slots()];
        product_states.members().for_each(|product_state| counts[self.slot(product_state).index()] += 1);
        let carriers = |mark: u64| -> u64 {
            let slots = Slot::all(counts.len()).zip(&counts).filter(|(slot, _)| self.readings.inner.marks(*slot) & mark != 0);
            slots.map(|(_, count)| count).sum()
        };
        (0..self.automaton.acceptance_sets).map(|mark| 1 << mark).min_by_key(|&mark| carriers(mark)).unwrap_or(0)
    }

    /// A set of product states without members.
    pub(super) fn no_product_states(&self) -> ProductStates {
        let mut product_states = ProductStates::new(self.automaton.transitions.len());
        product_states.grow(self.graph.known());
        product_states
    }
}

/// A product with the set of the product states that are reached in it, which has a number for each; its edges are the inner ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) product_states: &'a ProductStates,
}

impl Successors for Reached<'_> {
    type Node = ProductState;
    type Place = Place;

    #[inline]
    fn number(&self, node: ProductState) -> usize {
        self.product_states.number(node)
    }

    fn place(&self, node: ProductState) -> Place {
        self.product.place(node)
    }

    #[inline]
    fn next(&self, place: &mut Place) -> Option<ProductState> {
        self.product.next(&self.product.readings.inner, place).map(|arc| arc.to)
    }
}
