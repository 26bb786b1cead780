//! Estimates the solution density by sampling: where most valuations are models, brute force beats SAT.
//!
//! `a : 1 .. 1000 & b : 1 .. 1000 & a /= b` has a million solutions: each costs the solver far more than a comparison.
//! Invariant: only problems are judged in which each name has one value of a list; the answer depends on the problem alone.

use super::grounding::{Grounding, Open};
use crate::eval::plan::PredPlan;
use crate::eval::plan::problem::Problem;
use crate::source::GOLDEN_RATIO;

/// Valuations tried.
const TRIED: u64 = 256;

/// From this number of solutions on a plain search is quicker: a model costs some hundred times as much as a test.
const DENSE: u64 = 8;

impl Grounding<'_, '_> {
    /// Tries valuations spread over all of them (a Weyl sequence in each name) with the conjuncts in their order; the names have a
    /// value afterwards.
    pub(super) fn is_dense(&mut self, problem: &Problem, conjuncts: &PredPlan) -> bool {
        let mut values = Vec::new();
        for unknown in &problem.unknowns {
            match &self.open[&unknown.slot].value {
                Open::Choice(members) if !members.is_empty() => values.push((unknown.slot, members.clone())),
                _ => return false,
            }
        }
        let mut solutions = 0;
        for round in 1..=TRIED {
            for (nth, (slot, members)) in (0u64..).zip(&values) {
                // Names take different odd multiples, so that they do not run in step. The high word of
                // the product maps the fraction `round * step / 2^64` to a place.
                let step = GOLDEN_RATIO.wrapping_mul(2 * nth + 1);
                let place = (u128::from(round.wrapping_mul(step)) * members.len() as u128) >> 64;
                let (value, _) = &members[usize::try_from(place).expect("less than the number of values")];
                self.frame.set(*slot, value.clone());
            }
            solutions += u64::from(self.frame.holds(conjuncts) == Ok(true));
            if solutions == DENSE {
                return true;
            }
        }
        false
    }
}
