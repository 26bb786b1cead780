//! Operators on the open values of their operands.
//!
//! Invariant: that of `terms`: the result is that of evaluation in every model in which `defined` is true. Deliberately elsewhere: set
//! operators of two operands (`sets`), integers without enumerated values (`arithmetic`, `images`).

use super::arithmetic::negated_integer;
use super::encoder::Encoder;
use super::images::apply_to_integers;
use super::open::{Ground, Grounded, Members, Open, Stop, Truth, gathered, row, sides};
use super::sat::Lit;
use super::sets::set_operation;
use crate::thresholds::COUNTED_ELEMENTS;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_source::Span;
use bcheck_value::Value;
use std::rc::Rc;

/// `{a, b, …}`
pub(super) fn extension(encoder: &mut Encoder<'_, '_>, items: &[(Ground, Span)]) -> Grounded<Ground> {
    let (mut elements, mut defined) = (Vec::new(), Vec::new());
    for (item, span) in items {
        defined.push(item.defined);
        // Each value that an item may have is an element where the item has it.
        elements.extend(encoder.written_choices(&item.value, *span)?.iter().cloned());
    }
    let defined = encoder.circuit.all(defined);
    Ok(Ground::set(gathered(&mut encoder.circuit, elements), defined))
}

/// The value of IF. The side that is not chosen may be ill-defined.
pub(super) fn choose(encoder: &mut Encoder<'_, '_>, condition: Truth, then: &Ground, otherwise: &Ground, span: Span) -> Grounded<Ground> {
    let (one, other) = (encoder.circuit.and(condition.holds, then.defined), encoder.circuit.and(condition.fails, otherwise.defined));
    let defined = encoder.circuit.or(one, other);
    // A known set combined with an open one becomes open too, so that both sides can be merged element by element.
    let is_set = [then, otherwise].iter().any(|side| matches!(side.value, Open::Set(_) | Open::Function(_)));
    let mut parts = Vec::new();
    for (value, literal) in [(&then.value, condition.holds), (&otherwise.value, condition.fails)] {
        let members = if is_set { encoder.members(value, span)? } else { encoder.choices(value)? };
        for (value, own) in members.iter() {
            parts.push((value.clone(), encoder.circuit.and(*own, literal)));
        }
    }
    let parts = Rc::new(gathered(&mut encoder.circuit, parts));
    Ok(Ground { value: if is_set { Open::Set(parts) } else { Open::Choice(parts) }, defined })
}

pub(super) fn unary(encoder: &mut Encoder<'_, '_>, op: UnaryOp, operand: &Ground, span: Span) -> Grounded<Ground> {
    match &operand.value {
        Open::Set(members) => unary_of_set(encoder, op, members, operand.defined, span),
        Open::Function(arguments) => {
            let members = encoder.integers.pairs_of(&mut encoder.circuit, arguments)?;
            unary_of_set(encoder, op, &members, operand.defined, span)
        }
        Open::Integer(variable) if op == UnaryOp::Negate => negated_integer(&mut encoder.circuit, *variable, operand.defined),
        _ => encoder.lifted(&[operand], span, &mut |frame, values| frame.unary(op, values[0].clone(), span)),
    }
}

fn unary_of_set(encoder: &mut Encoder<'_, '_>, op: UnaryOp, members: &Members, defined: Lit, span: Span) -> Grounded<Ground> {
    match op {
        UnaryOp::Domain | UnaryOp::Range => {
            let parts = members.iter().map(|(pair, literal)| {
                let (first, second) = sides(pair);
                (if op == UnaryOp::Domain { first.clone() } else { second.clone() }, *literal)
            });
            let parts = parts.collect::<Vec<_>>();
            Ok(Ground::set(gathered(&mut encoder.circuit, parts), defined))
        }
        UnaryOp::Inverse => {
            let mut pairs: Vec<(Value, Lit)> = members
                .iter()
                .map(|(pair, literal)| {
                    let (first, second) = sides(pair);
                    (Value::pair(second.clone(), first.clone()), *literal)
                })
                .collect();
            // Different pairs have different inverses: nothing to merge.
            pairs.sort_unstable();
            Ok(Ground::set(pairs, defined))
        }
        UnaryOp::Identity => {
            let pairs = members.iter().map(|(value, literal)| (Value::pair(value.clone(), value.clone()), *literal)).collect();
            Ok(Ground::set(pairs, defined))
        }
        UnaryOp::Closure1 => Ok(Ground::set(transitive(encoder, members, span)?, defined)),
        UnaryOp::Card => Ok(Ground { value: Open::Choice(count(encoder, members, span)?), defined }),
        UnaryOp::Min | UnaryOp::Max => {
            let mut ascending: Vec<(Value, Lit)> = members.to_vec();
            if op == UnaryOp::Max {
                ascending.reverse();
            }
            // The first element, in this order, that the set has.
            let mut before = Lit::FALSE;
            let mut choices = Vec::new();
            for (value, literal) in ascending {
                choices.push((value, encoder.circuit.and(literal, !before)));
                before = encoder.circuit.or(before, literal);
            }
            choices.sort_unstable();
            // The empty set has neither.
            let defined = encoder.circuit.and(defined, before);
            Ok(Ground { value: Open::Choice(Rc::new(choices)), defined })
        }
        // The members of the set of sets are known, only whether they are in it is open: the elements are those of a choice of sets.
        UnaryOp::GeneralUnion => {
            let union = encoder.members(&Open::Choice(members.clone()), span)?;
            Ok(Ground { value: Open::Set(union), defined })
        }
        _ => Err(Stop::Unsupported),
    }
}

