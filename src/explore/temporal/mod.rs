//! Temporal formulas about a machine, judged on the graph of its states.
//!
//! Invariant: `holds` is reported only for a graph that is complete, or whose open states make no difference; `violated` only with a run
//! that the plain evaluator has confirmed; everything else is `unknown`, with the reason. Formulas are judged under those symmetries that
//! preserve each of their propositions; formulas with the same symmetries share one graph. Deliberately elsewhere: automata and graphs of
//! numbers (`temporal`), findings in states (`search`).

mod beginning;
mod concrete;
mod distribution;
mod explain;
mod groups;
mod instances;
mod judge;
pub(super) mod letters;
mod on_run;
mod propositions;
mod results;
mod shorter;
mod substitution;
mod symmetric;
mod threads;
mod turns;
mod vacuity;

pub use beginning::{beginning_in, judge_temporal};
pub use on_run::{NegationAutomaton, NoValueOnRun, ValueOnRun, negation_automata, value_on_run};

use super::observer::Observer;
use super::search::checkpoint::{CheckpointFault, Checkpoints};
use super::search::recording::Record;
use super::search::watch::{Control, watched};
use super::search::{explore_states, search};
use super::simulate::simulate;
use super::{Finding, LimitHit, Options, Outcome, Strategy, TemporalResult, TemporalVerdict, Verdict};
use bcheck_eval::{ChoiceMode, Machine};
use bcheck_symmetry::{Mode, Symmetry};
use groups::{Group, groups};
use judge::{Explorations, UP_TO_LIMIT};
use results::Results;
use std::sync::atomic::Ordering;
use turns::{SharedSearch, Turns, WaitingGroups};

/// Explores the states of a machine, reduced by `symmetry`, and judges the temporal formulas of its model.
///
/// The machine's interrupt flag stops the search at any time from any thread; the outcome is then `incomplete` with what was
/// counted so far. The same flag serves the limits on time and memory.
#[must_use]
pub fn explore(machine: &Machine, symmetry: &Symmetry, options: &Options, observer: &mut dyn Observer) -> Outcome {
    explored(machine, symmetry, options, observer, None)
}

/// [`explore`], with checkpoints in a folder. Only the search of states is stored: those of formulas that need their own start over.
///
///
/// When the checkpoint to resume is of another search, or the folder cannot be used; a full disk is a limit of the outcome.
pub fn explore_with_checkpoints(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    observer: &mut dyn Observer,
    checkpoints: &mut Checkpoints,
) -> Result<Outcome, CheckpointFault> {
    let outcome = explored(machine, symmetry, options, observer, Some(checkpoints));
    checkpoints.take_fault().map_or(Ok(outcome), Err)
}

/// Explores with first choices where there are too many. These need not be symmetric in symmetric states, so a search with symmetry that
/// reaches such a choice restarts without.
fn explored(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    observer: &mut dyn Observer,
    checkpoints: Option<&mut Checkpoints>,
) -> Outcome {
    if options.strategy == Strategy::Simulation {
        machine.choose(ChoiceMode::random(options.max_choices, options.seed));
        return simulate(machine, symmetry, options, observer);
    }
    // The time of both searches counts together.
    let options = &options.timed_from_now();
    let first = ChoiceMode::first(options.max_choices);
    let mode = match first {
        _ if symmetry.is_trivial() => first,
        ChoiceMode::Refuse => ChoiceMode::Refuse,
        // A search with checkpoints, or shared with other processes, cannot restart.
        _ if checkpoints.is_some() => ChoiceMode::OnlyUnread,
        _ => ChoiceMode::EndSearch,
    };
    machine.choose(mode);
    let outcome = explored_once(machine, symmetry, options, observer, checkpoints);
    if mode != ChoiceMode::EndSearch {
        return outcome;
    }
    let has_ended = machine.has_ended_at_choices();
    // Also for those who look at the states again.
    machine.choose(first);
    // A limit or signal at the same moment ends the command, so there is no time to restart.
    if !has_ended || outcome.limit.is_some() && machine.interrupt().load(Ordering::Relaxed) {
        return outcome;
    }
    let none = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
    let mut outcome = explored_once(machine, &none, options, observer, None);
    if !outcome.full.exact {
        outcome.full.why.push("values of choices were left out, so that the search went on without symmetry".to_owned());
    }
    outcome
}

fn explored_once(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    observer: &mut dyn Observer,
    checkpoints: Option<&mut Checkpoints>,
) -> Outcome {
    if machine.model().temporal.is_empty() {
        return explore_states(machine, symmetry, options, observer, checkpoints);
    }
    // The time of all searches counts together.
    let options = &options.timed_from_now();
    let formulas = &machine.model().temporal;
    let mut results = Results::new(formulas.len());
    let control = Control::new(machine, &options.limits);
    let (outcome, waiting, is_broken_off) = watched(&control, observer, || {
        let groups = groups(machine, options, &mut results);
        search_and_judge(machine, symmetry, (options, &control), groups, (&mut results, checkpoints))
    });
    if let Some(reason) = not_judged(&outcome, options).or(is_broken_off.then(|| ENDED.to_owned())) {
        // Even a formula that holds under the explored set-ups: it may fail under others.
        (0..formulas.len()).for_each(|formula| results.leave_open(formula, &reason));
    } else if control.is_stopped() {
        waiting.groups.iter().for_each(|group| group.leave_open(&mut results, INTERRUPTED));
    } else if !waiting.groups.is_empty() {
        let control = &Control::new(machine, &options.limits);
        watched(control, observer, || {
            Turns { machine, options, control, waiting, results: &mut results, is_broken_off: false }.complete();
            // From here on the flag would only be one of the limits that are explained already.
            results.limit = control.finish(results.limit.take());
        });
        results.limit = results.limit.take().map(|limit| control.named(limit));
    }
    results.limit = results.limit.take().map(|limit| control.named(limit));
    conclude(outcome, results)
}

