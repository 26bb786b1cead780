//! Why the refined machine cannot follow a refinement, part by part: the gluing conjunct that is false after the step, or the guard that is
//! false before it.
//!
//! Invariant: the evidence is about one state of the refined machine, the first for which there is any; the finding names the others.
//! Deliberately elsewhere: evidence for the properties of a single machine (`evidence`), the sentences of the finding (`refinement`).

use super::evidence::FindingEvidence;
use bcheck_eval::Machine;
use bcheck_explore::refine::{Mismatch, Obligation, Reason, Tried};
use bcheck_explore::{FaultyPart, Finding};
use bcheck_ir::{OperationId, Refinement};
use bcheck_value::{Valuation, Value};

/// The evidence for a failed obligation; `None` where no predicate decides it.
#[must_use]
pub fn evidence_of_mismatch(machine: &Machine, refinement: &Refinement, finding: &Finding) -> Option<FindingEvidence> {
    let FaultyPart::Obligation(mismatch) = &finding.fault.part else { return None };
    // An unmatched step is the last one of the trace; a refused call is not a step.
    let at = finding.trace.steps.len().checked_sub(if mismatch.next.is_some() { 2 } else { 1 });
    let before = at.and_then(|at| finding.trace.steps.get(at)).map(|step| step.state.as_slice()).unwrap_or_default();
    let about = About { machine, refinement, mismatch, before };
    mismatch.tried.iter().find_map(|tried| about.evidence(tried))
}

struct About<'a> {
    machine: &'a Machine,
    refinement: &'a Refinement,
    mismatch: &'a Mismatch,
    /// The state before the step or call that fails: constants and variables of the refinement.
    before: &'a [Value],
}

impl About<'_> {
    fn evidence(&self, tried: &Tried) -> Option<FindingEvidence> {
        let guard = |operation: OperationId| {
            let state = self.both(self.before, tried.before.as_ref()?)?;
            let arguments: Vec<Option<Value>> = self.mismatch.arguments.iter().cloned().map(Some).collect();
            self.machine.guard_evidence(&state, operation, &arguments)
        };
        let refining = || self.refinement.operations.iter().find(|refining| Some(refining.operation) == self.mismatch.operation);
        match (&tried.reason, self.mismatch.obligation) {
            (Reason::Unrelated(after, conjunct), _) => {
                let state = self.both(self.mismatch.next.as_ref()?, after)?;
                let conjunct = self.machine.model().invariant.get(*conjunct)?;
                Some(FindingEvidence::OfPred(self.machine.evidence(&conjunct.pred, &state)))
            }
            (Reason::Disabled, _) => guard(refining()?.refined?).map(FindingEvidence::OfPred),
            (Reason::Allows, Obligation::Precondition) => {
                let mut evidence = guard(self.mismatch.operation?)?;
                // Here the guard is a conjunction of the preconditions of both operations, which is not in the text.
                let only = if evidence.parts.len() == 1 { evidence.parts.pop() } else { None };
                Some(FindingEvidence::OfPred(only.unwrap_or(evidence)))
            }
            _ => None,
        }
    }

    /// The valuation of both machines; `None` where the first one is not that of the whole refinement.
    fn both(&self, concrete: &[Value], abstracts: &[Value]) -> Option<Valuation> {
        let fits = concrete.len() == self.refinement.concrete.end && abstracts.len() == self.refinement.abstracts.len();
        fits.then(|| concrete.iter().chain(abstracts).cloned().collect())
    }
}
