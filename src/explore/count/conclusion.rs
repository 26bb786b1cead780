//! Builds the `Outcome` from the accumulated results: verdict, counts, why full counts are bounds, and the validated finding.
//!
//! Invariant: `verified` only when the search came to its end, left nothing out and found nothing; a finding is shown only with a trace
//! that was replayed.

use super::first_errors::FirstErrors;
use super::reduction::Reduction;
use super::tally::Tally;
use crate::extent::Extent;
use crate::property::Claim;
use crate::search::set_ups::{Enumerated, add_up};
use crate::trace::TraceFault;
use crate::{Finding, LimitHit, Options, Outcome, Verdict};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_symmetry::Mode;
use std::sync::atomic::Ordering;

/// The results that a search accumulated.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    pub(crate) tally: Tally,
    pub(crate) guards: FirstErrors,
    pub(crate) unassigned: FirstErrors,
    /// Steps from the initial states to the farthest state stored.
    pub(crate) depth: u64,
    pub(crate) claim: Option<Claim>,
    pub(crate) limit: Option<LimitHit>,
    /// Whether no state was left to expand.
    pub(crate) is_exhausted: bool,
    /// Whether set-ups were left out because those that were found suffice for the verdict.
    pub(crate) suffices: bool,
    /// Which states are expanded, if that is known.
    pub(crate) extent: Option<Extent>,
}

impl Ending {
    /// Whether the search may continue: no limit was reached, and no finding ends it.
    pub(crate) fn may_go_on(&self, options: &Options) -> bool {
        self.limit.is_none() && (self.claim.is_none() || options.keep_going)
    }

    /// Adds the results of a later search among other states (another batch of set-ups).
    pub(crate) fn go_on(&mut self, later: Ending) {
        self.tally.merge(&later.tally);
        self.guards.go_on(later.guards);
        self.unassigned.go_on(later.unassigned);
        self.depth = self.depth.max(later.depth);
        // The verdict is that of the first batch with a finding, and a limit of an earlier one would have ended the search.
        self.claim = self.claim.take().or(later.claim);
        self.limit = later.limit;
        self.is_exhausted = later.is_exhausted;
        self.suffices = later.suffices;
    }

    /// Records omissions of a search. One that continued without some steps has not covered the whole space, although no state is left to
    /// expand; one that visited all states but could not decide a property has not verified it.
    pub(crate) fn leave_out(&mut self, machine: &Machine, options: &Options, skipped: Option<EvalError>, undecided: Option<EvalError>) {
        // The reason why the search stopped is reported instead.
        if !self.is_exhausted {
            return;
        }
        if let Some(error) = skipped {
            self.is_exhausted = false;
            self.limit = Some(LimitHit::Partial(error));
        } else if let Some(error) = undecided {
            self.limit = Some(LimitHit::Undecided(error));
        } else if self.tally.has_unexpanded() {
            self.limit = Some(LimitHit::Scope);
        } else if let Some(error) = self.beyond_ranges(machine, options) {
            self.limit = Some(LimitHit::Undecided(error));
        }
    }
}

impl Ending {
    /// What depends on integers outside of the tried ranges, if there is no finding within them.
    fn beyond_ranges(&self, machine: &Machine, options: &Options) -> Option<EvalError> {
        if self.claim.is_some() {
            return None;
        }
        // A state that certainly has no steps would be a finding, and so would one that satisfies the goal.
        let stuck = machine.tried_in_steps().first().filter(|_| options.deadlock && self.tally.has_deadlocks());
        let goal = machine.tried().first().filter(|_| options.goal && machine.model().goal.is_some());
        let stuck = stuck.map(|tried| tried.undecided("whether a state without known steps is a deadlock"));
        stuck.or_else(|| goal.map(|tried| tried.undecided("whether the goal can be reached")))
    }
}

