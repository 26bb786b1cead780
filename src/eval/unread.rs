//! Constants that nothing reads.
//!
//! Invariant: conjuncts about such constants mention no other ones, so where they have other values that satisfy these, nothing else
//! changes. Deliberately elsewhere: what is done with them where their values cannot be enumerated (`run::choices`).

use super::plan::Slot;
use crate::ir::{Expr, ExprKind, Model, Node, PredKind, walk_pred};
use std::collections::BTreeSet;

/// The slots of constants that nothing reads but conjuncts about such constants.
pub(super) fn unread_constants(model: &Model) -> BTreeSet<Slot> {
    // What formulas read is not looked at.
    if !model.temporal.is_empty() {
        return BTreeSet::new();
    }
    let mut read: BTreeSet<Slot> = BTreeSet::new();
    model.walk_states(&mut |node| note(node, &mut read));
    model.callable.iter().for_each(|callable| walk_pred(callable, &mut |node| note(node, &mut read)));
    let mut linked: Vec<BTreeSet<Slot>> = Vec::new();
    for conjunct in &model.properties {
        let parts = match &conjunct.pred.kind {
            PredKind::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&conjunct.pred),
        };
        for part in parts {
            let mut names = BTreeSet::new();
            walk_pred(part, &mut |node| note(node, &mut names));
            linked.push(names);
        }
    }
    // What is linked to a constant that is read bounds its values.
    loop {
        let before = read.len();
        for names in linked.iter().filter(|names| !names.is_disjoint(&read)).cloned().collect::<Vec<_>>() {
            read.extend(names);
        }
        if read.len() == before {
            return (0..model.constants.len()).filter(|slot| !read.contains(slot)).collect();
        }
    }
}

fn note(node: Node<'_>, read: &mut BTreeSet<Slot>) {
    if let Node::Expr(Expr { kind: ExprKind::Constant(constant), .. }) = node {
        read.insert(constant.index());
    }
}
