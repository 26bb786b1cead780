//! Operators on sets and relations whose elements are uncertain.
//!
//! Invariant: an element's literal is true exactly where the element belongs to the result; results are ascending, each
//! element once.

use super::circuit::Circuit;
use super::encoder::Encoder;
use super::open::{Grounded, Open, Stop, gathered, literal_of, row, sides};
use super::sat::Lit;
use crate::thresholds::{GATED_PRODUCT, SPREAD_ARGUMENTS};
use bcheck_ir::BinaryOp;
use bcheck_source::Span;
use bcheck_value::Value;
use std::collections::BTreeMap;

/// A set operator of which at least one operand is an open set.
pub(super) fn set_operation(
    encoder: &mut Encoder<'_, '_>,
    op: BinaryOp,
    left: &Open,
    right: &Open,
    span: Span,
) -> Grounded<Vec<(Value, Lit)>> {
    match op {
        BinaryOp::Union => {
            let (left, right) = (encoder.members(left, span)?, encoder.members(right, span)?);
            Ok(gathered(&mut encoder.circuit, left.iter().chain(right.iter()).cloned()))
        }
        BinaryOp::Intersection | BinaryOp::Difference => {
            // The walked side must be explicit; the other one is only tested for membership, so it may be symbolic.
            let is_symbolic_set = matches!(left, Open::Known(Value::Symbolic(_))) && op == BinaryOp::Intersection;
            let (walked, other) = if is_symbolic_set { (right, left) } else { (left, right) };
            filtered(encoder, walked, span, |encoder, value| {
                let inside = encoder.contains(other, value, span)?;
                Ok(if op == BinaryOp::Intersection { inside } else { !inside })
            })
        }
        BinaryOp::DomainRestrict => filtered(encoder, right, span, |encoder, pair| encoder.contains(left, sides(pair).0, span)),
        BinaryOp::DomainSubtract => filtered(encoder, right, span, |encoder, pair| Ok(!encoder.contains(left, sides(pair).0, span)?)),
        BinaryOp::RangeRestrict => filtered(encoder, left, span, |encoder, pair| encoder.contains(right, sides(pair).1, span)),
        BinaryOp::RangeSubtract => filtered(encoder, left, span, |encoder, pair| Ok(!encoder.contains(right, sides(pair).1, span)?)),
        BinaryOp::Image => {
            // A value is in the image where any of its arguments is in the set and related to it.
            let pairs = filtered(encoder, left, span, |encoder, pair| encoder.contains(right, sides(pair).0, span))?;
            spread(&mut encoder.circuit, &pairs);
            Ok(gathered(&mut encoder.circuit, pairs.into_iter().map(|(pair, literal)| (sides(&pair).1.clone(), literal))))
        }
        BinaryOp::Override => {
            let changes = encoder.members(right, span)?;
            // `r <+ s` keeps a pair of r unless its first component has some pair in s.
            let domain = gathered(&mut encoder.circuit, changes.iter().map(|(pair, literal)| (sides(pair).0.clone(), *literal)));
            let kept = filtered(encoder, left, span, |_, pair| Ok(!literal_of(&domain, sides(pair).0)))?;
            Ok(gathered(&mut encoder.circuit, kept.into_iter().chain(changes.iter().cloned())))
        }
        BinaryOp::Product => product(encoder, left, right, span),
        BinaryOp::Compose => composition(encoder, left, right, span),
        _ => Err(Stop::Unsupported),
    }
}

/// Tells the solver that a function reaches each of as many images as there are arguments only if no two arguments have the same image.
///
/// This follows by the pigeonhole principle, which resolution proves in exponentially many steps only (A. Haken, *The intractability of
/// resolution*, 1985).
fn spread(circuit: &mut Circuit, pairs: &[(Value, Lit)]) {
    let mut rows: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
    let mut columns: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
    for (pair, literal) in pairs {
        let (argument, image) = sides(pair);
        rows.entry(argument).or_default().push(*literal);
        columns.entry(image).or_default().push(*literal);
    }
    if columns.len() != rows.len() || rows.len() > SPREAD_ARGUMENTS.get() {
        return;
    }
    let reached: Vec<Lit> = columns.values().map(|column| circuit.any(column.clone())).collect();
    let functional: Vec<Lit> = rows.values().map(|row| circuit.at_most_one(row)).collect();
    let premise = circuit.all(reached.into_iter().chain(functional).collect());
    let different: Vec<Lit> = columns.values().map(|column| circuit.at_most_one(column)).collect();
    let conclusion = circuit.all(different);
    let follows = circuit.implies(premise, conclusion);
    circuit.assert(follows);
}

fn product(encoder: &mut Encoder<'_, '_>, left: &Open, right: &Open, span: Span) -> Grounded<Vec<(Value, Lit)>> {
    let (left, right) = (encoder.members(left, span)?, encoder.members(right, span)?);
    if left.len().saturating_mul(right.len()) > GATED_PRODUCT.get() {
        return Err(Stop::Unsupported);
    }
    // In lexicographic order, which is that of pairs: no sorting is needed, and no pair occurs twice.
    let mut pairs = Vec::new();
    for (first, one) in left.iter() {
        encoder.is_room(span)?;
        for (second, other) in right.iter() {
            pairs.push((Value::pair(first.clone(), second.clone()), encoder.circuit.and(*one, *other)));
        }
    }
    Ok(pairs)
}

fn composition(encoder: &mut Encoder<'_, '_>, left: &Open, right: &Open, span: Span) -> Grounded<Vec<(Value, Lit)>> {
    let (left, right) = (encoder.members(left, span)?, encoder.members(right, span)?);
    // Several middle elements may join the same two: `gathered` makes their disjunction.
    let mut pairs = Vec::new();
    for (pair, one) in left.iter() {
        let (first, middle) = sides(pair);
        for (then, other) in row(&right, middle) {
            pairs.push((Value::pair(first.clone(), sides(then).1.clone()), encoder.circuit.and(*one, *other)));
        }
        encoder.is_room(span)?;
        if pairs.len() > GATED_PRODUCT.get() {
            return Err(Stop::Unsupported);
        }
    }
    Ok(gathered(&mut encoder.circuit, pairs))
}

/// The elements of a set for which something holds.
fn filtered(
    encoder: &mut Encoder<'_, '_>,
    set: &Open,
    span: Span,
    keep: impl Fn(&mut Encoder<'_, '_>, &Value) -> Grounded<Lit>,
) -> Grounded<Vec<(Value, Lit)>> {
    let members = encoder.members(set, span)?;
    let mut kept = Vec::with_capacity(members.len());
    for (value, literal) in members.iter() {
        let condition = keep(encoder, value)?;
        encoder.is_room(span)?;
        let literal = encoder.circuit.and(*literal, condition);
        // An element that no model has would only make gates for what is built from the set.
        if literal != Lit::FALSE {
            kept.push((value.clone(), literal));
        }
    }
    Ok(kept)
}
