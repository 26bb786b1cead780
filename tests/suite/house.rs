//! House rules that can be read off a file. Deliberately elsewhere: which floor may use which, as floors are crates and their manifests
//! say it; circles of files within a floor (`circles`).

use crate::program::{files_below, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Who uses whom within `eval`, besides itself: its folders are floors too. Plans are data; what is compiled does not know how it runs, but for folding what
/// is closed; what runs knows neither the compiler nor the core language's orders. Running and solving are mutual by nature: a search may
/// be solved, and what is solved is evaluated.
const ALLOWED_IN_EVAL: &[(&str, &[&str])] = &[
    ("thresholds", &[]),
    ("statistics", &[]),
    ("error", &[]),
    ("plan", &["error"]),
    ("run", &["error", "plan", "solve"]),
    ("solve", &["error", "plan", "run", "statistics"]),
    ("compile", &["error", "plan", "run"]),
    ("order", &["error", "plan", "compile"]),
    ("packed", &["error", "plan", "run"]),
    ("diagnose", &["error", "plan", "run", "compile", "order"]),
    ("unread", &["plan"]),
    ("machine", &["error", "plan", "run", "compile", "order", "packed", "diagnose", "unread"]),
    ("first_choices", &["machine"]),
    ("formula", &["error", "plan", "run", "compile", "machine"]),
    ("question", &["error", "plan", "run", "compile", "order", "machine"]),
    ("wider_bounds", &["error", "compile", "diagnose", "machine"]),
    ("fitting_scope", &["diagnose", "wider_bounds"]),
];

/// Files longer than this are two files.
const LONGEST_FILE: usize = 700;

/// Comments with longer lines are not wrapped by the formatter.
const LONGEST_LINE: usize = 140;

#[test]
fn folders_of_eval_use_what_is_below_them() {
    let eval = root().join("src/eval");
    let mut wrong = Vec::new();
    for path in files_below(&eval, "rs") {
        let place = path.strip_prefix(&eval).expect("below eval").with_extension("");
        let place: Vec<String> =
            place.iter().map(|part| part.to_string_lossy().into_owned()).filter(|part| part != "mod" && part != "lib").collect();
        let Some(part) = place.first() else { continue };
        if place.last().is_some_and(|name| name == "tests") {
            continue;
        }
        let (_, allowed) = ALLOWED_IN_EVAL.iter().find(|(name, _)| name == part).unwrap_or_else(|| panic!("a new part of eval: {part}"));
        let text = std::fs::read_to_string(&path).expect("source text");
        for used in used_in_eval(&text, &place) {
            // Numbers are read wherever they decide something.
            if used != *part && used != "thresholds" && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "edges that the table does not have:\n{}", wrong.join("\n"));
}

/// The parts of `eval` that a file mentions by their paths, from the module `place` below it.
fn used_in_eval(text: &str, place: &[String]) -> Vec<String> {
    let mut used = Vec::new();
    let code = text.lines().filter(|line| !is_comment(line)).take_while(|line| !line.starts_with("mod tests"));
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            used.extend(name_at(&line[at + "crate::".len()..]));
        }
        for (at, _) in line.match_indices("super::").filter(|(at, _)| !line[..*at].ends_with("super::")) {
            let ups = line[at..].split("super::").take_while(|between| between.is_empty()).count();
            let rest = &line[at + ups * "super::".len()..];
            // As many steps up as there are folders lead to `eval` itself.
            if ups == place.len() {
                used.extend(name_at(rest));
            }
        }
    }
    used.retain(|name| ALLOWED_IN_EVAL.iter().any(|(part, _)| part == name));
    used
}

/// The name that a path goes on with.
fn name_at(path: &str) -> Option<String> {
    let end = path.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    path[end..].starts_with("::").then(|| path[..end].to_owned())
}

#[test]
fn the_paths_of_a_file_within_eval_are_found() {
    let place = ["run".to_owned(), "sets".to_owned(), "inclusion".to_owned()];
    let text = "use super::super::super::order::cost;\nuse super::membership;\n//! crate::packed::x\nlet y = crate::plan::Slot::new();\n";
    assert_eq!(used_in_eval(text, &place), ["order", "plan"]);
}

