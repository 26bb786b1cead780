//! Components of records and pairs of which an interval is known, as in `5 * c'x + c'y = 16`.
//!
//! Invariant: as of `narrowing`, which this file is a part of. Deliberately elsewhere: pairs that are members of a relation (`contexts`).

use super::narrowing::{Found, Narrowing, Quantity};
use super::spaces::window;
use super::terms::projection;
use super::windows::interval;
use crate::plan::Slot;
use bcheck_ir::{BinaryOp, Expr, ExprKind, Type, UnaryOp};
use std::sync::Arc;

/// From a value to one of its components.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Component {
    Field(Arc<str>),
    First,
    Second,
}

impl<'p> Narrowing<'_, 'p> {
    /// The slot of a name that no binder around binds.
    pub(super) fn free_slot(&self, name: &Expr) -> Option<Slot> {
        let is_bound = matches!(name.kind, ExprKind::Local(id) if self.bound_to(id).is_some());
        self.names.slot_of(name).filter(|_| !is_bound)
    }

    /// The component of a name that an expression is.
    pub(super) fn part(&self, expr: &Expr) -> Option<Quantity> {
        let (mut whole, mut steps) = (expr, Vec::new());
        loop {
            let (step, of) = match &whole.kind {
                ExprKind::Field(of, name) => (Component::Field(Arc::clone(name)), of),
                ExprKind::Unary(UnaryOp::First2, of) => (Component::First, of),
                ExprKind::Unary(UnaryOp::Second2, of) => (Component::Second, of),
                ExprKind::Binary(BinaryOp::Apply, function, of) => match projection(function) {
                    Some(1) => (Component::First, of),
                    Some(_) => (Component::Second, of),
                    None => break,
                },
                _ => break,
            };
            steps.push(step);
            whole = of;
        }
        steps.reverse();
        let slot = self.free_slot(whole)?;
        (!steps.is_empty()).then_some(Quantity::Part(slot, steps))
    }

    /// Narrows the components of a name, which is in a product or a set of records.
    pub(super) fn narrow_parts(&mut self, slot: Slot, steps: &[Component], space: &'p Expr) {
        if self.is_over() {
            return;
        }
        for (step, set) in components(space) {
            self.narrow_parts(slot, &[steps, &[step]].concat(), set);
        }
        if space.ty == Type::set(Type::Integer) {
            let elements = self.elements(space);
            self.found.narrow(Quantity::Part(slot, steps.to_vec()), elements);
        }
    }
}

/// A product or set of records like `space`, with the components of its elements as found; `None` if that bounds nothing.
pub(super) fn space_of_parts(space: &Expr, slot: Slot, steps: &[Component], found: &Found) -> Option<Expr> {
    let bounded = |step: Component, set: &Expr| space_of_parts(set, slot, &[steps, &[step]].concat(), found);
    let kind = match &space.kind {
        // Each number of the window is an element: what is known of the component is a part of what is known of the set.
        ExprKind::IntegerSet(which) if which.is_infinite() => {
            return Some(interval(window(found.of(&Quantity::Part(slot, steps.to_vec())))?, space.span));
        }
        ExprKind::Struct(fields) => {
            let sets: Vec<Option<Expr>> = fields.iter().map(|(name, set)| bounded(Component::Field(Arc::clone(name)), set)).collect();
            if sets.iter().all(Option::is_none) {
                return None;
            }
            let with =
                |((name, set), bounded): (&(Arc<str>, Expr), Option<Expr>)| (Arc::clone(name), bounded.unwrap_or_else(|| set.clone()));
            ExprKind::Struct(fields.iter().zip(sets).map(with).collect())
        }
        ExprKind::Binary(BinaryOp::Product, left, right) => {
            let (first, second) = (bounded(Component::First, left), bounded(Component::Second, right));
            if first.is_none() && second.is_none() {
                return None;
            }
            let or = |bounded: Option<Expr>, set: &Expr| Box::new(bounded.unwrap_or_else(|| set.clone()));
            ExprKind::Binary(BinaryOp::Product, or(first, left), or(second, right))
        }
        _ => return None,
    };
    Some(Expr { kind, ..space.clone() })
}

/// The sets that the components of the elements of a product or a set of records are from.
fn components(space: &Expr) -> Vec<(Component, &Expr)> {
    match &space.kind {
        ExprKind::Struct(fields) => fields.iter().map(|(name, set)| (Component::Field(Arc::clone(name)), set)).collect(),
        ExprKind::Binary(BinaryOp::Product, left, right) => vec![(Component::First, left), (Component::Second, right)],
        _ => Vec::new(),
    }
}
