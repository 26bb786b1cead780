//! Functions given by a recurrence, such as running totals: `f(1) = e & !i.(i : 2 .. n => f(i) = E)`, where E reads f at `i - 1` only.
//!
//! Invariant: the function found is the only one on `1 .. n` that can satisfy these conjuncts; none of them is used up, so that they
//! are tested. Deliberately elsewhere: functions that do not read themselves (`equation`), constants defined by themselves (`recursion`).

use super::EvalError;
use super::compile::Compiler;
use super::frame::Frame;
use super::generate::{Candidate, How, Unordered};
use super::plan::{RecurrencePlan, Slot};
use super::symbolic::{Cardinality, EXPAND_LIMIT, describe, unbounded};
use crate::ir::{BinaryOp, Comparison, Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, walk_expr};
use crate::value::{Integer, Set, Value};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The parts of a recurrence.
pub(super) struct Recurrence<'p> {
    pub(super) slot: Slot,
    index: LocalId,
    from: &'p Expr,
    to: &'p Expr,
    first: &'p Expr,
    step: &'p Expr,
}

impl Compiler<'_> {
    /// A quantifier that with other conjuncts gives all values of a function, one after the other.
    pub(super) fn recurrence_candidate<'p>(&self, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
        let Unordered { conjuncts, remaining, unbound, .. } = left;
        let PredKind::Forall(locals, body) = &conjuncts[at].kind else { return None };
        let PredKind::Implies(hypothesis, conclusion) = &body.kind else { return None };
        let [(index, Type::Integer)] = locals.as_slice() else { return None };
        let is_index = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == *index);
        let PredKind::Compare(Comparison::Member, element, range) = &hypothesis.kind else { return None };
        let ExprKind::Binary(BinaryOp::Interval, second, to) = &range.kind else { return None };
        if !is_index(element) || !self.is_closed(range, unbound) {
            return None;
        }
        let (function, argument, step) = application(conclusion).find(|(function, ..)| {
            let slot = self.slot_of(function);
            slot.is_some_and(|slot| unbound.contains(&slot))
        })?;
        let slot = self.slot_of(function)?;
        if !is_index(argument) || !self.reads_the_one_before(step, slot, *index, unbound) {
            return None;
        }
        let (from, first) = remaining.iter().flat_map(|&other| application(conjuncts[other])).find_map(|(function, argument, value)| {
            let is_first = self.slot_of(function) == Some(slot) && is_next(argument, second) && self.is_closed(value, unbound);
            is_first.then_some((argument, value))
        })?;
        let has_domain = |other: &&usize| match &conjuncts[**other].kind {
            PredKind::Compare(Comparison::Member, member, space) if self.slot_of(member) == Some(slot) => self.is_total_on(space, from, to),
            _ => false,
        };
        remaining.iter().find(has_domain)?;
        let how = How::Recurrence(Recurrence { slot, index: *index, from, to, first, step });
        Some(Candidate { cost: 0.5, how, consumes: Vec::new() })
    }

    /// Whether an expression is closed but for an index, and for a function that it applies to the number before the index.
    fn reads_the_one_before(&self, step: &Expr, function: Slot, index: LocalId, unbound: &BTreeSet<Slot>) -> bool {
        let (mut reads, mut others) = (0, 0);
        walk_expr(step, &mut |node| {
            let Node::Expr(expr) = node else { return };
            match &expr.kind {
                ExprKind::Binary(BinaryOp::Apply, applied, argument) if self.slot_of(applied) == Some(function) => {
                    let is_before = match &argument.kind {
                        ExprKind::Binary(BinaryOp::Subtract, from, one) => {
                            matches!(from.kind, ExprKind::Local(local) if local == index)
                                && matches!(&one.kind, ExprKind::Integer(one) if *one == 1.into())
                        }
                        _ => false,
                    };
                    reads += usize::from(is_before);
                }
                _ if self.slot_of(expr) == Some(function) => others += 1,
                _ => {}
            }
        });
        let open: BTreeSet<Slot> = unbound.iter().copied().filter(|slot| *slot != function).collect();
        // Each application also shows the function alone.
        reads == others && self.is_closed(step, &open)
    }

    /// Whether a set has only functions on all of `from .. to`; also one that a constant stands for.
    fn is_total_on(&self, space: &Expr, from: &Expr, to: &Expr) -> bool {
        match &space.kind {
            ExprKind::Binary(op, domain, _) if super::equation::is_total_function(*op) => match &domain.kind {
                ExprKind::Binary(BinaryOp::Interval, low, high) => self.same_set(low, from) && self.same_set(high, to),
                _ => false,
            },
            ExprKind::Constant(_) => self.model.properties.iter().any(|conjunct| match &conjunct.pred.kind {
                PredKind::Compare(Comparison::Equal, name, value) => {
                    self.slot_of(name) == self.slot_of(space)
                        && !matches!(value.kind, ExprKind::Constant(_))
                        && self.is_total_on(value, from, to)
                }
                _ => false,
            }),
            _ => false,
        }
    }

    pub(super) fn recurrence(&mut self, found: &Recurrence<'_>) -> RecurrencePlan {
        RecurrencePlan {
            slot: found.slot,
            index: self.local_slot(found.index),
            from: self.expr(found.from),
            to: self.expr(found.to),
            first: self.expr(found.first),
            step: self.expr(found.step),
        }
    }
}

impl Frame<'_> {
    /// The function that a recurrence gives.
    pub(super) fn recur(&mut self, plan: &RecurrencePlan) -> Result<Value, EvalError> {
        let span = plan.step.span;
        let (Value::Integer(from), Value::Integer(to)) = (self.eval(&plan.from)?, self.eval(&plan.to)?) else {
            unreachable!("typed as integers")
        };
        let mut function = Set::empty();
        let size = to.subtract(&from).to_big() + 1u32;
        if size > BigInt::from(EXPAND_LIMIT) {
            return unbounded(describe(&Cardinality::Finite(size.to_biguint().unwrap_or_default())), span);
        }
        let mut at = from;
        let mut wanted = &plan.first;
        while at <= to {
            self.tick(span)?;
            let value = self.eval(wanted)?;
            let pair = Value::pair(Value::Integer(at.clone()), self.settled(value, wanted.span)?);
            function = function.union(&Set::singleton(pair));
            self.set(plan.slot, Value::Set(function.clone()));
            at = at.add(&Integer::from(1));
            self.set(plan.index, Value::Integer(at.clone()));
            wanted = &plan.step;
        }
        Ok(Value::Set(function))
    }
}

/// Both ways to read an equation as `f(x) = e`: f, x and e.
fn application(pred: &Pred) -> impl Iterator<Item = (&Expr, &Expr, &Expr)> {
    let sides = match &pred.kind {
        PredKind::Compare(Comparison::Equal, left, right) => vec![(left, right), (right, left)],
        _ => Vec::new(),
    };
    sides.into_iter().filter_map(|(side, value)| match &side.kind {
        ExprKind::Binary(BinaryOp::Apply, function, argument) => Some((&**function, &**argument, &**value)),
        _ => None,
    })
}

/// Whether the second number is the first one plus one.
fn is_next(number: &Expr, next: &Expr) -> bool {
    match (&number.kind, &next.kind) {
        (ExprKind::Integer(number), ExprKind::Integer(next)) => number + 1u32 == *next,
        _ => false,
    }
}
