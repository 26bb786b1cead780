//! Constants that nothing reads.
//!
//! Invariant: of such a constant there is only one conjunct, which says in which set it is; where it has another value of that set, nothing
//! else changes. Deliberately elsewhere: what is done with them where their values cannot be enumerated (`run::choices`).

use super::plan::Slot;
use crate::ir::{Comparison, Expr, ExprKind, Model, Node, PredKind, walk_expr, walk_pred};
use std::collections::{BTreeMap, BTreeSet};

/// The slots of constants that nothing reads.
pub(super) fn unread_constants(model: &Model) -> BTreeSet<Slot> {
    // What formulas read is not looked at.
    if !model.temporal.is_empty() {
        return BTreeSet::new();
    }
    let mut typed: BTreeMap<Slot, usize> = BTreeMap::new();
    let mut read: BTreeSet<Slot> = BTreeSet::new();
    for conjunct in &model.properties {
        let parts = match &conjunct.pred.kind {
            PredKind::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&conjunct.pred),
        };
        for part in parts {
            if let PredKind::Compare(Comparison::Member, element, set) = &part.kind
                && let ExprKind::Constant(constant) = element.kind
            {
                *typed.entry(constant.index()).or_default() += 1;
                walk_expr(set, &mut |node| note(node, &mut read));
            } else {
                walk_pred(part, &mut |node| note(node, &mut read));
            }
        }
    }
    model.walk_states(&mut |node| note(node, &mut read));
    model.callable.iter().for_each(|callable| walk_pred(callable, &mut |node| note(node, &mut read)));
    typed.into_iter().filter(|(slot, times)| *times == 1 && !read.contains(slot)).map(|(slot, _)| slot).collect()
}

fn note(node: Node<'_>, read: &mut BTreeSet<Slot>) {
    if let Node::Expr(Expr { kind: ExprKind::Constant(constant), .. }) = node {
        read.insert(constant.index());
    }
}
