//! Searches beyond memory: their outcomes are those of one whose states are all in memory.

use super::checkpoints::{in_folder_beyond, interrupted_in_each_call, machines, told, ways, within};
use super::*;
use bcheck_durable::faulty::{FAULTS, Fault, FaultyFiles};
use bcheck_durable::files::Files;
use std::time::Duration;

/// Between two checkpoints: passes have several slices.
const SELDOM: Duration = Duration::from_secs(3600);

/// As many levels as states, of which a few have steps back.
const LONG: &str = "MACHINE Long VARIABLES x INVARIANT x : 0..2000 INITIALISATION x := 0
    OPERATIONS up = PRE x < 300 THEN x := x + 1 END; back = PRE x mod 100 = 7 THEN x := x - 7 END END";

/// Most states are words, and those with a large number are bytes.
const MIXED: &str = "MACHINE Mixed VARIABLES x, s INVARIANT x : INTEGER & s : POW(0..3)
    INITIALISATION x, s := 1, {}
    OPERATIONS
      grow = PRE x < 1000000000000000000000000000 THEN x := x * 1000 END;
      put(yy) = PRE yy : 0..3 THEN s := s \\/ {yy} END;
      shrink = PRE x > 1000000 THEN x := x / 1000 END
    END";

#[test]
fn a_search_beyond_memory_ends_as_one_within() {
    let mut beyond = 0;
    for (name, machine) in machines().into_iter().chain([("long", load(LONG, 1)), ("mixed", load(MIXED, 1))]) {
        for way in share(ways(), 3).into_iter().step_by(if name == "long" { 7 } else { 1 }) {
            let whole = told(&run(&machine, &way));
            for states in [2, 20, 60] {
                let (outcome, facts) = in_folder_beyond(&FaultyFiles::default(), &machine, &way, (Some(states), SELDOM))
                    .unwrap_or_else(|fault| panic!("{name} {states} {way:?}: {fault}"));
                assert_eq!(told(&outcome), whole, "{name} {states} {way:?}");
                beyond += u32::from(facts.disk.is_some_and(|disk| disk.runs > 1));
            }
        }
    }
    assert!(beyond > 15, "{beyond}");
}

#[test]
fn a_search_beyond_memory_that_was_stopped_again_and_again_ends_as_one_within() {
    for (name, machine) in machines() {
        for (way, shares) in ways().into_iter().step_by(3).zip([[2, 30], [20, 3], [8, 50]].into_iter().cycle()) {
            let whole = run(&machine, &way);
            let files = FaultyFiles::default();
            let step = (whole.explored.states / 5).max(1);
            for (states, at) in (1..whole.explored.states).step_by(usize::try_from(step).expect("small")).zip(0..) {
                // The first part within memory; the others with other shares than the part before.
                let share = (at > 0).then_some(shares[at % 2]);
                let part = in_folder_beyond(&files, &machine, &within(&way, states), (share, [Duration::ZERO, SELDOM][at % 2]));
                let (part, _) = part.unwrap_or_else(|fault| panic!("{name} {states} {way:?}: {fault}"));
                assert_eq!(told(&part), told(&run(&machine, &within(&way, states))), "{name}, at most {states} states, {way:?}");
            }
            for share in [shares[0], shares[1]] {
                let (end, _) = in_folder_beyond(&files, &machine, &way, (Some(share), SELDOM))
                    .unwrap_or_else(|fault| panic!("{name} {way:?}: {fault}"));
                assert_eq!(told(&end), told(&whole), "{name} {way:?}");
            }
        }
    }
}

