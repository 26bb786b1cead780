//! The graph of a search that was stopped has the states and steps of that search, and no others.

use super::*;
use crate::number::StateNumber;
use crate::walk::Within;
use crate::{GraphEdge, GraphState, GraphTotals, GraphVisitor, Limits, Strategy, walk_explored, walk_graph};
use std::ops::ControlFlow;

/// Under each of three constants up to `most` visitors, who leave for good; one too many are a finding.
const CLUB: &str = "MACHINE club SETS P CONSTANTS most PROPERTIES most : 2..4 VARIABLES inside, gone
    INVARIANT inside <: P & gone <: P & card(inside) <= most INITIALISATION inside, gone := {}, {}
    OPERATIONS enter(pp) = PRE pp : P - inside - gone THEN inside := inside \\/ {pp} END;
        leave(pp) = PRE pp : inside THEN inside := inside - {pp} || gone := gone \\/ {pp} END;
        stay = skip END";

/// The edges of a graph, and how many of its states are findings.
#[derive(Default, PartialEq, Eq, Debug)]
struct Shape {
    findings: usize,
    edges: Vec<(usize, usize, usize)>,
}

impl GraphVisitor for Shape {
    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        self.findings += usize::from(!state.findings.is_empty());
        ControlFlow::Continue(())
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        self.edges.push((edge.from, edge.to, edge.multiplicity));
        ControlFlow::Continue(())
    }
}

fn graph(machine: &Machine, options: &Options, outcome: &Outcome) -> (GraphTotals, Shape) {
    let symmetry = Symmetry::new(machine.model(), machine.scope(), options.symmetry);
    let mut shape = Shape::default();
    let totals = match &outcome.extent {
        Some(extent) => walk_explored(machine, &symmetry, options, extent, &mut shape),
        None => walk_graph(machine, &symmetry, options, usize::MAX, &mut shape),
    };
    (totals.expect("a graph"), shape)
}

/// The outcome of a search, after its graph was compared with it; the same for any number of workers.
fn compared(machine: &Machine, options: &Options) -> (Outcome, Shape) {
    let mut found: Option<(Outcome, Shape)> = None;
    for workers in [1, 3] {
        let options = Options { workers, ..options.clone() };
        let outcome = run(machine, &options);
        let (totals, shape) = graph(machine, &options, &outcome);
        let explored = &outcome.explored;
        assert_eq!(totals.states as u64, explored.states, "{options:?}");
        // Only a step to a state that was not stored is none of the graph.
        match outcome.limit {
            Some(crate::LimitHit::States(_)) => assert!(totals.transitions <= explored.transitions, "{options:?}"),
            _ => assert_eq!(totals.transitions, explored.transitions, "{options:?}"),
        }
        assert_eq!(shape.findings as u64, explored.invariant_violations, "{options:?}");
        assert_eq!(totals.is_complete, outcome.exhausted, "{options:?}");
        if let Some((_, before)) = &found {
            assert_eq!(&shape, before, "{options:?}");
        }
        found = Some((outcome, shape));
    }
    found.expect("some number of workers")
}

#[test]
fn a_search_that_was_stopped_has_the_graph_of_what_it_has_explored() {
    let machine = load(CLUB, 5);
    let mut stopped = 0;
    for symmetry in [Mode::Exact, Mode::Off] {
        for strategy in [Strategy::Breadth, Strategy::Depth, Strategy::Random] {
            for set_ups_at_once in [1, 2, 1024] {
                let options = Options { strategy, set_ups_at_once, ..options(symmetry) };
                let limits = |states, depth| Limits { states, depth, ..Limits::default() };
                for (limits, keep_going) in [
                    (limits(None, None), false),
                    (limits(None, None), true),
                    (limits(None, Some(1)), false),
                    (limits(None, Some(3)), true),
                    (limits(Some(2), None), true),
                    (limits(Some(17), None), true),
                    (limits(Some(31), None), true),
                ] {
                    let (outcome, _) = compared(&machine, &Options { limits, keep_going, ..options.clone() });
                    stopped += usize::from(!outcome.exhausted);
                }
            }
        }
    }
    assert!(stopped > 80, "{stopped}");
}

#[test]
fn states_that_were_found_and_not_expanded_have_no_steps() {
    // One state more on each level: that of level 2 is a finding, and nothing follows it.
    let text = "MACHINE up VARIABLES n INVARIANT n < 2 INITIALISATION n := 0 OPERATIONS up = BEGIN n := n + 1 END; stay = skip END";
    let (outcome, shape) = compared(&load(text, 1), &options(Mode::Off));
    assert_eq!((outcome.explored.states, outcome.explored.transitions), (3, 4));
    assert_eq!(shape, Shape { findings: 1, edges: vec![(0, 1, 1), (0, 0, 1), (1, 2, 1), (1, 1, 1)] });
}

#[test]
fn states_that_a_search_did_not_come_to_before_it_was_stopped_have_no_steps() {
    let machine = load(CLUB, 3);
    let options = options(Mode::Off);
    let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
    let mut extent = crate::Extent::of(&options);
    let but = std::iter::once(StateNumber::new(1)..StateNumber::new(2)).collect();
    extent.go_on(1, 4, crate::extent::ExpandedStates { count: 3, but });
    let mut shape = Shape::default();
    let within = Within { states: usize::MAX, set_ups: None, of_search: Some(&extent) };
    let space = crate::walk::space::States::new(&machine, &options);
    let totals = crate::walk::walk(&space, &symmetry, within, &mut shape).expect("a graph");
    // The empty club, three with one visitor each; of these the second is expanded, whose other steps lead to states that are not stored.
    assert_eq!((totals.states, totals.is_complete), (4, false));
    assert_eq!(shape.edges, [(0, 1, 1), (0, 2, 1), (0, 3, 1), (0, 0, 1), (2, 2, 1)]);
}
