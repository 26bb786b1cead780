//! The reference search: one thread, a hash map of valuations, breadth first.
//!
//! It is the oracle of the packed, parallel search: as plain as a textbook, states stored as values in one map. Set-ups, representatives
//! and verdicts are computed by the same code as in that search; they have oracles of their own (`symmetry`, `eval`). Invariant: it numbers
//! states in breadth-first order, which is the numbering of the parallel search as well, so the two outcomes are equal if there is one
//! batch of set-ups. Deliberately elsewhere: limits of time and memory, which it ignores.

use super::count::conclusion::conclude;
use super::count::reduction::Reduction;
use super::count::tally::{OrbitClass, Orbits};
use super::number::StateNumber;
use super::plain::{BreadthFirst, Entered, Level, PlainSearch};
use super::property::{Checks, Claim, Place, examine};
use super::search::set_ups::{SetUps, initial_states, no_initial_state, set_ups};
use super::search::store::Store;
use super::trace::{Origin, finding, operations};
use super::{Fault, FaultyPart, LimitHit, Options, Outcome};
use bcheck_eval::{EvalError, Machine, Step, Successors};
use bcheck_ir::OperationId;
use bcheck_symmetry::Symmetry;
use bcheck_value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Explores a machine with the reference search; limits of time and memory, strategy and workers are ignored.
#[must_use]
pub fn explore_reference(machine: &Machine, symmetry: &Symmetry, options: &Options) -> Outcome {
    let orbits = Orbits::new();
    // All set-ups in one batch, which is the last one unless more of them are left out.
    let mut all = SetUps::default();
    let are_all = set_ups(machine, symmetry, &orbits, options, (usize::MAX, &|_| ()), &mut |batch| {
        all = batch;
        ControlFlow::Break(())
    });
    let SetUps { list, visited, tally, claim, limit, undecided, .. } = all;
    // Representatives are found as in the packed search; everything else is implemented differently.
    let store = Store::new(machine, symmetry, &list);
    let reduction = Reduction::new(machine, symmetry, &orbits).on_words(store.words.as_ref());
    let plain = PlainSearch::new(options, reduction);
    let mut search = Reference { machine, checks: Checks::new(machine, options), plain, skipped: None, undecided };
    search.plain.ending.tally = tally;
    search.plain.ending.claim = claim;
    search.plain.ending.limit = limit;
    if search.plain.may_go_on() {
        let beginnings = initial_states(machine, options, &list, &mut |state, origin| {
            search.enter(state, origin, 0).map(|number| number.number().into())
        });
        let ending = &mut search.plain.ending;
        ending.tally.merge(&beginnings.tally);
        ending.limit = ending.limit.take().or(beginnings.limit);
        if let Some(claim) = beginnings.claim {
            Claim::keep_least(&mut ending.claim, claim);
        }
        if are_all && !beginnings.is_initialised && ending.claim.is_none() && ending.limit.is_none() {
            ending.claim = Some(no_initial_state());
        }
        // All initial states have been numbered, from 0 on, and nothing else has.
        search.levels(StateNumber::new(0));
        if !are_all && search.plain.may_go_on() {
            search.plain.ending.limit = options.limits.set_ups.map(LimitHit::SetUps);
            search.plain.ending.is_exhausted = false;
        }
    }
    let Reference { plain: PlainSearch { mut reduction, family, mut ending, .. }, skipped, undecided, .. } = search;
    ending.leave_out(machine, options, skipped, undecided);
    conclude(machine, options.symmetry, &mut reduction, visited, ending, |reduction, claim| {
        finding(machine, reduction, &family, &list, claim)
    })
}

struct Reference<'a> {
    machine: &'a Machine,
    checks: Checks,
    plain: PlainSearch<'a>,
    skipped: Option<EvalError>,
    undecided: Option<EvalError>,
}

