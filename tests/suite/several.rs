//! `bcheck a.mch b.mch`: each machine has the verdict that it has alone, on one line, in the order in which they are named; and files of
//! other languages in the place of a machine.

use crate::program::{bcheck, command, ended, start, write};
use std::path::Path;

const VERIFIED: &str = "MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS flip = x := 1 - x END";
const VIOLATED: &str = "MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS step = x := x + 1 END";
const DEFERRED: &str = "MACHINE m SETS S VARIABLES s INVARIANT card(s) < 3 & s <: S INITIALISATION s := {} OPERATIONS all = s := S END";
const SYNTAX: &str = "MACHINE m VARIABLES x INVARIANT x : INITIALISATION x := 0 END";
const TYPES: &str = "MACHINE m VARIABLES x INVARIANT x : 0..1 & x = TRUE INITIALISATION x := 0 END";

#[test]
fn each_machine_has_one_line_with_the_verdict_that_it_has_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| write(folder.path(), name, text);
    let machines = [
        (file("verified.mch", VERIFIED), "verified", 0),
        (file("violated.mch", VIOLATED), "invariant_violation", 12),
        (file("deferred.mch", DEFERRED), "verified", 0),
        (file("syntax.mch", SYNTAX), "rejected", 150),
        (file("types.mch", TYPES), "rejected", 120),
        (folder.path().join("missing.mch").display().to_string(), "no verdict, exit code 153", 153),
    ];
    let mut arguments: Vec<&str> = machines.iter().map(|(path, _, _)| path.as_str()).collect();
    let run = bcheck(&arguments);
    assert_eq!(run.code, Some(12), "the first that is not verified: {run:?}");
    let lines: Vec<&str> = run.stdout.lines().filter(|line| !line.contains("error[")).collect();
    let wanted: Vec<String> = machines.iter().map(|(path, verdict, _)| format!("{path}: {verdict}")).collect();
    assert_eq!(lines, wanted, "{run:?}");
    assert_eq!(run.stdout.lines().filter(|line| line.contains("error[invariant_violation]")).count(), 1, "{run:?}");
    for (path, verdict, code) in &machines {
        let alone = bcheck(&[path, "--format", "short", "--progress", "none"]);
        assert_eq!(alone.code, Some(*code), "{alone:?}");
        assert!(alone.stdout.is_empty() || alone.stdout.ends_with(&format!("{verdict}\n")), "{alone:?}");
    }
    arguments.truncate(1);
    arguments.push(&machines[2].0);
    assert_eq!(bcheck(&arguments).code, Some(0));
}

#[test]
fn one_page_and_one_file_of_tests_are_about_all_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let file = |name: &str, text: &str| write(folder.path(), name, text);
    // Two of them have the same name.
    let [fine, wrong, refused] = [file("a/m.mch", VERIFIED), file("b/m.mch", VIOLATED), file("syntax.mch", SYNTAX)];
    let missing = folder.path().join("missing.mch").display().to_string();
    let (pages, tests) = (folder.path().join("pages"), folder.path().join("tests.xml"));
    let (html, junit) = (pages.display().to_string(), tests.display().to_string());
    let run = bcheck(&[&fine, &wrong, &refused, &missing, "--html", &html, "--junit", &junit]);
    assert_eq!(run.code, Some(12), "{run:?}");
    assert!(run.stderr.contains("B0110") && run.stderr.contains("no such file"), "messages are told as well: {run:?}");
    let read = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let index = read("index.html");
    for (page, verdict) in [("001_m.html", "verified"), ("002_m.html", "invariant_violation")] {
        assert!(index.contains(&format!("<a href=\"{page}\">")) && read(page).contains(verdict), "{page}: {index}");
    }
    // Those that are refused have no page, and the reason stands beside them.
    for reason in ["1 without findings, 3 with findings", "rejected", "error[B0110]", "no such file"] {
        assert!(index.contains(reason), "{reason}: {index}");
    }
    assert_eq!(std::fs::read_dir(&pages).expect("a folder").count(), 3);
    let tests = std::fs::read_to_string(&tests).expect("a file");
    assert_eq!(tests.matches("<testsuite ").count(), 4, "{tests}");
    assert_eq!(tests.matches("<failure ").count(), 3, "{tests}");
    for part in ["a/m.mch\" name=\"invariant 1", "b/m.mch\" name=\"invariant 1", "error[B0110]", "no such file"] {
        assert!(tests.contains(part), "{part}: {tests}");
    }
}

