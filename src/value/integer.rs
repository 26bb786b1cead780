//! Integers that never overflow: machine words that grow into big integers and shrink back.
//!
//! Invariant: `Big` only holds what does not fit an `i64`, so equality of representations is equality of numbers.
//! Source of the division rule: b-syntax (truncation towards zero); `mod` is defined for a dividend >= 0 and a divisor > 0 only.

use num_bigint::BigInt;
use std::sync::Arc;

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// Fits a machine word.
    Small(i64),
    /// Does not.
    Big(Arc<BigInt>),
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer::Small(value)
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
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

    /// The product.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(product) = a.checked_mul(*b)
        {
            return Integer::Small(product);
        }
        Integer::from(self.to_big() * other.to_big())
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
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}
