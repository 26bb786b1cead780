//! Other names for everything that a machine declares or binds.
//!
//! Invariant: different names stay different, upper-case names (parameters that are sets) stay upper-case.

use bcheck::syntax::keywords;
use std::collections::{BTreeMap, BTreeSet};

/// The machine with other names, in the opposite alphabetical order.
pub(super) fn renamed(text: &str) -> String {
    let keywords: BTreeSet<&str> = keywords().chain(["GOAL", "SCOPE"]).collect();
    let is_name = |word: &str| word.starts_with(|first: char| first.is_ascii_alphabetic()) && !keywords.contains(word);
    let stem = |word: &str| word.strip_prefix("scope_").map(str::to_owned);
    let words = words(text);
    let names: BTreeSet<String> = words.iter().filter(|word| is_name(word)).map(|word| stem(word).unwrap_or((*word).to_owned())).collect();
    let count = names.len();
    let others: BTreeMap<&str, String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let stem = if name.chars().any(|letter| letter.is_ascii_lowercase()) { ["zeta", "Mid_", "a", "n_"][at % 4] } else { "N" };
            (name.as_str(), format!("{stem}{}", count - at))
        })
        .collect();
    let other = |word: &str| match word.strip_prefix("scope_") {
        Some(set) => format!("scope_{}", others[set]),
        None if is_name(word) => others[word].clone(),
        None => word.to_owned(),
    };
    words.into_iter().map(other).collect()
}

/// The text with other words where there are others.
pub(super) fn with_names(text: &str, other: impl Fn(&str) -> Option<String>) -> String {
    words(text).into_iter().map(|word| other(word).unwrap_or_else(|| word.to_owned())).collect()
}

/// The text cut into words, strings, and single characters.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, others) = rest.split_at(end);
        found.push(word);
        rest = others;
    }
    found
}
