//! `bcheck suite`, JUnit and SARIF: what a CI sees.

use crate::program::{Run, bcheck, root};
use crate::schema::faults;
use crate::xml::parse;
use serde_json::Value as Json;
use std::path::Path;

fn sarif(path: &Path) -> Json {
    let file: Json = serde_json::from_str(&std::fs::read_to_string(path).expect("a SARIF file")).expect("JSON");
    assert_eq!(faults("sarif.json", &file), Vec::<String>::new(), "{file}");
    let results = file["runs"][0]["results"].clone();
    let rules = file["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    for result in results.as_array().expect("results") {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "a rule for {result}");
    }
    results
}

/// Runs a check or suite that writes both files; they are looked at by `seen`.
fn with_files(arguments: &[&str], seen: impl FnOnce(&Run, &crate::xml::Element, &Json)) {
    let folder = tempfile::tempdir().expect("a folder");
    let (junit, sarif_file) = (folder.path().join("r.xml"), folder.path().join("r.sarif"));
    let (junit_name, sarif_name) = (junit.display().to_string(), sarif_file.display().to_string());
    let mut all = arguments.to_vec();
    all.extend(["--junit", &junit_name, "--sarif", &sarif_name]);
    let run = bcheck(&all);
    let tests = parse(&std::fs::read_to_string(&junit).expect("a JUnit file"));
    let of_suite = |name: &str| tests.all("testsuite")[0].attribute(name).parse::<usize>().expect("a number");
    assert_eq!(of_suite("tests"), tests.all("testcase").len());
    assert_eq!(of_suite("failures"), tests.all("failure").len());
    assert_eq!(of_suite("skipped"), tests.all("skipped").len());
    seen(&run, &tests, &sarif(&sarif_file));
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left.len(), 2, "no other files are left: {left:?}");
}

#[test]
fn a_violation_is_a_failed_test_and_a_result_with_its_trace() {
    with_files(&["machines/classic/phonebook_err.mch", "--deferred", "2"], |run, tests, results| {
        assert_eq!(run.code, Some(12), "{run:?}");
        let names: Vec<&str> = tests.all("testcase").iter().map(|case| case.attribute("name")).collect();
        let expected = [
            "set-up and initialisation",
            "invariant 1: db : Name +-> Code",
            "invariant 2: used <: Code",
            "invariant 3: ran(db) <: used",
            "no deadlock",
            "every expression has a value",
        ];
        assert_eq!(names, expected);
        let failed = tests.all("testcase")[3].all("failure")[0];
        assert!(failed.text.contains("phonebook_err.mch:15:3") && failed.text.contains("delete(n = Name"), "{failed:?}");
        assert_eq!(tests.all("skipped").len(), 5, "nothing else is decided");
        let result = &results[0];
        assert_eq!((&result["ruleId"], &result["level"]), (&"invariant_violation".into(), &"error".into()));
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "machines/classic/phonebook_err.mch");
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 15);
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
        let lines: Vec<u64> = flow.iter().filter_map(|step| step["location"]["physicalLocation"]["region"]["startLine"].as_u64()).collect();
        assert_eq!(lines, [17, 19, 19, 29], "initialisation, add, add, delete");
        assert_eq!(flow[1]["location"]["message"]["text"], "add(n = Name1, c = Code1): db = {Name1|->Code1}, used = {Code1}");
    });
}

#[test]
fn a_verified_machine_passes_every_test() {
    with_files(&["machines/warning/within_bounds.mch"], |run, tests, results| {
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(tests.all("failure").is_empty() && tests.all("skipped").is_empty());
        assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&"B0507".into(), &"warning".into()), "{results}");
    });
}

