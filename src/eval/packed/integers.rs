//! The universe of integers for the packed sets and pairs of a machine.
//!
//! No text bounds them reliably, and none needs to: a state with a value that does not fit is left to the general tier. So this is a
//! guess, from the numbers in the machine.
//! Invariant: only memory and time depend on it, no result. Deliberately elsewhere: whether packing integers pays (`eval::machine`).

use crate::thresholds::PACKED_STATE_BITS;
use bcheck_ir::{Expr, ExprKind, IntegerSet, Model, Node, Pred, Scope, UnaryOp, walk_pred, walk_subst};
use bcheck_value::packing::Packing;

/// Greater numbers are considered bounds of single integers, which have a word of their own.
const MOST: u32 = 127;
/// The number of integers, from 0 on, that sets and pairs should have room for; `None` if states would be too large.
pub(crate) fn integers_in_sets(model: &Model, scope: &Scope) -> Option<u32> {
    // With n the greatest, 0..n are n + 1 integers; n itself also is the last row of a sequence of length n.
    let count = greatest(model, scope) + 1;
    let width = |ty| Packing::of(ty, scope, count).map(|packing| packing.width());
    let variables = model.variables.values().map(|variable| width(&variable.ty)).sum::<Option<u32>>()?;
    // All constants are counted: those with movable elements are part of each state.
    let constants: u32 = model.constants.values().filter_map(|constant| width(&constant.ty)).sum();
    (variables + constants <= PACKED_STATE_BITS.get()).then_some(count)
}

/// The greatest number up to [`MOST`] that the machine mentions, as a literal, as MAXINT, or as the size of a given set.
fn greatest(model: &Model, scope: &Scope) -> u32 {
    let maxint = u32::try_from(scope.maxint).ok();
    let mentioned = |expr: &Expr| match &expr.kind {
        ExprKind::Integer(number) => u32::try_from(number).ok(),
        ExprKind::MaxInt | ExprKind::IntegerSet(IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1) => maxint,
        // Cardinalities and lengths may be as large as a set. Which one is not determined, so the largest counts.
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
