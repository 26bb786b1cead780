//! Branching time against its definition: naive fixpoints on small random graphs, and on all that partial graphs may become.

use super::super::graph::tests::{STATE_PROPOSITIONS, graph, random_graph, states};
use super::super::graph::{Edge, End, GraphBuilder, StateNumber, StepLetter};
use super::*;
use bcheck_source::SplitMix64;

fn boxed(random: &mut SplitMix64, depth: usize) -> Box<Branching> {
    Box::new(random_formula(random, depth))
}

fn random_formula(random: &mut SplitMix64, depth: usize) -> Branching {
    let kinds = if depth == 0 { 3 } else { 16 };
    let mut inner = || boxed(random, depth.saturating_sub(1));
    let (left, right) = if depth == 0 { (Box::new(Branching::True), Box::new(Branching::True)) } else { (inner(), inner()) };
    match random.below(kinds) {
        0 | 1 => Branching::State(random.below(3) as u8),
        2 => [Branching::True, Branching::False, Branching::State(0), Branching::State(1)][random.below(4)].clone(),
        3 => Branching::Not(left),
        4 => Branching::And(left, right),
        5 => Branching::Or(left, right),
        6 => Branching::Implies(left, right),
        7 => Branching::Equivalent(left, right),
        8 => Branching::ExistsNext([None, Some(0), Some(1)][random.below(3)], left),
        9 => Branching::AllNext(left),
        10 => Branching::ExistsFinally(left),
        11 => Branching::ExistsGlobally(left),
        12 => Branching::AllFinally(left),
        13 => Branching::AllGlobally(left),
        14 => Branching::ExistsUntil(left, right),
        _ => Branching::AllUntil(left, right),
    }
}

/// The fixpoint that is reached from a value everywhere.
fn fixpoint(graph: &Graph, start: bool, step: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
    let mut now = vec![start; graph.known().index()];
    loop {
        let next: Vec<bool> = (0..now.len()).map(|state| step(state, &now)).collect();
        if next == now {
            return now;
        }
        now = next;
    }
}

/// Where a formula holds, by definition; no state is open.
fn naive(graph: &Graph, formula: &Branching) -> Vec<bool> {
    let value = |inner: &Branching| naive(graph, inner);
    let is_dead = |state: usize| graph.edges(StateNumber::at(state)).count() == 0;
    let some = |state: usize, now: &[bool]| graph.edges(StateNumber::at(state)).any(|edge| now[edge.to.index()]);
    let all = |state: usize, now: &[bool]| graph.edges(StateNumber::at(state)).all(|edge| now[edge.to.index()]);
    let combine = |left: &Branching, right: &Branching, operator: fn(bool, bool) -> bool| {
        value(left).into_iter().zip(value(right)).map(|(left, right)| operator(left, right)).collect()
    };
    match formula {
        Branching::True => vec![true; graph.known().index()],
        Branching::False => vec![false; graph.known().index()],
        Branching::State(proposition) => graph.states().map(|state| graph.letter(state) >> proposition & 1 == 1).collect(),
        Branching::Not(inner) => value(inner).into_iter().map(|value| !value).collect(),
        Branching::And(left, right) => combine(left, right, |left, right| left && right),
        Branching::Or(left, right) => combine(left, right, |left, right| left || right),
        Branching::Implies(left, right) => combine(left, right, |left, right| !left || right),
        Branching::Equivalent(left, right) => combine(left, right, |left, right| left == right),
        Branching::ExistsNext(letter, inner) => {
            let inner = value(inner);
            let by = |edge: &Edge| letter.is_none_or(|letter| graph.step(edge.letter) >> letter & 1 == 1);
            graph.states().map(|state| graph.edges(state).any(|edge| by(&edge) && inner[edge.to.index()])).collect()
        }
        Branching::AllNext(inner) => {
            let inner = value(inner);
            (0..inner.len()).map(|state| all(state, &inner)).collect()
        }
        Branching::ExistsFinally(inner) => naive(graph, &Branching::ExistsUntil(Box::new(Branching::True), inner.clone())),
        Branching::AllFinally(inner) => naive(graph, &Branching::AllUntil(Box::new(Branching::True), inner.clone())),
        Branching::ExistsGlobally(inner) => {
            let inner = value(inner);
            fixpoint(graph, true, |state, now| inner[state] && (is_dead(state) || some(state, now)))
        }
        Branching::AllGlobally(inner) => {
            let inner = value(inner);
            fixpoint(graph, true, |state, now| inner[state] && all(state, now))
        }
        Branching::ExistsUntil(left, right) => {
            let (left, right) = (value(left), value(right));
            fixpoint(graph, false, |state, now| right[state] || left[state] && some(state, now))
        }
        Branching::AllUntil(left, right) => {
            let (left, right) = (value(left), value(right));
            fixpoint(graph, false, |state, now| right[state] || left[state] && !is_dead(state) && all(state, now))
        }
    }
}

