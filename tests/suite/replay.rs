//! Saved traces: in every format, of every verdict, they fit their schemas and are replayed perfectly; others get the right reason.

use crate::dice::Dice;
use crate::program::{Run, bcheck, files_below, root, thorough};
use crate::schema::faults;
use bcheck::cli::pragma::{Expectation, Extent, expectations};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Endings with the schema that such a file fits.
const FORMATS: [(&str, Option<&str>); 4] =
    [(".prob2trace", Some("prob2trace.json")), (".itf.json", Some("itf.json")), (".json", Some("bcheck-trace.json")), (".txt", None)];

fn replay(trace: &Path, machine: &str, more: &[&str]) -> Run {
    let trace = trace.display().to_string();
    let mut arguments = vec!["replay", trace.as_str(), machine, "--format", "json"];
    arguments.extend(more);
    bcheck(&arguments)
}

/// Saves the counterexample of an expectation in each format, and holds it to its schema and to a replay; what replays say of its ending.
fn save_and_replay(command: &str, name: &str, expectation: &Expectation) -> Vec<Json> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut endings = Vec::new();
    for (ending, schema) in FORMATS {
        let what = format!("{name} {} {ending}", expectation.options.join(" "));
        let file = folder.path().join(format!("trace{ending}"));
        let target = file.display().to_string();
        let mut arguments = vec![command, name, "--trace", &target, "--format", "json"];
        arguments.extend(expectation.options.iter().map(String::as_str));
        let check = bcheck(&arguments).json();
        assert_eq!(check["verdict"], expectation.verdict.as_str(), "{what}");
        if let Some(schema) = schema {
            let saved: Json = serde_json::from_str(&std::fs::read_to_string(&file).expect("a trace")).expect("JSON");
            assert_eq!(faults(schema, &saved), Vec::<String>::new(), "{what}");
        }
        // A replay runs within the preconditions of the refined machines, unless it takes them for guards as well.
        let is_guarded = command == "refine" && expectation.options.iter().any(|option| option == "guard");
        let run = replay(&file, name, if is_guarded { &["--pre", "guard"] } else { &[] });
        assert_eq!(run.code, Some(0), "{what}: {run:?}");
        let report = run.json();
        assert_eq!(report["grade"], "perfect");
        assert_eq!(report["deferred"], check["deferred"], "{what}");
        assert_eq!(of_the_refinement(&report["trace"]), check["trace"], "{what}: the same run");
        endings.push(report["ending"].clone());
        // A replay knows the machine, not the formulas and goals of the check.
        let by_option = ["--goal", "--wd", "--temporal", "--only-temporal"];
        let wanted_by_option = expectation.options.iter().any(|option| by_option.contains(&option.split('=').next().unwrap_or(option)));
        let is_about_a_state = check["trace"].as_array().is_some_and(|steps| !steps.is_empty());
        if is_about_a_state && !wanted_by_option && expectation.verdict != "refinement_violation" {
            assert_eq!(report["end"], check["verdict"], "{what}");
            assert_eq!(report["violation"]["message"], check["violation"]["message"], "{what}");
        }
    }
    endings
}

/// How many findings of a kind are saved and replayed, except in a thorough run.
const EACH: usize = 1;

/// The verdicts (with obligations) of all files of these kinds in these folders whose counterexamples were saved and replayed.
fn replayed(command: &str, folders: &[&str], endings: &[&str]) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let of =
        |folder: &&str| endings.iter().flat_map(|ending| files_below(&root().join("machines").join(folder), ending)).collect::<Vec<_>>();
    for path in folders.iter().flat_map(of) {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a machine");
        for expectation in expectations(&text).expect("readable pragmas") {
            let has_trace = !["verified", "incomplete", "rejected"].contains(&expectation.verdict.as_str());
            if has_trace && expectation.extent == Extent::Both && expectation.is_refinement == (command == "refine") {
                let obligation = expectation.obligation.iter().map(|obligation| format!(" {obligation}"));
                let times = seen.entry(expectation.verdict.clone() + &obligation.collect::<String>()).or_default();
                *times += 1;
                if *times <= EACH || thorough() {
                    save_and_replay(command, &name, &expectation);
                }
            }
        }
    }
    seen.into_keys().collect()
}

