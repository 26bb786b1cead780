//! The generators for unbound names among the conjuncts of a search, and the cheapest of them.
//!
//! Invariant: a generator yields every value with which its conjuncts hold, so that using it loses no binding. Deliberately elsewhere: the
//! fallbacks for when no conjunct is a generator (`greedy`), the analyses behind single generators (the files beside this one).

use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::{equation, implied, pattern, ranges, recurrence, roots, sequences, totals};
use crate::compile::cost;
use crate::compile::cost::{clamped, power_set};
use crate::compile::names::Names;
use crate::compile::recursion::recursive_definition;
use crate::plan::Slot;
use crate::thresholds::ORDERS_TRIED_ABOVE;
use bcheck_ir::build::{image, union_of};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, Pred, PredKind, Type};
use bcheck_source::Span;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The cheapest generator. With `first`, only generators of this name count, and those with at most one value.
pub(super) fn best_candidate<'p>(names: &Names<'_>, left: Unordered<'_, 'p>, first: Option<Slot>) -> Option<Candidate<'p>> {
    let mut best: Option<Candidate<'p>> = None;
    let mut offer = |candidate: Candidate<'p>| {
        // An infinite generator does not count: the search would not terminate.
        if candidate.cost.is_finite()
            && first.is_none_or(|slot| candidate.cost <= 1.0 || binds(names, &candidate.how, slot))
            && best.as_ref().is_none_or(|best| is_better(names, &candidate, best, left))
        {
            best = Some(candidate);
        }
    };
    for (at, pred) in left.conjuncts() {
        direct_candidates(names, pred, at, left.unbound, &mut offer);
        implied::parts_of_sets(names, pred, left.unbound, &mut offer);
    }
    // After all direct candidates: among equal costs the first one wins.
    for (at, pred) in left.conjuncts() {
        [sequences::sequence_of_size(names, at, left), sequences::part_of_sequence(names, pred, left.unbound)]
            .into_iter()
            .flatten()
            .for_each(&mut offer);
        if let Some((slot, value)) = equation::pointwise(names, at, left) {
            // On an infinite domain the quantifier cannot be tested. The lambda satisfies it by construction, so it is used up.
            let is_endless = matches!(&value.kind, ExprKind::Binder { locals, pred, .. } if cost::is_endless_over(names, locals, pred));
            let consumes = if is_endless { vec![at] } else { Vec::new() };
            offer(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes });
        }
        recurrence::recurrence_candidate(names, at, left).into_iter().for_each(&mut offer);
        totals::total_candidate(names, at, left).into_iter().for_each(&mut offer);
        roots::root_candidate(names, at, left).into_iter().for_each(&mut offer);
        implied::complement(names, at, left).into_iter().for_each(&mut offer);
    }
    for (slot, ty) in left.names() {
        if *ty == Type::Integer {
            ranges::range_candidate(names, *slot, left, &mut offer);
        }
        // A little more than its size: among equals a conjunct is preferred, because it usually leaves fewer values.
        let values = Expr { kind: ExprKind::TypeSet, ty: Type::set(ty.clone()), span: Span::nowhere() };
        let of_type = cost::type_cost(names, ty);
        let cost = clamped(of_type * 1.01 + 0.01, &[of_type]);
        offer(Candidate { cost, how: How::Values(*slot, values), consumes: Vec::new() });
    }
    best
}

/// Whether to prefer `candidate`: lower cost or, at equal high cost, names that occur in more remaining conjuncts.
#[allow(clippy::float_cmp, reason = "equal estimates are equal")]
fn is_better(names: &Names<'_>, candidate: &Candidate<'_>, other: &Candidate<'_>, left: Unordered<'_, '_>) -> bool {
    // The number of conjuncts, other than those that it implies, that mention a name it binds.
    let reach = |candidate: &Candidate<'_>| {
        let is_bound = |slot: &Slot| left.unbound.contains(slot) && binds(names, &candidate.how, *slot);
        left.conjuncts().filter(|(at, _)| !candidate.consumes.contains(at) && left.mentions(*at).iter().any(is_bound)).count()
    };
    candidate.cost < other.cost
        || candidate.cost == other.cost && candidate.cost > ORDERS_TRIED_ABOVE.get() && reach(candidate) > reach(other)
}

/// Whether a candidate binds this name.
fn binds(names: &Names<'_>, how: &How<'_>, slot: Slot) -> bool {
    match how {
        How::Bind(pattern, _) | How::Each(pattern, _) => names.slots_of_expr(pattern).contains(&slot),
        How::Branches(slots, _) => slots.contains(&slot),
        How::Recursive(bound, _)
        | How::Solve(bound, _)
        | How::Subset(bound, _)
        | How::Parts(bound, _)
        | How::Range(bound, ..)
        | How::Values(bound, _) => *bound == slot,
        How::Within(_, how) => binds(names, how, slot),
        How::Recurrence(found) => found.slot == slot,
        How::Total(found) => found.slot == slot,
        How::Roots(found) => found.slot == slot,
    }
}

