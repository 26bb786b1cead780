//! Whether a definition by recursion terminates, as its form shows, and whether its domain is finite.
//!
//! The definition terminates if one component of the argument gets smaller in each application of the function to something within the
//! definition, in an order without infinite descending chains: an integer that falls and is bounded below (or rises and is bounded above),
//! a finite set that loses an element, a sequence that loses an item (Manna and Waldinger, The Logical Basis for Computer Programming,
//! 1985, chapter 6). Then exactly one relation satisfies the equation. Invariant: sufficient conditions only. Deliberately elsewhere: which
//! equations are definitions (`recursion`).

use super::cost;
use super::names::Names;
use crate::plan::Slot;
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, ExternalFunction, IntegerSet, LocalId, Node, Pred, PredKind, Type, UnaryOp, walk_expr,
    walk_pred,
};
use num_bigint::BigInt;

/// A comparison that holds where something is evaluated.
type Fact<'a> = (Comparison, &'a Expr, &'a Expr);

/// A lambda or comprehension of a definition: the names of its argument, with their types, and all of its text.
struct Piece<'a> {
    expr: &'a Expr,
    condition: &'a Pred,
    argument: &'a [(LocalId, Type)],
}

/// The application of the function that is being defined, with the conditions that hold where it is evaluated.
struct Call<'a> {
    at: &'a Expr,
    argument: &'a Expr,
    facts: Vec<Fact<'a>>,
}

/// An order in which a component of the argument gets smaller.
#[derive(Clone, Copy)]
enum Order {
    /// An integer that is bounded below.
    Falling,
    /// An integer that is bounded above.
    Rising,
    /// A finite set.
    Fewer,
    /// A sequence.
    Shorter,
}

/// Whether a recursive definition terminates, as far as its form shows.
pub(super) fn recursion_ends(names: &Names<'_>, value: &Expr, slot: Slot) -> bool {
    pieces(value).iter().all(|piece| {
        let calls = calls(names, piece, slot);
        calls.is_empty()
            || (0..piece.argument.len()).any(|at| {
                let orders = [Order::Falling, Order::Rising, Order::Fewer, Order::Shorter];
                orders.into_iter().any(|order| calls.iter().all(|call| gets_smaller(names, piece, at, call, order)))
            })
    })
}

/// Whether the domain of each part of a definition is finite, as far as the form shows.
pub(super) fn has_finite_domain(names: &Names<'_>, value: &Expr) -> bool {
    pieces(value).iter().all(|piece| {
        let mut facts = Vec::new();
        add_facts(piece.condition, true, &mut facts);
        piece.argument.iter().all(|(id, ty)| cost::type_cost(names, ty).is_finite() || is_finitely_bounded(names, *id, &facts))
    })
}

fn is_finitely_bounded(names: &Names<'_>, name: LocalId, facts: &[Fact<'_>]) -> bool {
    let is_listed = facts.iter().any(|(comparison, left, right)| {
        is_name(left, name)
            && is_closed(right)
            && match comparison {
                Comparison::Member | Comparison::Subset => cost::set_cost(names, right).is_finite(),
                Comparison::Equal => true,
                _ => false,
            }
    });
    is_listed || is_bounded(name, facts, Order::Falling) && is_bounded(name, facts, Order::Rising)
}

/// The applications of the function within a piece.
fn calls<'a>(names: &Names<'_>, piece: &Piece<'a>, slot: Slot) -> Vec<Call<'a>> {
    let mut calls = Vec::new();
    walk_expr(piece.expr, &mut |node| {
        if let Node::Expr(at) = node
            && let ExprKind::Binary(BinaryOp::Apply, function, argument) = &at.kind
            && names.slot_of(function) == Some(slot)
        {
            calls.push(Call { at, argument, facts: Vec::new() });
        }
    });
    walk_expr(piece.expr, &mut |node| add_conditions(node, &mut calls));
    calls
}

