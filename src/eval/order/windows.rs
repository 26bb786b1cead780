//! Windows: the numbers that are tried, in a choice of the machine, for an integer that is not bounded on both sides.
//!
//! A bound that follows from the conjuncts is one end of the window: linear bounds are found by propagation (`bounds`), others by testing
//! numbers with the conjuncts that mention nothing but the name. If both ends follow by propagation, the window is exact. Otherwise it is
//! the part of MININT..MAXINT from (or up to) the known end; if that end is beyond MININT..MAXINT, the window is as long as MININT..MAXINT
//! and begins (or ends) there. Invariant: a window depends on what the conjuncts mean, not on how a bound is written.
//! Deliberately elsewhere: which names need a window, and the note for the warning (`within_bounds`).

use super::bounds;
use super::equation;
use super::equation::is_total_function;
use crate::compile::Compiler;
use crate::compile::names::Names;
use crate::plan::{PredPlan, Slot};
use crate::thresholds::WINDOW_TESTS;
use bcheck_ir::{
    BinaryOp, Comparison, Expr, ExprKind, FunctionKind, LocalId, Node, Pred, PredKind, Rewrite, Type, UnaryOp, rewrite_pred, walk_pred,
};
use bcheck_source::Span;
use std::collections::BTreeSet;

/// A range of numbers that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Whether both ends follow from the conjuncts, so that no number is left out.
    pub(crate) is_whole: bool,
}

/// The window of an integer for which propagation has found these bounds; only conjuncts that mention no other name are considered.
pub(super) fn window_of(compiler: &mut Compiler<'_>, slot: Slot, (low, high): (Option<i64>, Option<i64>), conjuncts: &[&Pred]) -> Window {
    let ((minint, maxint), reach) = (compiler.default_range, reach(&compiler.names()));
    // Both ends follow: exact, whatever MININT and MAXINT are.
    if let (Some(from), Some(to)) = (low, high) {
        return Window { from, to, is_whole: true };
    }
    let tests = tests_of(compiler, slot, conjuncts);
    let names = compiler.names();
    let up = |from: i64| from..=from.saturating_add(WINDOW_TESTS.get());
    let down = |from: i64| (from.saturating_sub(WINDOW_TESTS.get())..=from).rev();
    // As long as MININT..MAXINT, from or up to a known end.
    let upwards = |from: i64| Window { from, to: from.saturating_add(reach), is_whole: false };
    let downwards = |to: i64| Window { from: to.saturating_sub(reach), to, is_whole: false };
    let inside = |from: i64, to: i64| Window { from, to, is_whole: false };
    match (low, high) {
        // The first number that fits is a better end than the bound: with `x : NATURAL & x * x > 5000` and MAXINT = 10, a window must
        // begin at 71. Where none of the tested numbers fits, only the bound is known.
        (Some(low), None) => match names.first_fitting(slot, &tests, up(low)) {
            Some(first) if first > maxint => upwards(first),
            None if low > maxint => upwards(low),
            _ => inside(low, maxint),
        },
        (None, Some(high)) => match names.first_fitting(slot, &tests, down(high)) {
            Some(last) if last < minint => downwards(last),
            None if high < minint => downwards(high),
            _ => inside(minint, high),
        },
        // No bound on either side: MININT..MAXINT if some number in it fits, else a window from the nearest number above it that
        // fits, else one up to the nearest below it.
        _ if tests.is_empty() || names.first_fitting(slot, &tests, minint..=maxint).is_some() => inside(minint, maxint),
        _ => match names.first_fitting(slot, &tests, up(maxint)) {
            Some(first) => upwards(first),
            None => names.first_fitting(slot, &tests, down(minint)).map_or(inside(minint, maxint), downwards),
        },
    }
}

/// The conjuncts that mention no other name, as plans.
fn tests_of(compiler: &mut Compiler<'_>, slot: Slot, conjuncts: &[&Pred]) -> Vec<PredPlan> {
    let alone: Vec<&Pred> = conjuncts.iter().copied().filter(|pred| is_about_only(&compiler.names(), slot, pred)).collect();
    alone.into_iter().map(|pred| compiler.pred(pred)).collect()
}

/// The window for the elements of a set, or for the values of a function, that is a member or a part of `set`.
pub(super) fn element_window(compiler: &mut Compiler<'_>, slot: Slot, set: &Expr, is_part: bool, conjuncts: &[&Pred]) -> Option<Window> {
    let (domain, values) = match (&set.kind, is_part) {
        (_, true) => (None, set),
        (ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base), false) => (None, &**base),
        (ExprKind::Binary(op, domain, values), false) if FunctionKind::of(*op).is_some_and(|kind| kind.is_functional()) => {
            (Some((&**domain, is_total_function(*op))), &**values)
        }
        _ => return None,
    };
    if values.ty != Type::set(Type::Integer) {
        return None;
    }
    // A fresh name for an arbitrary element: what the conjuncts require of every element is required of it, and then it has a window
    // like any integer name.
    let element = compiler.temporary("an element");
    let name = Expr { kind: ExprKind::Local(compiler.names().local_of(element)), ty: Type::Integer, span: set.span };
    let member = PredKind::Compare(Comparison::Member, Box::new(name.clone()), Box::new(values.clone()));
    let mut about = vec![Pred { kind: member, span: set.span }];
    for pred in conjuncts {
        about.extend(about_element(&compiler.names(), slot, domain.map(|(domain, _)| domain), &name, pred));
    }
    let flat = super::conjuncts::conjuncts(&about.iter().collect::<Vec<_>>());
    let flat: Vec<&Pred> = flat.iter().collect();
    Some(window_of(compiler, element, bounds::propagated(compiler.names(), &flat).of(element), &flat))
}

