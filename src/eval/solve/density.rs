//! Estimates the solution density by sampling: where most valuations are models, brute force beats SAT.
//!
//! `a : 1 .. 1000 & b : 1 .. 1000 & a /= b` has a million solutions: each costs the solver far more than a comparison.
//! Invariant: only problems are judged in which each name has one value of a list; the answer depends on the problem alone.

use super::open::{Ground, Members, Open};
use super::sat::Solver;
use crate::plan::problem::Problem;
use crate::plan::{PredPlan, Slot};
use crate::run::frame::Frame;
use crate::thresholds::{DENSE_SOLUTIONS, DENSITY_VALUATIONS};
use bcheck_source::GOLDEN_RATIO;
use bcheck_value::Value;
use rustc_hash::FxHashMap;

/// The values that a name can have.
enum Samples {
    Listed(Members),
    Between((i64, i64)),
}

/// Tries valuations spread over all of them (a Weyl sequence in each name) with the conjuncts in their order; the names have a
/// value afterwards.
pub(super) fn is_dense(
    frame: &mut Frame<'_>,
    solver: &Solver,
    open: &FxHashMap<Slot, Ground>,
    (problem, conjuncts): (&Problem, &PredPlan),
) -> bool {
    let mut values = Vec::new();
    for unknown in &problem.unknowns {
        match &open[&unknown.slot].value {
            Open::Choice(members) if !members.is_empty() => values.push((unknown.slot, Samples::Listed(members.clone()))),
            Open::Integer(variable) => values.push((unknown.slot, Samples::Between(solver.bounds(*variable)))),
            _ => return false,
        }
    }
    let mut solutions = 0;
    for round in 1..=DENSITY_VALUATIONS.get() {
        for (nth, (slot, samples)) in (0u64..).zip(&values) {
            // Names take different odd multiples, so that they do not run in step. The high word of
            // the product maps the fraction `round * step / 2^64` to a place.
            let step = GOLDEN_RATIO.wrapping_mul(2 * nth + 1);
            let place = |number: u64| (u128::from(round.wrapping_mul(step)) * u128::from(number)) >> 64;
            let value = match samples {
                Samples::Listed(members) => {
                    members[usize::try_from(place(members.len() as u64)).expect("less than the number of values")].0.clone()
                }
                Samples::Between((least, greatest)) => {
                    let distance = place(greatest.abs_diff(*least).saturating_add(1));
                    Value::integer(least.wrapping_add_unsigned(u64::try_from(distance).expect("less than the number of values")))
                }
            };
            frame.set(*slot, value);
        }
        solutions += u64::from(frame.holds(conjuncts) == Ok(true));
        if solutions == DENSE_SOLUTIONS.get() {
            return true;
        }
    }
    false
}
