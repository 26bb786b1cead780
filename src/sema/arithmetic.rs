//! Constant folding of arithmetic in settings, sizes and attributes of pictures.
//!
//! Invariant: an expression that overflows 64 bits, or is ill-defined in B, has no value. Deliberately elsewhere: arithmetic of the
//! evaluator (`value`).

use bcheck_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The value of a constant integer expression, if it fits 64 bits.
pub(super) fn value(expr: &Expr) -> Option<i64> {
    value_with(expr, &|_| None)
}

/// As [`value`], with the values of some expressions known.
pub(super) fn value_with(expr: &Expr, known: &dyn Fn(&Expr) -> Option<i64>) -> Option<i64> {
    let value = |expr: &Expr| value_with(expr, known);
    match &expr.kind {
        ExprKind::Integer(digits) => digits.parse().ok(),
        ExprKind::Unary(UnaryOp::Negate, inner) => match &inner.kind {
            // The least number has no positive counterpart.
            ExprKind::Integer(digits) => format!("-{digits}").parse().ok(),
            _ => value(inner)?.checked_neg(),
        },
        // Overflow has no value, as the evaluator's integers are unbounded: a wrapped result would be another number.
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (value(left)?, value(right)?);
            match op {
                BinaryOp::Plus => left.checked_add(right),
                BinaryOp::Minus => left.checked_sub(right),
                BinaryOp::Times => left.checked_mul(right),
                BinaryOp::Divide => left.checked_div(right),
                // Elsewhere B's mod is ill-defined.
                BinaryOp::Modulo if left >= 0 && right > 0 => Some(left % right),
                BinaryOp::Power => left.checked_pow(u32::try_from(right).ok()?),
                _ => None,
            }
        }
        _ => known(expr),
    }
}
