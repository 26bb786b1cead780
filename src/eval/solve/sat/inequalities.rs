//! Linear inequalities of integer variables under a condition: propagation of bounds, and what a propagation followed from.
//!
//! Invariant: a conclusion follows from the inequality, its condition and the bounds that were on the trail before it; these are
//! found again only when a conflict asks for them. Sums are of 128 bits, so nothing wraps.
//! After W. Harvey and P. J. Stuckey, *Improving linear constraint propagation by changing constraint representation*, Constraints 8, 2003,
//! and, for explanations, Ohrimenko, Stuckey and Codish (see `integers`). Deliberately elsewhere: which sums become inequalities (`sums`),
//! and which formulas become sums (`linear`, outside).

use super::agenda::{InequalityNumber, Propagator};
use super::assignment::Assignment;
use super::heuristics::Heuristics;
use super::integers::{BoundSide, IntegerBound, IntegerVariable, Integers};
use super::{Lit, Reason, TrailPlace};

/// Where `condition` holds, the sum of the summands is at most `limit`.
#[derive(Debug)]
pub(super) struct Inequality {
    condition: Lit,
    /// Factors other than 0, each variable once.
    summands: Vec<(i64, IntegerVariable)>,
    limit: i64,
}

impl Inequality {
    /// A new inequality under this number, which is to be propagated.
    pub(super) fn new(
        condition: Lit,
        summands: Vec<(i64, IntegerVariable)>,
        limit: i64,
        at: InequalityNumber,
        assignment: &mut Assignment,
    ) -> Self {
        // An explanation takes the summand of its conclusion for the only one of that variable.
        debug_assert!(summands.iter().enumerate().all(|(at, (_, one))| summands[..at].iter().all(|(_, other)| other != one)));
        let propagator = Propagator::Inequality(at);
        // Only these bounds make the least value of the sum greater.
        for (factor, variable) in &summands {
            let side = if *factor > 0 { BoundSide::Lower } else { BoundSide::Upper };
            assignment.integers.watch(*variable, side, propagator, condition);
        }
        assignment.agenda.watch(condition, propagator);
        assignment.agenda.add(propagator);
        Inequality { condition, summands, limit }
    }

    /// The least value of the sum within the bounds of the moment.
    fn least_sum(&self, integers: &Integers) -> i128 {
        let least = |&(factor, variable): &(i64, IntegerVariable)| {
            i128::from(factor) * i128::from(integers.range(variable)[usize::from(factor < 0)])
        };
        self.summands.iter().map(least).sum()
    }

    /// Makes bounds narrower, or the condition false; whether it can hold. What it assigns has it as the reason.
    pub(super) fn propagate(&self, at: InequalityNumber, assignment: &mut Assignment, heuristics: &mut Heuristics) -> bool {
        let reason = |assignment: &Assignment| Reason::Propagator(Propagator::Inequality(at), assignment.trail.end());
        let holds = assignment.value(self.condition);
        if holds == Some(false) {
            return true;
        }
        // How far the least value of the sum can grow without exceeding the limit.
        let slack = i128::from(self.limit) - self.least_sum(&assignment.integers);
        let slack = i64::try_from(slack.min(i64::MAX.into())).unwrap_or(i64::MIN);
        if slack < 0 {
            if holds == Some(true) {
                return false;
            }
            assignment.assign(!self.condition, reason(assignment));
            return true;
        }
        if holds.is_none() || slack == i64::MAX {
            return true;
        }
        // Bounds on the other side do not affect the least value, so one pass suffices.
        for &(factor, variable) in &self.summands {
            let [low, high] = assignment.integers.range(variable);
            // Most factors are 1 or -1, and a division takes as long as the rest.
            let room = if factor.unsigned_abs() == 1 { slack } else { slack / factor.saturating_abs() };
            if room.unsigned_abs() >= high.abs_diff(low) {
                continue;
            }
            let reason = reason(assignment);
            if factor > 0 {
                assignment.narrow_above(variable, low + room, reason, heuristics);
            } else {
                assignment.narrow_below(variable, high - room, reason, heuristics);
            }
        }
        true
    }

    /// The false literals that imply a conclusion at this place of the trail; without a conclusion they are a conflict.
    ///
    /// Bounds are as weak as the conclusion allows: the weaker one, the earlier it was set, and one of level 0 needs no literal.
    pub(super) fn explain(&self, integers: &Integers, place: TrailPlace, conclusion: Option<Lit>, literals: &mut Vec<Lit>) {
        let about = conclusion.and_then(|literal| integers.bound_of(literal));
        let is_refuted = conclusion == Some(!self.condition);
        if !is_refuted {
            literals.push(!self.condition);
        }
        // With the other summands at least at these bounds, the sum is above the limit unless the conclusion holds.
        let mut sum = 0i128;
        let mut used: Vec<(i128, &[IntegerBound])> = Vec::new();
        for &(factor, variable) in &self.summands {
            if let Some((own, value)) = about
                && own == variable
                && !is_refuted
            {
                // The least that it adds where the conclusion fails.
                let fails_at = if factor > 0 { i128::from(value) + 1 } else { i128::from(value) };
                sum += i128::from(factor) * fails_at;
                continue;
            }
            let bounds = integers.bounds_until(variable, if factor > 0 { BoundSide::Lower } else { BoundSide::Upper }, place);
            sum += i128::from(factor) * i128::from(bounds[bounds.len() - 1].value);
            used.push((i128::from(factor), bounds));
        }
        let mut surplus = sum - i128::from(self.limit) - 1;
        debug_assert!(surplus >= 0, "the conclusion follows");
        for (factor, bounds) in used {
            let last = bounds[bounds.len() - 1];
            let loss = |earlier: &IntegerBound| (factor * (i128::from(last.value) - i128::from(earlier.value))).abs();
            // Losses grow towards the first bound, and the last one loses nothing.
            let earliest = bounds.iter().find(|earlier| loss(earlier) <= surplus).unwrap_or(&last);
            surplus -= loss(earliest);
            if earliest.literal != Lit::TRUE {
                literals.push(!earliest.literal);
            }
        }
    }
}