#[test]
fn every_file_has_a_header_and_stays_short() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let text = std::fs::read_to_string(&path).expect("source text");
        if !text.starts_with("//!") {
            wrong.push(format!("{} does not start with //!", path.display()));
        }
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_comment(line) && line.chars().count() > LONGEST_LINE) {
            wrong.push(format!("{}:{number} has {} columns; {LONGEST_LINE} are the limit", path.display(), line.chars().count()));
        }
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            wrong.push(format!("{} has {lines} lines; {LONGEST_FILE} is the limit", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Type names with two definitions on one floor, and why each stands.
const RECURRING: &[(&str, &str, &str)] = &[
    ("cli", "Command", "of the command line, and of an animation: each is all that its file is about"),
    ("cli", "Refusal", "why a file cannot be written, and why a command of an animation is refused: each ends what was asked for"),
    ("eval", "Contents", "what a loop changes, in the frame of each tier"),
    ("eval", "Next", "the continuation of a substitution, over the frame of each tier"),
];

#[test]
fn a_type_name_stands_for_one_thing_on_each_floor() {
    let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for path in files_below(&root().join("src"), "rs") {
        let place = path.strip_prefix(root().join("src")).expect("below src").display().to_string();
        let Some(floor) = folder_of(&path) else { continue };
        if is_of_tests(&place) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source text");
        for name in outside_tests(&text).lines().filter_map(defined_type) {
            places.entry((floor.clone(), name)).or_default().push(place.clone());
        }
    }
    let twice: BTreeMap<(&str, &str), &Vec<String>> =
        places.iter().filter(|(_, places)| places.len() > 1).map(|((floor, name), places)| ((&floor[..], &name[..]), places)).collect();
    let listed: BTreeSet<(&str, &str)> = RECURRING.iter().map(|(floor, name, _)| (*floor, *name)).collect();
    let new: Vec<_> = twice.iter().filter(|(name, _)| !listed.contains(*name)).collect();
    let gone: Vec<_> = listed.iter().filter(|name| !twice.contains_key(*name)).collect();
    assert!(new.is_empty(), "type names that are defined twice on a floor: {new:#?}");
    assert!(gone.is_empty(), "the table has type names that are defined once: {gone:?}");
}

/// The name of the type or trait that a line defines; not one inside a function or implementation, which is indented.
fn defined_type(line: &str) -> Option<String> {
    let item = match line.strip_prefix("pub") {
        None => line,
        Some(rest) => rest.strip_prefix('(').map_or(Some(rest), |rest| rest.split_once(')').map(|(_, rest)| rest))?.trim_start(),
    };
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    kinds.iter().find_map(|kind| item.strip_prefix(kind)).map(head).filter(|name| !name.is_empty())
}

#[test]
fn definitions_are_found_whatever_their_visibility() {
    let lines = ["pub(in crate::a) struct A<'a> {", "type B = u8;", "    struct C;", "pub trait D {", "fn e(enum_: F)", "structure.g()"];
    let found: Vec<Option<String>> = lines.into_iter().map(defined_type).collect();
    assert_eq!(found, [Some("A"), Some("B"), None, Some("D"), None, None].map(|name| name.map(str::to_owned)));
}

#[test]
fn the_list_of_test_files_is_complete() {
    let readme = std::fs::read_to_string(root().join("tests/README.md")).expect("a text");
    let missing: Vec<String> = std::fs::read_dir(root().join("tests/suite"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !readme.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "tests/README.md does not name {missing:?}");
}

#[test]
fn only_cli_prints() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        if folder_of(&path).as_deref() == Some("cli") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source text");
        for (index, line) in text.lines().enumerate() {
            if ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("].iter().any(|word| line.contains(word)) && !is_comment(line) {
                wrong.push(format!("{}:{}: {}", path.display(), index + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "printing belongs to cli:\n{}", wrong.join("\n"));
}

/// What creates, changes or removes files, and where it may stand: outputs are complete or not there at all.
const WRITES: &[&str] = &[
    "File::create",
    "OpenOptions",
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::remove",
    "fs::create_dir",
    "fs::hard_link",
    "fs::set_permissions",
    "set_len(",
    "fs::symlink(",
];

/// Temporary files; streams, which are opened and not created; and the files of checkpoints, which outlive the process.
const WRITERS: &[&str] = &["cli/io/temporary.rs", "cli/io/output.rs", "durable/files.rs"];

/// What reads files, and where it may stand: `output` knows of each, so that it does not replace it.
const READS: &[&str] = &["File::open", "fs::read(", "fs::read_to_string"];

/// The system's figures of this process and its connections, files that a suite made itself, and checkpoints are no inputs.
const READERS: &[&str] = &["cli/io/files.rs", "cli/io/memory.rs", "cli/commands/suite/mod.rs", "durable/files.rs", "mesh/local.rs"];

#[test]
fn files_are_written_in_one_place_that_knows_what_was_read() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let place = path.strip_prefix(root().join("src")).expect("below src").display().to_string();
        let text = std::fs::read_to_string(&path).expect("source text");
        if is_of_tests(&place) {
            continue;
        }
        for (index, line) in outside_tests(&text).lines().enumerate().filter(|(_, line)| !is_comment(line)) {
            let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
            if (has(WRITES) && !WRITERS.contains(&place.as_str())) || (has(READS) && !READERS.contains(&place.as_str())) {
                wrong.push(format!("{}:{}: {}", path.display(), index + 1, line.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "writing belongs to cli/io/output.rs, cli/io/temporary.rs and durable/files.rs, reading to cli/io/files.rs:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn text_is_composed_by_the_macros_that_escape() {
    for path in files_below(&root().join("src"), "rs") {
        if ["shown.rs", "markup.rs"].iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source text");
        assert!(!text.contains("::of_arguments("), "{}: only `shown!` and `markup!` call this", path.display());
    }
}

/// Whether a file has nothing but unit tests.
fn is_of_tests(place: &str) -> bool {
    place.ends_with("tests.rs") || place.contains("/tests/")
}

/// The part of a file before its unit tests.
fn outside_tests(text: &str) -> &str {
    text.split("mod tests {").next().unwrap_or_default()
}

/// The folder under `src`; `None` for `lib.rs` and `main.rs`, which stand above all floors.
fn folder_of(path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root().join("src")).expect("below src");
    let mut parts = relative.components();
    let first = parts.next()?.as_os_str().to_string_lossy().into_owned();
    parts.next().map(|_| first)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn head(path: &str) -> String {
    path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}
