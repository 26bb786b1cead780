//! What a floor shows beyond itself: every `pub` function, constant, field, trait and module of a floor is named outside it, so that the
//! compiler finds what is dead within a floor, and this what is dead between floors.
//!
//! Deliberately elsewhere: types, which others get from functions without naming them; who may use whom (the manifests of the floors).

use crate::program::{files_below, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What stands above all floors, or beside them.
const USERS: &[&str] = &["src/lib.rs", "src/main.rs", "tests/suite", "tests/fuzz/fuzz_targets", "benches"];

#[test]
fn what_a_floor_shows_is_named_outside_it() {
    let mut floors: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files_below(&root().join("src"), "rs") {
        let mut parts = path.strip_prefix(root().join("src")).expect("below src").iter();
        let first = parts.next().expect("a name").to_string_lossy().into_owned();
        if parts.next().is_some() {
            floors.entry(first).or_default().push(path);
        }
    }
    let words: BTreeMap<&str, BTreeSet<String>> = floors.iter().map(|(floor, files)| (floor.as_str(), words_of(files))).collect();
    let users: Vec<PathBuf> = USERS.iter().flat_map(|place| files_at(&root().join(place))).collect();
    let of_users = words_of(&users);
    let mut unused = Vec::new();
    for (floor, files) in &floors {
        let is_named = |name: &str| of_users.contains(name) || words.iter().any(|(other, words)| other != floor && words.contains(name));
        for path in files.iter().filter(|path| !is_of_tests(path)) {
            let text = std::fs::read_to_string(path).expect("source text");
            for (number, line) in (1..).zip(text.lines().take_while(|line| !line.starts_with("mod tests {"))) {
                if let Some(name) = shown(line).filter(|name| !is_named(name)) {
                    unused.push(format!("{}:{number}: {name}", path.display()));
                }
            }
        }
    }
    assert!(unused.is_empty(), "nobody outside its floor names:\n{}", unused.join("\n"));
}

/// The name of the function, constant, field, trait or module that a line makes public.
fn shown(line: &str) -> Option<&str> {
    let item = line.trim_start().strip_prefix("pub ")?;
    let item =
        ["const fn ", "unsafe fn ", "fn ", "const ", "static ", "trait ", "mod "].iter().find_map(|kind| item.strip_prefix(kind)).or_else(
            // A field: `pub name: Type`.
            || item.split_once(": ").filter(|(name, _)| is_word(name)).map(|_| item),
        )?;
    item.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

fn is_word(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// All words of the code in these files.
fn words_of(files: &[PathBuf]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in files {
        let text = std::fs::read_to_string(path).expect("source text");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            words.extend(line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').map(str::to_owned));
        }
    }
    words
}

fn files_at(place: &Path) -> Vec<PathBuf> {
    if place.is_file() { vec![place.to_owned()] } else { files_below(place, "rs") }
}

/// Whether a file has nothing but unit tests.
fn is_of_tests(path: &Path) -> bool {
    let place = path.display().to_string();
    ["tests.rs", "laws.rs"].iter().any(|end| place.ends_with(end)) || place.contains("/tests/")
}

#[test]
fn public_names_are_found() {
    let lines = [
        "pub fn a(b: C) {",
        "    pub const D: u8 = 1;",
        "    pub e: F,",
        "pub(crate) fn g() {",
        "pub struct H;",
        "pub mod i;",
        "pub use j::k;",
        "fn l(pub_: M) {",
        "    pub const fn n() {}",
    ];
    let found: Vec<Option<&str>> = lines.into_iter().map(shown).collect();
    assert_eq!(found, [Some("a"), Some("D"), Some("e"), None, None, Some("i"), None, None, Some("n")]);
}
