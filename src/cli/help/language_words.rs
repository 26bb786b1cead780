//! A row of the tables that explain the language B.
//!
//! Invariant: no meaning is empty. Deliberately elsewhere: the tables (`signs`, `statements`).

/// A sign or keyword.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanguageWords {
    /// Its spelling in ASCII, if it has one.
    pub(crate) word: &'static str,
    /// Its notation with operands.
    pub(crate) form: &'static str,
    /// Its meaning: a sentence without a full stop.
    pub(crate) meaning: &'static str,
    /// A true predicate, a substitution, or a clause that contains it.
    pub(crate) example: &'static str,
}

/// A row of a table.
pub(super) const fn words(word: &'static str, form: &'static str, meaning: &'static str, example: &'static str) -> LanguageWords {
    LanguageWords { word, form, meaning, example }
}
