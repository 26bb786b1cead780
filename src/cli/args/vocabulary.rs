//! Options whose value is a word of a vocabulary; `--help` lists the words with their meanings.
//!
//! Invariant: options accept the words that reports print, and no others. Deliberately elsewhere: the words (the types themselves).

use bcheck_source::Vocabulary;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the words of a vocabulary.
pub(crate) fn choice<T: Vocabulary>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| possible(*choice)))
        .map(|word| T::of_word(&word).expect("only words of the vocabulary are possible"))
}

pub(super) fn possible<T: Vocabulary>(choice: T) -> PossibleValue {
    let value = PossibleValue::new(choice.word());
    if choice.help().is_empty() { value } else { value.help(choice.help()) }
}
