//! Comparisons of open values, as literals.
//!
//! Invariant: where both sides are defined, the literal is true exactly where the comparison holds. A known set of sets may be symbolic:
//! then it is decided by its definition and never expanded. Deliberately elsewhere: comparisons of sums (`linear`).

use super::encoder::Encoder;
use super::images::{function_member, integer_member};
use super::integers::is_crowded;
use super::open::{Grounded, Open, Stop, literal_of, sides};
use super::sat::Lit;
use bcheck_ir::FunctionKind;
use bcheck_source::Span;
use bcheck_value::{SequenceKind, Symbolic, Value};
use std::collections::BTreeMap;

/// Whether one integer is less than another, with a number of gates linear in their possible values.
pub(super) fn less(encoder: &mut Encoder<'_, '_>, left: &Open, right: &Open) -> Grounded<Lit> {
    let (left, right) = (encoder.choices(left)?, encoder.choices(right)?);
    let mut cases = Vec::new();
    // Whether the right side is one of the values taken from `rest` so far, which are all those above `value`: both lists are walked
    // from their greatest value down.
    let mut above = Lit::FALSE;
    let mut rest = right.iter().rev().peekable();
    for (value, literal) in left.iter().rev() {
        while let Some((_, own)) = rest.next_if(|(other, _)| other > value) {
            above = encoder.circuit.or(above, *own);
        }
        cases.push(encoder.circuit.and(*literal, above));
    }
    Ok(encoder.circuit.any(cases))
}

pub(super) fn equal(encoder: &mut Encoder<'_, '_>, left: &Open, right: &Open, span: Span) -> Grounded<Lit> {
    let is_set = |value: &Open| matches!(value, Open::Set(_) | Open::Function(_));
    if !is_set(left) && !is_set(right) {
        let (left, right) = (encoder.choices(left)?, encoder.choices(right)?);
        // Descriptions of the same set may differ as values, and finding out is for the test of the conjunct.
        if left.iter().chain(right.iter()).any(|(value, _)| value.holds_description()) {
            return Err(Stop::Unsupported);
        }
        // A value that only one side can have makes no case.
        let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        let cases = few.iter().map(|(value, literal)| encoder.circuit.and(*literal, literal_of(&many, value))).collect();
        return Ok(encoder.circuit.any(cases));
    }
    let (left, right) = (encoder.members(left, span)?, encoder.members(right, span)?);
    // Extensionality: every value that either side may have is in both or in neither.
    let mut cases = Vec::new();
    for (value, literal) in left.iter() {
        cases.push(encoder.circuit.same(*literal, literal_of(&right, value)));
        encoder.is_room(span)?;
    }
    for (value, literal) in right.iter() {
        if left.binary_search_by(|(other, _)| other.cmp(value)).is_err() {
            // Only the right side can have it.
            cases.push(!*literal);
        }
    }
    Ok(encoder.circuit.all(cases))
}

/// Whether one set is included in another: each element that the part may have is one of the whole wherever it has it.
pub(super) fn included(encoder: &mut Encoder<'_, '_>, part: &Open, whole: &Open, span: Span) -> Grounded<Lit> {
    let members = encoder.members(part, span)?;
    let mut cases = Vec::with_capacity(members.len());
    for (value, literal) in members.iter() {
        let inside = encoder.contains(whole, value, span)?;
        cases.push(encoder.circuit.implies(*literal, inside));
        encoder.is_room(span)?;
    }
    Ok(encoder.circuit.all(cases))
}

pub(super) fn subset_member(encoder: &mut Encoder<'_, '_>, element: &Open, base: &Open, nonempty: bool, span: Span) -> Grounded<Lit> {
    let included = included(encoder, element, base, span)?;
    if !nonempty {
        return Ok(included);
    }
    let members = encoder.members(element, span)?;
    let any = encoder.circuit.any(members.iter().map(|(_, literal)| *literal).collect());
    Ok(encoder.circuit.and(included, any))
}

