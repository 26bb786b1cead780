//! Literals of linear sums: true where a sum is at most, or equals, a number.
//!
//! Invariant: such a literal is false elsewhere, so that whichever side is known makes bounds narrower. Deliberately elsewhere: propagation
//! (`inequalities`, `disequalities`), which formulas become sums (`linear`, outside).

use super::assignment::Assignment;
use super::integers::IntegerVariable;
use super::{Lit, Solver};
use num_integer::Integer as _;

impl Solver {
    /// A literal that is true where a sum is at most `limit`, and false elsewhere; each variable once, no factor 0.
    pub(in crate::solve) fn at_most_sum(&mut self, summands: &[(i64, IntegerVariable)], limit: i64) -> Option<Lit> {
        let (least, greatest) = self.assignment.integers.range_of_sum(summands);
        if greatest <= i128::from(limit) {
            return Some(Lit::TRUE);
        }
        if least > i128::from(limit) {
            return Some(Lit::FALSE);
        }
        // Not at most `limit`: the negated sum is at most `-limit - 1`.
        let (opposite, below) = (negated(summands)?, limit.checked_neg()?.checked_sub(1)?);
        let literal = match *summands {
            // The literal of a bound: no inequality needed.
            [(factor, variable)] if factor > 0 => return Some(self.at_most(variable, limit.div_euclid(factor))),
            [(factor, variable)] => {
                // `-f * x <= limit` where `x >= -(limit / f)`, rounded up.
                let least = (-i128::from(limit)).div_euclid(-i128::from(factor)) + i128::from(i128::from(limit) % i128::from(factor) != 0);
                return Some(!self.at_most(variable, i64::try_from(least - 1).ok()?));
            }
            _ => self.variable(),
        };
        self.inequality(literal, summands.to_vec(), limit);
        self.inequality(!literal, opposite, below);
        Some(literal)
    }

    /// A literal that is true where a sum of several summands equals `limit`, and false elsewhere; each variable once, no factor 0.
    ///
    /// Where the sum has many values, less, equal and greater are three literals, one of which is true. A linear disequality is cheaper,
    /// but propagates only when at most one variable is not fixed: `x /= y & x <= y & y <= x` would be refuted value by value.
    pub(in crate::solve) fn equal_sum(&mut self, summands: &[(i64, IntegerVariable)], limit: i64) -> Option<Lit> {
        let (least, greatest) = self.assignment.integers.range_of_sum(summands);
        let divisor = summands.iter().fold(0, |divisor: u64, (factor, _)| divisor.gcd(&factor.unsigned_abs()));
        if !(least..=greatest).contains(&i128::from(limit)) || !limit.unsigned_abs().is_multiple_of(divisor.max(1)) {
            return Some(Lit::FALSE);
        }
        if least == greatest {
            return Some(Lit::TRUE);
        }
        let (opposite, opposite_limit) = (negated(summands)?, limit.checked_neg()?);
        let (below, above) = (limit.checked_sub(1)?, opposite_limit.checked_sub(1)?);
        let equal = self.variable();
        self.inequality(equal, summands.to_vec(), limit);
        self.inequality(equal, opposite.clone(), opposite_limit);
        if summands.len() > 1 && greatest - least < self.most_values {
            let Assignment { disequalities, integers, agenda, .. } = &mut self.assignment;
            disequalities.add(equal, summands, limit, integers, agenda);
            return Some(equal);
        }
        let [less, greater] = [self.variable(), self.variable()];
        self.inequality(less, summands.to_vec(), below);
        self.inequality(greater, opposite, above);
        self.clause(vec![less, equal, greater]);
        for (one, other) in [(less, equal), (less, greater), (equal, greater)] {
            self.clause(vec![!one, !other]);
        }
        Some(equal)
    }

    /// Demands that a sum is at most `limit`.
    pub(in crate::solve) fn require_at_most(&mut self, summands: Vec<(i64, IntegerVariable)>, limit: i64) {
        self.inequality(Lit::TRUE, summands, limit);
    }

    fn inequality(&mut self, condition: Lit, summands: Vec<(i64, IntegerVariable)>, limit: i64) {
        self.constraints.inequality(condition, summands, limit, &mut self.assignment);
    }
}

