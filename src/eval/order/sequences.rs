//! Sequences that conjuncts bound: those of a known size, the parts of a known sequence, and sequences over two sets at once.
//!
//! Invariant: a candidate gives every sequence that satisfies the conjuncts it is made from; it uses a membership up only if it implies it.
//! Deliberately elsewhere: the choice between candidates (`generators`).

use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, FunctionKind, Pred, PredKind, Type, UnaryOp};
use bcheck_source::Span;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A conjunct about a sequence of a known size, restated for a function: `s : 1..n --> A` instead of `s : seq(A)`, and `n >= 0` instead of
/// `size(s) = n`; together they are equivalent to the original ones.
pub(super) fn as_function(names: &Names<'_>, at: usize, left: Unordered<'_, '_>) -> Option<Pred> {
    if let Some((member, set)) = function_of_size(names, at, left) {
        let span = member.span;
        return Some(Pred { kind: PredKind::Compare(Comparison::Member, Box::new(member), Box::new(set)), span });
    }
    let pred = left.conjunct(at);
    let PredKind::Compare(Comparison::Equal, one, other) = &pred.kind else { return None };
    let (slot, size) = [(one, other), (other, one)].into_iter().find_map(|(applied, value)| match &applied.kind {
        ExprKind::Unary(UnaryOp::Size | UnaryOp::Card, name) => Some((names.slot_of(name)?, value)),
        _ => None,
    })?;
    let is_of_size =
        left.about(slot).any(|(at, _)| function_of_size(names, at, left).is_some_and(|(name, _)| names.slot_of(&name) == Some(slot)));
    let zero = Expr { kind: ExprKind::Integer(0.into()), ty: Type::Integer, span: size.span };
    let kind = PredKind::Compare(Comparison::GreaterEqual, size.clone(), Box::new(zero));
    (is_of_size && names.is_closed(size, left.unbound)).then_some(Pred { kind, span: pred.span })
}

/// The sequence of a conjunct `s : seq(A)`, and the functions that it is one of, where nothing but its size makes them.
fn function_of_size(names: &Names<'_>, at: usize, left: Unordered<'_, '_>) -> Option<(Expr, Expr)> {
    match sequence_of_size(names, at, left)? {
        Candidate { how: How::Each(member, set), consumes, .. } if consumes == [at] => Some((member.clone(), set.into_owned())),
        _ => None,
    }
}

/// `s : seq(A) & size(s) = n`: the functions from `1..n` to A; onto R if `ran(s) = R` is known as well.
pub(super) fn sequence_of_size<'p>(names: &Names<'_>, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let unbound = left.unbound;
    let (member, slot, op, base) = sequence_member(names, left.conjunct(at))?;
    if !unbound.contains(&slot) {
        return None;
    }
    let known = |wanted: &[UnaryOp]| {
        left.conjuncts().find_map(|(_, other)| {
            let PredKind::Compare(Comparison::Equal, left, right) = &other.kind else { return None };
            [(left, right), (right, left)].into_iter().find_map(|(applied, value)| match &applied.kind {
                ExprKind::Unary(op, name) if wanted.contains(op) && names.slot_of(name) == Some(slot) => {
                    names.is_closed(value, unbound).then_some(&**value)
                }
                _ => None,
            })
        })
    };
    // A sequence is a set of as many pairs as its size.
    let size = known(&[UnaryOp::Size, UnaryOp::Card])?;
    let range = known(&[UnaryOp::Range]);
    let values = match range {
        Some(range) => range,
        None if names.is_closed(base, unbound) && cost::set_cost(names, base).is_finite() => base,
        None => return None,
    };
    let is_injective = matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1);
    // A sequence is a surjection onto its range; a sequence without repetition is injective.
    let functions = match (is_injective, range) {
        (false, None) => BinaryOp::Relations(FunctionKind::TotalFunctions),
        (true, None) => BinaryOp::Relations(FunctionKind::TotalInjections),
        (false, Some(_)) => BinaryOp::Relations(FunctionKind::TotalSurjections),
        (true, Some(_)) => BinaryOp::Relations(FunctionKind::TotalBijections),
    };
    let one = Expr { kind: ExprKind::Integer(1.into()), ty: Type::Integer, span: size.span };
    let places = binary(BinaryOp::Interval, one, size.clone(), Type::set(Type::Integer));
    let set = binary(functions, places, values.clone(), Type::set(member.ty.clone()));
    let cost = cost::set_cost(names, &set);
    // R need not be a part of A, and for n = 0 the empty sequence is not in seq1(A): then the membership must be tested.
    let is_implied = range.is_none() && matches!(op, UnaryOp::Seq | UnaryOp::Iseq);
    let consumes = if is_implied { vec![at] } else { Vec::new() };
    cost.is_finite().then_some(Candidate { cost, how: How::Each(member, Cow::Owned(set)), consumes })
}

/// `z = s ^ …` with z known: s is a contiguous subsequence of z.
pub(super) fn part_of_sequence<'p>(names: &Names<'_>, pred: &'p Pred, unbound: &BTreeSet<Slot>) -> Option<Candidate<'p>> {
    let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return None };
    for (joined, whole) in [(left, right), (right, left)] {
        if names.is_closed(whole, unbound)
            && let Some(slot) = operand_of_concat(names, joined, unbound)
        {
            // A sequence of length n has about n * n / 2 contiguous parts.
            let length = cost::set_cost(names, whole).max(2.0);
            return Some(Candidate { cost: length * length / 2.0, how: How::Parts(slot, whole), consumes: Vec::new() });
        }
    }
    None
}

