//! The reasons why an expression is ill-defined.
//!
//! Invariant: the texts name no elements and no source places, so that they are the same in every run. Deliberately elsewhere: the place
//! (`eval`), and the text of the values that a reason carries ([`display`](super::display::display)).

use super::Value;
use thiserror::Error;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllDefined {
    /// `f(x)` where x is not in dom(f).
    #[error("the function is applied outside its domain")]
    NotInDomain {
        /// x
        argument: Value,
    },
    /// `f(x)` where f relates x to several values.
    #[error("a relation that is not a function is applied: it relates the argument to several values")]
    NotAFunction {
        /// x
        argument: Value,
        /// One value related to x.
        first: Value,
        /// Another one.
        second: Value,
    },
    /// `x / 0`, `x mod 0`
    #[error("division by zero")]
    DivisionByZero,
    /// `x mod y` with x < 0 or y < 0.
    #[error("mod is defined for a dividend that is not negative and a positive divisor only")]
    ModuloOfNegative,
    /// `x ** y` with y < 0.
    #[error("the exponent is negative")]
    NegativeExponent,
    /// `min({})`
    #[error("min of the empty set")]
    MinOfEmpty,
    /// `max({})`
    #[error("max of the empty set")]
    MaxOfEmpty,
    /// `min(S)` of a set without a lower bound.
    #[error("min of a set that has no least element")]
    MinOfUnbounded,
    /// `max(S)` of a set without an upper bound.
    #[error("max of a set that has no greatest element")]
    MaxOfUnbounded,
    /// `inter({})`, `INTER` over nothing.
    #[error("intersection of no sets")]
    InterOfEmpty,
    /// A sequence operator on a relation whose domain is not `1..n`, or that is not a function.
    #[error("the operand is not a sequence")]
    NotASequence,
    /// `first`, `last`, `front` or `tail` of the empty sequence.
    #[error("{0} of the empty sequence")]
    EmptySequence(&'static str),
    /// `s /|\ n` or `s \|/ n` with n outside `0..size(s)`.
    #[error("the number of elements to keep or drop is outside 0..size of the sequence")]
    IndexOutOfRange,
    /// `card(S)` of an infinite set.
    #[error("card of an infinite set")]
    CardOfInfinite,
    /// An operator that needs a finite set got an infinite one.
    #[error("{0} of an infinite set")]
    NotFinite(&'static str),
    /// `iterate(r, n)` with n < 0.
    #[error("iterate with a negative number of steps")]
    NegativeIteration,
    /// A function of ProB's libraries outside its domain.
    #[error("{0}")]
    LibraryFunction(&'static str),
    /// A record without the wanted field.
    #[error("the record has no field {0}")]
    NoSuchField(String),
}
