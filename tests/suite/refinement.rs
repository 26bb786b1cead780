//! Every refinement under `machines/refinement/`, `machines/studies/` and `machines/tour/` states what comes out; this file holds it to that.
//!
//! The form of pragmas is in `src/cli/commands/suite/pragma.rs`. Each is run reduced, by trying all permutations, and plain: the classes of symmetric
//! configurations must add up to the plain count. `steps` is the length of the trace, set-up, initialisation and the step that is not
//! matched included.

use crate::program::{Run, bcheck, command, files_below, finish, root, share, thorough};
use bcheck::cli::pragma::{Expectation, Extent, expectations};

/// Where refinements are.
const FOLDERS: &[&str] = &["machines/refinement", "machines/studies", "machines/tour"];

fn refinements(folders: &[&str]) -> Vec<String> {
    let files = |folder: &&str| ["ref", "imp"].map(|ending| files_below(&root().join(folder), ending)).concat();
    let paths = folders.iter().flat_map(files);
    paths.map(|path| path.strip_prefix(root()).expect("below the root").display().to_string()).collect()
}

fn refine(name: &str, options: &[String], more: &[&str]) -> Run {
    let mut arguments = vec!["refine", name, "--format", "json", "--progress", "none"];
    arguments.extend(options.iter().map(String::as_str));
    arguments.extend(more);
    bcheck(&arguments)
}

fn exit_code(verdict: &str) -> i32 {
    match verdict {
        "verified" => 0,
        "refinement_violation" => 13,
        "ill_defined" => 75,
        "incomplete" => 152,
        other => panic!("no such verdict: {other}"),
    }
}

/// What a run gives that is not as stated.
fn complaints(name: &str, expectation: &Expectation, mode: &str) -> Vec<String> {
    let run = refine(name, &expectation.options, &["--symmetry", mode]);
    if run.code != Some(exit_code(&expectation.verdict)) {
        return vec![format!("{name} {} --symmetry {mode}: {run:?}", expectation.options.join(" "))];
    }
    let report = run.json();
    let violation = &report["violation"];
    let product = &report["product"];
    let steps = report["trace"].as_array().map(Vec::len);
    let mut wrong = Vec::new();
    let mut hold = |what: &str, stated: Option<String>, found: Option<String>| {
        if stated.is_some() && stated != found {
            wrong.push(format!("{name} {} --symmetry {mode}: {what} {found:?}, not {stated:?}", expectation.options.join(" ")));
        }
    };
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    hold("the verdict is", Some(expectation.verdict.clone()), text(&report["verdict"]));
    hold("the obligation is", expectation.obligation.clone(), text(&violation["obligation"]));
    hold("the operation is", expectation.operation.clone(), text(&violation["operation"]));
    hold("the number of steps is", expectation.steps.map(|steps| steps.to_string()), steps.map(|steps| steps.to_string()));
    let configurations = if mode == "off" { expectation.full_states.clone() } else { expectation.states.clone() };
    hold("the number of configurations is", configurations, Some(product["configurations"].to_string()));
    hold("the full number of configurations is", expectation.full_states.clone(), text(&product["full"]));
    if expectation.verdict == "verified" {
        hold("exactness is", Some("true".to_owned()), Some(product["exact"].to_string()));
    }
    wrong
}

