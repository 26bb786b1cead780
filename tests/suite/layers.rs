//! The direction of dependencies: every `crate::…` path under `src` is held against the table of floors; and the house rules
//! that can be read off a file.

use crate::program::{files_below, root};
use std::path::Path;

/// Who may use whom, besides itself. Bottom floor first.
const ALLOWED: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("syntax", &["source"]),
    ("ir", &["source"]),
    ("value", &["source", "ir"]),
    ("sema", &["source", "syntax", "ir"]),
    ("eval", &["source", "ir", "value"]),
    ("state", &["source", "ir", "value"]),
    ("symmetry", &["source", "ir", "value", "state"]),
    ("explore", &["source", "ir", "value", "eval", "state", "symmetry"]),
    ("report", &["source", "ir", "value", "eval", "symmetry", "explore"]),
    ("cli", &["source", "syntax", "sema", "ir", "value", "eval", "state", "symmetry", "explore", "report"]),
];

/// The same within `eval`, where folders are floors too. Plans are data; what is compiled does not know how it runs, but for folding what is
/// closed; what runs knows neither the compiler nor the core language's orders. Running and solving are mutual by nature: a search may be
/// solved, and what is solved is evaluated.
const ALLOWED_IN_EVAL: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("plan", &["error"]),
    ("run", &["error", "plan", "solve"]),
    ("solve", &["error", "plan", "run"]),
    ("compile", &["error", "plan", "run"]),
    ("order", &["error", "plan", "compile"]),
    ("packed", &["error", "plan", "run"]),
    ("diagnose", &["error", "plan", "run", "compile", "order"]),
    ("machine", &["error", "plan", "run", "compile", "order", "packed", "diagnose"]),
];

/// What files of unit tests may use besides, to write their machines as text.
const FOR_TESTS: &[&str] = &["syntax", "sema"];

/// Files longer than this are two files.
const LONGEST_FILE: usize = 500;

/// Comments with longer lines are not wrapped by the formatter.
const LONGEST_LINE: usize = 140;

#[test]
fn no_file_uses_a_floor_above_its_own() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let Some(folder) = folder_of(&path) else { continue };
        let (_, allowed) = ALLOWED.iter().find(|(name, _)| *name == folder).unwrap_or_else(|| panic!("a new folder: src/{folder}"));
        let text = std::fs::read_to_string(&path).expect("source text");
        let is_tests = path.file_name().is_some_and(|name| name == "tests.rs");
        for used in used_modules(&text) {
            if used != folder && !allowed.contains(&used.as_str()) && !(is_tests && FOR_TESTS.contains(&used.as_str())) {
                wrong.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "edges that the table does not have:\n{}", wrong.join("\n"));
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

/// Temporary files; and streams, which are opened and not created.
const WRITERS: &[&str] = &["cli/temporary.rs", "cli/output.rs"];

/// What reads files, and where it may stand: `output` is told of each, so that it does not replace it.
const READS: &[&str] = &["File::open", "fs::read(", "fs::read_to_string"];

/// The system's figures of this process, and files that a suite made itself, are no inputs.
const READERS: &[&str] = &["cli/files.rs", "cli/memory.rs", "cli/suite.rs"];

#[test]
fn files_are_written_in_one_place_and_reads_are_told_to_it() {
    let mut wrong = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let place = path.strip_prefix(root().join("src")).expect("below src").display().to_string();
        let text = std::fs::read_to_string(&path).expect("source text");
        if place.ends_with("tests.rs") || place.contains("/tests/") {
            continue;
        }
        let code = text.split("mod tests {").next().unwrap_or_default();
        for (index, line) in code.lines().enumerate().filter(|(_, line)| !is_comment(line)) {
            let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
            if (has(WRITES) && !WRITERS.contains(&place.as_str())) || (has(READS) && !READERS.contains(&place.as_str())) {
                wrong.push(format!("{}:{}: {}", path.display(), index + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "writing belongs to cli/output.rs and cli/temporary.rs, reading to cli/files.rs:\n{}", wrong.join("\n"));
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
