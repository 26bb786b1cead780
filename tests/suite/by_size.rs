//! `-d A..B` in every command that takes it: one verdict of all sizes, which is what is expected, and what limits and signals leave.

use crate::program::{bcheck, command, ended, start, until_under_way, write};

/// Size 1 has no set-up, size 3 a violation.
const EXCLUDED: &str = "MACHINE m SETS S CONSTANTS k PROPERTIES k : S & card(S) >= 2 VARIABLES s INVARIANT s <: S & card(s) < 2 \
    INITIALISATION s := {} OPERATIONS add(e) = PRE e : S - {k} THEN s := s \\/ {e} END; none = s := {} END";
const FINE: &str = "MACHINE m SETS S CONSTANTS k PROPERTIES k : S & card(S) >= 2 VARIABLES s INVARIANT s <: S \
    INITIALISATION s := {} OPERATIONS add(e) = PRE e : S THEN s := s \\/ {e} END; none = s := {} END";
/// Only size 2 has many states.
const MANY_AT_2: &str = "MACHINE m SETS S VARIABLES n INVARIANT n : NATURAL INITIALISATION n := 0 \
    OPERATIONS up = PRE card(S) = 2 THEN n := n + 1 END; stay = skip END";
const CLOSED: &str = "MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS flip = x := 1 - x END";

fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or("")
}

#[test]
fn an_expectation_is_compared_with_the_verdict_of_all_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "m.mch", EXCLUDED);
    for (options, code) in [
        (vec!["--expect", "invariant_violation"], 0),
        (vec!["--expect=verified"], 1),
        (vec!["--format", "json", "--expect", "invariant_violation"], 0),
        (vec!["--expect-states", "3"], 2),
        (vec!["--expect-covered"], 2),
        (vec![], 12),
    ] {
        let run = bcheck(&[vec!["check", "-d", "1..3", &machine, "--progress", "none"], options.clone()].concat());
        assert_eq!(run.code, Some(code), "{options:?}: {run:?}");
    }
    let report = bcheck(&["-d", "1..3", &machine, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!((report["format"].as_str(), report["verdict"].as_str()), (Some("bcheck-sizes"), Some("invariant_violation")));
    let folder = folder.path().display().to_string();
    let suite = |expected: &str| bcheck(&["suite", &folder, "-d", "1..3", "--expect", expected]);
    assert_eq!((suite("invariant_violation").code, suite("verified").code), (Some(0), Some(1)));
}

#[test]
fn the_last_line_is_the_verdict_of_all_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "m.mch", MANY_AT_2);
    for format in ["text", "short"] {
        let run = bcheck(&["-d", "1..3", &machine, "--max-states", "9", "--format", format]);
        assert_eq!((run.code, last_line(&run.stdout)), (Some(152), "incomplete"), "{run:?}");
        assert!(run.stdout.contains("-d 2: incomplete\n"), "{run:?}");
    }
    let excluded = bcheck(&["-d", "1..2", &write(folder.path(), "f.mch", FINE)]);
    assert_eq!((excluded.code, last_line(&excluded.stdout)), (Some(0), "verified"), "{excluded:?}");
    let never = FINE.replace("card(S) >= 2", "card(S) >= 5");
    let all_excluded = bcheck(&["-d", "1..2", &write(folder.path(), "f.mch", &never)]);
    assert_eq!((all_excluded.code, last_line(&all_excluded.stdout)), (Some(10), "unsatisfiable_properties"), "{all_excluded:?}");
}

#[test]
fn a_comparison_ends_as_a_check_of_the_same_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "m.mch", EXCLUDED);
    let run = bcheck(&["compare", "-d", "1..4", &machine]);
    assert_eq!(run.code, Some(12), "{run:?}");
    for line in ["-d 1: unsatisfiable_properties: ", "-d 3: invariant_violation: the invariant is violated: card(s) < 2 ("] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
    assert_eq!(bcheck(&["compare", "-d", "1..3", &write(folder.path(), "f.mch", FINE)]).code, Some(0));
    assert_eq!(bcheck(&["compare", "-d", "1", &machine]).code, Some(10));
}

#[test]
fn a_machine_without_deferred_sets_has_one_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "m.mch", CLOSED);
    let check = bcheck(&["-d", "1..3", &machine]);
    assert!(check.code == Some(0) && !check.stdout.contains("-d "), "{check:?}");
    let compare = bcheck(&["compare", "-d", "1..3", &machine]);
    assert_eq!(compare.stdout.lines().filter(|line| line.starts_with("| -")).count(), 1, "{compare:?}");
}

#[test]
fn a_limit_is_that_of_the_whole_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let doubled: Vec<String> = (1..40).map(|at| format!("D{at} == (D{0} + D{0})", at - 1)).collect();
    let text = format!(
        "MACHINE m DEFINITIONS D0 == x; {} VARIABLES x INVARIANT x : 0..3 & D39 >= 0 INITIALISATION x := 0 END",
        doubled.join("; ")
    );
    let machine = write(folder.path(), "m.mch", &text);
    let estimate = bcheck(&["estimate", &machine, "--time-limit", "0.05"]);
    assert_eq!(estimate.code, Some(152), "{estimate:?}");
    // Nothing is run where no time is left, and the sizes are named.
    let many = write(folder.path(), "n.mch", &MANY_AT_2.replace("card(S) = 2", "card(S) > 1"));
    let compare = bcheck(&["compare", "-d", "1..4", &many, "--time-limit", "2"]);
    assert_eq!(compare.code, Some(152), "{compare:?}");
    assert!(compare.stderr.contains("stopped at --time-limit after 2 s; not run: -d 3, -d 4"), "{compare:?}");
}

#[test]
#[cfg(unix)]
fn a_signal_leaves_what_was_done_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "m.mch", MANY_AT_2);
    let signals = ["TERM", "USR1", "QUIT"];
    // All three at the same time.
    let started = signals.map(|_| start(command(&["-d", "1..3", &machine, "--format", "short", "--progress", "none"])));
    started.iter().for_each(|child| until_under_way(child.id()));
    for (signal, child) in signals.into_iter().zip(started) {
        let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill is there");
        assert!(sent.success());
        let run = ended(child);
        assert_eq!((run.code, last_line(&run.stdout)), (Some(152), "incomplete"), "{run:?}");
        assert!(run.stdout.starts_with("-d 1: verified\n"), "{run:?}");
    }
}
