//! A refinement and the machine that it refines as one model, so that both are run in one valuation.
//!
//! The variables are those of the refinement, then those of the refined machine; the operations those of the refinement, those of the
//! refined machine, then some for the check alone. Constants and sets are shared. An operation of one side writes no variables of
//! the other. Invariant: the INVARIANT of the model is that of the refinement, with its gluing conjuncts about the refined machine,
//! and equations for variables that both have under one name. Deliberately elsewhere: how the model is made (`sema`), the check
//! (`explore`).

use super::{Conjunct, Model, OperationId};
use crate::source::{FileId, vocabulary};
use std::ops::Range;

/// How a precondition is read in a refinement check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// A promise of the caller: where that of the refined operation holds, that of the refining one must hold.
    Contract,
    /// A condition that enables the operation.
    Guard,
}

vocabulary! { Precondition,
    Contract: "contract", "What callers promise: the refinement must be callable where the refined machine is";
    Guard: "guard", "What enables an operation: the refinement may do only what the refined machine can";
}

/// An operation of the refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refining {
    /// The operation itself. With [`Precondition::Contract`] it is guarded by the precondition of the one that it refines.
    pub operation: OperationId,
    /// The operation of the refined machine; none for an operation that is new or hidden, which refines skip.
    pub refined: Option<OperationId>,
    // Tests as operations, so that the plans of guards find the arguments for which they are true.
    /// An operation that is enabled where the precondition of the refined operation holds and that of the refining one does not, if
    /// it has one and preconditions are contracts.
    pub refused: Option<OperationId>,
    /// An operation that is enabled where the precondition of the refined operation holds, if it has one and preconditions are
    /// contracts.
    pub callable: Option<OperationId>,
}

/// The parts of such a model.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The name of the refined machine.
    pub refined: String,
    /// The file of the refined machine.
    pub file: FileId,
    /// The same file, if the refined machine refines another one itself.
    pub above: Option<FileId>,
    /// How preconditions are read.
    pub precondition: Precondition,
    /// The places of the refinement's variables in a valuation: behind the constants.
    pub concrete: Range<usize>,
    /// The places of the refined machine's variables: the last ones.
    pub abstracts: Range<usize>,
    /// The operations of the refinement, the first ones of the model, in order.
    pub operations: Vec<Refining>,
    /// INITIALISATION of the refinement, as an operation.
    pub concrete_initialisation: OperationId,
    /// INITIALISATION of the refined machine, as an operation. It may read variables that the first one has set.
    pub abstract_initialisation: OperationId,
    /// Conjuncts of the invariant from this one on are equations for variables of one name.
    pub first_equation: usize,
    /// What the proof obligations assume of the refined machine's state: its invariant, and that there are states of the machines further
    /// up to which it is related. No part of the INVARIANT of the model.
    pub assumed: Vec<Conjunct>,
}

impl Refinement {
    /// The refinement without the variables and operations of the refined machine, for reporting its runs. It is not closed: a guard may
    /// still read variables that are gone.
    #[must_use]
    pub fn alone(&self, model: &Model) -> Model {
        // The own variables and operations are the first ones, so that their ids stay as they are.
        let mut alone = model.clone();
        // Ids are indices, so what is cut off at the end leaves the others valid.
        alone.variables.truncate(self.concrete.len());
        alone.operations.truncate(self.operations.len());
        // Its gluing conjuncts mention variables that this model does not have.
        alone.invariant.clear();
        alone
    }
}
