//! Graphs and automata that simpler procedures get wrong.

use super::super::super::graph::tests::{graph, phone_book, states};
use super::super::super::graph::{GraphBuilder, StateNumber, StepLetter};
use super::super::*;
use super::{ask, check};
use crate::lasso::PATIENCE;

/// The automaton of "always": infinite paths, and finite ones if wanted.
fn anything(accepts_end: bool) -> Automaton {
    let ends = if accepts_end { vec![Cube { state_true: 1, ..Cube::default() }] } else { Vec::new() };
    let again = Transition { reads: Cube::default(), to: AutomatonState::new(0), marks: 0 };
    Automaton { initial: vec![AutomatonState::new(0)], transitions: vec![vec![again]], accepts_end: vec![ends], acceptance_sets: 0 }
}

fn strong(enabled: u8, taken: u8) -> Fairness {
    Fairness { is_strong: true, enabled, taken }
}

fn weak(enabled: u8, taken: u8) -> Fairness {
    Fairness { is_strong: false, enabled, taken }
}

#[test]
fn two_premises_may_have_their_witnesses_in_different_subcycles() {
    // Two cycles through state 0; each takes one of the two steps that are enabled everywhere.
    let both = graph(&[3, 3, 3], &[(0, 1, 1), (1, 0, 0), (0, 2, 2), (2, 0, 0)]);
    let fairness = [weak(0, 0), weak(1, 1)];
    let Found::Accepted(run) = ask(&both, &anything(false), &fairness, false).found else { panic!("there is a fair path") };
    assert_eq!((run.states.clone(), run.end), (states([0, 1, 0, 2]), End::Loop(0)));
    check(&both, &anything(false), &fairness, false, &run);
    // The same cycles in different components.
    let apart = graph(&[3, 3], &[(0, 0, 1), (0, 1, 0), (1, 1, 2)]);
    assert_eq!(ask(&apart, &anything(false), &fairness, false).found, Found::Nothing);
    assert_eq!(has_fair_path(&apart, &fairness, None, false, &|| false), Some(false));
}

#[test]
fn strong_fairness_may_need_two_decompositions() {
    // In state 3 step 0 is enabled and never taken. Without it, state 2 has no way back; of what remains, state 1 enables step 1, which is
    // only taken to state 3. The loop at state 0 remains.
    let edges = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 3, 0), (1, 3, 2), (3, 0, 0), (3, 1, 0)];
    let fairness = [strong(0, 0), strong(1, 1)];
    let all = graph(&[0, 2, 0, 1], &edges);
    let Found::Accepted(run) = ask(&all, &anything(false), &fairness, false).found else { panic!("there is a fair path") };
    assert_eq!((run.states, run.end), (states([0]), End::Loop(0)));
    let without_loop = graph(&[0, 2, 0, 1], &edges[1..]);
    assert_eq!(ask(&without_loop, &anything(false), &fairness, false).found, Found::Nothing);
}

#[test]
fn a_deadlock_may_be_the_only_counterexample() {
    let edges = [(0, 1, 0), (1, 0, 0), (1, 2, 0)];
    let automaton = Automaton {
        transitions: vec![vec![Transition { reads: Cube::default(), to: AutomatonState::new(0), marks: 0 }]],
        acceptance_sets: 1,
        ..anything(true)
    };
    let expected = Run { states: states([0, 1, 2]), letters: vec![StepLetter::new(0); 3], end: End::Deadlock, ordinals: Vec::new() };
    let ends = graph(&[0, 0, 1], &edges);
    let Found::Accepted(run) = ask(&ends, &automaton, &[strong(0, 0)], false).found else { panic!("the deadlock is accepted") };
    assert_eq!((run.states, run.end), (expected.states, expected.end));
    assert_eq!(ask(&graph(&[0, 0, 0], &edges), &automaton, &[], false).found, Found::Nothing);
}

/// The automaton of "not X true" (true) or "X true" (false): at the end there is no next position.
fn next(is_negated: bool) -> Automaton {
    let goes_on = if is_negated { Vec::new() } else { vec![Transition { reads: Cube::default(), to: AutomatonState::new(1), marks: 0 }] };
    let ends = if is_negated { vec![Cube::default()] } else { Vec::new() };
    let stays = Transition { reads: Cube::default(), to: AutomatonState::new(1), marks: 0 };
    Automaton {
        initial: vec![AutomatonState::new(0)],
        transitions: vec![goes_on, vec![stays]],
        accepts_end: vec![ends, vec![Cube::default()]],
        acceptance_sets: 0,
    }
}

#[test]
fn next_is_false_in_a_deadlock() {
    let end = graph(&[0], &[]);
    assert_eq!(ask(&end, &next(false), &[], false).found, Found::Nothing);
    let run = Run { states: states([0]), letters: Vec::new(), end: End::Deadlock, ordinals: Vec::new() };
    assert_eq!(ask(&end, &next(true), &[], false).found, Found::Accepted(run));
    let goes_on = graph(&[0], &[(0, 0, 0)]);
    assert_eq!(ask(&goes_on, &next(true), &[], false).found, Found::Nothing);
    let run = Run { states: states([0]), letters: Vec::new(), end: End::Prefix, ordinals: Vec::new() };
    assert_eq!(ask(&goes_on, &next(false), &[], false).found, Found::Accepted(run));
}

