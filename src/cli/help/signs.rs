//! The signs, constants and functions of formulas in words: the last column of the table of operators (`source`).
//!
//! Invariant: an example is a true predicate with integers from -1 to 3. Deliberately elsewhere: substitutions and clauses (`statements`).

use super::language_words::{LanguageWords, words};

macro_rules! rows {
    ([] $({
        ($token:ident $word:literal $($spelling:literal)*) $syntax:tt $core:tt $types:tt ($form:literal, $meaning:literal, $example:literal)
    })*) => {
        /// All rows, topic by topic.
        pub(super) const SIGNS: &[LanguageWords] = &[$(words($word, $form, $meaning, $example),)*];
    };
}
bcheck_source::operators!(rows);
