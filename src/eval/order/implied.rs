//! Generators implied by conjuncts other than memberships.
//!
//! `{x, y} = S` and `{x} \/ t <: S` give `x : S`; `f(x) = y` gives `x : dom(f)`, because the conjunct has no value elsewhere;
//! `f : a .. n --> T` gives `n <= a - 1 + card(f)`. Invariant: such a candidate uses no conjunct up, so the conjunct itself tests each
//! value. Deliberately elsewhere: explicit memberships (`generators`), equations (`equation`).

use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::equation::is_total_function;
use super::{equation, pattern};
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::build::shifted;
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, FunctionKind, LocalId, Node, Pred, PredKind, Subst, SubstKind, Target, Type, UnaryOp,
    walk_expr, walk_pred, walk_subst,
};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are elements or parts of one side of a conjunct, and therefore elements or subsets of the other side, which is known.
pub(super) fn parts_of_sets<'p>(names: &Names<'_>, pred: &'p Pred, unbound: &BTreeSet<Slot>, offer: &mut dyn FnMut(Candidate<'p>)) {
    let sides: &[(&Expr, &Expr)] = match &pred.kind {
        PredKind::Compare(Comparison::Equal, left, right) if matches!(left.ty, Type::Set(_)) => &[(left, right), (right, left)],
        PredKind::Compare(Comparison::Subset | Comparison::StrictSubset, part, whole) => &[(part, whole)],
        _ => return,
    };
    for (part, whole) in sides {
        if names.is_closed(whole, unbound) && !names.is_closed(part, unbound) {
            parts_of(names, part, whole, unbound, offer);
        }
    }
}

fn parts_of<'p>(names: &Names<'_>, part: &'p Expr, whole: &'p Expr, unbound: &BTreeSet<Slot>, offer: &mut dyn FnMut(Candidate<'p>)) {
    match &part.kind {
        ExprKind::SetExtension(items) => {
            // Each item is an element of the whole.
            let cost = cost::set_cost(names, whole);
            for item in items.iter().filter(|item| pattern::can_match(names, item, unbound, &mut Vec::new())) {
                offer(Candidate { cost, how: How::Each(item, Cow::Borrowed(whole)), consumes: Vec::new() });
            }
        }
        ExprKind::Binary(BinaryOp::Union, left, right) => {
            for side in [left, right] {
                if let Some(slot) = names.slot_of(side).filter(|slot| unbound.contains(slot)) {
                    // A part of a union is a subset of the whole.
                    let cost = cost::set_cost(names, whole).exp2();
                    offer(Candidate { cost, how: How::Subset(slot, Cow::Borrowed(whole)), consumes: Vec::new() });
                }
                parts_of(names, side, whole, unbound, offer);
            }
        }
        _ => {}
    }
}

/// For names that nothing else bounds, the cheaper of two generators: the arguments of an application come from the domain of the
/// function, and `x + 1 : S` is solved for x.
pub(super) fn late_candidate<'p>(names: &Names<'_>, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let mut best: Option<Candidate<'p>> = None;
    for (_, pred) in left.conjuncts() {
        let PredKind::Compare(comparison, first, second) = &pred.kind else { continue };
        // `generators` offers patterns without linear expressions.
        if *comparison == Comparison::Member
            && names.is_closed(second, left.unbound)
            && pattern::can_match_solved(names, first, left.unbound)
        {
            let cost = cost::set_cost(names, second);
            if cost.is_finite() && best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(Candidate { cost, how: How::Each(first, Cow::Borrowed(&**second)), consumes: Vec::new() });
            }
        }
        for side in [first, second] {
            applications(names, side, left.unbound, &mut |function: &'p Expr, argument: &'p Expr| {
                let domain = Expr {
                    kind: ExprKind::Unary(UnaryOp::Domain, Box::new(function.clone())),
                    ty: Type::set(argument.ty.clone()),
                    span: function.span,
                };
                // Outside of the domain the conjunct has no value. Nothing else bounds the name, so this counts as false.
                let cost = cost::set_cost(names, &domain);
                if cost.is_finite() && best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(Candidate { cost, how: How::Each(argument, Cow::Owned(domain)), consumes: Vec::new() });
                }
            });
        }
    }
    best
}

