//! Functions of ProB's libraries that bcheck evaluates itself, and the constructors of free types.
//!
//! Invariant: functions that depend on the names or the order of movable elements are listed as symmetry-breaking in
//! `symmetry::group::movable`. Deliberately elsewhere: the functions on strings (`strings`) and on integers (`integers`).

mod integers;
mod strings;

use super::frame::{Flow, Frame};
use crate::EvalError;
use crate::error::ill_defined;
use bcheck_ir::ExternalFunction;
use bcheck_source::Span;
use bcheck_value::display::display_for_tools;
use bcheck_value::{Free, IllDefined, Integer, Set, Value, relation, sequence};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn text(value: &Value) -> &str {
    match value {
        Value::String(text) => text,
        _ => unreachable!("typed as a string"),
    }
}

fn number(value: &Value) -> &Integer {
    value.as_integer().expect("typed as an integer")
}

/// The argument of a value of a free type, if this constructor built it and has one.
fn made_by(value: &Value, constructor: &Value) -> Option<Value> {
    match value {
        Value::Free(free) if free.constructor == *constructor => free.argument.clone(),
        _ => None,
    }
}

/// A condition of a library function that does not hold.
fn refused<T>(condition: &'static str, span: Span) -> Result<T, EvalError> {
    ill_defined(IllDefined::LibraryFunction(condition), span)
}

/// The text of a value, as written by ProB.
fn text_of(frame: &mut Frame<'_>, value: &Value, span: Span) -> Result<String, EvalError> {
    match value {
        Value::String(text) => Ok(text.to_string()),
        _ => Ok(display_for_tools(&written_out(frame, value, span)?, &*frame.context.model)),
    }
}

/// A value without descriptions, so that equal values have one text.
fn written_out(frame: &mut Frame<'_>, value: &Value, span: Span) -> Result<Value, EvalError> {
    Ok(match value {
        Value::Symbolic(_) => Value::Set(frame.explicit(value, span)?),
        Value::Pair(pair) => Value::pair(written_out(frame, &pair.0, span)?, written_out(frame, &pair.1, span)?),
        Value::Record(fields) => {
            let fields = fields.iter().map(|(name, field)| Ok((name.clone(), written_out(frame, field, span)?)));
            Value::Record(fields.collect::<Result<_, EvalError>>()?)
        }
        Value::Free(free) => {
            let argument = free.argument.as_ref().map(|argument| written_out(frame, argument, span)).transpose()?;
            Value::Free(Arc::new(Free { constructor: free.constructor.clone(), argument }))
        }
        _ => value.clone(),
    })
}