#[test]
fn a_counterexample_of_each_verdict_is_replayed_perfectly_from_each_format() {
    let seen = replayed("check", &["violation", "classic", "tour", "language"], &["mch"]);
    let expected = [
        "assertion_violation",
        "deadlock",
        "goal_found",
        "ill_defined",
        "invariant_violation",
        "no_initial_state",
        "temporal_violation",
        "unsatisfiable_properties",
    ];
    assert!(seen.iter().eq(&expected), "{seen:?}");
}

#[test]
fn a_counterexample_of_a_formula_is_replayed_perfectly_from_each_format() {
    let below = |name: &str| format!("machines/temporal/{name}.mch");
    for (name, formula, end, message) in [
        ("six_rounds", "ASSERT_LTL_meet", "loop", "the loop closes: the state after step 7 is that after step 1"),
        ("two_subcycles", "ASSERT_LTL_arrives", "loop", "the loop closes: the state after step 4 is that after step 0"),
        ("spin_lock", "ASSERT_LTL_everybody_weak", "loop", "the loop closes: the state after step 5 is that after step 2"),
        ("only_a_deadlock", "ASSERT_LTL_arrives_fairly", "deadlock", "the run ends in a deadlock: its last state enables no operation"),
    ] {
        let options = [format!("--temporal={formula}"), "--only-temporal".to_owned()].to_vec();
        let stated = Expectation { options, verdict: "temporal_violation".to_owned(), ..Expectation::default() };
        for ending in save_and_replay("check", &below(name), &stated) {
            assert_eq!((&ending["end"], &ending["confirmed"]), (&end.into(), &true.into()), "{name}: {ending}");
            assert_eq!(ending["message"], message, "{name}");
        }
    }
    // Whatever goes on like this violates it: nothing is said of how the run ends. A proposition without a value is of the last state.
    for (name, formula, verdict) in
        [("past_over_future", "ASSERT_LTL_was_coming", "temporal_violation"), ("no_value", "ASSERT_LTL_divides", "ill_defined")]
    {
        let options = [format!("--temporal={formula}"), "--only-temporal".to_owned()].to_vec();
        save_and_replay("check", &below(name), &Expectation { options, verdict: verdict.to_owned(), ..Expectation::default() });
    }
}

#[test]
fn a_counterexample_of_each_obligation_is_replayed_perfectly_from_each_format() {
    let seen = replayed("refine", &["refinement"], &["ref", "imp"]);
    let obligations = ["divergence", "initialisation", "internal", "operation", "precondition", "refusal"];
    let expected = std::iter::once("ill_defined".to_owned()).chain(obligations.map(|name| format!("refinement_violation {name}")));
    assert!(seen.iter().cloned().eq(expected), "{seen:?}");
}

