//! Equations that determine a name: linear integer equations, and functions given point by point.
//!
//! Invariant: the value found is the only one that can satisfy the equation (and, for a function, its typing conjunct).

use super::compile::Compiler;
use super::plan::Slot;
use crate::ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, Pred, PredKind, Type, UnaryOp};
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// `!x.(x : A => f(x) = E)` where another conjunct says that f is a function on all of A: f is `%x.(x : A | E)`.
    pub(super) fn pointwise(&self, conjuncts: &[&Pred], at: usize, remaining: &[usize], unbound: &BTreeSet<Slot>) -> Option<(Slot, Expr)> {
        let PredKind::Forall(locals, body) = &conjuncts[at].kind else { return None };
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
            let Some(slot) = self.slot_of(function).filter(|slot| unbound.contains(slot)) else { continue };
            let total = remaining.iter().any(|&other| match &conjuncts[other].kind {
                PredKind::Compare(Comparison::Member, member, space) => {
                    self.slot_of(member) == Some(slot)
                        && matches!(&space.kind, ExprKind::Binary(op, from, _) if is_total_function(*op) && self.same_set(from, domain))
                }
                _ => false,
            });
            if is_local(element) && is_local(argument) && total && self.is_closed(value, unbound) && self.is_closed(domain, unbound) {
                let binder = Binder::Lambda;
                let kind = ExprKind::Binder { binder, locals: vec![(*id, ty.clone())], pred: hypothesis.clone(), body: value.clone() };
                return Some((slot, Expr { kind, ty: function.ty.clone(), span: conjuncts[at].span }));
            }
        }
        None
    }

    /// Whether two set expressions are the same text.
    fn same_set(&self, left: &Expr, right: &Expr) -> bool {
        match (&left.kind, &right.kind) {
            (ExprKind::Binary(a, b, c), ExprKind::Binary(d, e, f)) => a == d && self.same_set(b, e) && self.same_set(c, f),
            (ExprKind::Unary(a, b), ExprKind::Unary(c, d)) => a == c && self.same_set(b, d),
            (ExprKind::GivenSet(a), ExprKind::GivenSet(b)) => a == b,
            (ExprKind::Integer(a), ExprKind::Integer(b)) => a == b,
            (ExprKind::IntegerSet(a), ExprKind::IntegerSet(b)) => a == b,
            _ => self.slot_of(left).is_some() && self.slot_of(left) == self.slot_of(right),
        }
    }

    /// `a + x = v`, `x - a = v`, `-x = v`, …: the name and what it equals. Integer equations with one occurrence of one name.
    pub(super) fn solve(&self, expr: &Expr, value: Expr, unbound: &BTreeSet<Slot>) -> Option<(Slot, Expr)> {
        if expr.ty != Type::Integer {
            return None;
        }
        if let Some(slot) = self.slot_of(expr) {
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
                self.solve(inner, Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(value)), ty: Type::Integer, span }, unbound)
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                if self.is_closed(right, unbound) {
                    self.solve(left, make(BinaryOp::Subtract, value, (**right).clone()), unbound)
                } else if self.is_closed(left, unbound) {
                    self.solve(right, make(BinaryOp::Subtract, value, (**left).clone()), unbound)
                } else {
                    None
                }
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                if self.is_closed(right, unbound) {
                    self.solve(left, make(BinaryOp::Add, value, (**right).clone()), unbound)
                } else if self.is_closed(left, unbound) {
                    self.solve(right, make(BinaryOp::Subtract, (**left).clone(), value), unbound)
                } else {
                    None
                }
            }
            _ => None,
        }
    }
}

fn is_total_function(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::TotalFunctions | BinaryOp::TotalInjections | BinaryOp::TotalSurjections | BinaryOp::TotalBijections)
}
