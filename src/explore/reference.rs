//! The reference search: one thread, a hash map of valuations, breadth first.
//!
//! It is the oracle of the packed, parallel search: as plain as a textbook, nothing encoded, nothing shared. Invariant: it
//! numbers states in the order in which breadth-first search meets them, which is the numbering of the parallel search too,
//! so the two outcomes are equal where there is one batch of set-ups. Deliberately elsewhere: limits of time and memory, which it
//! ignores.

use super::count::conclusion::{Ending, conclude};
use super::count::reduction::Reduction;
use super::count::tally::{OrbitClass, Orbits, Tally};
use super::property::{Checks, Claim, Place, examine};
use super::search::set_ups::{SetUps, initial_states, no_initial_state, set_ups};
use super::search::store::Store;
use super::trace::{Ancestry, Origin, operations};
use super::visited::{Entered, Visited};
use super::{LimitHit, Options, Outcome, PropertyKind};
use crate::eval::{EvalError, Machine, Step};
use crate::symmetry::Symmetry;
use crate::value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Explores a machine with the reference search; limits of time and memory, strategy and workers are ignored.
#[must_use]
pub fn explore_reference(machine: &Machine, symmetry: &Symmetry, options: &Options) -> Outcome {
    let orbits = Orbits::new();
    let mut ending = Ending::default();
    let mut all = SetUps::default();
    set_ups(machine, symmetry, &orbits, options, usize::MAX, &mut |batch| {
        all = batch;
        ControlFlow::Break(())
    });
    ending.tally.merge(&all.tally);
    // Representatives are found as in the packed search; everything else is done in another way.
    let store = Store::new(machine, symmetry, &all.list);
    let reduction = || Reduction::new(machine, symmetry, &orbits).on_words(store.words.as_ref());
    let mut search = Reference {
        machine,
        options,
        checks: Checks::new(machine, options),
        reduction: reduction(),
        visited: Visited::new(options.limits.states),
        claim: all.claim.clone(),
        limit: all.limit.clone(),
        skipped: None,
        undecided: all.undecided.clone(),
    };
    if search.may_go_on() {
        let mut enter = |state, origin, tally: &mut Tally| search.enter(state, origin, 0, tally).map(u64::from);
        let beginnings = initial_states(machine, options, &all.list, &mut ending.tally, &mut enter);
        search.limit = search.limit.take().or(beginnings.limit);
        if let Some(claim) = beginnings.claim {
            Claim::keep_least(&mut search.claim, claim);
        }
        if !beginnings.is_initialised && search.claim.is_none() && search.limit.is_none() {
            search.claim = Some(no_initial_state());
        }
        search.levels(&mut ending);
    }
    ending.claim = search.claim.take();
    ending.limit = search.limit.take();
    ending.leave_out(search.skipped.take(), search.undecided.take());
    conclude(machine, options.symmetry, &mut reduction(), &search.visited, &all.list, all.visited, ending)
}

struct Reference<'a> {
    machine: &'a Machine,
    options: &'a Options,
    checks: Checks,
    reduction: Reduction<'a>,
    visited: Visited,
    claim: Option<Claim>,
    limit: Option<LimitHit>,
    skipped: Option<EvalError>,
    undecided: Option<EvalError>,
}

impl Reference<'_> {
    fn may_go_on(&self) -> bool {
        self.limit.is_none() && (self.claim.is_none() || self.options.keep_going)
    }

    /// Level by level until nothing new is found.
    fn levels(&mut self, ending: &mut Ending) {
        let mut level = 0..self.visited.len();
        let mut distance = 0;
        while self.may_go_on() && !level.is_empty() {
            if self.options.limits.depth.is_some_and(|limit| distance >= limit) {
                self.limit = Some(LimitHit::Depth(distance));
                break;
            }
            // The verdict of the first stage with a finding stands.
            let earlier = self.claim.take();
            for number in level.clone() {
                self.expand(u32::try_from(number).expect("the reference search is for small machines"), distance, ending);
            }
            self.claim = earlier.or(self.claim.take());
            distance += 1;
            level = level.end..self.visited.len();
            if !level.is_empty() {
                ending.depth = distance;
            }
        }
        ending.is_exhausted = level.is_empty() && self.limit.is_none();
    }

    /// The number of a state's representative, which is stored and examined when it is new.
    fn enter(&mut self, state: Valuation, origin: Origin, distance: u64, tally: &mut Tally) -> Option<u32> {
        match self.visited.enter(&mut self.reduction, state, origin, tally) {
            Ok(Entered { number, class, is_new }) => {
                if is_new {
                    if distance == 0 {
                        tally.initial(class);
                    }
                    let state = self.visited.state(number);
                    self.examine(number, &state, class, distance, tally);
                }
                Some(number)
            }
            Err(limit) => {
                self.limit = Some(limit);
                None
            }
        }
    }

    fn examine(&mut self, number: u32, state: &[Value], class: OrbitClass, distance: u64, tally: &mut Tally) {
        let seen = examine(self.machine, self.checks, self.reduction.symmetry.alike(), state);
        for property in seen.findings {
            tally.property(class, &property);
            Claim::keep_least(&mut self.claim, Claim { distance, place: Place::State(number), property });
        }
        if let Some(error) = seen.undecided {
            self.undecided.get_or_insert(error);
        }
    }

    fn expand(&mut self, number: u32, distance: u64, ending: &mut Ending) {
        let state = self.visited.state(number);
        let class = self.visited.class(number);
        let place = Place::State(number);
        let mut is_deadlock = true;
        for operation in operations(self.machine) {
            let successors = match self.machine.successors(&state, operation) {
                Ok(successors) => successors,
                Err(error) => {
                    is_deadlock = false;
                    self.skipped.get_or_insert(error);
                    continue;
                }
            };
            is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty();
            if let Some(error) = successors.ill_defined_guard {
                if self.checks.strict_guards {
                    let property = PropertyKind::IllDefinedGuard(operation, error);
                    Claim::keep_least(&mut self.claim, Claim { distance, place, property });
                    ending.tally.ill_defined(1);
                } else {
                    ending.guards.note(operation, number, error);
                }
            }
            if let Some(error) = successors.unassigned {
                ending.unassigned.note(operation, number, error);
            }
            ending.tally.ill_defined(successors.ill_defined.len() as u64);
            if let Some((arguments, error)) = successors.ill_defined.into_iter().next() {
                let property = PropertyKind::IllDefinedOperation(operation, arguments, error);
                Claim::keep_least(&mut self.claim, Claim { distance, place, property });
            }
            let count = successors.steps.len() as u64;
            let mut arrows = FxHashSet::default();
            for Step { arguments, results, next } in successors.steps {
                let successor = self.enter(next, Origin::Step { parent: number }, distance + 1, &mut ending.tally);
                // Arrows to states that the limit forbids are only bounds anyway.
                arrows.insert((arguments, results, successor));
            }
            ending.tally.steps(class, operation, count, arrows.len() as u64);
        }
        if is_deadlock && !self.machine.is_expanded(&state) {
            ending.tally.unexpanded(class);
        } else if is_deadlock {
            ending.tally.deadlock(class);
            if self.checks.deadlock {
                Claim::keep_least(&mut self.claim, Claim { distance, place, property: PropertyKind::Deadlock });
            }
        }
    }
}
