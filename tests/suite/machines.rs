//! Every machine under `machines/` states what comes out, in pragmas in its first comments; this file holds it to that.
//!
//! ```text
//! /*@ check OPTIONS: VERDICT[, N steps][, N states][, N transitions][; full N states[, N transitions]] */
//! /*@ check OPTIONS: rejected, B0203[, B0201 …] */
//! ```
//! OPTIONS are those of the command line. States and transitions are in ProB's convention (root, set-up and initialisation
//! included), as in the literature; `steps` is the length of the trace, set-up and initialisation included. `check` runs
//! reduced and plain, with one worker and with two; `count` only reduced, for spaces too large to explore.

use crate::program::{Run, bcheck, files_below, root};
use std::path::Path;

/// What a pragma says.
#[derive(Debug, Default, PartialEq)]
struct Expectation {
    plain_too: bool,
    options: Vec<String>,
    verdict: String,
    codes: Vec<String>,
    steps: Option<usize>,
    states: Option<String>,
    transitions: Option<String>,
    full_states: Option<String>,
    full_transitions: Option<String>,
}

#[test]
fn every_machine_gives_what_it_states() {
    let machines = files_below(&root().join("machines"), "mch");
    assert!(machines.len() >= 6, "machines are missing");
    let mut complaints = Vec::new();
    for path in &machines {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let bytes = std::fs::read(path).expect("a machine");
        let expectations = expectations(&String::from_utf8_lossy(&bytes));
        if expectations.is_empty() {
            complaints.push(format!("{name}: states no expected result (/*@ check: VERDICT */)"));
        }
        for expectation in expectations {
            complaints.extend(check(&name, &expectation));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Runs a machine in all the ways it must agree in.
fn check(name: &str, expectation: &Expectation) -> Vec<String> {
    let mut complaints = Vec::new();
    let names_symmetry = expectation.options.iter().any(|option| option == "--symmetry");
    let modes: &[&str] = match (names_symmetry, expectation.plain_too) {
        (true, _) => &[""],
        (false, true) => &["exact", "off"],
        (false, false) => &["exact"],
    };
    for mode in modes {
        let mut first: Option<serde_json::Value> = None;
        for workers in ["1", "2"] {
            let mut arguments = vec![name, "--format", "json", "--workers", workers, "--progress", "none"];
            arguments.extend(expectation.options.iter().map(String::as_str));
            if !mode.is_empty() {
                arguments.extend(["--symmetry", mode]);
            }
            let title = format!("{name} {} --symmetry {mode} --workers {workers}", expectation.options.join(" "));
            let run = bcheck(&arguments);
            let differences = compare(expectation, &run, *mode == "off");
            complaints.extend(differences.iter().map(|difference| format!("{title}: {difference}")));
            if differences.is_empty() && expectation.verdict != "rejected" {
                let report = without_measurements(run.json());
                match &first {
                    None => first = Some(report),
                    Some(first) if *first != report => complaints.push(format!("{title}: the report differs from that of one worker")),
                    Some(_) => {}
                }
            }
        }
    }
    complaints
}

/// How a run differs from what was stated.
fn compare(expectation: &Expectation, run: &Run, plain: bool) -> Vec<String> {
    let mut differences = Vec::new();
    let mut expect = |what: &str, wanted: &str, found: &str| {
        if wanted != found {
            differences.push(format!("{what} {found} instead of {wanted}"));
        }
    };
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    if expectation.verdict == "rejected" {
        let is_syntax = expectation.codes.iter().any(|code| code.starts_with("B01"));
        expect("exit code", if is_syntax { "Some(150)" } else { "Some(120)" }, &format!("{:?}", run.code));
        let errors: Vec<&str> = report["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|diagnostic| diagnostic["severity"] == "error")
            .filter_map(|diagnostic| diagnostic["code"].as_str())
            .collect();
        expect("errors", &expectation.codes.join(" "), &errors.join(" "));
        return differences;
    }
    expect("exit code", &format!("Some({})", exit_code(&expectation.verdict)), &format!("{:?}", run.code));
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    expect("verdict", &expectation.verdict, &text(&report["verdict"]));
    if let Some(steps) = expectation.steps {
        expect("steps", &steps.to_string(), &report["trace"].as_array().map_or(0, Vec::len).to_string());
    }
    let explored = &report["explored"]["prob"];
    let full = if plain { explored } else { &report["full"]["prob"] };
    if !plain {
        for (what, wanted) in [("states", &expectation.states), ("transitions", &expectation.transitions)] {
            if let Some(wanted) = wanted {
                expect(what, wanted, &text(&explored[what]));
            }
        }
    }
    for (what, wanted) in [("states", &expectation.full_states), ("transitions", &expectation.full_transitions)] {
        if let Some(wanted) = wanted {
            expect(&format!("full {what}"), wanted, &text(&full[what]));
        }
    }
    differences
}

/// The documented exit code of a verdict.
fn exit_code(verdict: &str) -> i32 {
    match verdict {
        "verified" => 0,
        "unsatisfiable_properties" => 10,
        "deadlock" => 11,
        "invariant_violation" => 12,
        "refinement_violation" => 13,
        "assertion_violation" => 14,
        "no_initial_state" => 15,
        "goal_found" => 20,
        "ill_defined" => 75,
        "incomplete" => 152,
        other => panic!("no such verdict: {other}"),
    }
}

/// A report without what differs from run to run.
fn without_measurements(mut report: serde_json::Value) -> serde_json::Value {
    if let Some(object) = report.as_object_mut() {
        for key in ["time_s", "peak_memory_bytes", "workers"] {
            object.remove(key);
        }
    }
    report
}

/// The pragmas of a machine's text.
fn expectations(text: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    for (word, plain_too) in [("/*@ check", true), ("/*@ count", false)] {
        for (at, _) in text.match_indices(word) {
            let rest = &text[at + word.len()..];
            let body = rest.split("*/").next().unwrap_or("").trim();
            found.push(expectation(body, plain_too));
        }
    }
    found
}

fn expectation(body: &str, plain_too: bool) -> Expectation {
    // The last colon separates: options may hold one inside quotes, results never do.
    let (options, result) = body.rsplit_once(':').unwrap_or_else(|| panic!("a pragma without a colon: {body}"));
    let (here, full) = result.split_once(';').map_or((result, ""), |(here, full)| (here, full.trim()));
    let mut expectation = Expectation { plain_too, options: words(options), ..Expectation::default() };
    for (index, part) in here.split(',').map(str::trim).enumerate() {
        match part.split_once(' ') {
            None if index == 0 => expectation.verdict = part.to_owned(),
            None => expectation.codes.push(part.to_owned()),
            Some((number, "step" | "steps")) => expectation.steps = Some(number.parse().expect("a number of steps")),
            Some((number, "state" | "states")) => expectation.states = Some(number.to_owned()),
            Some((number, "transition" | "transitions")) => expectation.transitions = Some(number.to_owned()),
            Some(_) => panic!("cannot read `{part}` in: {body}"),
        }
    }
    for part in full.trim_start_matches("full").split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once(' ') {
            Some((number, "state" | "states")) => expectation.full_states = Some(number.to_owned()),
            Some((number, "transition" | "transitions")) => expectation.full_transitions = Some(number.to_owned()),
            _ => panic!("cannot read `{part}` in: {body}"),
        }
    }
    expectation
}

/// Splits options at white space, except inside double quotes.
fn words(text: &str) -> Vec<String> {
    text.split('"')
        .enumerate()
        .flat_map(|(index, part)| if index % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() })
        .collect()
}

#[test]
fn pragmas_are_read() {
    let text = "/*@ check --deferred 2 --goal \"x : S & y = 1\": goal_found, 4 steps, 8 states, 50 transitions; full 65 states, 433 transitions */ MACHINE";
    let expected = Expectation {
        plain_too: true,
        options: ["--deferred", "2", "--goal", "x : S & y = 1"].map(str::to_owned).to_vec(),
        verdict: "goal_found".to_owned(),
        codes: vec![],
        steps: Some(4),
        states: Some("8".to_owned()),
        transitions: Some("50".to_owned()),
        full_states: Some("65".to_owned()),
        full_transitions: Some("433".to_owned()),
    };
    assert_eq!(expectations(text), [expected]);
    assert_eq!(expectations("/*@ check: rejected, B0203 */")[0].codes, ["B0203"]);
}

#[test]
fn machines_have_their_own_folder_names() {
    for folder in std::fs::read_dir(root().join("machines")).expect("the machines") {
        let path = folder.expect("an entry").path();
        let known = ["classic", "project", "tour", "violation", "symmetry", "rejected", "README.md"];
        assert!(known.iter().any(|name| Path::new(name) == path.file_name().expect("a name")), "{} is not documented", path.display());
    }
}