/// A refinement with the machine that it refines, which has no set-up or no initial state.
#[test]
fn a_refinement_that_cannot_begin_is_replayed_as_far_as_it_gets() {
    for (properties, initialisation, verdict) in [
        ("k = 1 & k = 2", "x := k", "unsatisfiable_properties"),
        ("k : 1..2", "x :: {}", "no_initial_state"),
        ("k = 1", "x := k / 0", "ill_defined"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect("written");
        write("B.mch", format!("MACHINE B CONSTANTS k PROPERTIES {properties} VARIABLES y INVARIANT y : INT INITIALISATION y := k END"));
        write("R.ref", format!("REFINEMENT R REFINES B VARIABLES x INVARIANT x = y INITIALISATION {initialisation} END"));
        for (ending, schema) in FORMATS {
            let (machine, file) = (folder.path().join("R.ref").display().to_string(), folder.path().join(format!("t{ending}")));
            let check = bcheck(&["refine", &machine, "--format", "json", "--trace", &file.display().to_string()]);
            assert_eq!(check.json()["verdict"], verdict, "{check:?}");
            if let Some(schema) = schema {
                let saved: Json = serde_json::from_str(&std::fs::read_to_string(&file).expect("a trace")).expect("JSON");
                assert_eq!(faults(schema, &saved), Vec::<String>::new(), "{verdict} {ending}");
            }
            let run = replay(&file, &machine, &[]);
            assert_eq!((run.code, &run.json()["trace"]), (Some(0), &check.json()["trace"]), "{verdict} {ending}: {run:?}");
        }
    }
}

/// A trace without the states in which the refined machines may be, which a refinement by itself has as well.
fn of_the_refinement(trace: &Json) -> Json {
    let mut trace = trace.clone();
    for step in trace.as_array_mut().into_iter().flatten() {
        if let Some(state) = step["state"].as_object_mut() {
            state.retain(|name, _| !name.ends_with("::states"));
        }
    }
    trace
}

#[test]
fn a_saved_run_of_a_refinement_speaks_of_the_refinement_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("t.prob2trace");
    let run = bcheck(&["refine", "machines/refinement/LineStays.ref", "--deferred", "3", "--trace", &file.display().to_string()]);
    assert_eq!(run.code, Some(13), "{run:?}");
    let saved: Json = serde_json::from_str(&std::fs::read_to_string(&file).expect("a trace")).expect("JSON");
    assert_eq!(
        (&saved["metadata"]["modelName"], saved["variableNames"].as_array().map(Vec::len)),
        (&"LineStays".into(), Some(1)),
        "{saved}"
    );
    let operations: Vec<&String> = saved["machineOperationInfos"].as_object().expect("operations").keys().collect();
    assert_eq!(operations, ["count", "enter", "leave"], "{saved}");
    assert!(saved["description"].as_str().is_some_and(|text| text.contains("refinement_violation, refining Queue")), "{saved}");
    // Of a chain, the first link with a finding is the one; the report is a document of several.
    let chain = ["refine", "machines/refinement/SignalHasty.ref", "--deferred", "2", "--chain", "--format", "json"];
    let run = bcheck(&[&chain[..], &["--trace", &file.display().to_string()]].concat());
    let again = replay(&file, "machines/refinement/SignalHasty.ref", &[]);
    assert_eq!((again.code, of_the_refinement(&again.json()["trace"])), (Some(0), run.json()["links"][0]["trace"].clone()), "{again:?}");
    // Nothing found: no file.
    std::fs::remove_file(&file).expect("removed");
    let run = bcheck(&["refine", "machines/refinement/Line.ref", "--trace", &file.display().to_string()]);
    assert_eq!((run.code, file.exists()), (Some(0), false), "{run:?}");
    for (target, code, said) in [("t.xml", 2, "the ending must be"), ("no/such/folder/t.txt", 153, "its folder does not exist")] {
        let run = bcheck(&["refine", "machines/refinement/Line.ref", "--trace", target]);
        assert_eq!((run.code, run.stderr.contains(said)), (Some(code), true), "{run:?}");
    }
    std::fs::create_dir(&file).expect("a folder in the way");
    let run = bcheck(&["refine", "machines/refinement/LineStays.ref", "--trace", &file.display().to_string()]);
    assert_eq!((run.code, run.stderr.contains("cannot write")), (Some(153), true), "{run:?}");
}

#[test]
fn a_whole_report_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["json", "text"] {
        let file = folder.path().join(format!("report.{format}"));
        let target = file.display().to_string();
        bcheck(&["machines/classic/phonebook_err.mch", "--deferred", "3", "--format", format, "--output", &target]);
        let run = replay(&file, "machines/classic/phonebook_err.mch", &[]);
        assert_eq!((run.code, run.json()["replayed"].as_u64()), (Some(0), Some(4)), "{run:?}");
        assert_eq!(run.json()["deferred"]["Name"], 3, "{format}: both have the sizes");
    }
}

/// A trace as text, for a machine as text: the report.
fn small(machine: &str, trace: &str, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine_file, trace_file) = (folder.path().join("m.mch"), folder.path().join("t.txt"));
    std::fs::write(&machine_file, machine).expect("written");
    std::fs::write(&trace_file, trace).expect("written");
    replay(&trace_file, &machine_file.display().to_string(), more)
}

