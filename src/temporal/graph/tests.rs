//! Tests of graphs, and the small random graphs that other tests judge.

use super::*;
use bcheck_source::SplitMix64;

/// The propositions of states and of steps that random graphs use.
pub(crate) const STATE_PROPOSITIONS: u64 = 0b111;
pub(crate) const STEP_PROPOSITIONS: u64 = 0b11;

/// A random graph of up to four states, with deadlocks and several initial states, and with open ones if wanted.
pub(crate) fn random_graph(random: &mut SplitMix64, has_open: bool) -> Graph {
    let count = 1 + random.below(4);
    let mut builder = GraphBuilder::new(true);
    let density = 1 + random.below(3);
    for _ in 0..count {
        let mut edges: Vec<Edge> = (0..random.below(density + 2))
            .map(|_| Edge { to: StateNumber::at(random.below(count)), letter: builder.step_letter(random.word() & STEP_PROPOSITIONS) })
            .collect();
        let state = builder.push(random.word() & STATE_PROPOSITIONS, &mut edges);
        if has_open && random.below(4) == 0 {
            builder.mark_open(state);
        }
    }
    for _ in 0..1 + random.below(2) {
        builder.mark_initial(StateNumber::at(random.below(count)));
    }
    builder.finish()
}

/// The states with these numbers.
pub(crate) fn states<const COUNT: usize>(numbers: [u32; COUNT]) -> Vec<StateNumber> {
    numbers.map(StateNumber::new).to_vec()
}

/// A graph whose states have these letters and edges (source, target, letter of the step); state 0 is initial.
pub(crate) fn graph(letters: &[u64], edges: &[(u32, u32, u64)]) -> Graph {
    let mut builder = GraphBuilder::new(true);
    for (state, &letter) in letters.iter().enumerate() {
        let from = edges.iter().filter(|edge| edge.0 as usize == state);
        let mut row = from.map(|&(_, to, step)| Edge { to: StateNumber::new(to), letter: builder.step_letter(step) }).collect();
        builder.push(letter, &mut row);
    }
    builder.mark_initial(StateNumber::new(0));
    builder.finish()
}

/// The graph of a phone book: each name has none or one of as many numbers; one is added or deleted. States are numbered breadth first.
pub(crate) fn phone_book(size: u32) -> (Graph, usize) {
    let base = size + 1;
    let count = base.pow(size) as usize;
    let mut number_of = vec![u32::MAX; count];
    let mut order = vec![0_u32];
    number_of[0] = 0;
    let mut builder = GraphBuilder::new(false);
    let mut edges = Vec::new();
    let mut targets = 0;
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        at += 1;
        edges.clear();
        for name in 0..size {
            let weight = base.pow(name);
            let digit = state / weight % base;
            let digits = if digit == 0 { 1..=size } else { 0..=0 };
            for next in digits.map(|new| state - digit * weight + new * weight) {
                let number = &mut number_of[next as usize];
                if *number == u32::MAX {
                    *number = u32::try_from(order.len()).expect("small");
                    order.push(next);
                }
                edges.push(Edge { to: StateNumber::new(*number), letter: StepLetter::new(0) });
            }
        }
        targets += edges.len();
        builder.push(u64::from(state == 0), &mut edges);
    }
    builder.mark_initial(StateNumber::new(0));
    (builder.finish(), targets)
}

#[test]
fn a_phone_book_takes_at_most_26_tenths_of_a_byte_a_target() {
    let (graph, targets) = phone_book(6);
    assert_eq!((graph.known(), targets), (StateNumber::new(117_649), 1_210_104));
    assert!(10 * graph.rows.allocated() <= 26 * targets, "{} bytes for {targets} targets", graph.rows.allocated());
    assert!(graph.bytes() <= graph.rows.allocated() + 118_000);
    let neighbours = graph.edges(StateNumber::new(0)).map(|edge| edge.to.number());
    assert_eq!(neighbours.collect::<Vec<_>>(), (1..=36).collect::<Vec<_>>());
}

#[test]
fn edges_are_sorted_without_repetitions_and_letters_are_kept() {
    let graph = graph(&[5, 6], &[(0, 1, 2), (0, 0, 0), (0, 1, 1), (0, 1, 2)]);
    let [first, second] = [0, 1].map(StateNumber::new);
    let edges: Vec<(StateNumber, u64)> = graph.edges(first).map(|edge| (edge.to, graph.step(edge.letter))).collect();
    assert_eq!(edges, [(first, 0), (second, 2), (second, 1)]);
    assert_eq!((graph.letter(first), graph.letter(second)), (5, 6));
    assert!(graph.is_deadlock(second) && !graph.is_deadlock(first));
}

#[test]
fn without_letters_of_steps_parallel_edges_are_one() {
    let mut builder = GraphBuilder::new(false);
    let letter = builder.step_letter(3);
    let to = StateNumber::new(0);
    builder.push(0, &mut vec![Edge { to, letter }, Edge { to, letter: StepLetter::new(9) }]);
    let graph = builder.finish();
    assert_eq!(graph.edges(to).collect::<Vec<_>>(), [Edge { to, letter: StepLetter::new(0) }]);
    assert_eq!(graph.step(StepLetter::new(0)), 0);
}

#[test]
fn open_states_and_states_without_a_row_are_no_deadlocks() {
    let mut builder = GraphBuilder::new(false);
    let [second, third] = [1, 2].map(StateNumber::new);
    assert!(!builder.graph().is_partial());
    builder.push(0, &mut vec![Edge { to: third, letter: StepLetter::new(0) }]);
    builder.push(0, &mut Vec::new());
    assert!(builder.graph().is_deadlock(second) && builder.graph().is_partial());
    assert!(!builder.graph().is_deadlock(third) && builder.graph().is_open(third));
    assert_eq!((builder.graph().known(), builder.graph().size(), builder.graph().edges(third).count()), (third, third.next(), 0));
    builder.push(0, &mut Vec::new());
    assert!(!builder.graph().is_partial());
    builder.mark_open(second);
    let graph = builder.finish();
    assert!(graph.is_open(second) && !graph.is_deadlock(second) && graph.is_partial());
}
