//! A predicate as a list of conjuncts: negations are pushed inwards as far as that yields more conjuncts or plain comparisons, memberships
//! of set extensions and sequences become memberships of their elements, and those of comprehensions their conditions.
//!
//! Invariant: the conjunction of the list, in its order, means what the predicate means, ill-definedness included.

use crate::thresholds::SPLIT_DISTINCT;
use bcheck_ir::{
    BinaryOp, Comparison, Expr, ExprKind, FunctionKind, LocalId, Node, Pred, PredKind, Rewrite, Type, UnaryOp, rewrite_pred, walk_expr,
};

/// The conjuncts of a conjunction of predicates, without `btrue`.
pub(crate) fn conjuncts(preds: &[&Pred]) -> Vec<Pred> {
    let mut into = Vec::new();
    preds.iter().for_each(|pred| split(pred, &mut into));
    into
}

fn split(pred: &Pred, into: &mut Vec<Pred>) {
    match &pred.kind {
        PredKind::And(parts) => parts.iter().for_each(|part| split(part, into)),
        PredKind::True => {}
        PredKind::Not(inner) => split_negation(pred, inner, into),
        PredKind::Compare(Comparison::Subset, part, whole) => match &part.kind {
            // `{a, b} <: S` becomes `a : S & b : S`, which evaluates S for each item. That is too much for a comprehension, unless
            // membership in it is its condition.
            ExprKind::SetExtension(items) if are_defined(items) && (!has_binder(whole) || is_condition_on(items, whole)) => {
                split_members(pred, items, whole, into);
            }
            _ => into.push(pred.clone()),
        },
        PredKind::Compare(Comparison::Member, element, set) => {
            if let Some(condition) = condition_of(element, set) {
                split(&condition, into);
            } else if let Some(parts) = restriction_of(pred, element, set) {
                parts.iter().for_each(|part| split(part, into));
            } else {
                split_listed(pred, element, set, into);
            }
        }
        PredKind::Compare(Comparison::NotMember, element, set) if element.ty == Type::Integer => match condition_of(element, set) {
            Some(condition) => split(&not(&condition), into),
            None => into.push(pred.clone()),
        },
        PredKind::Compare(Comparison::Equal, left, right) => match listed_of_size(left, right).or_else(|| listed_of_size(right, left)) {
            Some(items) => split_distinct(pred, items, into),
            None => into.push(pred.clone()),
        },
        _ => into.push(pred.clone()),
    }
}

/// `y : {z | P}` as P with y for z. The comprehension then need be neither well-defined as a whole nor enumerated.
fn condition_of(element: &Expr, set: &Expr) -> Option<Pred> {
    let ExprKind::Comprehension { locals, pred, value: None } = &set.kind else { return None };
    // Tuples are nested to the left: the last component is split off first.
    let mut values = Vec::new();
    let mut rest = element;
    for _ in 1..locals.len() {
        let ExprKind::Binary(BinaryOp::Pair, front, last) = &rest.kind else { return None };
        values.push(&**last);
        rest = front;
    }
    values.push(rest);
    // Any other expression would be evaluated as often as the condition mentions the name.
    let is_name = |value: &&Expr| matches!(value.kind, ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Local(_));
    if !values.iter().all(is_name) {
        return None;
    }
    // Locals are unique in a model, so no binder in the condition captures a name that is substituted into it.
    let mut condition = (**pred).clone();
    let mut named = Named { values: locals.iter().map(|(id, _)| *id).zip(values.into_iter().rev()).collect() };
    rewrite_pred(&mut condition, &mut named);
    Some(condition)
}

/// `y : NATURAL - {z | P}` as `y : NATURAL` and `not P` with y for z, and `y : NATURAL /\ {z | P}` likewise: neither set can be
/// enumerated, but the conjuncts may bound y.
fn restriction_of(pred: &Pred, element: &Expr, set: &Expr) -> Option<[Pred; 2]> {
    let ExprKind::Binary(op @ (BinaryOp::Difference | BinaryOp::Intersection), left, right) = &set.kind else { return None };
    // The integers are the left operand: an ill-defined set that is subtracted must still be evaluated.
    let (whole, part) = if *op == BinaryOp::Intersection && is_of_all_integers(right) { (right, left) } else { (left, right) };
    let condition = condition_of(element, part).filter(|_| is_of_all_integers(whole))?;
    let condition = if *op == BinaryOp::Difference { not(&condition) } else { condition };
    let member = PredKind::Compare(Comparison::Member, Box::new(element.clone()), whole.clone());
    Some([Pred { kind: member, span: pred.span }, condition])
}

/// Whether a set has all integers, all from 0 or from 1 on, or all of these but some.
fn is_of_all_integers(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::IntegerSet(set) => set.is_infinite(),
        ExprKind::Binary(BinaryOp::Difference, whole, _) => is_of_all_integers(whole),
        _ => false,
    }
}

/// `not(P)`
pub(super) fn not(pred: &Pred) -> Pred {
    Pred { kind: PredKind::Not(Box::new(pred.clone())), span: pred.span }
}

/// Substitutes names for those of a comprehension.
struct Named<'e> {
    values: Vec<(LocalId, &'e Expr)>,
}

impl Rewrite for Named<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(id) = expr.kind
            && let Some((_, value)) = self.values.iter().find(|(local, _)| *local == id)
        {
            *expr = (*value).clone();
        }
    }
}

