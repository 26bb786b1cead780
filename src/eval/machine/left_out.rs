//! Steps that a machine leaves out: those outside of SCOPE, those with integers outside of the tried ranges, and unknown ones.
//!
//! Invariant: a state that is reported to have all steps has no others. Deliberately elsewhere: which names are tried in a range
//! (`order`), how a search uses it (`explore`).

use super::{Machine, Successors};
use crate::plan::TriedRange;
use crate::run::frame::Frame;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::OperationId;
use bcheck_value::Value;
use std::collections::BTreeSet;
use std::sync::PoisonError;

impl Successors {
    /// Itself, if no steps may be missing.
    ///
    /// # Errors
    /// Why there may be more.
    pub fn whole(self) -> Result<Self, EvalError> {
        match self.partial {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// Itself, if no steps may be missing except those with values of choices that were left out.
    ///
    /// # Errors
    /// Why there may be more.
    pub fn whole_but_left_out(self) -> Result<Self, EvalError> {
        match &self.partial {
            Some(error) if error.kind.is_left_out() => Ok(self),
            _ => self.whole(),
        }
    }
}

impl Machine {
    /// Why PROPERTIES are unknown for valuations of the constants visited so far: consequences of these rest on the assumption that they
    /// are set-ups. By place.
    #[must_use]
    pub fn assumptions(&self) -> Vec<EvalError> {
        let assumed = self.context.assumed.lock().unwrap_or_else(PoisonError::into_inner);
        assumed.iter().map(|(span, kind)| EvalError { kind: kind.clone(), span: *span }).collect()
    }

    /// Why PROPERTIES have no value for some values of the constants, as far as these were visited: such values are not a set-up.
    #[must_use]
    pub fn properties_without_value(&self) -> Option<EvalError> {
        self.context.without_value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All steps of one operation in one state, or the reason why they cannot be enumerated there.
    ///
    /// # Errors
    /// An interrupt only.
    pub fn successors_or_obstacle(&self, state: &[Value], operation: OperationId) -> Result<Result<Successors, EvalError>, EvalError> {
        match self.successors(state, operation) {
            Err(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
            result => Ok(result),
        }
    }

    /// Names that nothing bounds, with the ranges that are tried for their integers.
    #[must_use]
    pub fn tried(&self) -> &BTreeSet<TriedRange> {
        &self.tried
    }

    /// Those of operations: where one of them has no step, it may have one outside of its range.
    #[must_use]
    pub fn tried_in_steps(&self) -> &BTreeSet<TriedRange> {
        &self.tried_in_steps
    }

    /// The range in which a parameter or a choice is tried here, so that there may be other steps; none if all steps are known.
    ///
    /// # Errors
    /// When the steps of an operation cannot be enumerated, and of none before it are any left out; an interrupt.
    pub fn untried(&self, state: &[Value]) -> Result<Option<TriedRange>, EvalError> {
        // Most machines bound all their integers.
        if self.tried_in_steps.is_empty() {
            return Ok(None);
        }
        for operation in 0..self.operations.len() {
            let operation = OperationId(u32::try_from(operation).expect("operations have 32-bit ids"));
            let cut = self.successors(state, operation)?.cut;
            if cut.is_some() {
                return Ok(cut);
            }
        }
        Ok(None)
    }

    /// Whether a state without steps within SCOPE and the tried ranges has none at all.
    #[must_use]
    pub fn has_all_steps(&self, state: &[Value]) -> bool {
        self.is_expanded(state) && self.untried(state) == Ok(None)
    }

    /// Whether a state is expanded: all are, unless `SCOPE` excludes them. Such a state has no known steps, and is not a deadlock.
    #[must_use]
    pub fn is_expanded(&self, state: &[Value]) -> bool {
        // A predicate that cannot be evaluated does not hold.
        self.expanded.as_ref().is_none_or(|expanded| Frame::new(&self.context, state).holds(expanded).unwrap_or(false))
    }

    /// Whether the refined machines allow some call in a state, if all of their operations have a precondition there. Where none is
    /// allowed, nothing is missing: it is not a deadlock.
    #[must_use]
    pub fn is_callable(&self, state: &[Value]) -> bool {
        self.callable.as_ref().is_none_or(|callable| Frame::new(&self.context, state).holds(callable).unwrap_or(true))
    }
}

/// The range that cut an enumeration; an error where nothing was found in it, as there may be something outside.
pub(super) fn none_within_bounds(is_empty: bool, cut: Option<TriedRange>) -> Result<Option<TriedRange>, EvalError> {
    match cut {
        Some(tried) if is_empty => Err(tried.none_inside()),
        cut => Ok(cut),
    }
}
