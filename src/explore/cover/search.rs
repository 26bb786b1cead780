//! The search for coverable targets: breadth first, up to symmetry, until every target is covered or no state is left.
//!
//! Which branch a step takes does not depend on names of elements, so a representative covers what all states of its orbit cover; only
//! symmetries of elements that the machine does not name are used, as others may exchange branches. Invariant: the witness of a target is
//! the first state, in the order of the search, from which a step covers it, so no run to it is shorter. Deliberately elsewhere: the runs
//! (`choice`).

use super::Coverable;
use super::witness::{FoundWitnesses, Witness, Witnesses};
use crate::count::reduction::Reduction;
use crate::number::{SetUpNumber, StateNumber};
use crate::plain::PlainSearch;
use crate::search::set_ups::{SetUps, initial_states, set_ups};
use crate::trace::{Origin, operations};
use crate::{LimitHit, Options};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Successors};
use bcheck_ir::OperationId;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Searches for the wanted targets.
pub(super) fn search<'a>(coverable: &'a Coverable, wanted: &[bool], options: &'a Options, reduction: Reduction<'a>) -> FoundWitnesses<'a> {
    let mut all = SetUps::default();
    let are_all = set_ups(&coverable.probed, reduction.symmetry, reduction.orbits, options, (usize::MAX, &|_| ()), &mut |batch| {
        all = batch;
        ControlFlow::Break(())
    });
    let SetUps { list, limit, left_out, .. } = all;
    let mut search = CoverSearch {
        coverable,
        wanted,
        plain: PlainSearch::new(options, reduction),
        seen: Witnesses::new(wanted.len()),
        skipped: left_out,
        is_cut: false,
        untried: coverable.cut_of_beginning(),
        obstacles: Vec::new(),
        ill_defined: None,
    };
    search.plain.ending.limit = limit;
    let mut is_initialised = false;
    if search.plain.ending.limit.is_none() {
        // Enumerated by the machine without probes, whose initial states are numbered for the runs.
        let beginnings = initial_states(&coverable.machine, options, &list, &mut |state, origin| {
            search.plain.enter(state, origin).map(|entered| entered.number.number().into())
        });
        is_initialised = beginnings.is_initialised;
        search.plain.ending.limit = search.plain.ending.limit.take().or(beginnings.limit);
        search.skipped = search.skipped.take().or(beginnings.left_out);
        for (set_up, beginning) in SetUpNumber::all(list.len()).zip(&list) {
            search.initialise(set_up, &beginning.constants);
        }
        search.levels();
    }
    let CoverSearch { plain, mut seen, skipped, is_cut, untried, obstacles, ill_defined, .. } = search;
    let limit = plain.ending.limit;
    let scope = is_cut.then_some(LimitHit::Scope);
    seen.limit = limit.map(interrupted).or(skipped.map(LimitHit::Partial)).or(scope).or(untried.map(LimitHit::Undecided));
    if seen.limit.is_none() && !are_all {
        seen.limit = options.limits.set_ups.map(LimitHit::SetUps);
    }
    FoundWitnesses { family: plain.family, reduction: plain.reduction, set_ups: list, seen, is_initialised, obstacles, ill_defined }
}

/// An interrupted evaluation is not a limit of the evaluator.
fn interrupted(limit: LimitHit) -> LimitHit {
    match limit {
        LimitHit::Enumeration(error) if error.kind == EvalErrorKind::Interrupted => LimitHit::Interrupted,
        other => other,
    }
}

struct CoverSearch<'a, 'w> {
    coverable: &'a Coverable,
    wanted: &'w [bool],
    plain: PlainSearch<'a>,
    seen: Witnesses,
    /// Why steps are missing.
    skipped: Option<EvalError>,
    /// Whether some state is outside of SCOPE.
    is_cut: bool,
    /// Where integers were tried in a range only: there may be other steps.
    untried: Option<EvalError>,
    /// Why guards were not observed.
    obstacles: Vec<(OperationId, EvalError)>,
    /// The first call whose body was ill-defined, which is not a step.
    ill_defined: Option<(OperationId, EvalError)>,
}

