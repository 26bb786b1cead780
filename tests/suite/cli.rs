//! The command line: transcripts under `tests/cli`, streams, formats, expectations.

use crate::program::{bcheck, command, finish, root};

const PHONEBOOK: &str = "machines/classic/phonebook.mch";
const ERRONEOUS: &str = "machines/classic/phonebook_err.mch";

#[test]
fn the_verdict_is_the_last_line_of_stdout() {
    let run = bcheck(&[PHONEBOOK, "--deferred", "3"]);
    assert_eq!((run.code, run.stdout.lines().last()), (Some(0), Some("verified")), "{run:?}");
    assert_eq!(run.stderr, "");
    let run = bcheck(&[ERRONEOUS, "--deferred", "3"]);
    assert_eq!((run.code, run.stdout.lines().last()), (Some(12), Some("invariant_violation")), "{run:?}");
}

#[test]
fn a_threshold_is_set_by_its_name() {
    let set = |setting: &str| bcheck(&[PHONEBOOK, "--deferred", "4", "--set", setting]);
    // Slices of one state, none of them packed.
    let default = bcheck(&[PHONEBOOK, "--deferred", "4", "--format", "json"]).json();
    let small =
        bcheck(&[PHONEBOOK, "--deferred", "4", "--format", "json", "--set", "explore.slice-states=1", "--set", "eval.packed-state-bits=0"])
            .json();
    assert_eq!((&small["verdict"], &small["full"], &small["explored"]), (&default["verdict"], &default["full"], &default["explored"]));
    let unknown = set("explore.slice-stats=1");
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("did you mean `explore.slice-states` (1..1000000, 16384 by default)?"), "{unknown:?}");
    let beyond = set("explore.slice-states=0");
    assert!(beyond.code == Some(2) && beyond.stderr.contains("not a value of this threshold (1..1000000"), "{beyond:?}");
}

#[test]
fn a_filter_of_the_log_names_targets_and_levels() {
    let logged = |filter: &str| {
        let mut command = command(&[PHONEBOOK, "--deferred", "3"]);
        let run = finish({
            command.env("BCHECK_LOG", filter);
            command
        });
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stderr
    };
    let of_search = logged("bcheck::explore=debug");
    assert!(of_search.lines().count() > 2 && of_search.lines().all(|line| line.starts_with("DEBUG ")), "{of_search}");
    assert!(of_search.lines().all(|line| line.contains("bcheck::explore: ")), "{of_search}");
    // Each phase logs its duration when it ends, and events inside it carry its name.
    let closed = |phase: &str| of_search.lines().any(|line| line.contains(phase) && line.contains("close time.busy="));
    assert!(closed("level{depth=0}") && closed("level{depth=1}") && closed("batch{ordinal=0}"), "{of_search}");
    let phases = logged("bcheck::cli=debug");
    let of = |phase: &str| {
        phases.lines().position(|line| line.contains(&format!("{phase}: bcheck::cli: close"))).unwrap_or_else(|| panic!("{phases}"))
    };
    let order = ["analyse", "load", "compile", "symmetry", "search", "report"].map(of);
    assert!(order.is_sorted(), "{phases}");
    let of_both = logged("bcheck::explore=debug,bcheck::cli=info");
    assert!(of_both.contains(" INFO bcheck::cli: search ended"), "{of_both}");
    assert!(of_both.lines().count() > of_search.lines().count(), "{of_both}");
    let refused = logged("bcheck=info=debug");
    assert!(
        refused.starts_with("warning: nothing is logged, because BCHECK_LOG is not TARGET=LEVEL,") && refused.lines().count() == 1,
        "{refused}"
    );
}