const COUNTER: &str = "MACHINE counter SETS S VARIABLES x, f INVARIANT x : 0..9 & f : S +-> 0..9 INITIALISATION x := 0 || f := {}
    OPERATIONS up(d) = PRE d : 1..3 & x + d <= 9 THEN x := x + d END;
    r <-- any = BEGIN r :: {x, x + 1} END;
    note(s) = PRE s : S & s /: dom(f) THEN f(s) := x END;
    risky(s) = PRE s : S THEN x := f(s) END;
    pick = ANY y WHERE y : 1..2 & y > x THEN x := y END;
    stay = IF x > 5 THEN skip ELSE SELECT x > 7 THEN skip END END END";

fn reason(run: &Run) -> (Option<i32>, String, u64, String) {
    let report = run.json();
    let stop = &report["stop"];
    (
        run.code,
        stop["reason"].as_str().unwrap_or("none").to_owned(),
        stop["step"].as_u64().unwrap_or(99),
        stop["message"].as_str().unwrap_or("").to_owned(),
    )
}

#[test]
fn each_way_to_stop_has_its_reason() {
    let start = "  0  INITIALISATION\n  x = 0\n  f = {}\n";
    for (steps, expected, message) in [
        ("1  up(d = 4)", "guard_false", "this is false: d : 1..3"),
        ("1  up(d = 2)\n x = 3", "value_not_possible", "`x` cannot be 3 after this step: it can be 2"),
        ("1  any --> r = 5", "value_not_possible", "`r` cannot be 5 after this step: it can be 0 or 1"),
        ("1  down(d = 1)", "unknown_operation", "the machine has no operation `down`"),
        ("1  up(d = TRUE)", "unreadable_value", "`d` cannot be TRUE here: the types INTEGER and BOOL do not fit"),
        ("1  note(s = S9)\n f = {S9|->0", "unreadable_value", "`f` cannot be {S9|->0 here: "),
        ("1  risky(s = S1)", "ill_defined", "it is ill-defined: the function is applied outside its domain"),
        ("1  INITIALISATION", "out_of_order", "it cannot occur here: "),
    ] {
        let run = small(COUNTER, &format!("{start}{steps}"), &[]);
        let (code, reason, step, said) = reason(&run);
        assert_eq!((code, reason.as_str(), step), (Some(30), expected, 1), "{steps}: {run:?}");
        assert!(said.starts_with(message), "{steps}: {said}");
    }
    let late = small(COUNTER, &format!("{start}1  up(d = 3)\n x = 3\n2  pick\n x = 2"), &[]);
    assert_eq!(reason(&late).1, "guard_false", "a choice that nothing satisfies disables too: {late:?}");
    assert_eq!(late.json()["replayed"], 2);
    let stuck = small(COUNTER, &format!("{start}1  stay"), &[]);
    assert_eq!(reason(&stuck).1, "no_outcome", "{stuck:?}");
    let never = small(COUNTER, "  0  INITIALISATION\n  x = 1", &[]);
    assert_eq!((never.code, never.json()["grade"].as_str()), (Some(31), Some("broken")), "{never:?}");
}

#[test]
fn a_trace_that_says_less_than_a_run_is_filled_in() {
    // Which result and which argument is left out; only the last step shows that d was 2.
    let run = small(COUNTER, "0  INITIALISATION\n1  up\n2  any\n3  up(d = 1)\n x = 3\n", &[]);
    let report = run.json();
    assert_eq!((run.code, report["grade"].as_str()), (Some(0), Some("perfect")), "{run:?}");
    assert_eq!((&report["trace"][1]["arguments"]["d"], &report["trace"][2]["results"]["r"]), (&"2".into(), &"2".into()), "{report}");
    assert_eq!(report["notes"], serde_json::json!(["the trace gives no value of `f`"]));
}

