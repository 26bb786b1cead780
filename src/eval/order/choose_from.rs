//! Sets that a machine chooses from although they are too large to be enumerated.
//!
//! Invariant: the set is closed once the names before it are bound. Deliberately elsewhere: how many elements are taken (`run::choices`).

use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, Node, Pred, PredKind, walk_expr};
use std::collections::BTreeSet;

/// The set `S` of a conjunct `x : S` about the name with this slot, unless it mentions a name that is unbound.
pub(super) fn set_to_choose_from<'p>(names: &Names<'_>, pred: &'p Pred, slot: Slot, unbound: &BTreeSet<Slot>) -> Option<&'p Expr> {
    let PredKind::Compare(Comparison::Member, element, set) = &pred.kind else { return None };
    if names.slot_of(element) != Some(slot) {
        return None;
    }
    let mut is_closed = true;
    walk_expr(set, &mut |node| {
        if let Node::Expr(expr) = node
            && let Some(slot) = names.slot_of(expr)
        {
            is_closed &= !unbound.contains(&slot);
        }
    });
    is_closed.then_some(&**set)
}

/// Whether a set is one of total functions or relations whose domain is infinite.
pub(super) fn is_total_on_infinite(names: &Names<'_>, set: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Relations(kind), from, _) = &set.kind else { return false };
    kind.is_total() && cost::set_cost(names, from).is_infinite()
}
