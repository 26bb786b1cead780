//! Which pairs of a product can be reached: state by state, all phases together.
//!
//! A row is decoded once for all phases that are new in its state, and what they lead to is added as bits. The order has no meaning:
//! whoever needs a shortest way looks for it again (`lasso`).
//! Invariant: a complete exploration goes on where it ended when the graph has grown, by rows of states that had none and by letters; pairs
//! of states without a row are reached and wait. Each pair is expanded once, so all its calls together cost as much as one on the last
//! graph. One that was not complete begins anew: of a level that was broken off nothing waits. Deliberately elsewhere: what is accepted
//! (`emptiness`).

use super::automaton::Transition;
use super::pairs::{Pair, Pairs};
use super::product::Product;
use std::mem;

/// The pairs that were reached so far in the product of one automaton with a graph that grows.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    reached: Option<Explored>,
    /// Whether all that could be reached was: only then can it be gone on with.
    is_complete: bool,
}

#[derive(Clone, Debug)]
struct Explored {
    pairs: Pairs,
    /// Those that were not expanded yet.
    fresh: Pairs,
    /// The states below this number had rows when the exploration ended last.
    known: u32,
    /// The number of pairs, and of the edges of those that were expanded.
    states: usize,
    edges: u64,
}

/// Which pairs decide, so that nothing more need be reached.
pub(super) struct Deciding<'a> {
    /// By phase, whether any pair with it may decide if its state is a deadlock, or whatever its state is.
    pub(super) at_end: Vec<bool>,
    pub(super) anywhere: Vec<bool>,
    /// Asked of pairs that may.
    pub(super) decides: &'a dyn Fn(Pair) -> bool,
}

/// How an exploration ends. Only one that is complete can be gone on with: a later call looks for pairs that wait among the states with
/// new rows, and those of a level that was broken off have had theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A pair was reached that decides.
    Decided,
    Complete,
    Interrupted,
    TooLarge,
}

/// How many states are expanded between two questions whether to stop.
const PATIENCE: usize = 1 << 12;

/// Pairs are numbered in 32 bits. Even when the edges of one more state are followed beyond the limit, all numbers fit.
const LIMIT: usize = 1 << 31;

/// Successors of a set of automaton states under transitions with the same step cube.
struct Move {
    step_true: u64,
    step_false: u64,
    /// In which of the words of a state, and as its bits.
    word: usize,
    phases: u64,
    /// How many transitions these are.
    transitions: u64,
}

/// The moves of the new phases of a state.
#[derive(Default)]
struct Moves {
    /// The slot of its letter with the first phase, and the phases, by word.
    slot: u32,
    new: Vec<u64>,
    list: Vec<Move>,
    /// Whether any of the phases may decide in a deadlock, and anywhere.
    at_end: bool,
    anywhere: bool,
}

impl Exploration {
    /// Reaches what can be reached, or a pair that decides.
    pub(super) fn advance(&mut self, product: &Product<'_>, deciding: &Deciding<'_>, interrupted: &dyn Fn() -> bool) -> Reach {
        self.advance_asking(PATIENCE, product, deciding, interrupted)
    }

    /// The same; after every `patience` expanded states, `interrupted` is polled.
    fn advance_asking(&mut self, patience: usize, product: &Product<'_>, deciding: &Deciding<'_>, interrupted: &dyn Fn() -> bool) -> Reach {
        if !mem::take(&mut self.is_complete) {
            self.reached = None;
        }
        let reached = self.reached.get_or_insert_with(|| Explored::new(product.automaton.transitions.len()));
        let reach = reached.advance(product, deciding, (interrupted, patience));
        self.is_complete = reach == Reach::Complete;
        reach
    }

    /// The numbers of pairs and edges; of pairs without a row, too.
    pub(super) fn size(&self) -> (u64, u64) {
        self.reached.as_ref().map_or((0, 0), |reached| (reached.states as u64, reached.edges))
    }

    /// The pairs of states that have rows, complete.
    pub(super) fn complete(&mut self) -> Option<&Pairs> {
        let Explored { pairs, known, .. } = self.reached.as_mut()?;
        pairs.complete(*known);
        Some(pairs)
    }
}

