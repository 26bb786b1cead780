//! Numbers for people: digits in groups of three, `654 556 793 642 421`.
//!
//! Invariant: only texts have groups; JSON and every other format for programs have the digits alone.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::fmt::Display;

/// Numbers with fewer digits are read at a glance.
const FEW: usize = 5;

/// A whole number with its digits in groups.
pub(crate) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let start = usize::from(digits.starts_with('-'));
    if digits.len() - start < FEW {
        return digits;
    }
    let mut text = digits[..start].to_owned();
    for (at, digit) in digits[start..].char_indices() {
        if at > 0 && (digits.len() - start - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// How many times larger the full count is.
pub(crate) fn factor(explored: u64, full: &BigUint) -> String {
    if explored == 0 || full.is_zero() {
        return String::new();
    }
    #[allow(clippy::cast_precision_loss, reason = "a factor is shown with two digits")]
    let ratio = full.to_f64().unwrap_or(f64::INFINITY) / explored as f64;
    // Two or three significant digits, from 1e7 on with an exponent.
    if ratio < 100.0 {
        format!("{ratio:.1}x")
    } else if ratio < 1e7 {
        format!("{ratio:.0}x")
    } else {
        format!("{ratio:.1e}x")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three_begin_at_five_digits() {
        let texts = [0, 999, 1816, -2000, 10_000, 117_649, -1_000_000].map(|number: i64| grouped(number));
        assert_eq!(texts, ["0", "999", "1816", "-2000", "10 000", "117 649", "-1 000 000"]);
        assert_eq!(grouped(654_556_793_642_421_u64), "654 556 793 642 421");
    }
}
