//! Formulas that hold vacuously, with the reason, beside ones that look alike and do not.

use super::{check, letters};
use bcheck_symmetry::Mode;

const COUNTER: &str = "MACHINE m VARIABLES n, on INVARIANT n : 0..3 & on : BOOL INITIALISATION n := 0 || on := FALSE
    OPERATIONS inc = SELECT n < 3 THEN n := n + 1 END; dec = SELECT n > 0 THEN n := n - 1 END;
      never = SELECT n > 5 THEN on := TRUE END; stay = skip END";

/// Asserts that formulas hold, and why they do vacuously; the empty text if they do not.
#[track_caller]
fn assert_reasons(cases: &[(&str, &str)]) {
    let formulas: Vec<&str> = cases.iter().map(|(formula, _)| *formula).collect();
    let outcome = check(COUNTER, 1, &formulas, Mode::Exact);
    assert_eq!(letters(&outcome), "T".repeat(cases.len()), "{formulas:?}");
    for ((formula, reason), result) in cases.iter().zip(&outcome.temporal) {
        assert_eq!(result.vacuity.as_deref().unwrap_or_default(), *reason, "{formula}");
    }
}

#[test]
fn a_premise_that_is_never_met_is_named() {
    assert_reasons(&[
        ("G ({n > 5} => F {n = 0})", "its premise {n > 5} never holds"),
        ("G ({n > 2 & on = TRUE} => {n = 0})", "its premise {n > 2 & on = TRUE} never holds"),
        ("{n = 1} => F {n = 7}", "its premise {n = 1} holds in no initial state"),
        ("G ([never] => X {on = TRUE})", "its premise [never] never holds"),
        // Each part holds somewhere, and not both of the same path.
        ("F {n = 3} & G {n < 3} => F {n = 2}", "its premise F {n = 3} & G {n < 3} holds of no path"),
        ("G (Y {n = 0} & {n = 3} => F {n = 2})", "its premise Y {n = 0} & {n = 3} never holds"),
        ("WF(inc) => (FG {n = 0} => F {n = 9})", "its premise FG {n = 0} holds of no fair path"),
        ("CTL AG ({n > 5} => EF {n = 0})", "its premise {n > 5} never holds"),
        ("CTL AG (EG {n = 0} & EX {n = 2} => AF {n = 9})", "its premise EG {n = 0} & EX {n = 2} never holds"),
    ]);
    assert_reasons(&[
        ("G ({n = 2} => {n > 1})", ""),
        ("G ([inc] => X {n > 0})", ""),
        ("{n = 0} => F ({n = 0} or [inc])", ""),
        ("FG {n = 0} => GF {n = 0}", ""),
        ("WF(inc) => (GF {n = 0} => GF ({n = 0} or {n = 1}))", ""),
        ("CTL AG ({n = 3} => EF {n = 0})", ""),
        ("CTL AG (EX {n = 2} => EF {n = 3})", ""),
    ]);
}

#[test]
fn a_proposition_that_never_changes_is_named() {
    assert_reasons(&[
        ("GF {n <= 3}", "{n <= 3} holds in every reachable state"),
        ("G ({n = 2} => F {on = FALSE})", "{on = FALSE} holds in every reachable state"),
        ("G ({n = 2} or {n < 9})", "{n < 9} holds in every reachable state"),
        ("F {n <= 3} & GF {n < 5}", "{n <= 3} holds in every reachable state, and {n < 5} holds in every reachable state"),
        ("not GF {n > 3}", "{n > 3} holds in no reachable state"),
        ("CTL AG EF {n >= 0}", "{n >= 0} holds in every reachable state"),
        ("!x.({x : 0..3} => G ({n = x} => {n >= 0}))", "{n >= 0} holds in every reachable state"),
    ]);
    // An invariant is to be constant, however it is written.
    assert_reasons(&[
        ("G {n <= 3}", ""),
        ("G ({n <= 3} & not {n > 5})", ""),
        ("not F ({n > 3} or {n < 0})", ""),
        ("!x.({x : 0..3} => G {n + x <= 6})", ""),
        // Of some values the premise is never met, of others it is.
        ("!x.({x : 0..5} => G ({n = x} => {n = x}))", ""),
        ("G ({n = 3} => not [inc])", ""),
        ("CTL AG {n <= 3}", ""),
        ("CTL not EF {n > 3}", ""),
        ("CTL AG EF {n = 0}", ""),
    ]);
}
