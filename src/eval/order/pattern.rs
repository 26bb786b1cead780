//! Expressions as patterns that bind names: names, pairs, records, and linear expressions of integers, which are solved.
//!
//! Invariant: a pattern binds each name at its first occurrence, from left to right, and compares all other parts with the value.
//! Deliberately elsewhere: the match itself (`run::search`).

use super::equation;
use crate::compile::Compiler;
use crate::compile::names::Names;
use crate::plan::{Pattern, Slot};
use bcheck_ir::{BinaryOp, Expr, ExprKind, Type};
use std::collections::BTreeSet;

/// Whether matching a value against this expression binds at least one name and can decide the rest. Adds the names to `binds`.
pub(super) fn can_match(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>, binds: &mut Vec<Slot>) -> bool {
    matches_all(names, expr, unbound, binds) && !binds.is_empty()
}

fn matches_all(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>, binds: &mut Vec<Slot>) -> bool {
    if let Some(slot) = names.slot_of(expr) {
        if unbound.contains(&slot) && !binds.contains(&slot) {
            binds.push(slot);
        }
        return true;
    }
    if let ExprKind::Binary(BinaryOp::Pair, left, right) = &expr.kind {
        // From left to right, as the match does: the right side may use what the left one has bound.
        return matches_all(names, left, unbound, binds) && matches_all(names, right, unbound, binds);
    }
    if let ExprKind::Record(fields) = &expr.kind {
        return fields.iter().all(|(_, value)| matches_all(names, value, unbound, binds));
    }
    // Any other expression is evaluated and compared, so its names must have been bound further left.
    names.slots_of_expr(expr).iter().all(|slot| !unbound.contains(slot) || binds.contains(slot))
}

/// Whether an expression consists of these names only, so that a match compares nothing.
pub(super) fn all_bound_by(names: &Names<'_>, expr: &Expr, binds: &[Slot]) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Pair, left, right) => all_bound_by(names, left, binds) && all_bound_by(names, right, binds),
        ExprKind::Record(fields) => fields.iter().all(|(_, value)| all_bound_by(names, value, binds)),
        _ => names.slot_of(expr).is_some_and(|slot| binds.contains(&slot)),
    }
}

/// As [`Self::can_match`], where linear expressions of integers are solved as well.
pub(super) fn can_match_solved(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>) -> bool {
    let mut binds = Vec::new();
    matches_solved(names, expr, unbound, &mut binds) && !binds.is_empty()
}

fn matches_solved(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>, binds: &mut Vec<Slot>) -> bool {
    if let ExprKind::Binary(BinaryOp::Pair, left, right) = &expr.kind {
        return matches_solved(names, left, unbound, binds) && matches_solved(names, right, unbound, binds);
    }
    if let Some(slot) = solved_by_match(names, expr, unbound, binds) {
        binds.push(slot);
        return true;
    }
    can_match(names, expr, unbound, binds) || names.slots_of_expr(expr).iter().all(|slot| !unbound.contains(slot) || binds.contains(slot))
}

/// The name that follows when a value is matched with a linear expression of it, such as `x + 1`.
fn solved_by_match(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>, binds: &[Slot]) -> Option<Slot> {
    if expr.ty != Type::Integer || !matches!(expr.kind, ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..)) {
        return None;
    }
    let open: BTreeSet<Slot> = unbound.iter().copied().filter(|slot| !binds.contains(slot)).collect();
    // Which name it is does not depend on the value, so any closed expression may stand for that.
    equation::solve(names, expr, Expr { kind: ExprKind::MinInt, ty: Type::Integer, span: expr.span }, &open).map(|(slot, _)| slot)
}

/// The pattern of an expression, which binds slots of `unbound`. Adds the slots that it binds to `binds`.
pub(super) fn pattern_of(compiler: &mut Compiler<'_>, expr: &Expr, unbound: &BTreeSet<Slot>, binds: &mut Vec<Slot>) -> Pattern {
    if let Some(slot) = compiler.names().slot_of(expr)
        && unbound.contains(&slot)
        && !binds.contains(&slot)
    {
        binds.push(slot);
        return Pattern::Slot(slot);
    }
    if let ExprKind::Binary(BinaryOp::Pair, left, right) = &expr.kind {
        let left = pattern_of(compiler, left, unbound, binds);
        let right = pattern_of(compiler, right, unbound, binds);
        return Pattern::Pair(Box::new(left), Box::new(right));
    }
    if let ExprKind::Record(fields) = &expr.kind {
        return Pattern::Record(fields.iter().map(|(_, value)| pattern_of(compiler, value, unbound, binds)).collect());
    }
    // The solution reads the matched value, which therefore has a slot.
    if solved_by_match(&compiler.names(), expr, unbound, binds).is_some() {
        let value = compiler.temporary("the matched value");
        let open: BTreeSet<Slot> = unbound.iter().copied().filter(|slot| !binds.contains(slot)).collect();
        let read = Expr { kind: ExprKind::Local(compiler.names().local_of(value)), ty: Type::Integer, span: expr.span };
        if let Some((slot, solved)) = equation::solve(&compiler.names(), expr, read, &open) {
            binds.push(slot);
            return Pattern::Solved { value, slot, solved: compiler.expr(&solved) };
        }
    }
    Pattern::Equal(compiler.expr(expr))
}
