//! Static estimates of how many values a set, a type or an integer expression has, to order the actions of a search.
//!
//! Invariant: an estimate is infinite exactly where the form of the set shows that it is infinite, however large the numbers get
//! ([`clamped`]). Estimates decide how fast a search is, and whether a set is enumerated at all, solved or cut to a window.

use super::names::Names;
use crate::thresholds::{INFINITE_ESTIMATE, UNKNOWN_SET_ESTIMATE};
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, LocalId, Node, Pred, PredKind, Subst, SubstKind, Target, Type, UnaryOp,
    VariableId, walk_subst,
};
use bcheck_value::Integer;
use std::collections::BTreeSet;

/// An estimate made of others. It stays finite if its parts are finite, even where the arithmetic overflows: infinite means that the values
/// have no end, and then neither a plain search nor the solver is tried.
pub(crate) fn clamped(estimate: f64, parts: &[f64]) -> f64 {
    if parts.iter().all(|part| part.is_finite()) { estimate.min(f64::MAX) } else { estimate }
}

/// The number of values of a type.
pub(crate) fn type_cost(names: &Names<'_>, ty: &Type) -> f64 {
    match ty {
        Type::Bool => 2.0,
        Type::Integer | Type::String => f64::INFINITY,
        Type::Given(set) => f64::from(names.scope().size(*set)),
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        Type::Free(_) => names.type_set(ty).as_set().map_or(f64::INFINITY, |values| values.len() as f64),
        Type::Set(element) => power_set(type_cost(names, element)),
        Type::Pair(first, second) => product([type_cost(names, first), type_cost(names, second)]),
        Type::Record(fields) => product(fields.iter().map(|(_, ty)| type_cost(names, ty))),
    }
}

pub(crate) fn integer_estimate(names: &Names<'_>, expr: &Expr) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    match &expr.kind {
        ExprKind::Integer(value) => Integer::from(value.clone()).to_i64().map(|value| value as f64),
        ExprKind::MinInt => Some(names.scope().minint as f64),
        ExprKind::MaxInt => Some(names.scope().maxint as f64),
        ExprKind::Unary(UnaryOp::Negate, inner) => integer_estimate(names, inner).map(|value| -value),
        ExprKind::Unary(UnaryOp::Card, set) => Some(set_cost(names, set)),
        ExprKind::Binary(BinaryOp::Add, left, right) => Some(integer_estimate(names, left)? + integer_estimate(names, right)?),
        ExprKind::Binary(BinaryOp::Subtract, left, right) => Some(integer_estimate(names, left)? - integer_estimate(names, right)?),
        _ => None,
    }
}

/// The estimated number of elements of a set expression.
pub(crate) fn set_cost(names: &Names<'_>, expr: &Expr) -> f64 {
    match &expr.kind {
        ExprKind::GivenSet(set) => f64::from(names.scope().size(*set)),
        ExprKind::BoolSet => 2.0,
        ExprKind::TypeSet => expr.ty.element().map_or(f64::INFINITY, |element| type_cost(names, element)),
        ExprKind::StringSet => f64::INFINITY,
        ExprKind::EmptySet => 0.0,
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        ExprKind::IntegerSet(set) => match set {
            IntegerSet::Integer | IntegerSet::Natural | IntegerSet::Natural1 => f64::INFINITY,
            IntegerSet::Int => names.scope().maxint as f64 - names.scope().minint as f64 + 1.0,
            IntegerSet::Nat | IntegerSet::Nat1 => names.scope().maxint as f64 + 1.0,
        },
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) => items.len() as f64,
        // Not infinite: in some states the variable may hold a finite set.
        ExprKind::Variable(id) | ExprKind::OldVariable(id) if is_endless(names, *id) => INFINITE_ESTIMATE.get(),
        ExprKind::Binder { binder: Binder::Lambda, locals, pred, .. } | ExprKind::Comprehension { locals, pred, value: None }
            if is_endless_over(names, locals, pred) =>
        {
            f64::INFINITY
        }
        ExprKind::Struct(fields) => product(fields.iter().map(|(_, set)| set_cost(names, set))),
        ExprKind::Unary(op, operand) => match op {
            UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 => power_set(set_cost(names, operand)),
            UnaryOp::Seq | UnaryOp::Seq1 => f64::INFINITY,
            // n^n: above n!, and near the number of injective sequences of all lengths; close enough to compare orders by.
            UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
                let size = set_cost(names, operand);
                clamped(size.powf(size), &[size])
            }
            UnaryOp::Identity | UnaryOp::Inverse => set_cost(names, operand).min(unknown_cost(names, &expr.ty).max(1.0)),
            // A little less than for other sets of this type: the domain of a function is more often listed than the set it is taken
            // from.
            UnaryOp::Domain | UnaryOp::Range => set_cost(names, operand).min(unknown_cost(names, &expr.ty).max(1.0) * 0.95),
            _ => unknown_cost(names, &expr.ty),
        },
        ExprKind::Binary(op, left, right) => combined_cost(names, *op, left, right).unwrap_or_else(|| unknown_cost(names, &expr.ty)),
        _ => unknown_cost(names, &expr.ty),
    }
}

