//! What is missing from a graph, initial states above all, lets no formula hold; what is there is judged the same under all symmetries.

use super::{check_with, letters, machine};
use crate::temporal::judge::UP_TO_LIMIT;
use crate::{Limits, Options, Outcome, Silent, TemporalResult, TemporalVerdict, Verdict, judge_temporal};
use bcheck_symmetry::Mode;

/// Three set-ups at once.
fn few(limits: Limits) -> Options {
    Options { set_ups_at_once: 3, limits, deadlock: false, ..Options::default() }
}

fn states(most: u64) -> Limits {
    Limits { states: Some(most), ..Limits::default() }
}

fn depth(most: u64) -> Limits {
    Limits { depth: Some(most), ..Limits::default() }
}

/// Judged by searches of their own.
fn alone(text: &str, formulas: &[&str], options: &Options) -> Vec<TemporalResult> {
    judge_temporal(&machine(text, 3, formulas), options, &mut Silent).expect("nothing is at fault").0
}

/// The verdicts, with and without a search of states; where a limit ended it, none is vacuous.
fn verdicts(text: &str, formulas: &[&str], options: &Options) -> String {
    let outcome = check_with(text, 3, formulas, options);
    let alone = alone(text, formulas, options);
    assert!(outcome.limit.is_none() || outcome.temporal.iter().chain(&alone).all(|result| result.vacuity.is_none()), "{text}");
    let together = letters(&outcome);
    assert_eq!(letters(&Outcome { temporal: alone, ..outcome }), together, "{text}");
    together
}

const SET_UPS: &str = "MACHINE m CONSTANTS k PROPERTIES k : 0..11 VARIABLES n INVARIANT n : 0..12 INITIALISATION n := k
    OPERATIONS inc = SELECT n < 12 THEN n := n + 1 END; stay = skip END";

#[test]
fn where_set_ups_are_missing_no_formula_holds() {
    // Formulas that fail of the last set-ups only, and one that holds of all.
    let formulas = ["CTL AG {n < 14 & k < 11}", "G {n < 14 & k < 11}", "CTL EF {n = 12 & k < 11}", "CTL EF {k = k}", "CTL not EF {k = 11}"];
    assert_eq!(verdicts(SET_UPS, &formulas, &Options { keep_going: true, ..few(Limits::default()) }), "FFFTF");
    // Among set-ups, states and initial states of each batch; behind these are 36, 27, 18 and 9 states.
    for most in [1, 2, 3, 4, 33, 36, 37, 38, 80, 82] {
        assert_eq!(verdicts(SET_UPS, &formulas, &few(states(most))), "?????", "{most} states");
    }
    // The first batch is the last one that is explored.
    assert_eq!(verdicts(SET_UPS, &formulas, &few(depth(1))), "?????");
}

#[test]
fn where_all_initial_states_are_there_what_holds_in_spite_of_a_limit_does() {
    let formulas = ["CTL EF {n = k + 1}", "CTL AG {n < 13}", "CTL EF {n = 40}"];
    let options = Options { set_ups_at_once: 100, ..few(depth(2)) };
    assert_eq!(verdicts(SET_UPS, &formulas, &options), "T?F");
    // With its run, whoever else shares the graph, and whichever symmetries the formula keeps.
    let text = "MACHINE m SETS P VARIABLES n, s INVARIANT n : 0..30 & s <: P INITIALISATION n := 0 || s := {}
        OPERATIONS up = SELECT n < 30 THEN n := n + 1 END; add(p) = PRE p : P & p /: s THEN s := s \\/ {p} END END";
    let formulas = ["!x.({x : P} => #y.({y : P} & G {n >= 0}))", "CTL EF {P1 : s}", "CTL EF {n = 2}"];
    for mode in [Mode::Exact, Mode::Off] {
        let options = Options { symmetry: mode, witness: true, ..few(states(40)) };
        let outcome = check_with(text, 3, &formulas[1..], &options);
        assert_eq!((letters(&outcome).as_str(), outcome.verdict), ("TT", Verdict::Incomplete), "{mode:?}");
        assert!(outcome.temporal.iter().all(|result| result.witness.is_some()), "{mode:?}");
        assert_eq!(verdicts(text, &formulas, &options), "?TT");
    }
}

