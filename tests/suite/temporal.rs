//! Temporal formulas from the command line: where they come from, what is refused, how the program ends.
//!
//! Deliberately elsewhere: what formulas mean (`src/temporal`, `src/explore/temporal/tests.rs`), machines with formulas (`machines.rs`).

use crate::program::bcheck;

const LOCK: &str = "machines/temporal/starving_lock.mch";
const FORKS: &str = "machines/temporal/forks.mch";

/// Runs a check that must be refused with this code, and with these words on stderr.
#[track_caller]
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let run = bcheck(arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
    for word in words {
        assert!(run.stderr.contains(word), "{arguments:?} must say `{word}`: {}", run.stderr);
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    refused(&[LOCK, "--only-temporal"], 2, &["--ltl", "--ctl", "--temporal"]);
    refused(&[LOCK, "--ltl", "true", "--strategy", "dfs"], 2, &["--strategy dfs"]);
    refused(&[LOCK, "--temporal=ASSERT_LTL"], 2, &["starving_lock states no temporal formula"]);
    refused(&[FORKS, "--temporal=ASSERT_LTL_deadlok"], 2, &["did you mean ASSERT_LTL_deadlock?"]);
    refused(&[LOCK, "--ltl-file", "no/such/file"], 153, &["no/such/file"]);
}

#[test]
fn errors_of_formulas_name_the_option_and_the_place() {
    refused(&[LOCK, "--ltl", "G {waiting = {}"], 150, &["--ltl:1:3", "B0117"]);
    refused(&[LOCK, "--ctl", "AG [entre]"], 120, &["--ctl:1:5", "`enter`"]);
    refused(&[LOCK, "--ltl", "G {waiting = 1}"], 120, &["--ltl:1:14", "B0203"]);
}

#[test]
fn the_formulas_of_a_file_have_the_places_of_its_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("formulas.ltl");
    let file = path.to_str().expect("a plain name");
    std::fs::write(&path, "# of the lock\n\nG {card(inside) <= 1}\n  F {inside /= {}}\n").expect("a file");
    let run = bcheck(&[LOCK, "--ltl-file", file, "--only-temporal", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines: Vec<u64> =
        run.json()["temporal"].as_array().expect("a list").iter().filter_map(|one| one["place"]["line"].as_u64()).collect();
    assert_eq!(lines, [3, 4]);
    // An existential quantifier is no comment.
    std::fs::write(&path, "##x.(x)\n#G {\n #n.({n : 0..1} & G {card(inside) = n + 7})\n").expect("a file");
    let run = bcheck(&[LOCK, "--ltl-file", file, "--only-temporal"]);
    assert_eq!(run.code, Some(13), "{run:?}");
    std::fs::write(&path, "true\n  F {inside}\n").expect("a file");
    refused(&[LOCK, "--ltl-file", file], 150, &["formulas.ltl:2:6"]);
    // An output must not replace it.
    refused(&[LOCK, "--ltl-file", file, "--output", file], 2, &["formulas.ltl"]);
}

#[test]
fn what_a_limit_leaves_open_is_unknown_and_what_was_found_is_not() {
    let arguments = |formula| [LOCK, "--deferred", "3", "--max-states", "3", "--only-temporal", "--format", "json", "--ltl", formula];
    let open = bcheck(&arguments("F {inside /= {}}"));
    assert_eq!((open.code, open.json()["temporal"][0]["verdict"].as_str()), (Some(152), Some("unknown")), "{open:?}");
    assert!(open.json()["temporal"][0]["why"].as_str().is_some_and(|why| why.contains("limit")), "{open:?}");
    let found = bcheck(&arguments("G {waiting = {}}"));
    assert_eq!((found.code, found.json()["temporal"][0]["verdict"].as_str()), (Some(13), Some("violated")), "{found:?}");
}

#[test]
fn a_finding_in_a_state_comes_before_formulas_and_all_are_judged_in_spite_of_it() {
    let run = bcheck(&[FORKS, "--temporal", "--format", "json"]);
    assert_eq!((run.code, run.json()["verdict"].as_str()), (Some(11), Some("deadlock")), "{run:?}");
    assert_eq!(run.json()["temporal"][0]["verdict"], "unknown", "{run:?}");
    let all = bcheck(&[FORKS, "--temporal", "--continue", "--format", "json"]);
    let verdicts = all.json()["temporal"].as_array().expect("a list").iter().map(|one| one["verdict"].clone()).collect::<Vec<_>>();
    assert_eq!((all.code, verdicts), (Some(11), vec!["violated".into(), "holds".into()]), "{all:?}");
}

#[test]
fn a_counterexample_is_explained_part_by_part_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lasso.prob2trace");
    let trace = path.to_str().expect("a plain name");
    let formula = "!p.({p : PROC} => G ({p : waiting} => F {p : inside}))";
    let run = bcheck(&[LOCK, "--ltl", formula, "--explain", "--trace", trace]);
    assert_eq!(run.code, Some(13), "{run:?}");
    for part in ["\nwith p = PROC1\nTrace:", "<- loop", "back to 2", "Subformulas", "F {p : inside}"] {
        assert!(run.stdout.contains(part), "`{part}`: {}", run.stdout);
    }
    let report = bcheck(&[LOCK, "--ltl", formula, "--format", "json"]).json();
    for object in [&report["violation"]["arguments"], &report["temporal"][0]["values"]] {
        assert_eq!(object["p"], "PROC1", "{report}");
    }
    let replayed = bcheck(&["replay", trace, LOCK]);
    assert_eq!((replayed.code, replayed.stdout.contains("loop")), (Some(0), true), "{replayed:?}");
}

#[test]
fn a_pattern_is_explained_by_the_formulas_in_it_as_they_are_written() {
    let formula = "globally response({inside = PROC}, {waiting /= {}})";
    let run = bcheck(&[LOCK, "--ltl", formula, "--explain"]);
    assert_eq!(run.code, Some(13), "{run:?}");
    let table = run.stdout.split_once("Subformulas").map_or("", |(_, table)| table);
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    let titles: Vec<&str> = rows.map(|row| row.trim_start().trim_end_matches(['T', '-', ' '])).collect();
    assert_eq!(titles, [formula, "{waiting /= {}}", "{inside = PROC}"], "{table}");
}

#[test]
fn a_formula_is_shown_as_it_is_read() {
    let run = bcheck(&["eval", "--ltl", "WF(leave)=>G{waiting={}}U X[enter]", "--machine", LOCK]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("LTL: WF(leave) => ((G {waiting = {}}) U (X [enter]))\n\n"), "{run:?}");
    for line in ["  FAIR => f ", "    WF(leave) ", "    f U g ", "      G f ", "        {waiting = {}}\n", "        [enter] "] {
        assert!(run.stdout.contains(&format!("\n{line}")), "`{line}`: {run:?}");
    }
    assert!(run.stdout.contains("\nautomaton of the negation: "), "{run:?}");
    let report = bcheck(&["eval", "--ctl", "AG EX[enter] true", "--machine", LOCK, "--format", "json"]).json();
    assert_eq!((report["logic"].as_str(), report["formula"].as_str()), (Some("ctl"), Some("AG (EX[enter] true)")));
    assert_eq!(report["tree"]["operands"][0]["text"], "EX[enter] f");
    assert!(report["automata"].as_array().is_some_and(Vec::is_empty) && report["run"].is_null(), "{report}");
    refused(&["eval", "--ltl", "G {waiting = {}", "-m", LOCK], 150, &["--ltl:1:3", "B0117"]);
    refused(&["eval", "--ctl", "AG [entre]", "-m", LOCK], 120, &["--ctl:1:5", "`enter`"]);
    refused(&["eval", "--ctl", "AG true", "--on", "t.json"], 2, &["--ltl"]);
    refused(&["eval", "--ltl", "true", "--ctl", "true"], 2, &["cannot be used with"]);
    let rejected = bcheck(&["eval", "--ltl", "G {waiting = 1}", "-m", LOCK, "--format", "json"]);
    assert_eq!((rejected.code, rejected.json()["diagnostics"][0]["code"].as_str()), (Some(120), Some("B0203")), "{rejected:?}");
}

#[test]
fn the_automaton_of_the_negation_is_written_in_two_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let study =
        |file: &str| bcheck(&["eval", "--ltl", "!p.({p : PROC} => G ({p : waiting} => F {p : inside}))", "-m", LOCK, "--hoa", file]);
    let (hoa, dot) = (path("a.hoa"), path("a.dot"));
    for file in [&hoa, &dot] {
        let run = study(file);
        assert!(run.code == Some(0) && run.stdout.contains("one for each value of quantified names: 2, of at most "), "{run:?}");
    }
    let text = std::fs::read_to_string(&hoa).expect("written");
    assert_eq!((text.matches("HOA: v1\n").count(), text.matches("--END--\n").count()), (2, 2), "{text}");
    assert!(text.contains(" \"{p : waiting}\" \"{p : inside}\"\n"), "{text}");
    let text = std::fs::read_to_string(&dot).expect("written");
    assert!(text.starts_with("digraph \"not (!p.(") && text.contains("label=\"not {p : inside} {0}\""), "{text}");
    refused(&["eval", "--ltl", "true", "-m", LOCK, "--hoa", LOCK], 2, &["would replace"]);
}

