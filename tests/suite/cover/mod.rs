//! `bcheck cover`: what is covered, against an interpreter of its own that walks all states; traces, against `bcheck replay`; limits and
//! refusals.

mod interpreter;

use crate::dice::Dice;
use crate::program::{bcheck, part, place, root, share};
use crate::random_machine::machine;
use bcheck::eval::FIRST_CHOICES;
use bcheck::explore::{Coverable, Coverage, Limits, Status};
use bcheck::ir::OperationId;
use bcheck::symmetry::{Mode, Symmetry};
use bcheck::value::Valuation;
use bcheck::{Compiled, Request};
use interpreter::{Interpreter, Key, key};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A machine of `machines/`, or a text; the size of its deferred sets; conjuncts of its guards that only say where parameters are taken
/// from.
type Case = (&'static str, u32, &'static [&'static str]);

const CASES: &[Case] = &[
    ("classic/phonebook", 2, &["n : Name", "c : Code"]),
    ("classic/scheduler", 3, &["p : PID"]),
    ("classic/two_phase_commit", 2, &["p : PARTICIPANT"]),
    ("studies/simple_mutex", 2, &["u : USER"]),
    ("studies/bounded_stack", 2, &["t : THREAD"]),
    ("tour/tour4_postman", 3, &[]),
    ("tour/tour10_fountain", 3, &[]),
    (STORE, 2, &["xx : ID"]),
    (NESTED, 2, &["xx : 0..3", "xx : ID"]),
    (LOOPS, 1, &[]),
    (PARTIAL, 2, &["xx : ID"]),
    (BEGINNINGS, 2, &[]),
    (CHAINS, 2, &["xx : ID", "kk : 0..4"]),
    (SHARED, 2, &[]),
];

const STORE: &str = "MACHINE Store SETS ID; MODE = {idle, busy, broken} VARIABLES mode, use, n
    INVARIANT mode : MODE & use <: ID & n : 0..5 INITIALISATION mode := idle || use := {} || n := 0
    OPERATIONS
      take(xx) = PRE xx : ID & (xx /: use or mode = broken) & n < 5 THEN
        IF n > 2 & mode = busy THEN mode := idle ELSIF mode = broken THEN skip ELSE mode := busy END || use := use \\/ {xx} || n := n + 1
      END;
      free(xx) = SELECT xx : use & n > 0 THEN use := use - {xx} WHEN use = {} THEN mode := idle END;
      rr <-- kind = CASE mode OF EITHER idle THEN rr := 1 OR busy THEN rr := 2 OR broken THEN rr := 3 END END;
      pick = CHOICE n := 0 OR ANY yy WHERE yy : use THEN use := {yy} END END
    END";

/// Choices and guards inside of bodies; both branches of a CASE with two values.
const NESTED: &str = "MACHINE Nested SETS ID VARIABLES use, n INVARIANT use <: ID & n : 0..4 INITIALISATION use := {} || n := 0
    OPERATIONS
      step(xx) = PRE xx : 0..3 & n + xx <= 4 THEN
        SELECT xx = 0 or n = 4 THEN n := 0 WHEN xx > n THEN
          CASE xx OF EITHER 1, 2 THEN n := n + xx OR 3 THEN CHOICE n := 3 OR SELECT n = 2 THEN n := 4 END END ELSE n := 1 END END
        ELSE n := n + 1 END
      END;
      add(xx) = PRE xx : ID THEN ANY yy WHERE yy : ID & (yy = xx or yy : use) THEN
        IF yy = xx <=> n = 0 THEN use := use \\/ {yy} ELSE use := use - {yy} END END END
    END";

/// What is seen in states between the beginning and the end of a step.
const LOOPS: &str = "MACHINE Loops VARIABLES n, m INVARIANT n : 0..6 & m : 0..6 INITIALISATION n, m := 0, 0
    OPERATIONS
      go = BEGIN n := n + 1; IF n = 6 THEN n := 0 END; IF n = 4 & m = 0 THEN m := 1 ELSIF n = 6 THEN m := 2 END END;
      round = VAR ii IN ii := 0; WHILE ii < n DO IF ii = 3 or m = 5 THEN m := 0 ELSE ii := ii END; ii := ii + 1
        INVARIANT ii : 0..10 VARIANT 10 - ii END END;
      never = SELECT n > 6 THEN VAR ii IN ii := 1; n := ii END END
    END";

/// Conditions that are ill-defined where others are false.
const PARTIAL: &str = "MACHINE Partial SETS ID VARIABLES f INVARIANT f : ID +-> 0..2 INITIALISATION f := {}
    OPERATIONS
      set(xx) = PRE xx : ID & xx /: dom(f) THEN f(xx) := 0 END;
      more(xx) = PRE xx : ID & xx : dom(f) & f(xx) < 2 THEN f(xx) := f(xx) + 1 END;
      look(xx) = PRE xx : ID THEN IF xx : dom(f) & f(xx) = 2 THEN f := {xx} <<| f ELSIF xx /: dom(f) or f(xx) > 5 THEN skip END END
    END";

/// Choices of the initialisation, under each value of a constant.
const BEGINNINGS: &str =
    "MACHINE Beginnings SETS ID CONSTANTS who, k PROPERTIES who : ID & k : 1..2 VARIABLES x, y INVARIANT x : 0..4 & y <: ID
    INITIALISATION BEGIN x :: 0..k; IF x = 2 THEN y := {who} ELSIF x > 2 THEN y := ID ELSE CHOICE y := {} OR y := {who} END END END
    OPERATIONS next = SELECT x < 2 & y /= {} THEN x := x + 1 END; other = IF k = 1 & who : y THEN skip END
    END";

/// Several guards on top of each other, of which the outer ones bound the parameters.
const CHAINS: &str = "MACHINE Chains SETS ID VARIABLES n, at INVARIANT n : 0..9 & at : ID INITIALISATION n := 0 || at :: ID
    OPERATIONS
      move(xx, kk) = PRE xx : ID & kk : 0..4 & (kk > 1 => xx = at) THEN SELECT n + kk < 9 & not(kk = 0) THEN
        IF not(n > 3 or kk = 4) THEN n := n + kk || at := xx ELSE n := 0 END END END;
      turn = SELECT n = 2 or n = 3 THEN at :: ID WHEN n = 3 & n /= 2 THEN n := 9 END
    END";

/// A condition that occurs twice is one; one decides nothing, as it follows from another.
const SHARED: &str = "MACHINE Shared VARIABLES a, b, n INVARIANT a : BOOL & b : BOOL & n : 0..3 INITIALISATION a, b, n := FALSE, FALSE, 0
    OPERATIONS
      put = BEGIN a :: BOOL || b :: BOOL || n :: 0..3 END;
      ask = IF (a = TRUE & b = TRUE) or (not(a = TRUE) & n > 1) THEN n := 0 ELSIF n > 1 & n > 0 THEN n := 1 END
    END";

fn text_of(case: &Case) -> String {
    match case.0.starts_with("MACHINE") {
        true => case.0.to_owned(),
        false => std::fs::read_to_string(root().join(format!("machines/{}.mch", case.0))).expect("a machine"),
    }
}

fn coverable(text: &str, size: u32, has_conditions: bool) -> Coverable {
    let compiled = Compiled::of_text("m.mch", text, &Request { size: Some(size), ..Request::default() }).expect("a machine");
    let machine = compiled.machine();
    Coverable::compile(machine.model().clone(), machine.scope(), has_conditions)
}

fn cover(coverable: &Coverable, mode: Mode) -> Coverage {
    let machine = coverable.machine();
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    let wanted = vec![true; coverable.targets().len()];
    coverable.cover(&symmetry, (&Limits::default(), FIRST_CHOICES), &wanted, &mut || ()).expect("runs are found again")
}

/// Everything that is covered by any step from any reachable state.
fn everything(interpreter: &Interpreter<'_>) -> BTreeSet<Key> {
    let machine = interpreter.machine;
    let (mut covered, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut enter = |(state, keys): (Valuation, BTreeSet<Key>), open: &mut Vec<Valuation>| {
        covered.extend(keys);
        if seen.insert(state.clone()) {
            open.push(state);
        }
    };
    machine
        .for_each_setup(&mut |constants| {
            interpreter.initial(&constants).into_iter().for_each(|step| enter(step, &mut open));
            ControlFlow::Continue(())
        })
        .expect("few constants");
    let mut refusals = BTreeSet::new();
    while let Some(state) = open.pop() {
        for id in (0..u32::try_from(machine.model().operations.len()).expect("few")).map(OperationId) {
            let (steps, refused) = interpreter.steps(&state, id);
            refusals.extend(refused);
            steps.into_iter().for_each(|step| enter(step, &mut open));
        }
    }
    covered.extend(refusals);
    covered
}

#[test]
fn what_is_covered_is_what_an_interpreter_meets_in_all_states() {
    let (mut covered, mut uncoverable) = (0, 0);
    for case in CASES {
        let text = text_of(case);
        for has_conditions in [false, true] {
            let coverable = coverable(&text, case.1, has_conditions);
            let interpreter = Interpreter { machine: coverable.machine(), text: &text, left_out: case.2, has_conditions };
            let expected = everything(&interpreter);
            for mode in [Mode::Off, Mode::Exact] {
                let found = cover(&coverable, mode);
                for (target, status) in coverable.targets().iter().zip(&found.status) {
                    let is_expected = expected.contains(&key(target.operation, target.kind, target.span));
                    let name = &coverable.machine().model().name;
                    match status {
                        Status::Covered(_) => assert!(is_expected, "{name}, {mode:?}: {target:?} is covered"),
                        Status::Uncoverable => assert!(!is_expected, "{name}, {mode:?}: {target:?} is not covered"),
                        other => panic!("{name}: {target:?} is {other:?}"),
                    }
                    covered += usize::from(is_expected);
                    uncoverable += usize::from(!is_expected);
                }
            }
        }
    }
    assert!(covered > 500 && uncoverable > 40, "{covered} covered, {uncoverable} uncoverable");
}

#[test]
fn each_trace_covers_what_it_says_and_is_needed() {
    for case in CASES {
        let text = text_of(case);
        let coverable = coverable(&text, case.1, true);
        let interpreter = Interpreter { machine: coverable.machine(), text: &text, left_out: case.2, has_conditions: true };
        let found = cover(&coverable, Mode::Exact);
        let set_up = coverable.machine().model().set_up_steps();
        for (number, run) in found.runs.iter().enumerate() {
            let mut before: &[_] = &[];
            for (at, step) in run.trace.steps.iter().enumerate() {
                let steps = match step.operation {
                    _ if at < set_up => Vec::new(),
                    None => interpreter.initial(before),
                    Some(id) => interpreter.steps(before, id).0,
                };
                let keys: BTreeSet<Key> = steps.into_iter().filter(|(state, _)| *state == step.state).flat_map(|(_, keys)| keys).collect();
                for (target, place) in run.places.iter().filter(|(_, place)| place.step == at) {
                    let target = &coverable.targets()[*target];
                    let wanted = key(target.operation, target.kind, target.span);
                    match &place.refused {
                        None => assert!(keys.contains(&wanted), "step {at} covers {target:?}: {text}"),
                        Some(call) => assert!(interpreter.steps(&step.state, call.operation).1.contains(&wanted), "{target:?}: {text}"),
                    }
                }
                before = &step.state;
            }
            let alone = found.status.iter().filter(|status| **status == Status::Covered(vec![number])).count();
            assert!(alone > 0, "trace {number} covers something that no other one covers: {text}");
        }
    }
}

/// How many random machines had the same results reduced and not, how many of them had uncoverable targets, and how many were reduced.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let [mut compared, mut uncoverable, mut reduced] = [0; 3];
    for seed in seeds {
        let text = machine(&mut Dice::new(seed));
        let Ok(compiled) = Compiled::of_text("random.mch", &text, &Request::default()) else { continue };
        let compiled = compiled.machine();
        if compiled.model().operations.is_empty() {
            continue;
        }
        let coverable = Coverable::compile(compiled.model().clone(), compiled.scope(), seed % 2 == 0);
        let wanted = vec![true; coverable.targets().len()];
        let limits = Limits { states: Some(500), ..Limits::default() };
        let [plain, exact] = [Mode::Off, Mode::Exact].map(|mode| {
            let symmetry = Symmetry::of_unnamed(compiled.model(), compiled.scope(), mode);
            let found = coverable.cover(&symmetry, (&limits, FIRST_CHOICES), &wanted, &mut || ());
            found.unwrap_or_else(|fault| panic!("seed {seed}, {mode:?}: {fault}\n{text}"))
        });
        if plain.limit.is_some() || exact.limit.is_some() {
            continue;
        }
        let words = |found: &Coverage| found.status.iter().map(std::mem::discriminant).collect::<Vec<_>>();
        assert_eq!(words(&plain), words(&exact), "seed {seed}\n{text}");
        compared += 1;
        uncoverable += usize::from(!plain.is_whole());
        reduced += usize::from(exact.states < plain.states);
    }
    [compared, uncoverable, reduced]
}

#[test]
fn reduction_changes_nothing_about_what_random_machines_cover() {
    let [compared, uncoverable, reduced] = compare(0..part(50, 2));
    assert!(
        compared > 7 && uncoverable > 2 && reduced > 1,
        "{compared} compared, {uncoverable} with uncoverable targets, {reduced} reduced"
    );
}

#[test]
#[ignore = "minutes"]
fn reduction_changes_nothing_about_what_many_random_machines_cover() {
    let [compared, uncoverable, reduced] = compare(1_000..1_600);
    assert!(
        compared > 150 && uncoverable > 50 && reduced > 20,
        "{compared} compared, {uncoverable} with uncoverable targets, {reduced} reduced"
    );
}

#[test]
fn saved_traces_are_replayed_in_both_formats() {
    let (mut replayed, mut covered) = (0, 0);
    for case in share(CASES, 2) {
        let (_around, folder) = place();
        let (_kept, file) = place();
        std::fs::write(&file, text_of(case)).expect("written");
        let machine = format!("{file}.mch");
        std::fs::rename(&file, &machine).expect("renamed");
        let size = case.1.to_string();
        let arguments = ["cover", &machine, "--deferred", &size, "--mcdc", "--save", &folder, "--format", "json"];
        let run = bcheck(&arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        let report = run.json();
        covered += report["targets"].as_array().expect("a list").iter().filter(|target| target["status"] == "covered").count();
        let traces = report["traces"].as_array().expect("a list").len();
        let mut names: Vec<String> =
            std::fs::read_dir(&folder).expect("made").map(|file| file.expect("a file").path().display().to_string()).collect();
        names.sort();
        assert_eq!(names.len(), 2 * traces, "two files for each trace: {names:?}");
        for name in names {
            let again = bcheck(&["replay", &name, &machine, "--format", "json"]);
            assert_eq!((again.code, &again.json()["grade"]), (Some(0), &Value::from("perfect")), "{name}: {again:?}");
            replayed += 1;
        }
        // Again, into the same folder: the report is the same.
        assert_eq!(bcheck(&arguments).stdout, run.stdout);
    }
    assert!(replayed > 12 && covered > 60, "{replayed} replayed, {covered} covered");
}

#[test]
fn traces_of_another_run_in_the_folder_are_noted() {
    let (_around, folder) = place();
    let (_kept, file) = place();
    std::fs::write(&file, STORE).expect("written");
    let whole = bcheck(&["cover", &file, "--save", &folder]);
    assert!(whole.code == Some(0) && whole.stdout.contains("\ntrace 2 covers") && !whole.stderr.contains("not of this run"), "{whole:?}");
    let one = bcheck(&["cover", &file, "--save", &folder, "--target", "1"]);
    assert!(one.code == Some(0) && one.stderr.contains("trace_2.json and 1 more; remove it"), "{one:?}");
    // The folder is a file.
    let refused = bcheck(&["cover", &file, "--save", &file]);
    assert!(
        refused.code == Some(153) && refused.stderr.contains("--save: ") && refused.stderr.contains("is a file, not a folder"),
        "{refused:?}"
    );
}

#[test]
fn a_branch_that_no_step_takes_is_uncoverable_and_all_is_decided() {
    let coverable = coverable(LOOPS, 1, false);
    let found = cover(&coverable, Mode::Exact);
    let model = coverable.machine().model();
    let never = model.operation("never");
    for (target, status) in coverable.targets().iter().zip(&found.status) {
        assert_eq!(
            *status == Status::Uncoverable,
            target.operation == never || LOOPS[target.span.start as usize..].starts_with("n = 6 THEN m")
        );
    }
    assert!(found.is_decided() && !found.is_whole() && found.limit.is_none());
}

#[test]
fn a_limit_leaves_undecided_what_it_leaves_uncovered() {
    let run = bcheck(&["cover", "machines/classic/scheduler.mch", "--deferred", "3", "--max-states", "2", "--format", "json"]);
    assert_eq!(run.code, Some(152), "{run:?}");
    let report = run.json();
    assert_eq!((&report["verdict"], &report["complete"]), (&Value::from("incomplete"), &Value::from(false)));
    assert_eq!(report["stopped"], "Stopped at --max-states 2");
    let status: BTreeSet<&str> =
        report["targets"].as_array().expect("a list").iter().map(|target| target["status"].as_str().expect("a word")).collect();
    assert_eq!(status, BTreeSet::from(["covered", "undecided"]));
    // Enough for all that there is to cover: then the limit is no matter.
    let depth = |depth: &str| bcheck(&["cover", "machines/classic/scheduler.mch", "--deferred", "3", "--max-depth", depth]);
    assert_eq!((depth("1").code, depth("9").code), (Some(152), Some(0)));
}

#[test]
fn targets_are_chosen_by_number_operation_and_text() {
    let cover = |targets: &[&str]| {
        let options: Vec<&str> = targets.iter().flat_map(|target| ["--target", *target]).collect();
        bcheck(&[&["cover", "machines/classic/scheduler.mch", "--format", "json"], options.as_slice()].concat())
    };
    let numbers = |targets: &[&str]| -> Vec<u64> {
        let report = cover(targets).json();
        report["targets"].as_array().expect("a list").iter().map(|target| target["number"].as_u64().expect("a number")).collect()
    };
    assert_eq!(numbers(&["1"]), [1]);
    assert_eq!(numbers(&["swap"]), [6, 7, 8, 9]);
    assert_eq!(numbers(&["ready = {}", "1"]), [1, 7]);
    for (target, reason) in [("99", "1 to 9"), ("swop", "a similar operation is `swap`"), ("nothing at all", "without --target")] {
        let run = cover(&[target]);
        assert!(run.code == Some(2) && run.stderr.contains(reason), "{run:?}");
    }
}

#[test]
fn what_cannot_be_covered_at_all_is_refused() {
    let (_around, file) = place();
    let refused = |text: &str| {
        std::fs::write(&file, text).expect("written");
        let run = bcheck(&["cover", &file]);
        (run.code, run.stderr)
    };
    let (code, reason) = refused("MACHINE m VARIABLES x INVARIANT x = 0 INITIALISATION x := 0 END");
    assert!(code == Some(2) && reason.contains("no operations"), "{reason}");
    let (code, reason) = refused("MACHINE m CONSTANTS c PROPERTIES c : 1..2 & c > 2 OPERATIONS go = skip END");
    assert!(code == Some(10) && reason.contains("PROPERTIES"), "{reason}");
    let (code, reason) = refused("MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x :: {} OPERATIONS go = skip END");
    assert!(code == Some(15) && reason.contains("no initial state"), "{reason}");
    let (code, _) = refused("MACHINE m OPERATIONS go = x := 1 END");
    assert_eq!(code, Some(120));
    // A refinement is covered by itself, within the preconditions of the refined machine.
    let run = bcheck(&["cover", "machines/refinement/Line.ref"]);
    assert!(run.code == Some(0) && run.stdout.contains("3 of 3 targets covered"), "{run:?}");
}