#[test]
fn a_replay_checks_how_the_trace_ends() {
    let steps = "0  INITIALISATION\n x = 0\n f = {}\n1  up(d = 1)\n x = 1\n2  any --> r = 1\n (no change)\n ";
    let closed = small(COUNTER, &format!("{}back to 1\n", steps.replace("(d = 1)", "(d = 1)      <- loop")), &[]);
    let ending = closed.json()["ending"].clone();
    assert_eq!(
        (closed.code, &ending["end"], &ending["loop_start"], &ending["confirmed"]),
        (Some(0), &"loop".into(), &1.into(), &true.into())
    );
    assert_eq!(ending["message"], "the loop closes: the state after step 2 is that after step 1");
    for (end, message) in [
        ("back to 0", "the loop does not close: the last state differs from that after step 0 in `x`, and has no step that leads back"),
        ("deadlock; nothing follows", "the last state is not a deadlock: `up` is enabled"),
    ] {
        let run = small(COUNTER, &format!("{steps}{end}\n"), &[]);
        let report = run.json();
        assert_eq!((run.code, &report["grade"], &report["ending"]["confirmed"]), (Some(30), &"partial".into(), &false.into()), "{run:?}");
        assert_eq!(report["ending"]["message"], message);
    }
    let beyond = small(COUNTER, &format!("{steps}back to 7\n"), &[]);
    assert!(beyond.code == Some(150) && beyond.stderr.contains("its loop begins with step 7, but its last step is 2"), "{beyond:?}");
    let run = small(COUNTER, &format!("{steps}any run that goes on like this violates it\n"), &[]);
    assert_eq!((run.code, &run.json()["ending"]["confirmed"]), (Some(0), &Json::Null), "no formula is looked at: {run:?}");
    // Other tools leave out the step that leads back.
    let lasso = r##"{"vars": ["x", "f"], "states": [{"x": 0, "f": {"#map": []}}, {"x": 1, "f": {"#map": []}}], "loop": 1}"##;
    let run = small(COUNTER, lasso, &[]);
    assert_eq!((run.code, &run.json()["grade"]), (Some(0), &"perfect".into()), "{run:?}");
    assert_eq!(run.json()["ending"]["message"], "the loop closes: a step of `any` leads from the last state to that after step 1");
    let cut = small(COUNTER, "0  INITIALISATION\n x = 0\n f = {}\n1  up(d = 1)\n x = 1\n back to 1\n", &[]);
    let message = "the loop does not close in the last state: only a further step, of `any`, leads back";
    assert_eq!((cut.code, &cut.json()["ending"]["message"]), (Some(30), &message.into()), "bcheck's own traces have every step");
    // A run that does not come to its end is not asked how it goes on.
    let stopped = small(COUNTER, &format!("{}back to 1\n", steps.replace("r = 1", "r = 5")), &[]);
    assert_eq!((stopped.code, stopped.json().get("ending")), (Some(30), None), "{stopped:?}");
}

#[test]
fn a_trace_of_another_version_is_replayed_as_far_as_it_goes() {
    let run = small(COUNTER, "0  INITIALISATION\n x = 0\n log = []\n f = {}\n1  up(d = 1, by = Bob)\n x = 1\n log = [1]\n", &[]);
    let report = run.json();
    assert_eq!((run.code, report["grade"].as_str(), report["replayed"].as_u64()), (Some(30), Some("partial"), Some(2)), "{run:?}");
    assert!(report["stop"].is_null());
    let left_out = ["`up` has no parameter `by`", "the machine has no constant or variable `log`"];
    assert_eq!(report["left_out"], serde_json::json!(left_out));
    // Constants came later.
    let with_constant = COUNTER.replace("VARIABLES", "CONSTANTS k PROPERTIES k : 4..5 VARIABLES").replace("x + d <= 9", "x + d <= k");
    let run = small(&with_constant, "0  INITIALISATION\n x = 0\n f = {}\n1  up(d = 3)\n x = 3\n2  up(d = 2)\n x = 5\n", &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["trace"][0]["state"]["k"], "5", "the set-up that allows the rest is found: {run:?}");
}