#[test]
fn an_open_state_is_no_end_and_may_go_on_in_any_way() {
    let mut builder = GraphBuilder::new(true);
    builder.push(0, &mut Vec::new());
    builder.mark_initial(StateNumber::new(0));
    builder.mark_open(StateNumber::new(0));
    let graph = builder.finish();
    for uses_open in [false, true] {
        assert_eq!(ask(&graph, &next(true), &[], uses_open).found, Found::Nothing);
        assert_eq!(ask(&graph, &next(false), &[], uses_open).found, Found::Nothing);
    }
    let everything = Automaton { accepts_end: vec![vec![Cube::default()]], ..anything(false) };
    assert_eq!(ask(&graph, &everything, &[], false).found, Found::Nothing);
    let run = Run { states: states([0]), letters: Vec::new(), end: End::Prefix, ordinals: Vec::new() };
    assert_eq!(ask(&graph, &everything, &[], true).found, Found::Accepted(run));
}

#[test]
fn a_run_to_what_decides_is_a_shortest_one() {
    // Not G p0: the state where it fails decides, not one that follows. The way through state 1 is longer.
    let reads = |state_true, state_false, to| {
        let reads = Cube { state_true, state_false, ..Cube::default() };
        Transition { reads, to: AutomatonState::new(to), marks: 0 }
    };
    let automaton = Automaton {
        initial: vec![AutomatonState::new(0)],
        transitions: vec![vec![reads(0, 0, 0), reads(0, 1, 1)], vec![reads(0, 0, 1)]],
        accepts_end: vec![vec![Cube { state_false: 1, ..Cube::default() }], vec![Cube::default()]],
        acceptance_sets: 0,
    };
    let automaton = Automaton { acceptance_sets: 1, transitions: automaton.transitions, ..automaton };
    let mut automaton = automaton;
    automaton.transitions[1][0].marks = 1;
    let edges = [(0, 1, 0), (1, 2, 0), (2, 4, 0), (0, 3, 0), (3, 4, 0), (4, 0, 0)];
    let found = ask(&graph(&[1, 1, 1, 1, 0], &edges), &automaton, &[], false).found;
    assert_eq!(
        found,
        Found::Accepted(Run { states: states([0, 3, 4]), letters: vec![StepLetter::new(0); 2], end: End::Prefix, ordinals: Vec::new() })
    );
    // With an assumption, what follows must be fair: the run goes on to a loop.
    let fair = ask(&graph(&[3, 3, 3, 3, 2], &edges), &automaton, &[weak(1, 0)], false).found;
    assert_eq!(fair, Found::Nothing);
    let mut taken = edges;
    taken[5].2 = 1;
    let Found::Accepted(run) = ask(&graph(&[3, 3, 3, 3, 2], &taken), &automaton, &[weak(1, 0)], false).found else {
        panic!("going round is fair")
    };
    assert!(matches!(run.end, End::Loop(_)));
}

#[test]
fn an_interrupt_is_reported() {
    let (graph, _) = phone_book(5);
    let question =
        Question { graph: &graph, automaton: &anything(false), fairness: &[], each: None, uses_open: false, interrupted: &|| true };
    assert_eq!(counterexample(&question).found, Found::Interrupted);
    assert_eq!(has_fair_path(&graph, &[weak(1, 0)], None, false, &|| true), None);
}

#[test]
fn a_long_run_can_be_interrupted_at_any_time() {
    // One ring, so that the loop is as long as the graph: most of the time goes into the run, not into finding that there is one.
    let states = 20_000;
    let mut builder = GraphBuilder::new(false);
    for state in 0..states {
        builder.push_targets(0, &mut vec![StateNumber::new((state + 1) % states)]);
    }
    builder.mark_initial(StateNumber::new(0));
    let graph = builder.finish();
    let interrupted_at = |which: usize| {
        let polls = std::cell::Cell::new(0);
        let interrupted = || {
            polls.set(polls.get() + 1);
            polls.get() > which
        };
        let automaton = &anything(false);
        let question = Question { graph: &graph, automaton, fairness: &[], each: None, uses_open: false, interrupted: &interrupted };
        (counterexample(&question).found, polls.get())
    };
    let (found, polls) = interrupted_at(usize::MAX);
    let Found::Accepted(run) = found else { panic!("every path is accepted") };
    assert_eq!((run.states.len(), run.end), (states as usize, End::Loop(0)));
    // The search, the product states of the loop, the way back: each is as many product states.
    assert!(polls >= 3 * (states as usize / PATIENCE), "{polls}");
    (0..polls).for_each(|which| assert_eq!(interrupted_at(which).0, Found::Interrupted));
}