impl Explored {
    fn new(phases: usize) -> Self {
        Self { pairs: Pairs::new(phases), fresh: Pairs::new(phases), known: 0, states: 0, edges: 0 }
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
                if may_decide && moves.phases().any(|phase| (deciding.decides)(Pair { state, phase })) {
                    return Reach::Decided;
                }
                self.follow(product, state, &moves, &mut next);
            }
            level = next;
        }
        Reach::Complete
    }

    /// The states with pairs that can be expanded now.
    fn begin(&mut self, product: &Product<'_>) -> Vec<u32> {
        let graph = product.graph;
        self.pairs.grow(graph.size());
        self.fresh.grow(graph.size());
        let mut level = Vec::new();
        for &state in graph.initial().iter().filter(|&&state| !product.is_barred(state)) {
            for &phase in &product.automaton.initial {
                let pair = Pair { state, phase };
                if self.pairs.insert(pair) {
                    self.states += 1;
                    // `known` is still that of the call before: states with new rows join the level below, all together.
                    if state < self.known && self.fresh.is_without(state) {
                        level.push(state);
                    }
                    self.fresh.insert(pair);
                }
            }
        }
        // All other pairs were expanded; these have waited for rows.
        for state in mem::replace(&mut self.known, graph.known())..graph.known() {
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

    /// Forgets the pairs of a state, none of which was expanded.
    fn drop(&mut self, state: u32) {
        let (words, offset) = self.fresh.words(state);
        for word in words {
            let phases = self.fresh.phases(word, offset);
            self.fresh.remove(word, offset, phases);
            self.pairs.remove(word, offset, phases);
            self.states -= phases.count_ones() as usize;
        }
    }

    /// Takes the new phases of a state, and puts together what they lead to.
    fn take(&mut self, product: &Product<'_>, state: u32, deciding: &Deciding<'_>, moves: &mut Moves) {
        // The first slot of the letter stands for its class: the slots of its other phases follow.
        let slot = product.slot(Pair { state, phase: 0 });
        let (words, offset) = self.fresh.words(state);
        let mut is_known = slot == moves.slot && moves.new.len() == words.len();
        moves.slot = slot;
        moves.new.resize(words.len(), 0);
        for (word, new) in words.zip(&mut moves.new) {
            let phases = self.fresh.phases(word, offset);
            self.fresh.remove(word, offset, phases);
            is_known &= mem::replace(new, phases) == phases;
        }
        // Most often they are those of the state before.
        if !is_known {
            moves.put_together(product, deciding);
        }
    }

    /// Adds the pairs that moves of a state lead to, and the states of those that are new.
    fn follow(&mut self, product: &Product<'_>, state: u32, moves: &Moves, next: &mut Vec<u32>) {
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
            let (words, offset) = self.pairs.words(edge.to);
            for own in &moves.list {
                if step & own.step_true != own.step_true || step & own.step_false != 0 {
                    continue;
                }
                self.edges += own.transitions;
                let new = self.pairs.add(words.start + own.word, offset, own.phases);
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
    /// The new phases.
    fn phases(&self) -> impl Iterator<Item = u32> {
        (0..)
            .step_by(64)
            .zip(&self.new)
            .flat_map(|(first, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit))
    }

    fn put_together(&mut self, product: &Product<'_>, deciding: &Deciding<'_>) {
        let all = &product.readings.all;
        let mut list: Vec<Move> = Vec::new();
        let (mut at_end, mut anywhere) = (false, false);
        for phase in self.phases() {
            at_end |= deciding.at_end[phase as usize];
            anywhere |= deciding.anywhere[phase as usize];
            let (begin, end) = all.bounds(self.slot + phase);
            for &Transition { reads, to, .. } in (begin..end).map(|position| all.transition(position)) {
                let word = to as usize / 64;
                let is_same = |own: &&mut Move| (own.step_true, own.step_false, own.word) == (reads.step_true, reads.step_false, word);
                let phases = 1 << (to % 64);
                match list.iter_mut().find(is_same) {
                    Some(own) => {
                        own.phases |= phases;
                        own.transitions += 1;
                    }
                    None => {
                        list.push(Move { step_true: reads.step_true, step_false: reads.step_false, word, phases, transitions: 1 });
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
    use crate::automaton::{Automaton, Cube};
    use crate::graph::{Edge, GraphBuilder};
    use bcheck_source::SplitMix64;
    use std::cell::Cell;

    /// An automaton with one letter of states and one of steps that moves at random.
    fn random_automaton(random: &mut SplitMix64, phases: usize) -> Automaton {
        let cube = |random: &mut SplitMix64| Cube {
            state_true: u64::from(random.below(3) == 0),
            step_true: u64::from(random.below(3) == 0),
            ..Cube::default()
        };
        let transition = |random: &mut SplitMix64| Transition { reads: cube(random), to: random.below(phases) as u32, kept: 0 };
        let transitions = (0..phases).map(|_| (0..1 + random.below(3)).map(|_| transition(random)).collect()).collect();
        Automaton { initial: vec![random.below(phases) as u32], transitions, accepts_end: vec![Vec::new(); phases], promises: 0 }
    }

    /// What is reached, pair by pair.
    fn slowly(product: &Product<'_>) -> (Vec<Pair>, u64) {
        let mut visited = product.no_pairs();
        let mut reached: Vec<Pair> = product.initial().filter(|&pair| visited.insert(pair)).collect();
        let (mut at, mut edges) = (0, 0);
        while let Some(&pair) = reached.get(at) {
            for arc in product.arcs(pair) {
                edges += 1;
                if visited.insert(arc.to) {
                    reached.push(arc.to);
                }
            }
            at += 1;
        }
        reached.sort_unstable_by_key(|pair| (pair.state, pair.phase));
        (reached, edges)
    }

    #[test]
    fn what_is_reached_while_the_graph_grows_is_what_is_reached_at_its_end() {
        let mut random = SplitMix64::new(2003);
        for round in 0..600 {
            let phases = if round % 3 == 0 { 60 + random.below(80) } else { 1 + random.below(5) };
            let automaton = random_automaton(&mut random, phases);
            let uses_open = round % 2 == 0;
            let nothing = Deciding { at_end: vec![false; phases], anywhere: vec![false; phases], decides: &|_| false };
            let states = 1 + random.below(30);
            let mut builder = GraphBuilder::new(true);
            builder.mark_initial(0);
            builder.mark_initial(random.below(states) as u32);
            let mut exploration = Exploration::default();
            for state in 0..states {
                let edge = |random: &mut SplitMix64, builder: &mut GraphBuilder| {
                    let to = random.below(states) as u32;
                    Edge { to, letter: builder.step_letter(random.below(2) as u64) }
                };
                let mut row: Vec<Edge> = (0..random.below(4)).map(|_| edge(&mut random, &mut builder)).collect();
                builder.push(random.below(2) as u64, &mut row);
                if random.below(5) == 0 {
                    builder.mark_open(state as u32);
                }
                let is_last = state + 1 == states;
                if is_last || random.below(6) == 0 {
                    let product = Product::new(builder.graph(), &automaton, uses_open);
                    // A limit may interrupt it at any time, and a last judgement go on with it.
                    for ticks in (0..random.below(8)).rev() {
                        let left = Cell::new(ticks);
                        let reach = exploration.advance_asking(1, &product, &nothing, &|| left.replace(left.get().saturating_sub(1)) == 0);
                        assert!(matches!(reach, Reach::Interrupted | Reach::Complete));
                    }
                    assert!(matches!(exploration.advance(&product, &nothing, &|| false), Reach::Complete));
                    let (reached, edges) = slowly(&product);
                    let pairs = exploration.complete().expect("explored");
                    assert_eq!(pairs.members().collect::<Vec<_>>(), reached);
                    if is_last && uses_open {
                        assert_eq!(exploration.size(), (reached.len() as u64, edges));
                    }
                }
            }
        }
    }
}