#[test]
fn whatever_call_fails_beyond_memory_the_folder_can_be_gone_on_with_or_is_refused() {
    let machine = load(PHONEBOOK, 3);
    let way = options(Mode::Off);
    let whole = told(&run(&machine, &way));
    let calls = {
        let files = FaultyFiles::default();
        let (_, facts) = in_folder_beyond(&files, &machine, &way, (Some(16), Duration::ZERO)).expect("nothing fails");
        assert!(facts.disk.is_some_and(|disk| disk.runs > 0));
        files.calls()
    };
    // A prime number of steps meets calls of all kinds.
    for call in (0..calls).step_by(7) {
        let fault = FAULTS[usize::try_from(call).expect("few") % FAULTS.len()];
        let files = FaultyFiles::default();
        files.fail(call, fault);
        match in_folder_beyond(&files, &machine, &way, (Some(16), Duration::ZERO)) {
            Ok((outcome, _)) if outcome.limit == Some(LimitHit::DiskFull) => assert!(!outcome.complete && fault != Fault::Io),
            Ok((outcome, _)) => assert_eq!(told(&outcome), whole, "{call} {fault:?}"),
            Err(fault) => assert!(matches!(fault, CheckpointFault::Folder(_)), "{call} {fault:?}"),
        }
        for next in [files.restarted(), files.after_power_loss(0), files.after_power_loss(7 * call + 3)] {
            let (outcome, _) = in_folder_beyond(&next, &machine, &way, (Some(16), Duration::ZERO))
                .unwrap_or_else(|refusal| panic!("{call} {fault:?}: {refusal}"));
            assert_eq!(told(&outcome), whole, "{call} {fault:?}");
        }
    }
}

#[test]
fn flipped_bits_of_a_folder_are_refused_or_change_nothing() {
    let machine = load(PHONEBOOK, 2);
    let way = options(Mode::Off);
    let whole = told(&run(&machine, &way));
    let files = FaultyFiles::default();
    in_folder_beyond(&files, &machine, &within(&way, 7), (Some(2), Duration::ZERO)).expect("it is stopped");
    let names = files.names().expect("names");
    let runs = names.iter().filter(|name| name.starts_with("run-"));
    assert!(runs.clone().count() > 0, "{names:?}");
    for name in names.iter().filter(|name| name.starts_with("run-") || name.starts_with("states-")) {
        let length = files.len(name).expect("a length").expect("a file");
        for at in 0..usize::try_from(length).expect("few") {
            let files = files.restarted();
            files.flip(name, at, 1 << (at % 8));
            match in_folder_beyond(&files, &machine, &way, (Some(2), SELDOM)) {
                Ok((outcome, _)) => assert_eq!(told(&outcome), whole, "{name} {at}"),
                Err(fault) => assert!(matches!(fault, CheckpointFault::Folder(_)), "{name} {at}: {fault}"),
            }
        }
    }
}

#[test]
fn a_search_beyond_memory_that_was_interrupted_when_it_went_on_ends_as_one_within() {
    // The finding in the initial state is met before the states of the log are there.
    let text = "MACHINE First VARIABLES x INVARIANT x : 1..60 INITIALISATION x := 0
        OPERATIONS up = PRE x < 60 THEN x := x + 1 END; back = PRE x mod 10 = 7 THEN x := x - 7 END END";
    let machine = load(text, 1);
    let way = Options { keep_going: true, ..options(Mode::Off) };
    let whole = told(&run(&machine, &way));
    let files = FaultyFiles::default();
    let (_, facts) = in_folder_beyond(&files, &machine, &within(&way, 40), (Some(5), SELDOM)).expect("it is stopped");
    assert!(facts.disk.is_some_and(|disk| disk.runs > 0));
    let ends = interrupted_in_each_call(&files, &machine, |files| {
        let (outcome, _) = in_folder_beyond(files, &machine, &way, (Some(5), SELDOM)).unwrap_or_else(|fault| panic!("{fault}"));
        told(&outcome)
    });
    assert!(ends.len() > 3 && ends.iter().all(|end| *end == whole));
}

#[test]
fn a_checkpoint_beyond_memory_stands_where_a_run_with_a_lower_limit_goes_on() {
    let machine = load(LONG, 1);
    for workers in [1, 2] {
        let way = Options { workers, ..options(Mode::Off) };
        let whole = told(&run(&machine, &way));
        let files = FaultyFiles::default();
        // Below what is there, and below what the first run has spilled.
        for (states, every) in [(150, Duration::ZERO), (60, SELDOM), (5, Duration::ZERO), (100, SELDOM)] {
            let (part, facts) = in_folder_beyond(&files, &machine, &within(&way, states), (Some(10), every)).expect("it is stopped");
            assert_eq!((part.limit, part.verdict), (Some(LimitHit::States(states)), Verdict::Incomplete));
            assert!(facts.disk.is_some_and(|disk| disk.runs > 0) && part.explored.states == 150);
        }
        let (end, _) = in_folder_beyond(&files, &machine, &way, (Some(10), SELDOM)).expect("it goes on");
        assert_eq!(told(&end), whole);
    }
}