/// The distance between the ends of the default range.
pub(super) fn reach(names: &Names<'_>) -> i64 {
    let (from, to) = names.default_range;
    to.saturating_sub(from).max(0)
}

/// Whether a predicate mentions this name and no other, except names that it binds itself.
fn is_about_only(names: &Names<'_>, slot: Slot, pred: &Pred) -> bool {
    let mut bound = BTreeSet::new();
    walk_pred(pred, &mut |node| match node {
        Node::Expr(Expr { kind: ExprKind::Comprehension { locals, .. } | ExprKind::Binder { locals, .. }, .. })
        | Node::Pred(Pred { kind: PredKind::Forall(locals, _) | PredKind::Exists(locals, _), .. }) => {
            bound.extend(locals.iter().map(|(id, _)| names.local_slot(*id)));
        }
        Node::Expr(Expr { kind: ExprKind::Let(bindings, _), .. }) | Node::Pred(Pred { kind: PredKind::Let(bindings, _), .. }) => {
            bound.extend(bindings.iter().map(|(id, _)| names.local_slot(*id)));
        }
        _ => {}
    });
    let slots = names.slots_of_pred(pred);
    slots.contains(&slot) && slots.iter().all(|other| *other == slot || bound.contains(other))
}

/// The condition that a conjunct imposes on each element of a set, or on each value of a function on (a part of) `domain`.
fn about_element(names: &Names<'_>, slot: Slot, domain: Option<&Expr>, element: &Expr, pred: &Pred) -> Option<Pred> {
    let is_name = |expr: &Expr| names.slot_of(expr) == Some(slot);
    let is_values = |expr: &Expr| match (&expr.kind, domain) {
        (ExprKind::Unary(UnaryOp::Range, function), Some(_)) => is_name(function),
        (_, None) => is_name(expr),
        _ => false,
    };
    match &pred.kind {
        PredKind::Forall(locals, body) => {
            let (PredKind::Implies(hypothesis, conclusion), [(id, _)]) = (&body.kind, locals.as_slice()) else { return None };
            let PredKind::Compare(Comparison::Member, argument, from) = &hypothesis.kind else { return None };
            if !matches!(argument.kind, ExprKind::Local(local) if local == *id) {
                return None;
            }
            let is_all = match domain {
                None => is_name(from),
                Some(domain) => {
                    equation::same_set(names, from, domain)
                        || matches!(&from.kind, ExprKind::Unary(UnaryOp::Domain, function) if is_name(function))
                }
            };
            let mut condition = (**conclusion).clone();
            let application = domain.map(|_| slot);
            rewrite_pred(&mut condition, &mut ElementForName { names: *names, application, argument: *id, element });
            // A condition that still mentions the set, or the argument other than in the application, is not about the element alone.
            let slots = names.slots_of_pred(&condition);
            (is_all && !slots.contains(&slot) && !slots.contains(&names.local_slot(*id))).then_some(condition)
        }
        PredKind::Compare(Comparison::Subset, part, whole) if is_values(part) => {
            let kind = PredKind::Compare(Comparison::Member, Box::new(element.clone()), whole.clone());
            Some(Pred { kind, span: pred.span })
        }
        PredKind::Compare(comparison, left, right) => {
            // `min(s) >= e` bounds every element of s from below, and `max(s) <= e` from above.
            let end = |expr: &Expr, op| matches!(&expr.kind, ExprKind::Unary(found, set) if *found == op && is_values(set));
            let (left, right) = match comparison {
                Comparison::Greater | Comparison::GreaterEqual if end(left, UnaryOp::Min) => (element, &**right),
                Comparison::Greater | Comparison::GreaterEqual if end(right, UnaryOp::Max) => (&**left, element),
                Comparison::Less | Comparison::LessEqual if end(left, UnaryOp::Max) => (element, &**right),
                Comparison::Less | Comparison::LessEqual if end(right, UnaryOp::Min) => (&**left, element),
                _ => return None,
            };
            let kind = PredKind::Compare(*comparison, Box::new(left.clone()), Box::new(right.clone()));
            Some(Pred { kind, span: pred.span })
        }
        _ => None,
    }
}

/// Substitutes a name for an arbitrary element: for the bound name, or, if the elements are values of a function (`application`), for the
/// application of the function to the bound name.
struct ElementForName<'v> {
    names: Names<'v>,
    application: Option<Slot>,
    argument: LocalId,
    element: &'v Expr,
}

impl Rewrite for ElementForName<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let is_argument = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == self.argument);
        let is_element = match (&expr.kind, self.application) {
            (ExprKind::Binary(BinaryOp::Apply, function, argument), Some(slot)) => {
                self.names.slot_of(function) == Some(slot) && is_argument(argument)
            }
            (_, None) => is_argument(expr),
            _ => false,
        };
        if is_element {
            *expr = self.element.clone();
        }
    }
}

/// `from..to`
pub(super) fn interval(window: Window, span: Span) -> Expr {
    let number = |value: i64| Box::new(Expr { kind: ExprKind::Integer(value.into()), ty: Type::Integer, span });
    let kind = ExprKind::Binary(BinaryOp::Interval, number(window.from), number(window.to));
    Expr { kind, ty: Type::set(Type::Integer), span }
}
