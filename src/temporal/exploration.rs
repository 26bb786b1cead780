//! Which product states are reachable: state by state, all automaton states together.
//!
//! A row is decoded once for all automaton states that are new in its state, and their successors are added as bits. The order has no
//! meaning: a shortest path is searched for again (`lasso`).
//! Invariant: when the graph has grown (by rows of states that had none, and by letters), a complete exploration continues where it ended;
//! product states of states without a row are reached and wait. Each product state is expanded once, so all calls together cost as much as
//! one on the final graph. An incomplete exploration starts anew: a level that was interrupted leaves nothing waiting. Deliberately
//! elsewhere: what is accepted (`emptiness`).

use super::automaton::{AutomatonState, Transition};
use super::graph::StateNumber;
use super::product::Product;
use super::product_states::{ProductState, ProductStates};
use super::readings::{AllowedPosition, Slot};
use std::mem;

/// The product states reached so far in the product of one automaton with a growing graph.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    reached: Option<Explored>,
    /// Whether everything reachable was reached: only then can it be continued.
    is_complete: bool,
}

#[derive(Clone, Debug)]
struct Explored {
    product_states: ProductStates,
    /// Those that were not expanded yet.
    fresh: ProductStates,
    /// The states below this number had rows when the exploration ended last.
    known: StateNumber,
    /// The number of product states, and of the edges of those that were expanded.
    states: usize,
    edges: u64,
}

/// Which product states decide, so that nothing more need be reached.
pub(super) struct Deciding<'a> {
    /// By automaton state, whether a product state with it may decide if its state is a deadlock, or whatever its state is.
    pub(super) at_end: Vec<bool>,
    pub(super) anywhere: Vec<bool>,
    /// Called for product states that may.
    pub(super) decides: &'a dyn Fn(ProductState) -> bool,
}

/// How an exploration ends. Only a complete one can be continued: a later call looks for waiting product states among the states with new
/// rows, and those of an interrupted level already had theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A product state was reached that decides.
    Decided,
    Complete,
    Interrupted,
    TooLarge,
}

/// How many states are expanded between two questions whether to stop.
const PATIENCE: usize = 1 << 12;

/// Product states are numbered in 32 bits. Even when the edges of one more state are followed beyond the limit, all numbers fit.
const LIMIT: usize = 1 << 31;

/// Successors of a set of automaton states under transitions with the same step cube.
struct Move {
    step_true: u64,
    step_false: u64,
    /// The word of a state, and the bits in it.
    word: usize,
    automaton_states: u64,
    /// How many transitions these are.
    transitions: u64,
}

/// The moves of the new automaton states at a state of the graph.
#[derive(Default)]
struct Moves {
    /// The slot of its letter with the first automaton state, and the automaton states, by word.
    slot: Slot,
    new: Vec<u64>,
    list: Vec<Move>,
    /// Whether any of the automaton states may decide in a deadlock, and anywhere.
    at_end: bool,
    anywhere: bool,
}

impl Exploration {
    /// Reaches what can be reached, or a product state that decides.
    pub(super) fn advance(&mut self, product: &Product<'_>, deciding: &Deciding<'_>, interrupted: &dyn Fn() -> bool) -> Reach {
        self.advance_asking(PATIENCE, product, deciding, interrupted)
    }

    /// As [`Self::advance`], polling `interrupted` after every `patience` expanded states.
    fn advance_asking(&mut self, patience: usize, product: &Product<'_>, deciding: &Deciding<'_>, interrupted: &dyn Fn() -> bool) -> Reach {
        if !mem::take(&mut self.is_complete) {
            self.reached = None;
        }
        let reached = self.reached.get_or_insert_with(|| Explored::new(product.automaton.transitions.len()));
        let reach = reached.advance(product, deciding, (interrupted, patience));
        self.is_complete = reach == Reach::Complete;
        reach
    }

    /// The numbers of product states and edges; of product states without a row, too.
    pub(super) fn size(&self) -> (u64, u64) {
        self.reached.as_ref().map_or((0, 0), |reached| (reached.states as u64, reached.edges))
    }

    /// The product states of states that have rows, complete.
    pub(super) fn complete(&mut self) -> Option<&ProductStates> {
        let Explored { product_states, known, .. } = self.reached.as_mut()?;
        product_states.complete(*known);
        Some(product_states)
    }
}

impl Explored {
    fn new(automaton_states: usize) -> Self {
        Self {
            product_states: ProductStates::new(automaton_states),
            fresh: ProductStates::new(automaton_states),
            known: StateNumber::new(0),
            states: 0,
            edges: 0,
        }
    }

