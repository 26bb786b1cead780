//! What PROPERTIES say about the sizes of deferred sets, as ProB reads them.
//!
//! Invariant: a hint follows from the properties, so a machine of another size has no valuation of its constants.
//! Deliberately elsewhere: sizes that DEFINITIONS give (`settings`), sizes that only fulfil conditions (`cardinalities`), which hint wins
//! (`cli`).

use super::cardinalities::{self, Sizes};
use super::predicate::conjuncts;
use super::settings::{value, value_with};
use crate::ir::{SetId, SizeHint};
use crate::syntax::ast::{BinaryOp, Builtin, Constant, Expr, ExprKind};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Given sets, and sizes that PROPERTIES do not speak of.
#[derive(Clone, Copy)]
pub(super) struct Others<'k> {
    /// The given set of a name.
    pub(super) set_of: &'k dyn Fn(&str) -> Option<SetId>,
    /// The size of an enumerated set, or that DEFINITIONS give.
    pub(super) fixed: &'k dyn Fn(SetId) -> Option<usize>,
    /// The size of other deferred sets.
    pub(super) default: usize,
}

/// What the conjuncts of PROPERTIES imply about the sizes of deferred sets.
pub(super) fn of_properties(
    properties: &[Expr],
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    others: &Others<'_>,
) -> IndexMap<SetId, SizeHint> {
    let mut hints = IndexMap::new();
    let parts: Vec<&Expr> = properties.iter().flat_map(conjuncts).map(strip).collect();
    // Constants that equal a number, such as `N` of `N = 4 & card(S) = N`.
    let numbers: BTreeMap<&str, i64> = parts.iter().filter_map(|part| number_of(part, constants)).collect();
    let mut typed: IndexMap<SetId, Vec<&str>> = IndexMap::new();
    let mut distinct: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut bounds: Vec<(SetId, usize)> = Vec::new();
    for part in &parts {
        if let ExprKind::Binary(op, left, right) = &part.kind
            && let Some((is_turned, more)) = at_least(*op)
        {
            let (set, least) = if is_turned { (right, left) } else { (left, right) };
            if let Some(id) = card_of(set, deferred)
                && let Some(least) = number(least, &numbers).and_then(|least| usize::try_from(least.saturating_add(more)).ok())
            {
                bounds.push((id, least));
            }
        }
        match &part.kind {
            ExprKind::Binary(BinaryOp::Equal, left, right) => {
                for (left, right) in [(left, right), (right, left)] {
                    exact(left, right, deferred, constants, &numbers, &mut hints);
                    if let ExprKind::Builtin(Builtin::Card, sets) = &left.kind
                        && let [set] = sets.as_slice()
                        && let Some(names) = names(set, constants)
                        && usize::try_from(number(right, &numbers).unwrap_or(0)) == Ok(names.len())
                    {
                        distinct.extend(names.iter().flat_map(|one| names.iter().map(move |other| (*one, *other))));
                    }
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
            bounds.push((id, clique.len()));
        }
    }
    for (id, least) in bounds {
        if let SizeHint::AtLeast(known) = hints.entry(id).or_insert(SizeHint::AtLeast(least)) {
            *known = least.max(*known);
        }
    }
    let Others { set_of, fixed, default } = *others;
    cardinalities::suggest(&parts, &Sizes { set_of, fixed, numbers: &numbers, default }, &mut hints);
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

/// The deferred set whose cardinality this is.
pub(super) fn card_of(expr: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>) -> Option<SetId> {
    let ExprKind::Builtin(Builtin::Card, arguments) = &expr.kind else { return None };
    let [set] = arguments.as_slice() else { return None };
    set_of(set, deferred)
}

/// `N = 4` or `4 = N`.
fn number_of<'e>(part: &'e Expr, constants: &BTreeSet<&str>) -> Option<(&'e str, i64)> {
    let ExprKind::Binary(BinaryOp::Equal, left, right) = &part.kind else { return None };
    [(left, right), (right, left)].into_iter().find_map(|(name, number)| match &name.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => Some((name.as_str(), value(number)?)),
        _ => None,
    })
}

/// The value of an expression of numbers, and of constants that equal one.
fn number(expr: &Expr, numbers: &BTreeMap<&str, i64>) -> Option<i64> {
    value_with(expr, &|expr| match &expr.kind {
        ExprKind::Ident(name) => numbers.get(name.as_str()).copied(),
        _ => None,
    })
}

/// Whether the comparison bounds its right side from below (else its left side), and by how much more than the other side.
fn at_least(op: BinaryOp) -> Option<(bool, i64)> {
    match op {
        BinaryOp::Greater => Some((false, 1)),
        BinaryOp::GreaterEqual => Some((false, 0)),
        BinaryOp::Less => Some((true, 1)),
        BinaryOp::LessEqual => Some((true, 0)),
        _ => None,
    }
}

/// `card(S) = n`, `card(S) = MAXINT` or `S = {a, b}`.
fn exact(
    left: &Expr,
    right: &Expr,
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    numbers: &BTreeMap<&str, i64>,
    hints: &mut IndexMap<SetId, SizeHint>,
) {
    if let Some(id) = card_of(left, deferred)
        && let Some(size) = number(right, numbers).and_then(|size| usize::try_from(size).ok())
    {
        hints.insert(id, SizeHint::Exactly(size));
    }
    if let Some(id) = card_of(left, deferred)
        && let ExprKind::Constant(Constant::MaxInt) = right.kind
    {
        hints.insert(id, SizeHint::MaxInt);
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
