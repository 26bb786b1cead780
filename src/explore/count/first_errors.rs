//! Warnings about operations, each with the first error of its operation.
//!
//! An ill-defined guard disables the operation, a result that is left unassigned stays undefined: worth a warning, not a verdict.
//! Invariant: the first error is the one in the state with the lowest number, whatever the schedule.
//! Deliberately elsewhere: transitions per operation (`tally`).

use crate::number::StateNumber;
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;
use std::collections::BTreeMap;

/// The first error of one kind of each operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstErrors {
    first: BTreeMap<OperationId, (StateNumber, EvalError)>,
}

impl FirstErrors {
    /// Notes an error in the state with this number.
    pub(crate) fn note(&mut self, operation: OperationId, state: StateNumber, error: EvalError) {
        match self.first.get(&operation) {
            // Of several errors in one state the one noted first stays, which is the first in the order of evaluation.
            Some((kept, _)) if *kept <= state => {}
            _ => {
                self.first.insert(operation, (state, error));
            }
        }
    }

    /// Whether an error in this state would be the first of its operation so far.
    pub(crate) fn is_first(&self, operation: OperationId, state: StateNumber) -> bool {
        self.first.get(&operation).is_none_or(|(kept, _)| state < *kept)
    }

    pub(crate) fn merge(&mut self, other: FirstErrors) {
        for (operation, (state, error)) in other.first {
            self.note(operation, state, error);
        }
    }

    /// The errors in states below this number. Only the first error of an operation is stored, so no earlier one was dropped for a later
    /// one.
    pub(crate) fn below(mut self, end: StateNumber) -> Self {
        self.first.retain(|_, (state, _)| *state < end);
        self
    }

    /// Adds the errors of a later search, whose states are numbered from 0 again but come after all of these.
    pub(crate) fn go_on(&mut self, later: FirstErrors) {
        for (operation, error) in later.first {
            self.first.entry(operation).or_insert(error);
        }
    }

    /// The operations with the states of their first errors.
    pub(crate) fn places(&self) -> impl Iterator<Item = (OperationId, StateNumber)> + '_ {
        self.first.iter().map(|(operation, (state, _))| (*operation, *state))
    }

    /// The error of an operation, if it occurred in this state.
    pub(crate) fn error_in(&self, operation: OperationId, state: StateNumber) -> Option<&EvalError> {
        self.first.get(&operation).filter(|(place, _)| *place == state).map(|(_, error)| error)
    }

    /// In declaration order of the operations.
    pub(crate) fn into_list(self) -> Vec<(OperationId, EvalError)> {
        self.first.into_iter().map(|(operation, (_, error))| (operation, error)).collect()
    }
}
