//! Constants that nothing reads.
//!
//! Invariant: conjuncts about such constants mention no other constants but those with a single value, so other values that satisfy these
//! conjuncts change nothing else. Deliberately elsewhere: how such constants are chosen where their values cannot be enumerated
//! (`run::choices`).

use super::plan::Slot;
use bcheck_ir::{Comparison, Expr, ExprKind, Model, Node, Pred, PredKind, walk_expr, walk_pred};
use std::collections::BTreeSet;

/// The slots of constants that are read only by conjuncts about such constants.
pub(super) fn unread_constants(model: &Model) -> BTreeSet<Slot> {
    // Reads by formulas are not analysed.
    if !model.temporal.is_empty() {
        return BTreeSet::new();
    }
    let mut read: BTreeSet<Slot> = BTreeSet::new();
    model.walk_states(&mut |node| note(node, &mut read));
    model.callable.iter().for_each(|callable| walk_pred(callable, &mut |node| note(node, &mut read)));
    let single = single_constants(model);
    let mut linked: Vec<BTreeSet<Slot>> = Vec::new();
    for part in parts(model) {
        let mut names = BTreeSet::new();
        walk_pred(part, &mut |node| note(node, &mut names));
        // A constant with a single value passes nothing on from one name to another.
        linked.push(names.difference(&single).copied().collect());
    }
    // A constant linked to one that is read bounds its values.
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

/// The constants with a single value: each is equal to an expression without other constants than these.
fn single_constants(model: &Model) -> BTreeSet<Slot> {
    let mut equations: Vec<(Slot, BTreeSet<Slot>)> = Vec::new();
    for part in parts(model) {
        let PredKind::Compare(Comparison::Equal, left, right) = &part.kind else { continue };
        for (side, other) in [(left, right), (right, left)] {
            if let ExprKind::Constant(constant) = side.kind {
                let mut names = BTreeSet::new();
                walk_expr(other, &mut |node| note(node, &mut names));
                equations.push((constant.index(), names));
            }
        }
    }
    let mut single = BTreeSet::new();
    loop {
        let before = single.len();
        single.extend(equations.iter().filter(|(_, names)| names.is_subset(&single)).map(|(slot, _)| *slot).collect::<Vec<_>>());
        if single.len() == before {
            return single;
        }
    }
}

/// The conjuncts of PROPERTIES.
fn parts(model: &Model) -> impl Iterator<Item = &Pred> {
    model.properties.iter().flat_map(|conjunct| match &conjunct.pred.kind {
        PredKind::And(parts) => parts.as_slice(),
        _ => std::slice::from_ref(&conjunct.pred),
    })
}

fn note(node: Node<'_>, read: &mut BTreeSet<Slot>) {
    if let Node::Expr(Expr { kind: ExprKind::Constant(constant), .. }) = node {
        read.insert(constant.index());
    }
}
