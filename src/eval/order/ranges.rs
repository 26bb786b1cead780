//! Ranges of integers: bounds that conjuncts state, and bounds that follow from several of them.
//!
//! Invariant: a conjunct counts as used up only where a bound of the range is equivalent to it. Deliberately elsewhere: bounds by linear
//! inequalities between several names (`bounds`), windows for names that nothing bounds (`within_bounds`).

use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::{equation, implied};
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::Slot;
use crate::thresholds::UNKNOWN_SET_ESTIMATE;
use bcheck_ir::build::shifted;
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, IntegerSet, PredKind, Type};
use bcheck_source::Span;

/// The values between the bounds of an integer, if it has bounds on both sides.
pub(super) fn range_candidate<'p>(names: &Names<'_>, slot: Slot, left: Unordered<'_, 'p>, offer: &mut dyn FnMut(Candidate<'p>)) {
    let number = |value: i64| Expr { kind: ExprKind::Integer(value.into()), ty: Type::Integer, span: Span::nowhere() };
    let implied = left.bounds(*names, slot);
    if let (Some(low), Some(high)) = implied
        && low > high
    {
        // No number satisfies all conjuncts, whatever its direct bounds are.
        return offer(Candidate { cost: 0.0, how: How::Range(slot, vec![number(low)], vec![number(high)]), consumes: Vec::new() });
    }
    let (lower, upper, consumes) = direct_bounds(names, slot, left);
    // One side alone leaves infinitely many values.
    if lower.is_empty() || upper.is_empty() {
        // Bounds that follow from those of other names, as in `0 < x & x < y & y < 9`. Nothing is used up: they are implied only.
        if let (Some(low), Some(high)) = implied {
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            let cost = (high.saturating_sub(low).saturating_add(1)).max(0) as f64;
            offer(Candidate { cost, how: How::Range(slot, vec![number(low)], vec![number(high)]), consumes: Vec::new() });
        }
        return;
    }
    let bound =
        |exprs: &[Expr], pick: fn(f64, f64) -> f64| exprs.iter().filter_map(|expr| cost::integer_estimate(names, expr)).reduce(pick);
    // The tightest bounds among those that can be estimated.
    let cost = match (bound(&lower, f64::max), bound(&upper, f64::min)) {
        (Some(lower), Some(upper)) => (upper - lower + 1.0).max(0.0),
        _ => UNKNOWN_SET_ESTIMATE.get(),
    };
    offer(Candidate { cost, how: How::Range(slot, lower, upper), consumes });
}

/// Lower and upper bounds of an integer that conjuncts state, and the places of the conjuncts that are equivalent to a bound.
pub(super) fn direct_bounds(names: &Names<'_>, slot: Slot, left: Unordered<'_, '_>) -> (Vec<Expr>, Vec<Expr>, Vec<usize>) {
    let unbound = left.unbound;
    let (mut lower, mut upper, mut consumes) = (Vec::new(), Vec::new(), Vec::new());
    for (at, pred) in left.about(slot) {
        let PredKind::Compare(comparison, left, right) = &pred.kind else { continue };
        if names.slot_of(left) == Some(slot) && names.is_closed(right, unbound) {
            match (comparison, &right.kind) {
                (Comparison::Less, _) => upper.push(shifted(right, -1)),
                (Comparison::LessEqual, _) => upper.push((**right).clone()),
                (Comparison::Greater, _) => lower.push(shifted(right, 1)),
                (Comparison::GreaterEqual, _) => lower.push((**right).clone()),
                (Comparison::Member, ExprKind::IntegerSet(set)) => {
                    let bound = |kind| Expr { kind, ty: Type::Integer, span: right.span };
                    match set {
                        IntegerSet::Integer => {}
                        IntegerSet::Natural | IntegerSet::Nat => lower.push(bound(ExprKind::Integer(0.into()))),
                        IntegerSet::Natural1 | IntegerSet::Nat1 => lower.push(bound(ExprKind::Integer(1.into()))),
                        IntegerSet::Int => lower.push(bound(ExprKind::MinInt)),
                    }
                    if matches!(set, IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1) {
                        upper.push(bound(ExprKind::MaxInt));
                    }
                }
                (Comparison::Member, ExprKind::Binary(BinaryOp::Interval, from, to)) => {
                    lower.push((**from).clone());
                    upper.push((**to).clone());
                }
                _ => continue,
            }
            // In this case and the next two the bound is equivalent to the conjunct. In the last two it is implied only, so the
            // conjunct is not used up.
            consumes.push(at);
        } else if names.slot_of(right) == Some(slot) && names.is_closed(left, unbound) {
            match comparison {
                Comparison::Less => lower.push(shifted(left, 1)),
                Comparison::LessEqual => lower.push((**left).clone()),
                Comparison::Greater => upper.push(shifted(left, -1)),
                Comparison::GreaterEqual => upper.push((**left).clone()),
                _ => continue,
            }
            consumes.push(at);
        } else if let Some((is_upper, bound)) = equation::linear_bound(names, slot, *comparison, left, right, unbound) {
            if is_upper {
                upper.push(bound)
            } else {
                lower.push(bound)
            }
            consumes.push(at);
        } else if let Some(bound) = implied::bound_by_function(names, slot, pred, unbound) {
            upper.push(bound);
        } else if let Some((low, high)) = equation::square_bounds(names, slot, *comparison, left, right, unbound) {
            lower.push(low);
            upper.push(high);
        }
    }
    (lower, upper, consumes)
}

/// The bounds of an integer on both sides, if it has them.
pub(super) fn range_of(names: &Names<'_>, slot: Slot, left: Unordered<'_, '_>) -> Option<(Vec<Expr>, Vec<Expr>)> {
    let mut found = None;
    range_candidate(names, slot, left, &mut |candidate| {
        if let How::Range(_, lower, upper) = candidate.how {
            found = Some((lower, upper));
        }
    });
    found
}
