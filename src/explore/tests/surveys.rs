//! The graph that a survey keeps: all states, or the nearest to the initial ones where it would get too large.

use super::*;
use bcheck_ir::Expr;
use bcheck_sema::{Formula, FormulaContext, Macros, read_formula};

/// No limit of any of the three.
const UNLIMITED: [usize; 3] = [usize::MAX; 3];

/// A survey of the phonebook with at most this many states, edges, and bytes of text in its graph, and the variable as a formula.
fn surveyed(mode: Mode, [graph_states, graph_edges, graph_text]: [usize; 3]) -> Survey {
    let machine = load(PHONEBOOK, 3);
    let symmetry = Symmetry::new(machine.model(), machine.scope(), mode);
    let limits = SurveyLimits { states: usize::MAX, set_ups: None, of_search: None, graph_states, graph_edges, graph_text };
    let projection = Projection { expr: phonebook(&machine), text: "db".to_owned() };
    survey(&machine, &symmetry, &options(mode), (limits, &[projection]), &mut || false).expect("a survey")
}

/// The variable as an expression.
fn phonebook(machine: &Machine) -> Expr {
    let context = FormulaContext { model: Some(machine.model()), scope: None, expected: None, has_current: false };
    let file = SourceMap::new().add("formula", "db");
    match read_formula(file, "db", context, &Macros::default()).expect("a formula").0 {
        Formula::Expr(expr) => expr,
        Formula::Pred(_) => panic!("a variable is an expression"),
    }
}

#[test]
fn a_graph_without_limits_has_all_states_and_transitions() {
    for mode in [Mode::Off, Mode::Exact] {
        let survey = surveyed(mode, UNLIMITED);
        let explored = check(PHONEBOOK, 3, mode).explored;
        let graph = survey.graph.expect("a graph");
        assert_eq!((graph.states.len(), survey.states), (usize::try_from(explored.states).unwrap(), survey.states));
        assert_eq!(graph.edges.iter().map(|edge| edge.multiplicity).sum::<u64>(), explored.transitions);
        assert_eq!(survey.projected[0].values.len(), graph.states.len());
        for (state, value) in graph.states.iter().zip(&survey.projected[0].values) {
            assert_eq!(state.key, format!("db = {value}"));
        }
    }
}

#[test]
fn a_graph_that_is_full_has_the_nearest_states_and_all_steps_between_them() {
    let whole = surveyed(Mode::Off, UNLIMITED).graph.expect("a graph");
    for (at, limit) in [10, 40, 300].into_iter().enumerate() {
        let mut limits = UNLIMITED;
        limits[at] = limit;
        let survey = surveyed(Mode::Off, limits);
        let graph = survey.graph.expect("a graph");
        let kept = graph.states.len();
        assert!((2..64).contains(&kept) && (at > 0 || kept == limit), "{kept} states");
        assert_eq!((survey.states, survey.is_complete), (64, true), "everything else is about all states");
        assert_eq!(graph.states, whole.states[..kept]);
        let between = whole.edges.iter().filter(|edge| edge.from < kept && edge.to < kept).cloned().collect::<Vec<_>>();
        assert_eq!(graph.edges, between);
        assert_eq!(survey.projected[0].values.len(), kept);
    }
    assert!(surveyed(Mode::Off, [0; 3]).graph.is_none(), "none is kept where none is wanted");
}
