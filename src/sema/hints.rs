//! What PROPERTIES say about the sizes of deferred sets, as ProB reads them.
//!
//! Invariant: a hint follows from the properties, so a machine of another size has no valuation of its constants.
//! Deliberately elsewhere: sizes that DEFINITIONS give (`settings`), which hint wins (`cli`).

use super::predicate::conjuncts;
use super::settings::value;
use crate::ir::{SetId, SizeHint};
use crate::syntax::ast::{BinaryOp, Builtin, Expr, ExprKind};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// What the conjuncts of PROPERTIES imply about the sizes of deferred sets.
pub(super) fn of_properties(
    properties: &[Expr],
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
) -> IndexMap<SetId, SizeHint> {
    let mut hints = IndexMap::new();
    let parts: Vec<&Expr> = properties.iter().flat_map(conjuncts).map(strip).collect();
    let mut typed: IndexMap<SetId, Vec<&str>> = IndexMap::new();
    let mut distinct: BTreeSet<(&str, &str)> = BTreeSet::new();
    for part in &parts {
        match &part.kind {
            ExprKind::Binary(BinaryOp::Equal, left, right) => {
                for (left, right) in [(left, right), (right, left)] {
                    exact(left, right, deferred, constants, &mut hints);
                }
            }
            ExprKind::Builtin(Builtin::Partition, arguments) => {
                if let Some((set, elements)) = arguments.split_first()
                    && let Some(id) = set_of(set, deferred)
                    && let Some(count) = elements.iter().map(|part| names(part, constants).map(|names| names.len())).sum::<Option<usize>>()
                {
                    hints.insert(id, SizeHint::Exactly(count));
                }
            }
            ExprKind::Binary(BinaryOp::Member, element, set) => {
                if let Some(id) = set_of(set, deferred) {
                    typed.entry(id).or_default().extend(members(element, constants));
                }
            }
            ExprKind::Binary(BinaryOp::NotEqual, left, right) => {
                if let (ExprKind::Ident(left), ExprKind::Ident(right)) = (&left.kind, &right.kind) {
                    distinct.insert((left.as_str(), right.as_str()));
                    distinct.insert((right.as_str(), left.as_str()));
                }
            }
            _ => {}
        }
    }
    for (id, names) in typed {
        let mut clique: Vec<&str> = Vec::new();
        for name in names {
            if clique.iter().all(|other| distinct.contains(&(*other, name))) {
                clique.push(name);
            }
        }
        if clique.len() > 1 {
            hints.entry(id).or_insert(SizeHint::AtLeast(clique.len()));
        }
    }
    hints
}

fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Labelled(_, inner) => strip(inner),
        _ => expr,
    }
}

fn set_of(expr: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>) -> Option<SetId> {
    match &expr.kind {
        ExprKind::Ident(name) => deferred(name),
        _ => None,
    }
}

/// `card(S) = n` or `S = {a, b}`.
fn exact(
    left: &Expr,
    right: &Expr,
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    hints: &mut IndexMap<SetId, SizeHint>,
) {
    if let ExprKind::Builtin(Builtin::Card, arguments) = &left.kind
        && let [set] = arguments.as_slice()
        && let Some(id) = set_of(set, deferred)
        && let Some(size) = value(right).and_then(|size| usize::try_from(size).ok())
    {
        hints.insert(id, SizeHint::Exactly(size));
    }
    if let Some(id) = set_of(left, deferred)
        && let Some(names) = names(right, constants)
    {
        hints.insert(id, SizeHint::Exactly(names.len()));
    }
}

/// The distinct constants of a set extension.
fn names<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<BTreeSet<&'e str>> {
    let ExprKind::SetExtension(items) = &expr.kind else { return None };
    items
        .iter()
        .map(|item| match &item.kind {
            ExprKind::Ident(name) if constants.contains(name.as_str()) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

/// The constants in `a` or `(a, b)` or `a |-> b` when all are typed by one set (only the plain form is read).
fn members<'e>(element: &'e Expr, constants: &BTreeSet<&str>) -> Vec<&'e str> {
    match &element.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => vec![name.as_str()],
        _ => Vec::new(),
    }
}
