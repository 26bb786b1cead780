//! Why an operator has no value for its operands (well-definedness).
//!
//! Invariant: the text names no element; whoever prints it prints the values with the machine's names.

use super::Value;

/// A reason why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllDefined {
    /// Function application outside the domain.
    #[error("the function is applied outside its domain")]
    NotInDomain(Value),
}
