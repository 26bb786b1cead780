//! Every machine in `machines/` that has temporal formulas: their verdicts are the same by every kind of symmetry reduction, without
//! reduction, and for any number of workers; so are the reports, times apart.
//!
//! Deliberately elsewhere: what the verdicts are (`machines.rs` holds each machine to what it states), random machines
//! (`temporal_random.rs`).

use crate::formulas::{Asked, Formulas, verdicts};
use crate::program::{bcheck, files_below, root, share, thorough};
use bcheck::cli::pragma::expectations;
use bcheck::symmetry::Mode;
use serde_json::Value as Json;

/// The machines, by their names below the root, with their texts and what their comments ask for: each question once.
fn asked() -> Vec<(String, String, Vec<Asked>)> {
    let mut found = Vec::new();
    for path in files_below(&root().join("machines"), "mch") {
        // Its formula is not read.
        if path.ends_with("warning/misspelt_formula.mch") {
            continue;
        }
        // Some machines are no text of B, to be refused.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(expectations) = expectations(&text) else { continue };
        let mut questions: Vec<Asked> = Vec::new();
        for expectation in expectations.iter().filter(|stated| !stated.is_refinement && stated.verdict != "rejected") {
            let mut asked = Asked::of_options(&expectation.options);
            // A check judges the formulas of DEFINITIONS unasked; most machines have none.
            asked.stated &= text.contains("ASSERT_");
            if (asked.stated || !asked.formulas.is_empty()) && !questions.contains(&asked) {
                questions.push(asked);
            }
        }
        if !questions.is_empty() {
            found.push((path.strip_prefix(root()).expect("below the root").display().to_string(), text, questions));
        }
    }
    found
}

#[test]
fn verdicts_are_the_same_by_every_reduction_and_for_any_number_of_workers() {
    let (mut formulas, mut failed) = (0, 0);
    for (name, text, questions) in share(asked(), 2) {
        for asked in questions {
            let judged = Formulas::of_text(&text, &asked);
            let plain = verdicts(&judged.outcome(Mode::Off, 1));
            formulas += plain.len();
            failed += plain.matches('F').count();
            for mode in [Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
                assert_eq!(verdicts(&judged.outcome(mode, 1)), plain, "{mode:?}: {name} {asked:?}");
            }
            for mode in [Mode::Exact, Mode::Off] {
                assert_eq!(verdicts(&judged.outcome(mode, 4)), plain, "four workers, {mode:?}: {name} {asked:?}");
            }
        }
    }
    let [most, some] = if thorough() { [120, 40] } else { [50, 15] };
    assert!(formulas > most && failed > some, "machines have {formulas} formulas, of which {failed} do not hold");
}

/// A report without what is measured.
fn report(name: &str, workers: &str) -> Json {
    let arguments = ["--temporal", "--only-temporal", "--continue", "--max-states", "2000", "--explain", "--format", "json"];
    let mut report = bcheck(&[&[name, "--workers", workers], &arguments[..]].concat()).json();
    let object = report.as_object_mut().expect("an object");
    for key in ["time_s", "peak_memory_bytes", "workers"] {
        assert!(object.remove(key).is_some(), "{name}: {key}");
    }
    for formula in object.get_mut("temporal").and_then(Json::as_array_mut).into_iter().flatten() {
        assert!(formula["time_s"].take().is_number(), "{name}: {formula}");
    }
    report
}

#[test]
fn reports_are_the_same_for_one_worker_and_for_four() {
    let asked = asked().into_iter().filter(|(_, _, questions)| questions.iter().any(|asked| asked.stated));
    let stated: Vec<String> = asked.map(|(name, ..)| name).collect();
    assert!(stated.len() >= 18, "{stated:?}");
    for name in share(stated, 2) {
        let (one, four) = (report(&name, "1"), report(&name, "4"));
        assert!(one["temporal"].as_array().is_some_and(|formulas| !formulas.is_empty()), "{name}");
        assert_eq!(one, four, "{name}");
    }
}
