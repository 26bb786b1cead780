//! Searches that are stopped and gone on with: their outcomes are those of one that was never stopped.

use super::*;
use bcheck_durable::faulty::{FAULTS, Fault, FaultyFiles};
use bcheck_durable::folder::{Folder, RunId};
use std::time::Duration;

/// Machines with findings, warnings, set-ups, and states that are kept as bytes; their size, and a name.
pub(super) fn machines() -> Vec<(&'static str, Machine)> {
    let bytes = "MACHINE Names SETS S VARIABLES names, one INVARIANT names <: STRING & one : S --> POW(S) & card(names) < 3
        INITIALISATION names := {} || one := S * {{}}
        OPERATIONS
          call(tt) = PRE tt : {\"a\", \"b\", \"c\"} THEN names := names \\/ {tt} END;
          put(xx, yy) = PRE xx : S & yy : S THEN one(xx) := one(xx) \\/ {yy} END
        END";
    let warned = "MACHINE Warned CONSTANTS c PROPERTIES c : 1..3 VARIABLES x, f INVARIANT x : 0..40 & f : 0..2 +-> 0..9
        INITIALISATION x := c || f := {0 |-> 1}
        OPERATIONS
          up = PRE x < 20 * c THEN x := x + 1 END;
          ask = PRE x > 3 & f(x - 4) = 1 THEN skip END;
          rr <-- none = PRE x > 7 THEN IF x = 9 THEN rr := 1 END END
        END";
    let stuck = "MACHINE Stuck VARIABLES x, y INVARIANT x : 0..30 & y : 0..30 & x + y /= 25
        INITIALISATION x, y := 0, 0
        OPERATIONS right = PRE x < 30 THEN x := x + 1 END; up = PRE y < 30 THEN y := y + 1 END END";
    [
        ("phonebook", PHONEBOOK, 3),
        ("emergency", EMERGENCY, 3),
        ("scheduler", SCHEDULER, 4),
        ("bytes", bytes, 2),
        ("warned", warned, 1),
        ("stuck", stuck, 1),
    ]
    .map(|(name, text, size)| (name, load(text, size)))
    .into()
}

/// What must not depend on whether a search was stopped.
pub(super) fn told(outcome: &Outcome) -> String {
    let Outcome {
        verdict, complete, limit, explored, full, operations, finding, guard_warnings, unassigned_results, internal_error, ..
    } = outcome;
    format!(
        "{verdict:?} {complete} {limit:?} {explored:?} {full:?} {operations:?} {finding:?} {guard_warnings:?} {unassigned_results:?} {internal_error:?}"
    )
}

pub(super) fn run_id() -> RunId {
    RunId::of([&b"a run of these tests"[..]])
}

/// Goes on with what a folder holds, or begins there if it holds nothing.
pub(crate) fn in_folder(files: &FaultyFiles, machine: &Machine, options: &Options) -> Result<Outcome, CheckpointFault> {
    in_folder_beyond(files, machine, options, (None, Duration::ZERO)).map(|(outcome, _)| outcome)
}

/// The same, where the visited set may go beyond memory once it has this many states; also gives the facts about the checkpoints then.
pub(super) fn in_folder_beyond(
    files: &FaultyFiles,
    machine: &Machine,
    options: &Options,
    (states, every): (Option<usize>, Duration),
) -> Result<(Outcome, CheckpointFacts), CheckpointFault> {
    let folder = || Folder::with_files(Box::new(files.clone()), run_id());
    let mut checkpoints = match folder().manifest(&|text| Ok(Manifest::of_json(text).is_some())) {
        Ok((text, is_older)) => Checkpoints::go_on(folder(), (Manifest::of_json(&text).expect("it is asked for"), is_older), every),
        Err(_) => Checkpoints::begin(folder(), serde_json::Value::Null, every)?,
    };
    machine.interrupt().store(false, std::sync::atomic::Ordering::Relaxed);
    if states.is_some() {
        checkpoints.go_beyond(Share { bytes: 1 << 20, of_process: u64::MAX, states }, options.workers);
    }
    let outcome = explore_with_checkpoints(machine, &options.symmetry_of(machine), options, &mut Silent, &mut checkpoints)?;
    Ok((outcome, checkpoints.facts()))
}

pub(super) fn within(options: &Options, states: u64) -> Options {
    Options { limits: Limits { states: Some(states), ..Limits::default() }, ..options.clone() }
}

/// All ways of searching that these tests go through.
pub(super) fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for symmetry in [Mode::Off, Mode::Exact] {
        for (keep_going, workers, set_ups_at_once) in [(false, 1, 1024), (true, 2, 1024), (true, 1, 1), (false, 2, 2)] {
            ways.push(Options { keep_going, workers, set_ups_at_once, ..options(symmetry) });
        }
    }
    ways
}

