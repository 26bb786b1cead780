//! The effects of the initialisation and the operations of a machine on the conjuncts of its invariant.
//!
//! Invariant: each state counts once for a conjunct, and once for an ill-defined place, however many of its steps show it. Deliberately
//! elsewhere: which states are examined (`examiner`).

use super::examiner::ExaminedSteps;
use super::found::{AfterStep, Example, Induction, Obligations, PreservationRow};
use crate::TraceStep;
use crate::trace::operations;
use bcheck_eval::{EvalError, Machine};
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// The steps of a machine.
pub(super) struct MachineSteps<'a> {
    pub(super) machine: &'a Machine,
    pub(super) obligations: &'a Obligations,
}

impl ExaminedSteps for MachineSteps<'_> {
    fn nothing(&self) -> Induction {
        let model = self.machine.model();
        let operations = operations(self.machine).filter(|operation| self.obligations.examines(*operation)).collect();
        Induction::begin(model, operations, model.invariant.len(), self.obligations)
    }

    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        self.machine.for_each_initial(constants, visit)
    }

    fn examine_initial(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError> {
        let after = self.examine_after(state, &mut found.initialisation)?;
        let example = || Example::new(self.machine, &[], Some(TraceStep::beginning(state.into())));
        for conjunct in after.violated {
            found.initialisation.violated[conjunct].add(orbit, example);
        }
        if let Some((_, error)) = after.undecided {
            found.add_undefined(orbit, error, example);
        }
        Ok(())
    }

    fn examine(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError> {
        let mut is_enabled = false;
        // Each state counts once for a place.
        let mut met_at = FxHashSet::default();
        let mut effects = std::mem::take(&mut found.operations);
        for (operation, effect) in &mut effects {
            let (steps, errors) = match self.machine.successors_or_obstacle(state, *operation)? {
                Ok(found) => {
                    is_enabled |= !found.steps.is_empty() || !found.ill_defined.is_empty() || found.partial.is_some();
                    let errors = found.ill_defined.into_iter().map(|(_, error)| error).chain(found.ill_defined_guard).chain(found.partial);
                    (found.steps, errors.collect::<Vec<_>>())
                }
                Err(obstacle) => {
                    is_enabled = true;
                    (Vec::new(), vec![obstacle])
                }
            };
            effect.steps += steps.len() as u64;
            errors.first().into_iter().for_each(|error| effect.note_incomplete(error));
            if errors.iter().any(|error| error.kind.is_ill_defined()) {
                effect.ill_defined.add(orbit, || Example::new(self.machine, state, None));
            }
            // Each state counts once for a conjunct, however many of its steps violate it.
            let mut of_state: Vec<Option<Example>> = vec![None; effect.violated.len()];
            let mut met: Vec<(EvalError, Option<TraceStep>)> = errors.into_iter().map(|error| (error, None)).collect();
            for step in steps {
                let after = self.examine_after(&step.next, effect)?;
                if after.undecided.is_none() && after.violated.iter().all(|conjunct| of_state[*conjunct].is_some()) {
                    continue;
                }
                let step = TraceStep { operation: Some(*operation), arguments: step.arguments, results: step.results, state: step.next };
                for conjunct in after.violated {
                    of_state[conjunct].get_or_insert_with(|| Example::new(self.machine, state, Some(step.clone())));
                }
                met.extend(after.undecided.map(|(_, error)| (error, Some(step.clone()))));
            }
            for (cell, example) in effect.violated.iter_mut().zip(of_state) {
                example.into_iter().for_each(|example| cell.add(orbit, || example));
            }
            for (error, step) in met {
                if met_at.insert(error.span) {
                    found.add_undefined(orbit, error, || Example::new(self.machine, state, step));
                }
            }
        }
        found.operations = effects;
        found.leaves_scope |= !self.machine.is_expanded(state);
        self.imply(state, orbit, is_enabled, found);
        Ok(())
    }
}

impl MachineSteps<'_> {
    /// Whether a state within the invariant enables something and satisfies the assertions, as far as required.
    fn imply(&self, state: &[Value], orbit: &BigUint, is_enabled: bool, found: &mut Induction) {
        let machine = self.machine;
        if found.undefined.is_some()
            && let Err((_, error)) = machine.violated_assertion(state, false)
        {
            found.add_undefined(orbit, error, || Example::new(machine, state, None));
        }
        if found.deadlocks.is_none() && found.assertions.is_none() {
            return;
        }
        let example = Example::new(machine, state, None);
        let is_deadlock = !is_enabled && machine.model().has_operations() && machine.has_all_steps(state) && machine.is_callable(state);
        if let Some(deadlocks) = found.deadlocks.as_mut().filter(|_| is_deadlock) {
            deadlocks.add(orbit, || example.clone());
        }
        for (at, refuted) in found.assertions.iter_mut().flatten().enumerate() {
            if !machine.model().assertions[at].is_static && machine.is_assertion_false(at, state) {
                refuted.add(orbit, || example.clone());
            }
        }
    }

    /// The conjuncts that are false in the target of a step, and those that are ill-defined there.
    fn examine_after(&self, state: &[Value], effect: &mut PreservationRow) -> Result<AfterStep, EvalError> {
        let after = self.obligations.after(self.machine, effect.violated.len(), state)?;
        if let Some((conjunct, error)) = &after.undecided {
            effect.undecided[*conjunct].get_or_insert_with(|| error.clone());
        }
        Ok(after)
    }
}
