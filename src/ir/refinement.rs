//! A refinement and the machine that it refines as one model, so that both are run in one valuation.
//!
//! The refined machine may refine another one, and so on: the chain up to its MACHINE is a part of the model, as preconditions and
//! invariants of each machine count for all below. The variables are those of the refinement, then those of the refined machine, then
//! those of the next one up; so are the operations, and then come some for the check alone. Constants and sets are shared. An operation
//! of one machine writes no variables of another.
//! Invariant: the INVARIANT of the model is that of the refinement, with its gluing conjuncts about the refined machine, and equations for
//! variables that both have under one name. Deliberately elsewhere: how the model is made (`sema`), the check (`explore`).

use super::{Conjunct, Expr, ExprKind, Model, Node, OperationId, Pred, PredKind, Subst, SubstKind, VariableId, walk_pred};
use bcheck_source::{FileId, vocabulary};
use std::ops::Range;

/// How a precondition is read in a refinement check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// A contract with the caller: where the precondition of the refined operation holds, that of the refining one must hold as well.
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
    /// The operation of the refined machine; `None` for an operation that is new or hidden, which refines skip.
    pub refined: Option<OperationId>,
    // Tests as operations, so that the plans of guards find the arguments for which they are true.
    /// An operation that is enabled where the precondition of the refined operation holds and that of the refining one does not. `None`
    /// without a precondition, or if preconditions are guards.
    pub refused: Option<OperationId>,
    /// An operation that is enabled where the precondition of the refined operation holds. `None` without a precondition, or if
    /// preconditions are guards.
    pub callable: Option<OperationId>,
}

/// The parts of such a model.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The name of the refined machine.
    pub refined: String,
    /// The file of the refined machine.
    pub file: FileId,
    /// Likewise, if the refined machine refines another one itself.
    pub above: Option<FileId>,
    /// How preconditions are read.
    pub precondition: Precondition,
    /// The places of the refinement's variables in a valuation: behind the constants.
    pub concrete: Range<usize>,
    /// The places of the variables of all refined machines: the last ones.
    pub abstracts: Range<usize>,
    /// The machines of the chain above the refinement: the refined machine first, the MACHINE last.
    pub levels: Vec<RefinedMachine>,
    /// The operations of the refinement, the first ones of the model, in order.
    pub operations: Vec<Refining>,
    /// INITIALISATION of the refinement, as an operation.
    pub concrete_initialisation: OperationId,
    /// Conjuncts of the invariant from this one on are equations for variables of one name.
    pub first_equation: usize,
    /// The assumptions of the proof obligations about states of refined machines: their invariants, which relate them to each other. Not
    /// part of the INVARIANT of the model.
    pub assumed: Vec<Conjunct>,
}

/// A machine of the chain above a refinement.
#[derive(Clone, Debug)]
pub struct RefinedMachine {
    /// Its name.
    pub name: String,
    /// The places of its variables, and of those of its parts, in a valuation.
    pub variables: Range<usize>,
    /// INITIALISATION, as an operation. It may read variables further down.
    pub initialisation: OperationId,
    /// Its operations, in order: the first one, and for each one that of the next machine up which it refines.
    pub first_operation: OperationId,
    /// `None` where it refines skip. Empty for the last machine.
    pub refines: Vec<Option<OperationId>>,
    /// An operation that is enabled in joint states of the machines below and this one that are possible: those that satisfy their
    /// invariants, as far as these mention no machine further up. `None` where there are no such invariants.
    pub related: Option<OperationId>,
}

impl Model {
    /// Removes the states of the machines that it refines from the model of a refinement by itself, and whatever depends on them: their
    /// preconditions and the gluing invariant.
    pub fn forget_refined(&mut self) {
        if std::mem::take(&mut self.within).is_empty() {
            return;
        }
        self.variables.pop();
        self.callable = None;
        let states = VariableId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.invariant.retain(|conjunct| !mentions(&conjunct.pred, states));
        forget(&mut self.initialisation, states);
        self.operations.values_mut().for_each(|operation| forget(&mut operation.body, states));
    }
}

/// Removes the uses of the variable: it occurs in guards at the top and where it is changed, below the substitutions that may enclose
/// these.
fn forget(subst: &mut Subst, states: VariableId) {
    match &mut subst.kind {
        SubstKind::Pre { pred, body, .. } => {
            if let PredKind::And(parts) = &mut pred.kind {
                parts.retain(|part| !mentions(part, states));
            } else if mentions(pred, states) {
                pred.kind = PredKind::True;
            }
            forget(body, states);
        }
        SubstKind::Any(_, _, body) | SubstKind::Let(_, body) => forget(body, states),
        SubstKind::Select(branches, _) => branches.iter_mut().for_each(|(_, body)| forget(body, states)),
        SubstKind::Sequence(parts) => parts.iter_mut().for_each(|part| forget(part, states)),
        SubstKind::Follow(_) => subst.kind = SubstKind::Skip,
        _ => {}
    }
}

fn mentions(pred: &Pred, variable: VariableId) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| {
        found |= matches!(node, Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) if *id == variable);
    });
    found
}

impl RefinedMachine {
    /// The operation of the next machine up during an operation of this one; `None` for skip.
    #[must_use]
    pub fn refined(&self, operation: OperationId) -> Option<OperationId> {
        let index = operation.0.checked_sub(self.first_operation.0)?;
        self.refines.get(index as usize).copied().flatten()
    }
}

impl Refinement {
    /// The ids of the operations of a refined machine of the chain, by its number above the refined machine.
    #[must_use]
    pub fn operations_of(&self, level: usize) -> Range<u32> {
        let start = |level: usize| self.levels.get(level).map_or(self.concrete_initialisation, |machine| machine.first_operation).0;
        start(level)..start(level + 1)
    }

    /// The refinement without the variables and operations of the refined machine, for reporting its runs. It is not closed: a guard may
    /// still read removed variables.
    #[must_use]
    pub fn alone(&self, model: &Model) -> Model {
        // The refinement's own variables and operations come first, so that their ids stay valid.
        let mut alone = model.clone();
        // Ids are indices, so removing the last ones leaves the others valid.
        alone.variables.truncate(self.concrete.len());
        alone.operations.truncate(self.operations.len());
        // Its gluing conjuncts mention variables that this model does not have.
        alone.invariant.clear();
        alone
    }
}