impl<'a> BreadthFirst<'a> for Reference<'a> {
    fn plain(&mut self) -> &mut PlainSearch<'a> {
        &mut self.plain
    }

    /// Weighs steps by orbits, but makes all of them: no binding represents others here.
    fn expand(&mut self, number: StateNumber, level: &Level) -> ControlFlow<()> {
        // Copied, because entering successors may move the representatives in memory.
        let state = self.plain.family.representative(number).clone();
        let mut is_deadlock = true;
        for operation in operations(self.machine) {
            match self.machine.successors(&state, operation) {
                Ok(mut successors) => {
                    is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty() && successors.partial.is_none();
                    self.skipped = self.skipped.take().or(successors.partial.take());
                    self.follow(number, level.distance, operation, successors);
                }
                // It may be enabled, so the state does not count as a deadlock.
                Err(error) => {
                    is_deadlock = false;
                    self.skipped.get_or_insert(error);
                }
            }
        }
        is_deadlock = is_deadlock && self.machine.is_callable(&state);
        // SCOPE is a guard of every operation, so a state outside of it has no step; that is not a deadlock.
        let class = self.plain.family.class(number);
        if is_deadlock && !self.machine.is_expanded(&state) {
            self.plain.ending.tally.unexpanded(class);
        } else if is_deadlock {
            self.plain.ending.tally.deadlock(class);
            if self.checks.deadlock && self.machine.has_all_steps(&state) {
                self.claim(number, level.distance, Fault::violated(FaultyPart::DeadlockFreedom));
            }
        }
        // Also after the limit on states was hit: a level is expanded to its end.
        ControlFlow::Continue(())
    }
}

impl Reference<'_> {
    /// The number of a state's representative, which is stored and examined when it is new.
    fn enter(&mut self, state: Valuation, origin: Origin, distance: u64) -> Option<StateNumber> {
        let Entered { number, class, is_new } = self.plain.enter(state, origin)?;
        if is_new {
            if distance == 0 {
                self.plain.ending.tally.initial(class);
            }
            // When it is found, not when it is expanded: states left unexpanded by a limit on depth are examined as well.
            let state = self.plain.family.representative(number).clone();
            self.examine(number, &state, class, distance);
        }
        Some(number)
    }

    fn examine(&mut self, number: StateNumber, state: &[Value], class: OrbitClass, distance: u64) {
        let seen = examine(self.machine, self.checks, self.plain.reduction.symmetry.conjunct_orbits(), state);
        for fault in seen.findings {
            self.plain.ending.tally.fault(class, &fault);
            self.claim(number, distance, fault);
        }
        if let Some(error) = seen.undecided {
            self.undecided.get_or_insert(error);
        }
    }

    fn claim(&mut self, number: StateNumber, distance: u64, fault: Fault) {
        Claim::keep_least(&mut self.plain.ending.claim, Claim { distance, place: Place::State(number), fault });
    }

    /// Enters what one operation does in a state.
    fn follow(&mut self, number: StateNumber, distance: u64, operation: OperationId, successors: Successors) {
        let Successors { steps, ill_defined, ill_defined_guard, unassigned, .. } = successors;
        let ending = &mut self.plain.ending;
        ending.tally.ill_defined(ill_defined.len() as u64);
        if let Some(error) = unassigned {
            ending.unassigned.note(operation, number, error);
        }
        if let Some(error) = ill_defined_guard {
            if self.checks.strict_guards {
                ending.tally.ill_defined(1);
                self.claim(number, distance, Fault::ill_defined(FaultyPart::Guard(operation), error));
            } else {
                ending.guards.note(operation, number, error);
            }
        }
        if let Some((arguments, error)) = ill_defined.into_iter().next() {
            self.claim(number, distance, Fault::ill_defined(FaultyPart::Body(operation, arguments), error));
        }
        let count = steps.len() as u64;
        let mut arrows = FxHashSet::default();
        for Step { arguments, results, next } in steps {
            // Entered in the order of the evaluator, operation by operation: that is the order of ranks in the parallel search.
            let successor = self.enter(next, Origin::Step { parent: number }, distance + 1);
            // ProB counts arrows by representative. Those to states that the limit forbids all count as one: they are only bounds anyway.
            arrows.insert((arguments, results, successor));
        }
        let class = self.plain.family.class(number);
        self.plain.ending.tally.steps(class, operation, count, arrows.len() as u64);
    }
}
