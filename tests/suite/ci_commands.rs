//! Commands for scripts of a CI: `--lint`, a random run of `animate`, expectations about coverage and full counts, counts of suites.

use crate::program::{bcheck, write};
use serde_json::Value as Json;

/// Two of its three operations can be executed.
const STUCK: &str = "MACHINE stuck VARIABLES x INVARIANT x : 0..5 INITIALISATION x := 0 OPERATIONS
  up = PRE x < 5 THEN x := x + 1 END;
  down = PRE x > 0 THEN x := x - 1 END;
  never = PRE x > 7 THEN x := 0 END
END";

#[test]
fn lint_reports_what_is_wrong_with_the_text_and_searches_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // A check would find the violation at once.
    let clean = write(folder.path(), "m.mch", "MACHINE m VARIABLES x INVARIANT x = 1 INITIALISATION x := 0 END");
    let run = bcheck(&["check", "--lint", &clean]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "no errors, no warnings\n"), "{run:?}");
    let warned = write(folder.path(), "w.mch", "MACHINE w VARIABLES x INVARIANT x : NAT & #y.(y : NAT => y = x) INITIALISATION x := 0 END");
    let (junit, sarif) = (folder.path().join("r.xml").display().to_string(), folder.path().join("r.sarif").display().to_string());
    let run = bcheck(&["check", "--lint", &warned, "--junit", &junit, "--sarif", &sarif]);
    assert!(run.code == Some(0) && run.stdout == "no errors, 1 warning\n" && run.stderr.contains("B0126"), "{run:?}");
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    let results: Json = serde_json::from_str(&read(&sarif)).expect("JSON");
    assert_eq!(results["runs"][0]["results"][0]["ruleId"], "B0126");
    assert!(read(&junit).contains("failures=\"0\""), "{}", read(&junit));
    let report = bcheck(&["check", "--lint", &warned, "--format", "json"]).json();
    assert_eq!((&report["verdict"], &report["diagnostics"][0]["code"]), (&Json::Null, &"B0126".into()));
    let wrong = write(folder.path(), "t.mch", "MACHINE t VARIABLES x INVARIANT x : NAT & x = TRUE INITIALISATION x := 0 END");
    assert_eq!(bcheck(&["check", "--lint", &wrong]).code, Some(120));
    assert_eq!(bcheck(&["check", "--lint", &clean, &warned, &wrong]).code, Some(120));
}

#[test]
fn lint_reads_formulas_that_a_check_is_not_asked_to_judge() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE m DEFINITIONS ASSERT_LTL == \"G {x = TRUE}\" VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END";
    let machine = write(folder.path(), "m.mch", text);
    let run = bcheck(&["check", "--lint", &machine]);
    assert!(run.code == Some(120) && run.stderr.contains("B0203"), "{run:?}");
    for option in [&["--expect-covered"][..], &["--graph", "g.dot"], &["--explain"], &["--coverage"]] {
        let run = bcheck(&[&["check", "--lint", &machine][..], option].concat());
        assert!(run.code == Some(2) && run.stderr.contains(option[0]), "{run:?}");
    }
}

#[test]
fn coverage_of_operations_is_a_line_and_can_be_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    let stuck = write(folder.path(), "stuck.mch", STUCK);
    let run = bcheck(&[&stuck]);
    assert!(run.code == Some(0) && run.stdout.contains("\n  not covered: never\n"), "{run:?}");
    assert_eq!(bcheck(&[&stuck, "--format", "json"]).json()["not_covered"], serde_json::json!(["never"]));
    let run = bcheck(&[&stuck, "--expect-covered"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), "expected all operations to be covered, not covered: never\n"), "{run:?}");
    let covered = ["machines/classic/phonebook.mch", "--deferred", "2"];
    let run = bcheck(&[&covered[..], &["--expect-covered"]].concat());
    assert!(run.code == Some(0) && run.stdout.contains("\n  covered: all\n"), "{run:?}");
    // Coverage says nothing about a finding, which keeps its code unless it is expected, too.
    let violating = ["machines/classic/phonebook_err.mch", "--deferred", "2", "--continue", "--expect-covered"];
    assert_eq!(bcheck(&violating).code, Some(12));
    assert_eq!(bcheck(&[&violating[..], &["--expect", "invariant_violation"]].concat()).code, Some(0));
}

#[test]
fn the_size_of_the_full_space_can_be_expected() {
    let machine = ["machines/classic/phonebook.mch", "--deferred", "3"];
    let full = bcheck(&[&machine[..], &["--format", "json"]].concat()).json()["full"]["states"].as_str().expect("a number").to_owned();
    let run = |number: &str, more: &[&str]| bcheck(&[&machine[..], &["--expect-full-states", number], more].concat());
    assert_eq!(run(&full, &[]).code, Some(0));
    let other = run("1000000000000000000000000000000", &[]);
    let wanted = format!("expected 1000000000000000000000000000000 states of the full space, found {full}\n");
    assert_eq!((other.code, other.stderr), (Some(1), wanted));
    let bound = run(&full, &["--max-states", "2"]);
    assert!(bound.code == Some(1) && bound.stderr.contains("whose number is unknown"), "{bound:?}");
}

#[test]
fn the_goal_of_a_machine_can_be_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = write(folder.path(), "g.mch", &STUCK.replace("VARIABLES", "DEFINITIONS GOAL == x = 3 VARIABLES"));
    assert_eq!(bcheck(&[&machine]).code, Some(20));
    let run = bcheck(&[&machine, "--no-goal"]);
    assert!(run.code == Some(0) && !run.stdout.contains("goal"), "{run:?}");
    assert_eq!(bcheck(&[&machine, "--no-goal", "--goal", "x = 2"]).code, Some(2));
}

