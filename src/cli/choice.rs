//! Options whose value is a word of a vocabulary; `--help` lists the words with their meanings.
//!
//! Invariant: options accept the words that reports print, and no others. Deliberately elsewhere: the words (the types themselves).

use bcheck_source::Vocabulary;
use bcheck_symmetry::Mode;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the words of a vocabulary.
pub(super) fn choice<T: Vocabulary>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| possible(*choice)))
        .map(|word| T::of_word(&word).expect("only words of the vocabulary are possible"))
}

fn possible<T: Vocabulary>(choice: T) -> PossibleValue {
    let value = PossibleValue::new(choice.word());
    if choice.help().is_empty() { value } else { value.help(choice.help()) }
}

/// `--symmetry` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedArg {
    /// One mode, against no reduction
    One(Mode),
    /// All of them, against each other
    All,
}

/// `--merge`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MergeArg {
    /// The operations that they enable
    Signature,
}

/// `--labels`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum LabelsArg {
    /// The operation with its arguments and results, how many steps the edge stands for, and the permutation of its end
    #[default]
    Counted,
    /// The operation with its arguments and results only, as tools that compare labels need it
    Plain,
}

/// A parser of the `--symmetry` of a comparison.
pub(crate) fn compared() -> impl TypedValueParser<Value = ComparedArg> {
    const ALL: &str = "all";
    let modes = Mode::ALL.iter().map(|mode| possible(*mode));
    let all = PossibleValue::new(ALL).help("Each of these in turn, in one table");
    PossibleValuesParser::new(modes.chain([all])).map(|word| Mode::of_word(&word).map_or(ComparedArg::All, ComparedArg::One))
}
