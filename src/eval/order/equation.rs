//! Equations that determine a name: linear integer equations, and functions defined point by point; inequalities that bound a name.
//!
//! Invariant: the value found is the only one that can satisfy the equation (for a function, together with the conjunct that makes it
//! total); a bound holds for every value that satisfies the inequality.

use super::conjunction::Unordered;
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::build::shifted;
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, FunctionKind, PredKind, Type, UnaryOp};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// `!x.(x : A => f(x) = E)` where another conjunct makes f a function on all of A: f is `%x.(x : A | E)`.
pub(super) fn pointwise(names: &Names<'_>, at: usize, left: Unordered<'_, '_>) -> Option<(Slot, Expr)> {
    let (unbound, pred) = (left.unbound, left.conjunct(at));
    let others = || left.conjuncts().map(|(_, other)| other);
    let PredKind::Forall(locals, body) = &pred.kind else { return None };
    let PredKind::Implies(hypothesis, conclusion) = &body.kind else { return None };
    let (PredKind::Compare(Comparison::Member, element, domain), PredKind::Compare(Comparison::Equal, left, right)) =
        (&hypothesis.kind, &conclusion.kind)
    else {
        return None;
    };
    let [(id, ty)] = locals.as_slice() else { return None };
    let is_local = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == *id);
    for (application, value) in [(left, right), (right, left)] {
        let ExprKind::Binary(BinaryOp::Apply, function, argument) = &application.kind else { continue };
        let Some(slot) = names.slot_of(function).filter(|slot| unbound.contains(slot)) else { continue };
        // Totality makes the lambda the only solution: the quantifier does not determine values of f outside of A.
        let total = others().any(|other| match &other.kind {
            PredKind::Compare(Comparison::Member, member, space) => {
                names.slot_of(member) == Some(slot)
                    && matches!(&space.kind, ExprKind::Binary(op, from, _) if is_total_function(*op) && same_set(names, from, domain))
            }
            _ => false,
        });
        if is_local(element) && is_local(argument) && total && names.is_closed(value, unbound) && names.is_closed(domain, unbound) {
            let binder = Binder::Lambda;
            let kind = ExprKind::Binder { binder, locals: vec![(*id, ty.clone())], pred: hypothesis.clone(), body: value.clone() };
            return Some((slot, Expr { kind, ty: function.ty.clone(), span: pred.span }));
        }
    }
    None
}

/// Whether the forms of two expressions show that they are equal; comprehensions and other forms count as different.
pub(super) fn same_set(names: &Names<'_>, left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Binary(a, b, c), ExprKind::Binary(d, e, f)) => a == d && same_set(names, b, e) && same_set(names, c, f),
        (ExprKind::Unary(a, b), ExprKind::Unary(c, d)) => a == c && same_set(names, b, d),
        (ExprKind::GivenSet(a), ExprKind::GivenSet(b)) => a == b,
        (ExprKind::Integer(a), ExprKind::Integer(b)) => a == b,
        (ExprKind::IntegerSet(a), ExprKind::IntegerSet(b)) => a == b,
        _ => names.slot_of(left).is_some() && names.slot_of(left) == names.slot_of(right),
    }
}

