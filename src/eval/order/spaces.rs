//! Conjuncts with the bounds that follow from all of them: `c : D --> NATURAL` becomes `c : D --> 0..50` where the others leave no
//! value above 50, so that a search enumerates it like one that was written so.
//!
//! Invariant: the conjunctions are equivalent. Deliberately elsewhere: which bounds follow (`narrowing`), ranges that are tried where none
//! do (`within_bounds`).

use super::bounds;
use super::conjuncts::conjuncts;
use super::interval::Enclosure;
use super::narrowing::{Found, Narrowing, Quantity};
use super::parts::space_of_parts;
use super::windows::{Window, interval};
use super::within_bounds::whole_within_bounds;
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::{BinaryOp, Comparison, ConstantId, Expr, ExprKind, IntegerSet, Node, Pred, PredKind, Type, UnaryOp, walk_pred};
use bcheck_source::Span;
use num_bigint::Sign;
use std::collections::BTreeSet;

/// The conjuncts of a choice of these names with bounds that follow; nothing if none do.
pub(super) fn bounded(names: &Names<'_>, locals: &[(Slot, Type)], preds: &[&Pred]) -> Option<Vec<Pred>> {
    let flat = conjuncts(preds);
    let found = Narrowing::of(*names, locals, &flat);
    if found.is_empty { None } else { with_bounds(names, locals, flat, &found) }
}

/// The conjuncts with these bounds.
fn with_bounds(names: &Names<'_>, locals: &[(Slot, Type)], mut flat: Vec<Pred>, found: &Found) -> Option<Vec<Pred>> {
    let all: Vec<&Pred> = flat.iter().collect();
    let known = bounds::propagated(*names, &all);
    let is_open = |slot: Slot| !matches!(known.of(slot), (Some(_), Some(_)));
    let integers = locals.iter().filter(|(slot, ty)| *ty == Type::Integer && is_open(*slot));
    let members: Vec<Pred> = integers.filter_map(|(slot, _)| member_of(names, *slot, window(found.of(&Quantity::Name(*slot)))?)).collect();
    let mut is_changed = !members.is_empty();
    for pred in &mut flat {
        let PredKind::Compare(Comparison::Member | Comparison::Subset, name, space) = &mut pred.kind else { continue };
        let slot = names.slot_of(name).filter(|slot| name.ty != Type::Integer && locals.iter().any(|(local, _)| local == slot));
        let bounded = slot.and_then(|slot| match name.ty {
            Type::Pair(..) | Type::Record(_) => space_of_parts(space, slot, &[], found),
            _ => space_within(names, space, window(found.of(&Quantity::Each(slot)))?),
        });
        if let Some(bounded) = bounded {
            **space = bounded;
            is_changed = true;
        }
    }
    flat.extend(members);
    is_changed.then_some(flat)
}

/// As [`bounded`], for a quantifier or a comprehension, which must not skip bindings without truth value: only if all of these are outside
/// of the sets that the conjuncts name.
pub(super) fn bounded_where_total(names: &Names<'_>, locals: &[(Slot, Type)], preds: &[&Pred]) -> Option<Vec<Pred>> {
    let mut flat = conjuncts(preds);
    let natural: BTreeSet<Slot> = flat.iter().filter_map(|pred| natural(names, pred)).collect();
    if !flat.iter().all(|pred| is_total(names, &natural, pred)) {
        return None;
    }
    let found = Narrowing::of(*names, locals, &flat);
    if !found.is_empty {
        return with_bounds(names, locals, flat, &found);
    }
    // No binding satisfies them.
    let (slot, _) = locals.iter().find(|(_, ty)| *ty == Type::Integer)?;
    flat.push(member_of(names, *slot, Window { from: 1, to: 0, is_whole: true })?);
    Some(flat)
}

/// Whether a conjunct has a value for all bindings; of powers, for those in which these names are natural numbers.
fn is_total(names: &Names<'_>, natural: &BTreeSet<Slot>, pred: &Pred) -> bool {
    let has_value = |base: &Expr, exponent: &Expr| match &exponent.kind {
        ExprKind::Integer(number) => number.sign() != Sign::Minus,
        _ => matches!(base.kind, ExprKind::Integer(_)) && names.slot_of(exponent).is_some_and(|slot| natural.contains(&slot)),
    };
    let mut is_total = true;
    walk_pred(pred, &mut |node| {
        is_total &= match node {
            // Their formulas would be compiled twice at each level.
            Node::Pred(Pred { kind: PredKind::Forall(..) | PredKind::Exists(..), .. }) => false,
            Node::Pred(_) | Node::Subst(_) => true,
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Binary(BinaryOp::Power, base, exponent) => has_value(base, exponent),
                ExprKind::Binary(op, ..) => op.is_total(),
                ExprKind::Unary(op, operand) => op.is_total(&operand.ty),
                ExprKind::Comprehension { .. } | ExprKind::Binder { .. } | ExprKind::External(..) => false,
                _ => true,
            },
        }
    });
    is_total
}

/// The name that a conjunct declares to be a natural number.
fn natural(names: &Names<'_>, pred: &Pred) -> Option<Slot> {
    let PredKind::Compare(Comparison::Member, name, set) = &pred.kind else { return None };
    let is_natural = matches!(set.kind, ExprKind::IntegerSet(which) if !matches!(which, IntegerSet::Integer | IntegerSet::Int));
    names.slot_of(name).filter(|_| is_natural)
}

/// This set of functions, sets or sequences, with all its integers within a window.
fn space_within(names: &Names<'_>, space: &Expr, window: Window) -> Option<Expr> {
    if let ExprKind::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1), base) = &space.kind
        && matches!(base.kind, ExprKind::IntegerSet(_))
    {
        return Some(Expr { kind: ExprKind::Unary(*op, Box::new(interval(window, base.span))), ..space.clone() });
    }
    whole_within_bounds(names, space, window)
}

/// `name : from..to`
fn member_of(names: &Names<'_>, slot: Slot, window: Window) -> Option<Pred> {
    let span = Span::nowhere();
    // The names of a search are constants or locals; variables have values when it runs.
    let kind = match names.model.constants.len() {
        constants if slot < constants => ExprKind::Constant(ConstantId(u32::try_from(slot).ok()?)),
        _ => ExprKind::Local(names.local_of(slot)),
    };
    let name = Box::new(Expr { kind, ty: Type::Integer, span });
    Some(Pred { kind: PredKind::Compare(Comparison::Member, name, Box::new(interval(window, span))), span })
}

/// Both ends of an interval.
pub(super) fn window(of: Enclosure) -> Option<Window> {
    let (low, high) = of.ends()?;
    Some(Window { from: i64::try_from(low).ok()?, to: i64::try_from(high).ok()?, is_whole: true })
}