#[test]
fn a_random_run_ends_with_what_it_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let stuck = write(folder.path(), "stuck.mch", STUCK);
    let run = bcheck(&["animate", &stuck, "--random", "50", "--seed", "7"]);
    assert!(run.code == Some(0) && run.stdout.ends_with("not covered: never\n50 operations, seed 7\nnothing found\n"), "{run:?}");
    assert_eq!(bcheck(&["animate", &stuck, "--random", "50", "--seed", "7"]).stdout, run.stdout, "the same seed gives the same run");
    assert_eq!(bcheck(&["animate", &stuck, "--random", "50", "--expect-covered"]).code, Some(1));
    let deadlock = write(folder.path(), "d.mch", &STUCK.replace("x > 0", "x > 9"));
    let run = bcheck(&["animate", &deadlock, "--random", "50"]);
    assert!(run.code == Some(11) && run.stdout.ends_with("\ndeadlock after 5 operations, seed 1\ndeadlock\n"), "{run:?}");
    assert!(run.stdout.contains("   5  up\n          x = 5\n"), "the trace is shown: {run:?}");
    let violation = write(folder.path(), "v.mch", &STUCK.replace("x : 0..5", "x : 0..3"));
    let run = bcheck(&["animate", &violation, "--random", "200"]);
    assert!(run.code == Some(12) && run.stdout.ends_with("\ninvariant_violation\n"), "{run:?}");
    let impossible = write(folder.path(), "i.mch", "MACHINE i CONSTANTS c PROPERTIES c : NAT & c < 0 OPERATIONS o = skip END");
    assert_eq!(bcheck(&["animate", &impossible, "--random", "5"]).code, Some(10));
}

#[test]
fn a_suite_takes_counts_of_either_convention() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = bcheck(&[&write(folder.path(), "stuck.mch", STUCK), "--format", "json"]).json()["explored"].clone();
    let (states, prob) = (own["states"].as_u64().expect("a number"), own["prob"]["states"].as_u64().expect("a number"));
    assert_ne!(states, prob);
    std::fs::remove_file(folder.path().join("stuck.mch")).expect("removed");
    for count in [states, prob] {
        write(folder.path(), &format!("s{count}.mch"), &format!("/*@ check: verified, {count} states */ {STUCK}"));
    }
    let place = folder.path().display().to_string();
    assert_eq!(bcheck(&["suite", &place]).code, Some(0));
    write(folder.path(), "wrong.mch", &format!("/*@ check: verified, 99 states */ {STUCK}"));
    let run = bcheck(&["suite", &place]);
    let wanted = format!("states {prob} as ProB counts, {states} as bcheck counts, instead of 99");
    assert!(run.code == Some(1) && run.stdout.contains(&wanted), "{run:?}");
}

#[test]
fn a_result_is_recognised_although_its_line_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = |text: &str| -> Json {
        let machine = write(folder.path(), "m.mch", text);
        let sarif = folder.path().join("r.sarif").display().to_string();
        bcheck(&[&machine, "--sarif", &sarif]);
        let file: Json = serde_json::from_str(&std::fs::read_to_string(&sarif).expect("a file")).expect("JSON");
        file["runs"][0]["results"].clone()
    };
    let text = "MACHINE m\nVARIABLES x\nINVARIANT\n  x < 3\n  & x : NAT\nINITIALISATION x := 0\nOPERATIONS up = x := x + 1\nEND\n";
    let (one, moved) = (results(text), results(&text.replace("INVARIANT", "\n\nINVARIANT")));
    let line = |of: &Json| of[0]["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!((line(&one), line(&moved)), (Some(4), Some(6)));
    let print = |of: &Json| of[0]["partialFingerprints"].clone();
    assert!(print(&one).is_object());
    assert_eq!(print(&one), print(&moved));
    let other = results(&text.replace("x < 3", "x < 4"));
    assert_ne!(print(&one), print(&other), "another conjunct is another matter");
}

#[test]
fn values_and_branches_are_reported_on_demand() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE b SETS D = {open, closed} VARIABLES x, d, s INVARIANT x : 0..3 & d : D & s <: 0..3 INITIALISATION x := 0 || d := open || s := {}
OPERATIONS step = PRE x < 3 THEN x := x + 1 || IF x = 7 THEN d := closed ELSE s := s \\/ {x} END END; stay = skip END";
    let machine = write(folder.path(), "b.mch", text);
    let run = bcheck(&[&machine, "--coverage"]);
    assert!(run.stdout.contains("\nValues in all 4 states:\n  x  0..3\n  d  open\n  s  0 to 3 elements\n"), "{run:?}");
    assert!(run.stdout.contains("\nBranches: 1 of 2 taken\n") && run.stdout.contains("never taken "), "{run:?}");
    assert!(!bcheck(&[&machine]).stdout.contains("Values in"));
    let coverage = bcheck(&[&machine, "--coverage", "--format", "json"]).json()["coverage"].clone();
    assert_eq!(coverage["values"][0], serde_json::json!({ "name": "x", "kind": "integers", "least": "0", "greatest": "3" }));
    assert_eq!(coverage["values"][1], serde_json::json!({ "name": "d", "kind": "values", "values": ["open"], "more": false }));
    let statuses: Vec<&str> = coverage["branches"].as_array().expect("branches").iter().filter_map(|one| one["status"].as_str()).collect();
    assert_eq!(statuses, ["never", "taken"]);
    let page = folder.path().join("r.html");
    bcheck(&[&machine, "--html", &page.display().to_string()]);
    let page = std::fs::read_to_string(&page).expect("a page");
    for wanted in [
        "<code>s</code></th><td class=\"value\">0 to 3 elements",
        "1 of 2 branches were taken",
        "never taken",
        "Which operations enable each other",
        "<td>gw</td>",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}
