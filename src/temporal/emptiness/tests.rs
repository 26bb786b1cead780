//! Emptiness against brute force, on small random graphs and automata.

use super::super::graph::tests::{STATE_PROPOSITIONS, STEP_PROPOSITIONS, random_graph};
use super::super::graph::{Edge, StateNumber};
use super::*;
use bcheck_source::SplitMix64;
use std::collections::BTreeSet;

mod instances;
mod traps;

fn random_cube(random: &mut SplitMix64) -> Cube {
    // Few literals, so that cubes are satisfied often.
    let literals = |random: &mut SplitMix64, all: u64| random.word() & random.word() & random.word() & all;
    let (state_true, step_true) = (literals(random, STATE_PROPOSITIONS), literals(random, STEP_PROPOSITIONS));
    let state_false = literals(random, STATE_PROPOSITIONS) & !state_true;
    let step_false = literals(random, STEP_PROPOSITIONS) & !step_true;
    Cube { state_true, state_false, step_true, step_false }
}

/// A random automaton; sometimes its last automaton state accepts everything.
fn random_automaton(random: &mut SplitMix64) -> Automaton {
    let most = if random.below(4) == 0 { 3 } else { 2 };
    let automaton_states = 1 + random.below(most);
    let acceptance_sets = random.below(3) as u32;
    let mut automaton =
        Automaton { initial: vec![AutomatonState::at(random.below(automaton_states))], acceptance_sets, ..Automaton::default() };
    let all = automaton.all_marks();
    for _ in 0..automaton_states {
        let transitions = (0..random.below(4)).map(|_| Transition {
            reads: random_cube(random),
            to: AutomatonState::at(random.below(automaton_states)),
            marks: random.word() & random.word() & all,
        });
        automaton.transitions.push(transitions.collect());
        let ends = (0..random.below(6) / 4).map(|_| Cube { step_true: 0, step_false: 0, ..random_cube(random) }).collect();
        automaton.accepts_end.push(ends);
    }
    if random.below(3) == 0 {
        let stays = Transition { reads: Cube::default(), to: AutomatonState::at(automaton_states - 1), marks: all };
        automaton.transitions[automaton_states - 1].push(stays);
        automaton.accepts_end[automaton_states - 1].push(Cube::default());
    }
    automaton
}

fn random_fairness(random: &mut SplitMix64) -> Vec<Fairness> {
    let count = random.below(4);
    let one = |random: &mut SplitMix64| Fairness {
        is_strong: random.below(2) == 0,
        enabled: random.below(3) as u8,
        taken: random.below(2) as u8,
    };
    (0..count).map(|_| one(random)).collect()
}

fn ask(graph: &Graph, automaton: &Automaton, fairness: &[Fairness], uses_open: bool) -> Emptiness {
    counterexample(&Question { graph, automaton, fairness, each: None, uses_open, interrupted: &|| false })
}

/// An edge of a product that was written out: positions of the product states, acceptance sets kept, propositions of the step.
type Written = (usize, usize, u64, u64);

/// A product as lists: product states that can be reached, and edges between them.
fn written_out(graph: &Graph, automaton: &Automaton, uses_open: bool) -> (Vec<(StateNumber, AutomatonState)>, Vec<Written>) {
    let usable = |state: StateNumber| uses_open || !graph.is_open(state);
    let initial = graph.initial().iter().filter(|&&state| usable(state));
    let mut product_states: Vec<(StateNumber, AutomatonState)> =
        initial.flat_map(|&state| automaton.initial.iter().map(move |&automaton_state| (state, automaton_state))).collect();
    let mut edges = Vec::new();
    let mut at = 0;
    while let Some(&(state, automaton_state)) = product_states.get(at) {
        for edge in graph.edges(state).filter(|edge| usable(edge.to)) {
            let step = graph.step(edge.letter);
            for transition in &automaton.transitions[automaton_state.index()] {
                if transition.reads.allows(graph.letter(state), step) {
                    let to = (edge.to, transition.to);
                    let position = product_states.iter().position(|&product_state| product_state == to).unwrap_or_else(|| {
                        product_states.push(to);
                        product_states.len() - 1
                    });
                    edges.push((at, position, transition.marks, step));
                }
            }
        }
        at += 1;
    }
    (product_states, edges)
}

