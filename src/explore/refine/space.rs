//! The configurations of a refinement check, walked again for a report.
//!
//! Invariant: they are those that the search stores, up to renaming; a finding of one is the fault that the search would find in it.

use super::step::{Product, ProductStep};
use super::{Demands, Matching};
use crate::walk::animation::Enabled;
use crate::walk::space::{Expanded, Space, state_lines};
use crate::walk::survey::survey_of;
use crate::{Fault, Projection, Survey, SurveyLimits, TraceStep};
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::{Pred, Refinement};
use bcheck_symmetry::{Scratch, Symmetry};
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;

/// Walks the configurations; `is_over` is called before each one. Where the check does not use the INVARIANT, nothing is reported about
/// it.
///
/// # Errors
/// When something cannot be enumerated.
pub fn survey(
    machine: &Machine,
    refinement: &Refinement,
    symmetry: &Symmetry,
    demands: Demands,
    (limits, projections): (SurveyLimits<'_>, &[Projection]),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Survey, EvalError> {
    let product = Product::new(machine, refinement, demands);
    let mut survey = survey_of(&product, symmetry, (limits, projections), is_over)?;
    // The survey has evaluated the invariant all the same; without it in the check its figures would mislead.
    if demands.matching == Matching::Trace {
        survey.non_vacuous.clear();
    }
    Ok(survey)
}

impl Space for Product<'_> {
    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        for configuration in Product::initial(self, constants)?.configurations {
            if visit(self.key(&configuration)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn expand(&self, symmetry: &Symmetry, state: &[Value], scratch: &mut Scratch) -> Result<Expanded, EvalError> {
        let found = Product::expand(self, &self.configuration(state))?;
        let step = |ProductStep { operation, arguments, results, next }: ProductStep| {
            vec![TraceStep { operation: Some(operation), arguments, results, state: self.key(&next) }]
        };
        // The symmetries of a configuration are those of its stored valuation, so its steps fold like those of any state.
        let enabled = Enabled { alike: found.steps.into_iter().map(step).collect(), ..Enabled::default() };
        let alike = enabled.folded(self.machine.model().constants.len(), symmetry, state, scratch).alike;
        // In a refinement check, a state without steps is not a fault.
        Ok(Expanded { alike, findings: found.fault.into_iter().collect(), is_deadlock: false, is_cut: found.skipped.is_some() })
    }

    /// A fault is one of the steps of a configuration.
    fn examine(&self, _: &[Value]) -> Vec<Fault> {
        Vec::new()
    }

    fn machine(&self) -> &Machine {
        self.machine
    }

    /// In some state that the refined machine may be in.
    fn holds(&self, pred: &Pred, state: &[Value]) -> bool {
        let configuration = self.configuration(state);
        configuration.abstracts.iter().any(|values| self.machine.holds(pred, &configuration.with(values)).unwrap_or(false))
    }

    fn lines(&self, state: &[Value]) -> String {
        let model = self.machine.model();
        let configuration = self.configuration(state);
        let own = state_lines(model, &configuration.concrete);
        let refined = &self.refinement.refined;
        let prefix = format!("{refined}::");
        let names: Vec<&str> =
            model.variables.keys().skip(self.refinement.concrete.len()).map(|name| name.strip_prefix(&prefix).unwrap_or(name)).collect();
        let abstracts = configuration.abstracts.iter().filter(|values| !values.is_empty()).map(|values| {
            let values = names.iter().zip(values).map(|(name, value)| format!("{name} = {}", display(value, model)));
            format!("{refined}: {}", values.collect::<Vec<_>>().join(", "))
        });
        let lines: Vec<String> = Some(own).filter(|own| !own.is_empty()).into_iter().chain(abstracts).collect();
        lines.join("\n")
    }
}
