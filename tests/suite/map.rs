//! `src/README.md`, the map of the source, and the maps of the crates: files and names that they mention exist, words of the glossary are
//! used, and they stay short.

use crate::program::{files_below, root};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A longer map is not read.
const MOST_LINES: usize = 200;

/// A cell of a table with more characters is a paragraph.
const MOST_OF_A_CELL: usize = 200;

fn map() -> String {
    std::fs::read_to_string(root().join("src/README.md")).expect("a text")
}

/// The texts of all source files.
fn sources() -> String {
    files_below(&root().join("src"), "rs").iter().map(|path| std::fs::read_to_string(path).expect("source text") + "\n").collect()
}

/// What stands in back quotes, outside blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn quoted_parts_of_a_text_are_found() {
    assert_eq!(quoted("a `b` c\n```text\n`d`\n```\n`e/f.rs`."), ["b", "e/f.rs"]);
}

#[test]
fn the_map_stays_short() {
    let lines = map().lines().count();
    assert!(lines <= MOST_LINES, "src/README.md has {lines} lines; {MOST_LINES} is the limit");
}

/// The map of each crate.
fn crate_maps() -> Vec<(PathBuf, String)> {
    let maps = files_below(&root().join("src"), "md").into_iter().filter(|path| path.ends_with("README.md"));
    let maps = maps.filter(|path| path.parent() != Some(&root().join("src")));
    maps.map(|path| (path.clone(), std::fs::read_to_string(&path).expect("a text"))).collect()
}

#[test]
fn no_cell_of_a_table_is_a_paragraph() {
    let documents = ["src", "tests", "benches", "scripts", "machines"].iter().flat_map(|folder| files_below(&root().join(folder), "md"));
    let mut long = Vec::new();
    for path in documents.chain(["README.md", "CHANGELOG.md"].map(|name| root().join(name))) {
        let text = std::fs::read_to_string(&path).expect("a text");
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            if line.split('|').any(|cell| cell.trim().chars().count() > MOST_OF_A_CELL) {
                long.push(format!("{}:{}", path.display(), at + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_file_that_a_map_of_a_crate_names_exists() {
    let files: BTreeSet<String> = ["src", "tests", "benches"]
        .iter()
        .flat_map(|folder| files_below(&root().join(folder), "rs"))
        .map(|path| format!("/{}", path.strip_prefix(root()).expect("below the root").display()))
        .collect();
    let maps = crate_maps();
    assert!(maps.len() > 10, "{} maps", maps.len());
    let mut missing = Vec::new();
    for (map, text) in &maps {
        let is_file = |part: &&str| part.ends_with(".rs") && !part.contains(['*', ' ']);
        for part in quoted(text).into_iter().filter(is_file) {
            if !files.iter().any(|file| file.ends_with(&format!("/{part}"))) {
                missing.push(format!("{}: {part}", map.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_file_and_folder_of_the_map_exists() {
    let mut places = BTreeSet::new();
    for (folder, extension) in
        [("src", "rs"), ("src", "md"), ("tests", "rs"), ("tests", "md"), ("benches", "md"), ("scripts", "sh"), ("machines", "mch")]
    {
        for path in files_below(&root().join(folder), extension) {
            let place = path.strip_prefix(root()).expect("below the root");
            places.extend(place.ancestors().skip(1).map(|folder| format!("/{}/", folder.display())));
            places.insert(format!("/{}", place.display()));
        }
    }
    let is_place = |part: &str| [".rs", ".md", ".sh", "/"].iter().any(|end| part.ends_with(end)) && !part.contains(['*', ':', ' ']);
    let text = map();
    let named: Vec<&str> = quoted(&text).into_iter().filter(|part| is_place(part)).collect();
    assert!(named.len() > 60, "the table was not found: {named:?}");
    // A row names a folder once, and then its files by their names alone.
    let missing: Vec<&&str> = named.iter().filter(|part| !places.iter().any(|place| place.ends_with(&format!("/{part}")))).collect();
    assert!(missing.is_empty(), "src/README.md names places that do not exist: {missing:?}");
}

#[test]
fn every_name_of_the_map_is_a_name_of_the_source() {
    let sources = sources();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let names: BTreeSet<&str> = sources.split(|letter| !is_part(letter)).collect();
    let text = map();
    let is_path = |part: &&str| !part.is_empty() && part.split("::").all(|name| !name.is_empty() && name.chars().all(is_part));
    let paths: Vec<&str> = quoted(&text).into_iter().filter(is_path).collect();
    assert!(paths.len() > 30, "the walks were not found: {paths:?}");
    let gone: Vec<&&str> = paths.iter().filter(|path| path.split("::").any(|name| name != "bcheck" && !names.contains(name))).collect();
    assert!(gone.is_empty(), "src/README.md leads along names that do not exist: {gone:?}");
}

#[test]
fn each_word_of_the_glossary_is_used() {
    let text = map();
    let glossary = text.split("\n## ").find_map(|section| section.strip_prefix("Words\n")).expect("a section with the glossary");
    let words: Vec<&str> = glossary.lines().filter_map(|row| row.strip_prefix("| ")?.split(" | ").next()).flat_map(terms).collect();
    assert!(words.len() > 30, "the table was not found: {words:?}");
    let all = words_of(&sources());
    let unused: Vec<&&str> = words.iter().filter(|word| !all.contains(words_of(word).trim_end())).collect();
    assert!(unused.is_empty(), "words of the glossary that neither code nor messages have: {unused:?}");
}

/// The words that a row of the glossary explains: `orbit, class` are two, and what is in parentheses only restricts the word before.
fn terms(cell: &str) -> Vec<&str> {
    let is_term = |part: &&str| !["word", "---", "alone"].contains(part) && !part.starts_with("in `");
    cell.split(", ").filter_map(|part| part.split(" (").next()).map(str::trim).filter(is_term).collect()
}

/// The words of a text in small letters, each with a space before it; `SetUp`, `set_up` and `set-up` are the same two.
fn words_of(text: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        if letter.is_alphabetic() {
            if !before.is_alphabetic() || letter.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[test]
fn words_are_the_same_in_names_and_in_sentences() {
    assert_eq!(words_of("SetUp, set_up: a set-up"), " set up set up a set up");
    assert_eq!(terms("search, in `eval`"), ["search"]);
    assert_eq!(terms("automorphism (of a state), stabiliser"), ["automorphism", "stabiliser"]);
}
