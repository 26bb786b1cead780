//! The functions of ProB's `LibraryStrings` on single strings. Characters are those of Unicode, positions count from 1.
//!
//! Invariant: pure functions of their arguments; an error is the condition that does not hold.
//! Deliberately elsewhere: functions on sequences of strings, which have to be written out first (`super`).

use super::{number, text};
use crate::thresholds::PADDED_TEXT;
use bcheck_ir::ExternalFunction;
use bcheck_value::{Integer, Value, sequence};

/// The nearest number of characters.
fn clipped(number: &Integer) -> usize {
    if number.is_negative() { 0 } else { usize::try_from(number.to_big()).unwrap_or(usize::MAX) }
}

/// Evaluates a call.
pub(super) fn call(function: ExternalFunction, arguments: &[Value]) -> Result<Value, &'static str> {
    use ExternalFunction as F;
    if function == F::IntToHexString {
        return Ok(Value::string(&number(&arguments[0]).to_big().to_str_radix(16)));
    }
    let first = text(&arguments[0]);
    let second = || text(&arguments[1]);
    let length = |count: usize| Value::integer(i64::try_from(count).expect("lengths fit 64 bits"));
    let listed = |items: Vec<Value>| Value::Set(sequence::from_sequence(items));
    Ok(match function {
        F::StringAppend => Value::string(&format!("{first}{}", second())),
        F::StringLength => length(first.chars().count()),
        // The parser of numbers would skip underscores.
        F::StringToInt => match first.trim().parse::<num_bigint::BigInt>() {
            Ok(number) if !first.contains('_') => Value::Integer(number.into()),
            _ => return Err("STRING_TO_INT of a string that is not an integer"),
        },
        // An empty separator would match between all characters; it splits nothing, and likewise replaces nothing.
        F::StringSplit if second().is_empty() => listed(vec![Value::string(first)]),
        F::StringSplit => listed(first.split(second()).map(Value::string).collect()),
        F::StringChars => listed(first.chars().map(|character| Value::string(&character.to_string())).collect()),
        F::StringCodes => listed(first.chars().map(|character| Value::integer(i64::from(u32::from(character)))).collect()),
        F::StringToUpper => Value::string(&first.to_uppercase()),
        F::StringToLower => Value::string(&first.to_lowercase()),
        F::StringReverse => Value::string(&first.chars().rev().collect::<String>()),
        F::SubString => {
            let from = number(&arguments[1]);
            if from.is_negative() || from.is_zero() {
                return Err("SUB_STRING from a position before 1");
            }
            // Positions and lengths beyond the end are clipped; a negative length yields the empty string.
            let (skipped, kept) = (clipped(from) - 1, clipped(number(&arguments[2])));
            Value::string(&first.chars().skip(skipped).take(kept).collect::<String>())
        }
        F::StringReplace if second().is_empty() => arguments[0].clone(),
        F::StringReplace => Value::string(&first.replace(second(), text(&arguments[2]))),
        F::StringContains => Value::Bool(first.contains(second())),
        F::StringEqualIgnoringCase => Value::Bool(first.to_lowercase() == second().to_lowercase()),
        F::StringIsInt => {
            let digits = first.strip_prefix('-').unwrap_or(first);
            Value::Bool(!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
        }
        F::StringIsAlphanumeric => Value::Bool(!first.is_empty() && first.chars().all(char::is_alphanumeric)),
        F::StringPadLeft => {
            // A negative width is one that every text has.
            let wanted = clipped(number(&arguments[1]));
            let filling = text(&arguments[2]);
            if filling.chars().count() != 1 || wanted > PADDED_TEXT.get() {
                return Err("STRING_PADLEFT with something else than one character, or to more than a million of them");
            }
            Value::string(&format!("{}{first}", filling.repeat(wanted.saturating_sub(first.chars().count()))))
        }
        _ => unreachable!("not a function on one string"),
    })
}

/// The format with each `~w`, `~p` and `~a` replaced by the next of the texts, and `~n` by a line break.
pub(super) fn format(format: &str, texts: &[String]) -> String {
    let mut texts = texts.iter();
    let mut parts = format.split('~');
    let mut result = parts.next().unwrap_or_default().to_owned();
    // Each part but the first begins with the character after a `~`; the placeholders are single bytes, so slicing at 1 is safe.
    for part in parts {
        match part.chars().next() {
            Some('w' | 'p' | 'a') => {
                result.push_str(texts.next().map_or("", String::as_str));
                result.push_str(&part[1..]);
            }
            Some('n') => {
                result.push('\n');
                result.push_str(&part[1..]);
            }
            _ => {
                result.push('~');
                result.push_str(part);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_an_integer_is_a_number() {
        let number = |text: &str| call(ExternalFunction::StringToInt, &[Value::string(text)]);
        assert_eq!(number(" -12 "), Ok(Value::integer(-12)));
        for text in ["", "1_0", "1x", "--1"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_clipped_as_smaller_ones_are() {
        let large = || Value::Integer(num_bigint::BigInt::from(10).pow(20).into());
        let negative = || Value::Integer((-num_bigint::BigInt::from(10).pow(20)).into());
        let part = |from, count| call(ExternalFunction::SubString, &[Value::string("abc"), from, count]);
        assert_eq!(part(Value::integer(1), large()), Ok(Value::string("abc")));
        assert_eq!(part(Value::integer(1), negative()), Ok(Value::string("")));
        assert_eq!(part(large(), Value::integer(1)), Ok(Value::string("")));
        assert!(part(negative(), Value::integer(1)).is_err());
        let padded = |width| call(ExternalFunction::StringPadLeft, &[Value::string("abc"), width, Value::string("-")]);
        assert_eq!(padded(negative()), Ok(Value::string("abc")));
        assert!(padded(large()).is_err());
    }
}
