//! Sets that an equation defines by themselves: `s = {y | y : 0..3 & not(y : t) & y + 1 : s}`.
//!
//! The conditions that do not read what is looked for bound the set: it is a subset of those that satisfy them. Invariant: what is added
//! follows from the equation, so no solution is lost. Deliberately elsewhere: functions that are defined by recursion
//! (`compile::recursion`).

use super::super::compile::names::Names;
use super::Slot;
use crate::compile::cost;
use bcheck_ir::{Comparison, Expr, ExprKind, Pred, PredKind, Type};
use std::collections::BTreeSet;

/// The conjuncts that follow, such as `s <: {y | y : 0..3}`, where they leave finitely many values.
pub(super) fn bounds_of_self_defined(names: &Names<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred]) -> Vec<Pred> {
    let unbound: BTreeSet<Slot> = locals.iter().map(|(slot, _)| *slot).collect();
    let follows = |pred: &Pred| {
        let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return None };
        [(left, right), (right, left)].into_iter().find_map(|(name, value)| superset(names, name, value, &unbound))
    };
    conjuncts.iter().filter_map(|pred| follows(pred)).collect()
}

fn superset(names: &Names<'_>, name: &Expr, value: &Expr, unbound: &BTreeSet<Slot>) -> Option<Pred> {
    let slot = names.slot_of(name).filter(|slot| unbound.contains(slot))?;
    let ExprKind::Comprehension { locals, pred, value: None } = &value.kind else { return None };
    if !names.slots_of_expr(value).contains(&slot) {
        return None;
    }
    let conditions: &[Pred] = if let PredKind::And(parts) = &pred.kind { parts } else { std::slice::from_ref(&**pred) };
    let closed: Vec<Pred> = conditions.iter().filter(|condition| names.is_closed_pred(condition, unbound)).cloned().collect();
    let pred = Box::new(Pred { kind: PredKind::And(closed), span: pred.span });
    let kind = ExprKind::Comprehension { locals: locals.clone(), pred, value: None };
    let superset = Expr { kind, ty: value.ty.clone(), span: value.span };
    let is_bounded = cost::set_cost(names, &superset).is_finite();
    is_bounded.then(|| Pred { kind: PredKind::Compare(Comparison::Subset, Box::new(name.clone()), Box::new(superset)), span: value.span })
}