/// The difference of the whole and the known parts: the value of the only open part of a partition, and of x in
/// `x \/ t = S & x /\ t = {}`.
pub(super) fn complement<'p>(names: &Names<'_>, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let unbound = left.unbound;
    let open = |expr: &Expr| names.slot_of(expr).filter(|slot| unbound.contains(slot));
    let (slot, whole, others): (Slot, &Expr, Vec<&Expr>) = match &left.conjunct(at).kind {
        PredKind::Partition(whole, parts) => {
            let (others, rest): (Vec<&Expr>, Vec<&Expr>) = parts.iter().partition(|part| names.is_closed(part, unbound));
            // With two open parts, an element could be in either.
            let [part] = rest.as_slice() else { return None };
            (open(part)?, whole, others)
        }
        PredKind::Compare(Comparison::Equal, first, second) => {
            let is_union = |expr: &Expr| matches!(expr.kind, ExprKind::Binary(BinaryOp::Union, ..));
            let (parts, whole) = if is_union(first) { (first, second) } else { (second, first) };
            let mut parts = terms_of_union(parts);
            let part = parts.iter().position(|part| open(part).is_some())?;
            let slot = open(parts.swap_remove(part))?;
            let is_apart = |other: &&Expr| left.conjuncts().any(|(_, pred)| is_disjointness(names, pred, slot, other));
            // Unless x is disjoint from every other part, it may or may not have elements of those.
            if parts.is_empty() || !parts.iter().all(is_apart) {
                return None;
            }
            (slot, whole, parts)
        }
        _ => return None,
    };
    if !names.is_closed(whole, unbound) || !others.iter().all(|other| names.is_closed(other, unbound)) {
        return None;
    }
    let without = |rest: Expr, other: &Expr| {
        let kind = ExprKind::Binary(BinaryOp::Difference, Box::new(rest), Box::new(other.clone()));
        Expr { kind, ty: whole.ty.clone(), span: whole.span }
    };
    let value = others.into_iter().fold(whole.clone(), without);
    Some(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes: Vec::new() })
}

/// `x /\ t = {}`
fn is_disjointness(names: &Names<'_>, pred: &Pred, slot: Slot, other: &Expr) -> bool {
    let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
    [(left, right), (right, left)].into_iter().any(|(both, none)| match (&both.kind, &none.kind) {
        (ExprKind::Binary(BinaryOp::Intersection, first, second), ExprKind::EmptySet) => {
            let are = |first: &Expr, second: &Expr| names.slot_of(first) == Some(slot) && equation::same_set(names, second, other);
            are(first, second) || are(second, first)
        }
        _ => false,
    })
}

/// `1 : s & 2 : s & card(s) <= 2`: the set has no room for elements other than those that are listed by memberships.
pub(super) fn filled_set<'p>(names: &Names<'_>, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let unbound = left.unbound;
    let compared = || {
        left.conjuncts().filter_map(|(_, pred)| match &pred.kind {
            PredKind::Compare(comparison, left, right) => Some((*comparison, &**left, &**right)),
            _ => None,
        })
    };
    let (slot, room) = compared().find_map(|(comparison, left, right)| {
        let (count, number, is_strict) = match comparison {
            Comparison::Equal | Comparison::LessEqual => (left, right, false),
            Comparison::Less => (left, right, true),
            Comparison::GreaterEqual => (right, left, false),
            Comparison::Greater => (right, left, true),
            _ => return None,
        };
        let (ExprKind::Unary(UnaryOp::Card, set), ExprKind::Integer(number)) = (&count.kind, &number.kind) else { return None };
        let slot = names.slot_of(set).filter(|slot| unbound.contains(slot))?;
        Some((slot, number - i32::from(is_strict)))
    })?;
    // Only literals: other expressions may have equal values, and then there would be room for more.
    let mut elements: BTreeMap<&BigInt, &Expr> = BTreeMap::new();
    let mut ty = None;
    for (_, element, set) in compared().filter(|(comparison, _, set)| *comparison == Comparison::Member && names.slot_of(set) == Some(slot))
    {
        if let ExprKind::Integer(number) = &element.kind {
            elements.insert(number, element);
            ty = Some(set.ty.clone());
        }
    }
    // With more elements than there is room for, no set fits: the value then fails the test of its cardinality.
    let is_full = BigInt::from(elements.len()) >= room;
    let first = elements.values().next().filter(|_| is_full)?;
    let kind = ExprKind::SetExtension(elements.values().map(|element| (*element).clone()).collect());
    let value = Expr { kind, ty: ty?, span: first.span };
    Some(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes: Vec::new() })
}

/// The applications of known finite functions to arguments that bind names, in positions that are evaluated whenever the expression is:
/// not below binders, conditionals and predicates, nor in a listed function that is applied, of which one value only is evaluated.
fn applications<'p>(names: &Names<'_>, expr: &'p Expr, unbound: &BTreeSet<Slot>, found: &mut dyn FnMut(&'p Expr, &'p Expr)) {
    match &expr.kind {
        ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) => applications(names, operand, unbound, found),
        // Both operands of a binary operator are evaluated, so an application in one must have a value; but of `{a |-> b, …}(c)` the
        // values of other arguments than c are not.
        ExprKind::Binary(op, left, right) => {
            if *op == BinaryOp::Apply
                && names.is_closed(left, unbound)
                && pattern::can_match(names, right, unbound, &mut Vec::new())
                && has_listed_domain(names, left)
            {
                found(left, right);
            }
            if *op != BinaryOp::Apply || !matches!(left.kind, ExprKind::SetExtension(_)) {
                applications(names, left, unbound, found);
            }
            applications(names, right, unbound, found);
        }
        ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) => {
            items.iter().for_each(|item| applications(names, item, unbound, found));
        }
        _ => {}
    }
}