/// The saved trace of a violation of a formula of the lock.
fn saved(folder: &std::path::Path, name: &str, formula: &str) -> String {
    let file = folder.join(name).display().to_string();
    let run = bcheck(&[LOCK, "--ltl", formula, "--only-temporal", "--trace", &file]);
    assert_eq!(run.code, Some(13), "{run:?}");
    file
}

#[test]
fn a_formula_has_a_value_on_a_saved_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let value = |trace: &str, formula: &str| {
        let run = bcheck(&["eval", "--ltl", formula, "-m", LOCK, "--on", trace, "--format", "json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.json()["run"].clone()
    };
    let starving = "!p.({p : PROC} => G ({p : waiting} => F {p : inside}))";
    for name in ["loop.json", "loop.itf.json", "loop.prob2trace", "loop.txt"] {
        let trace = saved(folder.path(), name, starving);
        let found = value(&trace, starving);
        assert_eq!((found["value"].as_bool(), found["end"].as_str()), (Some(false), Some("loop")), "{name}: {found}");
        let row = &found["subformulas"][0];
        assert_eq!((row["depth"].as_u64(), row["values"][0].as_bool()), (Some(0), Some(false)), "{found}");
        assert_eq!(value(&trace, "G F {inside /= {}}")["value"], true, "{name}");
        // Fair to all operations as a whole, and not to the calls of the one that waits.
        assert_eq!(value(&trace, "WF(enter) => G {inside = {}}")["value"], false, "{name}");
        let unfair = value(&trace, "SEF => G {inside = {}}");
        assert_eq!((unfair["value"].as_bool(), unfair["fair"].as_bool()), (Some(true), Some(false)), "{name}: {unfair}");
    }
    let trace = saved(folder.path(), "prefix.json", "G {inside = {}}");
    for (formula, expected) in [("G {inside = {}}", Some(false)), ("F {inside /= {}}", Some(true)), ("G F {inside = {}}", None)] {
        let found = value(&trace, formula);
        assert_eq!(found["value"].as_bool(), expected, "{formula}: {found}");
        assert!(found["subformulas"].as_array().is_some_and(Vec::is_empty), "{found}");
    }
    let run = bcheck(&["eval", "--ltl", "X X X X X X true", "-m", LOCK, "--on", &trace]);
    assert!(run.stdout.contains("undetermined: it depends on what follows the last step\n"), "{run:?}");
    let other = bcheck(&["eval", "--ltl", "true", "-m", FORKS, "--on", &trace]);
    assert!(other.code == Some(30) && other.stderr.contains("cannot be replayed"), "{other:?}");
}

#[test]
fn a_witness_shows_why_an_existential_formula_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("r.html").display().to_string();
    let arguments = |format: &'static str| {
        [
            LOCK,
            "--only-temporal",
            "--witness",
            "--ctl",
            "EF {inside /= {}}",
            "--ctl",
            "EG {waiting = {}}",
            "--ctl",
            "AG true",
            "--format",
            format,
        ]
    };
    let report = bcheck(&[&arguments("json")[..], &["--html", &page]].concat());
    assert_eq!(report.code, Some(13), "{report:?}");
    let formulas = report.json()["temporal"].clone();
    let steps: Vec<&str> =
        formulas[0]["witness"]["trace"].as_array().expect("a run").iter().filter_map(|step| step["operation"].as_str()).collect();
    assert_eq!(steps, ["$initialise_machine", "request", "enter"]);
    assert!(formulas[0]["witness"]["end"].is_null() && formulas[0]["trace"].as_array().is_some_and(Vec::is_empty), "{formulas}");
    // The only first step is a request.
    assert_eq!(formulas[1]["verdict"], "violated");
    assert!(formulas[2].get("witness").is_none(), "{formulas}");
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("holds, as this run shows."), "a section of the page");
    let text = bcheck(&arguments("text"));
    assert!(text.stdout.contains("--ctl:1:1: the formula holds, as this run shows: EF {inside /= {}}\nTrace:\n"), "{text:?}");
    let none = bcheck(&[LOCK, "--only-temporal", "--witness", "--ctl", "AG true"]);
    assert!(none.code == Some(0) && none.stderr.contains("no formula has EF, EG, EX or E f U g outermost"), "{none:?}");
    refused(&[LOCK, "--witness", "--no-temporal"], 2, &["--ctl"]);
}
