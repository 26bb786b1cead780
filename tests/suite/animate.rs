//! Sessions of `bcheck animate` that end in files; what they print is in `tests/cli/animate_*.toml`.

use crate::program::{Run, bcheck, command, finish};

/// Runs a script.
fn animate(arguments: &[&str], script: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.txt");
    std::fs::write(&path, script).expect("written");
    let mut all = vec!["animate"];
    all.extend(arguments);
    let mut command = command(&all);
    command.stdin(std::fs::File::open(&path).expect("just written"));
    finish(command)
}

#[test]
fn a_saved_run_is_replayed_perfectly_from_each_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for (machine, script, steps) in [
        ("machines/classic/phonebook.mch", "add(Name3, Code2)\nadd(Name1, Code2)\nundo\nlookup\nfind card(db) = 3", 5),
        ("machines/refinement/Line.ref", "enter(JOB3)\nenter(JOB1)\nleave\ncount", 6),
        ("machines/tour/tour3_box_office.mch", "random 12 3", 13),
        ("machines/studies/list_stack_guarded.ref", "1.1\nwhy pop\nundo\nredo\neval dom(place)\nenter(THREAD1)\nfind top /= {}", 5),
    ] {
        for ending in ["prob2trace", "itf.json", "json", "txt"] {
            let file = folder.path().join(format!("run.{ending}")).display().to_string();
            let run = animate(&[machine, "--deferred", "3"], &format!("{script}\nsave {file}\n"));
            assert_eq!(run.code, Some(0), "{machine}: {run:?}");
            let saved = run.stdout.lines().last().unwrap_or_default().to_owned();
            let replayed = bcheck(&["replay", &file, machine, "--format", "json"]);
            assert_eq!(replayed.code, Some(0), "{machine} {ending}: {run:?} {replayed:?}");
            let report = replayed.json();
            let count = report["trace"].as_array().map_or(0, Vec::len);
            assert!(saved.starts_with(&format!("saved {count} steps in ")), "{saved}");
            assert!(count >= steps, "{machine} {ending}: {count} steps: {run:?}");
        }
    }
}

#[test]
fn each_choice_leads_where_the_list_says() {
    // Undone steps can be done again until another one is taken.
    let run = animate(&["machines/classic/phonebook.mch", "--deferred", "2"], "1.4\nundo\nredo\nundo\n1.1\nredo\n");
    assert_eq!(run.code, Some(1), "nothing is left to be done again: {run:?}");
    assert!(run.stdout.ends_with("> redo\nerror: only 0 steps were undone\n"), "{run:?}");
    assert!(run.stdout.contains("db = {Name2|->Code2}") && run.stdout.contains("db = {Name1|->Code1}"), "{run:?}");
}

#[test]
fn set_ups_and_initial_states_are_chosen_like_operations() {
    let script = "unfold 1\n2\n1\neval price\njump 0\nstate\n";
    let run = animate(&["machines/violation/invariant.mch", "--deferred", "2"], script);
    assert_eq!(run.code, Some(0), "{run:?}");
    // Nine prices of two items, up to their names: six.
    assert!(run.stdout.contains("   6) set-up of the constants"), "{run:?}");
    assert!(
        run.stdout.contains("set-up of the constants: price = {ITEM1|->1,ITEM2|->2}  (2 alike)") || run.stdout.contains("price = [1,2]"),
        "{run:?}"
    );
}

#[test]
fn a_search_that_fails_says_how_far_it_went() {
    let run = animate(
        &["machines/tour/tour1_guests.mch", "--deferred", "3"],
        "find card(inside) = 4\nfind inside = GUEST\nfind 1 + 1\nfind inside = GUEST\n",
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("it holds in none of the 8 states that can be reached from here"), "{run:?}");
    assert!(run.stdout.contains("this is an expression, not a predicate") && run.stdout.ends_with("it holds here\n"), "{run:?}");
}

#[test]
fn the_choices_of_a_list_are_all_the_steps_of_a_state() {
    // Numbers of steps alike add up to what a plain search counts from the same state.
    for (machine, size, full) in [("machines/classic/phonebook.mch", "4", 16), ("machines/classic/scheduler.mch", "5", 5)] {
        let run = animate(&[machine, "--deferred", size], "list all\n");
        let shown = run.stdout.rsplit("> list all\n").next().unwrap_or_default();
        let count: usize = shown
            .lines()
            .filter(|line| line.contains(") "))
            .map(|line| line.rsplit_once("  (").and_then(|(_, rest)| rest.strip_suffix(" alike)")?.parse().ok()).unwrap_or(1))
            .sum();
        assert_eq!(count, full, "{machine}: {run:?}");
    }
}

#[test]
fn an_animation_can_begin_with_a_saved_trace() {
    let machine = "machines/classic/phonebook_err.mch";
    let run = animate(&[machine, "--trace", "tests/cli/traces/guard.prob2trace"], "trace\nundo\nquit\n");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("   !  step 2 of the trace, delete(c = Code2, n = Name1), cannot be replayed: this is false: n |-> c : db"),
        "{run:?}"
    );
    assert!(run.stdout.contains("after step 0"), "{run:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bug.json").display().to_string();
    bcheck(&[machine, "--deferred", "4", "--trace", &file]);
    let run = animate(&[machine, "--trace", &file], "eval card(Name)\n");
    assert!(run.stdout.contains("   !  invariant_violation: the invariant is violated: ran(db) <: used"), "{run:?}");
    assert!(run.stdout.ends_with("> eval card(Name)\n4\n"), "the sizes are those of the trace: {run:?}");
}

#[test]
fn an_animation_can_begin_in_a_state() {
    let machine = "machines/tour/tour1_guests.mch";
    let run = animate(&[machine, "--deferred", "3", "--goal", "card(inside) = 2"], "eval card(inside)\nundo 2\n");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("> eval card(inside)\n2\n") && run.stdout.contains("after step 0\n"), "{run:?}");
    let run = animate(&[machine, "--deferred", "3", "--goal", "card(inside) = 4"], "state\n");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("it holds in none of the 8 states that can be reached from here"), "{run:?}");
}

#[test]
fn formulas_are_judged_from_the_present_state_on() {
    let script = "ltl G {inside = {}}\nctl EF {inside /= {}}\nctl AG EF current\nrequest(PROC1)\nltl G (current => X not current)\nctl AG EF current\n\
        ltl F G {inside = {}}\nltl G {inside = 1}\nltl Y true\n";
    let run = animate(&["machines/temporal/starving_lock.mch", "--deferred", "2"], script);
    assert_eq!(run.code, Some(1), "one formula is refused: {run:?}");
    let answers: Vec<&str> = run.stdout.split("\n> ").skip(1).collect();
    assert!(answers[0].contains("it does not hold:\n   1  request(p = PROC"), "{run:?}");
    assert!(answers[0].trim_end().ends_with("any run that goes on like this violates it"), "{run:?}");
    assert!(answers[1].contains("it holds here, as this run shows:\n   1  request"), "{run:?}");
    assert!(answers[2].contains("it holds here"), "the lock is free again some time: {run:?}");
    assert!(answers[4].contains("it holds on every path from here"), "{run:?}");
    assert!(answers[5].contains("it holds here"), "{run:?}");
    assert!(answers[6].contains("it does not hold:\n   2  ") && answers[6].contains("back to "), "{run:?}");
    assert!(answers[7].contains("error: ltl:1:"), "{run:?}");
    assert!(answers[8].contains("it does not hold:"), "a path begins in the present state: {run:?}");
}
