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
    refused(&[FORKS, "--temporal=ASSERT_LTL_deadlok"], 2, &["is it ASSERT_LTL_deadlock?"]);
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
    for part in ["<- loop", "back to 2", "Subformulas", "F {p : inside}"] {
        assert!(run.stdout.contains(part), "`{part}`: {}", run.stdout);
    }
    let replayed = bcheck(&["replay", trace, LOCK]);
    assert_eq!((replayed.code, replayed.stdout.contains("loop")), (Some(0), true), "{replayed:?}");
}