/// Whether a component of the argument of a call is smaller than that of the piece.
fn gets_smaller(names: &Names<'_>, piece: &Piece<'_>, at: usize, call: &Call<'_>, order: Order) -> bool {
    let Some(new) = component(call.argument, at, piece.argument.len()) else { return false };
    let (name, ty) = &piece.argument[at];
    let is_own = |expr: &Expr| is_name(expr, *name);
    match order {
        Order::Falling | Order::Rising => {
            *ty == Type::Integer
                && is_bounded(*name, &call.facts, order)
                && (is_moved(new, &is_own, order) || is_beyond(new, &is_own, &call.facts, order) || is_part(new, *name, &call.facts, order))
        }
        Order::Fewer => {
            let ExprKind::Binary(BinaryOp::Difference, whole, taken) = &new.kind else { return false };
            let ExprKind::SetExtension(items) = &taken.kind else { return false };
            let is_element = |item: &Expr| match &item.kind {
                ExprKind::External(ExternalFunction::Choose, of) => of.iter().all(is_own),
                ExprKind::Unary(UnaryOp::Min | UnaryOp::Max, of) => is_own(of),
                ExprKind::Local(_) => call
                    .facts
                    .iter()
                    .any(|(comparison, left, right)| *comparison == Comparison::Member && left.kind == item.kind && is_own(right)),
                _ => false,
            };
            is_own(whole) && items.iter().any(is_element) && is_finite_set(names, *name, ty, &call.facts)
        }
        Order::Shorter => matches!(&new.kind, ExprKind::Unary(UnaryOp::Tail | UnaryOp::Front, of) if is_own(of)),
    }
}

/// Whether the values of a name are finite sets only.
fn is_finite_set(names: &Names<'_>, name: LocalId, ty: &Type, facts: &[Fact<'_>]) -> bool {
    let is_finite_space = |set: &Expr| match &set.kind {
        ExprKind::Unary(UnaryOp::Fin | UnaryOp::Fin1, _) => true,
        ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1, base) => cost::set_cost(names, base).is_finite(),
        _ => false,
    };
    cost::type_cost(names, ty).is_finite()
        || facts.iter().any(|(comparison, left, right)| *comparison == Comparison::Member && is_name(left, name) && is_finite_space(right))
}

/// The lambdas and comprehensions of a definition by cases.
fn pieces(value: &Expr) -> Vec<Piece<'_>> {
    match &value.kind {
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Override, left, right) => {
            [pieces(left), pieces(right)].into_iter().flatten().collect()
        }
        ExprKind::Binder { binder: Binder::Lambda, locals, pred, .. } => vec![Piece { expr: value, condition: pred, argument: locals }],
        ExprKind::Comprehension { locals, pred, value: None } if locals.len() > 1 => {
            vec![Piece { expr: value, condition: pred, argument: &locals[..locals.len() - 1] }]
        }
        // Without arguments nothing gets smaller: a call in it terminates nothing.
        ExprKind::Comprehension { pred, .. } => vec![Piece { expr: value, condition: pred, argument: &[] }],
        _ => Vec::new(),
    }
}

/// One of `count` components of an argument, which is a left-nested pair.
fn component(argument: &Expr, at: usize, count: usize) -> Option<&Expr> {
    let mut rest = argument;
    for _ in at.max(1)..count - usize::from(count > 0) {
        let ExprKind::Binary(BinaryOp::Pair, front, _) = &rest.kind else { return None };
        rest = front;
    }
    if count == 1 {
        return Some(rest);
    }
    let ExprKind::Binary(BinaryOp::Pair, front, last) = &rest.kind else { return None };
    Some(if at == 0 { front } else { last })
}