/// Whether the pairs of a function are probably listed when the search runs.
fn has_listed_domain(names: &Names<'_>, function: &Expr) -> bool {
    match &function.kind {
        ExprKind::Variable(_) | ExprKind::OldVariable(_) | ExprKind::SetExtension(_) | ExprKind::SequenceExtension(_) => true,
        // A name gets its value from an enumeration, so it is listed, unless the text binds the name to a description.
        ExprKind::Local(id) => !symbolic_locals(names).contains(id),
        ExprKind::Constant(_) => {
            let slot = names.slot_of(function);
            let bounds_domain = |pred: &Pred| match &pred.kind {
                PredKind::Compare(Comparison::Member, element, space) if names.slot_of(element) == slot => match &space.kind {
                    ExprKind::Binary(op, from, _) if FunctionKind::of(*op).is_some() => cost::set_cost(names, from).is_finite(),
                    ExprKind::Unary(UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm, _) => true,
                    _ => false,
                },
                PredKind::Compare(Comparison::Equal, left, right) if names.slot_of(left) == slot => {
                    matches!(right.kind, ExprKind::SetExtension(_) | ExprKind::SequenceExtension(_))
                }
                _ => false,
            };
            names.model.properties.iter().any(|conjunct| bounds_domain(&conjunct.pred))
        }
        // The values of a function to functions are probably listed if it is: `route(f)(i)`.
        ExprKind::Binary(BinaryOp::Apply, outer, _) => has_listed_domain(names, outer),
        _ => false,
    }
}

/// Names that the text may bind to a comprehension or lambda that cannot be written out.
fn symbolic_locals<'n>(names: &'n Names<'_>) -> &'n BTreeSet<LocalId> {
    names.facts.described.get_or_init(|| {
        let mut described = BTreeSet::new();
        // Locals are unique in the model, so one pass over all of it is enough.
        let is_symbolic_set = |value: &Expr| {
            let mut found = false;
            walk_expr(value, &mut |node| {
                let Node::Expr(expr) = node else { return };
                found |= match &expr.kind {
                    ExprKind::Comprehension { locals, .. } | ExprKind::Binder { binder: Binder::Lambda, locals, .. } => {
                        locals.iter().any(|(_, ty)| cost::type_cost(names, ty).is_infinite())
                    }
                    _ => false,
                };
            });
            found
        };
        let mut note = |node: Node<'_>| match node {
            Node::Expr(Expr { kind: ExprKind::Let(bindings, _), .. })
            | Node::Pred(Pred { kind: PredKind::Let(bindings, _), .. })
            | Node::Subst(Subst { kind: SubstKind::Let(bindings, _), .. }) => {
                described.extend(bindings.iter().filter(|(_, value)| is_symbolic_set(value)).map(|(id, _)| *id));
            }
            Node::Pred(Pred { kind: PredKind::Compare(Comparison::Equal, left, right), .. }) => {
                for (name, value) in [(left, right), (right, left)] {
                    if let ExprKind::Local(id) = name.kind
                        && is_symbolic_set(value)
                    {
                        described.insert(id);
                    }
                }
            }
            Node::Subst(Subst { kind: SubstKind::Assign(assignments), .. }) => {
                described.extend(assignments.iter().filter(|(_, value)| is_symbolic_set(value)).filter_map(|(target, _)| match target {
                    Target::Local(id) => Some(*id),
                    Target::Variable(_) => None,
                }));
            }
            _ => {}
        };
        walk_subst(&names.model.initialisation, &mut note);
        names.model.operations.values().for_each(|operation| walk_subst(&operation.body, &mut note));
        let stated = names.model.properties.iter().chain(&names.model.invariant).map(|conjunct| &conjunct.pred);
        stated.chain(names.model.assertions.iter().map(|assertion| &assertion.pred)).for_each(|pred| walk_pred(pred, &mut note));
        described
    })
}

/// The upper bound of n that follows from `f : a .. n --> T` with f known: f has `n - a + 1` pairs, and none if `n < a`. In both cases
/// `n <= a - 1 + card(f)`.
pub(super) fn bound_by_function(names: &Names<'_>, slot: Slot, pred: &Pred, unbound: &BTreeSet<Slot>) -> Option<Expr> {
    let PredKind::Compare(Comparison::Member, function, space) = &pred.kind else { return None };
    let ExprKind::Binary(op, domain, _) = &space.kind else { return None };
    let ExprKind::Binary(BinaryOp::Interval, from, to) = &domain.kind else { return None };
    if !is_total_function(*op) {
        return None;
    }
    let is_open = names.slot_of(to) == Some(slot) && names.is_closed(from, unbound) && names.is_closed(function, unbound);
    let integer = |kind| Expr { kind, ty: Type::Integer, span: pred.span };
    is_open.then(|| {
        let count = integer(ExprKind::Unary(UnaryOp::Card, function.clone()));
        let sum = integer(ExprKind::Binary(BinaryOp::Add, from.clone(), Box::new(count)));
        shifted(&sum, -1)
    })
}

/// The operands of a nested union.
fn terms_of_union(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Union, left, right) => [terms_of_union(left), terms_of_union(right)].concat(),
        _ => vec![expr],
    }
}
