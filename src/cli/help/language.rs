//! The language B in words: each sign and keyword with its meaning in a sentence and an example; for the page `language` and an editor.
//!
//! Invariant: each token of the lexer has a row, but for brackets and what separates; the example of a formula is a true predicate, that of
//! a substitution or clause is accepted. Deliberately elsewhere: the rows (`signs`, `statements`) and their form (`language_words`),
//! temporal operators (`operators`).

use super::language_words::LanguageWords;
use super::signs::SIGNS;
use super::statements::STATEMENTS;
use std::fmt::Write;

/// The row of a sign or keyword, by its spelling in ASCII.
pub(in crate::cli) fn language_words(word: &str) -> Option<&'static LanguageWords> {
    SIGNS.iter().chain(STATEMENTS).find(|row| row.word == word)
}

/// What is said about a sign or keyword, also where its case is not that of B; nothing about another word.
pub(super) fn of_word(word: &str) -> String {
    let all = || SIGNS.iter().chain(STATEMENTS);
    let exact: Vec<&LanguageWords> = all().filter(|row| row.word == word).collect();
    let found = if exact.is_empty() { all().filter(|row| row.word.eq_ignore_ascii_case(word)).collect() } else { exact };
    let mut text = String::new();
    found.into_iter().for_each(|row| rows(std::slice::from_ref(row), &mut text));
    text
}

/// All signs and keywords.
pub(super) fn all_words() -> impl Iterator<Item = &'static str> {
    SIGNS.iter().chain(STATEMENTS).map(|row| row.word)
}

/// The page.
pub(super) fn language() -> String {
    let mut text = "The signs and keywords of B, each with an example.\n\nFormulas (every example is a true predicate):\n".to_owned();
    rows(SIGNS, &mut text);
    text += "\nSubstitutions and clauses:\n";
    rows(STATEMENTS, &mut text);
    text
}

fn rows(rows: &[LanguageWords], text: &mut String) {
    for LanguageWords { form, meaning, example, .. } in rows {
        writeln!(
            text,
            "  {form}
      {meaning}
      {example}"
        )
        .expect("a string takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, has_errors};
    use crate::syntax::{keywords, parse_machine, parse_predicate, signs};

    /// Signs that need no words: brackets, separators, and what is only lexed for a message.
    const WITHOUT_WORDS: &[&str] = &["(", ")", "[", "]", "{", "}", ",", ".", "|", "!=", "&&"];

    #[test]
    fn every_sign_and_keyword_has_one_row() {
        for word in keywords().chain(signs()).filter(|word| !WITHOUT_WORDS.contains(word)) {
            assert_eq!(SIGNS.iter().chain(STATEMENTS).filter(|row| row.word == word).count(), 1, "{word}");
        }
        for row in SIGNS.iter().chain(STATEMENTS) {
            assert!(keywords().chain(signs()).any(|word| word == row.word), "{}", row.word);
            assert!(row.form.contains(row.word) && !row.meaning.ends_with('.'), "{}", row.word);
        }
    }

    #[test]
    fn examples_of_formulas_parse() {
        for row in SIGNS {
            let parsed = parse_predicate(FileId(0), row.example);
            assert!(parsed.diagnostics.is_empty(), "{}: {:?}", row.example, parsed.diagnostics);
            assert!(row.example.contains(row.word), "{}", row.word);
        }
    }

    #[test]
    fn examples_of_substitutions_and_clauses_are_accepted() {
        let declared = "VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER INITIALISATION x, y := 0, 0";
        let supported = STATEMENTS.iter().filter(|row| !row.meaning.contains("not supported here"));
        for LanguageWords { word, example, .. } in supported {
            assert!(example.contains(word), "{word}");
            let body = format!("MACHINE m {declared} OPERATIONS op = {example} END");
            let clause = |kind: &str| format!("{kind} m {example} END");
            // As the body of an operation, as a clause, or as a machine.
            let texts = [body.clone(), clause("MACHINE"), clause("IMPLEMENTATION"), (*example).to_owned()];
            let accepted = texts.iter().find_map(|text| {
                let parsed = parse_machine(FileId(0), text);
                parsed.tree.filter(|_| parsed.diagnostics.is_empty()).map(|tree| (text, tree))
            });
            let (text, tree) = accepted.unwrap_or_else(|| panic!("{example}"));
            if *text == body {
                let (_, diagnostics) = crate::sema::analyse(&tree);
                assert!(!has_errors(&diagnostics), "{text}: {diagnostics:?}");
            }
        }
    }
}
