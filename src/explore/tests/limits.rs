//! What ends a search early: limits on states, depth, time and memory, and the interrupt flag.
//!
//! Invariant: a search that was cut off is never `verified`, and what it had counted by then is reported.

use super::*;
use crate::count::conclusion::Confirmation;
use crate::trace::confirm;
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_value::Value;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[test]
fn a_limit_on_states_is_hit_only_by_one_state_more() {
    for workers in [1, 2] {
        let limited = |states| {
            run(
                &load(PHONEBOOK, 3),
                &Options { workers, limits: Limits { states: Some(states), ..Limits::default() }, ..options(Mode::Off) },
            )
        };
        let enough = limited(64);
        assert_eq!((enough.verdict, enough.complete, enough.limit), (Verdict::Verified, true, None));
        let short = limited(63);
        assert_eq!((short.verdict, short.complete, short.limit), (Verdict::Incomplete, false, Some(LimitHit::States(63))));
        assert_eq!(short.explored.states, 63);
        assert!(!short.full.exact && !short.full.why.is_empty());
    }
}

#[test]
fn a_limit_on_depth_leaves_the_last_level_unexpanded() {
    let limited =
        |depth| run(&load(PHONEBOOK, 3), &Options { limits: Limits { depth: Some(depth), ..Limits::default() }, ..options(Mode::Off) });
    let outcome = limited(1);
    assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Depth(1))));
    assert_eq!((outcome.explored.states, outcome.explored.transitions, outcome.explored.depth), (10, 9, 1));
    assert_eq!(limited(4).verdict, Verdict::Verified, "level 3 is expanded and leads nowhere new");
}

#[test]
fn a_limit_on_set_ups_admits_the_first_valuations_of_the_constants() {
    // Three codes that are all symmetric, so one representative: valuations count.
    for (mode, workers) in [(Mode::Off, 1), (Mode::Exact, 1), (Mode::Exact, 2)] {
        let machine = load(EMERGENCY, 3);
        let limited = |set_ups| Options { workers, limits: Limits { set_ups, ..Limits::default() }, ..options(mode) };
        let whole = run(&machine, &limited(None));
        assert_eq!(whole.verdict, Verdict::Verified);
        assert_eq!(all_of(&run(&machine, &limited(Some(3)))), all_of(&whole), "{mode:?}");
        let part = run(&machine, &limited(Some(2)));
        assert_eq!((part.verdict, &part.limit), (Verdict::Incomplete, &Some(LimitHit::SetUps(2))), "{mode:?}");
        assert_eq!(part.explored.setups, if mode == Mode::Off { 2 } else { 1 });
        let symmetry = Symmetry::new(machine.model(), machine.scope(), mode);
        assert_eq!(all_of(&part), all_of(&explore_reference(&machine, &symmetry, &limited(Some(2)))), "{mode:?}");
    }
}

#[test]
fn a_finding_within_the_limit_is_the_verdict_all_the_same() {
    let text = growing("card(kept) < 1", ALWAYS, KEEP, "");
    let outcome = run(&load(&text, 3), &Options { limits: Limits { states: Some(2), ..Limits::default() }, ..options(Mode::Off) });
    assert_eq!((outcome.verdict, outcome.complete), (Verdict::InvariantViolation, false));
}

#[test]
fn an_interrupt_stops_the_search_with_what_was_counted() {
    let machine = load(PHONEBOOK, 3);
    machine.interrupt().store(true, Ordering::Relaxed);
    let outcome = run(&machine, &options(Mode::Off));
    assert_eq!((outcome.verdict, outcome.complete, outcome.limit), (Verdict::Incomplete, false, Some(LimitHit::Interrupted)));
    assert!(outcome.explored.states <= 1 && outcome.explored.transitions == 0);
}

#[test]
fn what_was_found_but_not_confirmed_in_time_is_told_and_never_verified() {
    let verified = run(&load(PHONEBOOK, 3), &options(Mode::Off));
    assert_eq!((verified.verdict, verified.complete), (Verdict::Verified, true));
    let outcome = verified.concluded(Some(Confirmation::Unconfirmed(Verdict::Deadlock)));
    assert_eq!((outcome.verdict, outcome.complete, outcome.limit), (Verdict::Incomplete, false, Some(LimitHit::Interrupted)));
    assert_eq!(outcome.unconfirmed, Some(Verdict::Deadlock));
}