/// Whether the condition on a single bound name is the membership in a set with an infinite estimate.
pub(crate) fn is_endless_over(names: &Names<'_>, locals: &[(LocalId, Type)], pred: &Pred) -> bool {
    let PredKind::Compare(Comparison::Member, _, set) = &pred.kind else { return false };
    locals.len() == 1 && set_cost(names, set).is_infinite()
}

/// The estimate for a set that an operator builds from two others, if the form shows it.
fn combined_cost(names: &Names<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> Option<f64> {
    if op == BinaryOp::Interval {
        return Some(match (integer_estimate(names, left), integer_estimate(names, right)) {
            (Some(from), Some(to)) => (to - from + 1.0).max(0.0),
            _ => UNKNOWN_SET_ESTIMATE.get(),
        });
    }
    // Each operand is estimated only once: estimating it twice would double the work at each level of nesting.
    let of_both = |combine: fn(f64, f64) -> f64| {
        let parts = [set_cost(names, left), set_cost(names, right)];
        Some(clamped(combine(parts[0], parts[1]), &parts))
    };
    match op {
        BinaryOp::Union => of_both(|left, right| left + right),
        BinaryOp::Intersection => of_both(f64::min),
        BinaryOp::Difference => Some(set_cost(names, left)),
        BinaryOp::Product => of_both(|left, right| left * right),
        BinaryOp::Relations(kind) if !kind.is_functional() => of_both(|from, to| (from * to).exp2()),
        // Injections and surjections are fewer: these are upper bounds.
        BinaryOp::Relations(kind) if kind.is_total() => of_both(|from, to| to.powf(from)),
        BinaryOp::Relations(_) => of_both(|from, to| (to + 1.0).powf(from)),
        _ => None,
    }
}

/// The estimate for a set whose form shows nothing: a few elements, and fewer than its type has, so that it is preferred to the values
/// of the type.
fn unknown_cost(names: &Names<'_>, set: &Type) -> f64 {
    set.element().map_or(UNKNOWN_SET_ESTIMATE.get(), |element| (type_cost(names, element) * 0.9).min(UNKNOWN_SET_ESTIMATE.get()))
}

/// Whether an infinite set is assigned to a variable as a whole somewhere.
fn is_endless(names: &Names<'_>, variable: VariableId) -> bool {
    let endless = names.facts.endless.get_or_init(|| {
        let mut endless = BTreeSet::new();
        // The analysis is flow-insensitive: one such assignment is enough.
        let mut note = |node: Node<'_>| {
            let Node::Subst(Subst { kind: SubstKind::Assign(assignments), .. }) = node else { return };
            for (target, value) in assignments {
                let is_infinite = match &value.kind {
                    ExprKind::StringSet => true,
                    ExprKind::IntegerSet(set) => set.is_infinite(),
                    _ => false,
                };
                if let (Target::Variable(variable), true) = (target, is_infinite) {
                    endless.insert(*variable);
                }
            }
        };
        walk_subst(&names.model.initialisation, &mut note);
        names.model.operations.values().for_each(|operation| walk_subst(&operation.body, &mut note));
        endless
    });
    endless.contains(&variable)
}

/// The estimate for all subsets of a set.
pub(crate) fn power_set(of: f64) -> f64 {
    clamped(of.exp2(), &[of])
}

/// The estimate for all combinations.
fn product(parts: impl IntoIterator<Item = f64>) -> f64 {
    parts.into_iter().fold(1.0, |product, part| clamped(product * part, &[product, part]))
}
