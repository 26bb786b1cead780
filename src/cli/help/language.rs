//! The language B in words: each sign and keyword with its meaning in a sentence and an example; for the page `language` and an editor.
//!
//! Invariant: each token of the lexer has a row, and all its spellings find it; the example of a formula is a true predicate, that of a
//! substitution or clause is accepted. Deliberately elsewhere: the rows (`signs`, `statements`) and their form (`language_words`), temporal
//! operators (`operators`).

use super::language_words::{LanguageWords, words};
use super::signs::SIGNS;
use super::statements::STATEMENTS;
use bcheck_syntax::{WrittenKind, habit, written};
use std::fmt::Write;

/// Brackets and separators. An editor shows no hover text for them.
const BRACKETS: &[LanguageWords] = &[
    words("(", "f(x)", "the image of x under f; (a, b) is the pair a |-> b, and parentheses group", "{1 |-> 2}(1) = 2"),
    words("[", "[a, b]", "the sequence of a and b, [] the empty one; r[S] is the image of S under r", "[3, 4] = {1 |-> 3, 2 |-> 4}"),
    words(
        "{",
        "{a, b}",
        "the set of a and b, {} the empty one; {x | P} is the set of all x that satisfy P",
        "{x | x : 1..3 & x > 1} = {2, 3}",
    ),
    words(",", "a, b", "separates; in parentheses, the pair of a and b", "(1, 2) = 1 |-> 2"),
    words(".", "x.(P)", "stands between the names that are bound and what they are bound in", "#x.(x : {1})"),
    words(
        "|",
        "{x | P}",
        "stands between names and what they satisfy, or between a condition and a value",
        "%x.(x : {1} | x + 1) = {1 |-> 2}",
    ),
];

/// All rows that are found by their words.
fn all() -> impl Iterator<Item = &'static LanguageWords> {
    SIGNS.iter().chain(BRACKETS).chain(STATEMENTS)
}

/// The word under which this one is listed: its ASCII spelling, the opening bracket of two, B's counterpart.
fn spelled(word: &str) -> &str {
    let first = written(word).into_iter().next();
    let sign = match first {
        Some(token) if token.place == (0..word.len()) || ["[]", "{}", "()"].contains(&word) => match token.kind {
            WrittenKind::Sign(sign) | WrittenKind::Keyword(sign) => sign,
            _ => word,
        },
        _ => word,
    };
    match sign {
        ")" => "(",
        "]" => "[",
        "}" => "{",
        "!=" => "/=",
        "&&" => "&",
        sign => sign,
    }
}

/// The row of a sign or keyword, by its spelling in ASCII.
pub(crate) fn language_words(word: &str) -> Option<&'static LanguageWords> {
    SIGNS.iter().chain(STATEMENTS).find(|row| row.word == word)
}

/// The text about a sign or keyword, however it is spelled; empty for another word.
pub(super) fn of_word(word: &str) -> String {
    let word = spelled(word);
    let exact: Vec<&LanguageWords> = all().filter(|row| row.word == word).collect();
    let found = if exact.is_empty() { all().filter(|row| row.word.eq_ignore_ascii_case(word)).collect() } else { exact };
    of_rows(&found)
}

/// B's counterpart of a word from other notations, and the rows whose meaning mentions it.
pub(super) fn about(word: &str) -> String {
    let names_it = |meaning: &str| meaning.split(|letter: char| !letter.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word));
    let rows = of_rows(&all().filter(|row| names_it(row.meaning)).collect::<Vec<_>>());
    habit(word).map(|help| format!("  not a word of B: {help}\n")).unwrap_or_default() + &rows
}

fn of_rows(found: &[&LanguageWords]) -> String {
    let mut text = String::new();
    found.iter().for_each(|row| rows(std::slice::from_ref(row), &mut text));
    text
}

/// All signs and keywords.
pub(super) fn all_words() -> impl Iterator<Item = &'static str> {
    all().map(|row| row.word)
}

/// The page.
pub(super) fn language() -> String {
    let mut text = "The signs and keywords of B, each with an example.\n\nFormulas (every example is a true predicate):\n".to_owned();
    rows(SIGNS, &mut text);
    text += "\nBrackets and separators:\n";
    rows(BRACKETS, &mut text);
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
    use bcheck_source::{FileId, has_errors};
    use bcheck_syntax::{keywords, parse_machine, parse_predicate, signs};

    /// Signs explained with another one: closing brackets, and signs that are only lexed for a message.
    const WITHOUT_WORDS: &[&str] = &[")", "]", "}", "!=", "&&"];

    #[test]
    fn every_sign_and_keyword_has_one_row() {
        for word in keywords().chain(signs()).filter(|word| !WITHOUT_WORDS.contains(word)) {
            assert_eq!(all().filter(|row| row.word == word).count(), 1, "{word}");
        }
        for row in all() {
            assert!(keywords().chain(signs()).any(|word| word == row.word), "{}", row.word);
            assert!(row.form.contains(row.word) && !row.meaning.ends_with('.'), "{}", row.word);
        }
    }

    #[test]
    fn every_spelling_leads_to_a_row() {
        for word in keywords().chain(signs()) {
            assert!(!of_word(word).is_empty(), "{word}");
        }
        for (spelling, form) in [("∈", "a : S"), ("↦", "a |-> b"), ("ℙ", "POW(S)"), ("]", "[a, b]"), ("{}", "{a, b}"), ("!=", "a /= b")]
        {
            assert!(of_word(spelling).contains(form), "{spelling}: {}", of_word(spelling));
        }
        assert!(about("domain").contains("dom(r)") && about("forall").contains("!x.(P => Q)"));
        assert_eq!((of_word("domain"), about("chekc")), (String::new(), String::new()));
    }

    #[test]
    fn examples_of_formulas_parse() {
        for row in SIGNS.iter().chain(BRACKETS) {
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
                let (_, diagnostics) = bcheck_sema::analyse(&tree);
                assert!(!has_errors(&diagnostics), "{text}: {diagnostics:?}");
            }
        }
    }
}