#[test]
fn limits_of_time_and_memory_stop_a_long_search() {
    // What takes the memory is the search, so it has begun.
    struct Heavy(u64);
    impl Observer for Heavy {
        fn progress(&mut self, progress: &Progress) {
            self.0 = progress.transitions;
        }
        fn memory_bytes(&mut self) -> u64 {
            if self.0 > 0 { 1 << 40 } else { 0 }
        }
    }
    for workers in [1, 2] {
        let machine = load(PHONEBOOK, 9);
        let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
        let time = Limits { time: Some(Duration::from_millis(150)), ..Limits::default() };
        let outcome = explore(&machine, &symmetry, &Options { workers, limits: time, ..options(Mode::Off) }, &mut Silent);
        assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Time(Duration::from_millis(150)))));
        machine.interrupt().store(false, Ordering::Relaxed);
        let memory = Limits { memory_bytes: Some(1 << 30), ..Limits::default() };
        let outcome = explore(&machine, &symmetry, &Options { workers, limits: memory, ..options(Mode::Off) }, &mut Heavy(0));
        assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Memory(1 << 30))));
        assert!(outcome.explored.states > 0 && outcome.explored.transitions > 0);
    }
}

#[test]
fn an_interrupt_during_the_confirmation_refutes_no_claim_and_is_no_error_of_the_machine() {
    let long = "!x.(x : 1 .. 100000 => x > 0 or v = FALSE)";
    let text = format!(
        "MACHINE m DEFINITIONS GOAL == {long} VARIABLES v INVARIANT v : BOOL & not({long})
        ASSERTIONS not({long}) INITIALISATION v := TRUE OPERATIONS o = skip END"
    );
    let machine = load(&text, 1);
    let state: Valuation = [Value::Bool(true)].into_iter().collect();
    let error = || EvalError { kind: EvalErrorKind::Unassigned("x".to_owned()), span: machine.model().initialisation.span };
    machine.interrupt().store(true, Ordering::Relaxed);
    let parts = [FaultyPart::Goal, FaultyPart::Invariant(1), FaultyPart::Assertion(0)];
    let violated = parts.clone().map(Fault::violated);
    let ill_defined = parts.map(|part| Fault::ill_defined(part, error()));
    for fault in violated.iter().chain(&ill_defined) {
        assert_eq!(confirm(&machine, &state, fault.clone()), Err(TraceFault::Interrupted), "{fault:?}");
    }
    machine.interrupt().store(false, Ordering::Relaxed);
    for fault in violated {
        assert_eq!(confirm(&machine, &state, fault.clone()), Ok(fault));
    }
    assert_eq!(confirm(&machine, &state, Fault::ill_defined(FaultyPart::Goal, error())), Err(TraceFault::NotConfirmed));
}

#[test]
fn an_interrupt_at_the_choice_that_ends_a_search_with_symmetry_is_not_lost() {
    let machine = load(
        "MACHINE m SETS D VARIABLES d, s INVARIANT d : POW(D) & s : seq(1 .. 2) INITIALISATION d := {} || s :: seq(1 .. 2)
        OPERATIONS add(x) = PRE x : D THEN d := d \\/ {x} END END",
        2,
    );
    let exact = || Symmetry::new(machine.model(), machine.scope(), Mode::Exact);
    assert!(!exact().is_trivial());
    let outcome = explore(&machine, &exact(), &options(Mode::Exact), &mut Silent);
    assert!(matches!(outcome.limit, Some(LimitHit::Partial(_))) && outcome.explored.initial == 16);
    assert!(!machine.interrupt().load(Ordering::Relaxed), "only whoever interrupts raises the flag");
    machine.interrupt().store(true, Ordering::Relaxed);
    let outcome = explore(&machine, &exact(), &options(Mode::Exact), &mut Silent);
    assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Interrupted)));
    assert!(machine.interrupt().load(Ordering::Relaxed), "nobody else lowers it");
}