pub(super) fn member(encoder: &mut Encoder<'_, '_>, element: &Open, set: &Open, span: Span) -> Grounded<Lit> {
    // A known set of sets may be symbolic: then it is decided by its definition and never expanded.
    if let (Open::Integer(variable), Open::Known(set)) = (element, set) {
        return integer_member(encoder, *variable, set, span);
    }
    if let (Open::Set(_) | Open::Function(_), Open::Known(Value::Symbolic(symbolic))) = (element, set) {
        let known = |value: &Value| Open::Known(value.clone());
        return match &**symbolic {
            Symbolic::Power { base, nonempty, .. } => subset_member(encoder, element, &known(base), *nonempty, span),
            Symbolic::Functions(kind, from, to) => relation_member(encoder, *kind, element, &known(from), &known(to), span),
            Symbolic::Sequences(SequenceKind::Perm, base) => {
                let length = encoder.written_out(base, span)?.len();
                // A permutation of S, as a sequence, is a total bijection from `1 .. card(S)` to S.
                let places = (1..=i64::try_from(length).expect("a set in memory")).map(Value::integer).collect();
                relation_member(encoder, FunctionKind::TotalBijections, element, &Open::Known(Value::set(places)), &known(base), span)
            }
            _ => Err(Stop::Unsupported),
        };
    }
    let mut cases = Vec::new();
    if let Open::Set(_) | Open::Function(_) = element {
        // An explicit set of sets: the element equals one of its possible elements, compared element by element.
        let candidates = encoder.members(set, span)?;
        for (candidate, literal) in candidates.iter() {
            let equal = equal(encoder, element, &Open::Known(candidate.clone()), span)?;
            encoder.is_room(span)?;
            cases.push(encoder.circuit.and(equal, *literal));
        }
    } else {
        for (value, literal) in encoder.choices(element)?.iter() {
            let inside = encoder.contains(set, value, span)?;
            cases.push(encoder.circuit.and(*literal, inside));
        }
    }
    Ok(encoder.circuit.any(cases))
}

/// Whether a relation belongs to a set of relations or functions.
pub(super) fn relation_member(
    encoder: &mut Encoder<'_, '_>,
    kind: FunctionKind,
    relation: &Open,
    from: &Open,
    to: &Open,
    span: Span,
) -> Grounded<Lit> {
    if let Open::Function(arguments) = relation
        && !((kind.is_injective() || kind.is_surjective()) && is_crowded(&encoder.circuit, arguments))
    {
        return function_member(encoder, kind, arguments, from, to, span);
    }
    let pairs = encoder.members(relation, span)?;
    // The relation as a matrix of literals: a function has at most one true literal in each row, an injection in each column.
    let mut rows: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
    let mut columns: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
    for (pair, literal) in pairs.iter() {
        let (first, second) = sides(pair);
        rows.entry(first).or_default().push(*literal);
        columns.entry(second).or_default().push(*literal);
    }
    let mut cases = Vec::new();
    for (lines, side, functional, whole) in
        [(&rows, from, kind.is_functional(), kind.is_total()), (&columns, to, kind.is_injective(), kind.is_surjective())]
    {
        for (value, literals) in lines {
            let inside = encoder.contains(side, value, span)?;
            // The pair must lie in `from * to`.
            if inside != Lit::TRUE {
                cases.extend(literals.iter().map(|literal| encoder.circuit.implies(*literal, inside)));
            }
            if functional {
                cases.push(encoder.circuit.at_most_one(literals));
            }
        }
        if whole {
            for (value, literal) in encoder.members(side, span)?.iter() {
                // `exactly_one` is the gate that `apply` needs for its result to be defined, and an element without pairs is not
                // reached.
                let literals = lines.get(value).map(Vec::as_slice).unwrap_or_default();
                let reached = match functional {
                    true => encoder.circuit.exactly_one(literals),
                    false => encoder.circuit.any(literals.to_vec()),
                };
                cases.push(encoder.circuit.implies(*literal, reached));
            }
        }
    }
    encoder.is_room(span)?;
    Ok(encoder.circuit.all(cases))
}
