//! Functions given by a recurrence, such as running totals: `f(1) = e & !i.(i : 2 .. n => f(i) = E)`, where E reads f at `i - 1` only; with
//! k first values, at `i - 1` to `i - k`. `f(i + 1) = E` is the same with another index.
//!
//! Invariant: the function found is the only one on `1 .. n` that can satisfy these conjuncts; none of them is used up, so that all are
//! tested. Deliberately elsewhere: functions that do not read themselves (`equation`), constants defined by recursion
//! (`compile::recursion`).

use super::candidate::Recurrence;
use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::equation;
use super::equation::is_total_function;
use crate::compile::Compiler;
use crate::compile::names::Names;
use crate::plan::{RecurrencePlan, Slot};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, walk_expr};
use bcheck_value::Integer;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// A quantifier that, together with equations for the first values, gives all values of a function one after the other.
pub(super) fn recurrence_candidate<'p>(names: &Names<'_>, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let unbound = left.unbound;
    let PredKind::Forall(locals, body) = &left.conjunct(at).kind else { return None };
    let PredKind::Implies(hypothesis, conclusion) = &body.kind else { return None };
    let [(index, Type::Integer)] = locals.as_slice() else { return None };
    let PredKind::Compare(Comparison::Member, element, range) = &hypothesis.kind else { return None };
    let ExprKind::Binary(BinaryOp::Interval, begin, to) = &range.kind else { return None };
    // The index itself is in a known interval, not an expression of it.
    if distance(element, *index) != Some(0) || !names.is_closed(range, unbound) {
        return None;
    }
    let (slot, offset, step) = readings(conclusion).find_map(|(function, argument, step)| {
        let slot = names.slot_of(function).filter(|slot| unbound.contains(slot))?;
        Some((slot, distance(argument, *index)?, step))
    })?;
    // `next` begins as the least argument whose value the quantifier gives. From there, equations `f(k) = e` are followed down as long
    // as there are any: then `next` is the least argument with a known value.
    let mut given: Vec<(&Expr, &Expr)> = Vec::new();
    let mut next = literal(begin)?.checked_add(offset)?;
    let known = |wanted: i64| {
        left.conjuncts().flat_map(|(_, other)| readings(other)).find_map(|(function, argument, value)| {
            let is_wanted = names.slot_of(function) == Some(slot) && literal(argument) == Some(wanted) && names.is_closed(value, unbound);
            is_wanted.then_some((argument, value))
        })
    };
    while let Some(first) = known(next.checked_sub(1)?) {
        // The arguments descend, and the list is to be ascending.
        given.insert(0, first);
        next -= 1;
    }
    let (from, _) = *given.first()?;
    // The step reaches back no farther than the number of given values, so it reads only values that have been computed.
    if !reads_those_before(names, step, slot, *index, offset, given.len(), unbound) {
        return None;
    }
    let has_domain = |other: &Pred| match &other.kind {
        PredKind::Compare(Comparison::Member, member, space) if names.slot_of(member) == Some(slot) => {
            is_total_on(names, space, from, to, offset)
        }
        _ => false,
    };
    // The values at `from .. to + offset` are known; they determine f if that is its whole domain.
    if !left.conjuncts().any(|(_, other)| has_domain(other)) {
        return None;
    }
    let firsts = given.into_iter().map(|(_, value)| value).collect();
    let how = How::Recurrence(Recurrence { slot, index: *index, offset, from, to, firsts, step });
    Some(Candidate { cost: 0.5, how, consumes: Vec::new() })
}