/// The first unbound name that is an operand of nested concatenations.
fn operand_of_concat(names: &Names<'_>, expr: &Expr, unbound: &BTreeSet<Slot>) -> Option<Slot> {
    let ExprKind::Binary(BinaryOp::Concat, left, right) = &expr.kind else { return None };
    [left, right].into_iter().find_map(|operand| match names.slot_of(operand) {
        Some(slot) => unbound.contains(&slot).then_some(slot),
        None => operand_of_concat(names, operand, unbound),
    })
}

/// `s : seq(A) & s : seq(B)`: the sequences over A /\ B. A last resort: they can be enumerated only if that is empty.
pub(super) fn sequence_over_both<'p>(names: &Names<'_>, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
    let members: Vec<(usize, &'p Expr, Slot, UnaryOp, &'p Expr)> = left
        .conjuncts()
        .filter_map(|(at, pred)| sequence_member(names, pred).map(|(name, slot, op, base)| (at, name, slot, op, base)))
        .filter(|(_, _, slot, _, base)| left.unbound.contains(slot) && names.is_closed(base, left.unbound))
        .collect();
    let (first, second) = members
        .iter()
        .enumerate()
        .find_map(|(index, first)| members[index + 1..].iter().find(|second| second.2 == first.2).map(|second| (first, second)))?;
    // If either excludes the empty sequence, so do both together.
    let op = if [first.3, second.3].contains(&UnaryOp::Seq1) { UnaryOp::Seq1 } else { UnaryOp::Seq };
    let shared = binary(BinaryOp::Intersection, first.4.clone(), second.4.clone(), first.4.ty.clone());
    let set = Expr { span: shared.span, ty: Type::set(first.1.ty.clone()), kind: ExprKind::Unary(op, Box::new(shared)) };
    // `iseq` and `iseq1` require more, which is tested.
    let is_implied = |op: UnaryOp| matches!(op, UnaryOp::Seq | UnaryOp::Seq1);
    let consumes = [first, second].into_iter().filter(|(_, _, _, op, _)| is_implied(*op)).map(|(at, ..)| *at).collect();
    // Infinite, so that nothing is estimated to be finite because of it. If the intersection is empty when the search runs, the only
    // sequence is found all the same.
    Some(Candidate { cost: f64::INFINITY, how: How::Each(first.1, Cow::Owned(set)), consumes })
}

/// `s : seq(A)`, or the same with another operator: the name with its slot, the operator and A.
fn sequence_member<'p>(names: &Names<'_>, pred: &'p Pred) -> Option<(&'p Expr, Slot, UnaryOp, &'p Expr)> {
    let PredKind::Compare(Comparison::Member, name, set) = &pred.kind else { return None };
    let ExprKind::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1), base) = &set.kind else { return None };
    Some((name, names.slot_of(name)?, *op, base))
}

/// For `s : seq(A) & size(s) <= e`, and for other upper bounds: a new name n for the size, with the conjunct `n = size(s)` and those
/// about the size rewritten for n. Then n is enumerated, and for each n the sequences of this size. s determines n, so there are as
/// many bindings as before.
pub(super) fn bounded_sizes(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred]) -> (Vec<(Slot, Type)>, Vec<Pred>) {
    let (mut names, mut sizes) = (Vec::new(), Vec::new());
    for pred in conjuncts {
        let Some((member, slot, ..)) = sequence_member(&compiler.names(), pred) else { continue };
        if !locals.iter().any(|(local, _)| *local == slot) {
            continue;
        }
        let of_size = |expr: &Expr| matches!(&expr.kind, ExprKind::Unary(UnaryOp::Size | UnaryOp::Card, name) if compiler.names().slot_of(name) == Some(slot));
        let compared: Vec<(&Pred, Comparison, &Expr, &Expr)> = conjuncts
            .iter()
            .filter_map(|pred| match &pred.kind {
                PredKind::Compare(comparison, left, right) if of_size(left) || of_size(right) => {
                    Some((*pred, *comparison, &**left, &**right))
                }
                _ => None,
            })
            .collect();
        let is_upper = |comparison: Comparison, left: &Expr, right: &Expr| match comparison {
            Comparison::Less | Comparison::LessEqual => of_size(left),
            Comparison::Greater | Comparison::GreaterEqual => of_size(right),
            Comparison::Member => cost::set_cost(&compiler.names(), right).is_finite(),
            _ => false,
        };
        // Without an upper bound there would be no end to n.
        if !compared.iter().any(|(_, comparison, left, right)| is_upper(*comparison, left, right)) {
            continue;
        }
        let is_size: Vec<(bool, bool)> = compared.iter().map(|(_, _, left, right)| (of_size(left), of_size(right))).collect();
        let name = compiler.temporary("the size of a sequence");
        let integer = |kind| Expr { kind, ty: Type::Integer, span: pred.span };
        let size = integer(ExprKind::Local(compiler.names().local_of(name)));
        let mut add = |comparison, left: Expr, right: Expr, span| {
            sizes.push(Pred { kind: PredKind::Compare(comparison, Box::new(left), Box::new(right)), span });
        };
        add(Comparison::Equal, integer(ExprKind::Unary(UnaryOp::Size, Box::new(member.clone()))), size.clone(), pred.span);
        add(Comparison::GreaterEqual, size.clone(), integer(ExprKind::Integer(0.into())), pred.span);
        for ((pred, comparison, left, right), (left_is, right_is)) in compared.into_iter().zip(is_size) {
            let of = |side: &Expr, is_size: bool| if is_size { size.clone() } else { side.clone() };
            add(comparison, of(left, left_is), of(right, right_is), pred.span);
        }
        names.push((name, Type::Integer));
    }
    (names, sizes)
}

fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    let span: Span = left.span;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}
