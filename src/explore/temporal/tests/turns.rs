//! Formulas that need searches of their own have their turns, and a limit leaves nothing unjudged that was recorded before it.

use super::{check_with, letters};
use crate::{LimitHit, Limits, Options, TraceEnd, Verdict};
use std::time::Duration;

/// Counts without end; any element may be chosen at any time.
const ENDLESS: &str = "MACHINE m SETS S VARIABLES n, p INVARIANT n : NATURAL & p <: S INITIALISATION n := 0 || p := {}
    OPERATIONS inc = n := n + 1; choose(s) = PRE s : S THEN p := {s} END END";

/// The same, where each number takes longer than all before it. The cost grows so fast that a machine many times faster comes to two or
/// three times the number only, far from the first on-the-fly check; and the first numbers take no time anywhere.
fn slow() -> String {
    ENDLESS.replace("inc = n := n + 1", "inc = SELECT {x | x : 0..50 * n * n & x * x mod 60001 = n + 70000} = {} THEN n := n + 1 END")
}

#[test]
fn a_formula_that_needs_its_own_search_is_judged_although_the_search_of_states_never_ends() {
    for keeps_all in [&[][..], &["G {n >= 0}"]] {
        let mut outcomes = Vec::new();
        for workers in [1, 3] {
            let formulas: Vec<&str> = ["!s.({s : S} => F {s : p})"].iter().chain(keeps_all).copied().collect();
            let outcome = check_with(ENDLESS, 3, &formulas, &Options { workers, ..Options::default() });
            assert_eq!((outcome.verdict, outcome.complete, &outcome.limit), (Verdict::TemporalViolation, false, &None));
            assert_eq!(letters(&outcome), if keeps_all.is_empty() { "F" } else { "F?" });
            assert_eq!(outcome.temporal[0].group_order, 2_u8.into(), "one element is pinned");
            assert!((4096..40_000).contains(&outcome.explored.states), "{}", outcome.explored.states);
            let trace = outcome.finding.expect("a finding").trace;
            assert!(matches!(trace.end, Some(TraceEnd::Loop { .. })), "{trace:?}");
            outcomes.push((trace, outcome.explored));
        }
        assert_eq!(outcomes[0], outcomes[1]);
    }
}

#[test]
fn whoever_keeps_going_gives_turns_too() {
    let limits = Limits { states: Some(30_000), ..Limits::default() };
    let formulas = ["!s.({s : S} => F {s : p})", "!s.({s : S} => G {s /: p or n >= 0})", "!s.({s : S} => G {s : p => n < 20})"];
    let outcome = check_with(ENDLESS, 3, &formulas, &Options { keep_going: true, limits, ..Options::default() });
    assert_eq!((letters(&outcome), outcome.explored.states), ("F?F".to_owned(), 30_000));
    assert_eq!(outcome.verdict, Verdict::TemporalViolation);
}

#[test]
fn searches_of_several_groups_take_turns_until_all_are_complete() {
    // Two patterns that name different numbers of elements leave different symmetries.
    let text = "MACHINE m SETS S VARIABLES p, q INVARIANT p <: S & q <: S INITIALISATION p := {} || q := {}
        OPERATIONS put(s) = PRE s : S - p THEN p := p \\/ {s} END; take(s) = PRE s : p THEN p := p - {s} END;
          mark(s) = PRE s : S - q THEN q := q \\/ {s} END END";
    let formulas = [
        "!s.({s : S} => G {s : p or s /: p})",
        "!s.({s : S} => !t.({t : S & t /= s} => G ({s : p & t : p} => F {s /: p or t : p})))",
        "!s.({s : S} => G ({s : q} => G {s : q}))",
        "G {card(p) <= 15}",
    ];
    let outcome = check_with(text, 15, &formulas, &Options::default());
    assert_eq!((letters(&outcome).as_str(), outcome.complete), ("TTTT", true));
    let order = |formula: usize| &outcome.temporal[formula].group_order;
    assert!(order(0) == order(2) && order(1) < order(0) && order(0) < order(3));
    // More than the first share, and the figures are those of one search, however many were begun.
    assert!(outcome.temporal[1].product.0 > 4096, "{:?}", outcome.temporal[1].product);
    let alone = check_with(text, 15, &formulas[1..2], &Options::default());
    assert_eq!(alone.temporal[0].product, outcome.temporal[1].product);
}

#[test]
fn a_limit_on_depth_ends_every_search_once() {
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let formulas =
        ["!s.({s : S} => F {s : p})", "!s.({s : S} => !t.({t : S & t /= s} => G {n < 5}))", "!s.({s : S} => G ({s : p} or {n >= 0}))"];
    let outcome = check_with(ENDLESS, 3, &formulas[..1], &Options { limits: limits.clone(), keep_going: true, ..Options::default() });
    assert_eq!((letters(&outcome).as_str(), outcome.limit), ("F", Some(LimitHit::Depth(6))));
    let outcome = check_with(ENDLESS, 3, &formulas[1..], &Options { limits, keep_going: true, ..Options::default() });
    assert_eq!((letters(&outcome).as_str(), outcome.limit), ("F?", Some(LimitHit::Depth(6))));
}

#[test]
fn what_was_recorded_when_the_time_is_over_is_judged() {
    let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
    for workers in [1, 2] {
        let options = Options { workers, limits: limits.clone(), ..Options::default() };
        let outcome = check_with(&slow(), 3, &["G {n < 5}", "G {n >= 0}"], &options);
        assert!(outcome.explored.states < 4096, "{}", outcome.explored.states);
        assert_eq!((letters(&outcome).as_str(), outcome.verdict), ("F?", Verdict::TemporalViolation));
        assert_eq!(outcome.limit, Some(LimitHit::Time(Duration::from_secs(1))));
        assert_eq!(outcome.finding.expect("a finding").trace.steps.len(), 6, "a shortest run");
    }
}

#[test]
fn where_states_come_slowly_every_formula_has_a_turn_when_half_of_the_time_is_over() {
    let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let outcome = check_with(&slow(), 3, &["!s.({s : S} => F {s : p})", "G {n >= 0}"], &Options { limits, ..Options::default() });
    assert!(outcome.explored.states < 4096, "{}", outcome.explored.states);
    assert_eq!((letters(&outcome).as_str(), outcome.verdict), ("F?", Verdict::TemporalViolation));
}
