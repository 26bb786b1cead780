//! Simulations: the same outcome for any number of workers; what they count are states and steps of the space; findings have traces.

use super::checkpoints::{machines, told};
use super::*;

fn simulated(symmetry: Mode, runs: u64) -> Options {
    let limits = Limits { depth: Some(20), ..Limits::default() };
    Options { strategy: Strategy::Simulation, runs: Some(runs), limits, keep_going: true, ..options(symmetry) }
}

#[test]
fn runs_do_not_depend_on_the_number_of_workers() {
    for (name, machine) in machines() {
        for symmetry in [Mode::Off, Mode::Exact] {
            for keep_going in [false, true] {
                let way = Options { keep_going, ..simulated(symmetry, 100) };
                let one = told(&run(&machine, &way));
                let five = told(&run(&machine, &Options { workers: 5, ..way.clone() }));
                assert_eq!(five, one, "{name}");
            }
        }
    }
}

#[test]
fn many_runs_come_to_all_states_of_a_small_space_and_count_them_once() {
    for (name, machine) in machines().into_iter().filter(|(name, _)| ["phonebook", "emergency", "bytes"].contains(name)) {
        for symmetry in [Mode::Off, Mode::Exact] {
            let whole = run(&machine, &Options { keep_going: true, ..options(symmetry) });
            let made = run(&machine, &simulated(symmetry, 1000));
            assert_eq!((made.complete, made.limit.clone()), (false, Some(LimitHit::Runs(1000))));
            // Other runs, the same space.
            assert!(made.verdict == if whole.verdict == Verdict::Verified { Verdict::Incomplete } else { whole.verdict });
            let [of_whole, of_runs] = [&whole, &made].map(|outcome| {
                let Counts { states, transitions, initial, deadlocks, prob_transitions, .. } = outcome.explored.clone();
                (states, transitions, initial, deadlocks, prob_transitions)
            });
            assert_eq!(of_runs, of_whole, "{name} {symmetry:?}");
            assert_eq!((&made.full.states, &made.full.transitions), (&whole.full.states, &whole.full.transitions), "{name} {symmetry:?}");
            assert!(!made.full.exact);
        }
    }
}

#[test]
fn what_a_run_meets_is_a_finding_with_its_trace() {
    let machine = load(PHONEBOOK, 3);
    let text = PHONEBOOK.replace("db : Name +-> Code", "db : Name +-> Code & card(db) < 3");
    let violated = load(&text, 3);
    for symmetry in [Mode::Off, Mode::Exact] {
        let made = run(&violated, &Options { keep_going: false, workers: 2, ..simulated(symmetry, 1000) });
        assert_eq!(made.verdict, Verdict::InvariantViolation);
        let finding = made.finding.expect("a finding");
        // The initialisation, and at least one step for each of three entries.
        assert!(finding.trace.steps.len() > 3, "{finding:?}");
        assert_eq!(made.limit, None);
        let made = run(&machine, &Options { keep_going: false, ..simulated(symmetry, 10) });
        assert_eq!((made.verdict, made.limit), (Verdict::Incomplete, Some(LimitHit::Runs(10))));
    }
}

#[test]
fn a_deadlock_and_a_limit_on_states_end_runs() {
    let machine =
        load("MACHINE Down VARIABLES x INVARIANT x : 0..9 INITIALISATION x :: 5..9 OPERATIONS down = PRE x > 0 THEN x := x - 1 END END", 1);
    let made = run(&machine, &Options { keep_going: false, ..simulated(Mode::Off, 50) });
    assert_eq!(made.verdict, Verdict::Deadlock);
    let made = run(&machine, &Options { deadlock: false, ..simulated(Mode::Off, 500) });
    assert_eq!((made.explored.states, made.explored.deadlocks, made.explored.initial, made.explored.depth), (10, 1, 5, 9));
    let limits = Limits { states: Some(3), ..Limits::default() };
    let made = run(&machine, &Options { deadlock: false, limits, ..simulated(Mode::Off, 500) });
    assert_eq!(made.limit, Some(LimitHit::States(3)));
}
