//! How many integers the packed sets and pairs of a machine have room for.
//!
//! Machines say little about it in a way that could be relied on, and need not: a value that does not fit is kept in general. So this
//! is a guess, from the numbers that the machine mentions. Deliberately elsewhere: whether it is worth while (`eval::machine`).

use crate::ir::{Expr, ExprKind, IntegerSet, Model, Node, Pred, Scope, UnaryOp, walk_pred, walk_subst};
use crate::value::packing::Packing;

/// Numbers above this one are taken for bounds of single integers.
const MOST: u32 = 127;
/// The most bits of the constants and variables of a state.
const STATE_BITS: u32 = 1024;

/// How many integers, from 0 on, sets and pairs should have room for, unless states would be too large.
pub(in crate::eval) fn integers_in_sets(model: &Model, scope: &Scope) -> Option<u32> {
    let count = greatest(model, scope) + 1;
    let width = |ty| Packing::of(ty, scope, count).map(|packing| packing.width());
    let variables = model.variables.values().map(|variable| width(&variable.ty)).sum::<Option<u32>>()?;
    // Constants with elements that move stand in each state.
    let constants: u32 = model.constants.values().filter_map(|constant| width(&constant.ty)).sum();
    (variables + constants <= STATE_BITS).then_some(count)
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
