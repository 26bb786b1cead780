//! Conjuncts with the bounds that follow from all of them: `c : D --> NATURAL` becomes `c : D --> 0..50` where the others leave no
//! value above 50, so that a search enumerates it like one that was written so.
//!
//! Invariant: the conjunctions are equivalent. Deliberately elsewhere: which bounds follow (`narrowing`), ranges that are tried where none
//! do (`within_bounds`).

use super::bounds;
use super::conjuncts::conjuncts;
use super::interval::Enclosure;
use super::narrowing::{Narrowing, Quantity};
use super::windows::{Window, interval};
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::{Comparison, ConstantId, Expr, ExprKind, Pred, PredKind, Type, UnaryOp};
use bcheck_source::Span;

/// The conjuncts of a choice of these names with bounds that follow; nothing if none do.
pub(super) fn bounded(names: &Names<'_>, locals: &[(Slot, Type)], preds: &[&Pred]) -> Option<Vec<Pred>> {
    let mut flat = conjuncts(preds);
    let found = Narrowing::of(*names, locals, &flat);
    if found.is_empty {
        return None;
    }
    let all: Vec<&Pred> = flat.iter().collect();
    let known = bounds::propagated(*names, &all);
    let is_open = |slot: Slot| !matches!(known.of(slot), (Some(_), Some(_)));
    let integers = locals.iter().filter(|(slot, ty)| *ty == Type::Integer && is_open(*slot));
    let members: Vec<Pred> = integers.filter_map(|(slot, _)| member_of(names, *slot, window(found.of(&Quantity::Name(*slot)))?)).collect();
    let mut is_changed = !members.is_empty();
    for pred in &mut flat {
        let PredKind::Compare(Comparison::Member | Comparison::Subset, name, space) = &mut pred.kind else { continue };
        let slot = names.slot_of(name).filter(|slot| name.ty != Type::Integer && locals.iter().any(|(local, _)| local == slot));
        let Some(window) = slot.and_then(|slot| window(found.of(&Quantity::Each(slot)))) else { continue };
        if let Some(bounded) = space_within(names, space, window) {
            **space = bounded;
            is_changed = true;
        }
    }
    flat.extend(members);
    is_changed.then_some(flat)
}

/// The same set of functions, sets or sequences, if all their integers are within a window.
fn space_within(names: &Names<'_>, space: &Expr, window: Window) -> Option<Expr> {
    if let ExprKind::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1), base) = &space.kind
        && matches!(base.kind, ExprKind::IntegerSet(_))
    {
        return Some(Expr { kind: ExprKind::Unary(*op, Box::new(interval(window, base.span))), ..space.clone() });
    }
    names.whole_within_bounds(space, window)
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
fn window(of: Enclosure) -> Option<Window> {
    let (low, high) = of.ends()?;
    Some(Window { from: i64::try_from(low).ok()?, to: i64::try_from(high).ok()?, is_whole: true })
}