#[test]
fn a_search_that_was_stopped_again_and_again_ends_as_one_that_was_not() {
    for (name, machine) in machines() {
        for way in share(ways(), 3) {
            let whole = run(&machine, &way);
            let files = FaultyFiles::default();
            // Steps that meet barriers at every place of a level.
            let step = (whole.explored.states / 7).max(1);
            for states in (1..whole.explored.states).step_by(usize::try_from(step).expect("small")) {
                let part = in_folder(&files, &machine, &within(&way, states)).unwrap_or_else(|fault| panic!("{name} {way:?}: {fault}"));
                assert_eq!(told(&part), told(&run(&machine, &within(&way, states))), "{name}, at most {states} states, {way:?}");
            }
            let end = in_folder(&files, &machine, &way).unwrap_or_else(|fault| panic!("{name} {way:?}: {fault}"));
            assert_eq!(told(&end), told(&whole), "{name} {way:?}");
            // Once more, when there is nothing left to do.
            let again = in_folder(&files, &machine, &way).expect("it is complete");
            assert_eq!(told(&again), told(&whole), "{name} {way:?}");
        }
    }
}

/// Goes on with what a folder holds, and interrupts that in each of its calls, from the first to the last, or in a share of them; what the
/// folder holds then is gone on with to the end. Gives the reports of these ends.
pub(crate) fn interrupted_in_each_call(
    files: &FaultyFiles,
    machine: &Machine,
    mut go_on: impl FnMut(&FaultyFiles) -> String,
) -> Vec<String> {
    let calls = {
        let files = files.restarted();
        let before = files.calls();
        go_on(&files);
        files.calls() - before
    };
    let end = |call| {
        let next = files.restarted();
        next.raise(call, machine.interrupt());
        go_on(&next);
        go_on(&next.restarted())
    };
    share(0..calls, 3).into_iter().map(end).collect()
}

#[test]
fn a_search_that_was_interrupted_when_it_went_on_ends_as_one_that_was_not() {
    for (name, machine) in machines().into_iter().filter(|(name, _)| ["emergency", "warned"].contains(name)) {
        for way in ways().into_iter().filter(|way| way.keep_going) {
            let whole = run(&machine, &way);
            let files = FaultyFiles::default();
            in_folder(&files, &machine, &within(&way, whole.explored.states - 2)).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            let ends = interrupted_in_each_call(&files, &machine, |files| {
                let outcome = in_folder(files, &machine, &way).unwrap_or_else(|fault| panic!("{name} {way:?}: {fault}"));
                told(&outcome)
            });
            assert!(ends.len() > 3 && ends.iter().all(|end| *end == told(&whole)), "{name} {way:?}");
        }
    }
}

#[test]
fn a_limit_on_depth_is_named_as_it_was_given_where_a_search_has_come_deeper_before() {
    let machine = load(PHONEBOOK, 3);
    let files = FaultyFiles::default();
    let deep = |depth| Options { limits: Limits { depth: Some(depth), ..Limits::default() }, ..options(Mode::Off) };
    for depth in [2, 1] {
        let outcome = in_folder(&files, &machine, &deep(depth)).expect("it is stopped");
        assert_eq!((outcome.limit, outcome.explored.depth), (Some(LimitHit::Depth(depth)), 2));
    }
}