/// Checks that a run is a path from an initial state, and that it shows that the formula has a value at its beginning.
fn check(graph: &Graph, formula: &Branching, value: bool, run: &Run) {
    assert!(graph.initial().contains(&run.states[0]));
    let back = if let End::Loop(start) = run.end { Some(run.states[start]) } else { None };
    let targets: Vec<StateNumber> = run.states[1..].iter().copied().chain(back).collect();
    assert_eq!(run.letters.len(), targets.len());
    for ((&from, &to), &letter) in run.states.iter().zip(&targets).zip(&run.letters) {
        assert!(graph.edges(from).any(|edge| edge == Edge { to, letter }));
    }
    let is_dead_end = graph.is_deadlock(*run.states.last().expect("not empty"));
    assert_eq!(is_dead_end, run.end == End::Deadlock);
    assert_eq!(naive(graph, formula)[run.states[0].index()], value);
    let along = |inner: &Branching| -> Vec<bool> {
        let values = naive(graph, inner);
        run.states.iter().map(|&state| values[state.index()]).collect()
    };
    let lasts = run.end != End::Prefix;
    let first_break = |left: &Branching, right: &Branching, value: bool| {
        let found = along(left).into_iter().zip(along(right)).take_while(|&(left, right)| left == value && right != value).count();
        found < run.states.len() && along(right)[found] == value
    };
    match (formula, value) {
        (Branching::AllNext(inner), false) => assert!(!along(inner)[1]),
        (Branching::ExistsNext(letter, inner), true) => {
            assert!(along(inner)[1] && letter.is_none_or(|letter| graph.step(run.letters[0]) >> letter & 1 == 1));
        }
        (Branching::AllGlobally(inner), false) => assert!(along(inner).contains(&false)),
        (Branching::ExistsFinally(inner), true) => assert!(along(inner).contains(&true)),
        (Branching::AllFinally(inner), false) => assert!(lasts && !along(inner).contains(&true)),
        (Branching::ExistsGlobally(inner), true) => assert!(lasts && !along(inner).contains(&false)),
        (Branching::ExistsUntil(left, right), true) => assert!(first_break(left, right, true)),
        (Branching::AllUntil(left, right), false) => {
            let (left, right) = (along(left), along(right));
            let until = right.iter().position(|&right| right).unwrap_or(right.len());
            assert!(left[..until].contains(&false) || lasts && until == right.len());
        }
        _ => {}
    }
}

#[test]
fn random_formulas_are_judged_as_by_naive_fixpoints() {
    let mut random = SplitMix64::new(1981);
    let (mut violated, mut holding, mut witnesses) = (0, 0, 0);
    for round in 0..20_000 {
        let graph = random_graph(&mut random, false);
        let formula = random_formula(&mut random, 1 + round % 3);
        let values = naive(&graph, &formula);
        let judge = BranchingJudge::new(&graph, 0, &|| false);
        let holds = graph.initial().iter().all(|&state| values[state.index()]);
        match judge.judge(&formula) {
            Judgement::Holds => {
                assert!(holds, "round {round}: {formula:?} {graph:?}");
                holding += 1;
            }
            Judgement::Violated(run) => {
                assert!(!holds, "round {round}: {formula:?} {graph:?}");
                check(&graph, &formula, false, &run);
                violated += 1;
            }
            other => panic!("round {round}: {other:?}"),
        }
        if let Some(run) = judge.witness(&formula) {
            check(&graph, &formula, true, &run);
            witnesses += 1;
        }
    }
    assert!(violated > 5_000 && holding > 5_000 && witnesses > 1_000, "{violated} {holding} {witnesses}");
}

/// What a graph may turn out to be: more steps of open states, to its own states and to a new one, and other values of the propositions
/// that are unknown there.
fn completion(random: &mut SplitMix64, graph: &Graph, unknown: u64) -> Graph {
    let mut builder = GraphBuilder::new(true);
    for state in StateNumber::each(StateNumber::new(0)..graph.known().next()) {
        let is_open = graph.is_open(state);
        let mut edges: Vec<Edge> = Vec::new();
        for edge in graph.edges(state) {
            edges.push(Edge { to: edge.to, letter: builder.step_letter(graph.step(edge.letter)) });
        }
        if is_open {
            for _ in 0..random.below(3) {
                let letter = builder.step_letter(random.word() & 3);
                edges.push(Edge { to: StateNumber::at(random.below(graph.known().index() + 1)), letter });
            }
        }
        let mask = if state == graph.known() { STATE_PROPOSITIONS } else { unknown };
        let letter = if state == graph.known() { 0 } else { graph.letter(state) };
        let changed = if is_open { random.word() & mask } else { 0 };
        builder.push(letter ^ changed, &mut edges);
    }
    graph.initial().iter().for_each(|&state| builder.mark_initial(state));
    builder.finish()
}