impl CoverSearch<'_, '_> {
    fn is_over(&self) -> bool {
        self.plain.ending.limit.is_some() || self.seen.has_all(self.wanted)
    }

    /// The coverage of the initialisation.
    fn initialise(&mut self, set_up: SetUpNumber, constants: &[Value]) {
        let (coverable, seen) = (self.coverable, &mut self.seen);
        let done = coverable.probed.for_each_initial(constants, &mut |mut state| {
            let covered = coverable.covered_by_step(&mut state);
            seen.note(covered, 0, || Witness::Beginning { set_up, state: state.clone() });
            ControlFlow::Continue(())
        });
        // An error other than an interrupt would also occur without probes.
        if matches!(&done, Err(error) if error.kind == EvalErrorKind::Interrupted) {
            self.plain.ending.limit = Some(LimitHit::Interrupted);
        }
    }

    /// Expands states in the order of their numbers, which is breadth first.
    fn levels(&mut self) {
        let (mut number, mut distance) = (StateNumber::new(0), 0);
        let mut end = self.plain.family.end();
        while number < self.plain.family.end() && !self.is_over() {
            if number == end {
                (end, distance) = (self.plain.family.end(), distance + 1);
            }
            if self.plain.options.limits.depth.is_some_and(|limit| distance >= limit) {
                self.plain.ending.limit = Some(LimitHit::Depth(distance));
                break;
            }
            // Small evaluations end without a look at the flag. Relaxed: nothing but the flag is exchanged.
            if self.coverable.machine.interrupt().load(Ordering::Relaxed) {
                self.plain.ending.limit = Some(LimitHit::Interrupted);
                break;
            }
            self.expand(number, distance);
            number = number.next();
        }
    }

    fn expand(&mut self, number: StateNumber, distance: u64) {
        let coverable = self.coverable;
        self.is_cut |= !coverable.machine.is_expanded(self.plain.family.representative(number));
        let state = coverable.with_probes(self.plain.family.representative(number));
        for operation in operations(&coverable.probed) {
            let found = match self.successors(&coverable.probed, &state, operation) {
                Some(Ok(found)) => found,
                Some(Err(obstacle)) => {
                    self.skipped.get_or_insert(obstacle);
                    continue;
                }
                None => return,
            };
            self.skipped = self.skipped.take().or(found.partial);
            if let Some(tried) = &found.cut {
                self.untried.get_or_insert_with(|| tried.undecided("what is covered"));
            }
            if let Some((_, error)) = found.ill_defined.into_iter().next() {
                self.ill_defined.get_or_insert((operation, error));
            }
            for mut step in found.steps {
                let covered = coverable.covered_by_step(&mut step.next);
                self.seen.note(covered, distance + 1, || Witness::Step { from: number, operation });
                // At a limit the search ends with this state; what its steps cover is known nevertheless.
                let _ = self.plain.enter(step.next, Origin::Step { parent: number });
            }
        }
        let Some(observers) = &coverable.observers else { return };
        for operation in operations(observers) {
            let found = match self.successors(observers, &state, operation) {
                Some(Ok(found)) => found,
                Some(Err(obstacle)) => {
                    if self.obstacles.iter().all(|(known, _)| *known != operation) {
                        self.obstacles.push((operation, obstacle));
                    }
                    continue;
                }
                None => return,
            };
            if let Some(obstacle) = found.partial
                && self.obstacles.iter().all(|(known, _)| *known != operation)
            {
                self.obstacles.push((operation, obstacle));
            }
            for step in found.steps {
                let covered = coverable.covered_by_refusal(&step.next);
                self.seen.note(covered, distance, || Witness::Refusal { at: number });
            }
        }
    }

    /// The steps of an operation, or why they cannot be enumerated; `None` at an interrupt, which ends the search.
    fn successors(&mut self, machine: &Machine, state: &Valuation, operation: OperationId) -> Option<Result<Successors, EvalError>> {
        let found = machine.successors_or_obstacle(state, operation).ok();
        if found.is_none() {
            self.plain.ending.limit = Some(LimitHit::Interrupted);
        }
        found
    }
}
