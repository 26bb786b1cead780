//! Words and signs of the core language's sets of integers and binders, as B writes them.
//!
//! Invariant: one notation for each. Deliberately elsewhere: those of operators (`operator`), the positions of operands (`formula_text`).

use super::{Binder, IntegerSet};

impl IntegerSet {
    /// Its name.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Natural => "NATURAL",
            Self::Natural1 => "NATURAL1",
            Self::Int => "INT",
            Self::Nat => "NAT",
            Self::Nat1 => "NAT1",
        }
    }

    /// Whether it has infinitely many integers.
    #[must_use]
    pub fn is_infinite(self) -> bool {
        matches!(self, Self::Integer | Self::Natural | Self::Natural1)
    }
}

impl Binder {
    /// Its sign or word.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Lambda => "%",
            Self::Union => "UNION",
            Self::Inter => "INTER",
            Self::Sigma => "SIGMA",
            Self::Pi => "PI",
        }
    }
}
