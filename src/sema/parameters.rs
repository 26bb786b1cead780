//! Which parameters of a machine are sets.
//!
//! In B a parameter in capitals is a given set and any other a scalar. ProB treats every capitalised parameter as a set; so does bcheck,
//! unless CONSTRAINTS use it as an element or number.
//! Invariant: the answer depends on the text of the machine only.

use super::predicate::conjuncts;
use bcheck_syntax::ast::{BinaryOp, ClauseKind, Expr, ExprKind, Machine};

/// Whether the parameter `name` of the machine is a given set.
pub(super) fn is_set(machine: &Machine, name: &str) -> bool {
    // `MAX` is a set whatever CONSTRAINTS state, as B has it; `Max` is one unless they use it as a scalar.
    let has_small_letters = name.chars().any(char::is_lowercase);
    name.starts_with(char::is_uppercase) && (!has_small_letters || !is_constrained_as_scalar(machine, name))
}

fn is_constrained_as_scalar(machine: &Machine, name: &str) -> bool {
    machine.clauses.iter().any(|clause| match &clause.kind {
        ClauseKind::Constraints(pred) => conjuncts(pred).into_iter().any(|part| treats_as_scalar(part, name)),
        _ => false,
    })
}

/// `name : S`, or a comparison of numbers with `name` on one side.
fn treats_as_scalar(part: &Expr, name: &str) -> bool {
    let is_name = |expr: &Expr| matches!(&expr.kind, ExprKind::Ident(text) if text == name);
    match &part.kind {
        ExprKind::Binary(BinaryOp::Member, left, _) => is_name(left) || pair_items(left).into_iter().any(is_name),
        ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual, left, right) => {
            is_name(left) || is_name(right)
        }
        // Only with a number: `A = B` may compare two sets.
        ExprKind::Binary(BinaryOp::Equal, left, right) => {
            let is_number = |expr: &Expr| super::arithmetic::value(expr).is_some();
            (is_name(left) && is_number(right)) || (is_name(right) && is_number(left))
        }
        _ => false,
    }
}

/// The items of `(a, b)` and `a |-> b`.
fn pair_items(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::CommaPair(left, right) | ExprKind::Binary(BinaryOp::Maplet, left, right) => {
            [pair_items(left), pair_items(right)].concat()
        }
        _ => vec![expr],
    }
}
