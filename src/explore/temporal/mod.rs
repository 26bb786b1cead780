//! Temporal formulas about a machine, judged on the graph of its states.
//!
//! Invariant: `holds` is said only of a graph that is complete, or of one whose open states make no difference; `violated` only with a
//! run that the plain evaluator has confirmed; everything else is `unknown`, with the reason. Formulas are judged under those symmetries
//! that keep each of their propositions; formulas that leave the same symmetries share one graph. Deliberately elsewhere: automata and
//! graphs of numbers (`temporal`), findings in states (`search`).

mod concrete;
mod every;
mod explain;
mod instances;
mod judge;
mod propositions;
mod record;
mod symmetric;

use super::observer::Observer;
use super::search::explore_states;
use super::search::watch::{Control, watched};
use super::{Finding, LimitHit, Options, Outcome, PropertyKind, TemporalResult, TemporalVerdict, Verdict};
use crate::eval::Machine;
use crate::symmetry::Symmetry;
use judge::{Judged, plain_result};

/// Explores the states of a machine, reduced by `symmetry`, and judges the temporal formulas of its model.
///
/// The machine's interrupt flag stops the search at any time from any thread; the outcome is then `incomplete` with what was
/// counted so far. The same flag serves the limits on time and memory.
#[must_use]
pub fn explore(machine: &Machine, symmetry: &Symmetry, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let outcome = explore_states(machine, symmetry, options, observer);
    if machine.model().temporal.is_empty() {
        return outcome;
    }
    if let Some(reason) = not_judged(&outcome, options) {
        return with_results(
            outcome,
            (0..machine.model().temporal.len()).map(|formula| plain_result(formula, TemporalVerdict::Unknown(reason.clone()))).collect(),
        );
    }
    let control = Control::new(machine.interrupt());
    let judged = watched(&control, &options.limits, observer, || {
        let judged = judge::judge(machine, options);
        // From here on the flag would only be one of the limits that have been explained already.
        let limit = control.finish(judged.limit.clone());
        Judged { limit, ..judged }
    });
    conclude(outcome, judged)
}

/// Why formulas are not judged at all, if so.
fn not_judged(outcome: &Outcome, options: &Options) -> Option<String> {
    let is_started = outcome.explored.initial > 0;
    match &outcome.limit {
        _ if outcome.internal_error.is_some() => Some("the search of states failed".to_owned()),
        _ if outcome.finding.is_some() && !options.keep_going => Some("the search ended with another finding".to_owned()),
        Some(LimitHit::Time(_) | LimitHit::Memory(_) | LimitHit::Interrupted) => Some("the search of states ended early".to_owned()),
        _ if !is_started => Some("there is no initial state".to_owned()),
        _ => None,
    }
}

/// Puts the results of formulas beside those of the states. Findings in states come first, then formulas in their order.
fn conclude(mut outcome: Outcome, judged: Judged) -> Outcome {
    if let Some(fault) = judged.fault {
        return Outcome { internal_error: Some(fault), finding: None, complete: false, verdict: Verdict::Incomplete, ..outcome };
    }
    if outcome.finding.is_none() {
        outcome.finding = judged.results.iter().find_map(finding);
    }
    outcome.limit = outcome.limit.take().or(judged.limit);
    with_results(outcome, judged.results)
}

fn finding(result: &TemporalResult) -> Option<Finding> {
    let property = match &result.verdict {
        TemporalVerdict::Violated => PropertyKind::Temporal(result.formula),
        TemporalVerdict::IllDefined(error) => PropertyKind::IllDefinedTemporal(result.formula, error.clone()),
        TemporalVerdict::Holds | TemporalVerdict::Unknown(_) => return None,
    };
    Some(Finding { property, trace: result.trace.clone().unwrap_or_default() })
}

fn with_results(mut outcome: Outcome, results: Vec<TemporalResult>) -> Outcome {
    let is_unknown = results.iter().any(|result| matches!(result.verdict, TemporalVerdict::Unknown(_)));
    outcome.temporal = results;
    outcome.verdict = match &outcome.finding {
        Some(finding) => super::property::verdict(&finding.property),
        None if is_unknown => Verdict::Incomplete,
        None => outcome.verdict,
    };
    outcome
}

#[cfg(test)]
mod tests;