/// The candidates of a conjunct by its form alone.
pub(super) fn direct_candidates<'p>(
    names: &Names<'_>,
    pred: &'p Pred,
    at: usize,
    unbound: &BTreeSet<Slot>,
    offer: &mut dyn FnMut(Candidate<'p>),
) {
    match &pred.kind {
        PredKind::Compare(Comparison::Equal, left, right) => {
            for (pattern, value) in [(left, right), (right, left)] {
                value_candidate(names, pattern, value, at, unbound).into_iter().for_each(&mut *offer);
            }
        }
        PredKind::Compare(Comparison::Member, pattern, set) if names.is_closed(set, unbound) => {
            element_candidates(names, pattern, set, at, unbound, offer);
        }
        PredKind::Compare(op @ (Comparison::Subset | Comparison::StrictSubset), part, set) if names.is_closed(set, unbound) => {
            if let Some(slot) = names.slot_of(part).filter(|slot| unbound.contains(slot)) {
                // The subsets include the set itself, which a strict inclusion excludes.
                let consumes = if *op == Comparison::Subset { vec![at] } else { Vec::new() };
                offer(Candidate { cost: power_set(cost::set_cost(names, set)), how: How::Subset(slot, Cow::Borrowed(&**set)), consumes });
            }
        }
        PredKind::Partition(set, parts) => partition_candidates(names, set, parts, unbound, offer),
        _ => {}
    }
}

/// `pattern = value`, as far as it determines names.
fn value_candidate<'p>(
    names: &Names<'_>,
    pattern: &'p Expr,
    value: &'p Expr,
    at: usize,
    unbound: &BTreeSet<Slot>,
) -> Option<Candidate<'p>> {
    // The value of a recursive definition mentions the name, so it is not closed, and the cases below do not apply.
    if let Some(slot) = recursive_definition(names, pattern, value, unbound) {
        return Some(Candidate { cost: 0.0, how: How::Recursive(slot, value), consumes: vec![at] });
    }
    if !names.is_closed(value, unbound) {
        return None;
    }
    if pattern::can_match(names, pattern, unbound, &mut Vec::new()) {
        return Some(Candidate { cost: 0.0, how: How::Bind(pattern, value), consumes: vec![at] });
    }
    if let Some((slot, value)) = equation::solve(names, pattern, value.clone(), unbound) {
        return Some(Candidate { cost: 0.0, how: How::Solve(slot, value), consumes: vec![at] });
    }
    // The division may leave a remainder, so the conjunct stays as a test; the cost makes an exact solution preferred.
    let (slot, value) = equation::solve_multiple(names, pattern, value.clone(), unbound)?;
    Some(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes: Vec::new() })
}

/// `pattern : set` with a known set.
fn element_candidates<'p>(
    names: &Names<'_>,
    pattern: &'p Expr,
    set: &'p Expr,
    at: usize,
    unbound: &BTreeSet<Slot>,
    offer: &mut dyn FnMut(Candidate<'p>),
) {
    let mut binds = Vec::new();
    if !pattern::can_match(names, pattern, unbound, &mut binds) {
        return;
    }
    // The part of the pattern that is known already excludes elements. That it excludes half of them is a guess.
    let partial = matches!(pattern.kind, ExprKind::Binary(..)) && !pattern::all_bound_by(names, pattern, &binds);
    let cost = cost::set_cost(names, set) / if partial { 2.0 } else { 1.0 };
    offer(Candidate { cost, how: How::Each(pattern, Cow::Borrowed(set)), consumes: vec![at] });
    // Of an infinite relation, only the image of the argument is needed once that is known.
    if let ExprKind::Binary(BinaryOp::Pair, argument, value) = &pattern.kind
        && cost.is_infinite()
        && names.is_closed(argument, unbound)
    {
        let (cost, values) = (cost::type_cost(names, &value.ty).min(1.5), image(set, argument));
        offer(Candidate { cost, how: How::Each(value, Cow::Owned(values)), consumes: vec![at] });
    }
}

/// `partition(set, …)`: each part is a subset of a known set, or the set is the union of known parts. Neither implies the conjunct, so
/// it is not used up.
fn partition_candidates<'p>(
    names: &Names<'_>,
    set: &'p Expr,
    parts: &'p [Expr],
    unbound: &BTreeSet<Slot>,
    offer: &mut dyn FnMut(Candidate<'p>),
) {
    if names.is_closed(set, unbound) {
        for slot in parts.iter().filter_map(|part| names.slot_of(part)).filter(|slot| unbound.contains(slot)) {
            let how = How::Subset(slot, Cow::Borrowed(set));
            offer(Candidate { cost: power_set(cost::set_cost(names, set)), how, consumes: Vec::new() });
        }
    } else if let Some(slot) = names.slot_of(set).filter(|slot| unbound.contains(slot))
        && parts.iter().all(|part| names.is_closed(part, unbound))
        && let Some(union) = union_of(parts)
    {
        offer(Candidate { cost: 0.0, how: How::Solve(slot, union), consumes: Vec::new() });
    }
}
