//! Integer bounds that follow from a conjunction of comparisons between names and constants.
//!
//! Invariant: the interval found contains every value that the name can have where all conjuncts hold; an empty interval
//! (low > high) proves that there is none. Bellman-Ford style propagation of `x + c <= y`, cut off after a fixed number of rounds,
//! so that divergence (`x < y & y < x`) ends.

use super::compile::Compiler;
use super::plan::Slot;
use crate::ir::{BinaryOp, Comparison, Expr, ExprKind, IntegerSet, Pred, PredKind, UnaryOp};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// How often bounds are passed on.
const ROUNDS: usize = 12;

/// A name plus a number, or only a number.
type Linear = (Option<Slot>, i64);

/// The interval of a name, when both ends follow.
pub(super) fn derived(compiler: &Compiler<'_>, slot: Slot, conjuncts: &[&Pred], remaining: &[usize]) -> Option<(i64, i64)> {
    // Each entry says: left + gap <= right.
    let mut rules: Vec<(Linear, i64, Linear)> = Vec::new();
    for &at in remaining {
        let PredKind::Compare(comparison, left, right) = &conjuncts[at].kind else { continue };
        if *comparison == Comparison::Member {
            if let Some(left) = linear(compiler, left) {
                members(compiler, left, right, &mut rules);
            }
            continue;
        }
        let (Some(left), Some(right)) = (linear(compiler, left), linear(compiler, right)) else { continue };
        match comparison {
            Comparison::Less => rules.push((left, 1, right)),
            Comparison::LessEqual => rules.push((left, 0, right)),
            Comparison::Greater => rules.push((right, 1, left)),
            Comparison::GreaterEqual => rules.push((right, 0, left)),
            Comparison::Equal => rules.extend([(left, 0, right), (right, 0, left)]),
            _ => {}
        }
    }
    let mut low: BTreeMap<Slot, i64> = BTreeMap::new();
    let mut high: BTreeMap<Slot, i64> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for &((left, a), gap, (right, b)) in &rules {
            // left + a + gap <= right + b
            let least = left
                .map_or(Some(0), |slot| low.get(&slot).copied())
                .and_then(|value| value.checked_add(a)?.checked_add(gap)?.checked_sub(b));
            if let (Some(right), Some(least)) = (right, least) {
                let bound = low.entry(right).or_insert(least);
                *bound = least.max(*bound);
            }
            let most = right
                .map_or(Some(0), |slot| high.get(&slot).copied())
                .and_then(|value| value.checked_add(b)?.checked_sub(gap)?.checked_sub(a));
            if let (Some(left), Some(most)) = (left, most) {
                let bound = high.entry(left).or_insert(most);
                *bound = most.min(*bound);
            }
        }
    }
    Some((*low.get(&slot)?, *high.get(&slot)?))
}

fn members(compiler: &Compiler<'_>, element: Linear, set: &Expr, rules: &mut Vec<(Linear, i64, Linear)>) {
    let number = |value| (None, value);
    match &set.kind {
        ExprKind::IntegerSet(which) => {
            match which {
                IntegerSet::Integer => {}
                IntegerSet::Natural | IntegerSet::Nat => rules.push((number(0), 0, element)),
                IntegerSet::Natural1 | IntegerSet::Nat1 => rules.push((number(1), 0, element)),
                IntegerSet::Int => rules.push((number(compiler.context.scope.minint), 0, element)),
            }
            if matches!(which, IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1) {
                rules.push((element, 0, number(compiler.context.scope.maxint)));
            }
        }
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            rules.extend(linear(compiler, from).map(|from| (from, 0, element)));
            rules.extend(linear(compiler, to).map(|to| (element, 0, to)));
        }
        _ => {}
    }
}

/// The expression as a name plus a number, if it has this form.
fn linear(compiler: &Compiler<'_>, expr: &Expr) -> Option<Linear> {
    if let Some(slot) = compiler.slot_of(expr) {
        return Some((Some(slot), 0));
    }
    match &expr.kind {
        ExprKind::Integer(value) => Some((None, value.to_i64()?)),
        ExprKind::MinInt => Some((None, compiler.context.scope.minint)),
        ExprKind::MaxInt => Some((None, compiler.context.scope.maxint)),
        ExprKind::Unary(UnaryOp::Negate, inner) => match linear(compiler, inner)? {
            (None, value) => Some((None, value.checked_neg()?)),
            (Some(_), _) => None,
        },
        ExprKind::Binary(BinaryOp::Add, left, right) => match (linear(compiler, left)?, linear(compiler, right)?) {
            ((slot, a), (None, b)) | ((None, a), (slot, b)) => Some((slot, a.checked_add(b)?)),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Subtract, left, right) => match (linear(compiler, left)?, linear(compiler, right)?) {
            ((slot, a), (None, b)) => Some((slot, a.checked_sub(b)?)),
            _ => None,
        },
        _ => None,
    }
}
