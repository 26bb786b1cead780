//! The numbers that a model writes down, and what in it depends on MININT and MAXINT.
//!
//! Invariant: the number of `-5` is -5, and not 5. Deliberately elsewhere: what the bounds are (`sema::scope`).

use super::{Expr, ExprKind, IntegerSet, Model, Node, UnaryOp, walk_pred, walk_subst};
use num_traits::ToPrimitive;

/// Whether the value of an expression directly depends on MININT or MAXINT.
#[must_use]
pub fn speaks_of_bounds(expr: &Expr) -> bool {
    use IntegerSet::{Int, Nat, Nat1};
    matches!(expr.kind, ExprKind::IntegerSet(Nat | Nat1 | Int) | ExprKind::MinInt | ExprKind::MaxInt)
}

impl Model {
    /// Visits every node of PROPERTIES, INVARIANT, ASSERTIONS, the initialisation and all operations.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(Node<'a>)) {
        self.properties.iter().for_each(|conjunct| walk_pred(&conjunct.pred, visit));
        self.walk_states(visit);
    }

    /// As [`Self::walk`], without PROPERTIES, and with the goal and SCOPE.
    pub fn walk_states<'a>(&'a self, visit: &mut dyn FnMut(Node<'a>)) {
        let of_states = self.invariant.iter().map(|conjunct| &conjunct.pred).chain(self.assertions.iter().map(|assertion| &assertion.pred));
        of_states.chain(&self.goal).chain(&self.expanded).for_each(|pred| walk_pred(pred, visit));
        walk_subst(&self.initialisation, visit);
        self.operations.values().for_each(|operation| walk_subst(&operation.body, visit));
    }

    /// The least and the greatest number written in the text of the machine and of those that it uses; 0 and 0 without any. Numbers that
    /// cannot be a bound are left out.
    #[must_use]
    pub fn least_and_greatest_number(&self) -> (i64, i64) {
        let (mut least, mut greatest) = (0, 0);
        // The number below a minus sign, which is visited after it.
        let mut negated: Option<*const Expr> = None;
        self.walk(&mut |node| {
            let Node::Expr(expr) = node else { return };
            let number = match &expr.kind {
                ExprKind::Unary(UnaryOp::Negate, inner) => {
                    let ExprKind::Integer(number) = &inner.kind else { return };
                    negated = Some(&raw const **inner);
                    (-number).to_i64()
                }
                ExprKind::Integer(_) if negated == Some(std::ptr::from_ref(expr)) => None,
                ExprKind::Integer(number) => number.to_i64(),
                _ => None,
            };
            let Some(number) = number else { return };
            (least, greatest) = (number.min(least), number.max(greatest));
        });
        (least, greatest)
    }
}
