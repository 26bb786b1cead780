//! Failures refinement: calls the refinement refuses although the refined machine must accept them.
//!
//! A state refuses a call if none of its steps begins it. The refinement may refuse what the refined machine may refuse, so one of the
//! possible states of the refined machine must accept no more calls than the refinement does. Where preconditions are contracts, only
//! calls count that are allowed in all of these states, because no others are made. Only stable states refuse: where an internal step is
//! possible, the accepted calls may still change. Source: stable failures, as in Roscoe, The Theory and Practice of Concurrency, section
//! 8.4; a call is an operation with its arguments, results are the machine's choice.
//! Invariant: whether there is a fault does not depend on names; the reported call is the first one in order.

use super::configuration::Configuration;
use super::step::{Expansion, Product};
use super::{Mismatch, Obligation, Reason, Tried};
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;
use bcheck_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation of the refinement, with arguments.
type Call = (OperationId, Vec<Value>);

impl Product<'_> {
    /// The fault of a configuration that refuses too much; `expansion` has all of its steps, and records omitted calls.
    pub(super) fn refusal(&self, configuration: &Configuration, expansion: &mut Expansion) -> Result<Option<Mismatch>, EvalError> {
        // An internal step is possible: the state is not stable.
        if expansion.steps.iter().any(|step| self.is_internal(step.operation)) {
            return Ok(None);
        }
        let offered: FxHashSet<Call> = expansion.steps.iter().map(|step| (step.operation, step.arguments.clone())).collect();
        let mut allowed: FxHashMap<OperationId, FxHashSet<Vec<Value>>> = FxHashMap::default();
        for own in &self.refinement.operations {
            if let Some(callable) = own.callable {
                let common = self.common(configuration, callable, true)?;
                expansion.skipped = expansion.skipped.take().or(common.partial);
                allowed.insert(own.operation, common.steps.into_iter().map(|step| step.arguments).collect());
            }
        }
        // An operation without an entry has no precondition that is a contract, so every call of it is allowed.
        let is_allowed = |(operation, arguments): &Call| allowed.get(operation).is_none_or(|calls| calls.contains(arguments));
        let mut refused: Vec<Vec<Call>> = Vec::new();
        for values in &configuration.abstracts {
            let state = configuration.with(values);
            let mut here = Vec::new();
            for own in &self.refinement.operations {
                let Some(refined) = own.refined else { continue };
                // Steps of one call that differ in results or successor are one call. Ill-defined calls are not accepted ones.
                let found = self.machine.successors(&state, refined)?.whole_but_left_out()?;
                expansion.skipped = expansion.skipped.take().or(found.partial);
                let mut calls: Vec<Call> = found.steps.into_iter().map(|step| (own.operation, step.arguments)).collect();
                calls.sort_unstable();
                calls.dedup();
                here.extend(calls.into_iter().filter(|call| is_allowed(call) && !offered.contains(call)));
            }
            // The refined machine may be in this state, where it refuses all that the refinement refuses.
            if here.is_empty() {
                return Ok(None);
            }
            refused.push(here);
        }
        // In each of its states the refined machine accepts a call that is refused; one that it accepts in all of them is the clearest
        // example.
        let Some((first, others)) = refused.split_first() else { return Ok(None) };
        let common = first.iter().find(|call| others.iter().all(|other| other.contains(call)));
        let (operation, arguments) = common.or(first.first()).cloned().expect("each state offers a call that is refused");
        let shown = refused.iter().map(|calls| common.or(calls.first()).cloned().expect("as above"));
        let tried = configuration
            .abstracts
            .iter()
            .zip(shown)
            .map(|(values, (operation, arguments))| Tried { before: Some(values.clone()), reason: Reason::Offers(operation, arguments) });
        Ok(Some(Mismatch {
            obligation: Obligation::Refusal,
            operation: Some(operation),
            arguments,
            results: Vec::new(),
            next: None,
            tried: tried.collect(),
        }))
    }
}
