//! Candidates for the next action of a search, as proposed by the analyses of this folder.
//!
//! Invariant: a candidate generates every value that its names can have where the conjuncts hold, except integers outside of a noted
//! window (`within_bounds`). Deliberately elsewhere: which candidate is chosen (`generators`, `greedy`).

use crate::plan::{Search, Slot, TriedRange};
use bcheck_ir::{Expr, LocalId};
use std::borrow::Cow;

/// A generator of values for some names.
pub(super) struct Candidate<'p> {
    /// Estimated number of values.
    pub(super) cost: f64,
    pub(super) how: How<'p>,
    /// The indices of the conjuncts that it implies, which need not be tested.
    pub(super) consumes: Vec<usize>,
}

/// The action of a candidate, compiled only when it is chosen.
pub(super) enum How<'p> {
    /// `pattern = expr`
    Bind(&'p Expr, &'p Expr),
    /// `constant = expr`, where closures in the expression apply the constant itself.
    Recursive(Slot, &'p Expr),
    /// `slot = expr` after solving a linear equation.
    Solve(Slot, Expr),
    /// `pattern : set`
    Each(&'p Expr, Cow<'p, Expr>),
    /// `slot <: set`
    Subset(Slot, Cow<'p, Expr>),
    /// The function defined by a recurrence.
    Recurrence(Recurrence<'p>),
    /// The functions with a known sum or product.
    Total(Total<'p>),
    /// The integers that solve an equation with a product.
    Roots(Roots),
    /// The contiguous subsequences of a sequence.
    Parts(Slot, &'p Expr),
    /// The integers between the largest lower and the smallest upper bound.
    Range(Slot, Vec<Expr>, Vec<Expr>),
    /// The values of the names in any of several searches.
    Branches(Vec<Slot>, Vec<Search>),
    /// The elements of a set of all values of a type.
    Values(Slot, Expr),
    /// Another candidate, restricted to a range of numbers.
    Within(TriedRange, Box<How<'p>>),
}

/// `factor * slot ** exponent = value`, and bounds of the name; the fields are those of the plan.
pub(super) struct Roots {
    pub(super) slot: Slot,
    pub(super) factor: Option<Expr>,
    pub(super) exponent: u32,
    pub(super) value: Expr,
    pub(super) lower: Vec<Expr>,
    pub(super) upper: Vec<Expr>,
}

/// A recurrence as found in its conjuncts.
pub(super) struct Recurrence<'p> {
    pub(super) slot: Slot,
    pub(super) index: LocalId,
    /// The argument in the conclusion is the index plus this.
    pub(super) offset: i64,
    /// The least argument.
    pub(super) from: &'p Expr,
    /// The last value of the index.
    pub(super) to: &'p Expr,
    /// The values of the first arguments, ascending.
    pub(super) firsts: Vec<&'p Expr>,
    pub(super) step: &'p Expr,
}

/// A function with a known sum or product, as found in its conjuncts; the fields are those of the plan.
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
