//! The steps of the calls of one operation in one state.
//!
//! Invariant: steps are distinct, in the order in which calls are added. Deliberately elsewhere: which calls there are.

use super::{Machine, OperationPlan, Step, Successors};
use crate::EvalError;
use crate::run::frame::{Flow, Frame};
use crate::run::steps::DistinctSteps;
use bcheck_value::Value;

/// The steps of the calls added so far.
pub(super) struct CallSteps<'m> {
    machine: &'m Machine,
    steps: DistinctSteps,
    ill_defined: Vec<(Vec<Value>, EvalError)>,
    unassigned: Option<EvalError>,
}

impl<'m> CallSteps<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self { machine, steps: DistinctSteps::new(machine.model.constants.len()), ill_defined: Vec::new(), unassigned: None }
    }

    /// Adds the steps of a call, whose arguments the frame has.
    pub(super) fn add(&mut self, frame: &mut Frame<'m>, plan: &OperationPlan, arguments: Vec<Value>) -> Result<(), EvalError> {
        let Self { machine, steps, unassigned, .. } = self;
        // The guard may let more arguments through than the body accepts: the body tests its guards again, and has no steps then.
        let run = frame.exec(&plan.body, &mut |frame| {
            let results = frame.save(&plan.results);
            if let Some(missing) = results.iter().position(Option::is_none) {
                unassigned.get_or_insert_with(|| machine.unassigned(plan.results[missing], plan.body.span));
            }
            steps.insert(Step { arguments: arguments.clone(), results, next: machine.state(frame, plan.body.span)? });
            Ok(Flow::Continue)
        });
        // Results of this instance must not leak into the next one, nor be read by its guard.
        frame.clear(&plan.results);
        // The first error of this instance, if any; its steps that have no error count nevertheless.
        frame.doubts.note_choice(run, Flow::Continue)?;
        if let Some(error) = frame.doubts.body_error.take() {
            self.ill_defined.push((arguments, error));
        }
        Ok(())
    }

    /// All that was found, with what the frame has noted.
    pub(super) fn successors(self, mut frame: Frame<'m>) -> Successors {
        let Self { steps, ill_defined, unassigned, .. } = self;
        let (ill_defined_guard, partial) = (frame.doubts.guard_error.take(), frame.doubts.undecided.take());
        Successors { steps: steps.steps, ill_defined, ill_defined_guard, unassigned, partial, cut: frame.chosen.cut }
    }
}