/// Adds the conditions that a node imposes to the calls below it.
fn add_conditions<'a>(node: Node<'a>, calls: &mut [Call<'a>]) {
    match node {
        Node::Expr(Expr { kind: ExprKind::If(condition, then, otherwise), .. }) => {
            add_to(calls, &calls_in_expr(then), condition, true);
            add_to(calls, &calls_in_expr(otherwise), condition, false);
        }
        Node::Expr(Expr { kind: ExprKind::Binder { pred, body, .. }, .. }) => add_to(calls, &calls_in_expr(body), pred, true),
        Node::Expr(Expr { kind: ExprKind::Comprehension { pred, value: Some(value), .. }, .. }) => {
            add_to(calls, &calls_in_expr(value), pred, true);
        }
        Node::Pred(Pred { kind: PredKind::And(parts), .. }) => {
            for (at, part) in parts.iter().enumerate() {
                let inside = calls_in_pred(part);
                if inside.is_empty() {
                    continue;
                }
                // Of a conjunction all other parts hold where it matters.
                for (_, other) in parts.iter().enumerate().filter(|(other, _)| *other != at) {
                    add_to(calls, &inside, other, true);
                }
            }
        }
        Node::Pred(Pred { kind: PredKind::Implies(hypothesis, conclusion), .. }) => {
            add_to(calls, &calls_in_pred(conclusion), hypothesis, true);
        }
        _ => {}
    }
}

fn add_to<'a>(calls: &mut [Call<'a>], inside: &[*const Expr], condition: &'a Pred, holds: bool) {
    for call in calls.iter_mut().filter(|call| inside.contains(&std::ptr::from_ref(call.at))) {
        add_facts(condition, holds, &mut call.facts);
    }
}

fn calls_in_expr(expr: &Expr) -> Vec<*const Expr> {
    let mut found = Vec::new();
    walk_expr(expr, &mut |node| found.extend(application(node)));
    found
}

fn calls_in_pred(pred: &Pred) -> Vec<*const Expr> {
    let mut found = Vec::new();
    walk_pred(pred, &mut |node| found.extend(application(node)));
    found
}

fn application(node: Node<'_>) -> Option<*const Expr> {
    match node {
        Node::Expr(expr) if matches!(expr.kind, ExprKind::Binary(BinaryOp::Apply, ..)) => Some(std::ptr::from_ref(expr)),
        _ => None,
    }
}

/// The comparisons that hold where a condition is true, or false.
fn add_facts<'a>(condition: &'a Pred, holds: bool, facts: &mut Vec<Fact<'a>>) {
    match (&condition.kind, holds) {
        (PredKind::Not(inner), _) => add_facts(inner, !holds, facts),
        (PredKind::And(parts), true) | (PredKind::Or(parts), false) => parts.iter().for_each(|part| add_facts(part, holds, facts)),
        (PredKind::Compare(comparison, left, right), _) => {
            let comparison = if holds { *comparison } else { comparison.opposite() };
            facts.push((comparison, left, right));
            // Read from the right as well.
            match comparison {
                Comparison::Equal | Comparison::NotEqual => facts.push((comparison, right, left)),
                Comparison::Less => facts.push((Comparison::Greater, right, left)),
                Comparison::LessEqual => facts.push((Comparison::GreaterEqual, right, left)),
                Comparison::Greater => facts.push((Comparison::Less, right, left)),
                Comparison::GreaterEqual => facts.push((Comparison::LessEqual, right, left)),
                _ => {}
            }
        }
        _ => {}
    }
}

fn is_name(expr: &Expr, name: LocalId) -> bool {
    matches!(expr.kind, ExprKind::Local(local) if local == name)
}

/// Whether an expression is the same wherever the function is applied.
fn is_closed(expr: &Expr) -> bool {
    let mut is_closed = true;
    walk_expr(expr, &mut |node| is_closed &= !matches!(node, Node::Expr(Expr { kind: ExprKind::Local(_), .. })));
    is_closed
}

