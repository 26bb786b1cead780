//! Functions with a known sum or product: `f : S --> NATURAL & SIGMA(x).(x : S | f(x) * c) = n` (or `<= n`), or `PI` with `=`.
//!
//! Values are chosen for one argument after the other: summands not larger than the rest of the sum, factors among the divisors of the
//! rest. Invariant: each function that can satisfy both conjuncts is given once; neither conjunct is used up, so that both are tested.
//! Deliberately elsewhere: functions whose values follow from each other (`recurrence`), plain function spaces (`generators`).

use super::candidate::Total;
use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::equation;
use super::equation::is_total_function;
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::{Slot, TotalPlan};
use crate::thresholds::{DIVISORS_ESTIMATE, PLAIN_FUNCTION_SPACE, SUM_ESTIMATE};
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, LocalId, PredKind};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// A sum or product over a function that another conjunct puts into a large space.
pub(super) fn total_candidate<'p>(names: &Names<'_>, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let (unbound, mut others) = (left.unbound, left.conjuncts());
    let PredKind::Compare(comparison, left, right) = &left.conjunct(at).kind else { return None };
    let is_fold = |expr: &Expr| matches!(expr.kind, ExprKind::Binder { binder: Binder::Sigma | Binder::Pi, .. });
    let (fold, total, is_exact) = match comparison {
        Comparison::Equal if is_fold(left) => (left, right, true),
        Comparison::Equal if is_fold(right) => (right, left, true),
        Comparison::Less | Comparison::LessEqual if is_fold(left) => (left, right, false),
        Comparison::Greater | Comparison::GreaterEqual if is_fold(right) => (right, left, false),
        _ => return None,
    };
    let ExprKind::Binder { binder, locals, pred, body } = &fold.kind else { return None };
    let [(index, _)] = locals.as_slice() else { return None };
    let PredKind::Compare(Comparison::Member, element, over) = &pred.kind else { return None };
    let (slot, weight) = weighted_value(names, body, *index, unbound)?;
    let is_product = *binder == Binder::Pi;
    let is_closed = |expr: &Expr| names.is_closed(expr, unbound);
    // Products only if they are given by an equation and have no weights: an upper bound of a product does not bound the factors if one
    // of them is 0.
    if !is_local(element, *index) || !is_closed(total) || !weight.is_none_or(is_closed) || is_product && (!is_exact || weight.is_some()) {
        return None;
    }
    // The membership that makes the function total on exactly the set that is summed over: a value that is not in the sum would be
    // unbounded.
    let (domain, range) = others.find_map(|(_, other)| match &other.kind {
        PredKind::Compare(Comparison::Member, member, space) if names.slot_of(member) == Some(slot) => match &space.kind {
            ExprKind::Binary(op, domain, range)
                if is_total_function(*op)
                    && is_closed(space)
                    && equation::same_set(names, domain, over)
                    && cost::set_cost(names, space) > PLAIN_FUNCTION_SPACE.get() =>
            {
                Some((&**domain, &**range))
            }
            _ => None,
        },
        _ => None,
    })?;
    let (least, greatest) = ends_of(range)?;
    let cost = choices(names, domain, total, is_product);
    let how = How::Total(Total { slot, index: *index, domain, least, greatest, weight, total, is_product, is_exact });
    Some(Candidate { cost, how, consumes: Vec::new() })
}

/// `f(x)` or `f(x) * c`: the function f, if it is unbound, and the weight c.
fn weighted_value<'p>(names: &Names<'_>, summand: &'p Expr, index: LocalId, unbound: &BTreeSet<Slot>) -> Option<(Slot, Option<&'p Expr>)> {
    let value = |expr: &Expr| match &expr.kind {
        ExprKind::Binary(BinaryOp::Apply, function, argument) if is_local(argument, index) => {
            names.slot_of(function).filter(|slot| unbound.contains(slot))
        }
        _ => None,
    };
    match &summand.kind {
        ExprKind::Binary(BinaryOp::Multiply, first, second) => match (value(first), value(second)) {
            (Some(slot), None) => Some((slot, Some(second))),
            (None, Some(slot)) => Some((slot, Some(first))),
            // A product of two values bounds neither of them if the other one is 0.
            _ => None,
        },
        _ => Some((value(summand)?, None)),
    }
}

/// An estimate of how many functions there are: the last value follows from the others.
fn choices(names: &Names<'_>, domain: &Expr, total: &Expr, is_product: bool) -> f64 {
    let free = cost::set_cost(names, domain) - 1.0;
    if is_product {
        return DIVISORS_ESTIMATE.get().powf(free);
    }
    let sum = match &total.kind {
        ExprKind::Integer(sum) => sum.to_f64().unwrap_or(f64::INFINITY).max(0.0),
        _ => SUM_ESTIMATE.get(),
    };
    // `sum` can be written as `free + 1` natural numbers in `sum + free` over `free` ways (a binomial coefficient), computed factor by
    // factor until it overflows.
    let mut choices = 1.0;
    let mut place = 1.0;
    while place <= free && choices < f64::MAX {
        choices *= (sum + place) / place;
        place += 1.0;
    }
    choices
}

pub(super) fn total_plan(compiler: &mut Compiler<'_>, found: &Total<'_>) -> TotalPlan {
    TotalPlan {
        slot: found.slot,
        index: compiler.names().local_slot(found.index),
        domain: compiler.expr(found.domain),
        least: found.least,
        greatest: found.greatest.map(|greatest| compiler.expr(greatest)),
        weight: found.weight.map(|weight| compiler.expr(weight)),
        total: compiler.expr(found.total),
        is_product: found.is_product,
        is_exact: found.is_exact,
    }
}

fn is_local(expr: &Expr, index: LocalId) -> bool {
    matches!(expr.kind, ExprKind::Local(local) if local == index)
}

/// The least value in a range, and the greatest if there is one. `None` if values may be negative, because another value may then be larger
/// than the rest of the sum.
fn ends_of(range: &Expr) -> Option<(i64, Option<&Expr>)> {
    match &range.kind {
        ExprKind::IntegerSet(IntegerSet::Natural) => Some((0, None)),
        ExprKind::IntegerSet(IntegerSet::Natural1) => Some((1, None)),
        ExprKind::Binary(BinaryOp::Interval, from, to) => match &from.kind {
            ExprKind::Integer(from) => Some((from.to_i64().filter(|from| *from >= 0)?, Some(to))),
            _ => None,
        },
        _ => None,
    }
}
