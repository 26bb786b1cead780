//! Every machine under `machines/` states what comes out, in pragmas in its first comments; this file holds it to that.
//!
//! The form of pragmas is in `src/cli/commands/suite/pragma.rs`, which `bcheck suite` reads them with too. `check` runs
//! reduced (and, where there are few permutations, by trying them all) and plain, with one worker and with two, and without orbits of
//! parameters; `count` only reduced, for spaces too large to explore; `large` is `count` for the run with `--ignored`. Reports must be the
//! same for any number of workers, times and memory apart. An ordinary run takes each result reduced and plain, and one of the four other
//! comparisons in turn (`Turn`); a thorough one takes all.

use crate::program::{bcheck, files_below, json, root, thorough};
use bcheck::cli::pragma::{Expectation, Extent, expectations};
use std::path::PathBuf;

/// The machines below a folder, refinements among them: they are machines too.
fn machines_below(folder: &str) -> Vec<PathBuf> {
    ["mch", "ref"].into_iter().flat_map(|ending| files_below(&root().join("machines").join(folder), ending)).collect()
}

/// Every machine below this folder gives what it states.
#[track_caller]
fn holds_below(folder: &str) {
    let machines = machines_below(folder);
    assert!(!machines.is_empty(), "machines are missing in {folder}");
    let mut complaints = Vec::new();
    let mut turn = Turn(0);
    for path in &machines {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let bytes = std::fs::read(path).expect("a machine");
        let expectations = expectations(&String::from_utf8_lossy(&bytes)).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        // In a project some machines are only parts of others and have nothing to state.
        if expectations.is_empty() && folder != "project" {
            complaints.push(format!("{name}: states no expected result (/*@ check: VERDICT */)"));
        }
        for expectation in expectations.iter().filter(|expectation| !expectation.is_refinement && expectation.extent != Extent::Large) {
            complaints.extend(check(&name, expectation, turn));
            turn.0 += 1;
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

// One test per folder, so that they run side by side.
#[test]
fn the_tour_gives_what_it_states() {
    holds_below("tour");
}

#[test]
fn the_classic_machines_give_what_they_state() {
    holds_below("classic");
}

#[test]
fn the_violations_give_what_they_state() {
    holds_below("violation");
}

#[test]
fn the_machines_with_temporal_formulas_give_what_they_state() {
    holds_below("temporal");
}

#[test]
fn the_machines_with_pictures_give_what_they_state() {
    holds_below("pictures");
}

#[test]
fn the_machines_with_warnings_give_what_they_state() {
    holds_below("warning");
}

#[test]
fn the_rejected_machines_give_what_they_state() {
    holds_below("rejected");
}

#[test]
fn families_of_symmetric_machines_give_what_they_state() {
    holds_below("symmetry/family");
    holds_below("symmetry/closed_forms");
}

#[test]
fn machines_that_name_their_elements_give_what_they_state() {
    holds_below("symmetry/named");
}

#[test]
fn near_misses_of_symmetry_are_not_merged() {
    holds_below("symmetry/near_miss");
}

#[test]
fn machines_about_one_arbitrary_split_give_what_they_state() {
    holds_below("symmetry/one_split");
}

#[test]
fn studies_of_the_literature_give_what_they_state() {
    holds_below("studies");
}

#[test]
fn refined_machines_give_what_they_state() {
    holds_below("refinement");
}

#[test]
fn machines_for_the_plain_search_give_what_they_state() {
    holds_below("plain");
}

#[test]
fn machines_about_parts_of_the_language_give_what_they_state() {
    holds_below("language");
}

#[test]
fn puzzles_give_what_they_state() {
    holds_below("puzzles");
}

#[test]
#[ignore = "seconds each when optimised: scripts/long.sh"]
fn larger_sizes_give_what_is_stated() {
    let mut complaints = Vec::new();
    for path in machines_below("") {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let bytes = std::fs::read(path).expect("a machine");
        for expectation in expectations(&String::from_utf8_lossy(&bytes)).expect("readable pragmas") {
            if !expectation.is_refinement && expectation.extent == Extent::Large {
                run(&name, &expectation, &[], "2", &mut complaints);
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn projects_of_several_machines_give_what_they_state() {
    holds_below("project");
}

#[test]
fn large_contexts_give_what_they_state() {
    holds_below("railway");
}

/// Larger groups than this are not tried permutation by permutation.
const EXHAUSTIVE_LIMIT: u64 = 750;

/// Bindings of parameters in a reduced run from which on only a thorough run compares more than a reduced and a plain run.
const AT_LENGTH: u64 = 2_000;

/// States from which on an ordinary run takes each third of the spaces that are only counted.
const MANY_STATES: u64 = 2_000;

/// The place of a result among those of its folder, which decides what an ordinary run compares.
#[derive(Clone, Copy, Debug)]
struct Turn(usize);

impl Turn {
    /// Whether this is one of the results that get what each `of`-th gets, beginning with that at `first`.
    fn is(self, first: usize, of: usize) -> bool {
        thorough() || self.0 % of == first
    }
}

/// Runs a machine in the ways it must agree in.
fn check(name: &str, expectation: &Expectation, turn: Turn) -> Vec<String> {
    let mut complaints = Vec::new();
    let is_many = expectation.states.as_ref().and_then(|states| states.parse().ok()) >= Some(MANY_STATES);
    if expectation.extent == Extent::Reduced && is_many && !turn.is(0, 3) {
        return complaints;
    }
    if expectation.options.iter().any(|option| option == "--symmetry") {
        let one = run(name, expectation, &[], "1", &mut complaints);
        same_with(name, expectation, &[], ("2", one.as_ref()), &mut complaints);
        return complaints;
    }
    let (reduced, plain) = (["--symmetry", "exact"], ["--symmetry", "off"]);
    let exact = run(name, expectation, &reduced, "1", &mut complaints);
    let moves = exact.as_ref().is_some_and(|exact| order_of_group(exact) > 1);
    let is_long = exact.as_ref().is_some_and(|exact| exact["instances"].as_u64() > Some(AT_LENGTH)) && !thorough();
    if (moves && !is_long || thorough()) && turn.is(0, 4) {
        same_with(name, expectation, &reduced, ("2", exact.as_ref()), &mut complaints);
    }
    if expectation.extent != Extent::Both || expectation.verdict == "rejected" {
        return complaints;
    }
    let off = run(name, expectation, &plain, "2", &mut complaints);
    // Where nothing moves, there are no orbits, one permutation to try, and a plain search is the reduced one.
    let Some(exact) = exact.filter(|_| moves && !is_long) else { return complaints };
    if turn.is(1, 4) {
        same_without_orbits(name, expectation, &exact, &mut complaints);
    }
    if turn.is(2, 4) {
        same_with(name, expectation, &plain, ("1", off.as_ref()), &mut complaints);
    }
    if turn.is(3, 4) && order_of_group(&exact) <= EXHAUSTIVE_LIMIT {
        same_by_all_permutations(name, expectation, &exact, &mut complaints);
    }
    complaints
}

/// Where one binding of parameters stands for its orbit, the report is the same, but for the number of bindings that were run.
fn same_without_orbits(name: &str, expectation: &Expectation, exact: &serde_json::Value, complaints: &mut Vec<String>) {
    let Some(mut without) = run(name, expectation, &["--symmetry", "exact", "--no-orbit-parameters"], "1", complaints) else { return };
    let bindings = |report: &serde_json::Value| report["instances"].as_u64();
    if bindings(exact) > bindings(&without) {
        complaints.push(format!("{name} {}: more bindings than without orbits of parameters", expectation.options.join(" ")));
    }
    without["instances"] = exact["instances"].clone();
    if without != *exact {
        complaints.push(format!("{name} {}: the reports with and without orbits of parameters differ", expectation.options.join(" ")));
    }
}

/// Trying all permutations finds the same classes as labelling.
fn same_by_all_permutations(name: &str, expectation: &Expectation, exact: &serde_json::Value, complaints: &mut Vec<String>) {
    let exhaustive = run(name, expectation, &["--symmetry", "exhaustive"], "2", complaints);
    for part in ["explored", "full", "operations"] {
        if exhaustive.as_ref().is_some_and(|report| report[part] != exact[part]) {
            complaints.push(format!("{name} {}: {part} of exact and exhaustive differ", expectation.options.join(" ")));
        }
    }
}

/// So many workers give the report that another number of them gave, byte for byte except for what is measured.
fn same_with(
    name: &str,
    expectation: &Expectation,
    more: &[&str],
    (workers, report): (&str, Option<&serde_json::Value>),
    complaints: &mut Vec<String>,
) {
    let Some(report) = report else { return };
    let Some(other) = run(name, expectation, more, workers, complaints) else { return };
    let [first, second] = [report, &other].map(serde_json::Value::to_string);
    if first != second {
        let options = [&expectation.options.join(" "), &more.join(" ")].map(String::as_str).join(" ");
        complaints.push(format!("{name} {options}: the reports of one worker and of two differ"));
    }
}

/// The report of one run, with more options than those stated, without what is measured; `None` when it is not as stated (which is then
/// complained about).
fn run(name: &str, expectation: &Expectation, more: &[&str], workers: &str, complaints: &mut Vec<String>) -> Option<serde_json::Value> {
    let mut arguments = vec![name, "--format", "json", "--workers", workers, "--progress", "none"];
    arguments.extend(expectation.options.iter().map(String::as_str));
    arguments.extend(more);
    let run = bcheck(&arguments);
    let mut differences = expectation.differences(run.code, &serde_json::from_str(&run.stdout).unwrap_or_default(), more.contains(&"off"));
    if run.code != Some(exit_code(expectation)) {
        differences.push(format!("exit code {:?}", run.code));
    }
    complaints.extend(differences.iter().map(|difference| format!("bcheck {}: {difference}", arguments.join(" "))));
    (differences.is_empty() && expectation.verdict != "rejected").then(|| without_measurements(run.json()))
}

/// In how many ways the movable elements can be permuted.
fn order_of_group(report: &serde_json::Value) -> u64 {
    let movable = report["symmetry_detail"]["movable"].as_object().into_iter().flatten();
    movable.filter_map(|(_, count)| count.as_u64()).fold(1, |order, count| (1..=count).fold(order, u64::saturating_mul))
}

/// The documented exit code of a stated result.
fn exit_code(expectation: &Expectation) -> i32 {
    match expectation.verdict.as_str() {
        "rejected" if expectation.codes.iter().any(|code| code.starts_with("B01")) => 150,
        "rejected" => 120,
        "verified" => 0,
        "unsatisfiable_properties" => 10,
        "deadlock" => 11,
        "invariant_violation" => 12,
        "refinement_violation" | "temporal_violation" => 13,
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
        for formula in object.get_mut("temporal").and_then(|list| list.as_array_mut()).into_iter().flatten() {
            formula["time_s"] = serde_json::Value::Null;
        }
    }
    report
}

/// What is too large to be written out by default can be small: then it is counted in the same way.
#[test]
fn what_is_not_written_out_counts_as_what_is() {
    let report =
        |more: &[&str]| without_measurements(json(&[&["machines/language/related_twice.mch", "--maxint", "1000"], more].concat()).json());
    let written = report(&[]);
    assert_eq!(written["verdict"], "verified");
    assert_eq!(report(&["--set", "eval.written-set=100"]), written);
}

#[test]
fn every_folder_of_machines_is_run_and_documented() {
    let readme = std::fs::read_to_string(root().join("machines/README.md")).expect("machines/README.md");
    let source = include_str!("machines.rs");
    for folder in std::fs::read_dir(root().join("machines")).expect("the machines") {
        let name = folder.expect("an entry").file_name().into_string().expect("a plain name");
        if name != "README.md" {
            assert!(readme.contains(&format!("`{name}/")), "machines/{name} is not in machines/README.md");
            assert!(source.contains(&format!("holds_below(\"{name}")), "machines/{name} is not run");
        }
    }
}

#[test]
fn every_single_machine_is_documented() {
    let readme = std::fs::read_to_string(root().join("machines/README.md")).expect("machines/README.md");
    let folders = [
        "tour",
        "refinement",
        "classic",
        "studies",
        "plain",
        "railway",
        "puzzles",
        "violation",
        "pictures",
        "warning",
        "language",
        "symmetry",
        "temporal",
    ];
    for path in folders.iter().flat_map(|folder| files_below(&root().join("machines").join(folder), "mch")) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(readme.contains(&format!("| `{name}` |")), "{} is not in machines/README.md", path.display());
    }
}