#[test]
fn a_property_that_is_not_checked_is_a_skipped_test_and_a_note() {
    with_files(&["machines/warning/not_checked.mch", "--no-temporal", "--format", "json"], |run, tests, results| {
        assert_eq!(run.code, Some(0), "{run:?}");
        let stated = [("ASSERT_LTL_climbs", "F {floor = 2}", 6), ("ASSERT_CTL_returns", "AG EF {floor = 0}", 7)];
        let reason = "--no-temporal leaves it out";
        let report = run.json();
        for (index, (name, formula, line)) in stated.into_iter().enumerate() {
            let told = &report["not_checked"][index];
            assert_eq!((&told["name"], &told["formula"], &told["reason"]), (&name.into(), &formula.into(), &reason.into()));
            assert_eq!((&told["place"]["line"], &told["place"]["column"]), (&line.into(), &3.into()), "{told}");
            let title = format!("{name}: {formula}");
            let test = tests.all("testcase").into_iter().find(|case| case.attribute("name") == title).expect("a test");
            assert_eq!(test.all("skipped")[0].attribute("message"), format!("not checked: {reason}"));
        }
        let result = &results[0];
        assert_eq!((&result["ruleId"], &result["level"]), (&"B0408".into(), &"note".into()), "{result}");
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 6);
        assert!(run.stderr.contains("note[B0408]: 2 temporal formulas are not checked: --no-temporal leaves it out"), "{run:?}");
        assert_eq!(tests.all("skipped").len(), 2, "everything else is decided");
    });
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    let text = bcheck(&["machines/warning/not_checked.mch", "--no-temporal", "--html", &page]).stdout;
    let first = "  NOT checked    ASSERT_LTL_climbs (machines/warning/not_checked.mch:6:3): --no-temporal leaves it out\n";
    assert!(text.contains(first), "{text}");
    assert!(text.contains("nothing was found. Not checked: ASSERT_LTL_climbs, ASSERT_CTL_returns.\n\nverified\n"), "{text}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("not checked") && page.contains("AG EF {floor = 0}"), "{page}");
    // A search that cannot judge them has verified nothing, unless that was asked for.
    let judged = bcheck(&["machines/warning/not_checked.mch", "--strategy", "dfs"]);
    assert_eq!(judged.code, Some(152), "{judged:?}");
    assert!(
        judged.stdout.contains("error[B0408]: `ASSERT_LTL_climbs` is not judged: temporal formulas are judged level by level"),
        "{judged:?}"
    );
    with_files(&["suite", "machines/warning/not_checked.mch"], |run, tests, _| {
        assert_eq!(run.code, Some(0), "{run:?}");
        let names: Vec<&str> = tests.all("testcase").iter().map(|case| case.attribute("name")).collect();
        assert_eq!(
            names,
            ["", ": ASSERT_LTL_climbs: F {floor = 2}", ": ASSERT_CTL_returns: AG EF {floor = 0}"]
                .map(|rest| format!("check --no-temporal{rest}"))
        );
        assert_eq!(tests.all("skipped").len(), 2);
    });
}

#[test]
fn a_temporal_formula_is_a_test_and_a_result_whose_flow_says_how_it_goes_on() {
    with_files(&["machines/temporal/six_rounds.mch", "--temporal", "--only-temporal", "--continue"], |run, tests, results| {
        assert_eq!(run.code, Some(13), "{run:?}");
        let of_formulas: Vec<_> =
            tests.all("testcase").into_iter().filter(|case| case.attribute("name").starts_with("temporal formula ASSERT_LTL_")).collect();
        let failed: Vec<bool> = of_formulas.iter().map(|case| !case.all("failure").is_empty()).collect();
        assert_eq!(failed, [true, false, false, false, true]);
        let told = &of_formulas[0].all("failure")[0].text;
        assert!(told.contains("1  INITIALISATION      <- loop") && told.contains("back to 1, after 6 rounds"), "{told}");
        assert!(of_formulas[4].all("failure")[0].text.contains("any run that goes on like this violates it"));
        let rules: Vec<&str> = results.as_array().expect("results").iter().filter_map(|result| result["ruleId"].as_str()).collect();
        assert_eq!(rules, ["temporal_violation/ASSERT_LTL_meet", "temporal_violation/ASSERT_LTL_both_after_three"]);
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startColumn"], 23, "the place of the formula in its string");
        let flow = results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
        let last = flow.last().expect("a step")["location"]["message"]["text"].as_str().expect("a text");
        assert!(flow.len() == 8 && last.ends_with("(back to 1, after 6 rounds of one cycle of symmetric states)"), "{last}");
    });
    with_files(
        &["machines/temporal/endless.mch", "--temporal", "--only-temporal", "--continue", "--max-states", "100"],
        |_, tests, results| {
            let unknown = tests.all("testcase").into_iter().find(|case| case.attribute("name").contains("not_negative")).expect("a test");
            assert!(unknown.all("skipped")[0].attribute("message").starts_with("a limit ended the search"), "{unknown:?}");
            let levels: Vec<&Json> = results.as_array().expect("results").iter().map(|result| &result["level"]).collect();
            assert_eq!(levels, ["error", "error", "warning", "error"], "{results}");
        },
    );
}

#[test]
fn what_was_not_decided_is_not_passed() {
    with_files(&["machines/classic/phonebook.mch", "--deferred", "4", "--max-states", "3"], |run, tests, results| {
        assert_eq!(run.code, Some(152), "{run:?}");
        assert_eq!(tests.all("skipped").len(), tests.all("testcase").len());
        assert_eq!(results[0]["ruleId"], "incomplete");
    });
}

