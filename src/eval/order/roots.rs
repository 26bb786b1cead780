//! Equations with a product: `f * x = v` and `f * x ** n = v`, where x is the only name without a value.
//!
//! Invariant: the equation is not used up, and the name has bounds on both sides: where f is 0, all numbers between these are tried.
//! Deliberately elsewhere: equations whose factors are numbers (`equation`), the integers that solve one (`eval::run::roots`).

use super::candidate::{Candidate, How, Roots};
use super::conjunction::Unordered;
use super::ranges;
use crate::compile::Compiler;
use crate::compile::names::Names;
use crate::plan::{RootPlan, Slot};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, PredKind, Type};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// `factor * name ** exponent = value`
struct Power {
    slot: Slot,
    factor: Option<Expr>,
    exponent: u32,
    value: Expr,
}

/// The values of a name that solve an equation with a product.
pub(super) fn root_candidate<'p>(names: &Names<'_>, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let PredKind::Compare(Comparison::Equal, one, other) = &left.conjunct(at).kind else { return None };
    let sides = [(one, other), (other, one)];
    let known = sides.into_iter().filter(|(_, value)| names.is_closed(value, left.unbound));
    let Power { slot, factor, exponent, value } =
        known.into_iter().find_map(|(side, value)| power_equation(names, side, (**value).clone(), left.unbound))?;
    let (lower, upper, _) = ranges::direct_bounds(names, slot, left);
    if lower.is_empty() || upper.is_empty() {
        return None;
    }
    let how = How::Roots(Roots { slot, factor, exponent, value, lower, upper });
    // Most numbers are not powers, and most do not divide another one.
    Some(Candidate { cost: 0.5, how, consumes: Vec::new() })
}

/// The only name without a value in `expr = value`, and the power of it that the equation determines.
fn power_equation(names: &Names<'_>, expr: &Expr, value: Expr, unbound: &BTreeSet<Slot>) -> Option<Power> {
    let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
    let to_other_side = |op, value: Expr, known: &Expr| Expr {
        span: value.span,
        ty: Type::Integer,
        kind: ExprKind::Binary(op, Box::new(value), Box::new(known.clone())),
    };
    let sides = [(left, right), (right, left)];
    match op {
        _ if expr.ty != Type::Integer => None,
        BinaryOp::Add => sides.into_iter().find_map(|(known, rest)| {
            let is_known = names.is_closed(known, unbound);
            is_known.then(|| power_equation(names, rest, to_other_side(BinaryOp::Subtract, value.clone(), known), unbound))?
        }),
        BinaryOp::Subtract if names.is_closed(right, unbound) => {
            power_equation(names, left, to_other_side(BinaryOp::Add, value, right), unbound)
        }
        BinaryOp::Subtract if names.is_closed(left, unbound) => {
            power_equation(names, right, to_other_side(BinaryOp::Subtract, (**left).clone(), &value), unbound)
        }
        BinaryOp::Multiply | BinaryOp::Power => match power(names, expr, unbound) {
            Some((slot, exponent)) => Some(Power { slot, factor: None, exponent, value }),
            None if *op == BinaryOp::Power => None,
            None => sides.into_iter().find_map(|(factor, rest)| {
                let (slot, exponent) = power(names, rest, unbound).filter(|_| names.is_closed(factor, unbound))?;
                Some(Power { slot, factor: Some((**factor).clone()), exponent, value: value.clone() })
            }),
        },
        _ => None,
    }
}

/// `x`, `x * x` and `x ** n`, where x has no value: the name and the exponent.
fn power(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>) -> Option<(Slot, u32)> {
    let name = |expr: &Expr| names.slot_of(expr).filter(|slot| unbound.contains(slot));
    if let Some(slot) = name(expr) {
        return Some((slot, 1));
    }
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Multiply, left, right) => {
            name(left).filter(|slot| names.slot_of(right) == Some(*slot)).map(|slot| (slot, 2))
        }
        ExprKind::Binary(BinaryOp::Power, base, exponent) => {
            let ExprKind::Integer(exponent) = &exponent.kind else { return None };
            // `x ** 0` is 1 for each x.
            Some((name(base)?, exponent.to_u32().filter(|exponent| *exponent > 0)?))
        }
        _ => None,
    }
}

/// The plan of an equation.
pub(super) fn root_plan(compiler: &mut Compiler<'_>, found: &Roots) -> RootPlan {
    RootPlan {
        slot: found.slot,
        factor: found.factor.as_ref().map(|factor| compiler.expr(factor)),
        exponent: found.exponent,
        value: compiler.expr(&found.value),
        lower: compiler.exprs(&found.lower),
        upper: compiler.exprs(&found.upper),
    }
}
