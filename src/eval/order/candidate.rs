//! Candidates for the next action of a search, as the analyses of this folder offer them.
//!
//! Invariant: a candidate gives every value that the names can have where the conjuncts hold. Deliberately elsewhere: which one is taken
//! (`mod`).

use crate::eval::plan::{Search, Slot};
use crate::ir::{Expr, LocalId};
use std::borrow::Cow;

/// A generator of values for some names.
pub(super) struct Candidate<'p> {
    /// Estimated number of values.
    pub(super) cost: f64,
    pub(super) how: How<'p>,
    /// Positions of conjuncts that it makes true.
    pub(super) consumes: Vec<usize>,
}

/// The action of a candidate, compiled only when it is chosen.
pub(super) enum How<'p> {
    /// `pattern = expr`
    Bind(&'p Expr, &'p Expr),
    /// `constant = expr`, where closures in the expression read the constant itself.
    Recursive(Slot, &'p Expr),
    /// `slot = expr` after solving a linear equation.
    Solve(Slot, Expr),
    /// `pattern : set`
    Each(&'p Expr, Cow<'p, Expr>),
    /// `slot <: set`
    Subset(Slot, Cow<'p, Expr>),
    /// A function, value after value.
    Recurrence(Recurrence<'p>),
    /// A function of which a sum or product is known.
    Total(Total<'p>),
    /// The parts of a sequence.
    Parts(Slot, &'p Expr),
    /// Integer bounds.
    Range(Slot, Vec<Expr>, Vec<Expr>),
    /// The values that one of several searches gives to the names.
    Branches(Vec<Slot>, Vec<Search>),
    /// The values of a type.
    Values(Slot, Expr),
}

/// The parts of a recurrence.
pub(super) struct Recurrence<'p> {
    pub(super) slot: Slot,
    pub(super) index: LocalId,
    /// The argument that the conclusion applies the function to, less the index.
    pub(super) offset: i64,
    /// The least argument.
    pub(super) from: &'p Expr,
    /// The last value of the index.
    pub(super) to: &'p Expr,
    /// The values of the first arguments, ascending.
    pub(super) firsts: Vec<&'p Expr>,
    pub(super) step: &'p Expr,
}

/// A function of which a sum or product is known.
pub(super) struct Total<'p> {
    pub(super) slot: Slot,
    pub(super) index: LocalId,
    pub(super) domain: &'p Expr,
    pub(super) least: i64,
    pub(super) greatest: Option<&'p Expr>,
    pub(super) weight: Option<&'p Expr>,
    pub(super) total: &'p Expr,
    pub(super) is_product: bool,
    pub(super) is_exact: bool,
}