/// Evaluates a call.
// A list: one arm for each function, or for each group that is evaluated elsewhere.
pub(crate) fn call(frame: &mut Frame<'_>, function: ExternalFunction, arguments: &[Value], span: Span) -> Result<Value, EvalError> {
    use ExternalFunction as F;
    match function {
        F::Choose => {
            let mut chosen = None;
            frame.visit(&arguments[0], span, &mut |_, element| {
                chosen = Some(element);
                Ok(Flow::Stop)
            })?;
            chosen.map_or_else(|| ill_defined(IllDefined::EmptySequence("CHOOSE"), span), Ok)
        }
        F::Mu => {
            let set = frame.explicit(&arguments[0], span)?;
            match set.first_element() {
                Some(only) if set.len() == 1 => Ok(only),
                _ => refused("MU of a set that does not have exactly one element", span),
            }
        }
        // Nothing is lazy here: a symbolic set stays symbolic, and a caller that needs its elements enumerates them.
        F::Force => Ok(arguments[0].clone()),
        // Elements are in the order of values already.
        F::Sort => Ok(Value::Set(sequence::from_sequence(frame.explicit(&arguments[0], span)?.iter().collect()))),
        // The values in the order of their arguments, whatever gaps these have.
        F::Squash => {
            let function = frame.explicit(&arguments[0], span)?;
            let items: BTreeMap<Value, Value> =
                function.iter().filter_map(|pair| pair.as_pair().map(|(place, item)| (place.clone(), item.clone()))).collect();
            // Two pairs with the same first component became one entry.
            if items.len() < function.len() {
                return refused("SQUASH of a relation that is not a function", span);
            }
            Ok(Value::Set(sequence::from_sequence(items.into_values().collect())))
        }
        F::Components => {
            let relation = frame.explicit(&arguments[0], span)?;
            Ok(components(&frame.in_one_form(relation, span)?))
        }
        F::Construct => {
            let Value::String(name) = &arguments[0] else { unreachable!("typed as a string") };
            Ok(Value::free(name, arguments.get(1).cloned()))
        }
        // The inverse of a constructor is partial: other constructors also build values of the type.
        F::Argument => {
            let made = made_by(&arguments[1], &arguments[0]);
            made.map_or_else(|| ill_defined(IllDefined::NotInDomain { argument: arguments[1].clone() }, span), Ok)
        }
        F::IsMade => {
            let Value::Free(free) = &arguments[1] else { unreachable!("typed as a free type") };
            Ok(Value::Bool(free.constructor == arguments[0]))
        }
        F::Abs | F::Sign | F::Gcd | F::MostSignificantBit | F::BitAnd | F::BitOr | F::BitXor | F::BitNot | F::ShiftLeft | F::ShiftRight => {
            let result = integers::call(function, &arguments.iter().map(|value| number(value).to_big()).collect::<Vec<_>>());
            result.map_or_else(|condition| refused(condition, span), |number| Ok(Value::Integer(number.into())))
        }
        F::ToString | F::IntToString => Ok(Value::string(&text_of(frame, &arguments[0], span)?)),
        F::FormatToString => {
            let items = items(frame, &arguments[1], span)?;
            let texts = items.iter().map(|item| text_of(frame, item, span)).collect::<Result<Vec<_>, _>>()?;
            Ok(Value::string(&strings::format(text(&arguments[0]), &texts)))
        }
        F::StringConc => {
            let parts = items(frame, &arguments[0], span)?;
            Ok(Value::string(&parts.iter().map(text).collect::<String>()))
        }
        F::StringJoin => {
            let parts = items(frame, &arguments[0], span)?;
            Ok(Value::string(&parts.iter().map(text).collect::<Vec<_>>().join(text(&arguments[1]))))
        }
        F::CodesToString => {
            let codes = items(frame, &arguments[0], span)?;
            let characters =
                codes.iter().map(|code| number(code).to_i64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32));
            match characters.collect::<Option<String>>() {
                Some(text) => Ok(Value::string(&text)),
                None => refused("a number is not the code of a character", span),
            }
        }
        F::StringAppend
        | F::StringLength
        | F::StringToInt
        | F::StringSplit
        | F::StringChars
        | F::StringCodes
        | F::StringToUpper
        | F::StringToLower
        | F::StringReverse
        | F::SubString
        | F::StringReplace
        | F::StringContains
        | F::StringEqualIgnoringCase
        | F::StringIsInt
        | F::StringIsAlphanumeric
        | F::StringPadLeft
        | F::IntToHexString => strings::call(function, arguments).or_else(|condition| refused(condition, span)),
    }
}

/// The items of a sequence.
fn items(frame: &mut Frame<'_>, value: &Value, span: Span) -> Result<Vec<Value>, EvalError> {
    let set = frame.explicit(value, span)?;
    sequence::as_sequence(&set).map_or_else(|| ill_defined(IllDefined::NotASequence, span), Ok)
}

/// The strongly connected components of a relation, seen as a graph on its domain and range.
fn components(relation: &Set) -> Value {
    let reached = relation::closure1(relation);
    let mut members: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
    for (a, b) in reached.iter().filter_map(|pair| pair.as_pair().map(|(a, b)| (a.clone(), b.clone()))) {
        // Two elements are in one component if each reaches the other. An element without a successor reaches nothing, and is alone.
        let is_mutual = reached.contains(&Value::pair(b.clone(), a.clone()));
        members.entry(b.clone()).or_default().insert(b.clone());
        let component = members.entry(a.clone()).or_default();
        component.insert(a);
        if is_mutual {
            component.insert(b);
        }
    }
    // All members of a component have equal entries here; the set contains it once.
    Value::set(members.into_values().map(|component| Value::set(component.into_iter().collect())).collect())
}
