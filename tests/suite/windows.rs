//! Integers that nothing bounds: which range is tried does not depend on how a bound is spelled, and reports name it.

use crate::program::bcheck;
use bcheck::explore::{Outcome, Verdict};
use bcheck::{Request, check_text};

/// A machine with a constant of which a conjunct is all that is known; its states are the values of the constant.
fn with_constant(conjunct: &str) -> String {
    format!("MACHINE m CONSTANTS c PROPERTIES c : INTEGER & {conjunct} VARIABLES v INVARIANT v = c INITIALISATION v := c END")
}

fn check(text: &str) -> Outcome {
    let mut request = Request { size: Some(2), ..Request::default() };
    request.options.deadlock = false;
    let checked = check_text("m.mch", text, &request);
    checked.map(|checked| checked.outcome).unwrap_or_else(|rejected| panic!("{text}: {rejected}"))
}

/// That a text gives a verdict with a number of states.
fn gives(text: &str, verdict: Verdict, states: u64) {
    let outcome = check(text);
    assert_eq!((outcome.verdict, outcome.explored.states), (verdict, states), "{text}");
}

#[test]
fn thirty_spellings_of_one_bound_give_one_range() {
    // MININT..MAXINT is -1..3, so 4..8 is tried.
    for conjunct in [
        "c > 3",
        "c >= 4",
        "3 < c",
        "4 <= c",
        "not(c <= 3)",
        "not(c < 4)",
        "not(not(c > 3))",
        "not(3 >= c)",
        "c : NATURAL1 & c > 3",
        "c : NATURAL & c >= 4",
        "c > 3 & c : NATURAL",
        "c > 3 & c /= 3",
        "c >= 3 & c /= 3",
        "c > 2 & 3 /= c",
        "c - 1 > 2",
        "c + 1 > 4",
        "2 * c > 7",
        "2 * c - 1 >= 6",
        "-c < -3",
        "bool(c > 3) = TRUE",
        "not(bool(c > 3) = FALSE)",
        "c : NATURAL - (0..3)",
        "c : NATURAL1 & c /: 0..3",
        "c /: 0..3 & c >= 0",
        "c : {x | x > 3}",
        "c : {x | x : NATURAL & x > 3}",
        "{c} <: {x | x > 3}",
        "max({c, 3}) = c & c /= 3",
        "min({c, 4}) = 4",
        "!x.(x : 0..3 => c > x)",
        "c > 3 & (c > 5 => c > 4)",
        "c > -10 & c > 3",
        "c > 3 & c > 2",
        "IF 1 = 1 THEN c > 3 ELSE c > 7 END",
    ] {
        gives(&with_constant(conjunct), Verdict::Verified, 5);
        let run = bcheck_text(&with_constant(conjunct));
        assert_eq!(run["scope"]["tried"][0]["from"], "4", "{conjunct}");
        assert_eq!(run["scope"]["tried"][0]["to"], "8", "{conjunct}");
    }
}

fn bcheck_text(text: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("m.mch");
    std::fs::write(&file, text).expect("a file");
    bcheck(&[file.to_str().expect("a path"), "--no-deadlock", "--format", "json"]).json()
}

#[test]
fn windows_begin_or_end_at_the_known_bound() {
    for (conjunct, states, from, to) in [
        ("c >= 100", 5, "100", "104"),
        ("c : NATURAL & c >= 100", 5, "100", "104"),
        ("c > 3 & c /= 4", 5, "5", "9"),
        ("c < -5", 5, "-10", "-6"),
        ("c <= -7 & c /= -7", 5, "-12", "-8"),
        ("c >= 2", 2, "2", "3"),
        ("c <= 1", 3, "-1", "1"),
        ("c : NATURAL", 4, "0", "3"),
        ("c = c", 5, "-1", "3"),
        ("c /= 2", 4, "-1", "3"),
        ("c : NATURAL & c mod 7 = 6", 1, "6", "10"),
    ] {
        gives(&with_constant(conjunct), Verdict::Verified, states);
        let tried = &bcheck_text(&with_constant(conjunct))["scope"]["tried"];
        assert_eq!((tried[0]["from"].as_str(), tried[0]["to"].as_str()), (Some(from), Some(to)), "{conjunct}: {tried}");
        assert_eq!(tried[0]["name"], "c", "{conjunct}");
    }
}

#[test]
fn finite_ranges_are_tried_whole_and_without_a_warning() {
    for (conjunct, states) in [("c > 3 & c < 50", 46), ("c : -20..20", 41), ("c > 3 & 2 * c <= 40", 17), ("c : NATURAL & not(c > 9)", 10)] {
        gives(&with_constant(conjunct), Verdict::Verified, states);
        let report = bcheck_text(&with_constant(conjunct));
        assert_eq!(report["scope"]["tried"].as_array().map(Vec::len), Some(0), "{conjunct}");
    }
}