/// The outcome of a search with this ending, whose claim `finding` confirms on a concrete run. `visited`: valuations of the constants.
pub(crate) fn conclude(
    machine: &Machine,
    mode: Mode,
    reduction: &mut Reduction<'_>,
    visited: Enumerated,
    ending: Ending,
    finding: impl FnOnce(&mut Reduction<'_>, &Claim) -> Result<Finding, TraceFault>,
) -> Outcome {
    let Ending { tally, guards, unassigned, depth, claim, limit, is_exhausted, suffices, extent } = ending;
    let model = machine.model();
    let orbits = reduction.orbits;
    let assumptions = machine.assumptions();
    let limit = limit.map(interrupted).or_else(|| assumptions.first().cloned().map(LimitHit::Assumed));
    // If only a decision is missing, all states were visited; counts are those of the space within SCOPE and the tried ranges.
    let exhausted = is_exhausted && matches!(limit, None | Some(LimitHit::Undecided(_) | LimitHit::Assumed(_) | LimitHit::Scope));
    let complete = exhausted && !tally.has_unexpanded() && machine.tried().is_empty();
    let why = why_bounds((limit.as_ref(), suffices), exhausted, mode, reduction, &tally, visited);
    let confirmation = claim.map(|claim| confirmation(machine, &claim, || finding(reduction, &claim)));
    let operations = tally.operations(model, orbits);
    Outcome {
        verdict: Verdict::Incomplete,
        complete,
        suffices: suffices && limit.is_none(),
        exhausted,
        extent: extent.filter(|_| !exhausted),
        limit,
        explored: tally.counts(model, depth),
        full: tally.full_counts(model, orbits, why),
        operations,
        instances: tally.run_instances(),
        finding: None,
        temporal: Vec::new(),
        guard_warnings: guards.into_list(),
        unassigned_results: unassigned.into_list(),
        unconfirmed: None,
        assumptions,
        internal_error: None,
    }
    .concluded(confirmation)
}

/// The result of confirming a claim.
pub(crate) enum Confirmation {
    /// It was confirmed on a concrete run.
    Finding(Finding),
    /// There was no time left to rebuild the run.
    Unconfirmed(Verdict),
    /// There is no such run: a fault of the checker.
    Fault(String),
}

/// Confirms a claim by building the concrete run that it is shown with.
fn confirmation(machine: &Machine, claim: &Claim, finding: impl FnOnce() -> Result<Finding, TraceFault>) -> Confirmation {
    // A time limit reached meanwhile must not prevent the trace from being rebuilt, if that is quick (`watch`). Relaxed: only the flag is
    // exchanged.
    let was_stopped = machine.interrupt().swap(false, Ordering::Relaxed);
    let found = finding();
    // It remains a limit, or a signal, for later work.
    machine.interrupt().fetch_or(was_stopped, Ordering::Relaxed);
    match found {
        Ok(finding) => Confirmation::Finding(finding),
        Err(TraceFault::Interrupted) => Confirmation::Unconfirmed(claim.fault.verdict()),
        // The representative fails, but no run of the plain evaluator does: either the reduction or the packed tier is at fault. Such a
        // finding is never shown.
        Err(fault) => {
            debug_assert!(false, "every finding is confirmed by a replay: {fault} ({claim:?})");
            Confirmation::Fault(format!("a finding could not be confirmed without reduction: {fault}"))
        }
    }
}

impl Outcome {
    /// Determines the verdict of a search from its coverage and from the confirmation of its candidate, if it has one.
    pub(crate) fn concluded(mut self, confirmation: Option<Confirmation>) -> Self {
        // Where a claim was not confirmed, what the search has covered is in doubt as well.
        self.exhausted &= matches!(confirmation, None | Some(Confirmation::Finding(_)));
        self.complete &= self.exhausted;
        self.suffices &= confirmation.is_none();
        match confirmation {
            None => {}
            Some(Confirmation::Finding(finding)) => self.finding = Some(finding),
            Some(Confirmation::Unconfirmed(verdict)) => {
                self.unconfirmed = Some(verdict);
                // The search itself may have ended in time: without a limit nothing would explain the verdict `incomplete`.
                self.limit.get_or_insert(LimitHit::Interrupted);
            }
            Some(Confirmation::Fault(fault)) => self.internal_error = Some(fault),
        }
        // A finding counts even where a limit stopped the search: its run does not depend on omissions.
        self.verdict = match &self.finding {
            Some(finding) if self.assumptions.is_empty() => finding.fault.verdict(),
            None if (self.exhausted || self.suffices) && self.limit.is_none() => Verdict::Verified,
            _ => Verdict::Incomplete,
        };
        self
    }
}

/// The reasons why full counts are only bounds; empty when they are exact. `visited`: valuations of the constants.
fn why_bounds(
    (limit, suffices): (Option<&LimitHit>, bool),
    is_exhausted: bool,
    mode: Mode,
    reduction: &Reduction<'_>,
    tally: &Tally,
    visited: Enumerated,
) -> Vec<String> {
    let mut why = Vec::new();
    // The unsearched part is missing from the counts, however orbits are counted.
    match limit {
        Some(LimitHit::Partial(_)) => why.push("some steps could not be enumerated".to_owned()),
        None if suffices => why.push("without operations one set-up suffices, so not all were looked for".to_owned()),
        None if !is_exhausted => why.push("the search stopped at the first finding".to_owned()),
        None | Some(LimitHit::Undecided(_) | LimitHit::Scope) => {}
        Some(LimitHit::Assumed(_)) => why.push("PROPERTIES are unknown for some of the set-ups".to_owned()),
        Some(_) => why.push("a limit stopped the search".to_owned()),
    }
    // At most one reason about orbits: each explains the ones that follow it.
    if matches!(mode, Mode::Fast | Mode::Sorted) && !reduction.symmetry.is_trivial() {
        why.push("this symmetry strategy may keep several representatives of one orbit".to_owned());
    } else if tally.is_inexact() {
        why.push("a canonical form exceeded its budget, so that several representatives of one orbit may have been kept".to_owned());
    } else if is_exhausted && !add_up(visited, tally, reduction.orbits) {
        // A test of orbit sizes that costs nothing: unless images were left out, every member of an orbit of set-ups was visited, so they
        // can be counted both ways.
        debug_assert!(false, "the orbits of the set-ups add up to the valuations visited");
        why.push("the orbits of the set-ups do not add up to the valuations visited".to_owned());
    }
    if tally.has_violations() && reduction.symmetry.relies_on_invariant(reduction.machine.model(), reduction.machine.scope()) {
        why.push("states were expanded that violate the invariant, on which symmetries of named elements rely".to_owned());
    }
    if tally.is_partial() {
        why.push("an initialisation was ill-defined, so that initial states may be missing".to_owned());
    }
    why
}

/// Converts an evaluation that the interrupt flag stopped into an interrupt: it is not a limit of the evaluator.
fn interrupted(limit: LimitHit) -> LimitHit {
    match limit {
        LimitHit::Enumeration(error) if error.kind == EvalErrorKind::Interrupted => LimitHit::Interrupted,
        other => other,
    }
}
