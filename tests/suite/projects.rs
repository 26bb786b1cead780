//! Machines in several files: where they are looked for, and what is checked of a refinement by itself.

use crate::program::{Run, bcheck, command, finish, root};

fn in_folder(folder: &std::path::Path, arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    command.current_dir(folder);
    finish(command)
}

fn full_states(run: &Run) -> String {
    run.json()["full"]["prob"]["states"].as_str().expect("a number").to_owned()
}

#[test]
fn a_project_is_checked_from_any_folder() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = root().join("machines/project/Workshop.mch");
    let path = path.to_str().expect("a readable path");
    for run in [
        in_folder(elsewhere.path(), &[path, "--format", "json"]),
        in_folder(&root().join("machines/project"), &["Workshop.mch", "--format", "json"]),
        in_folder(&root().join("machines/project/definitions"), &["../Workshop.mch", "--format", "json"]),
    ] {
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(full_states(&run), "563");
    }
}

#[test]
fn the_folders_of_include_are_looked_in_too() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::copy(root().join("machines/project/Workshop.mch"), elsewhere.path().join("Workshop.mch")).expect("copied");
    let alone = in_folder(elsewhere.path(), &["Workshop.mch"]);
    assert_eq!(alone.code, Some(120), "{alone:?}");
    assert!(alone.stderr.contains("error[B0215]: the machine `Plant` cannot be found"), "{}", alone.stderr);
    assert!(alone.stderr.contains("looked for in ."), "{}", alone.stderr);
    let project = root().join("machines/project");
    let run = in_folder(
        elsewhere.path(),
        &["Workshop.mch", "--include", "nowhere", "--include", project.to_str().expect("a path"), "--format", "json"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(full_states(&run), "563");
}

#[test]
fn a_refinement_is_checked_by_itself_with_the_sets_and_constants_of_its_abstraction() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "Queue.mch",
        "MACHINE Queue SETS JOB CONSTANTS room PROPERTIES room = 2 VARIABLES waiting INVARIANT waiting <: JOB & card(waiting) <= room
         INITIALISATION waiting := {} OPERATIONS enter(j) = PRE j : JOB THEN SELECT card(waiting) < room & j /: waiting THEN
         waiting := waiting \\/ {j} END END END",
    );
    write(
        "Line.ref",
        "REFINEMENT Line REFINES Queue VARIABLES line INVARIANT line : iseq(JOB) & ran(line) = waiting & size(line) <= room
         INITIALISATION line := [] OPERATIONS enter(j) = SELECT size(line) < room & j /: ran(line) THEN line := line <- j END END",
    );
    let run = in_folder(folder.path(), &["Line.ref", "--deferred", "3", "--no-deadlock", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.json();
    // The empty line, one job, two different jobs: classes of symmetric lines, then lines.
    assert_eq!(report["explored"]["states"], 3);
    assert_eq!(report["full"]["states"], "10");
    assert_eq!(report["not_checked"], serde_json::json!([]));
}

#[test]
fn messages_point_into_the_file_that_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Main.mch"), "MACHINE Main\nSEES Part\nEND\n").expect("a file");
    std::fs::write(folder.path().join("Part.mch"), "MACHINE Part\nCONSTANTS k\nPROPERTIES k : NAT & k = TRUE\nEND\n").expect("a file");
    let run = in_folder(folder.path(), &["Main.mch"]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("Part.mch:3:26: error[B0203]"), "{}", run.stderr);
}

#[test]
fn formulas_may_speak_of_every_machine_of_a_project() {
    let run = bcheck(&["eval", "card(shelf.items) + everything + card(TOOL)", "--machine", "machines/project/Workshop.mch"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "6\n"), "{run:?}");
    let goal = bcheck(&["machines/project/Workshop.mch", "--goal", "card(bench.items) = 2", "--format", "short"]);
    assert_eq!((goal.code, goal.stdout.lines().last()), (Some(20), Some("goal_found")), "{goal:?}");
}

#[test]
fn parameters_that_do_not_satisfy_constraints_are_named_where_they_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| crate::program::write(folder.path(), name, text);
    write(
        "Cell.mch",
        "MACHINE Cell(top) CONSTRAINTS top : 1..5 VARIABLES val INVARIANT val : 0..top INITIALISATION val := 0 \
        OPERATIONS up = PRE val < top THEN val := val + 1 END END",
    );
    let two = write(
        "Two.mch",
        "MACHINE Two CONSTANTS cap PROPERTIES cap = 2 INCLUDES l.Cell(cap), r.Cell(9) OPERATIONS go = l.up; stop = skip END",
    );
    let run = bcheck(&[&two, "--progress", "none"]);
    assert_eq!(run.code, Some(10), "{run:?}");
    for part in ["Two.mch:1:70: `Cell(9)` gives parameters that do not satisfy CONSTRAINTS: one conjunct cannot hold", "`top : 1..5`"] {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
    assert!(!run.stdout.contains("satisfy PROPERTIES"), "{run:?}");
}

#[test]
fn a_wrong_result_of_a_refinement_by_itself_is_no_false_invariant() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| crate::program::write(folder.path(), name, text);
    write(
        "Sum.mch",
        "MACHINE Sum VARIABLES aa INVARIANT aa : 0..3 INITIALISATION aa := 0 \
        OPERATIONS up = PRE aa < 3 THEN aa := aa + 1 END; rr <-- get = rr := aa END",
    );
    let text = "REFINEMENT Sum_r REFINES Sum VARIABLES bb INVARIANT bb = 3 - aa INITIALISATION bb := 3 \
        OPERATIONS up = bb := bb - 1; rr <-- get = rr := bb END";
    let run = bcheck(&[&write("Sum_r.ref", text), "--progress", "none"]);
    assert_eq!(run.code, Some(12), "{run:?}");
    for part in ["`Sum` has no step with the arguments and results of `get`", "`get` gives rr = 3"] {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
    assert!(!run.stdout.contains("the invariant is violated"), "{run:?}");
    // Where the gluing invariant is false, it is what is reported.
    let run =
        bcheck(&[&write("Sum_g.ref", &text.replace("bb := bb - 1", "skip").replace("rr := bb", "rr := 3 - bb").replace("Sum_r", "Sum_g"))]);
    assert!(run.code == Some(12) && run.stdout.contains("the invariant is violated"), "{run:?}");
}