/// `a + x = v`, `x - a = v`, `-x = v`, …: the name and what it equals. Integer equations with one occurrence of one name, whose
/// coefficient is 1 or -1: the solution is exact.
pub(super) fn solve(names: &Names<'_>, expr: &Expr, value: Expr, unbound: &BTreeSet<Slot>) -> Option<(Slot, Expr)> {
    if expr.ty != Type::Integer {
        return None;
    }
    // Invariant of the recursion: the original equation is equivalent to `expr = value`, where `value` is closed.
    if let Some(slot) = names.slot_of(expr) {
        return unbound.contains(&slot).then_some((slot, value));
    }
    let make = |op, left: Expr, right: Expr| Expr {
        span: left.span,
        ty: Type::Integer,
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
    };
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Negate, inner) => {
            let span = value.span;
            solve(names, inner, Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(value)), ty: Type::Integer, span }, unbound)
        }
        // With unbound names in both operands, neither can be taken to the other side.
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            if names.is_closed(right, unbound) {
                solve(names, left, make(BinaryOp::Subtract, value, (**right).clone()), unbound)
            } else if names.is_closed(left, unbound) {
                solve(names, right, make(BinaryOp::Subtract, value, (**left).clone()), unbound)
            } else {
                None
            }
        }
        ExprKind::Binary(BinaryOp::Subtract, left, right) => {
            if names.is_closed(right, unbound) {
                solve(names, left, make(BinaryOp::Add, value, (**right).clone()), unbound)
            } else if names.is_closed(left, unbound) {
                solve(names, right, make(BinaryOp::Subtract, (**left).clone(), value), unbound)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// `2 * x + a = v`, `x + x = v`: the name, and the only value that can satisfy the equation.
///
/// The division may leave a remainder, as in `2 * x = 5`, so the equation must still be tested.
pub(super) fn solve_multiple(names: &Names<'_>, expr: &Expr, value: Expr, unbound: &BTreeSet<Slot>) -> Option<(Slot, Expr)> {
    if let Some(solved) = solve(names, expr, value.clone(), unbound) {
        return Some(solved);
    }
    let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
    let span = value.span;
    let make = |op, left: Expr, right: Expr| Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: Type::Integer, span };
    let number = |number: BigInt| Expr { kind: ExprKind::Integer(number), ty: Type::Integer, span };
    match op {
        BinaryOp::Multiply if expr.ty == Type::Integer => [(left, right), (right, left)].into_iter().find_map(|(factor, other)| {
            let ExprKind::Integer(factor) = &factor.kind else { return None };
            // `0 * x = v` leaves x open.
            let is_zero = *factor == BigInt::ZERO;
            (!is_zero).then(|| solve_multiple(names, other, make(BinaryOp::Divide, value.clone(), number(factor.clone())), unbound))?
        }),
        BinaryOp::Add => {
            let slot = names.slot_of(left).filter(|slot| unbound.contains(slot) && names.slot_of(right) == Some(*slot));
            if let Some(slot) = slot {
                return Some((slot, make(BinaryOp::Divide, value, number(2.into()))));
            }
            // The known summand goes to the other side, until a product or the name itself is left.
            [(left, right), (right, left)].into_iter().find_map(|(known, other)| {
                let is_known = names.is_closed(known, unbound);
                is_known.then(|| solve_multiple(names, other, make(BinaryOp::Subtract, value.clone(), (**known).clone()), unbound))?
            })
        }
        BinaryOp::Subtract if expr.ty == Type::Integer && names.is_closed(right, unbound) => {
            solve_multiple(names, left, make(BinaryOp::Add, value, (**right).clone()), unbound)
        }
        _ => None,
    }
}

/// `a + x <= b`, `a - x > b`, …: whether it bounds the name from above (else from below), and the bound. It is equivalent to the name's
/// being within the bound.
pub(super) fn linear_bound(
    names: &Names<'_>,
    slot: Slot,
    comparison: Comparison,
    left: &Expr,
    right: &Expr,
    unbound: &BTreeSet<Slot>,
) -> Option<(bool, Expr)> {
    let (is_below, is_strict) = match comparison {
        Comparison::Less => (true, true),
        Comparison::LessEqual => (true, false),
        Comparison::Greater => (false, true),
        Comparison::GreaterEqual => (false, false),
        _ => return None,
    };
    for (side, value, is_below) in [(left, right, is_below), (right, left, !is_below)] {
        if !names.is_closed(value, unbound) {
            continue;
        }
        if let Some((found, bound)) = solve(names, side, value.clone(), unbound)
            && found == slot
        {
            // `solve` gives the value at which both sides are equal. The side is linear with the factor 1 or -1: `side <= value` bounds
            // the name from above if the side grows with it, and from below otherwise; `side >= value` the other way round.
            let is_upper = is_below == grows(names, side, slot);
            let by = if is_upper { -1 } else { 1 };
            return Some((is_upper, if is_strict { shifted(&bound, by) } else { bound }));
        }
    }
    None
}

/// Whether a linear expression, in which this name occurs once, grows with it.
fn grows(names: &Names<'_>, expr: &Expr, slot: Slot) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Negate, inner) => !grows(names, inner, slot),
        ExprKind::Binary(BinaryOp::Subtract, _, right) if names.slots_of_expr(right).contains(&slot) => !grows(names, right, slot),
        ExprKind::Binary(BinaryOp::Subtract | BinaryOp::Add, left, right) => {
            let inner = if names.slots_of_expr(left).contains(&slot) { left } else { right };
            grows(names, inner, slot)
        }
        _ => true,
    }
}