/// How many elements a set has.
fn count(encoder: &mut Encoder<'_, '_>, members: &Members, span: Span) -> Grounded<Members> {
    let uncertain: Vec<Lit> = members.iter().map(|(_, literal)| *literal).filter(|literal| *literal != Lit::TRUE).collect();
    if uncertain.len() > COUNTED_ELEMENTS.get() {
        return Err(Stop::Unsupported);
    }
    let certain = members.len() - uncertain.len();
    // A unary counter: `counters[k]` is true where more than `k` of them are (Sinz, Towards an optimal CNF encoding of Boolean
    // cardinality constraints, CP 2005).
    let counters = encoder.circuit.counters(&uncertain);
    encoder.is_room(span)?;
    let mut choices = Vec::new();
    for extra in 0..=uncertain.len() {
        // Exactly `extra`: at least that many, and not one more.
        let reached = if extra == 0 { Lit::TRUE } else { counters[extra - 1] };
        let more = counters.get(extra).copied().unwrap_or(Lit::FALSE);
        let number = i64::try_from(certain + extra).expect("a set in memory has fewer than 2^63 elements");
        choices.push((Value::integer(number), encoder.circuit.and(reached, !more)));
    }
    choices.retain(|(_, literal)| *literal != Lit::FALSE);
    Ok(Rc::new(choices))
}

/// `closure1(r)`, one intermediate element after the other (Warshall).
fn transitive(encoder: &mut Encoder<'_, '_>, relation: &Members, span: Span) -> Grounded<Vec<(Value, Lit)>> {
    let mut closure: Vec<(Value, Lit)> = relation.to_vec();
    // An intermediate element has a successor. Composition adds no first components, so these are all.
    let firsts: Vec<Value> = {
        let mut firsts: Vec<Value> = relation.iter().map(|(pair, _)| sides(pair).0.clone()).collect();
        // Pairs are ascending, so equal first components are neighbours.
        firsts.dedup();
        firsts
    };
    // Invariant: a pair is in the closure so far where a path through intermediate elements done so far joins its components.
    for middle in &firsts {
        let out = row(&closure, middle).to_vec();
        let into: Vec<(Value, Lit)> = closure.iter().filter(|(pair, _)| sides(pair).1 == middle).cloned().collect();
        let mut pairs = closure;
        for (before, one) in &into {
            for (after, other) in &out {
                pairs.push((Value::pair(sides(before).0.clone(), sides(after).1.clone()), encoder.circuit.and(*one, *other)));
            }
        }
        closure = gathered(&mut encoder.circuit, pairs);
        encoder.is_room(span)?;
    }
    Ok(closure)
}

pub(super) fn binary(encoder: &mut Encoder<'_, '_>, op: BinaryOp, left: &Ground, right: &Ground, span: Span) -> Grounded<Ground> {
    if op == BinaryOp::Apply
        && let Open::Function(arguments) = &left.value
    {
        return apply_to_integers(encoder, left, arguments, right, span);
    }
    if let Some(result) = encoder.arithmetic.arithmetic(&mut encoder.circuit, op, left, right)? {
        return Ok(result);
    }
    let is_set = |value: &Open| matches!(value, Open::Set(_) | Open::Function(_));
    // Both sides have one value out of a list: the operator, whatever it is, is evaluated on each pair of values.
    if !is_set(&left.value) && !is_set(&right.value) {
        return encoder.lifted(&[left, right], span, &mut |frame, values| frame.binary(op, values[0].clone(), values[1].clone(), span));
    }
    if op == BinaryOp::Apply {
        return apply(encoder, left, right, span);
    }
    let defined = encoder.circuit.and(left.defined, right.defined);
    Ok(Ground::set(set_operation(encoder, op, &left.value, &right.value, span)?, defined))
}

/// `f(x)` of an open function.
fn apply(encoder: &mut Encoder<'_, '_>, function: &Ground, argument: &Ground, span: Span) -> Grounded<Ground> {
    let relation = encoder.members(&function.value, span)?;
    let mut defined = vec![function.defined, argument.defined];
    let mut results = Vec::new();
    for (argument, chosen) in encoder.written_choices(&argument.value, span)?.iter() {
        // Without a pair there is no image, and `exactly_one` of nothing is false: such an argument is undefined.
        let images = row(&relation, argument);
        let literals: Vec<Lit> = images.iter().map(|(_, literal)| *literal).collect();
        let one = encoder.circuit.exactly_one(&literals);
        // Functionality is required only at the chosen argument: elsewhere the relation may be anything.
        defined.push(encoder.circuit.implies(*chosen, one));
        encoder.is_room(span)?;
        for (pair, literal) in images {
            results.push((sides(pair).1.clone(), encoder.circuit.and(*chosen, *literal)));
        }
    }
    let defined = encoder.circuit.all(defined);
    let results = gathered(&mut encoder.circuit, results);
    Ok(Ground { value: Open::Choice(Rc::new(results)), defined })
}
