//! Temporal formulas of refined machines in refinement checks: answers in every format, chains, sizes, what is refused.
//!
//! Every answer `kept` about these machines is held to a check of the refinement itself. Deliberately elsewhere: the lemmas on random
//! machines (`src/explore/refine/preservation/tests.rs`).

use crate::html::page;
use crate::program::{Run, bcheck};

const MOTOR: &str = "machines/refinement/BarrierMotor.ref";
const BELL: &str = "machines/refinement/BarrierBell.ref";

fn json(arguments: &[&str]) -> Run {
    bcheck(&[&["refine"][..], arguments, &["--format", "json", "--progress", "none"]].concat())
}

/// Name and answer of each formula.
fn answers(report: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    report["preserved"].as_array().into_iter().flatten().map(|one| (text(&one["name"]), text(&one["answer"]))).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, answer)| ((*name).to_owned(), (*answer).to_owned())).collect()
}

#[test]
fn each_answer_occurs_with_its_reason() {
    let run = json(&[MOTOR, "--temporal"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.json();
    let expected = [
        ("ASSERT_LTL_SAFE", "kept"),
        ("ASSERT_LTL_AGAIN", "kept"),
        ("ASSERT_LTL_NEXT", "not_kept"),
        ("ASSERT_CTL_POSSIBLE", "own_check"),
        ("ASSERT_LTL_STAYS", "fails_already"),
    ];
    assert_eq!(answers(&report), pairs(&expected));
    let of = |number: usize| &report["preserved"][number];
    assert_eq!((of(0)["lemma"].as_str(), of(1)["lemma"].as_str()), (Some("prefixes"), Some("runs")));
    assert_eq!(of(2)["missing"], serde_json::json!(["internal_steps"]));
    assert_eq!(of(4)["refined"], "violated");
    assert!(of(0)["source"].as_str().is_some_and(|source| source.contains("Sistla 1994")), "{}", of(0));
    assert!(of(3)["why"][0].as_str().is_some_and(|why| why.contains("some run exists")), "{}", of(3));
    let run = json(&[BELL, "--temporal=ASSERT_LTL_AGAIN,ASSERT_LTL_SAFE"]);
    assert_eq!(answers(&run.json()), pairs(&[("ASSERT_LTL_SAFE", "kept"), ("ASSERT_LTL_AGAIN", "not_kept")]), "{run:?}");
    assert_eq!(run.json()["preserved"][1]["missing"], serde_json::json!(["divergence"]));
}

#[test]
fn what_is_kept_holds_and_the_commands_show_what_is_not() {
    for refinement in [MOTOR, BELL] {
        for one in json(&[refinement, "--temporal"]).json()["preserved"].as_array().expect("a list") {
            let (formula, logic) = (one["formula"].as_str().expect("a text"), one["logic"].as_str().expect("a word"));
            let option = format!("--{logic}");
            let itself = bcheck(&[refinement, &option, formula, "--only-temporal", "--format", "json"]);
            let verdict = itself.json()["verdict"].clone();
            match one["answer"].as_str() {
                Some("kept") => assert_eq!(verdict, "verified", "{refinement}: {formula}"),
                Some("not_kept") => assert_eq!(verdict, "temporal_violation", "{refinement}: {formula}"),
                _ => {}
            }
            let Some(command) = one["command"].as_str() else {
                assert_eq!(one["answer"], "kept", "{one}");
                continue;
            };
            // As a shell would read it: formulas are in single quotes.
            let words: Vec<&str> = match command.split_once(" '") {
                Some((before, formula)) => before.split(' ').chain([formula.trim_end_matches('\'')]).collect(),
                None => command.split(' ').collect(),
            };
            assert_eq!(words[0], "bcheck", "{command}");
            let shown = bcheck(&words[1..]);
            assert!(matches!(shown.code, Some(0 | 13)), "{command}: {shown:?}");
            assert_eq!(one["answer"] == "fails_already", shown.code == Some(13) && !command.contains(refinement), "{command}: {shown:?}");
        }
    }
}

#[test]
fn a_check_that_does_not_pass_keeps_nothing() {
    let run = json(&[BELL, "--temporal", "--max-states", "4"]);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert_eq!(run.json()["preserved"][0]["missing"], serde_json::json!(["simulation"]), "{run:?}");
    // A divergence that is a finding takes no more away than one that is not.
    let run = json(&[BELL, "--temporal=ASSERT_LTL_SAFE", "--divergence"]);
    assert_eq!((run.code, answers(&run.json())), (Some(13), pairs(&[("ASSERT_LTL_SAFE", "kept")])), "{run:?}");
}

#[test]
fn text_and_page_have_the_table() {
    let run = bcheck(&["refine", MOTOR, "--temporal"]);
    for part in [
        "  formula of Barrier   of BarrierMotor\n",
        "  ASSERT_LTL_SAFE      kept           G ({train = TRUE} => {barrier = down})\n",
        "  ASSERT_LTL_STAYS     fails already  F G {barrier = down}\n",
        "bcheck machines/refinement/Barrier.mch --temporal=ASSERT_LTL_STAYS\n",
        "bcheck machines/refinement/BarrierMotor.ref --ltl 'G ({barrier = up} => X {barrier = down})'\n",
    ] {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
    let (text, page, code) = page(&["refine", BELL, "--temporal"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("Temporal formulas of Barrier"), "{text}");
    let strong: Vec<&str> = page.all("strong").iter().map(|word| word.text.as_str()).collect();
    assert!(["kept", "not kept", "own check", "fails already"].iter().all(|word| strong.contains(word)), "{strong:?}");
}

#[test]
fn each_link_of_a_chain_has_the_formulas_of_the_machine_that_it_refines() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    // The set has two elements by default in each machine, and three here; x says how many were used.
    write(
        "Top.mch",
        "MACHINE Top SETS S DEFINITIONS ASSERT_LTL_ALL == \"F {used = S}\"; ASSERT_LTL_TWO == \"G {card(used) <= 2}\"
         VARIABLES used INVARIANT used <: S INITIALISATION used := {}
         OPERATIONS use(s) = SELECT s : S - used THEN used := used \\/ {s} END END",
    );
    write(
        "Middle.ref",
        "REFINEMENT Middle REFINES Top DEFINITIONS ASSERT_LTL_MORE == \"G ([use] => X {n > 0})\"
         VARIABLES used, n INVARIANT n = card(used) INITIALISATION used := {} || n := 0
         OPERATIONS use(s) = SELECT s : S - used THEN used := used \\/ {s} || n := n + 1 END END",
    );
    write(
        "Low.ref",
        "REFINEMENT Low REFINES Middle VARIABLES left INVARIANT left = S - used INITIALISATION left := S
         OPERATIONS use(s) = SELECT s : left THEN left := left - {s} END END",
    );
    let low = folder.path().join("Low.ref").display().to_string();
    let run = json(&[&low, "--chain", "--temporal", "--deferred", "3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let links = run.json()["links"].clone();
    assert_eq!(answers(&links[0]), pairs(&[("ASSERT_LTL_MORE", "kept")]), "{run:?}");
    assert_eq!(links[0]["preserved"][0]["glued"], serde_json::json!(["n"]));
    assert_eq!(answers(&links[1]), pairs(&[("ASSERT_LTL_ALL", "kept"), ("ASSERT_LTL_TWO", "fails_already")]), "{run:?}");
    assert!(links[1]["preserved"][1]["command"].as_str().is_some_and(|command| command.ends_with(" --deferred S=3")), "{links}");
    let named = json(&[&low, "--chain", "--temporal=ASSERT_LTL_ALL", "--deferred", "3"]);
    assert_eq!((named.code, answers(&named.json()["links"][0]).len()), (Some(0), 0), "{named:?}");
    let unknown = json(&[&low, "--chain", "--temporal=ASSERT_LTL_NONE"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("no machine of the chain has such a formula"), "{unknown:?}");
}

#[test]
fn formulas_of_a_chain_are_followed_to_its_lowest_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "Top.mch",
        "MACHINE Top SETS S DEFINITIONS ASSERT_LTL_MOST == \"G {card(used) <= 3}\"; ASSERT_LTL_ALL == \"F {used = S}\";
           ASSERT_LTL_ROOM == \"G ([use] => {used /= S})\"; ASSERT_LTL_SOON == \"G ({used = {}} => not X {used = {}})\";
           ASSERT_LTL_TWO == \"G {card(used) <= 2}\"
         VARIABLES used INVARIANT used <: S INITIALISATION used := {}
         OPERATIONS use(s) = SELECT s : S - used THEN used := used \\/ {s} END END",
    );
    write(
        "Middle.ref",
        "REFINEMENT Middle REFINES Top DEFINITIONS ASSERT_LTL_MIDDLE == \"G {used <: S}\"
         VARIABLES used INITIALISATION used := {} OPERATIONS use(s) = SELECT s : S - used THEN used := used \\/ {s} END END",
    );
    write(
        "Low.ref",
        "REFINEMENT Low REFINES Middle VARIABLES left, rested INVARIANT left = S - used & rested : BOOL INITIALISATION left := S || rested := FALSE
         OPERATIONS use(s) = SELECT s : left THEN left := left - {s} END; rest = SELECT rested = FALSE THEN rested := TRUE END END",
    );
    let low = folder.path().join("Low.ref").display().to_string();
    let run = json(&[&low, "--chain", "--temporal", "--deferred", "3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.json();
    let rows = report["preserved"].as_array().cloned().unwrap_or_default();
    let row = |row: &serde_json::Value| {
        let answers: Vec<String> =
            row["answers"].as_array().into_iter().flatten().map(|one| format!("{}: {}", one["machine"], one["answer"])).collect();
        format!("{} {}: {}", row["machine"], row["name"], answers.join(", ")).replace('"', "")
    };
    let expected = [
        "Top ASSERT_LTL_MOST: Middle: kept, Low: kept",
        // Whether runs of the lowest machine end too early is not asked of those calls that the highest one allows.
        "Top ASSERT_LTL_ALL: Middle: kept, Low: own_check",
        "Top ASSERT_LTL_ROOM: Middle: kept, Low: kept",
        // The next step may be internal there.
        "Top ASSERT_LTL_SOON: Middle: kept, Low: own_check",
        "Top ASSERT_LTL_TWO: Middle: fails_already, Low: fails_already",
    ];
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected, "{report}");
    // What is said to be kept holds of the lowest machine, in its own variables.
    let own =
        bcheck(&[&low, "--deferred", "3", "--only-temporal", "--ltl", "G {card(S - left) <= 3}", "--ltl", "G ([use] => {left /= {}})"]);
    assert_eq!(own.code, Some(0), "{own:?}");
    let text = bcheck(&["refine", &low, "--chain", "--temporal", "--deferred", "3"]);
    assert!(text.stdout.contains("Temporal formulas further down:\n  Top  ASSERT_LTL_MOST  Middle: kept, Low: kept\n"), "{}", text.stdout);
    let (page, _, _) = page(&["refine", &low, "--chain", "--temporal", "--deferred", "3"]);
    assert!(page.contains("Temporal formulas further down") && page.contains("Middle: kept, Low: own check"), "{page}");
}

#[test]
fn states_outside_of_scope_count_as_in_every_refinement_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let operations = "OPERATIONS up = SELECT x < 2 THEN x := x + 1 END END";
    let top =
        "MACHINE Top DEFINITIONS SCOPE == x < 1; ASSERT_LTL_LOW == \"G {x < 2}\" VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0";
    std::fs::write(folder.path().join("Top.mch"), format!("{top} {operations}")).expect("a file");
    let low = folder.path().join("Low.ref");
    std::fs::write(&low, format!("REFINEMENT Low REFINES Top VARIABLES x INITIALISATION x := 0 {operations}")).expect("a file");
    let run = json(&[&low.display().to_string(), "--temporal"]);
    assert_eq!(answers(&run.json()), pairs(&[("ASSERT_LTL_LOW", "fails_already")]), "{run:?}");
}

#[test]
fn formulas_that_are_faulty_or_unknown_are_refused_before_the_search() {
    let unknown = json(&[MOTOR, "--temporal=ASSERT_LTL_SAVE"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("did you mean ASSERT_LTL_SAFE?"), "{unknown:?}");
    // Formulas of the command line have no machine that they belong to.
    let given = json(&[MOTOR, "--ltl", "G {train = TRUE}"]);
    assert_eq!(given.code, Some(2), "{given:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Top DEFINITIONS ASSERT_LTL == \"G {y = 1}\" VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 END";
    std::fs::write(folder.path().join("Top.mch"), text).expect("a file");
    let low = folder.path().join("Low.ref");
    std::fs::write(&low, "REFINEMENT Low REFINES Top VARIABLES x INITIALISATION x := 0 END").expect("a file");
    let faulty = json(&[&low.display().to_string(), "--temporal"]);
    assert!(faulty.code == Some(120) && faulty.stderr.contains("Top.mch:1:"), "{faulty:?}");
}
