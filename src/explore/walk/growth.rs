//! Variables that only grow, or only fall, along random runs: the usual reason why a search does not end.
//!
//! Invariant: a reported variable was monotone in every step of the runs; whether this continues is left open. Deliberately elsewhere:
//! when it is computed (`cli`), its words (`report`).

use super::animation::random_walk;
use crate::Trace;
use crate::thresholds::{GROWTH_LEAST_STEPS, GROWTH_STEPS};
use bcheck_eval::{EvalError, Machine};
use bcheck_value::Value;

/// The seeds of the runs.
const SEEDS: [u64; 3] = [1, 2, 3];
/// Steps that are made at once, between two looks at the clock.
const AT_ONCE: usize = 25;
/// A variable that only grows or falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The position of the variable in declaration order.
    pub variable: usize,
    /// Whether it is the number of its elements that grows.
    pub is_size: bool,
    /// Its first and last value, or number of elements, in the longest run.
    pub between: (i64, i64),
    /// The steps of that run.
    pub steps: usize,
}

/// The variables that only grow or fall in random runs, deterministically; `is_over` is polled.
///
/// # Errors
/// When something cannot be enumerated.
pub fn growth(machine: &Machine, is_over: &mut dyn FnMut() -> bool) -> Result<Vec<Growth>, EvalError> {
    let mut runs: Vec<Vec<Vec<Value>>> = Vec::new();
    for seed in SEEDS {
        let Some(run) = run(machine, seed, is_over)? else { return Ok(Vec::new()) };
        runs.push(run);
    }
    // The first of the longest ones, whatever the seeds.
    let Some(longest) = (0..runs.len()).rev().max_by_key(|at| runs[*at].len()).filter(|at| runs[*at].len() > GROWTH_LEAST_STEPS.get())
    else {
        return Ok(Vec::new());
    };
    let model = machine.model();
    let of_variable = |variable: usize| {
        let place = model.constants.len() + variable;
        let measures: Vec<Vec<i64>> =
            runs.iter().map(|run| run.iter().map(|state| measure(state.get(place)?)).collect::<Option<_>>()).collect::<Option<_>>()?;
        let is_size = matches!(runs[longest].first()?.get(place)?, Value::Set(_));
        let whole = &measures[longest];
        let last = whole.len() - 1;
        // It grows in each quarter of the run, so it is not one that has reached its bound.
        let quarters = [0, last / 4, last / 2, last / 4 * 3, last].map(|at| whole[at]);
        let goes = |on: fn(&i64, &i64) -> bool, further: fn(&i64, &i64) -> bool| {
            measures.iter().all(|run| run.windows(2).all(|pair| on(&pair[0], &pair[1])))
                && quarters.windows(2).all(|pair| further(&pair[0], &pair[1]))
        };
        // Sets end at the empty set, so one that only loses elements bounds itself.
        let goes_on = goes(i64::le, i64::lt) || (!is_size && goes(i64::ge, i64::gt));
        goes_on.then(|| Growth { variable, is_size, between: (whole[0], whole[last]), steps: last })
    };
    Ok((0..model.variables.len()).filter_map(of_variable).collect())
}

/// The states of one run; `None` when the time is over.
fn run(machine: &Machine, seed: u64, is_over: &mut dyn FnMut() -> bool) -> Result<Option<Vec<Vec<Value>>>, EvalError> {
    let beyond_set_up = machine.model().set_up_steps() + 1;
    let mut run = Trace::default();
    while run.steps.len() < GROWTH_STEPS.get() + beyond_set_up {
        if is_over() {
            return Ok(None);
        }
        let at_once = AT_ONCE.min(GROWTH_STEPS.get() + beyond_set_up - run.steps.len());
        // Parts of a run have different seeds, or each would begin with the same choices.
        let more = random_walk(machine, &run, at_once, seed.wrapping_mul(1_000_003).wrapping_add(run.steps.len() as u64))?;
        let is_end = more.len() < at_once;
        run.steps.extend(more);
        if is_end {
            break;
        }
    }
    Ok(Some(run.steps.into_iter().skip(beyond_set_up - 1).map(|step| step.state).collect()))
}

/// The measure of a value: a number, or how many elements it has.
fn measure(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => number.to_i64(),
        Value::Set(set) => i64::try_from(set.len()).ok(),
        _ => None,
    }
}