    fn advance(&mut self, product: &Product<'_>, deciding: &Deciding<'_>, (interrupted, patience): (&dyn Fn() -> bool, usize)) -> Reach {
        let mut level = self.begin(product);
        let mut moves = Moves::default();
        let mut expanded = 0_usize;
        while !level.is_empty() {
            let mut next = Vec::new();
            for state in level {
                expanded += 1;
                if expanded.is_multiple_of(patience) && interrupted() {
                    return Reach::Interrupted;
                }
                if self.states >= LIMIT {
                    return Reach::TooLarge;
                }
                self.take(product, state, deciding, &mut moves);
                let may_decide = moves.anywhere || moves.at_end && product.graph.is_deadlock(state);
                if may_decide && moves.automaton_states().any(|automaton_state| (deciding.decides)(ProductState { state, automaton_state }))
                {
                    return Reach::Decided;
                }
                self.follow(product, state, &moves, &mut next);
            }
            level = next;
        }
        Reach::Complete
    }

    /// The states with product states that can be expanded now.
    fn begin(&mut self, product: &Product<'_>) -> Vec<StateNumber> {
        let graph = product.graph;
        self.product_states.grow(graph.size());
        self.fresh.grow(graph.size());
        let mut level = Vec::new();
        for &state in graph.initial().iter().filter(|&&state| !product.is_barred(state)) {
            for &automaton_state in &product.automaton.initial {
                let product_state = ProductState { state, automaton_state };
                if self.product_states.insert(product_state) {
                    self.states += 1;
                    // `known` still has the value of the previous call: states with new rows all join the level below.
                    if state < self.known && self.fresh.is_without(state) {
                        level.push(state);
                    }
                    self.fresh.insert(product_state);
                }
            }
        }
        // All other product states were expanded; these have waited for rows.
        for state in StateNumber::each(mem::replace(&mut self.known, graph.known())..graph.known()) {
            if self.fresh.is_without(state) {
                continue;
            }
            match product.is_barred(state) {
                true => self.drop(state),
                false => level.push(state),
            }
        }
        level
    }

    /// Forgets the product states of a state, none of which has been expanded.
    fn drop(&mut self, state: StateNumber) {
        let (words, offset) = self.fresh.words(state);
        for word in words {
            let automaton_states = self.fresh.automaton_states(word, offset);
            self.fresh.remove(word, offset, automaton_states);
            self.product_states.remove(word, offset, automaton_states);
            self.states -= automaton_states.count_ones() as usize;
        }
    }

    /// Takes the new automaton states of a state and collects their moves.
    fn take(&mut self, product: &Product<'_>, state: StateNumber, deciding: &Deciding<'_>, moves: &mut Moves) {
        // The first slot of the letter identifies its class: the slots of its other automaton states follow.
        let slot = product.slot(ProductState { state, automaton_state: AutomatonState::new(0) });
        let (words, offset) = self.fresh.words(state);
        let mut is_known = slot == moves.slot && moves.new.len() == words.len();
        moves.slot = slot;
        moves.new.resize(words.len(), 0);
        for (word, new) in words.zip(&mut moves.new) {
            let automaton_states = self.fresh.automaton_states(word, offset);
            self.fresh.remove(word, offset, automaton_states);
            is_known &= mem::replace(new, automaton_states) == automaton_states;
        }
        // Most often they are those of the state before.
        if !is_known {
            moves.put_together(product, deciding);
        }
    }

    /// Adds the product states reached by moves of a state, and collects the states of those that are new.
    fn follow(&mut self, product: &Product<'_>, state: StateNumber, moves: &Moves, next: &mut Vec<StateNumber>) {
        if moves.list.is_empty() {
            return;
        }
        let graph = product.graph;
        let mut cursor = graph.cursor(state);
        while let Some(edge) = graph.next(&mut cursor) {
            if product.is_barred(edge.to) {
                continue;
            }
            let step = graph.step(edge.letter);
            // Both sets have room for the same states, so one position serves them.
            let (words, offset) = self.product_states.words(edge.to);
            for own in &moves.list {
                if step & own.step_true != own.step_true || step & own.step_false != 0 {
                    continue;
                }
                self.edges += own.transitions;
                let new = self.product_states.add(words.start + own.word, offset, own.automaton_states);
                if new != 0 {
                    self.states += new.count_ones() as usize;
                    // A state that waits already has its place.
                    if edge.to < self.known && self.fresh.is_without(edge.to) {
                        next.push(edge.to);
                    }
                    self.fresh.add(words.start + own.word, offset, new);
                }
            }
        }
    }
}

impl Moves {
    /// The new automaton states.
    fn automaton_states(&self) -> impl Iterator<Item = AutomatonState> {
        (0..)
            .step_by(64)
            .zip(&self.new)
            .flat_map(|(first, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| AutomatonState::new(first + bit)))
    }

