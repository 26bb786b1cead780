//! Searches that are stopped and gone on with judge formulas as one does that was never stopped: the graph is the same, and so is what
//! on-the-fly checks and turns leave behind.

use super::machine;
use crate::tests::checkpoints::{in_folder, interrupted_in_each_call};
use crate::tests::share;
use crate::{Limits, Options, Outcome, Silent, TemporalVerdict, explore};
use bcheck_durable::faulty::FaultyFiles;
use bcheck_eval::Machine;
use bcheck_symmetry::Mode;

/// What must not depend on whether a search was stopped.
fn told(mut outcome: Outcome) -> String {
    outcome.temporal.iter_mut().for_each(|result| result.time_s = 0.0);
    let Outcome { verdict, complete, limit, explored, full, operations, finding, temporal, guard_warnings, internal_error, .. } = outcome;
    format!(
        "{verdict:?} {complete} {limit:?} {explored:?} {full:?} {operations:?} {finding:?} {temporal:?} {guard_warnings:?} {internal_error:?}"
    )
}

fn within(options: &Options, states: u64) -> Options {
    Options { limits: Limits { states: Some(states), ..Limits::default() }, ..options.clone() }
}

/// Stops a search at these numbers of states, goes on each time, and at last to its end; each report is that of an uninterrupted search.
fn agree(machine: &Machine, options: &Options, stops: &[u64]) -> Outcome {
    let whole = |options: &Options| explore(machine, &options.symmetry_of(machine), options, &mut Silent);
    let files = FaultyFiles::default();
    for states in stops {
        let bounded = within(options, *states);
        let part = in_folder(&files, machine, &bounded).unwrap_or_else(|fault| panic!("{states} {options:?}: {fault}"));
        assert_eq!(told(part), told(whole(&bounded)), "at most {states} states, {options:?}");
    }
    let expected = whole(options);
    // The second time there is little left to do.
    for _ in 0..2 {
        let end = in_folder(&files, machine, options).unwrap_or_else(|fault| panic!("{options:?}: {fault}"));
        assert_eq!(told(end), told(expected.clone()), "{options:?}");
    }
    expected
}

fn ways() -> Vec<Options> {
    let ways = [(Mode::Exact, false, 1, 1024), (Mode::Exact, true, 2, 1024), (Mode::Off, true, 1, 1), (Mode::Fast, false, 2, 1)];
    let way = |(symmetry, keep_going, workers, set_ups_at_once)| Options {
        symmetry,
        keep_going,
        workers,
        set_ups_at_once,
        deadlock: false,
        ..Options::default()
    };
    ways.map(way).into()
}

#[test]
fn formulas_are_judged_on_the_same_graph() {
    let swap = super::SWAP;
    let of_swap = ["WEF => F {two /= {}}", "SEF => F {two /= {}}", "[s] => F [d]", "CTL AG EF {two = PROC}", "F sink", "G {card(one) < 3}"];
    let set_ups =
        "MACHINE m SETS S CONSTANTS c PROPERTIES c : 0..3 VARIABLES n, p INVARIANT n : 0..9 & p <: S INITIALISATION n := 0 || p := {}
        OPERATIONS inc = SELECT n < c THEN n := n + 1 END; choose(s) = PRE s : S THEN p := {s} END END";
    let of_set_ups = ["G {n <= c}", "!s.({s : S} => F {s : p})", "G {n < 3}", "GF e(inc) or F deadlock(inc)", "CTL EF {n = 3}"];
    let without = "MACHINE m VARIABLES n, k INVARIANT n : 0..20 & k : 0..3 INITIALISATION n, k := 0, 0
        OPERATIONS inc = SELECT n < 20 THEN n := n + 1 END; turn = BEGIN k := (k + 1) mod 4 END END";
    let of_without = ["G {6 / (12 - n) > -9}", "F {n = 20}", "F BA({1 / (n - 2) = 1})", "WF(inc) => F {n = 20}", "G {n + k < 17}"];
    for (text, size, formulas) in [(swap, 2, &of_swap[..]), (set_ups, 3, &of_set_ups), (without, 1, &of_without)] {
        let machine = machine(text, size, formulas);
        for way in ways() {
            let outcome = agree(&machine, &way, &[2, 5, 7, 11, 30]);
            assert!(
                outcome.temporal.iter().any(|result| matches!(result.verdict, TemporalVerdict::Violated | TemporalVerdict::IllDefined(_)))
            );
        }
    }
}

#[test]
fn the_effects_of_on_the_fly_checks_and_turns_are_the_same() {
    let endless = "MACHINE m SETS S VARIABLES n, p INVARIANT n : NATURAL & p <: S INITIALISATION n := 0 || p := {}
        OPERATIONS inc = n := n + 1; choose(s) = PRE s : S THEN p := {s} END END";
    let machine = machine(endless, 3, &["G {n < 2500}", "!s.({s : S} => G {s /: p or n < 4000})", "G {n >= 0}"]);
    // Before and behind the first on-the-fly check, at 4,096 expanded states, and the turns; the second on-the-fly check ends it.
    for (keep_going, stops) in [(false, &[4200, 9000][..]), (true, &[5000])] {
        let limits = Limits { states: keep_going.then_some(6000), ..Limits::default() };
        let outcome = agree(&machine, &Options { keep_going, limits, ..Options::default() }, &share(stops.iter().copied(), 2));
        assert_eq!(outcome.temporal[0].verdict, TemporalVerdict::Violated);
    }
}

#[test]
fn an_error_met_before_a_checkpoint_is_not_lost_by_an_interrupt_when_the_search_goes_on() {
    let without = "MACHINE m VARIABLES n, k INVARIANT n : 0..20 & k : 0..3 INITIALISATION n, k := 0, 0
        OPERATIONS inc = SELECT n < 20 THEN n := n + 1 END; turn = BEGIN k := (k + 1) mod 4 END END";
    // In the state without a value the second formula seems to hold, and the third one to be violated.
    let machine = machine(without, 1, &["G {n <= 20}", "G not {6 / (12 - n) > 9}", "G {6 / (12 - n) > -9}"]);
    for way in ways().into_iter().filter(|way| way.keep_going) {
        let whole = explore(&machine, &way.symmetry_of(&machine), &way, &mut Silent);
        assert!(matches!(whole.temporal[1].verdict, TemporalVerdict::IllDefined(_)));
        let files = FaultyFiles::default();
        in_folder(&files, &machine, &within(&way, 75)).unwrap_or_else(|fault| panic!("{way:?}: {fault}"));
        let ends = interrupted_in_each_call(&files, &machine, |files| {
            let outcome = in_folder(files, &machine, &way).unwrap_or_else(|fault| panic!("{way:?}: {fault}"));
            told(outcome)
        });
        let whole = told(whole);
        assert!(ends.len() > 3 && ends.iter().all(|end| *end == whole), "{way:?}");
    }
}