/// `x * x <= e`, `x ** 2 <= e`, `x * x + y * y <= e`: the bounds `-e` and `e`, since an integer is no farther from 0 than its square.
/// They are wide, so the conjunct must still be tested.
pub(super) fn square_bounds(
    names: &Names<'_>,
    slot: Slot,
    comparison: Comparison,
    left: &Expr,
    right: &Expr,
    unbound: &BTreeSet<Slot>,
) -> Option<(Expr, Expr)> {
    let is_slot = |expr: &Expr| names.slot_of(expr) == Some(slot);
    let is_square = |expr: &Expr| match &expr.kind {
        ExprKind::Binary(BinaryOp::Multiply, left, right) => is_slot(left) && is_slot(right),
        ExprKind::Binary(BinaryOp::Power, base, exponent) => {
            is_slot(base) && matches!(&exponent.kind, ExprKind::Integer(number) if *number == 2.into())
        }
        _ => false,
    };
    // A square is not greater than its sum with what is not negative.
    let has_square = |expr: &Expr| {
        let summands = summands(expr);
        summands.iter().any(|summand| is_square(summand)) && summands.iter().all(|summand| is_square(summand) || is_natural(names, summand))
    };
    // A strict comparison implies the one that is not strict.
    let bound = match comparison {
        Comparison::Less | Comparison::LessEqual if has_square(left) => right,
        Comparison::Greater | Comparison::GreaterEqual if has_square(right) => left,
        Comparison::Equal if has_square(left) => right,
        Comparison::Equal if has_square(right) => left,
        _ => return None,
    };
    if !names.is_closed(bound, unbound) {
        return None;
    }
    let negated = Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(bound.clone())), ty: Type::Integer, span: bound.span };
    Some((negated, bound.clone()))
}

/// Whether an integer is surely not negative: a number, a square, how many elements there are.
fn is_natural(names: &Names<'_>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(number) => *number >= BigInt::ZERO,
        ExprKind::Binary(BinaryOp::Multiply, left, right) => names.slot_of(left).is_some() && names.slot_of(left) == names.slot_of(right),
        ExprKind::Binary(BinaryOp::Power, _, exponent) => {
            matches!(&exponent.kind, ExprKind::Integer(number) if *number >= BigInt::ZERO && !number.bit(0))
        }
        ExprKind::Unary(UnaryOp::Card, _) => true,
        _ => false,
    }
}

/// Whether the members of `A op B` are functions on all of A.
pub(super) fn is_total_function(op: BinaryOp) -> bool {
    FunctionKind::of(op).is_some_and(|kind| kind.is_functional() && kind.is_total())
}

/// The summands of a sum; of any other integer, itself. A loop, as sums may be long.
fn summands(expr: &Expr) -> Vec<&Expr> {
    let (mut rest, mut found) = (vec![expr], Vec::new());
    while let Some(expr) = rest.pop() {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Add, left, right) => rest.extend([&**left, &**right]),
            _ => found.push(expr),
        }
    }
    found
}
