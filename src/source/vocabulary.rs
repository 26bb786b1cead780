//! Options with named values, which have the same spelling on the command line, in reports and in comments of machines.
//!
//! Invariant: names differ within a vocabulary, and each member is listed. Deliberately elsewhere: how options are parsed (`cli`).

/// A closed list of choices.
pub trait Vocabulary: Copy + PartialEq + Send + Sync + 'static {
    /// All of them, in the order of `--help`.
    const ALL: &'static [Self];

    /// The name, as it is typed and printed.
    fn word(self) -> &'static str;

    /// The meaning, for `--help`; empty where the name suffices.
    fn help(self) -> &'static str;

    /// The choice of this name.
    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.word() == word)
    }
}

/// Names and meanings of a vocabulary, one row for each choice.
#[macro_export]
macro_rules! vocabulary {
    ($of:ty, $($choice:ident: $word:literal, $help:literal;)+) => {
        impl $crate::Vocabulary for $of {
            // Complete because `word` below matches exhaustively over the same rows.
            const ALL: &'static [Self] = &[$(Self::$choice),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$choice => $word,)+
                }
            }

            fn help(self) -> &'static str {
                match self {
                    $(Self::$choice => $help,)+
                }
            }
        }
    };
}