#[test]
fn refinements_give_what_they_state() {
    let mut wrong = Vec::new();
    let modes_of_small: &[&str] = if thorough() { &["exact", "exhaustive", "off"] } else { &["exact", "off"] };
    let names = refinements(FOLDERS);
    assert!(names.len() >= 10, "{names:?}");
    let mut counted = 0;
    for name in &names {
        let text = std::fs::read_to_string(root().join(name)).expect("a refinement");
        let mut expectations = expectations(&text).expect("readable pragmas");
        expectations.retain(|expectation| expectation.is_refinement && expectation.extent != Extent::Large);
        if expectations.is_empty() {
            wrong.push(format!("{name}: states no expected result (/*@ refine: VERDICT */)"));
        }
        for expectation in &expectations {
            // An ordinary run takes each third of those that are only counted, which are large.
            let is_counted = expectation.extent == Extent::Reduced;
            counted += usize::from(is_counted);
            if is_counted && counted % 3 != 1 && !thorough() {
                continue;
            }
            let modes: &[&str] = if is_counted { &["exact"] } else { modes_of_small };
            for mode in modes {
                wrong.extend(complaints(name, expectation, mode));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn orbits_of_configurations_add_up_to_the_plain_count() {
    let mut compared = 0;
    for name in share(refinements(&FOLDERS[..1]), 6) {
        for mode in ["simulation", "trace", "simulation-all"] {
            for size in ["2", "3"] {
                let options = ["--mode", mode, "--deferred", size].map(str::to_owned);
                let [exact, off] = ["exact", "off"].map(|symmetry| refine(&name, &options, &["--symmetry", symmetry]));
                if exact.code == Some(120) || exact.code == Some(2) {
                    continue;
                }
                let (exact, off) = (exact.json(), off.json());
                assert_eq!(exact["verdict"], off["verdict"], "{name} {options:?}");
                assert_eq!(exact["violation"]["obligation"], off["violation"]["obligation"], "{name} {options:?}");
                assert_eq!(
                    exact["trace"].as_array().map(Vec::len),
                    off["trace"].as_array().map(Vec::len),
                    "{name} {options:?}: both are shortest"
                );
                if exact["verdict"] == "verified" {
                    for part in ["states", "transitions", "initial"] {
                        assert_eq!(exact["full"][part], off["explored"][part].to_string(), "{name} {options:?}: {part}");
                    }
                    assert_eq!(exact["full"]["exact"], true);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= if thorough() { 20 } else { 4 }, "{compared} runs were compared");
}

#[test]
fn every_refinement_is_documented() {
    let readme = std::fs::read_to_string(root().join("machines/README.md")).expect("machines/README.md");
    for name in refinements(FOLDERS) {
        let stem = std::path::Path::new(&name).file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(readme.contains(&format!("| `{stem}` |")), "{name} is not in machines/README.md");
    }
}

#[test]
fn a_finding_tells_what_the_refined_machine_could_do() {
    let run = bcheck(&["refine", "machines/refinement/LoadedLottery.ref", "--deferred", "2"]);
    assert_eq!(run.code, Some(13), "{run:?}");
    assert_eq!(run.stdout.lines().last(), Some("refinement_violation"));
    for part in
        ["`Lottery` has no step with the arguments and results of `announce`", "gives other results only: p = ", "announce --> p = "]
    {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
}

#[test]
fn each_link_of_a_chain_is_checked() {
    let run = bcheck(&["refine", "machines/refinement/SignalTimer.ref", "--chain", "--refusals", "--divergence", "--deferred", "2"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let end = "The chain, from below:\n  SignalTimer refines SignalLight: verified\n  SignalLight refines Signal: verified\n\nverified\n";
    assert!(run.stdout.ends_with(end), "{}", run.stdout);
    // The size of a set of the lower link alone, and an operation that only that one has.
    let alone = ["--chain", "--deferred", "TRAIN=3", "--hide", "settle", "--format", "json"];
    let run = bcheck(&[&["refine", "machines/refinement/SignalHasty.ref"][..], &alone].concat());
    assert_eq!(run.code, Some(13), "{run:?}");
    let report = run.json();
    assert_eq!((&report["format"], &report["verdict"]), (&"bcheck-refine-chain".into(), &"refinement_violation".into()));
    let links: Vec<_> = report["links"].as_array().expect("links").iter().map(|link| (&link["machine"], &link["verdict"])).collect();
    assert_eq!(links, [(&"SignalHasty".into(), &"refinement_violation".into()), (&"SignalLight".into(), &"verified".into())]);
    assert_eq!(report["links"][0]["violation"]["obligation"], "operation");
}

#[test]
fn what_cannot_be_checked_is_told() {
    for (arguments, code, message) in [
        (&["refine", "machines/refinement/Queue.mch"][..], 120, "error[B0217]: `Queue` is not a refinement"),
        (&["refine", "machines/refinement/SignalTimer.ref", "--chain", "--hide", "entr"], 2, "no link of the chain has such an operation"),
        (&["refine", "machines/refinement/Line.ref", "--hide", "entr"], 2, "the refinement has no operation `entr`"),
        (&["refine", "machines/refinement/None.ref"], 153, "no such file"),
    ] {
        let run = bcheck(arguments);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(message), "{message} in {}", run.stderr);
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(root().join("machines/refinement/Line.ref"), folder.path().join("Line.ref")).expect("copied");
    let mut alone = command(&["refine", "Line.ref"]);
    alone.current_dir(folder.path());
    let run = finish(alone);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("error[B0215]: the machine `Queue` cannot be found"), "{}", run.stderr);
}

/// The verdict of a refinement of these files; the first one is checked.
fn verdict_of(files: &[(&str, &str)], options: &[&str]) -> (String, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let mut arguments = vec!["refine", files[0].0, "--format", "json", "--max-states", "1000"];
    arguments.extend(options);
    let mut command = command(&arguments);
    command.current_dir(folder.path());
    let run = finish(command);
    (run.json()["verdict"].as_str().unwrap_or("none").to_owned(), run)
}

const BASE: (&str, &str) = (
    "Base.mch",
    "MACHINE Base SETS T CONCRETE_VARIABLES n VARIABLES s INVARIANT n : 0..2 & s <: T & card(s) = n INITIALISATION n := 0 || s := {}
     OPERATIONS put(t) = PRE t : T - s & n < 2 THEN s := s \\/ {t} || n := n + 1 END END",
);

#[test]
fn a_concrete_variable_is_taken_over_and_must_follow() {
    let refinement = |change: &str| {
        format!(
            "REFINEMENT R REFINES Base VARIABLES q INVARIANT q : iseq(T) & ran(q) = s INITIALISATION q := [] || n := 0
             OPERATIONS put(t) = BEGIN q := q <- t; n := {change} END END"
        )
    };
    let (verdict, run) = verdict_of(&[("R.ref", &refinement("n + 1")), BASE], &["--deferred", "3"]);
    assert_eq!(verdict, "verified", "{run:?}");
    assert_eq!(run.json()["product"]["full"], "10");
    let (verdict, run) = verdict_of(&[("R.ref", &refinement("n")), BASE], &["--deferred", "3"]);
    assert_eq!(verdict, "refinement_violation", "{run:?}");
    let notes = run.json()["violation"]["notes"].to_string();
    assert!(notes.contains("`n = Base::n` (a variable of both machines) is false"), "{notes}");
}

#[test]
fn a_machine_that_both_sides_include_is_there_twice() {
    const COUNTER: (&str, &str) = (
        "Counter.mch",
        "MACHINE Counter VARIABLES k INVARIANT k : 0..3 INITIALISATION k := 0
         OPERATIONS up = PRE k < 3 THEN k := k + 1 END; zero = k := 0; r <-- get = r := k END",
    );
    const TWO: (&str, &str) = ("Two.mch", "MACHINE Two INCLUDES Counter PROMOTES get OPERATIONS step = PRE k < 2 THEN up END END");
    for (call, expected) in [("up", "verified"), ("zero", "refinement_violation")] {
        let text = format!("IMPLEMENTATION I REFINES Two IMPORTS Counter PROMOTES get OPERATIONS step = {call} END");
        for mode in ["simulation", "trace", "simulation-all"] {
            let (verdict, run) = verdict_of(&[("I.imp", &text), TWO, COUNTER], &["--mode", mode]);
            assert_eq!(verdict, expected, "{mode}: {run:?}");
        }
    }
}

#[test]
fn an_event_may_be_refined_under_other_names() {
    const EVENT: (&str, &str) =
        ("E.mch", "MACHINE E VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0 OPERATIONS tick = SELECT x < 3 THEN x := x + 1 END END");
    let text = "REFINEMENT R REFINES E VARIABLES x, b INVARIANT b : BOOL INITIALISATION x, b := 0, TRUE OPERATIONS
        tick1 ref tick = SELECT x < 3 & b = TRUE THEN x := x + 1 || b := FALSE END;
        tick2 ref tick = SELECT x < 3 & b = FALSE THEN x := x + 1 || b := TRUE END END";
    let (verdict, run) = verdict_of(&[("R.ref", text), EVENT], &[]);
    assert_eq!((verdict.as_str(), run.json()["product"]["full"].as_str()), ("verified", Some("4")), "{run:?}");
}

#[test]
fn what_is_missing_or_further_up_is_warned_about() {
    let middle = "REFINEMENT M REFINES Base VARIABLES q INVARIANT q : iseq(T) & ran(q) = s INITIALISATION q := [] || n := 0
        OPERATIONS put(t) = BEGIN q := q <- t; n := n + 1 END END";
    let last = "REFINEMENT L REFINES M VARIABLES q INITIALISATION q := [] || n := 0
        OPERATIONS put(t) = PRE t /: ran(q) & n < 2 THEN q := q <- t; n := n + 1 END END";
    let (verdict, run) = verdict_of(&[("L.ref", last), ("M.ref", middle), BASE], &["--deferred", "2"]);
    assert_eq!(verdict, "verified", "{run:?}");
    let nothing = "REFINEMENT N REFINES Base VARIABLES q INVARIANT q <: T & q = s INITIALISATION q := {} || n := 0 END";
    let (verdict, run) = verdict_of(&[("N.ref", nothing), BASE], &[]);
    assert_eq!(verdict, "verified", "{run:?}");
    assert!(run.stderr.contains("warning[B0405]: the operation `put` is not refined"), "{}", run.stderr);
}

#[test]
fn symmetries_of_both_machines_pass_their_test_on_configurations() {
    let mut tested = 0;
    for name in share(refinements(FOLDERS), 3) {
        let options = ["--check-symmetry", "--deferred", "2", "--max-states", "200"].map(str::to_owned);
        let run = refine(&name, &options, &[]);
        if run.code == Some(120) {
            continue;
        }
        assert!(!run.stderr.contains("B0509"), "{name}: {}", run.stderr);
        let plain = refine(&name, &options[1..], &[]);
        let (run, plain) = (run.json(), plain.json());
        assert_eq!((&run["verdict"], &run["product"]), (&plain["verdict"], &plain["product"]), "{name}");
        tested += 1;
    }
    assert!(tested >= if thorough() { 20 } else { 7 }, "{tested} refinements");
}

#[test]
fn named_elements_can_be_kept_in_place() {
    let order = |options: &[&str]| bcheck(&[&["refine", "machines/refinement/RotaMarks.ref", "--format", "json"], options].concat()).json();
    let (turned, kept) = (order(&[]), order(&["--no-named-symmetry"]));
    assert_eq!((&turned["symmetry_detail"]["order"], &kept["symmetry_detail"]["order"]), (&"3".into(), &"1".into()));
    assert_eq!(turned["full"], kept["full"]);
    assert_eq!(kept["product"]["configurations"], 24);
}

/// `Last` refines `Middle`, which wants a set without elements where it is checked itself.
const REFUSED_ABOVE: [(&str, &str); 3] = [
    (
        "Last.ref",
        "REFINEMENT Last REFINES Middle VARIABLES q INITIALISATION q := [] || n := 0
         OPERATIONS put(t) = PRE t /: ran(q) & n < 2 THEN q := q <- t || n := n + 1 END END",
    ),
    (
        "Middle.ref",
        "REFINEMENT Middle REFINES Base DEFINITIONS scope_T == 0
         VARIABLES q INVARIANT q : iseq(T) & ran(q) = s INITIALISATION q := [] || n := 0
         OPERATIONS put(t) = PRE t /: ran(q) & n < 2 THEN q := q <- t || n := n + 1 END END",
    ),
    BASE,
];

#[test]
fn the_links_below_one_that_is_refused_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in REFUSED_ABOVE {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let of_chain = |options: &[&str]| {
        let mut command = command(&[&["refine", "Last.ref", "--chain"], options].concat());
        command.current_dir(folder.path());
        finish(command)
    };
    let text = of_chain(&[]);
    assert_eq!(text.code, Some(120), "{text:?}");
    assert!(
        text.stdout.ends_with("The chain, from below:\n  Last refines Middle: verified\n  Middle.ref: not checked\n"),
        "{}",
        text.stdout
    );
    assert!(text.stderr.contains("Middle.ref:1:44: error[B0401]"), "{}", text.stderr);
    let run = of_chain(&["--format", "json", "--junit", "chain.xml", "--sarif", "chain.sarif", "--html", "chain.html"]);
    let report = run.json();
    assert_eq!((run.code, &report["verdict"]), (Some(120), &serde_json::Value::Null), "{run:?}");
    assert_eq!((&report["links"][0]["verdict"], &report["links"][0]["machine"]), (&"verified".into(), &"Last".into()));
    assert_eq!((&report["links"][1]["verdict"], &report["links"][1]["file"]), (&serde_json::Value::Null, &"Middle.ref".into()));
    assert_eq!(report["links"][1]["diagnostics"][0]["code"], "B0401", "{report}");
    let written = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    let tests = crate::xml::parse(&written("chain.xml"));
    let names: Vec<&str> = tests.all("testcase").iter().map(|case| case.attribute("name")).collect();
    assert_eq!(names.last(), Some(&"it can be checked"));
    assert!(names.contains(&"put refines Middle::put") && names.contains(&"the initialisation refines that of Middle"), "{names:?}");
    assert_eq!(tests.all("failure").len(), 1);
    assert!(written("chain.sarif").contains("\"B0401\"") && written("chain.html").contains("Last"));
}

#[test]
fn obligations_are_tests_and_findings_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (junit, sarif) = (file("r.xml"), file("r.sarif"));
    let arguments = ["refine", "machines/refinement/LineShort.ref", "--deferred", "2", "--refusals", "--junit", &junit, "--sarif", &sarif];
    let run = bcheck(&arguments);
    assert_eq!(run.code, Some(13), "{run:?}");
    let tests = crate::xml::parse(&std::fs::read_to_string(&junit).expect("written"));
    let failed = tests.all("testcase").into_iter().filter(|case| !case.all("failure").is_empty()).collect::<Vec<_>>();
    assert_eq!(failed.iter().map(|case| case.attribute("name")).collect::<Vec<_>>(), ["enter refines Queue::enter"]);
    let names: Vec<&str> = tests.all("testcase").iter().map(|case| case.attribute("name")).collect();
    assert!(names.contains(&"no call is refused that Queue takes"), "{names:?}");
    assert_eq!(tests.all("skipped").len() + 1, names.len(), "nothing else is decided");
    let results: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&sarif).expect("written")).expect("JSON");
    assert_eq!(crate::schema::faults("sarif.json", &results), Vec::<String>::new());
    let result = &results["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"refinement_violation".into(), &"error".into()));
    assert!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().is_some_and(|steps| !steps.is_empty()), "{result}");
    let verified = ["refine", "machines/refinement/Line.ref", "--deferred", "2", "--divergence", "--junit", &junit];
    assert_eq!(bcheck(&verified).code, Some(0));
    let tests = crate::xml::parse(&std::fs::read_to_string(&junit).expect("written"));
    assert!(tests.all("failure").is_empty() && tests.all("skipped").is_empty() && tests.all("testcase").len() > 4, "{tests:?}");
}

#[test]
fn a_refinement_by_itself_runs_within_the_preconditions_of_its_chain() {
    let by_itself = |name: &str| bcheck(&[&format!("machines/refinement/{name}"), "--progress", "none"]);
    for (name, within) in [("PumpSteps.ref", "Pump"), ("PumpValves.imp", "PumpSteps and Pump")] {
        let run = by_itself(name);
        assert_eq!(run.code, Some(0), "{run:?}");
        let line = format!("within         the preconditions of {within}: a call outside of them is no step\n");
        assert!(run.stdout.contains(&line), "{}", run.stdout);
    }
    // Within these preconditions, the gluing invariant breaks.
    assert_eq!(by_itself("PumpLeaks.imp").code, Some(12));
    assert_eq!(by_itself("MarksArray.imp").code, Some(0));
}

#[test]
fn where_nothing_may_be_called_a_refinement_has_no_deadlock() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "Stock.mch",
        "MACHINE Stock VARIABLES left INVARIANT left : 0..2 INITIALISATION left := 2
         OPERATIONS take = PRE left > 0 THEN left := left - 1 END END",
    );
    write(
        "Shelf.imp",
        "IMPLEMENTATION Shelf REFINES Stock CONCRETE_VARIABLES n INVARIANT n : 0..2 & n = left INITIALISATION n := 2
         OPERATIONS take = n := n - 1 END",
    );
    write(
        "Stuck.imp",
        "IMPLEMENTATION Stuck REFINES Stock CONCRETE_VARIABLES n INVARIANT n : 0..2 & n = left INITIALISATION n := 2
         OPERATIONS take = SELECT n > 1 THEN n := n - 1 END END",
    );
    let code = |name: &str| bcheck(&[&folder.path().join(name).display().to_string(), "--progress", "none"]).code;
    assert_eq!((code("Stock.mch"), code("Shelf.imp"), code("Stuck.imp")), (Some(11), Some(0), Some(11)));
}