#[test]
fn a_time_between_checkpoints_that_no_clock_can_count_never_ends() {
    let machine = load(PHONEBOOK, 3);
    let way = options(Mode::Off);
    for share in [None, Some(16)] {
        let files = FaultyFiles::default();
        for states in [20, 40] {
            let (_, facts) = in_folder_beyond(&files, &machine, &within(&way, states), (share, Duration::MAX)).expect("it is stopped");
            assert!(facts.states > 0);
        }
        let (end, _) = in_folder_beyond(&files, &machine, &way, (share, Duration::MAX)).expect("it goes on");
        assert_eq!(told(&end), told(&run(&machine, &way)));
    }
}

#[test]
fn a_lower_limit_may_end_a_search_among_the_set_ups_before_the_checkpoint() {
    let (name, machine) = machines().into_iter().find(|(name, _)| *name == "warned").expect("it has three set-ups");
    for keep_going in [false, true] {
        let way = Options { keep_going, set_ups_at_once: 1, ..options(Mode::Off) };
        let whole = run(&machine, &way);
        let files = FaultyFiles::default();
        in_folder(&files, &machine, &within(&way, whole.explored.states - 2)).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        for states in [1, 2] {
            let part = in_folder(&files, &machine, &within(&way, states)).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            assert_eq!((part.limit, part.complete), (Some(LimitHit::States(states)), false));
        }
        assert_eq!(told(&in_folder(&files, &machine, &way).expect("it goes on")), told(&whole));
    }
}

#[test]
fn whatever_call_fails_the_folder_can_be_gone_on_with_or_is_refused() {
    let machine = load(SCHEDULER, 3);
    let way = options(Mode::Exact);
    let whole = told(&run(&machine, &way));
    let calls = {
        let files = FaultyFiles::default();
        in_folder(&files, &machine, &way).expect("nothing fails");
        files.calls()
    };
    for call in share(0..calls, 3) {
        for fault in FAULTS {
            let files = FaultyFiles::default();
            files.fail(call, fault);
            match in_folder(&files, &machine, &way) {
                Ok(outcome) if outcome.limit == Some(LimitHit::DiskFull) => assert!(!outcome.complete && fault != Fault::Io),
                Ok(outcome) => assert_eq!(told(&outcome), whole, "{call} {fault:?}"),
                Err(fault) => assert!(matches!(fault, CheckpointFault::Folder(_)), "{call} {fault:?}"),
            }
            for next in [files.restarted(), files.after_power_loss(0), files.after_power_loss(7 * call + 3)] {
                let outcome = in_folder(&next, &machine, &way).unwrap_or_else(|refusal| panic!("{call} {fault:?}: {refusal}"));
                assert_eq!(told(&outcome), whole, "{call} {fault:?}");
            }
        }
    }
}

#[test]
fn a_checkpoint_of_another_machine_is_refused_even_under_the_same_name() {
    let way = options(Mode::Off);
    let files = FaultyFiles::default();
    in_folder(&files, &load(PHONEBOOK, 3), &within(&way, 20)).expect("it is stopped");
    let other_step = PHONEBOOK.replace("db(nn) := cc", "db := Name * {cc}");
    for other in [load(EMERGENCY, 3), load(&other_step, 3), load(&PHONEBOOK.replace("db := {}", "db :: Name --> Code"), 3)] {
        let refusal = in_folder(&files.restarted(), &other, &way).expect_err("it is another machine");
        assert!(matches!(refusal, CheckpointFault::Other(_)), "{refusal}");
    }
    assert_eq!(told(&in_folder(&files, &load(PHONEBOOK, 3), &way).expect("it is the same")), told(&check(PHONEBOOK, 3, Mode::Off)));
}
