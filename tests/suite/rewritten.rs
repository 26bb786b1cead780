//! Machines that are written in another way, as several machines or with other line ends, give what they state.
//!
//! Where pragmas stand among formulas is tested beside `sema`; random machines in other words are in `random_machines`.

use crate::program::{bcheck, files_below, root, share, thorough};
use bcheck::cli::pragma::{Expectation, Extent, expectations};
use std::path::Path;

/// What a machine that is part of another one has for itself: settings and definitions, assertions, parameters; and what names files.
const OF_ITSELF: [&str; 10] =
    ["DEFINITIONS", "ASSERTIONS", "CONSTRAINTS", "SEES", "USES", "INCLUDES", "EXTENDS", "REFINES", "IMPORTS", "REFINEMENT"];

/// Options that name things of the machine, which are called otherwise in an instance of it.
const NAMING: [&str; 4] = ["--goal", "--ltl", "--ctl", "--temporal"];

/// The name of a machine that can be a part of another one without a change of meaning.
fn name_of(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "MACHINE")?;
    let name = words.get(at + 1)?;
    let is_alone = !name.contains('(') && words.get(at + 2).is_none_or(|next| !next.starts_with('('));
    (is_alone && !words.iter().any(|word| OF_ITSELF.contains(word))).then_some(name)
}

/// The machine in other words, each in a file of its own that stands beside a copy of the machine.
fn rewritings(name: &str, options: &[String]) -> Vec<String> {
    let mut texts = vec![format!("MACHINE whole EXTENDS {name} END")];
    if !options.iter().any(|option| NAMING.contains(&option.as_str())) {
        texts.push(format!("MACHINE whole EXTENDS part.{name} END"));
        texts.push(format!("MACHINE whole EXTENDS twice.part.{name} END"));
    }
    texts
}

/// How the result of a file differs from what its machine states.
fn differences(file: &Path, expectation: &Expectation) -> Vec<String> {
    let mut arguments = vec![file.to_str().expect("a readable path"), "--format", "json", "-j", "1", "--progress", "none"];
    arguments.extend(expectation.options.iter().map(String::as_str));
    let run = bcheck(&arguments);
    let differences = expectation.differences(run.code, &serde_json::from_str(&run.stdout).unwrap_or_default(), false);
    if differences.is_empty() { differences } else { [differences, vec![run.stderr]].concat() }
}

#[test]
fn a_machine_that_is_part_of_another_one_gives_what_it_states() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut complaints, mut machines) = (Vec::new(), 0);
    let folders = ["tour", "classic", "violation", "language", "warning"];
    for path in share(folders.iter().flat_map(|part| files_below(&root().join("machines").join(part), "mch")), 5) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a machine")).into_owned();
        let stated = expectations(&text).expect("readable pragmas");
        let Some(expectation) = stated.iter().find(|stated| stated.extent == Extent::Both && !stated.is_refinement) else { continue };
        let Some(name) = name_of(&text) else { continue };
        machines += 1;
        let copy = folder.path().join(format!("{name}.mch"));
        std::fs::write(&copy, text.replace('\n', "\r\n")).expect("a file");
        let mut complain = |file: &Path, way: &str| {
            let differences = differences(file, expectation);
            complaints.extend(differences.iter().map(|difference| format!("{}, {way}: {difference}", path.display())));
        };
        complain(&copy, "with the line ends of Windows");
        for text in rewritings(name, &expectation.options) {
            let whole = folder.path().join("whole.mch");
            std::fs::write(&whole, &text).expect("a file");
            complain(&whole, &text);
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(machines > if thorough() { 35 } else { 6 }, "{machines}");
}