/// The summands of the negated sum.
pub(crate) fn negated(summands: &[(i64, IntegerVariable)]) -> Option<Vec<(i64, IntegerVariable)>> {
    summands.iter().map(|(factor, variable)| Some((factor.checked_neg()?, *variable))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bounds of integers.
    type Ranges = Vec<(i64, i64)>;

    /// Factors by integer, the limit, and whether the sum is to equal it.
    type Sum = (Vec<i64>, i64, bool);

    /// A disjunction: inputs or sums by number, and whether each is to be true.
    type Alternatives = Vec<(usize, bool)>;

    #[derive(Clone, Debug)]
    struct Example {
        ranges: Ranges,
        inputs: usize,
        sums: Vec<Sum>,
        clauses: Vec<Alternatives>,
    }

    fn examples() -> impl Strategy<Value = Example> {
        let range = (-4i64..5, 0i64..6).prop_map(|(least, width)| (least, least + width));
        (prop::collection::vec(range, 1..5), 0usize..4).prop_flat_map(|(ranges, inputs)| {
            let sum = (prop::collection::vec(-3i64..4, ranges.len()), -12i64..13, any::<bool>());
            prop::collection::vec(sum, 1..7).prop_flat_map(move |sums| {
                let alternatives = prop::collection::vec((0..inputs + sums.len(), any::<bool>()), 1..4);
                let (ranges, sums) = (ranges.clone(), sums.clone());
                prop::collection::vec(alternatives, 0..9).prop_map(move |clauses| Example {
                    ranges: ranges.clone(),
                    inputs,
                    sums: sums.clone(),
                    clauses,
                })
            })
        })
    }

    /// All models by trying: integers, then inputs.
    fn tried(example: &Example) -> Vec<(Vec<i64>, Vec<bool>)> {
        let mut integers: Vec<Vec<i64>> = vec![Vec::new()];
        for &(least, greatest) in &example.ranges {
            integers = integers.iter().flat_map(|before| (least..=greatest).map(|value| [before.as_slice(), &[value]].concat())).collect();
        }
        let mut found = Vec::new();
        for values in &integers {
            for bits in 0..1u32 << example.inputs {
                let inputs: Vec<bool> = (0..example.inputs).map(|at| bits >> at & 1 == 1).collect();
                let holds = |at: usize| match at.checked_sub(example.inputs) {
                    None => inputs[at],
                    Some(sum) => {
                        let (factors, limit, is_exact) = &example.sums[sum];
                        let total = factors.iter().zip(values).map(|(factor, value)| factor * value).sum::<i64>();
                        if *is_exact { total == *limit } else { total <= *limit }
                    }
                };
                if example.clauses.iter().all(|clause| clause.iter().any(|&(at, wanted)| holds(at) == wanted)) {
                    found.push((values.clone(), inputs));
                }
            }
        }
        found.sort();
        found
    }

    /// All models by the solver, with all kinds of restarts; the first `blocking` of them are excluded by clauses.
    fn solved(example: &Example, blocking: u32, most_values: i128) -> Vec<(Vec<i64>, Vec<bool>)> {
        let mut solver = Solver { most_values, ..Solver::of_many_restarts([blocking, 3]) };
        let inputs: Vec<Lit> = (0..example.inputs).map(|at| solver.input(at % 2 == 0)).collect();
        let integers: Vec<IntegerVariable> = example.ranges.iter().map(|&(least, greatest)| solver.integer(least, greatest)).collect();
        let mut literals = inputs.clone();
        for (factors, limit, is_exact) in &example.sums {
            let summands = factors.iter().zip(&integers).map(|(factor, variable)| (*factor, *variable));
            let summands: Vec<_> = summands.filter(|(factor, _)| *factor != 0).collect();
            let literal = if *is_exact { solver.equal_sum(&summands, *limit) } else { solver.at_most_sum(&summands, *limit) };
            literals.push(literal.unwrap());
        }
        for clause in &example.clauses {
            solver.clause(clause.iter().map(|&(at, wanted)| if wanted { literals[at] } else { !literals[at] }).collect());
            solver.propagate_root();
        }
        let mut found = Vec::new();
        while solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
            let values = integers.iter().map(|variable| {
                let (least, greatest) = solver.bounds(*variable);
                assert_eq!(least, greatest, "a model fixes each integer");
                least
            });
            found.push((values.collect(), inputs.iter().map(|input| solver.value(*input) == Some(true)).collect()));
            solver.block();
        }
        found.sort();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        #[test]
        fn all_models_of_inequalities_are_found_once(
            example in examples(), blocking in prop::sample::select(vec![0, 1, 7, 1000]), most_values in prop::sample::select(vec![0, 1 << 10]),
        ) {
            prop_assert_eq!(solved(&example, blocking, most_values), tried(&example));
        }
    }

    #[test]
    fn sums_beyond_64_bits_do_not_wrap() {
        // 3000 * x - 3000 * y = 3000, where a product alone has more than 32 bits, and one whose sums have more than 64.
        for (factor, greatest, expected) in [(3000, 1_000_000, 1), (1 << 40, 1 << 40, 1)] {
            let mut solver = Solver::new();
            let (x, y) = (solver.integer(0, greatest), solver.integer(0, greatest));
            for (summands, limit) in [([(factor, x), (-factor, y)], factor), ([(-factor, x), (factor, y)], -factor)] {
                let holds = solver.at_most_sum(&summands, limit).unwrap();
                solver.clause(vec![holds]);
            }
            let high = solver.at_most(x, greatest - 1);
            solver.clause(vec![!high]);
            let mut found = 0;
            while solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
                assert_eq!([solver.bounds(x).0, solver.bounds(y).0], [greatest, greatest - 1]);
                found += 1;
                solver.block();
            }
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn bounds_that_meet_slowly_can_be_interrupted() {
        // 2 * x < 2 * y and 2 * y < 2 * x, up to 2^61: each round takes one number off.
        let mut solver = Solver::new();
        let (x, y) = (solver.integer(0, 1 << 61), solver.integer(0, 1 << 61));
        for summands in [[(2, x), (-2, y)], [(-2, x), (2, y)]] {
            let holds = solver.at_most_sum(&summands, -1).unwrap();
            solver.clause(vec![holds]);
            solver.propagate_root();
        }
        let mut looks = 0;
        let mut look = || {
            looks += 1;
            if looks == 5 { Err("enough") } else { Ok(()) }
        };
        assert_eq!(solver.next_model(&mut look), Err("enough"));
    }
}
