//! Linear inequalities of integer variables under a condition: propagation of bounds, and what a propagation followed from.
//!
//! Invariant: a conclusion follows from the inequality, its condition and the bounds that were on the trail before it; these are
//! found again only when a conflict asks for them. Sums are of 128 bits, so nothing wraps.
//! After W. Harvey and P. J. Stuckey, *Improving linear constraint propagation by changing constraint representation*, Constraints 8, 2003,
//! and, for explanations, Ohrimenko, Stuckey and Codish (see `integers`). Deliberately elsewhere: which formulas become inequalities
//! (`linear`, outside).

use super::integers::{BoundSide, IntegerBound, IntegerVariable, Propagator, met};
use super::{Conflict, Lit, Reason, Solver};
use num_integer::Integer as _;

/// Where `condition` holds, the sum of the summands is at most `limit`.
#[derive(Debug)]
pub(super) struct Inequality {
    condition: Lit,
    /// Factors other than 0, each variable once.
    summands: Vec<(i64, IntegerVariable)>,
    limit: i64,
    /// Whether it is in the queue of propagation.
    pub(super) waits: bool,
}

impl Solver {
    /// A literal that is true where a sum is at most `limit`, and false elsewhere; each variable once, no factor 0.
    pub(in crate::solve) fn at_most_sum(&mut self, summands: &[(i64, IntegerVariable)], limit: i64) -> Option<Lit> {
        let (least, greatest) = self.range(summands);
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
        let (least, greatest) = self.range(summands);
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
            self.disequality(equal, summands, limit);
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

    /// Propagates a constraint when a literal becomes true.
    pub(super) fn conditional(&mut self, condition: Lit, propagator: Propagator) {
        if self.conditions.len() <= condition.index() {
            self.conditions.resize(condition.index() + 1, Vec::new());
        }
        self.conditions[condition.index()].push(propagator);
    }

    /// Propagates the constraints that a literal is the condition of.
    pub(super) fn wake_conditional(&mut self, literal: Lit) {
        let propagators = self.conditions.get(literal.index()).map_or(0, Vec::len);
        for at in 0..propagators {
            self.enqueue(self.conditions[literal.index()][at]);
        }
    }

    /// Demands that a sum is at most `limit`.
    pub(in crate::solve) fn require_at_most(&mut self, summands: Vec<(i64, IntegerVariable)>, limit: i64) {
        self.inequality(Lit::TRUE, summands, limit);
    }

    fn inequality(&mut self, condition: Lit, summands: Vec<(i64, IntegerVariable)>, limit: i64) {
        // An explanation takes the summand of its conclusion for the only one of that variable.
        debug_assert!(summands.iter().enumerate().all(|(at, (_, one))| summands[..at].iter().all(|(_, other)| other != one)));
        let at = u32::try_from(self.inequalities.len()).expect("fewer than 2^32 inequalities");
        // Only these bounds make the least value of the sum greater.
        for (factor, variable) in &summands {
            let side = if *factor > 0 { BoundSide::Lower } else { BoundSide::Upper };
            self.watch_bound(*variable, side, Propagator::Inequality(at));
        }
        self.conditional(condition, Propagator::Inequality(at));
        self.inequalities.push(Inequality { condition, summands, limit, waits: true });
        self.waiting.push_back(Propagator::Inequality(at));
    }

    /// The least and the greatest value of a sum within the bounds of the moment.
    pub(in crate::solve) fn range(&self, summands: &[(i64, IntegerVariable)]) -> (i128, i128) {
        summands.iter().fold((0, 0), |(least, greatest), &(factor, variable)| {
            let (low, high) = self.bounds(variable);
            let (one, other) = (i128::from(factor) * i128::from(low), i128::from(factor) * i128::from(high));
            (least + one.min(other), greatest + one.max(other))
        })
    }

    /// The least value of a sum within the bounds of the moment.
    fn least_sum(&self, summands: &[(i64, IntegerVariable)]) -> i128 {
        let least = |&(factor, variable): &(i64, IntegerVariable)| {
            i128::from(factor) * i128::from(self.ranges[variable.0 as usize][usize::from(factor < 0)])
        };
        summands.iter().map(least).sum()
    }

    /// Whether the condition of an inequality is false for good.
    #[inline]
    pub(super) fn is_void(&self, at: u32) -> bool {
        let condition = self.inequalities[at as usize].condition;
        self.value(condition) == Some(false) && self.levels[condition.variable()] == 0
    }

    /// Propagates one inequality.
    pub(super) fn propagate_inequality(&mut self, at: u32) -> Option<Conflict> {
        let inequality = &self.inequalities[at as usize];
        let (condition, summands) = (inequality.condition, inequality.summands.len());
        let holds = self.value(condition);
        if holds == Some(false) {
            return None;
        }
        // So much can the least value of the sum grow, and not be above the limit.
        let slack = i128::from(inequality.limit) - self.least_sum(&inequality.summands);
        let slack = i64::try_from(slack.min(i64::MAX.into())).unwrap_or(i64::MIN);
        if slack < 0 {
            if holds == Some(true) {
                return Some(Conflict::Propagator(Propagator::Inequality(at)));
            }
            self.assign(!condition, Reason::Propagator(Propagator::Inequality(at), self.place()));
            return None;
        }
        if holds.is_none() || slack == i64::MAX {
            return None;
        }
        // Bounds on the other side leave `least` as it is, so one pass is enough.
        for place in 0..summands {
            let (factor, variable) = self.inequalities[at as usize].summands[place];
            let [low, high] = self.ranges[variable.0 as usize];
            // Most factors are 1 or -1, and a division takes as long as the rest.
            let room = if factor.unsigned_abs() == 1 { slack } else { slack / factor.saturating_abs() };
            if room.unsigned_abs() >= high.abs_diff(low) {
                continue;
            }
            let reason = Reason::Propagator(Propagator::Inequality(at), self.place());
            if factor > 0 {
                self.narrow_above(variable, low + room, reason);
            } else {
                self.narrow_below(variable, high - room, reason);
            }
        }
        None
    }

    /// Where the next literal comes on the trail.
    pub(super) fn place(&self) -> u32 {
        u32::try_from(self.trail.len()).expect("fewer than 2^32 variables")
    }

    /// The literals, all false, of which a conclusion at this place of the trail is the consequence; without it they are a conflict.
    ///
    /// Bounds are as wide as the conclusion allows: the wider one, the earlier it was met, and one of level 0 needs no literal.
    pub(super) fn explain_inequality(&self, at: u32, place: usize, conclusion: Option<Lit>, literals: &mut Vec<Lit>) {
        let inequality = &self.inequalities[at as usize];
        let about = conclusion.and_then(|literal| self.bound_of(literal));
        let is_refuted = conclusion == Some(!inequality.condition);
        if !is_refuted {
            literals.push(!inequality.condition);
        }
        // With the other summands at least at these bounds, the sum is above the limit unless the conclusion holds.
        let mut sum = 0i128;
        let mut used: Vec<(i128, &[IntegerBound], usize)> = Vec::new();
        for &(factor, variable) in &inequality.summands {
            if let Some((own, value)) = about
                && own == variable
                && !is_refuted
            {
                // The least that it adds where the conclusion fails.
                let fails_at = if factor > 0 { i128::from(value) + 1 } else { i128::from(value) };
                sum += i128::from(factor) * fails_at;
                continue;
            }
            let state = &self.integers[variable.0 as usize];
            let bounds = if factor > 0 { &state.lower } else { &state.upper };
            let met = met(bounds, place);
            sum += i128::from(factor) * i128::from(bounds[met].value);
            used.push((i128::from(factor), bounds, met));
        }
        let mut surplus = sum - i128::from(inequality.limit) - 1;
        debug_assert!(surplus >= 0, "the conclusion follows");
        for (factor, bounds, met) in used {
            let loss = |earlier: usize| (factor * (i128::from(bounds[met].value) - i128::from(bounds[earlier].value))).abs();
            // Losses grow towards the first bound.
            let earliest = (0..=met).find(|earlier| loss(*earlier) <= surplus).unwrap_or(met);
            surplus -= loss(earliest);
            if bounds[earliest].literal != Lit::TRUE {
                literals.push(!bounds[earliest].literal);
            }
        }
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
        let mut solver = Solver { blocking, most_values, most_dead_ends: 3, learned_limit: 0, restart_unit: 1, ..Solver::new() };
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
