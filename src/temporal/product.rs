//! The product of a graph and an automaton: pairs of a state and a phase, which is a state of the automaton.
//!
//! A step of the graph takes fairness, and the transition that reads it keeps promises, so both belong to an edge of the product.
//! Invariant: edges come in a fixed order, that of the edges of the graph, then of the transitions; a set of pairs numbers them in the
//! order of the states. States without a row are never reached, open ones only if they may be used. Deliberately elsewhere: which paths
//! are accepted (`emptiness`).

use super::automaton::Automaton;
use super::components::Successors;
use super::graph::{Edge, Graph};
use super::readings::{Allowed, Readings};
use super::rows::RowCursor;

/// A graph and an automaton that reads its paths.
#[derive(Clone, Debug)]
pub(super) struct Product<'a> {
    pub(super) graph: &'a Graph,
    pub(super) automaton: &'a Automaton,
    /// Whether paths may go through open states.
    uses_open: bool,
    readings: Readings,
}

/// A node of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) state: u32,
    pub(super) phase: u32,
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
pub(super) struct Place {
    row: RowCursor,
    edge: Edge,
    slot: u32,
    /// The position of the transition that is tried next with the edge.
    transition: u32,
}

impl<'a> Product<'a> {
    pub(super) fn new(graph: &'a Graph, automaton: &'a Automaton, uses_open: bool) -> Self {
        // Letters of steps are not put into classes: there are few, and most automata do not read them.
        Self { graph, automaton, uses_open, readings: Readings::new(automaton, graph.letters()) }
    }

    /// The initial pairs, in order.
    pub(super) fn initial(&self) -> impl Iterator<Item = Pair> {
        let states = self.graph.initial().iter().filter(|&&state| self.is_usable(state));
        states.flat_map(|&state| self.automaton.initial.iter().map(move |&phase| Pair { state, phase }))
    }

    /// Whether paths may go through a state.
    fn is_usable(&self, state: u32) -> bool {
        state < self.graph.known() && (self.uses_open || !self.graph.is_open(state))
    }

    /// Whether a finite path that ends in this pair is accepted.
    pub(super) fn accepts_end(&self, pair: Pair) -> bool {
        let letter = self.graph.letter(pair.state);
        self.automaton.accepts_end[pair.phase as usize].iter().any(|cube| cube.allows(letter, 0))
    }

    /// The letter of the state of a pair, and its phase.
    fn slot(&self, pair: Pair) -> u32 {
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

    /// A set of pairs without members.
    pub(super) fn no_pairs(&self) -> Pairs {
        let phases = self.automaton.transitions.len();
        // A bit for each pair that there could be: unlike that of a hash table, its size is known before, and members are numbered by
        // counting bits.
        let words = (self.graph.known() as usize * phases).div_ceil(64);
        Pairs { phases, bits: vec![0; words], before: Vec::new() }
    }
}

/// A set of pairs, one bit for each that there could be.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    phases: usize,
    bits: Vec<u64>,
    /// By word, the number of members in the words before it, then the number of all; empty until the set is complete.
    before: Vec<u32>,
}

impl Pairs {
    fn position(&self, pair: Pair) -> usize {
        pair.state as usize * self.phases + pair.phase as usize
    }

    /// Adds a pair; whether it is new.
    pub(super) fn insert(&mut self, pair: Pair) -> bool {
        let position = self.position(pair);
        let word = &mut self.bits[position / 64];
        let bit = 1 << (position % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Makes the members countable: to be called when the set is complete, of less than 2^32 members.
    pub(super) fn complete(&mut self) {
        let mut count = 0;
        self.before = Vec::with_capacity(self.bits.len() + 1);
        for word in &self.bits {
            self.before.push(count);
            count += word.count_ones();
        }
        self.before.push(count);
    }

    /// The number of members of a complete set.
    pub(super) fn len(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// The number of a member of a complete set: how many are before it.
    #[inline]
    pub(super) fn number(&self, pair: Pair) -> usize {
        let position = self.position(pair);
        // Rank by popcount with one counter a word (Jacobson, FOCS 1989): numbers without gaps, so the arrays of a search are as long as
        // the set.
        let below = self.bits[position / 64] & ((1 << (position % 64)) - 1);
        self.before[position / 64] as usize + below.count_ones() as usize
    }

    /// The members, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = Pair> {
        let positions = self.bits.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        });
        // Both numbers were of 32 bits when the pair was made a position.
        positions.map(|position| Pair { state: (position / self.phases) as u32, phase: (position % self.phases) as u32 })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_numbers_of_their_order() {
        let mut pairs = Pairs { phases: 3, bits: vec![0; 4], before: Vec::new() };
        let inserted = [(70, 1), (0, 2), (21, 0), (21, 2), (0, 2), (42, 1)].map(|(state, phase)| Pair { state, phase });
        let new: Vec<bool> = inserted.iter().map(|&pair| pairs.insert(pair)).collect();
        assert_eq!(new, [true, true, true, true, false, true]);
        pairs.complete();
        let members: Vec<Pair> = pairs.members().collect();
        assert_eq!(members, [inserted[1], inserted[2], inserted[3], inserted[5], inserted[0]]);
        assert_eq!(members.iter().map(|&pair| pairs.number(pair)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(pairs.len(), 5);
    }
}