/// Whether any fair path is accepted: some product state is an accepted end, or some set of product states is strongly connected and meets
/// all demands.
fn exists_slowly(graph: &Graph, automaton: &Automaton, fairness: &[Fairness], uses_open: bool) -> bool {
    let (product_states, edges) = written_out(graph, automaton, uses_open);
    let ends = |&(state, automaton_state): &(StateNumber, AutomatonState)| {
        let cubes = &automaton.accepts_end[automaton_state.index()];
        !graph.is_open(state) && graph.edges(state).count() == 0 && cubes.iter().any(|cube| cube.allows(graph.letter(state), 0))
    };
    product_states.iter().any(ends)
        || (1_u32..1 << product_states.len()).any(|set| is_good(set, graph, automaton, fairness, &product_states, &edges))
}

/// The number of states of the shortest finite path that is accepted.
fn nearest_end(graph: &Graph, automaton: &Automaton, uses_open: bool) -> Option<usize> {
    let (product_states, edges) = written_out(graph, automaton, uses_open);
    let is_first = |&(state, automaton_state): &(StateNumber, AutomatonState)| {
        graph.initial().contains(&state) && automaton.initial.contains(&automaton_state)
    };
    let mut distances: Vec<usize> =
        product_states.iter().map(|product_state| if is_first(product_state) { 1 } else { usize::MAX - 1 }).collect();
    for _ in 0..product_states.len() {
        edges.iter().for_each(|edge| distances[edge.1] = distances[edge.1].min(distances[edge.0] + 1));
    }
    let accepted = |&(state, automaton_state): &(StateNumber, AutomatonState)| {
        let cubes = &automaton.accepts_end[automaton_state.index()];
        graph.is_deadlock(state) && cubes.iter().any(|cube| cube.allows(graph.letter(state), 0))
    };
    product_states.iter().zip(distances).filter(|(product_state, _)| accepted(product_state)).map(|(_, distance)| distance).min()
}