#[test]
fn statistics_tell_what_the_algorithms_did_where_they_are_asked_for() {
    let arguments = [PHONEBOOK, "--deferred", "4", "-j", "2"];
    let report = bcheck(&[&arguments[..], &["--stats", "--format", "json"]].concat()).json();
    let count = |algorithm: &str, name: &str| report["statistics"][algorithm][name].as_u64().unwrap_or_else(|| panic!("{report}"));
    assert!(count("labelling", "refinements") > 0 && count("labelling", "splitters") > 0, "{report}");
    assert_eq!(count("visited_set", "keys"), report["explored"]["states"].as_u64().expect("a number"));
    assert!(count("visited_set", "slots") > count("visited_set", "keys"));
    assert!(count("visited_set", "probes") >= count("visited_set", "keys") + count("visited_set", "collisions"));
    assert_eq!((count("solver", "decisions"), count("temporal", "product_states")), (0, 0), "nothing is solved or judged there");
    let text = bcheck(&[&arguments[..], &["--stats"]].concat()).stdout;
    let block: Vec<&str> = text.lines().skip_while(|line| *line != "Statistics").skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(block.len() == 14 && block.iter().all(|line| line.len() == block[0].len()), "{text}");
    let formula = bcheck(&[&arguments[..], &["--ltl", "G({card(db) < 9})", "--stats", "--format", "json"]].concat()).json();
    assert!(formula["statistics"]["temporal"]["product_states"].as_u64() > Some(0), "{formula}");
    let silent = bcheck(&[&arguments[..], &["--format", "json"]].concat()).json();
    assert!(silent["statistics"].is_null() && !bcheck(&arguments).stdout.contains("Statistics"));
}

#[test]
fn the_json_report_has_every_documented_field() {
    let report = bcheck(&[PHONEBOOK, "--deferred", "6", "--format", "json", "-j", "2"]).json();
    assert_eq!(report["format"], "bcheck-report");
    assert_eq!(report["version"], 1);
    assert_eq!(report["machine"], "phonebook");
    assert_eq!(report["file"], PHONEBOOK);
    assert_eq!(report["deferred"]["Name"], 6);
    assert_eq!((report["minint"].as_i64(), report["maxint"].as_i64()), (Some(-1), Some(3)));
    assert_eq!((report["symmetry"].as_str(), report["strategy"].as_str()), (Some("exact"), Some("bfs")));
    assert_eq!((report["verdict"].as_str(), report["complete"].as_bool()), (Some("verified"), Some(true)));
    assert!(report["limit"].is_null() && report["violation"].is_null());
    assert_eq!(report["explored"]["states"], 30);
    assert_eq!(report["explored"]["transitions"], 540);
    assert_eq!(report["explored"]["prob"]["states"], 31);
    assert_eq!(report["full"]["states"], "117649");
    assert_eq!(report["full"]["transitions"], "1815156");
    assert_eq!(report["full"]["prob"]["transitions"], "1815157");
    assert_eq!(report["full"]["exact"], true);
    assert_eq!(report["explored"]["depth"], 6);
    assert_eq!(report["symmetry_detail"]["movable"]["Code"], 6);
    for field in ["setups", "initial", "deadlocks", "invariant_violations", "assertion_violations", "goals", "ill_defined"] {
        assert!(report["explored"][field].is_u64(), "explored.{field}");
    }
    for field in ["load", "search", "total"] {
        assert!(report["time_s"][field].is_f64(), "time_s.{field}");
    }
    assert!(report["peak_memory_bytes"].is_u64());
    let names: Vec<&str> = report["operations"].as_array().expect("a list").iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["add", "lookup", "delete"]);
    assert!(report["trace"].as_array().is_some_and(Vec::is_empty));
    assert!(report["diagnostics"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn a_violation_names_the_conjunct_and_its_place() {
    let report = bcheck(&[ERRONEOUS, "--deferred", "3", "--format", "json"]).json();
    let violation = &report["violation"];
    assert_eq!(violation["kind"], "invariant");
    assert_eq!(violation["conjunct"], "ran(db) <: used");
    assert_eq!(violation["number"], 3);
    assert_eq!(violation["file"], ERRONEOUS);
    assert!(violation["line"].as_u64().is_some_and(|line| line > 5) && violation["column"] == 3, "{violation}");
    let steps = report["trace"].as_array().expect("a trace");
    let names: Vec<&str> = steps.iter().filter_map(|step| step["operation"].as_str()).collect();
    assert_eq!(names, ["$initialise_machine", "add", "add", "delete"]);
    assert_eq!(steps[0]["state"]["db"], "{}");
    assert!(steps[1]["arguments"]["n"].as_str().is_some_and(|name| name.starts_with("Name")), "{}", steps[1]);
}

#[test]
fn the_short_form_can_be_jumped_to() {
    let run = bcheck(&[ERRONEOUS, "--deferred", "3", "--format", "short"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.last(), Some(&"invariant_violation"));
    assert!(lines[0].starts_with(&format!("{ERRONEOUS}:")) && lines[0].contains("error[invariant_violation]: "), "{run:?}");
}

#[test]
fn a_report_can_go_to_a_file_and_a_trace_to_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let (report, trace) = (folder.path().join("r.json").display().to_string(), folder.path().join("t.json").display().to_string());
    let run = bcheck(&[ERRONEOUS, "--deferred", "2", "--format", "json", "--output", &report, "--trace", &trace]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(12), ""), "{run:?}");
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(report).expect("a report")).expect("JSON");
    let trace: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(trace).expect("a trace")).expect("JSON");
    assert_eq!(trace["format"], "bcheck-trace");
    assert_eq!(trace["trace"], report["trace"]);
}