#[test]
fn an_undecided_formula_has_no_run_that_shows_that_it_holds() {
    // The deadlock of a later batch ends the search.
    let text = "MACHINE m CONSTANTS k PROPERTIES k : 0..11 VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
        OPERATIONS up = SELECT n < 3 THEN n := n + 1 END; back = SELECT n = 3 & k /= 7 THEN n := 0 END END";
    let options = Options { witness: true, deadlock: true, ..few(Limits::default()) };
    let machine = machine(text, 3, &["CTL EF {n = 3}"]);
    let outcome = crate::explore(&machine, &options.symmetry_of(&machine), &options, &mut Silent);
    assert_eq!((outcome.verdict, letters(&outcome).as_str()), (Verdict::Deadlock, "?"));
    assert_eq!(outcome.temporal[0].witness, None);
}

#[test]
fn where_an_initialisation_cannot_be_enumerated_no_formula_holds() {
    let text = "MACHINE m CONSTANTS k PROPERTIES k : 0..4 VARIABLES n INVARIANT n : INTEGER
        INITIALISATION IF k < 3 THEN n := k ELSE ANY y WHERE y : NATURAL & y > k THEN n := y END END OPERATIONS stay = skip END";
    assert_eq!(verdicts(text, &["CTL AG {n < 3}", "G {n < 3}"], &few(Limits::default())), "??");
}

#[test]
fn what_a_limit_leaves_out_is_not_said_to_be_missing() {
    let outcome = check_with(SET_UPS, 3, &["G {n < 14}", "CTL AG {n < 14}"], &Options { set_ups_at_once: 100, ..few(states(5)) });
    assert_eq!(outcome.explored.initial, 0, "the limit falls among the set-ups");
    for result in &outcome.temporal {
        assert!(matches!(&result.verdict, TemporalVerdict::Unknown(reason) if reason == UP_TO_LIMIT), "{:?}", result.verdict);
    }
}

/// An initialisation without a value for one choice, in different forms.
const ILL_DEFINED: [&str; 3] = [
    "ANY x WHERE x : 0..5 THEN n := x || m := 12 / (3 - x) END",
    "n :: 0..5 ; m := 12 / (3 - n)",
    "CHOICE n := 1 / 0 || m := 1 OR n := 5 || m := 1 END",
];

#[test]
fn a_run_from_an_initial_state_beside_one_without_a_value_is_shown() {
    for initialisation in ILL_DEFINED {
        let text = format!(
            "MACHINE m VARIABLES n, m INVARIANT n : 0..5 & m : -100..100 INITIALISATION {initialisation} OPERATIONS stay = skip END"
        );
        let formulas = ["G {n < 4}", "G {n < 6}", "CTL AG {n < 4}", "CTL AG {n < 6}", "CTL EF {n < 6}"];
        let options = Options { keep_going: true, ..few(Limits::default()) };
        let outcome = check_with(&text, 3, &formulas, &options);
        assert_eq!((letters(&outcome).as_str(), outcome.verdict), ("F?F??", Verdict::IllDefined), "{text}");
        assert_eq!(verdicts(&text, &formulas, &options), "F?F??");
    }
}

#[test]
fn the_least_instance_is_reported_under_all_symmetries() {
    // The last instance, which has no value, keeps all symmetries and is judged first.
    let text = "MACHINE m SETS S = {a, b, c} VARIABLES f INVARIANT f : S +-> 0..1 INITIALISATION f := {a, b} * {1}
        OPERATIONS op(x) = PRE x : {a, b} THEN f(x) := 1 - f(x) END END";
    for keep_going in [false, true] {
        let of = |symmetry| check_with(text, 3, &["!x.({x : S} => G {f(x) = 1})"], &Options { symmetry, keep_going, ..Options::default() });
        let [exact, off] = [Mode::Exact, Mode::Off].map(of);
        assert_eq!((off.temporal[0].verdict.clone(), off.verdict), (TemporalVerdict::Violated, Verdict::TemporalViolation));
        assert_eq!((&exact.temporal[0].verdict, exact.verdict), (&off.temporal[0].verdict, off.verdict));
        assert_eq!(exact.temporal[0].trace, off.temporal[0].trace);
    }
}