fn is_good(
    set: u32,
    graph: &Graph,
    automaton: &Automaton,
    fairness: &[Fairness],
    product_states: &[(StateNumber, AutomatonState)],
    edges: &[Written],
) -> bool {
    let has = |position: usize| set >> position & 1 == 1;
    let inside = || edges.iter().filter(|edge| has(edge.0) && has(edge.1));
    let members = || (0..product_states.len()).filter(|&position| has(position));
    let has_all_marks = inside().fold(0, |marks, edge| marks | edge.2) == automaton.all_marks();
    let is_fair = |assumption: &Fairness| {
        let enabled = |position: usize| graph.letter(product_states[position].0) >> assumption.enabled & 1 == 1;
        let is_taken = inside().any(|edge| edge.3 >> assumption.taken & 1 == 1);
        is_taken || if assumption.is_strong { !members().any(enabled) } else { !members().all(enabled) }
    };
    if inside().next().is_none() || !has_all_marks || !fairness.iter().all(is_fair) {
        return false;
    }
    // Strongly connected: forwards and backwards from the first member, all are reached.
    let first = set & set.wrapping_neg();
    let grow = |is_forward: bool| {
        let mut reached = first;
        loop {
            let step = |reached: u32, edge: &Written| {
                let (from, to) = if is_forward { (edge.0, edge.1) } else { (edge.1, edge.0) };
                reached | (reached >> from & 1) << to
            };
            let next = inside().fold(reached, step);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    };
    grow(true) == set && grow(false) == set
}

/// Whether an automaton accepts a path: a lasso, or a finite one. By the transitive closure of positions times automaton states.
fn accepts(automaton: &Automaton, states: &[u64], steps: &[u64], end: End) -> bool {
    let automaton_states = automaton.transitions.len();
    let length = states.len();
    let mut edges = Vec::new();
    for position in 0..steps.len() {
        let next = match end {
            End::Loop(start) if position + 1 == length => start,
            _ => position + 1,
        };
        for automaton_state in 0..automaton_states {
            for transition in
                automaton.transitions[automaton_state].iter().filter(|one| one.reads.allows(states[position], steps[position]))
            {
                edges.push((
                    position * automaton_states + automaton_state,
                    next * automaton_states + transition.to.index(),
                    transition.marks,
                ));
            }
        }
    }
    let mut reach = vec![vec![false; length * automaton_states]; length * automaton_states];
    edges.iter().for_each(|&(from, to, _)| reach[from][to] = true);
    for via in 0..reach.len() {
        let row = reach[via].clone();
        for from in reach.iter_mut().filter(|from| from[via]) {
            from.iter_mut().zip(&row).for_each(|(to, via)| *to |= via);
        }
    }
    let reachable = |node: usize| {
        automaton.initial.iter().any(|&automaton_state| automaton_state.index() == node || reach[automaton_state.index()][node])
    };
    match end {
        End::Deadlock => (0..automaton_states).any(|automaton_state| {
            let accepted = automaton.accepts_end[automaton_state].iter().any(|cube| cube.allows(states[length - 1], 0));
            accepted && reachable((length - 1) * automaton_states + automaton_state)
        }),
        End::Loop(_) => (0..reach.len()).filter(|&node| reachable(node) && reach[node][node]).any(|node| {
            let inside = edges.iter().filter(|edge| (edge.0 == node || reach[node][edge.0]) && reach[edge.1][node]);
            inside.fold(0, |marks, edge| marks | edge.2) == automaton.all_marks()
        }),
        End::Prefix => unreachable!("prefixes are judged by what follows"),
    }
}

/// All ways on from a run, of at most so many steps, until it closes a loop or ends.
fn continuations(graph: &Graph, run: &Run, steps: usize, found: &mut Vec<Run>) {
    let last = *run.states.last().expect("not empty");
    if graph.is_deadlock(last) {
        found.push(Run { end: End::Deadlock, ..run.clone() });
    }
    for edge in graph.edges(last) {
        let mut longer = run.clone();
        longer.letters.push(edge.letter);
        for start in (0..run.states.len()).filter(|&start| run.states[start] == edge.to) {
            found.push(Run { end: End::Loop(start), ..longer.clone() });
        }
        if steps > 0 {
            longer.states.push(edge.to);
            continuations(graph, &longer, steps - 1, found);
        }
    }
}

/// Checks a run: a path of the graph, maximal, fair, accepted.
fn check(graph: &Graph, automaton: &Automaton, fairness: &[Fairness], uses_open: bool, run: &Run) {
    assert!(graph.initial().contains(&run.states[0]));
    assert!(run.states.iter().all(|&state| uses_open || !graph.is_open(state)));
    let back = if let End::Loop(start) = run.end { Some(run.states[start]) } else { None };
    let targets: Vec<StateNumber> = run.states[1..].iter().copied().chain(back).collect();
    assert_eq!(run.letters.len(), targets.len());
    for ((&from, &to), &letter) in run.states.iter().zip(&targets).zip(&run.letters) {
        assert!(graph.edges(from).any(|edge| edge == Edge { to, letter }));
    }
    let letters = |run: &Run| -> (Vec<u64>, Vec<u64>) {
        let states = run.states.iter().map(|&state| graph.letter(state)).collect();
        (states, run.letters.iter().map(|&letter| graph.step(letter)).collect())
    };
    let (states, steps) = letters(run);
    match run.end {
        End::Prefix => {
            assert!(fairness.is_empty());
            let mut found = Vec::new();
            continuations(graph, run, 2, &mut found);
            for longer in &found {
                let (states, steps) = letters(longer);
                assert!(accepts(automaton, &states, &steps, longer.end));
            }
        }
        End::Deadlock => {
            assert!(graph.is_deadlock(*run.states.last().expect("not empty")));
            assert!(accepts(automaton, &states, &steps, run.end));
        }
        End::Loop(start) => {
            assert!(accepts(automaton, &states, &steps, run.end));
            for assumption in fairness {
                let enabled: Vec<bool> = states[start..].iter().map(|letter| letter >> assumption.enabled & 1 == 1).collect();
                let must = if assumption.is_strong { enabled.contains(&true) } else { !enabled.contains(&false) };
                assert!(!must || steps[start..].iter().any(|step| step >> assumption.taken & 1 == 1));
            }
        }
    }
}

#[test]
fn random_products_are_judged_as_by_brute_force() {
    let mut random = SplitMix64::new(1987);
    let (mut nothing, mut prefixes, mut deadlocks, mut loops) = (0, 0, 0, 0);
    for round in 0..30_000 {
        let has_open = round % 4 == 0;
        let graph = random_graph(&mut random, has_open);
        let automaton = random_automaton(&mut random);
        let fairness = random_fairness(&mut random);
        let uses_open = random.below(2) == 0;
        let answer = ask(&graph, &automaton, &fairness, uses_open);
        let exists = exists_slowly(&graph, &automaton, &fairness, uses_open);
        match &answer.found {
            Found::Nothing => {
                assert!(!exists, "round {round}: {graph:?} {automaton:?} {fairness:?}");
                let (product_states, edges) = written_out(&graph, &automaton, uses_open);
                assert_eq!(
                    (answer.states, answer.edges),
                    (product_states.iter().collect::<BTreeSet<_>>().len() as u64, edges.len() as u64)
                );
                nothing += 1;
            }
            Found::Accepted(run) => {
                check(&graph, &automaton, &fairness, uses_open, run);
                let nearest = nearest_end(&graph, &automaton, uses_open);
                assert!(matches!(run.end, End::Loop(_)) == nearest.is_none() || run.end == End::Prefix, "round {round}");
                assert!(nearest.is_none_or(|nearest| run.states.len() <= nearest), "round {round}: {run:?}");
                // What is known of an open graph need not go on; else there is a lasso or deadlock wherever there is a prefix.
                assert!(exists || run.end == End::Prefix && graph.is_partial(), "round {round}");
                match run.end {
                    End::Prefix => prefixes += 1,
                    End::Deadlock => deadlocks += 1,
                    End::Loop(_) => loops += 1,
                }
            }
            Found::Interrupted | Found::TooLarge => panic!("round {round}"),
        }
    }
    assert!(nothing > 1_000 && prefixes > 1_000 && deadlocks > 1_000 && loops > 1_000, "{nothing} {prefixes} {deadlocks} {loops}");
}

#[test]
fn some_path_is_fair_exactly_if_brute_force_finds_one() {
    let mut random = SplitMix64::new(16);
    let always = Automaton {
        initial: vec![AutomatonState::new(0)],
        transitions: vec![vec![Transition { reads: Cube::default(), to: AutomatonState::new(0), marks: 0 }]],
        accepts_end: vec![vec![Cube::default()]],
        acceptance_sets: 0,
    };
    let mut without = 0;
    for _ in 0..3_000 {
        let graph = random_graph(&mut random, false);
        let fairness = random_fairness(&mut random);
        let has_path = has_fair_path(&graph, &fairness, None, false, &|| false).expect("not interrupted");
        assert_eq!(has_path, exists_slowly(&graph, &always, &fairness, false));
        without += u32::from(!has_path);
    }
    assert!(without > 100, "{without}");
}