#[test]
fn what_is_sure_of_an_open_graph_is_so_however_it_goes_on() {
    let mut random = SplitMix64::new(1999);
    let (mut violated, mut holding, mut unknown) = (0, 0, 0);
    for round in 0..6_000 {
        let graph = random_graph(&mut random, true);
        let formula = random_formula(&mut random, 1 + round % 2);
        let mask = [0, 0b100][random.below(2)];
        let judge = BranchingJudge::new(&graph, mask, &|| false);
        let judgement = judge.judge(&formula);
        let witness = judge.witness(&formula);
        for _ in 0..6 {
            let whole = completion(&mut random, &graph, mask);
            let values = naive(&whole, &formula);
            let holds = whole.initial().iter().all(|&state| values[state.index()]);
            match &judgement {
                Judgement::Holds => assert!(holds, "round {round}: {formula:?} {graph:?} {whole:?}"),
                Judgement::Violated(run) => assert!(!values[run.states[0].index()], "round {round}: {formula:?} {graph:?} {whole:?}"),
                Judgement::Unknown => {}
                Judgement::Interrupted => panic!("round {round}"),
            }
            assert!(witness.as_ref().is_none_or(|run| values[run.states[0].index()]));
        }
        match judgement {
            Judgement::Holds => holding += 1,
            Judgement::Violated(_) => violated += 1,
            _ => unknown += 1,
        }
    }
    assert!(violated > 1_000 && holding > 1_000 && unknown > 100, "{violated} {holding} {unknown}");
}

#[test]
fn what_is_sure_of_the_first_rows_is_so_of_all() {
    let mut random = SplitMix64::new(4096);
    let (mut decided, mut unknown) = (0, 0);
    for round in 0..6_000 {
        let whole = random_graph(&mut random, false);
        let formula = random_formula(&mut random, 1 + round % 3);
        let mut builder = GraphBuilder::new(true);
        for state in StateNumber::all(random.below(whole.known().index() + 1)) {
            let edges = whole.edges(state).collect::<Vec<_>>().into_iter();
            let mut edges = edges.map(|edge| Edge { to: edge.to, letter: builder.step_letter(whole.step(edge.letter)) }).collect();
            builder.push(whole.letter(state), &mut edges);
        }
        whole.initial().iter().for_each(|&state| builder.mark_initial(state));
        let values = naive(&whole, &formula);
        match BranchingJudge::new(builder.graph(), 0, &|| false).judge(&formula) {
            Judgement::Holds => assert!(whole.initial().iter().all(|&state| values[state.index()]), "round {round}"),
            Judgement::Violated(run) => assert!(!values[run.states[0].index()], "round {round}: {run:?}"),
            _ => {
                unknown += 1;
                continue;
            }
        }
        decided += 1;
    }
    assert!(decided > 3_000 && unknown > 500, "{decided} {unknown}");
}

#[test]
fn next_and_always_in_a_deadlock() {
    let end = graph(&[1], &[]);
    let judge = BranchingJudge::new(&end, 0, &|| false);
    let p = || Box::new(Branching::State(0));
    let q = || Box::new(Branching::State(1));
    let run = Run { states: states([0]), letters: Vec::new(), end: End::Deadlock, ordinals: Vec::new() };
    assert_eq!(judge.judge(&Branching::AllNext(q())), Judgement::Holds);
    assert_eq!(judge.judge(&Branching::ExistsNext(None, p())), Judgement::Violated(run.clone()));
    assert_eq!(judge.judge(&Branching::ExistsGlobally(p())), Judgement::Holds);
    assert_eq!(judge.witness(&Branching::ExistsGlobally(p())), Some(run.clone()));
    assert_eq!(judge.judge(&Branching::AllFinally(q())), Judgement::Violated(run));
    assert_eq!(judge.witness(&Branching::AllFinally(p())), None);
}

#[test]
fn a_nested_formula_is_followed_to_where_it_fails() {
    // AG (p0 => AF p1): p0 in state 2, from where a loop of states 3 and 4 avoids p1.
    let edges = [(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 3, 0), (2, 0, 0), (3, 4, 0), (4, 3, 0)];
    let graph = graph(&[2, 0, 1, 0, 0], &edges);
    let inner = Branching::AllFinally(Box::new(Branching::State(1)));
    let formula = Branching::AllGlobally(Box::new(Branching::Implies(Box::new(Branching::State(0)), Box::new(inner))));
    let run = Run { states: StateNumber::all(5).collect(), letters: vec![StepLetter::new(0); 5], end: End::Loop(3), ordinals: Vec::new() };
    assert_eq!(BranchingJudge::new(&graph, 0, &|| false).judge(&formula), Judgement::Violated(run));
}

#[test]
fn an_interrupt_is_a_judgement() {
    let (graph, _) = super::super::graph::tests::phone_book(5);
    let formula = Branching::AllGlobally(Box::new(Branching::ExistsFinally(Box::new(Branching::State(0)))));
    assert_eq!(BranchingJudge::new(&graph, 0, &|| false).judge(&formula), Judgement::Holds);
    assert_eq!(BranchingJudge::new(&graph, 0, &|| true).judge(&formula), Judgement::Interrupted);
}
