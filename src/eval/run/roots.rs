//! The integers that solve an equation with a product: `factor * x ** exponent = value`.
//!
//! Invariant: each solution is given once, ascending. Deliberately elsewhere: recognising such equations (`order::roots`), and the bounds
//! within which each number is tried where the factor is 0 (`search`).

use super::frame::Frame;
use crate::EvalError;
use crate::plan::RootPlan;
use bcheck_value::{Integer, Value};
use num_integer::Roots;
use smallvec::{SmallVec, smallvec};

impl Frame<'_> {
    /// The solutions; `None` where each number is one.
    pub(super) fn roots(&mut self, plan: &RootPlan) -> Result<Option<Vec<Value>>, EvalError> {
        let mut number = |plan| {
            let Value::Integer(number) = self.eval(plan)? else { unreachable!("both are integers") };
            Ok(number)
        };
        let value = number(&plan.value)?;
        let factor = plan.factor.as_ref().map_or(Ok(Integer::from(1)), number)?;
        Ok(match (factor.is_zero(), value.is_zero()) {
            (true, true) => None,
            (true, false) => Some(Vec::new()),
            (false, _) => Some(roots(&value, &factor, plan.exponent).into_iter().map(Value::Integer).collect()),
        })
    }
}

/// None, one or two solutions.
type Solutions<N> = SmallVec<[N; 2]>;

/// The solutions for a factor that is not 0.
fn roots(value: &Integer, factor: &Integer, exponent: u32) -> Vec<Integer> {
    if let (Some(value), Some(factor)) = (value.to_i64(), factor.to_i64())
        && let Some(small) = small_roots(value, factor, exponent)
    {
        return small.into_iter().map(Integer::from).collect();
    }
    let (value, factor) = (value.to_big(), factor.to_big());
    let power = &value / &factor;
    if &power * factor != value {
        return Vec::new();
    }
    of_power(power.clone(), exponent, |root| root.pow(exponent) == power).into_iter().map(Integer::from).collect()
}

/// As [`roots`], for numbers of 64 bits; `None` where more bits may be needed.
pub(crate) fn small_roots(value: i64, factor: i64, exponent: u32) -> Option<Solutions<i64>> {
    if value.checked_rem(factor)? != 0 {
        return Some(Solutions::new());
    }
    let power = value.checked_div(factor).filter(|power| *power != i64::MIN)?;
    // The root of a number is as long or shorter, so neither it nor its opposite overflows.
    Some(of_power(power, exponent, |root| root.checked_pow(exponent) == Some(power)))
}

/// The roots of a power: none, one, or for even exponents two.
fn of_power<N>(power: N, exponent: u32, is_root: impl Fn(&N) -> bool) -> Solutions<N>
where
    N: Roots + Clone + std::ops::Neg<Output = N> + From<i32>,
{
    let is_even = exponent.is_multiple_of(2);
    // An odd root of a negative number is that of its absolute value, negated: `nth_root` takes no negative numbers for even exponents.
    if is_even && power < N::from(0) {
        return Solutions::new();
    }
    let root = power.nth_root(exponent);
    if !is_root(&root) {
        return Solutions::new();
    }
    match root == N::from(0) {
        false if is_even => smallvec![-root.clone(), root],
        _ => smallvec![root],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn solved(value: impl Into<BigInt>, factor: impl Into<BigInt>, exponent: u32) -> Vec<BigInt> {
        roots(&Integer::from(value.into()), &Integer::from(factor.into()), exponent).iter().map(Integer::to_big).collect()
    }

    #[test]
    fn small_numbers_have_the_roots_that_trying_gives() {
        for exponent in 1..5 {
            for value in -100..=100 {
                for factor in (-12..=12).filter(|factor| *factor != 0) {
                    let tried: Vec<BigInt> =
                        (-101_i64..=101).filter(|root| factor * root.pow(exponent) == value).map(BigInt::from).collect();
                    assert_eq!(solved(value, factor, exponent), tried, "{factor} * x ** {exponent} = {value}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_machine_integers_are_no_limits() {
        assert_eq!(solved(i64::MIN, -1, 1), [-BigInt::from(i64::MIN)]);
        assert_eq!(solved(i64::MIN, 1, 63), [BigInt::from(-2)]);
        assert_eq!(solved(i64::MIN, 1, 1), [BigInt::from(i64::MIN)]);
        assert_eq!(solved(i64::MIN, 1, 64), []);
        assert_eq!(solved(BigInt::from(10).pow(40), 1, 2), [-BigInt::from(10).pow(20), BigInt::from(10).pow(20)]);
        assert_eq!(solved(BigInt::from(10).pow(40) + 1, 1, 2), []);
    }

    proptest! {
        #[test]
        fn what_is_made_of_a_root_has_it(root in any::<i64>(), factor in any::<i64>(), exponent in 1..9u32) {
            prop_assume!(factor != 0);
            let found = solved(BigInt::from(factor) * BigInt::from(root).pow(exponent), factor, exponent);
            prop_assert!(found.contains(&BigInt::from(root)) && found.is_sorted());
            prop_assert_eq!(found.len(), if root != 0 && exponent.is_multiple_of(2) { 2 } else { 1 });
        }
    }
}