#[test]
fn a_folder_or_file_that_cannot_be_written_is_named_before_any_machine_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["first.mch", "second.mch"].map(|name| write(folder.path(), name, VERIFIED));
    let nowhere = folder.path().join("no/such").display().to_string();
    for (option, path, reason) in [
        ("--html", &first, "is a file, not a folder"),
        ("--html", &nowhere, "no such file"),
        ("--junit", &nowhere, "its folder does not exist"),
    ] {
        let run = bcheck(&[&first, &second, option, path]);
        assert_eq!(run.code, Some(153), "{option} {path}: {run:?}");
        assert!(run.stderr.contains(path.as_str()) && run.stderr.contains(reason), "{option} {path}: {run:?}");
        assert!(!run.stdout.contains("verified"), "{option} {path}: {run:?}");
    }
}

#[test]
fn options_are_those_of_each_machine_wherever_they_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["first.mch", "second.mch"].map(|name| write(folder.path(), name, DEFERRED));
    for arguments in [
        vec!["--deferred", "3", &first, &second],
        vec![&first, "-d", "3", &second],
        vec!["check", &first, &second, "--deferred=3"],
        vec!["--deferred", "3", "--format", "short", "--progress", "none", "--", &first, &second],
    ] {
        let run = bcheck(&arguments);
        assert_eq!(run.code, Some(12), "{run:?}");
        assert_eq!(run.stdout.matches("mch: invariant_violation\n").count(), 2, "{run:?}");
    }
    let run = bcheck(&[&first, &second, "-d", "3", "--expect", "invariant_violation"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn what_is_about_one_machine_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["first.mch", "second.mch"].map(|name| write(folder.path(), name, VERIFIED));
    let output = folder.path().join("out.json").display().to_string();
    for options in [
        &["--output", output.as_str()][..],
        &["--trace", &output],
        &["--graph", &output],
        &["--sarif", &output],
        &["--status", &output],
        &["--checkpoint", &output],
        &["--format", "json"],
        &["-"],
    ] {
        let run = bcheck(&[&[first.as_str(), second.as_str()], options].concat());
        assert_eq!(run.code, Some(2), "{options:?}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stdout.is_empty(), "{options:?}: {run:?}");
        assert!(!Path::new(&output).exists(), "{options:?}: nothing is written");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_to_the_command_ends_the_run_of_the_machine_that_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = VIOLATED.replace("x : 0..1", "x : INTEGER");
    let [first, second] = ["first.mch", "second.mch"].map(|name| write(folder.path(), name, &endless));
    let child = start(command(&[&first, &second]));
    // Long enough for the run of the first machine to begin; the test holds whenever the signal comes.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status().expect("kill is there");
    assert!(killed.success());
    let run = ended(child);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert!(run.stdout.ends_with("second.mch: not run\n"), "the second machine is not begun: {run:?}");
}

#[test]
fn a_file_of_another_language_is_called_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text, language) in [
        ("Clock.tla", "---- MODULE Clock ----\nVARIABLE hour\n====\n", "a module of TLA+"),
        ("Clock.cfg", "INIT Init\nNEXT Next\n", "a configuration of TLC"),
        ("clock.tex", "\\documentclass{article}\n", "a text in LaTeX"),
        ("clock.als", "sig Hour {}\n", "a model of Alloy"),
        ("clock.csp", "channel tick\nCLOCK = tick -> CLOCK\n", "a process of CSP"),
        ("Clock.bum", "<?xml version=\"1.0\"?>\n", "a component of Event-B"),
        ("Clock.buc", "<?xml version=\"1.0\"?>\n", "a component of Event-B"),
        ("Clock.eventb", "package(load_event_b_project([])).\n", "a component of Event-B"),
    ] {
        let run = bcheck(&[&write(folder.path(), name, text)]);
        assert_eq!(run.code, Some(150), "{run:?}");
        assert!(run.stderr.contains(&format!("by its name this file is {language}")), "{run:?}");
        assert_eq!(run.stderr.matches("error[").count(), 1, "{run:?}");
    }
    // What is a machine is read, whatever it is called.
    assert_eq!(bcheck(&[&write(folder.path(), "machine.tla", VERIFIED), "--progress", "none"]).code, Some(0));
    // Without the ending, the first words tell.
    let run = bcheck(&[&write(folder.path(), "unnamed", "---- MODULE Clock ----\n")]);
    assert!(run.stderr.contains("this looks like a module of TLA+"), "{run:?}");
}