    fn put_together(&mut self, product: &Product<'_>, deciding: &Deciding<'_>) {
        let all = &product.readings.all;
        let mut list: Vec<Move> = Vec::new();
        let (mut at_end, mut anywhere) = (false, false);
        for automaton_state in self.automaton_states() {
            at_end |= deciding.at_end[automaton_state.index()];
            anywhere |= deciding.anywhere[automaton_state.index()];
            let (begin, end) = all.bounds(self.slot.with(automaton_state));
            for &Transition { reads, to, .. } in AllowedPosition::each(begin..end).map(|position| all.transition(position)) {
                let word = to.index() / 64;
                let is_same = |own: &&mut Move| (own.step_true, own.step_false, own.word) == (reads.step_true, reads.step_false, word);
                let automaton_states = 1 << (to.number() % 64);
                match list.iter_mut().find(is_same) {
                    Some(own) => {
                        own.automaton_states |= automaton_states;
                        own.transitions += 1;
                    }
                    None => {
                        list.push(Move {
                            step_true: reads.step_true,
                            step_false: reads.step_false,
                            word,
                            automaton_states,
                            transitions: 1,
                        });
                    }
                }
            }
        }
        *self = Self { list, at_end, anywhere, new: mem::take(&mut self.new), ..*self };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Automaton, AutomatonState, Cube};
    use crate::graph::{Edge, GraphBuilder};
    use bcheck_source::SplitMix64;
    use std::cell::Cell;

    /// An automaton with one letter of states and one of steps that moves at random.
    fn random_automaton(random: &mut SplitMix64, automaton_states: usize) -> Automaton {
        let cube = |random: &mut SplitMix64| Cube {
            state_true: u64::from(random.below(3) == 0),
            step_true: u64::from(random.below(3) == 0),
            ..Cube::default()
        };
        let transition =
            |random: &mut SplitMix64| Transition { reads: cube(random), to: AutomatonState::at(random.below(automaton_states)), marks: 0 };
        let transitions = (0..automaton_states).map(|_| (0..1 + random.below(3)).map(|_| transition(random)).collect()).collect();
        Automaton {
            initial: vec![AutomatonState::at(random.below(automaton_states))],
            transitions,
            accepts_end: vec![Vec::new(); automaton_states],
            acceptance_sets: 0,
        }
    }

    /// The reachable product states, one after the other.
    fn slowly(product: &Product<'_>) -> (Vec<ProductState>, u64) {
        let mut visited = product.no_product_states();
        let mut reached: Vec<ProductState> = product.initial().filter(|&product_state| visited.insert(product_state)).collect();
        let (mut at, mut edges) = (0, 0);
        while let Some(&product_state) = reached.get(at) {
            for arc in product.arcs(product_state) {
                edges += 1;
                if visited.insert(arc.to) {
                    reached.push(arc.to);
                }
            }
            at += 1;
        }
        reached.sort_unstable_by_key(|product_state| (product_state.state, product_state.automaton_state));
        (reached, edges)
    }

    #[test]
    fn what_is_reached_while_the_graph_grows_is_what_is_reached_at_its_end() {
        let mut random = SplitMix64::new(2003);
        for round in 0..600 {
            let automaton_states = if round % 3 == 0 { 60 + random.below(80) } else { 1 + random.below(5) };
            let automaton = random_automaton(&mut random, automaton_states);
            let uses_open = round % 2 == 0;
            let nothing = Deciding { at_end: vec![false; automaton_states], anywhere: vec![false; automaton_states], decides: &|_| false };
            let states = 1 + random.below(30);
            let mut builder = GraphBuilder::new(true);
            builder.mark_initial(StateNumber::new(0));
            builder.mark_initial(StateNumber::at(random.below(states)));
            let mut exploration = Exploration::default();
            for state in 0..states {
                let edge = |random: &mut SplitMix64, builder: &mut GraphBuilder| {
                    let to = StateNumber::at(random.below(states));
                    Edge { to, letter: builder.step_letter(random.below(2) as u64) }
                };
                let mut row: Vec<Edge> = (0..random.below(4)).map(|_| edge(&mut random, &mut builder)).collect();
                builder.push(random.below(2) as u64, &mut row);
                if random.below(5) == 0 {
                    builder.mark_open(StateNumber::at(state));
                }
                let is_last = state + 1 == states;
                if is_last || random.below(6) == 0 {
                    let product = Product::new(builder.graph(), &automaton, uses_open);
                    // A limit may interrupt it at any time, and a final check continue it.
                    for ticks in (0..random.below(8)).rev() {
                        let left = Cell::new(ticks);
                        let reach = exploration.advance_asking(1, &product, &nothing, &|| left.replace(left.get().saturating_sub(1)) == 0);
                        assert!(matches!(reach, Reach::Interrupted | Reach::Complete));
                    }
                    assert!(matches!(exploration.advance(&product, &nothing, &|| false), Reach::Complete));
                    let (reached, edges) = slowly(&product);
                    let product_states = exploration.complete().expect("explored");
                    assert_eq!(product_states.members().collect::<Vec<_>>(), reached);
                    if is_last && uses_open {
                        assert_eq!(exploration.size(), (reached.len() as u64, edges));
                    }
                }
            }
        }
    }
}
