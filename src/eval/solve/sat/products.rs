//! Products of integer variables: propagation of bounds between a product and its factors.
//!
//! Invariant: a conclusion follows from the bounds of the three variables that were on the trail before it. Corners are of 128 bits, so
//! nothing wraps. The rules are those of interval arithmetic (R. E. Moore, *Interval Analysis*, 1966), rounded to the integers within.
//! Deliberately elsewhere: quotients and remainders, which are products with a rest (`numbers`, outside).

use super::agenda::{ProductNumber, Propagator};
use super::assignment::Assignment;
use super::heuristics::Heuristics;
use super::integers::{BoundSide, IntegerVariable, Integers};
use super::{Lit, Reason, TrailPlace};

/// `product = left * right`; the factors may be one variable.
#[derive(Debug)]
pub(super) struct Product {
    product: IntegerVariable,
    left: IntegerVariable,
    right: IntegerVariable,
}

/// The ends of an interval, which is empty where the first is greater.
type Ends = (i128, i128);

impl Product {
    /// A new product under this number, which is to be propagated.
    pub(super) fn new(
        product: IntegerVariable,
        left: IntegerVariable,
        right: IntegerVariable,
        at: ProductNumber,
        assignment: &mut Assignment,
    ) -> Self {
        for variable in [product, left, right] {
            for side in [BoundSide::Lower, BoundSide::Upper] {
                assignment.integers.watch(variable, side, Propagator::Product(at), Lit::TRUE);
            }
        }
        assignment.agenda.add(Propagator::Product(at));
        Product { product, left, right }
    }

    /// Makes bounds narrower; whether it can hold. What it assigns has it as the reason.
    pub(super) fn propagate(&self, at: ProductNumber, assignment: &mut Assignment, heuristics: &mut Heuristics) -> bool {
        let &Product { product, left, right } = self;
        let reason = |assignment: &Assignment| Reason::Propagator(Propagator::Product(at), assignment.trail.end());
        for target in 0..3 {
            let interval = |variable| -> Ends { assignment.integers.range(variable).map(i128::from).into() };
            let (of_product, of_left, of_right) = (interval(product), interval(left), interval(right));
            let (variable, before, within) = match target {
                0 => (product, of_product, times(of_left, of_right)),
                1 => (left, of_left, quotient(of_product, of_right, of_left)),
                _ => (right, of_right, quotient(of_product, of_left, of_right)),
            };
            let (least, greatest) = (within.0.max(before.0), within.1.min(before.1));
            if least > greatest {
                return false;
            }
            let number = |value: i128| i64::try_from(value).expect("between two numbers of 64 bits");
            if least > before.0 {
                assignment.narrow_below(variable, number(least), reason(assignment), heuristics);
            }
            if greatest < before.1 {
                assignment.narrow_above(variable, number(greatest), reason(assignment), heuristics);
            }
        }
        true
    }

    /// The false literals that imply a conclusion at this place of the trail, or a conflict: all present bounds.
    pub(super) fn explain(&self, integers: &Integers, place: TrailPlace, literals: &mut Vec<Lit>) {
        for variable in [self.product, self.left, self.right] {
            for literal in integers.bounds_at(variable, place) {
                if literal != Lit::TRUE {
                    literals.push(!literal);
                }
            }
        }
    }
}

/// The products of numbers in two intervals.
fn times((low, high): Ends, (least, greatest): Ends) -> Ends {
    hull([low * least, low * greatest, high * least, high * greatest])
}

/// The numbers of `present` that, times a number of the other factor's interval, may yield a number of the product's.
fn quotient(product: Ends, (mut low, mut high): Ends, present: Ends) -> Ends {
    let is_nonzero = product.0 > 0 || product.1 < 0;
    let mut present = present;
    if is_nonzero {
        // Then neither factor is 0.
        low += i128::from(low == 0);
        high -= i128::from(high == 0);
        present = (present.0 + i128::from(present.0 == 0), present.1 - i128::from(present.1 == 0));
    }
    if low > high {
        return (1, 0);
    }
    if low <= 0 && high >= 0 {
        // The other factor may be 0, or of both signs: a product other than 0 has no factor that is larger.
        let largest = product.0.abs().max(product.1.abs());
        return if is_nonzero { (present.0.max(-largest), present.1.min(largest)) } else { present };
    }
    let corners = [(product.0, low), (product.0, high), (product.1, low), (product.1, high)];
    let ceiling = |(dividend, divisor): (i128, i128)| -((-dividend * divisor.signum()).div_euclid(divisor.abs()));
    let floor = |(dividend, divisor): (i128, i128)| (dividend * divisor.signum()).div_euclid(divisor.abs());
    // Quotients are monotone in each argument while the divisor keeps its sign, and so are their roundings.
    let (least, _) = hull(corners.map(ceiling));
    let (_, greatest) = hull(corners.map(floor));
    (present.0.max(least), present.1.min(greatest))
}

fn hull(corners: [i128; 4]) -> Ends {
    corners.into_iter().fold((corners[0], corners[0]), |(least, greatest), corner| (least.min(corner), greatest.max(corner)))
}

#[cfg(test)]
mod tests {
    use super::super::Solver;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn factors_are_those_that_some_product_has(
            product in (-40i64..40, 0i64..30), other in (-7i64..8, 0i64..9), present in (-9i64..9, 0i64..12),
        ) {
            let interval = |(least, width): (i64, i64)| (i128::from(least), i128::from(least + width));
            let (product, other, present) = (interval(product), interval(other), interval(present));
            let (least, greatest) = quotient(product, other, present);
            prop_assert!(least > greatest || present.0 <= least && greatest <= present.1);
            for factor in present.0..=present.1 {
                let fits = (other.0..=other.1).any(|other| (product.0..=product.1).contains(&(factor * other)));
                prop_assert!(!fits || (least..=greatest).contains(&factor), "{factor} was lost");
            }
        }
    }

    /// All triples of a product and its factors within intervals, each once.
    fn triples(ranges: [(i64, i64); 3], blocking: u32, is_square: bool) -> Vec<[i64; 3]> {
        let mut solver = Solver::of_many_restarts([blocking, 3]);
        let [product, left, unused] = ranges.map(|(least, greatest)| solver.integer(least, greatest));
        let right = if is_square { left } else { unused };
        solver.product(product, left, right);
        // A sum beside it, so that there is something to learn.
        let holds = solver.at_most_sum(&[(1, product), (-2, left)], 9).unwrap();
        solver.clause(vec![holds]);
        if is_square {
            // The third variable is not used.
            let (least, _) = solver.bounds(unused);
            let fixed = solver.at_most(unused, least);
            solver.clause(vec![fixed]);
        }
        solver.propagate_root();
        let mut found = Vec::new();
        while solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
            found.push([product, left, right].map(|variable| solver.bounds(variable).0));
            solver.block();
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn all_products_are_found_once(
            ranges in prop::array::uniform3((-9i64..9, 0i64..14)), blocking in prop::sample::select(vec![0, 1, 1000]), is_square in any::<bool>(),
        ) {
            let ranges = ranges.map(|(least, width)| (least, least + width));
            let [product, left, right] = ranges;
            let mut expected = Vec::new();
            for one in left.0..=left.1 {
                for other in if is_square { one..=one } else { right.0..=right.1 } {
                    if (product.0..=product.1).contains(&(one * other)) && one * other - 2 * one <= 9 {
                        expected.push([one * other, one, other]);
                    }
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(triples(ranges, blocking, is_square), expected);
        }
    }
}