/// The trace of a violation, saved in the format of this ending.
fn saved_trace(ending: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("t{ending}")).display().to_string();
    let run = bcheck(&["machines/violation/invariant.mch", "--trace", &file]);
    assert_eq!(run.code, Some(12), "{run:?}");
    serde_json::from_str(&std::fs::read_to_string(file).expect("a trace")).expect("JSON")
}

#[test]
fn a_trace_can_be_saved_for_prob() {
    let trace = saved_trace(".prob2trace");
    let names: Vec<&str> = trace["transitionList"].as_array().expect("steps").iter().filter_map(|step| step["name"].as_str()).collect();
    assert_eq!(names, ["$setup_constants", "$initialise_machine", "sell", "sell"], "{trace}");
    let steps = &trace["transitionList"];
    assert!(steps[0]["destState"]["price"].as_str().is_some_and(|value| value.contains("ITEM1|->")), "{steps}");
    assert!(steps[1]["destState"].get("price").is_none(), "constants belong to the set-up: {steps}");
    assert!(steps[2]["params"]["i"].as_str().is_some_and(|value| value.starts_with("ITEM")), "{steps}");
    assert_eq!(trace["machineOperationInfos"]["sell"]["writtenVariables"], serde_json::json!(["stock", "takings"]));
    assert_eq!(trace["globalIdentifierTypes"]["price"], "POW((ITEM*INTEGER))");
    assert_eq!((trace["metadata"]["fileType"].as_str(), trace["metadata"]["formatVersion"].as_i64()), (Some("Trace"), Some(6)));
}

#[test]
fn a_trace_can_be_saved_for_trace_viewers() {
    let trace = saved_trace(".itf.json");
    assert_eq!(trace["vars"], serde_json::json!(["price", "stock", "takings"]));
    let states = trace["states"].as_array().expect("states");
    assert_eq!(states.len(), 3, "the set-up is no state: {trace}");
    assert_eq!(states[1]["#meta"]["action"], "sell");
    assert!(states[0]["takings"]["#bigint"].is_string(), "{trace}");
    assert!(states[0]["stock"]["#set"].is_array(), "{trace}");
    assert!(states[0]["price"]["#map"][0].is_array(), "{trace}");
}

