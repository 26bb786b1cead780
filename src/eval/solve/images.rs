//! Integers without enumerated values, and functions to them, as elements of sets; their application.
//!
//! Invariant: that of `comparison` and `operators`, which hand these cases over. Deliberately elsewhere: sums and bounds (`integers`).

use super::encoder::Encoder;
use super::integers::{GREATEST, between, interval_of, least_unless};
use super::open::{Ground, Grounded, Images, Open, Stop};
use super::sat::{IntegerVariable, Lit};
use bcheck_ir::{FunctionKind, IntegerSet};
use bcheck_source::Span;
use bcheck_value::{Integer, Symbolic, Value};

/// Whether an integer belongs to a known set.
pub(super) fn integer_member(encoder: &mut Encoder<'_, '_>, variable: IntegerVariable, set: &Value, span: Span) -> Grounded<Lit> {
    if let Value::Symbolic(symbolic) = set
        && let Symbolic::Integers(numbers) = **symbolic
    {
        let least = match numbers {
            IntegerSet::Integer => return Ok(Lit::TRUE),
            IntegerSet::Natural => 0,
            IntegerSet::Natural1 => 1,
            // Within bounds of the scope, these are intervals.
            IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1 => return Err(Stop::Unsupported),
        };
        return Ok(!encoder.circuit.solver.at_most(variable, least - 1));
    }
    if let Ok((least, greatest)) = interval_of(set) {
        return Ok(if least <= greatest { between(&mut encoder.circuit, variable, least, greatest) } else { Lit::FALSE });
    }
    let set = encoder.written_out(set, span)?;
    let mut cases = Vec::with_capacity(set.len());
    for value in set.iter() {
        // Numbers of more than 64 bits are out of its bounds.
        if let Some(value) = value.as_integer().and_then(Integer::to_i64).filter(|value| value.abs() < GREATEST) {
            cases.push(between(&mut encoder.circuit, variable, value, value));
            encoder.is_room(span)?;
        }
    }
    Ok(encoder.circuit.any(cases))
}

/// Whether a function to integers belongs to a set of relations or functions.
pub(super) fn function_member(
    encoder: &mut Encoder<'_, '_>,
    kind: FunctionKind,
    arguments: &Images,
    from: &Open,
    to: &Open,
    span: Span,
) -> Grounded<Lit> {
    let mut cases = Vec::new();
    for (argument, variable) in arguments.iter() {
        cases.push(encoder.contains(from, argument, span)?);
        let Open::Known(to) = to else { return Err(Stop::Unsupported) };
        cases.push(integer_member(encoder, *variable, to, span)?);
    }
    if kind.is_total() {
        for (argument, literal) in encoder.members(from, span)?.iter() {
            if arguments.binary_search_by(|(other, _)| other.cmp(argument)).is_err() {
                cases.push(!*literal);
            }
        }
    }
    // Different images reach as many elements as there are arguments.
    if kind.is_surjective() && !(kind.is_injective() && encoder.members(to, span)?.len() == arguments.len()) {
        return Err(Stop::Unsupported);
    }
    if kind.is_injective() {
        for (at, (_, one)) in arguments.iter().enumerate() {
            for (_, other) in &arguments[at + 1..] {
                cases.push(!encoder.integers.equal_integers(&mut encoder.circuit, *one, *other)?);
            }
            encoder.is_room(span)?;
        }
    }
    Ok(encoder.circuit.all(cases))
}

/// `f(x)` of a function to integers.
pub(super) fn apply_to_integers(
    encoder: &mut Encoder<'_, '_>,
    function: &Ground,
    arguments: &Images,
    argument: &Ground,
    span: Span,
) -> Grounded<Ground> {
    let mut defined = vec![function.defined, argument.defined];
    let choices = encoder.written_choices(&argument.value, span)?;
    let mut images = Vec::new();
    let mut outside = Vec::new();
    for (value, chosen) in choices.iter() {
        match arguments.binary_search_by(|(other, _)| other.cmp(value)) {
            Ok(at) => images.push((arguments[at].1, *chosen)),
            Err(_) => outside.push(!*chosen),
        }
    }
    defined.extend(outside);
    match images.as_slice() {
        [] => return Ok(Ground::undefined()),
        [(image, Lit::TRUE)] => return Ok(Ground { value: Open::Integer(*image), defined: encoder.circuit.all(defined) }),
        _ => {}
    }
    let ends: Vec<(i64, i64)> = images.iter().map(|(image, _)| encoder.circuit.solver.bounds(*image)).collect();
    let least = ends.iter().map(|(least, _)| *least).min().expect("there is an image");
    let greatest = ends.iter().map(|(_, greatest)| *greatest).max().expect("there is an image");
    let result = encoder.circuit.solver.integer(least, greatest);
    for (image, chosen) in &images {
        let equal = encoder.integers.equal_integers(&mut encoder.circuit, result, *image)?;
        encoder.circuit.solver.clause(vec![!*chosen, equal]);
        encoder.is_room(span)?;
    }
    // The argument may be outside the domain.
    least_unless(&mut encoder.circuit, result, images.into_iter().map(|(_, chosen)| chosen).collect());
    Ok(Ground { value: Open::Integer(result), defined: encoder.circuit.all(defined) })
}
