//! The branches around a search: how deep they are nested, and how many more may be ordered.
//!
//! Invariant: an order and the orders of its branches share one budget. Deliberately elsewhere: the branches themselves (`branches`).

use crate::thresholds::BRANCH_DEPTH;
use std::cell::Cell;

/// The branches around a search. They share the budget of the order that they belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branching<'b> {
    pub(super) depth: usize,
    /// How many more branches of disjunctions and the like may be ordered.
    left: &'b Cell<usize>,
}

impl<'b> Branching<'b> {
    /// None, with the budget of a new order.
    pub(super) fn outermost(left: &'b Cell<usize>) -> Self {
        Self { depth: 0, left }
    }

    /// Those around a search in one of the next branches.
    pub(super) fn inside(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Takes a branch from the budget.
    pub(super) fn take_one(self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    /// Whether disjunctions and the like may become branches of this search.
    pub(super) fn may_branch(self) -> bool {
        self.depth < BRANCH_DEPTH.get() && self.left.get() > 0
    }
}