#[test]
fn sizes_come_from_the_command_line_then_from_the_trace() {
    let trace = "0  INITIALISATION\n x = 0\n f = {}\n1  note(s = S4)\n f = {S4|->0}\n";
    assert_eq!(small(COUNTER, trace, &[]).json()["deferred"]["S"], 4, "as many as it names");
    let told = format!("trace of counter; scope: S = 6, MININT = -2, MAXINT = 5\n{trace}");
    let report = small(COUNTER, &told, &[]).json();
    assert_eq!((&report["deferred"]["S"], &report["minint"], &report["maxint"]), (&6.into(), &(-2).into(), &5.into()));
    let few = small(COUNTER, &told, &["--deferred", "3"]);
    assert_eq!((few.code, few.json()["stop"]["reason"].as_str()), (Some(30), Some("unreadable_value")), "{few:?}");
    assert_eq!(few.json()["stop"]["help"], serde_json::json!(["`S` has 3 elements here, S1 to S3; --deferred S=N gives it more"]));
}

#[test]
fn values_of_every_kind_survive_each_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("kinds.mch");
    let text = "MACHINE kinds SETS S; T = {red, green} CONSTANTS c, fun PROPERTIES c : S & fun = %n.(n : INTEGER | n + 1)
        VARIABLES t, r, q, n, p, b, e, g
        INVARIANT t : STRING & r : struct(name : STRING, left : seq(S)) & q : seq(T) & n : INTEGER & p : (S * INT) * BOOL & b : BOOL &
        e : POW(POW(S)) & g : S +-> POW(T)
        INITIALISATION t := \"a, \\\"b\\\" = (c\" || r := rec(name : \"n\", left : [c]) || q := [] || n := -3 || p := (c |-> -1) |-> TRUE || b := FALSE
        || e := {{}, {c}} || g := {c |-> {red}}
        OPERATIONS say(w, x) = PRE w = t & x = p THEN q := [green, red] || t := \"x\\\\y\" || n := fun(n) END END";
    std::fs::write(&machine, text).expect("written");
    let machine = machine.display().to_string();
    for (ending, _) in FORMATS {
        let file = folder.path().join(format!("t{ending}"));
        let target = file.display().to_string();
        let check = bcheck(&[&machine, "--goal", "n = -2", "--trace", &target, "--format", "json"]);
        assert_eq!(check.code, Some(20), "{check:?}");
        let report = replay(&file, &machine, &[]).json();
        assert_eq!(report["trace"], check.json()["trace"], "{ending}: {report}");
        assert!(report["stop"].is_null(), "{ending}: {report}");
    }
}

#[test]
fn names_in_back_quotes_survive_each_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("quoted.mch");
    let text = "MACHINE quoted SETS `set of (a, b)`; T = {`=`, `x y`} VARIABLES `a = b`, v INVARIANT `a = b` <: `set of (a, b)` & v : T
        INITIALISATION `a = b` := {} || v := `=`
        OPERATIONS `result of` <-- `put it` (`what, when`) =
          PRE `what, when` : `set of (a, b)` - `a = b` THEN `a = b` := `a = b` \\/ {`what, when`} || v := `x y` || `result of` := v END END";
    std::fs::write(&machine, text).expect("written");
    let machine = machine.display().to_string();
    for (ending, _) in FORMATS {
        let file = folder.path().join(format!("t{ending}"));
        let target = file.display().to_string();
        let options = ["--goal", "card(`a = b`) = 2", "--deferred", "2", "--trace", &target, "--format", "json"];
        let check = bcheck(&[&[machine.as_str()], &options[..]].concat());
        assert_eq!(check.code, Some(20), "{check:?}");
        let report = replay(&file, &machine, &[]).json();
        assert_eq!((&report["trace"], &report["grade"]), (&check.json()["trace"], &"perfect".into()), "{ending}: {report}");
    }
}

#[test]
fn what_is_no_trace_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("t.json");
    for (text, place, said) in [
        ("{\n  \"trace\": [\n    oops\n  ]\n}", ":3:5", "this is not JSON"),
        ("{\"trace\": [{\"arguments\": {}}]}", ":1:1", "trace[0] does not name its operation"),
        ("{}", ":1:1", "it has none of the fields"),
        ("{\"transitionList\": [], \"metadata\": {\"formatVersion\": 7}}", ":1:1", "newer than 6"),
        ("{\"vars\": [], \"states\": [{\"x\": {\"#odd\": 1}}]}", ":1:1", "states[0].x: #odd is not understood"),
        ("hello\n", ":1:1", "this is not a trace"),
        ("0  INITIALISATION\n  x = 1\n  what is this\n", ":3:3", "neither a step nor"),
        ("", ":1:1", "there is no trace"),
    ] {
        std::fs::write(&file, text).expect("written");
        let run = replay(&file, "machines/classic/phonebook.mch", &[]);
        assert_eq!(run.code, Some(150), "{text}: {run:?}");
        assert!(run.stderr.contains(&format!("{place}: error[B0125]")) && run.stderr.contains(said), "{text}: {run:?}");
        assert_eq!(run.json()["diagnostics"][0]["code"], "B0125");
    }
    assert_eq!(replay(Path::new("no/such/file.json"), "machines/classic/phonebook.mch", &[]).code, Some(153));
}

