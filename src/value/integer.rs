//! Integers that never overflow: machine words that grow into big integers and shrink back.
//!
//! Invariant: `Big` only holds numbers that do not fit an `i64`, so equality of representations is equality of numbers.
//! Division truncates towards zero, as the B-Book and ProB have it; `mod` is defined for a dividend >= 0 and a divisor > 0 only.
//! Deliberately elsewhere: MININT and MAXINT, which bound no arithmetic.

use super::IllDefined;
use num_bigint::BigInt;
use num_traits::{Pow, Signed};
use std::sync::Arc;

/// Products and powers that may have more bits than this are not computed: they take too much time and memory, and no model needs them.
pub const MOST_BITS: u64 = 1 << 20;

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// A number that fits a machine word.
    Small(i64),
    /// A number that does not.
    Big(Arc<BigInt>),
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer::Small(value)
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
        // The one place where big numbers are made, so that one that fits a word never stays big.
        i64::try_from(&value).map_or_else(|_| Integer::Big(Arc::new(value)), Integer::Small)
    }
}

impl Integer {
    /// The number as a big integer.
    #[must_use]
    pub fn to_big(&self) -> BigInt {
        match self {
            Integer::Small(value) => BigInt::from(*value),
            Integer::Big(value) => BigInt::clone(value),
        }
    }

    /// The number as a machine word, if it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Integer::Small(value) => Some(*value),
            Integer::Big(_) => None,
        }
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(sum) = a.checked_add(*b)
        {
            return Integer::Small(sum);
        }
        // Not limited like a product: a sum has one bit more than its operands at most, so only products and powers grow fast.
        Integer::from(self.to_big() + other.to_big())
    }

    /// The difference.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Self {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(difference) = a.checked_sub(*b)
        {
            return Integer::Small(difference);
        }
        Integer::from(self.to_big() - other.to_big())
    }

    /// The product, unless it is larger than [`MOST_BITS`] allow.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Option<Self> {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(product) = a.checked_mul(*b)
        {
            return Some(Integer::Small(product));
        }
        // A product has at most as many bits as both factors together.
        let (left, right) = (self.to_big(), other.to_big());
        (left.bits() + right.bits() <= MOST_BITS).then(|| Integer::from(left * right))
    }
}

