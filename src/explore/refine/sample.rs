//! Tests on a sample of configurations, without reduction, whether permutations are symmetries of both machines together.
//!
//! Invariant: the comparison does not depend on the order in which the evaluator finds steps: for an operation with a fault only the kind
//! of fault is compared. Deliberately elsewhere: the sampling (`walk::equivariance`), steps and faults (`step`).

use super::step::{Expansion, Product, ProductStep};
use super::{Demands, Obligation};
use crate::walk::equivariance::{Listed, Look, Sampled, doubt_in};
use crate::{Difference, Doubt, Fault, FaultyPart, SampleLimits};
use bcheck_eval::{EvalError, Machine, Step};
use bcheck_ir::Refinement;
use bcheck_symmetry::Permutation;
use bcheck_value::Value;

/// Looks for a permutation among these that is not a symmetry of a refinement check; `None` if no configuration of the sample shows one.
#[must_use]
pub fn doubt(
    machine: &Machine,
    refinement: &Refinement,
    demands: Demands,
    permutations: &[Permutation],
    limits: SampleLimits,
) -> Option<Doubt> {
    let product = Product::new(machine, refinement, demands);
    doubt_in(&product, permutations, limits)
}

impl Sampled for Product<'_> {
    /// `None` if the initialisation is at fault: what precedes a fault depends on the order.
    fn first_initial(&self, constants: &[Value], limit: usize) -> Option<Listed> {
        let initial = Product::initial(self, constants).ok().filter(|initial| initial.fault.is_none())?;
        let are_all = initial.configurations.len() <= limit;
        let valuations = initial.configurations.iter().take(limit).map(|configuration| self.key(configuration)).collect();
        Some(Listed { valuations, are_all })
    }

    fn parts(&self) -> Vec<Difference> {
        let steps = self.refinement.operations.iter().map(|refining| Difference::Steps(refining.operation));
        steps.chain(self.refusals.then_some(Difference::Refusals)).collect()
    }

    fn look(&self, part: Difference, state: &[Value]) -> Result<Look, EvalError> {
        let configuration = self.configuration(state);
        let expansion = match part {
            // It may also be the fault of an operation, whose kind must be the same in the image.
            Difference::Refusals => {
                let fault = self.expand(&configuration)?.fault;
                return Ok(Look { word: fault.as_ref().map_or("", word), ..Look::default() });
            }
            Difference::Steps(operation) => {
                let mut expansion = Expansion::default();
                let refining = self.refinement.operations.iter().find(|refining| refining.operation == operation);
                refining.map_or(Ok(()), |refining| self.add_steps(&configuration, refining, &mut expansion))?;
                expansion
            }
            _ => return Ok(Look::default()),
        };
        // The steps before a fault depend on the order of evaluation.
        if let Some(fault) = &expansion.fault {
            return Ok(Look { word: word(fault), ..Look::default() });
        }
        let step = |ProductStep { arguments, results, next, .. }| Step { arguments, results, next: self.key(&next) };
        let word = if expansion.guards.is_empty() { "" } else { "ill-defined guard" };
        Ok(Look { steps: expansion.steps.into_iter().map(step).collect(), word, ..Look::default() })
    }
}

fn word(fault: &Fault) -> &'static str {
    match &fault.part {
        FaultyPart::Obligation(mismatch) => Obligation::as_str(mismatch.obligation),
        _ => "ill-defined",
    }
}
