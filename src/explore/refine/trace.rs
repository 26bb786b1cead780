//! From a fault in a representative to an actual run of both sides.
//!
//! As for a single machine (`explore::trace`): the steps of representatives are renamed by the permutations between them, then the run is
//! replayed step by step without reduction, and the fault is searched for at its end; the one found there is reported.

use super::configuration::Configuration;
use super::step::{Product, ProductStep};
use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::number::StateNumber;
use crate::property::{Claim, Place};
use crate::search::internal_steps::Cycle;
use crate::trace::{Ancestry, Beginning, TraceFault, is_set_up, path_to, renamed_results, set_up_step};
use crate::{FaultyPart, Finding, Trace, TraceStep};
use bcheck_ir::OperationId;
use bcheck_symmetry::Permutation;
use bcheck_value::Valuation;

/// A run of both sides.
struct Run {
    constants: Valuation,
    initial: Configuration,
    steps: Vec<ProductStep>,
}

/// Turns a claim into a finding with its trace.
pub(super) fn finding(
    product: &Product<'_>,
    reduction: &mut Reduction<'_>,
    family: &dyn Ancestry,
    set_ups: &[SetUp],
    claim: &Claim,
    cycle: Option<&Cycle>,
) -> Result<Finding, TraceFault> {
    let (mut steps, fault) = match claim.place {
        Place::Machine => return Ok(Finding { fault: claim.fault.clone(), trace: Trace::default() }),
        // Set-ups are stored as the evaluator returned them.
        Place::SetUp(number) => {
            let constants = &set_ups[number.index()].constants;
            // The fault is found again, without reduction.
            let initial = product.initial(constants).map_err(TraceFault::at(0))?;
            (set_up_step(product.machine, constants), initial.fault)
        }
        Place::State(number) => {
            let run = rebuild(product, reduction, family, set_ups, number, cycle)?;
            let last = run.replay(product)?;
            if cycle.is_some() {
                // The replayed run comes back to a state that is the same but for names, by internal steps.
                let representative = reduction.representative(product.key(last)).ok_or(TraceFault::Interrupted)?;
                let is_back = representative.state == family.state(number);
                let fault = is_back.then(|| claim.fault.clone()).ok_or(TraceFault::NotConfirmed)?;
                return Ok(Finding { fault, trace: Trace::of(run.trace(product)) });
            }
            let fault = product.expand(last).map_err(TraceFault::at(run.steps.len()))?.fault;
            (run.trace(product), fault)
        }
    };
    let fault = fault.ok_or(TraceFault::NotConfirmed)?;
    // The unmatched step belongs to the run that is shown, although it is not a step of both sides.
    if let FaultyPart::Obligation(mismatch) = &fault.part
        && let Some(state) = &mismatch.next
    {
        let (arguments, results) = (mismatch.arguments.clone(), mismatch.results.clone());
        steps.push(TraceStep { operation: mismatch.operation, arguments, results, state: state.clone() });
    }
    Ok(Finding { fault, trace: Trace::of(steps) })
}

fn rebuild(
    product: &Product<'_>,
    reduction: &mut Reduction<'_>,
    family: &dyn Ancestry,
    set_ups: &[SetUp],
    number: StateNumber,
    cycle: Option<&Cycle>,
) -> Result<Run, TraceFault> {
    let (Beginning { first, set_up, ordinal }, path) = path_to(family, number);
    // On the path any operation may be the step to the child; on a cycle it has to be the internal one.
    let mut edges: Vec<(StateNumber, StateNumber, Option<OperationId>)> =
        path.into_iter().map(|(parent, child)| (parent, child, None)).collect();
    let mut end = number;
    // One round only: that it comes back up to names is what repeating it needs (`divergence`).
    for &(next, operation) in cycle.iter().flat_map(|cycle| &cycle.steps) {
        edges.push((end, next, Some(operation)));
        end = next;
    }
    let constants = set_ups[set_up.index()].constants.clone();
    let configurations = product.initial(&constants).map_err(TraceFault::at(0))?.configurations;
    let ordinal = usize::try_from(ordinal).map_err(|_| TraceFault::Broken(first))?;
    let initial = configurations.into_iter().nth(ordinal).ok_or(TraceFault::Broken(first))?;
    let representative = reduction.representative(product.key(&initial)).ok_or(TraceFault::Interrupted)?;
    if representative.state != family.state(first) {
        return Err(TraceFault::Broken(first));
    }
    // Invariant of the loop: `rename` maps the representative last reached to the last configuration of the run.
    let mut rename = back(representative.permutation);
    let mut steps = Vec::new();
    for (parent, child, operation) in edges {
        let configuration = product.configuration(&family.state(parent));
        let wanted = family.state(child);
        // Expanded in the representative, as in the search, and renamed afterwards: so it is the very step that led to the child.
        let found = product.expand(&configuration).map_err(TraceFault::at(steps.len()))?.steps;
        let mut reached = None;
        for step in found.into_iter().filter(|step| operation.is_none_or(|operation| operation == step.operation)) {
            let representative = reduction.representative(product.key(&step.next)).ok_or(TraceFault::Interrupted)?;
            if representative.state == wanted {
                reached = Some((step, representative.permutation));
                break;
            }
        }
        let (step, permutation) = reached.ok_or(TraceFault::Broken(child))?;
        steps.push(renamed(step, &rename));
        rename = back(permutation).then(&rename);
    }
    Ok(Run { constants, initial, steps })
}

fn back(permutation: Option<Permutation>) -> Permutation {
    permutation.map_or_else(Permutation::identity, |permutation| permutation.inverse())
}

fn renamed(step: ProductStep, rename: &Permutation) -> ProductStep {
    ProductStep {
        operation: step.operation,
        arguments: rename.apply_all(&step.arguments),
        results: renamed_results(rename, &step.results),
        next: step.next.renamed(rename),
    }
}

impl Run {
    /// Finds every step again without reduction; the configuration at the end.
    fn replay(&self, product: &Product<'_>) -> Result<&Configuration, TraceFault> {
        // The set-up too: nothing of a run is copied from the search unchecked.
        if !is_set_up(product.machine, &self.constants, 0)? {
            return Err(TraceFault::NoSuchStep(0));
        }
        if !product.initial(&self.constants).map_err(TraceFault::at(0))?.configurations.contains(&self.initial) {
            return Err(TraceFault::NoSuchStep(0));
        }
        let mut at = &self.initial;
        for (index, step) in self.steps.iter().enumerate() {
            if !product.expand(at).map_err(TraceFault::at(index + 1))?.steps.contains(step) {
                return Err(TraceFault::NoSuchStep(index + 1));
            }
            at = &step.next;
        }
        Ok(at)
    }

    /// The run of the refinement.
    fn trace(&self, product: &Product<'_>) -> Vec<TraceStep> {
        let mut steps = set_up_step(product.machine, &self.constants);
        steps.push(TraceStep::beginning(self.initial.concrete.clone()));
        steps.extend(self.steps.iter().map(|step| TraceStep {
            operation: Some(step.operation),
            arguments: step.arguments.clone(),
            results: step.results.clone(),
            state: step.next.concrete.clone(),
        }));
        steps
    }
}