impl Integer {
    /// Whether the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(value) => *value < 0,
            Integer::Big(value) => value.is_negative(),
        }
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self, Integer::Small(0))
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negate(&self) -> Self {
        // By subtraction, which grows: the least machine integer has no counterpart among machine integers.
        Integer::Small(0).subtract(self)
    }

    /// The quotient, truncated towards zero.
    ///
    /// # Errors
    /// When the divisor is zero.
    pub fn divide(&self, other: &Self) -> Result<Self, IllDefined> {
        if other.is_zero() {
            return Err(IllDefined::DivisionByZero);
        }
        // Overflows in one case: the least machine integer divided by -1.
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(quotient) = a.checked_div(*b)
        {
            return Ok(Integer::Small(quotient));
        }
        // `BigInt` truncates towards zero, as machine division does.
        Ok(Integer::from(self.to_big() / other.to_big()))
    }

    /// The remainder.
    ///
    /// # Errors
    /// When the divisor is zero, or one of the two is negative.
    pub fn modulo(&self, other: &Self) -> Result<Self, IllDefined> {
        if other.is_zero() {
            return Err(IllDefined::DivisionByZero);
        }
        if self.is_negative() || other.is_negative() {
            return Err(IllDefined::ModuloOfNegative);
        }
        // Neither is negative by now, where the remainder of the machine is B's mod.
        if let (Integer::Small(a), Integer::Small(b)) = (self, other) {
            return Ok(Integer::Small(a % b));
        }
        Ok(Integer::from(self.to_big() % other.to_big()))
    }

    /// The power, unless it is larger than [`MOST_BITS`] allow; `x ** 0 = 1` for every x.
    ///
    /// # Errors
    /// When the exponent is negative.
    pub fn power(&self, exponent: &Self) -> Result<Option<Self>, IllDefined> {
        if exponent.is_negative() {
            return Err(IllDefined::NegativeExponent);
        }
        // Bases whose powers stay small, however large the exponent is.
        match self {
            Integer::Small(0) => return Ok(Some(Integer::Small(i64::from(exponent.is_zero())))),
            Integer::Small(1) => return Ok(Some(Integer::Small(1))),
            Integer::Small(-1) => {
                let odd = exponent.to_big().bit(0);
                return Ok(Some(Integer::Small(if odd { -1 } else { 1 })));
            }
            Integer::Small(_) | Integer::Big(_) => {}
        }
        // Of any other base, a power with an exponent beyond 32 bits has more bits than are allowed.
        let Some(exponent) = exponent.to_i64().and_then(|exponent| u32::try_from(exponent).ok()) else { return Ok(None) };
        if let Integer::Small(base) = self
            && let Some(power) = base.checked_pow(exponent)
        {
            return Ok(Some(Integer::Small(power)));
        }
        let base = self.to_big();
        // An upper bound: a base of b bits is below 2^b, so the power is below 2^(b * exponent).
        let bits = base.bits().saturating_mul(u64::from(exponent));
        Ok((bits <= MOST_BITS).then(|| Integer::from(base.pow(exponent))))
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Integer::Small(value) => value.fmt(formatter),
            Integer::Big(value) => value.fmt(formatter),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            (Integer::Big(a), Integer::Big(b)) => a.cmp(b),
            // An integer that does not fit a word is outside the range of words.
            (Integer::Small(_), Integer::Big(b)) => {
                if b.is_negative() {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Less
                }
            }
            (Integer::Big(a), Integer::Small(_)) => {
                if a.is_negative() {
                    std::cmp::Ordering::Less
                } else {
                    std::cmp::Ordering::Greater
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(value: i64) -> Integer {
        Integer::from(value)
    }

    #[test]
    fn overflow_grows_and_shrinks_back() {
        let big = small(i64::MAX).add(&small(1));
        assert!(matches!(big, Integer::Big(_)));
        assert_eq!(big.subtract(&small(1)), small(i64::MAX));
        assert_eq!(small(i64::MIN).negate().negate(), small(i64::MIN));
        assert_eq!(small(i64::MIN).divide(&small(-1)), Ok(small(i64::MIN).negate()));
        assert!(big > small(i64::MAX) && big.negate() < small(0));
    }

    #[test]
    fn division_truncates_towards_zero() {
        assert_eq!(small(-7).divide(&small(2)), Ok(small(-3)));
        assert_eq!(small(7).divide(&small(-2)), Ok(small(-3)));
        assert_eq!(small(7).divide(&small(0)), Err(IllDefined::DivisionByZero));
    }

    #[test]
    fn modulo_refuses_what_b_refuses() {
        assert_eq!(small(7).modulo(&small(3)), Ok(small(1)));
        assert_eq!(small(7).modulo(&small(0)), Err(IllDefined::DivisionByZero));
        assert_eq!(small(-7).modulo(&small(3)), Err(IllDefined::ModuloOfNegative));
        assert_eq!(small(7).modulo(&small(-3)), Err(IllDefined::ModuloOfNegative));
    }

    #[test]
    fn powers_are_exact_or_refused() {
        assert_eq!(small(0).power(&small(0)), Ok(Some(small(1))));
        assert_eq!(small(-1).power(&small(i64::MAX)), Ok(Some(small(-1))));
        let power = |exponent| small(2).power(&small(exponent));
        assert_eq!(power(64).unwrap().unwrap().to_string(), "18446744073709551616");
        assert_eq!(power(-1), Err(IllDefined::NegativeExponent));
        assert_eq!((power(1 << 20), power(i64::MAX)), (Ok(None), Ok(None)));
        assert_eq!(small(4).power(&power(2224).unwrap().unwrap()), Ok(None));
    }

    #[test]
    fn products_are_exact_or_refused() {
        let half = small(2).power(&small(1 << 18)).unwrap().unwrap();
        let whole = half.multiply(&half).unwrap();
        assert_eq!(Ok(Some(whole.clone())), small(4).power(&small(1 << 18)));
        assert_eq!(whole.multiply(&whole), None);
        assert_eq!(whole.multiply(&small(0)), Some(small(0)));
    }
}
