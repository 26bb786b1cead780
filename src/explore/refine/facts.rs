//! Facts about runs that a refinement check establishes besides its verdict: the premises of the preservation of temporal formulas.
//!
//! Invariant: a favourable fact is stated only by a complete search. Deliberately elsewhere: what follows for a formula (`preservation`).

use super::configuration::Configuration;
use super::step::Product;
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;
use bcheck_value::Value;

/// Facts about the runs of both machines, established on the configurations of a refinement check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefinementFacts {
    /// Every step of every run of the refinement is followed by the refined machine: the search went to its end, and found nothing but
    /// perhaps a divergence.
    pub(crate) is_simulated: bool,
    /// An internal step was taken.
    pub(crate) has_internal: bool,
    /// An operation on a cycle of internal steps, if there is such a cycle.
    pub divergence: Option<OperationId>,
    /// The refinement has a deadlock where the refined machine, in each of the states in which it may be, has a step.
    pub(crate) has_new_deadlock: bool,
    /// Some run of the refinement leaves open in which state the refined machine is.
    pub has_choices: bool,
}

impl Product<'_> {
    /// Whether each possible state of the refined machine has a step; called for a configuration without steps.
    pub(super) fn is_new_deadlock(&self, configuration: &Configuration) -> Result<bool, EvalError> {
        for values in &configuration.abstracts {
            if !self.can_go_on(configuration, values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the refined machine has a step in this state, by any operation, one that nothing refines included.
    fn can_go_on(&self, configuration: &Configuration, values: &[Value]) -> Result<bool, EvalError> {
        let state = configuration.with(values);
        for operation in self.refinement.operations_of(0).map(OperationId) {
            let found = self.machine.successors(&state, operation)?.whole_but_left_out()?;
            if !found.steps.is_empty() {
                return Ok(true);
            }
            found.whole()?;
        }
        Ok(false)
    }
}