/// Whether an expression is closed but for an index and a function, which it applies only to `index + offset - d` with d from 1 to
/// `reach`.
fn reads_those_before(
    names: &Names<'_>,
    step: &Expr,
    function: Slot,
    index: LocalId,
    offset: i64,
    reach: usize,
    unbound: &BTreeSet<Slot>,
) -> bool {
    let (mut reads, mut others) = (0, 0);
    walk_expr(step, &mut |node| {
        let Node::Expr(expr) = node else { return };
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Apply, applied, argument) if names.slot_of(applied) == Some(function) => {
                let back = distance(argument, index).and_then(|distance| offset.checked_sub(distance));
                reads += usize::from(back.and_then(|back| usize::try_from(back).ok()).is_some_and(|back| (1..=reach).contains(&back)));
            }
            _ if names.slot_of(expr) == Some(function) => others += 1,
            _ => {}
        }
    });
    let open: BTreeSet<Slot> = unbound.iter().copied().filter(|slot| *slot != function).collect();
    // The walk meets the function of each application by itself too, so the counts agree if there is no other occurrence.
    reads == others && names.is_closed(step, &open)
}

/// Whether all members of a set, or of the set that a constant is defined as, are total functions on `from .. to + offset`.
fn is_total_on(names: &Names<'_>, space: &Expr, from: &Expr, to: &Expr, offset: i64) -> bool {
    match &space.kind {
        ExprKind::Binary(op, domain, _) if is_total_function(*op) => match &domain.kind {
            ExprKind::Binary(BinaryOp::Interval, low, high) => equation::same_set(names, low, from) && is_beyond(names, high, to, offset),
            _ => false,
        },
        ExprKind::Constant(_) => names.model.properties.iter().any(|conjunct| match &conjunct.pred.kind {
            PredKind::Compare(Comparison::Equal, name, value) => {
                names.slot_of(name) == names.slot_of(space)
                    && !matches!(value.kind, ExprKind::Constant(_))
                    && is_total_on(names, value, from, to, offset)
            }
            _ => false,
        }),
        _ => false,
    }
}

/// Whether the forms of two numbers show that the first is the second plus `offset`.
fn is_beyond(names: &Names<'_>, number: &Expr, other: &Expr, offset: i64) -> bool {
    let literals = literal(number).zip(literal(other)).is_some_and(|(number, other)| other.checked_add(offset) == Some(number));
    // `n` is `n - 1` plus 1.
    let is_less = match &other.kind {
        ExprKind::Binary(BinaryOp::Subtract, whole, less) => literal(less) == Some(offset) && equation::same_set(names, whole, number),
        _ => false,
    };
    literals || is_less || offset == 0 && equation::same_set(names, number, other)
}

pub(super) fn recurrence_plan(compiler: &mut Compiler<'_>, found: &Recurrence<'_>) -> RecurrencePlan {
    RecurrencePlan {
        slot: found.slot,
        index: compiler.names().local_slot(found.index),
        offset: Integer::from(found.offset),
        from: compiler.expr(found.from),
        to: compiler.expr(found.to),
        firsts: found.firsts.iter().map(|first| compiler.expr(first)).collect(),
        step: compiler.expr(found.step),
    }
}

/// The ways to read an equation as `f(x) = e`, from left to right and from right to left: f, x and e.
fn readings(pred: &Pred) -> impl Iterator<Item = (&Expr, &Expr, &Expr)> {
    let sides = match &pred.kind {
        PredKind::Compare(Comparison::Equal, left, right) => vec![(left, right), (right, left)],
        _ => Vec::new(),
    };
    sides.into_iter().filter_map(|(side, value)| match &side.kind {
        ExprKind::Binary(BinaryOp::Apply, function, argument) => Some((&**function, &**argument, &**value)),
        _ => None,
    })
}

/// The constant difference between an expression and an index, if its form shows one: 0 for `i`, 1 for `i + 1`, -2 for `i - 2`.
fn distance(expr: &Expr, index: LocalId) -> Option<i64> {
    let is_index = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == index);
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) if is_index(left) => literal(right),
        ExprKind::Binary(BinaryOp::Add, left, right) if is_index(right) => literal(left),
        ExprKind::Binary(BinaryOp::Subtract, left, right) if is_index(left) => literal(right).map(i64::wrapping_neg),
        _ => is_index(expr).then_some(0),
    }
}

/// The value of a literal that fits.
fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Integer(number) => number.to_i64(),
        _ => None,
    }
}
