//! Explanations in reports: `--explain` and `--changes` in text, JSON and pages, `why`, `changes` and `table` in animations.
//!
//! Invariant: without these options reports are as they were. Deliberately elsewhere: whether the evidence is right (`explain`).

use crate::explain::MACHINE;
use crate::program::{bcheck, command};
use std::io::Write;

/// A run of the program on a machine in a file.
fn run_on(machine: &str, arguments: &[&str]) -> crate::program::Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("doors.mch");
    std::fs::write(&path, machine).expect("written");
    let mut all = vec![path.to_str().expect("a path")];
    all.extend(arguments);
    bcheck(&all)
}

#[test]
fn a_report_explains_only_if_it_is_asked_and_json_has_the_same_tree() {
    let machine = MACHINE.replace("n : NATURAL\n", "n : NATURAL & !d.(d : inside => count(d) < 3)\n");
    let plain = run_on(&machine, &["-j", "1"]);
    assert!(plain.code == Some(12) && !plain.stdout.contains("Why:"), "{plain:?}");
    let explained = run_on(&machine, &["-j", "1", "--explain"]);
    let wanted = "\nWhy:\n  false: !d.(d : inside => count(d) < 3)\n    for d = d3\n      false: count(d) < 3\n        count(d) = 3\n";
    assert!(explained.stdout.contains(wanted), "{}", explained.stdout);
    assert!(run_on(&machine, &["-j", "1", "--format", "json"]).json()["explanation"].is_null());
    let json = run_on(&machine, &["-j", "1", "--format", "json", "--explain"]).json();
    let tree = &json["explanation"];
    assert_eq!((tree["truth"].as_str(), tree["text"].as_str()), (Some("false"), Some("!d.(d : inside => count(d) < 3)")));
    let witness = &tree["parts"][0];
    assert_eq!(witness["names"], serde_json::json!([["d", "d3"]]));
    let term = &witness["parts"][0]["parts"][0];
    assert_eq!((term["text"].as_str(), term["value"].as_str()), (Some("count(d)"), Some("3")));
}

#[test]
fn what_definitions_stand_for_is_printed_where_the_text_does_not_have_it() {
    let machine = MACHINE
        .replace("VARIABLES", "DEFINITIONS Low(d) == count(d) < 3; AllLow == !d.(d : inside => Low(d) & d /: ran(queue))\nVARIABLES")
        .replace("n : NATURAL\n", "n : NATURAL & AllLow\n");
    let run = run_on(&machine, &["-j", "1", "--explain"]);
    let wanted =
        "  false: AllLow\n    for d = d1 (and for 1 more)\n      false: Low(d) & d /: ran(queue)\n        false: d /: ran(queue)\n";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
}

#[test]
fn changes_are_shown_by_type_and_so_are_the_values_of_the_trace_alone() {
    let machine = MACHINE.replace(
        "PRE n > 4 & inside /= {} THEN skip END",
        "BEGIN door(d2) := open || inside := {d2, d3} || queue := [] || r'a := 3 || n := 9 END",
    );
    let machine = machine.replace("n : NATURAL\n", "n : 0..8\n");
    let whole = run_on(&machine, &["-j", "1"]);
    assert!(whole.stdout.contains("          queue = []\n"), "{}", whole.stdout);
    let changes = run_on(&machine, &["-j", "1", "--changes"]);
    let wanted = "   1  wait\n          door(d2): closed -> open\n          queue: [d1,d2] -> []\n          inside: + d2, - d1\n          r'a: 1 -> 3\n          n: 4 -> 9\n";
    assert!(changes.stdout.contains(wanted), "{}", changes.stdout);
    assert!(changes.stdout.contains("          next = {d1|->d2,d1|->d3,d2|->d3}\n"), "the first state is whole: {}", changes.stdout);
}

#[test]
fn an_animation_explains_formulas_operations_and_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("doors.mch");
    std::fs::write(&path, MACHINE.replace("n : NATURAL\n", "n : 0..3\n")).expect("written");
    let mut command = command(&["animate", path.to_str().expect("a path")]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("started");
    let script = "why\nwhy move\nwhy queue : perm(DOOR)\nwhy count(d1) + n\nwhy moov\ntable count\n";
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("written");
    let run = child.wait_with_output().expect("ended");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    for wanted in [
        "> why\n  false: n : 0..3\n    n = 4\n",
        "    2 bindings rejected, such as d = d1\n      false: door(d) = closed\n",
        "> why queue : perm(DOOR)\n  false: queue : perm(DOOR)\n    queue = [d1,d2]\n    not among the values: d3\n",
        "> why count(d1) + n\n  count(d1) + n = 6\n    count(d1) = 2\n",
        "> why moov\nerror: there is neither a command nor an operation `moov`; a similar name is `move`",
        "> table count\n      value\n  d1  2\n  d2  0\n  d3  3\n",
    ] {
        assert!(text.contains(wanted), "{wanted}\nin\n{text}");
    }
}