/// `[a, b] : 1 .. 2 --> S` as `a : S & b : S`, with `a /= b` if the function is to be injective.
fn split_listed(pred: &Pred, list: &Expr, functions: &Expr, into: &mut Vec<Pred>) {
    let required = match &functions.kind {
        ExprKind::Binary(op, from, to) => FunctionKind::of(*op).map(|kind| {
            // A sequence extension is a total function on 1 .. its length, so only its values and injectivity are left to require. That it
            // is surjective does not follow from memberships.
            let is_any_function = kind.is_functional() && !kind.is_surjective();
            (to, kind.is_injective(), is_any_function && is_interval_to(from, list))
        }),
        ExprKind::Unary(UnaryOp::Seq | UnaryOp::Seq1, to) => Some((to, false, true)),
        ExprKind::Unary(UnaryOp::Iseq | UnaryOp::Iseq1, to) => Some((to, true, true)),
        ExprKind::Unary(UnaryOp::Perm, to) => Some((to, true, false)),
        _ => None,
    };
    let (ExprKind::SequenceExtension(items), Some((to, is_injective, is_all))) = (&list.kind, required) else {
        return into.push(pred.clone());
    };
    if has_binder(to) || !are_defined(items) {
        return into.push(pred.clone());
    }
    let are_too_many = is_injective && items.len() > SPLIT_DISTINCT.get();
    // If the parts below do not imply the conjunct, it stays as well.
    if !is_all || are_too_many {
        into.push(pred.clone());
    }
    split_members(pred, items, to, into);
    if is_injective && !are_too_many {
        split_distinct(pred, items, into);
    }
}

/// One membership for each item.
fn split_members(pred: &Pred, items: &[Expr], set: &Expr, into: &mut Vec<Pred>) {
    let member = |item: &Expr| PredKind::Compare(Comparison::Member, Box::new(item.clone()), Box::new(set.clone()));
    for item in items {
        match condition_of(item, set) {
            Some(condition) => split(&condition, into),
            None => into.push(Pred { kind: member(item), span: pred.span }),
        }
    }
}

/// Whether membership in a set is a condition on each of the items.
fn is_condition_on(items: &[Expr], set: &Expr) -> bool {
    items.iter().all(|item| condition_of(item, set).is_some())
}

/// Whether an expression is `1 .. n` with the length of a list.
fn is_interval_to(expr: &Expr, list: &Expr) -> bool {
    let (ExprKind::Binary(BinaryOp::Interval, from, to), ExprKind::SequenceExtension(items)) = (&expr.kind, &list.kind) else {
        return false;
    };
    matches!((&from.kind, &to.kind), (ExprKind::Integer(from), ExprKind::Integer(to)) if *from == 1.into() && *to == items.len().into())
}

/// One disequality for each pair of items.
fn split_distinct(pred: &Pred, items: &[Expr], into: &mut Vec<Pred>) {
    for (place, item) in items.iter().enumerate() {
        let distinct = |other: &Expr| PredKind::Compare(Comparison::NotEqual, Box::new(item.clone()), Box::new(other.clone()));
        into.extend(items[place + 1..].iter().map(|other| Pred { kind: distinct(other), span: pred.span }));
    }
}

/// `card({a, b, c}) = 3`, which means that the items are distinct: the items.
fn listed_of_size<'p>(count: &'p Expr, number: &Expr) -> Option<&'p [Expr]> {
    let (ExprKind::Unary(UnaryOp::Card, set), ExprKind::Integer(number)) = (&count.kind, &number.kind) else { return None };
    let ExprKind::SetExtension(items) = &set.kind else { return None };
    ((2..=SPLIT_DISTINCT.get()).contains(&items.len()) && *number == items.len().into() && are_defined(items)).then_some(items)
}

/// Whether all items after the first always have a value. The list evaluates all its items, its parts stop at the first that is false: an
/// ill-defined item must not be passed over.
fn are_defined(items: &[Expr]) -> bool {
    fn is_defined(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Integer(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Element(..)
            | ExprKind::EmptySet
            | ExprKind::MinInt
            | ExprKind::MaxInt
            | ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::Local(_) => true,
            ExprKind::Unary(UnaryOp::Negate, operand) => is_defined(operand),
            ExprKind::Binary(BinaryOp::Pair | BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
                is_defined(left) && is_defined(right)
            }
            _ => false,
        }
    }
    items.iter().skip(1).all(is_defined)
}

/// Whether an expression contains a comprehension or another binder, so that evaluating it once more may be expensive.
fn has_binder(expr: &Expr) -> bool {
    let mut found = false;
    walk_expr(expr, &mut |node| {
        found |= matches!(node, Node::Expr(Expr { kind: ExprKind::Comprehension { .. } | ExprKind::Binder { .. }, .. }));
    });
    found
}

/// Adds the conjuncts of `pred`, which is `not(inner)`.
fn split_negation(pred: &Pred, inner: &Pred, into: &mut Vec<Pred>) {
    match &inner.kind {
        PredKind::Not(inner) => split(inner, into),
        // By De Morgan. In either form a part is evaluated only if those before it are false.
        PredKind::Or(parts) => parts.iter().for_each(|part| split(&not(part), into)),
        // `not(P => Q)` is `P & not Q`, which evaluates the same parts in the same order.
        PredKind::Implies(hypothesis, conclusion) => {
            split(hypothesis, into);
            split(&not(conclusion), into);
        }
        // Both comparisons evaluate both sides, so they are ill-defined for the same values.
        PredKind::Compare(comparison, left, right) => {
            split(&Pred { kind: PredKind::Compare(comparison.opposite(), left.clone(), right.clone()), span: pred.span }, into);
        }
        _ => into.push(pred.clone()),
    }
}
