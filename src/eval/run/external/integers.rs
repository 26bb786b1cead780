//! The functions of ProB's `LibraryMath` and `LibraryBits` on integers; bits are those of two's complement without end.
//!
//! Invariant: pure functions of their arguments; an error is the condition that does not hold.

use bcheck_ir::ExternalFunction;
use bcheck_value::MOST_BITS;
use num_bigint::{BigInt, Sign};

/// Evaluates a call.
pub(super) fn call(function: ExternalFunction, arguments: &[BigInt]) -> Result<BigInt, &'static str> {
    use ExternalFunction as F;
    let first = &arguments[0];
    let is_negative = |number: &BigInt| number.sign() == Sign::Minus;
    Ok(match function {
        F::Abs => BigInt::from(first.magnitude().clone()),
        F::Sign => match first.sign() {
            Sign::Minus => BigInt::from(-1),
            Sign::NoSign => BigInt::from(0),
            Sign::Plus => BigInt::from(1),
        },
        F::Gcd => num_integer::Integer::gcd(first, &arguments[1]),
        F::MostSignificantBit => match first.sign() {
            // Positive numbers have at least one bit.
            Sign::Plus => BigInt::from(first.bits() - 1),
            Sign::Minus | Sign::NoSign => return Err("MSB of a number that is not positive"),
        },
        F::BitAnd => first & &arguments[1],
        F::BitOr => first | &arguments[1],
        F::BitXor => first ^ &arguments[1],
        F::BitNot => !first,
        F::ShiftLeft | F::ShiftRight => {
            let by = &arguments[1];
            if is_negative(by) {
                return Err("a shift by a negative number of bits");
            }
            // A shift to the left is limited by the bits of its result. One to the right by any number of bits beyond those there are
            // leaves only the sign, repeated without end.
            match u64::try_from(by) {
                Ok(by) if function == F::ShiftLeft && first.bits().saturating_add(by) <= MOST_BITS => first << by,
                _ if function == F::ShiftLeft => return Err("a shift to a number of too many bits"),
                Ok(by) => first >> by,
                Err(_) => BigInt::from(if is_negative(first) { -1 } else { 0 }),
            }
        }
        _ => unreachable!("not a function on integers"),
    })
}