#[test]
fn of_an_operation_that_is_never_enabled_each_conjunct_is_counted() {
    let machine = "MACHINE counter VARIABLES x INVARIANT x : 0..5 INITIALISATION x := 0 OPERATIONS
        up = PRE x < 5 THEN x := x + 1 END;
        a = PRE x > 7 & x mod 2 = 0 THEN skip END;
        b(p) = PRE p : 0..x & p > 2 & x < 4 & p < 2 & p /= 0 THEN skip END
    END";
    let plain = run_on(machine, &["--no-deadlock"]);
    assert!(plain.code == Some(0) && !plain.stdout.contains("Why"), "{plain:?}");
    let run = run_on(machine, &["--no-deadlock", "--explain"]);
    let wanted = "\nWhy a is never enabled:\n  x > 7        false in all 6 states\n  x mod 2 = 0  false in 3 of 6 states\n\
        \nWhy b is never enabled:\n  p : 0..x  never false\n  p > 2     false in 3 of 6 states, whatever the parameters\n  \
        x < 4     false in 2 of 6 states\n  p < 2     false in 3 of 6 states, whatever the parameters\n  p /= 0    never false\n";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
    assert_eq!((run.code, run.stdout.lines().last()), (Some(0), Some("verified")), "{run:?}");
    let json = run_on(machine, &["--no-deadlock", "--explain", "--format", "json"]).json();
    let rows = json["never_enabled"].as_array().expect("a list");
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (rows[0]["operation"].as_str(), rows[0]["states"].as_u64(), rows[0]["complete"].as_bool()),
        (Some("a"), Some(6), Some(true))
    );
    assert_eq!(rows[0]["conjuncts"][1]["false_in"], 3);
}

#[test]
fn a_step_that_is_ill_defined_is_marked_in_the_trace_with_its_values() {
    let machine = "machines/violation/ill_defined_body.mch";
    let run = bcheck(&[machine, "--explain", "-j", "1"]);
    let wanted = "          marks = {}\n   2  ask      <- ill-defined\n\nWhy:\n  ill-defined: ask\n    \
        SIGMA(m).(m : marks | m) / card(marks) has no value: division by zero\n      SIGMA(m).(m : marks | m) = 0\n        \
        marks = {}\n      card(marks) = 0\n        marks = {}\n";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
    let (_, page, _) = crate::html::page(&[machine]);
    let last = page.all("article").pop().expect("steps").all("h3")[0].text.clone();
    assert!(last.contains("2 ask"), "{last}");
}

#[test]
fn a_refinement_check_explains_why_the_refined_machine_cannot_follow() {
    let machine = "machines/refinement/SignalHasty.ref";
    let plain = bcheck(&["refine", machine, "--deferred", "2", "-j", "1"]);
    assert!(plain.code == Some(13) && !plain.stdout.contains("Why:"), "{plain:?}");
    let run = bcheck(&["refine", machine, "--deferred", "2", "-j", "1", "--explain", "--changes"]);
    assert!(run.stdout.contains("\nWhy:\n  false: "), "{run:?}");
    assert!(run.stdout.contains("trains: + TRAIN"), "{run:?}");
    for (machine, why) in [
        ("LineShort.ref", "  false: size(line) < room - 1\n    size(line) = 1\n"),
        ("RotaSkips.ref", "  false: card_of = {turn}\n    card_of = {cal}\n"),
    ] {
        let run = bcheck(&["refine", &format!("machines/refinement/{machine}"), "-j", "1", "--explain"]);
        assert!(run.stdout.contains(&format!("\nWhy:\n{why}")), "{run:?}");
    }
    let json = bcheck(&["refine", machine, "--deferred", "2", "--explain", "--changes", "--format", "json"]).json();
    assert_eq!(json["explanation"]["truth"], "false");
    let changes: Vec<&str> =
        json["trace"].as_array().expect("steps").iter().filter_map(|step| step["changes"]["trains"][0].as_str()).collect();
    assert!(changes.first() == Some(&"trains = {}") && changes.iter().skip(1).all(|line| line.starts_with("trains: + TRAIN")), "{json}");
}

#[test]
fn json_has_what_each_step_changes_only_if_it_is_asked_for() {
    let machine = ["machines/violation/lift_doors.mch", "--deferred", "3", "--format", "json"];
    let plain = bcheck(&machine).json();
    assert!(plain["trace"][1].get("changes").is_none(), "{plain}");
    let json = bcheck(&[&machine[..], &["--changes"]].concat()).json();
    let steps = json["trace"].as_array().expect("steps");
    assert_eq!(steps[0]["changes"]["calls"], serde_json::json!(["calls = []"]));
    assert!(steps.iter().any(|step| step["changes"]["door"] == serde_json::json!(["door(FLOOR1): closed -> moving"])), "{json}");
}

#[test]
fn the_names_of_an_any_are_quantified_in_a_guard() {
    let text = "MACHINE m VARIABLES jobs INVARIANT jobs <: 1..3 INITIALISATION jobs := {} \
        OPERATIONS fin(xx) = ANY yy WHERE yy : jobs & yy > xx & xx : 4..5 THEN jobs := {} END END";
    let folder = tempfile::tempdir().expect("a folder");
    let machine = crate::program::write(folder.path(), "m.mch", text);
    let run = bcheck(&[&machine, "--explain", "--progress", "none"]);
    assert!(run.stdout.contains("false: #(xx,yy).(yy : jobs & yy > xx & xx : 4..5)"), "{run:?}");
    let why = run.stdout.split("Why fin is never enabled").nth(1).unwrap_or_default();
    assert!(why.contains("#yy.(yy : jobs & yy > xx & xx : 4..5)"), "{run:?}");
}
