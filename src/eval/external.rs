//! Functions of ProB's libraries that bcheck evaluates itself.
//!
//! Invariant: what depends on the names or the order of movable elements is listed as symmetry-breaking in `symmetry::movable`.

use super::frame::{Flow, Frame};
use super::symbolic::ill_defined;
use super::{EvalError, EvalErrorKind};
use crate::ir::ExternalFunction;
use crate::source::Span;
use crate::value::{IllDefined, Value, sequence};

fn text(value: &Value) -> &str {
    match value {
        Value::String(text) => text,
        _ => unreachable!("typed as a string"),
    }
}

/// What a value of a free type was made from, if that constructor made it from something.
fn made_by(value: &Value, constructor: &Value) -> Option<Value> {
    match value {
        Value::Free(free) if free.constructor == *constructor => free.argument.clone(),
        _ => None,
    }
}

/// Evaluates a call.
pub(super) fn call(frame: &mut Frame<'_>, function: ExternalFunction, arguments: &[Value], span: Span) -> Result<Value, EvalError> {
    let integer = |number: usize| Value::integer(i64::try_from(number).expect("lengths fit 64 bits"));
    match function {
        ExternalFunction::Choose => {
            let mut chosen = None;
            frame.visit(&arguments[0], span, &mut |_, element| {
                chosen = Some(element);
                Ok(Flow::Stop)
            })?;
            chosen.map_or_else(|| ill_defined(IllDefined::EmptySequence("CHOOSE"), span), Ok)
        }
        ExternalFunction::ToString | ExternalFunction::IntToString => match &arguments[0] {
            Value::Integer(number) => Ok(Value::string(&number.to_big().to_string())),
            Value::Bool(value) => Ok(Value::string(if *value { "TRUE" } else { "FALSE" })),
            Value::String(text) => Ok(Value::String(text.clone())),
            _ => Err(EvalError { kind: EvalErrorKind::Undecided("the text of this value".to_owned()), span }),
        },
        ExternalFunction::StringAppend => Ok(Value::string(&format!("{}{}", text(&arguments[0]), text(&arguments[1])))),
        ExternalFunction::StringLength => Ok(integer(text(&arguments[0]).chars().count())),
        ExternalFunction::StringToInt => match text(&arguments[0]).trim().parse::<num_bigint::BigInt>() {
            Ok(number) => Ok(Value::Integer(number.into())),
            Err(_) => ill_defined(IllDefined::NotASequence, span),
        },
        ExternalFunction::StringConc => {
            let set = frame.explicit(&arguments[0], span)?;
            match sequence::as_sequence(&set) {
                Some(parts) => Ok(Value::string(&parts.iter().map(text).collect::<String>())),
                None => ill_defined(IllDefined::NotASequence, span),
            }
        }
        ExternalFunction::Construct => {
            let Value::String(name) = &arguments[0] else { unreachable!("typed as a string") };
            Ok(Value::free(name, arguments.get(1).cloned()))
        }
        ExternalFunction::Argument => {
            let made = made_by(&arguments[1], &arguments[0]);
            made.map_or_else(|| ill_defined(IllDefined::NotInDomain { argument: arguments[1].clone() }, span), Ok)
        }
        ExternalFunction::IsMade => {
            let Value::Free(free) = &arguments[1] else { unreachable!("typed as a free type") };
            Ok(Value::Bool(free.constructor == arguments[0]))
        }
        ExternalFunction::StringSplit => {
            let (whole, separator) = (text(&arguments[0]), text(&arguments[1]));
            let parts: Vec<Value> =
                if separator.is_empty() { vec![Value::string(whole)] } else { whole.split(separator).map(Value::string).collect() };
            Ok(Value::Set(sequence::from_sequence(parts)))
        }
    }
}