/// Why a formula is undecided when another finding has ended the search.
const ENDED: &str = "the search ended with another finding";
/// Why a formula is undecided when the search was stopped.
const INTERRUPTED: &str = "interrupted";

/// Searches the states. The formulas that preserve all symmetries of this search are judged on the graph that it records; the other groups
/// have their turns meanwhile. Returns the outcome, the groups that still wait, and whether a formula ended the search.
fn search_and_judge<'a>(
    machine: &'a Machine,
    symmetry: &Symmetry,
    (options, control): (&'a Options, &'a Control<'a>),
    mut groups: Vec<Group<'a>>,
    (results, checkpoints): (&mut Results, Option<&mut Checkpoints>),
) -> (Outcome, WaitingGroups<'a>, bool) {
    // The symmetries preserved by a group of formulas are a subgroup of those of the machine: with equal order, they are all of them.
    let order = &symmetry.detail().order;
    let is_shared = |group: &Group<'_>| group.symmetry.detail().order == *order;
    // Rows are written in the order of the numbers of states, in which only a breadth-first search expands them.
    let shared = if options.strategy == Strategy::Breadth { groups.iter().position(is_shared) } else { None };
    let shared = shared.map(|at| groups.remove(at));
    let waiting = WaitingGroups::new(groups, order.clone());
    let mut judge = SharedSearch {
        shared: shared.as_ref(),
        turns: Turns { machine, options, control, waiting, results, is_broken_off: false },
        explorations: Explorations::new(),
        has_ended: false,
    };
    let letters = shared.as_ref().map(|group| &group.propositions.letters);
    let record = Record { letters, is_on_the_fly: !options.keep_going, judge: &mut judge };
    let outcome = search(machine, symmetry, options, control, (Some(record), checkpoints));
    let SharedSearch { turns: Turns { waiting, is_broken_off, results, .. }, has_ended, .. } = judge;
    // A limit may leave nothing to judge: then the formulas do not hold, although formulas without instances would.
    if let Some(group) = shared.as_ref().filter(|_| !has_ended && outcome.limit.is_some()) {
        group.leave_open(results, &not_judged(&outcome, options).unwrap_or_else(|| UP_TO_LIMIT.to_owned()));
    }
    (outcome, waiting, is_broken_off)
}

/// Judges the formulas of a machine without looking for findings in states.
fn judge_alone(machine: &Machine, options: &Options, control: &Control<'_>) -> Results {
    let mut results = Results::new(machine.model().temporal.len());
    // The order of the group of the search of states matters to shares only, and no such search runs here.
    let waiting = WaitingGroups::new(groups(machine, options, &mut results), 1_u8.into());
    Turns { machine, options, control, waiting, results: &mut results, is_broken_off: false }.complete();
    results
}

/// Why formulas are not judged at all, if so.
fn not_judged(outcome: &Outcome, options: &Options) -> Option<String> {
    let is_started = outcome.explored.initial > 0;
    match &outcome.limit {
        _ if outcome.internal_error.is_some() => Some("the search of states failed".to_owned()),
        _ if outcome.finding.is_some() && !options.keep_going => Some(ENDED.to_owned()),
        Some(LimitHit::Time(_) | LimitHit::Memory(_) | LimitHit::Interrupted) => Some("the search of states ended early".to_owned()),
        // Further ones may come after the limit; a completed enumeration has none.
        Some(LimitHit::Partial(_) | LimitHit::Undecided(_) | LimitHit::Assumed(_)) | None if !is_started => {
            Some("there is no initial state".to_owned())
        }
        Some(_) if !is_started => Some(UP_TO_LIMIT.to_owned()),
        _ => None,
    }
}

/// Adds the results of formulas to the outcome. The verdict is that of a finding in states if there is one, otherwise that of the first
/// formula.
fn conclude(mut outcome: Outcome, results: Results) -> Outcome {
    if let Some(fault) = results.fault {
        return Outcome {
            internal_error: Some(fault),
            finding: None,
            complete: false,
            exhausted: false,
            verdict: Verdict::Incomplete,
            ..outcome
        };
    }
    outcome.limit = outcome.limit.take().or(results.limit.clone());
    let results = results.into_list();
    if outcome.finding.is_none() {
        outcome.finding = results.iter().find_map(finding);
    }
    with_results(outcome, results)
}

fn finding(result: &TemporalResult) -> Option<Finding> {
    let fault = result.verdict.fault(result.formula)?;
    Some(Finding { fault, trace: result.trace.clone().unwrap_or_default() })
}

fn with_results(mut outcome: Outcome, results: Vec<TemporalResult>) -> Outcome {
    let is_unknown = results.iter().any(|result| matches!(result.verdict, TemporalVerdict::Unknown(_)));
    outcome.temporal = results;
    outcome.verdict = match &outcome.finding {
        Some(finding) if outcome.assumptions.is_empty() => finding.fault.verdict(),
        _ if is_unknown => Verdict::Incomplete,
        _ => outcome.verdict,
    };
    outcome
}

#[cfg(test)]
pub(super) mod tests;
