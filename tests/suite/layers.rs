//! The direction of dependencies: every `crate::…` path under `src` is held against the table of floors; and the house rules
//! that can be read off a file.

use crate::program::{files_below, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Who uses whom, besides itself. Bottom floor first.
const ALLOWED: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("durable", &[]),
    ("mesh", &[]),
    ("syntax", &["source"]),
    ("ir", &["source"]),
    ("value", &["source", "ir"]),
    ("sema", &["source", "syntax", "ir"]),
    ("eval", &["source", "ir", "value"]),
    ("state", &["ir", "value"]),
    ("symmetry", &["source", "ir", "value"]),
    ("temporal", &[]),
    ("explore", &["source", "ir", "value", "eval", "state", "symmetry", "temporal", "durable", "mesh"]),
    ("report", &["source", "ir", "value", "eval", "symmetry", "explore"]),
    ("cli", &["source", "syntax", "sema", "ir", "value", "eval", "symmetry", "explore", "report", "durable", "mesh"]),
];

/// The same within `eval`, where folders are floors too. Plans are data; what is compiled does not know how it runs, but for folding what
/// is closed; what runs knows neither the compiler nor the core language's orders. Running and solving are mutual by nature: a search may
/// be solved, and what is solved is evaluated.
const ALLOWED_IN_EVAL: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("plan", &["error"]),
    ("run", &["error", "plan", "solve"]),
    ("solve", &["error", "plan", "run"]),
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

/// What unit tests may use besides: random numbers, and machines written as text.
const FOR_TESTS: &[&str] = &["source", "syntax", "sema"];

/// Files longer than this are two files.
const LONGEST_FILE: usize = 500;

/// Comments with longer lines are not wrapped by the formatter.
const LONGEST_LINE: usize = 140;

#[test]
fn the_floors_use_each_other_as_the_table_says() {
    let mut wrong = Vec::new();
    let mut unused: BTreeSet<(&str, &str)> = ALLOWED.iter().flat_map(|(floor, used)| used.iter().map(|used| (*floor, *used))).collect();
    for path in files_below(&root().join("src"), "rs") {
        let Some(folder) = folder_of(&path) else { continue };
        let (_, allowed) = ALLOWED.iter().find(|(name, _)| *name == folder).unwrap_or_else(|| panic!("a new folder: src/{folder}"));
        let text = std::fs::read_to_string(&path).expect("source text");
        let is_tests = is_of_tests(&path.display().to_string());
        let of_program = if is_tests { Vec::new() } else { used_modules(outside_tests(&text)) };
        for used in used_modules(&text) {
            let in_program = of_program.contains(&used);
            if used != folder && !allowed.contains(&used.as_str()) && (in_program || !FOR_TESTS.contains(&used.as_str())) {
                wrong.push(format!("{} uses {used}", path.display()));
            }
            if in_program {
                unused.retain(|edge| *edge != (folder.as_str(), used.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "edges that the table does not have:\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "edges of the table that nothing needs: {unused:?}");
}

#[test]
fn paths_out_of_a_floor_begin_at_the_crate() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let place = path.strip_prefix(root().join("src")).expect("below src").with_extension("");
        if folder_of(&path).is_none() || is_of_tests(&place.with_extension("rs").display().to_string()) {
            continue;
        }
        let depth = place.iter().filter(|part| *part != "mod").count();
        let text = std::fs::read_to_string(&path).expect("source text");
        // The table of floors is held against `crate::` paths alone, so that no `super::` may lead to another floor.
        let ups = "super::".repeat(depth);
        for line in outside_tests(&text).lines().filter(|line| !is_comment(line) && line.contains(&ups)) {
            wrong.push(format!("{}: {}", path.display(), line.trim()));
        }
    }
    assert!(wrong.is_empty(), "write these with `crate::`:\n{}", wrong.join("\n"));
}

#[test]
fn folders_of_eval_use_what_is_below_them() {
    let eval = root().join("src/eval");
    let mut wrong = Vec::new();
    for path in files_below(&eval, "rs") {
        let place = path.strip_prefix(&eval).expect("below eval").with_extension("");
        let place: Vec<String> = place.iter().map(|part| part.to_string_lossy().into_owned()).filter(|part| part != "mod").collect();
        let Some(part) = place.first() else { continue };
        if place.last().is_some_and(|name| name == "tests") {
            continue;
        }
        let (_, allowed) = ALLOWED_IN_EVAL.iter().find(|(name, _)| name == part).unwrap_or_else(|| panic!("a new part of eval: {part}"));
        let text = std::fs::read_to_string(&path).expect("source text");
        for used in used_in_eval(&text, &place) {
            if used != *part && !allowed.contains(&used.as_str()) {
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
        for (at, _) in line.match_indices("crate::eval::") {
            used.extend(name_at(&line[at + "crate::eval::".len()..]));
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
    let text = "use super::super::super::order::cost;\nuse super::membership;\n//! crate::eval::packed::x\nlet y = crate::eval::plan::Slot::new();\n";
    assert_eq!(used_in_eval(text, &place), ["order", "plan"]);
}

#[test]
fn the_table_of_floors_has_no_cycle() {
    // Listed bottom up: everything that a floor may use stands above it in the list.
    for (index, (name, allowed)) in ALLOWED.iter().enumerate() {
        for used in *allowed {
            let position = ALLOWED.iter().position(|(name, _)| name == used).unwrap_or_else(|| panic!("{used} is not in the table"));
            assert!(position < index, "{name} may use {used}, which is not below it");
        }
    }
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
const WRITERS: &[&str] = &["cli/temporary.rs", "cli/output.rs", "durable/files.rs"];

/// What reads files, and where it may stand: `output` knows of each, so that it does not replace it.
const READS: &[&str] = &["File::open", "fs::read(", "fs::read_to_string"];

/// The system's figures of this process and its connections, files that a suite made itself, and checkpoints are no inputs.
const READERS: &[&str] = &["cli/files.rs", "cli/memory.rs", "cli/suite.rs", "durable/files.rs", "mesh/local.rs"];

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
        "writing belongs to cli/output.rs, cli/temporary.rs and durable/files.rs, reading to cli/files.rs:\n{}",
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

/// The first segments of all `crate::…` paths outside comments, `use crate::{a, b::c}` included.
fn used_modules(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (at, matched) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            continue;
        }
        let rest = &code[at + matched.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_heads(group)),
            None => found.push(head(rest)),
        }
    }
    found.sort();
    found.dedup();
    found
}

fn head(path: &str) -> String {
    path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// The heads of `a, b::{c, d}, e}`.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut item = String::new();
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(head(item.trim()));
                item.clear();
                continue;
            }
            _ => {}
        }
        item.push(letter);
    }
    heads.push(head(item.trim()));
    heads.retain(|head| !head.is_empty());
    heads
}

#[test]
fn paths_are_found_in_groups_too() {
    let text = "use crate::{ir, source::{Span, Code}, value};\n// crate::cli\nlet x = crate::state::y;";
    assert_eq!(used_modules(text), ["ir", "source", "state", "value"]);
}