/// Whether facts bound an integer below (where it falls) or above (where it rises), wherever the function is applied.
fn is_bounded(name: LocalId, facts: &[Fact<'_>], order: Order) -> bool {
    facts.iter().filter(|(_, left, right)| is_name(left, name) && is_closed(right)).any(|(comparison, _, right)| {
        match (comparison, order) {
            (Comparison::Equal, _)
            | (Comparison::Greater | Comparison::GreaterEqual, Order::Falling)
            | (Comparison::Less | Comparison::LessEqual, Order::Rising) => true,
            (Comparison::Member, _) => match &right.kind {
                ExprKind::IntegerSet(IntegerSet::Natural | IntegerSet::Natural1) => matches!(order, Order::Falling),
                ExprKind::IntegerSet(IntegerSet::Nat | IntegerSet::Nat1 | IntegerSet::Int) | ExprKind::Binary(BinaryOp::Interval, ..) => {
                    true
                }
                _ => false,
            },
            _ => false,
        }
    })
}

fn literal(expr: &Expr) -> Option<BigInt> {
    match &expr.kind {
        ExprKind::Integer(number) => Some(number.clone()),
        ExprKind::Unary(UnaryOp::Negate, inner) => literal(inner).map(|number| -number),
        _ => None,
    }
}

/// `n - 1` where the integer falls, `n + 1` where it rises.
fn is_moved(new: &Expr, is_own: &dyn Fn(&Expr) -> bool, order: Order) -> bool {
    let by = match &new.kind {
        ExprKind::Binary(BinaryOp::Subtract, whole, by) if is_own(whole) => literal(by).map(|by| -by),
        ExprKind::Binary(BinaryOp::Add, whole, by) if is_own(whole) => literal(by),
        ExprKind::Binary(BinaryOp::Add, by, whole) if is_own(whole) => literal(by),
        _ => None,
    };
    by.is_some_and(|by| if matches!(order, Order::Falling) { by < BigInt::ZERO } else { by > BigInt::ZERO })
}

/// A bound name that a condition puts below the integer, where that falls, or above it: `m : 0 .. n - 1`, `m < n`.
fn is_beyond(new: &Expr, is_own: &dyn Fn(&Expr) -> bool, facts: &[Fact<'_>], order: Order) -> bool {
    let ExprKind::Local(_) = new.kind else { return false };
    facts.iter().filter(|(_, left, _)| left.kind == new.kind).any(|(comparison, _, right)| match (comparison, order) {
        (Comparison::Less, Order::Falling) | (Comparison::Greater, Order::Rising) => is_own(right),
        (Comparison::LessEqual, Order::Falling) | (Comparison::GreaterEqual, Order::Rising) => is_moved(right, is_own, order),
        (Comparison::Member, _) => match (&right.kind, order) {
            (ExprKind::Binary(BinaryOp::Interval, _, to), Order::Falling) => is_moved(to, is_own, order),
            (ExprKind::Binary(BinaryOp::Interval, from, _), Order::Rising) => is_moved(from, is_own, order),
            _ => false,
        },
        _ => false,
    })
}

/// `n / 2` of a positive integer.
fn is_part(new: &Expr, name: LocalId, facts: &[Fact<'_>], order: Order) -> bool {
    let ExprKind::Binary(BinaryOp::Divide, whole, by) = &new.kind else { return false };
    let number = |expr: &Expr, least: i32| literal(expr).is_some_and(|number| number >= BigInt::from(least));
    let mut own = facts.iter().filter(|(_, left, _)| is_name(left, name));
    let is_zero = |expr: &Expr| literal(expr).is_some_and(|number| number == BigInt::ZERO);
    let is_natural = || {
        facts.iter().any(|(comparison, left, right)| {
            let in_naturals = matches!(right.kind, ExprKind::IntegerSet(IntegerSet::Natural | IntegerSet::Nat));
            is_name(left, name)
                && (*comparison == Comparison::Member && in_naturals || *comparison == Comparison::GreaterEqual && number(right, 0))
        })
    };
    let is_positive = own.any(|(comparison, _, right)| match comparison {
        Comparison::Greater => number(right, 0),
        Comparison::GreaterEqual => number(right, 1),
        Comparison::Member => match &right.kind {
            ExprKind::IntegerSet(IntegerSet::Natural1 | IntegerSet::Nat1) => true,
            ExprKind::Binary(BinaryOp::Interval, from, _) => number(from, 1),
            _ => false,
        },
        Comparison::NotEqual => is_zero(right) && is_natural(),
        _ => false,
    });
    matches!(order, Order::Falling) && is_name(whole, name) && number(by, 2) && is_positive
}