#[test]
fn a_refused_machine_is_one_failed_test() {
    let machine = root().join("machines/rejected/types/type_clash.mch");
    with_files(&[&machine.display().to_string()], |run, tests, results| {
        assert_eq!(run.code, Some(120), "{run:?}");
        assert_eq!(tests.all("failure").len(), 1);
        assert!(results[0]["ruleId"].as_str().is_some_and(|code| code.starts_with("B02")), "{results}");
        let uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a place").to_owned();
        assert!(uri.starts_with("file:///"), "{uri}");
    });
}

#[test]
fn a_suite_holds_machines_to_what_they_state() {
    let paths = ["machines/violation", "machines/tour", "machines/refinement/Line.ref"];
    with_files(&[&["suite"][..], &paths, &["-j", "2"]].concat(), |run, tests, results| {
        assert_eq!(run.code, Some(0), "{run:?}");
        let lines: Vec<&str> = run.stdout.lines().collect();
        let expected = "ok    machines/violation/deadlock.mch:2  check --deferred 4: deadlock (";
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{run:?}");
        assert!(lines.iter().any(|line| line.contains("Line.ref:1  refine --deferred 3: verified")), "{run:?}");
        assert!(lines.iter().any(|line| line.contains("check --goal \"big = 6\": verified")), "{run:?}");
        let cases = lines.iter().filter(|line| line.starts_with("ok ")).count();
        let last = lines.last().copied().unwrap_or_default();
        assert!(cases > 30 && last.starts_with(&format!("{cases} passed, 0 failed")), "{last}");
        assert_eq!(tests.all("testcase").len() - tests.all("skipped").len(), cases);
        assert_eq!(results.as_array().map(Vec::len), Some(0));
        let mut places: Vec<&str> =
            lines.iter().filter_map(|line| line.split_whitespace().nth(1)).filter(|word| word.contains("violation/")).collect();
        let shown = places.clone();
        places.sort_by_key(|place| place.rsplit_once(':').map(|(file, line)| (file, line.parse::<usize>().ok())));
        assert_eq!(shown, places, "in the order of files and lines");
    });
}

#[test]
fn a_wrong_expectation_fails_the_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(root().join("machines/violation/deadlock.mch")).expect("a machine");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("wrong.mch", &text.replace("/*@ check: deadlock, 3 steps */", "/*@ check: verified, 17 states */"));
    write("bad.mch", "MACHINE bad END\n/*@ check: perhaps */");
    write("option.mch", "/*@ check --defered 2: verified */ MACHINE option END");
    write("silent.mch", "MACHINE silent END");
    write("large.mch", "/*@ large --no-deadlock: verified */ MACHINE large END");
    let place = folder.path().display().to_string();
    with_files(&["suite", &place], |run, tests, results| {
        assert_eq!(run.code, Some(1), "{run:?}");
        let line = |name: &str| run.stdout.lines().find(|line| line.contains(name)).unwrap_or_default();
        let wrong = line("wrong.mch:1");
        assert!(wrong.starts_with("FAIL") && wrong.contains("verdict deadlock instead of verified; states "), "{wrong}");
        assert!(line("bad.mch:2").ends_with("pragma: `perhaps` is not a verdict"), "{run:?}");
        assert!(line("option.mch:1").contains("`--defered` is not allowed in a comment"), "{run:?}");
        assert!(line("large.mch").starts_with("skip"), "{run:?}");
        let last = run.stdout.lines().last();
        assert_eq!(last, Some("2 passed, 3 failed, 1 left out (--large runs those marked as large); 1 machine states nothing"));
        assert!(tests.all("failure").iter().any(|failure| failure.text.contains("INITIALISATION")), "the trace is reported");
        let rules: Vec<&str> = results.as_array().expect("results").iter().filter_map(|result| result["ruleId"].as_str()).collect();
        assert_eq!(rules.iter().filter(|rule| **rule == "unexpected_result").count(), 3, "{rules:?}");
        assert!(results.as_array().expect("results").iter().any(|result| result["codeFlows"].is_array()), "{results}");
    });
    let all = bcheck(&["suite", &place, "--large", "--format", "json"]).json();
    let large =
        all["cases"].as_array().expect("cases").iter().find(|case| case["file"].as_str().is_some_and(|file| file.ends_with("large.mch")));
    assert_eq!(large.map(|case| case["result"].clone()), Some("passed".into()), "{all}");
    let none = tempfile::tempdir().expect("a folder");
    let run = bcheck(&["suite", &none.path().display().to_string()]);
    assert!(run.code == Some(1) && run.stderr.contains("states an expected result"), "{run:?}");
    assert_eq!(bcheck(&["suite", "no/such/folder"]).code, Some(153));
}
