//! How many integers the packed sets and pairs of a machine have room for.
//!
//! Machines say little about it in a way that could be relied on, and need not: a value that does not fit is kept in general. So this
//! is a guess, from the numbers that the machine mentions. Invariant: machines whose variables need no such room get none, and
//! are packed as if there were no integers in sets.

use crate::ir::{Expr, ExprKind, IntegerSet, Model, Node, Pred, Scope, Type, UnaryOp, walk_pred, walk_subst};
use crate::value::packing::Packing;

/// Numbers above this one are taken for bounds of single integers.
const MOST: u32 = 127;
/// The most bits of the variables of a state.
const STATE_BITS: u32 = 1024;

/// How many integers, from 0 on, sets and pairs should have room for; 0 when no variable has such values, or when states would be
/// too large.
pub(in crate::eval) fn integers_in_sets(model: &Model, scope: &Scope) -> u32 {
    let packing = |ty: &Type, integers| Packing::of(ty, scope, integers);
    let types = || model.variables.values().map(|variable| &variable.ty);
    if types().all(|ty| packing(ty, 0).is_some()) || types().any(|ty| packing(ty, 1).is_none()) {
        return 0;
    }
    let count = greatest(model, scope) + 1;
    let bits = types().map(|ty| packing(ty, count).map(|packing| packing.width())).sum::<Option<u32>>();
    if bits.is_some_and(|bits| bits <= STATE_BITS) { count } else { 0 }
}

/// The greatest number up to [`MOST`] that the machine mentions, by name, as a size, or in passing.
fn greatest(model: &Model, scope: &Scope) -> u32 {
    let maxint = u32::try_from(scope.maxint).ok();
    let mentioned = |expr: &Expr| match &expr.kind {
        ExprKind::Integer(number) => u32::try_from(number).ok(),
        ExprKind::MaxInt | ExprKind::IntegerSet(IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1) => maxint,
        ExprKind::Unary(UnaryOp::Card | UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm, _) => {
            scope.sizes.iter().copied().max()
        }
        _ => None,
    };
    let mut greatest = 0;
    let mut visit = |node: Node<'_>| {
        if let Node::Expr(expr) = node
            && let Some(number) = mentioned(expr).filter(|number| *number <= MOST)
        {
            greatest = greatest.max(number);
        }
    };
    let conjuncts = model.properties.iter().chain(&model.invariant).map(|conjunct| &conjunct.pred);
    let preds: Vec<&Pred> = conjuncts.chain(model.assertions.iter().map(|assertion| &assertion.pred)).chain(&model.goal).collect();
    preds.into_iter().for_each(|pred| walk_pred(pred, &mut visit));
    walk_subst(&model.initialisation, &mut visit);
    model.operations.values().for_each(|operation| walk_subst(&operation.body, &mut visit));
    greatest
}