#[test]
fn postconditions_of_prob_are_held_against_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("t.prob2trace");
    let trace = |postconditions: &str| {
        let add = "\"name\": \"add\", \"params\": {\"n\": \"Name1\", \"c\": \"Code2\"}";
        format!(
            "{{\"transitionList\": [{{\"name\": \"$initialise_machine\"}}, {{{add}, \"postconditions\": [{postconditions}]}}],
              \"metadata\": {{\"fileType\": \"Trace\", \"formatVersion\": 6}}}}"
        )
    };
    let holds = "{\"kind\": \"PREDICATE\", \"predicate\": \"db(Name1) = Code2\"}";
    let enabled = "{\"kind\": \"ENABLEDNESS\", \"operation\": \"lookup\", \"predicate\": \"\"}";
    let disabled = "{\"kind\": \"DISABLEDNESS\", \"operation\": \"delete\", \"predicate\": \"\"}";
    let machine = "machines/classic/phonebook.mch";
    std::fs::write(&file, trace(&format!("{holds}, {enabled}"))).expect("written");
    assert_eq!(replay(&file, machine, &[]).code, Some(0));
    std::fs::write(&file, trace(&format!("{}, {disabled}", holds.replace("Code2", "Code1")))).expect("written");
    let run = replay(&file, machine, &[]);
    let failed = ["after step 1 this is false: db(Name1) = Code1", "after step 1 `delete` is enabled"];
    assert_eq!((run.code, &run.json()["failed"]), (Some(30), &serde_json::json!(failed)), "{run:?}");
    std::fs::write(&file, trace(&holds.replace("db(", "nothing("))).expect("written");
    let run = replay(&file, machine, &[]);
    assert_eq!((run.code, run.json()["left_out"].as_array().map(Vec::len)), (Some(30), Some(1)), "{run:?}");
    std::fs::write(&file, trace("{\"kind\": \"LATER\"}")).expect("written");
    assert_eq!(replay(&file, machine, &[]).code, Some(150));
}

#[test]
fn damaged_traces_are_read_or_refused_but_nothing_else() {
    use bcheck::report::recorded::read;
    let folder = tempfile::tempdir().expect("a folder");
    let machine = std::fs::read_to_string(root().join("machines/violation/invariant.mch")).expect("a machine");
    let Ok(checked) = bcheck::check_text("invariant.mch", &machine, &bcheck::Request::default()) else { panic!("a correct machine") };
    let mut dice = Dice::new(1);
    let mut random = |limit: usize| dice.below(limit);
    let (mut readable, mut refused) = (0, 0);
    for (ending, _) in FORMATS {
        let file = folder.path().join(format!("t{ending}"));
        bcheck(&["machines/violation/invariant.mch", "--trace", &file.display().to_string()]);
        let whole = std::fs::read(&file).expect("a trace");
        for _ in 0..2_500 {
            let mut bytes = whole.clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = b"{}[]\",:0 \n(=-"[random(13)],
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"{}[]\",:0 \n(=-"[random(13)]),
                }
                if bytes.is_empty() {
                    bytes.push(b' ');
                }
            }
            match read(&String::from_utf8_lossy(&bytes), checked.machine.model()) {
                Ok(_) => readable += 1,
                Err(fault) => {
                    assert!(fault.line >= 1 && fault.column >= 1 && !fault.message.is_empty(), "{fault:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(readable > 500 && refused > 2_500, "{readable} readable, {refused} refused");
}
