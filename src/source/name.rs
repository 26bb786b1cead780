//! Names as B text: verbatim where they read back as one name, else in back quotes.
//!
//! The characters of names are those of the lexer, which calls this module; the keywords are those of its tokens, which a test of `syntax`
//! compares with this list. So writers of names on every floor agree with the reader.
//! Invariant: the text that [`in_back_quotes`] and [`word_in_back_quotes`] write is one token of B, that name; and of a text that begins
//! with a name in back quotes, [`split_name`] returns the name and the rest, as no name contains a back quote.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The sign around a name that is written in full.
const QUOTE: char = '`';

/// Signs of B that Unicode counts as letters.
pub const SIGN_LETTERS: [char; 7] = ['λ', '𝜆', '𝔹', 'ℤ', 'ℕ', 'ℝ', 'ℙ'];

/// The keywords that are not part of formulas.
#[rustfmt::skip]
const OTHER_KEYWORDS: &[&str] = &[
    "ABSTRACT_CONSTANTS", "ABSTRACT_VARIABLES", "ANY", "ASSERT", "ASSERTIONS", "BE", "BEGIN", "CASE", "CHOICE",
    "CONCRETE_CONSTANTS", "CONCRETE_VARIABLES", "CONSTANTS", "CONSTRAINTS", "DEFINITIONS", "DO", "EITHER", "ELSE",
    "ELSIF", "END", "EVENTS", "EXTENDS", "FREETYPES", "IF", "IMPLEMENTATION", "IMPORTS", "IN", "INCLUDES",
    "INITIALISATION", "INITIALIZATION", "INVARIANT", "LET", "LOCAL_OPERATIONS", "MACHINE", "MODEL", "OF", "OPERATIONS",
    "OR", "PRE", "PREDICATES", "PROMOTES", "PROPERTIES", "REFINEMENT", "REFINES", "SEES", "SELECT", "SETS", "SYSTEM",
    "THEN", "USES", "VALUES", "VAR", "VARIABLES", "VARIANT", "WHEN", "WHERE", "WHILE", "skip",
];

macro_rules! spellings {
    ([] $({ ($token:ident $spelling:literal $($other:literal)*) $($columns:tt)* })*) => {
        /// The ASCII spellings of all operators; for those without one, another.
        const OPERATORS: &[&str] = &[$($spelling),*];
    };
}
crate::operators!(spellings);

/// All keywords, ascending.
pub static KEYWORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let words = OPERATORS.iter().filter(|spelling| spelling.starts_with(|first: char| first.is_ascii_alphabetic()));
    OTHER_KEYWORDS.iter().chain(words).copied().collect()
});

/// Whether a name may start with this character.
pub fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic() && !SIGN_LETTERS.contains(&c))
}

/// Whether a name may continue with this character. Combining marks belong to the letter before.
pub fn is_name_part(c: char) -> bool {
    let is_letter = |c: char| (c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c)) && !SIGN_LETTERS.contains(&c);
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && is_letter(c))
}

/// Whether a text is a name without dots and back quotes.
fn is_word(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part) && !KEYWORDS.contains(text)
}

/// A name where it is used: in back quotes unless it is a word, or words joined by dots, as names of a renamed machine are.
#[must_use]
pub fn in_back_quotes(name: &str) -> Cow<'_, str> {
    // The back quotes enclose the whole name, so that it is one token. An empty name stays empty: some step of a trace has no operation.
    if name.is_empty() || name.split('.').all(is_word) { Cow::Borrowed(name) } else { Cow::Owned(format!("{QUOTE}{name}{QUOTE}")) }
}

/// A name where B allows no dots: a field of a record, or one that is declared.
#[must_use]
pub fn word_in_back_quotes(name: &str) -> Cow<'_, str> {
    if name.is_empty() || is_word(name) { Cow::Borrowed(name) } else { Cow::Owned(format!("{QUOTE}{name}{QUOTE}")) }
}

/// The name in back quotes with which a text begins, and the rest; `None` if it begins with none.
#[must_use]
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(QUOTE)?.split_once(QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [
            "x", "a.b", "é", "e\u{301}", "x_1", "Dom", "do it", "a = b", "f(x", "{", "1x", "_x", "x'", "x$0", ".a", "a..", "a.dom", "λ",
            "dom",
        ] {
            let written = in_back_quotes(name);
            let is_quoted = written != name;
            assert_eq!(is_quoted, !["x", "a.b", "é", "e\u{301}", "x_1", "Dom"].contains(&name), "{name}");
            assert_eq!(word_in_back_quotes(name) != name, is_quoted || name.contains('.'), "{name}");
            let text = format!("{written}(x = 1)");
            let read = if is_quoted { split_name(&text) } else { text.split_at_checked(name.len()) };
            assert_eq!(read, Some((name, "(x = 1)")));
        }
        assert_eq!((split_name("a`b`"), split_name("`a")), (None, None));
    }
}