#[test]
fn a_trace_of_unknown_format_is_refused_at_once() {
    let run = bcheck(&[ERRONEOUS, "--trace", "t.xyz"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains(".prob2trace"), "{run:?}");
}

#[test]
fn expectations_decide_the_exit_code() {
    let met = bcheck(&[ERRONEOUS, "--deferred", "2", "--expect", "invariant_violation"]);
    assert_eq!(met.code, Some(0), "{met:?}");
    let missed = bcheck(&[PHONEBOOK, "--deferred", "2", "--expect", "deadlock"]);
    assert_eq!(missed.code, Some(1), "{missed:?}");
    assert!(missed.stderr.contains("expected verdict deadlock, found verified"), "{missed:?}");
    assert_eq!(bcheck(&[PHONEBOOK, "--deferred", "3", "--expect-states", "7"]).code, Some(0));
    assert_eq!(bcheck(&[PHONEBOOK, "--deferred", "3", "--expect-states", "8"]).code, Some(1));
    // Counts that are as expected are what was asked for, whatever the verdict.
    let states = bcheck(&[ERRONEOUS, "--format", "json"]).json()["explored"]["states"].to_string();
    assert_eq!(bcheck(&[ERRONEOUS, "--expect-states", &states]).code, Some(0));
    assert_eq!(bcheck(&[ERRONEOUS, "--expect-states", &states, "--expect", "verified"]).code, Some(1));
    assert_eq!(bcheck(&[PHONEBOOK, "--deferred", "3", "--expect-transitions", "49"]).code, Some(0));
}

#[test]
fn a_limit_is_never_a_success() {
    for limit in [["--max-states", "3"], ["--max-depth", "1"]] {
        let run = bcheck(&[PHONEBOOK, "--deferred", "4", limit[0], limit[1]]);
        assert_eq!((run.code, run.stdout.lines().last()), (Some(152), Some("incomplete")), "{run:?}");
        assert!(run.stdout.contains(&limit.join(" ")), "the report names the limit: {run:?}");
    }
}

#[test]
fn compare_gives_the_table_of_the_literature() {
    let run = bcheck(&["compare", "machines/classic/scheduler.mch", "--deferred", "1..4", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.json();
    assert_eq!(report["format"], "bcheck-compare");
    let rows: Vec<[String; 4]> = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            [("full", "states"), ("reduced", "states"), ("full", "transitions"), ("reduced", "transitions")]
                .map(|(side, what)| row[side][what].as_str().expect("a decimal string").to_owned())
        })
        .collect();
    let expected = [["4", "4", "5", "5"], ["11", "7", "25", "16"], ["36", "11", "121", "37"], ["125", "16", "561", "71"]];
    assert_eq!(rows, expected);
    assert!(report["rows"].as_array().expect("rows").iter().all(|row| row["full"]["how"] == "explored"), "{report}");
}

#[test]
fn compare_counts_what_it_may_not_explore() {
    let report = bcheck(&["compare", "machines/classic/phonebook.mch", "--deferred", "6", "--full-limit", "0", "--format", "json"]).json();
    let full = &report["rows"][0]["full"];
    assert_eq!((full["how"].as_str(), full["states"].as_str()), (Some("counted"), Some("117650")), "{report}");
}

/// How many ways there are to write a number as a sum of parts in falling order, and how many to arrange the parts above 1 of each.
fn sums(number: u64) -> (u64, u64) {
    fn parts(rest: u64, most: u64, chosen: &mut Vec<u64>, found: &mut (u64, u64)) {
        if rest == 0 {
            let factorial = |n: usize| (1..=n as u64).product::<u64>();
            let alike = chosen.chunk_by(|a, b| a == b).map(|same| factorial(same.len())).product::<u64>();
            *found = (found.0 + 1, found.1 + factorial(chosen.len()) / alike);
        }
        for part in (1..=most.min(rest)).rev() {
            // All others are 1.
            if part == 1 {
                parts(0, 1, chosen, found);
                break;
            }
            chosen.push(part);
            parts(rest - part, part, chosen, found);
            chosen.pop();
        }
    }
    let mut found = (0, 0);
    parts(number, number, &mut Vec::new(), &mut found);
    found
}

#[test]
fn compare_holds_the_ways_to_find_representatives_against_each_other() {
    let machine = "machines/symmetry/closed_forms/bijections.mch";
    let run = bcheck(&["compare", machine, "--deferred", "4..6", "--symmetry", "all", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.json();
    assert_eq!(report["format"], "bcheck-strategies");
    let states = |size: u64, way: &str| -> u64 {
        let mut rows = report["rows"].as_array().expect("rows").iter();
        let row = rows.find(|row| row["deferred"]["DANCER"] == size && row["symmetry"] == way).expect("a row");
        assert_eq!(row["complete"], true, "{row}");
        // Without the root.
        row["states"].as_str().expect("a decimal string").parse::<u64>().expect("a number") - 1
    };
    for size in 4..=6 {
        // Rings side by side: an arbitrary split keeps the order in which they are met, and single dancers are told apart without it.
        let (classes, arrangements) = sums(size);
        assert_eq!((states(size, "exact"), states(size, "exhaustive")), (classes, classes));
        assert_eq!(states(size, "fast"), arrangements, "{size}");
        let permutations = (1..=size).product::<u64>();
        assert_eq!(states(size, "off"), permutations);
        assert!((arrangements + 1..=permutations).contains(&states(size, "sorted")));
    }
    assert!(states(6, "fast") > states(6, "exact"));
}

#[test]
fn ways_that_cannot_end_are_not_begun_and_pictures_need_one_way() {
    let run = bcheck(&["compare", PHONEBOOK, "--deferred", "9", "--symmetry", "all", "--full-limit", "0"]);
    assert_eq!((run.code, run.stdout.matches("not run").count()), (Some(0), 4), "{run:?}");
    let run = bcheck(&["compare", PHONEBOOK, "--deferred", "2", "--symmetry", "all", "--plot", "never.svg"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("leave out --symmetry all") && !root().join("never.svg").exists(), "{run:?}");
}

#[test]
fn parameters_without_values_are_blamed_on_constraints() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Buffer.mch");
    std::fs::write(&path, "MACHINE Buffer(room) CONSTRAINTS room : 1 .. 3 & room > 4 END").expect("a file");
    let run = bcheck(&[path.to_str().expect("a path")]);
    assert_eq!(run.code, Some(10), "{run:?}");
    assert!(run.stdout.contains("no values of the parameters satisfy CONSTRAINTS: 2 conjuncts contradict each other"), "{run:?}");
}

#[test]
fn eval_prints_values_in_b_notation() {
    for (formula, value) in
        [("1 + 2", "3"), ("{2, 1} \\/ {3}", "{1,2,3}"), ("card(POW(1..4))", "16"), ("2 : {1, 2}", "TRUE"), ("1 = 2", "FALSE")]
    {
        let run = bcheck(&["eval", formula]);
        assert_eq!((run.code, run.stdout.trim_end()), (Some(0), value), "{formula}: {run:?}");
    }
    assert_eq!(bcheck(&["eval", "1 / 0"]).code, Some(75));
    assert_eq!(bcheck(&["eval", "1 + TRUE"]).code, Some(120));
    assert_eq!(bcheck(&["eval", "1 + "]).code, Some(150));
}

#[test]
fn names_of_an_expression_must_have_a_meaning() {
    let run = bcheck(&["eval", "x + 1"]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("nothing declares `x`"), "{run:?}");
}

#[test]
fn eval_knows_the_sets_of_a_machine() {
    let run = bcheck(&["eval", "card(PID)", "--machine", "machines/classic/scheduler.mch", "--deferred", "5"]);
    assert_eq!((run.code, run.stdout.trim_end()), (Some(0), "5"), "{run:?}");
    let run = bcheck(&["eval", "active", "--machine", "machines/classic/scheduler.mch"]);
    assert_eq!((run.code, run.stdout.trim_end()), (Some(0), "{}"), "the first initial state: {run:?}");
}

#[test]
fn eval_without_a_formula_evaluates_each_line_of_its_input() {
    let lines = "1 + 1\n\n// not this one\ncard(PID)\nactive = {} & waiting : POW(PID)\n1 + )\n1 / 0\nwaiting \\/ active\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("formulas.txt");
    std::fs::write(&path, lines).expect("written");
    let mut command = command(&["eval", "--machine", "machines/classic/scheduler.mch", "--deferred", "5"]);
    command.stdin(std::fs::File::open(&path).expect("just written"));
    let run = finish(command);
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), ["2", "5", "TRUE", "{}"], "{run:?}");
    assert!(run.stderr.contains("<line 6>") && run.stderr.contains("<line 7>"), "{run:?}");
    assert_eq!(run.code, Some(75), "the last failure: {run:?}");
}

#[test]
fn help_completions_and_manual_page_are_there() {
    let help = bcheck(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in ["Exit codes:", "Examples:", "--deferred", "--symmetry", "Limits:", "152  incomplete"] {
        assert!(help.stdout.contains(word), "{word} in the help");
    }
    assert!(bcheck(&["completions", "bash"]).stdout.contains("bcheck"));
    assert!(bcheck(&["man"]).stdout.contains(".TH bcheck"));
    let unknown = bcheck(&["man", "refin"]);
    assert!(
        unknown.code == Some(2) && unknown.stderr.contains("no command `refin`: check, compare, cover, estimate, graph, induct, refine"),
        "{unknown:?}"
    );
    let pages = bcheck(&["help"]).stdout;
    assert!(pages.contains("  ltl ") && pages.contains("  ctl "), "{pages}");
    assert!(bcheck(&["help", "ltl"]).stdout.contains("f holds here and in every later state"));
    assert!(bcheck(&["help", "refine"]).stdout.contains("Usage: bcheck refine"));
    let unknown = bcheck(&["help", "lt"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("did you mean ltl?"), "{unknown:?}");
}

#[cfg(unix)]
#[test]
fn options_that_contradict_each_other_are_refused_and_both_are_named() {
    for (arguments, named) in [
        (&[PHONEBOOK, "-d", "3", "-d", "4"][..], ["--deferred 3", "--deferred 4"]),
        (&["compare", PHONEBOOK, "-d", "Name=1..3", "-d", "Name=2"], ["--deferred Name=1..3", "--deferred Name=2"]),
        (&[PHONEBOOK, "--goal", "db = {}", "--ltl", "G {TRUE = TRUE}", "--only-temporal"], ["--goal", "--only-temporal"]),
        (&["eval", "--ltl", "G {1 = 1}", "--count"], ["--ltl", "--count"]),
        (&[PHONEBOOK, "--explain-plan", "add", "--format", "json"], ["--explain-plan", "--format"]),
        (&[PHONEBOOK, "--explain-plan", "add", "--expect", "verified"], ["--explain-plan", "--expect"]),
        (&[PHONEBOOK, "--explain-plan", "add", "--checkpoint", "nowhere/k"], ["--explain-plan", "--checkpoint"]),
        (&[PHONEBOOK, "--explain-plan", "add", "--graph", "nowhere/g.svg"], ["--explain-plan", "--graph"]),
    ] {
        let run = bcheck(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {run:?}");
        assert!(named.iter().all(|option| run.stderr.contains(option)), "{arguments:?}: {run:?}");
    }
    // Said twice is said once.
    assert_eq!(bcheck(&[PHONEBOOK, "-d", "2", "-d", "2"]).code, Some(0));
}

#[test]
fn an_interrupt_gives_what_was_found_so_far() {
    // A thousand million states: no machine is through with them by then.
    let mut child = command(&["machines/classic/phonebook.mch", "--deferred", "9", "--symmetry", "off", "--format", "json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let status = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill exists");
    assert!(status.success(), "the search was still running");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while child.try_wait().expect("can be waited for").is_none() {
        assert!(std::time::Instant::now() < deadline, "still running half a minute after the interrupt");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(152), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("\ninterrupted: finishing"), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((report["verdict"].as_str(), report["limit"]["kind"].as_str()), (Some("incomplete"), Some("interrupted")));
    assert!(report["explored"]["states"].as_u64().is_some_and(|states| states > 0), "{report}");
}

#[test]
fn transcripts_hold() {
    trycmd::TestCases::new().env("NO_COLOR", "1").case(root().join("tests/cli/*.md")).case(root().join("tests/cli/*.toml"));
}

#[test]
fn a_formula_is_evaluated_under_the_first_set_up_that_has_an_initial_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("late.mch");
    let text = "MACHINE late CONSTANTS c PROPERTIES c : 1 .. 3 VARIABLES x INVARIANT x : 1 .. 9 INITIALISATION ANY y WHERE y : 5 .. 4 + c - 1 THEN x := y END END";
    std::fs::write(&path, text).expect("a file");
    let run = bcheck(&["eval", "--machine", path.to_str().expect("UTF-8"), "c |-> x"]);
    assert_eq!((run.code, run.stdout.trim()), (Some(0), "(2|->5)"), "{run:?}");
}