#[test]
fn elements_of_sets_and_values_of_functions_have_windows_too() {
    let with = |declared: &str| {
        format!("MACHINE m SETS S = {{a, b}} CONSTANTS f PROPERTIES {declared} VARIABLES v INVARIANT v = f INITIALISATION v := f END")
    };
    for (declared, states) in [
        ("f : S --> NATURAL1 & !x.(x : S => f(x) > 80)", 25),
        ("f : S --> INTEGER & !x.(x : dom(f) => f(x) > 80)", 25),
        ("f : S --> NATURAL & min(ran(f)) > 80", 25),
        ("f : S --> NATURAL1 & ran(f) <: {y | y > 80}", 25),
        ("f <: NATURAL & !x.(x : f => x > 80)", 32),
        ("f : POW(NATURAL) & !x.(x : f => x > 80)", 32),
        ("f : S --> NATURAL & !x.(x : S => f(x) > 80 & f(x) < 90)", 81),
    ] {
        let mut request = Request { size: Some(2), ..Request::default() };
        request.options.deadlock = false;
        request.options.symmetry = bcheck::symmetry::Mode::Off;
        let outcome = check_text("m.mch", &with(declared), &request).expect("a machine").outcome;
        assert_eq!((outcome.verdict, outcome.explored.states), (Verdict::Verified, states), "{declared}");
    }
}

#[test]
fn parameters_move_their_windows_with_the_state() {
    let text = "MACHINE m VARIABLES v INVARIANT v : 0..20 INITIALISATION v := 10
                OPERATIONS o(x) = SELECT x > v & v < 13 THEN v := x END END";
    // From 10: 11..15; from 11: 12..16; from 12: 13..17.
    gives(text, Verdict::Verified, 8);
    let tried = &bcheck_text(text)["scope"]["tried"];
    assert_eq!((tried[0]["name"].as_str(), tried[0]["moves"].as_bool()), (Some("x"), Some(true)), "{tried}");
}

#[test]
fn domains_of_functions_and_guards_below_bound_parameters() {
    for (operation, transitions) in [
        ("o(s, j) = PRE s : {[5,6,7,8,9]} & s(j) > v THEN v := s(j) END", 15),
        ("o(s, j) = PRE s : {[5,6,7,8,9]} & j <= size(s) & s(j) > v THEN v := s(j) END", 15),
        ("o(j) = LET s BE s = [5,6,7,8,9] IN SELECT s(j) > v THEN v := s(j) END END", 15),
        ("o(x) = LET y BE y = v + 1 IN SELECT x : {y + 5, y + 6} & x < 10 THEN v := x END END", 2),
        ("o(x) = IF v < 100 THEN SELECT x : {v + 6, v + 7} & x < 10 THEN v := x END ELSE SELECT x = 7 THEN skip END END", 2),
        ("o(x) = SELECT x : {v + 6, v + 7} & x < 10 THEN v := x WHEN x = -7 & 1 = 2 THEN skip END", 2),
        ("o(x) = ANY y WHERE y : {6, 7} THEN SELECT x = v + y & x < 10 THEN v := x END END", 2),
        ("o(x) = CASE v OF EITHER 0 THEN SELECT x : {6, 7} THEN v := x END OR 6, 7 THEN SELECT x = -9 & v < 0 THEN skip END END END", 2),
        ("o(x) = CHOICE SELECT x = v + 6 & x < 10 THEN v := x END OR SELECT x = v + 7 & x < 10 THEN v := x END END", 2),
    ] {
        let text = format!("MACHINE m VARIABLES v INVARIANT v : 0..10 INITIALISATION v := 0 OPERATIONS {operation} END");
        let outcome = check(&text);
        assert_eq!((outcome.verdict, outcome.explored.transitions), (Verdict::Verified, transitions), "{operation}");
        assert!(outcome.exhausted, "{operation}");
    }
}

#[test]
fn what_a_body_computes_is_not_hidden_by_a_guard_below_it() {
    // Where the value of LET or a condition of IF is ill-defined, that is found, whatever the guards below say.
    for operation in [
        "o(x) = LET y BE y = 1 / v IN SELECT x = y + 7 & x < 0 THEN skip END END",
        "o(x) = IF 1 / v = 1 THEN SELECT x = 7 & v > 7 THEN skip END ELSE SELECT x = 8 & v > 7 THEN skip END END",
    ] {
        let text = format!("MACHINE m VARIABLES v INVARIANT v : 0..10 INITIALISATION v := 0 OPERATIONS {operation} END");
        assert_eq!(check(&text).verdict, Verdict::IllDefined, "{operation}");
    }
}
