//! Numbers for people: digits in groups of three, `654 556 793 642 421`.
//!
//! Invariant: only texts have groups; JSON and every other format for programs have the digits alone.

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
