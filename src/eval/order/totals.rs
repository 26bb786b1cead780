//! Functions of which a sum or product is known: `f : S --> NATURAL & SIGMA(x).(x : S | f(x) * c) = n` (`<= n` too), or `PI` with `=`.
//!
//! Values are chosen for one argument after the other, none larger than what is left, and factors among the divisors.
//! Invariant: each function that can satisfy both conjuncts is given once; neither is used up, so that both are tested.
//! Deliberately elsewhere: functions whose values follow from each other (`recurrence`), and plain function spaces (`order`).

use super::candidate::Total;
use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::equation::is_total_function;
use crate::eval::compile::Compiler;
use crate::eval::compile::names::Names;
use crate::eval::plan::TotalPlan;
use crate::ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, PredKind};
use num_traits::ToPrimitive;

/// Smaller function spaces are enumerated as they are.
const PLAIN_BELOW: f64 = 10_000.0;

/// The number of divisors that a number is expected to have, and the sum assumed where the text does not give it.
const DIVISORS: f64 = 16.0;
const USUAL_SUM: f64 = 1_000.0;

impl Names<'_> {
    /// A sum or product over a function that another conjunct puts into a large space.
    pub(super) fn total_candidate<'p>(&self, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
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
        let is_index = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == *index);
        let PredKind::Compare(Comparison::Member, element, over) = &pred.kind else { return None };
        let value = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Apply, function, argument) if is_index(argument) => {
                self.slot_of(function).filter(|slot| unbound.contains(slot))
            }
            _ => None,
        };
        let (slot, weight) = match &body.kind {
            ExprKind::Binary(BinaryOp::Multiply, first, second) => match (value(first), value(second)) {
                (Some(slot), None) => (slot, Some(&**second)),
                (None, Some(slot)) => (slot, Some(&**first)),
                _ => return None,
            },
            _ => (value(body)?, None),
        };
        let is_product = *binder == Binder::Pi;
        let is_closed = |expr: &Expr| self.is_closed(expr, unbound);
        // Products are handled only if they are known exactly and have no weights: a bound on a product does not bound its factors where
        // one is 0.
        if !is_index(element) || !is_closed(total) || !weight.is_none_or(is_closed) || is_product && (!is_exact || weight.is_some()) {
            return None;
        }
        let (domain, range) = others.find_map(|(_, other)| match &other.kind {
            PredKind::Compare(Comparison::Member, member, space) if self.slot_of(member) == Some(slot) => match &space.kind {
                ExprKind::Binary(op, domain, range)
                    if is_total_function(*op) && is_closed(space) && self.same_set(domain, over) && self.set_cost(space) > PLAIN_BELOW =>
                {
                    Some((&**domain, &**range))
                }
                _ => None,
            },
            _ => None,
        })?;
        // No value may be negative: otherwise a summand could be larger than what is left.
        let (least, greatest) = match &range.kind {
            ExprKind::IntegerSet(IntegerSet::Natural) => (0, None),
            ExprKind::IntegerSet(IntegerSet::Natural1) => (1, None),
            ExprKind::Binary(BinaryOp::Interval, from, to) => match &from.kind {
                ExprKind::Integer(from) => (from.to_i64().filter(|from| *from >= 0)?, Some(&**to)),
                _ => return None,
            },
            _ => return None,
        };
        let cost = self.choices(domain, total, is_product);
        let how = How::Total(Total { slot, index: *index, domain, least, greatest, weight, total, is_product, is_exact });
        Some(Candidate { cost, how, consumes: Vec::new() })
    }

    /// An estimate of how many functions there are: the last value follows from the others.
    fn choices(&self, domain: &Expr, total: &Expr, is_product: bool) -> f64 {
        let free = self.set_cost(domain) - 1.0;
        if is_product {
            return DIVISORS.powf(free);
        }
        let sum = match &total.kind {
            ExprKind::Integer(sum) => sum.to_f64().unwrap_or(f64::INFINITY).max(0.0),
            _ => USUAL_SUM,
        };
        // The number of ways to write `sum` as `free + 1` summands from 0 on is the binomial coefficient of `sum + free` over `free`. It is
        // computed factor by factor, and may stop at infinity.
        let mut choices = 1.0;
        let mut place = 1.0;
        while place <= free && choices < f64::MAX {
            choices *= (sum + place) / place;
            place += 1.0;
        }
        choices
    }
}

impl Compiler<'_> {
    pub(super) fn total(&mut self, found: &Total<'_>) -> TotalPlan {
        TotalPlan {
            slot: found.slot,
            index: self.names().local_slot(found.index),
            domain: self.expr(found.domain),
            least: found.least,
            greatest: found.greatest.map(|greatest| self.expr(greatest)),
            weight: found.weight.map(|weight| self.expr(weight)),
            total: self.expr(found.total),
            is_product: found.is_product,
            is_exact: found.is_exact,
        }
    }
}
