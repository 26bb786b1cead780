//! Whether the invariant is inductive: whether each step from a state that satisfies it leads to one that satisfies it.
//!
//! All states that satisfy PROPERTIES and the invariant are enumerated, reachable or not, as the answers of a question about the variables;
//! one representative of each orbit is expanded. `examiner` enumerates these states and distributes them among threads, `machine` checks
//! the steps of a machine (those of a refinement: `refine::induction`), `found` holds request and result, `reachability` decides which
//! counterexamples are reachable. Invariant: the symmetries are those of elements that the text cannot name, so a conjunct by itself is
//! true in all states of an orbit or in none, and an operation leads from one state of an orbit to a state without a conjunct exactly if it
//! does so from all. Deliberately elsewhere: how answers are found (`eval`), reachable states (`search`), what is printed (`report`).

pub(crate) mod examiner;
pub(crate) mod found;
mod machine;
pub(super) mod reachability;

pub use found::{Example, Induction, Obligations, PreservationRow, Reachability, Refuted, Undefined, Unmatched};

use super::observer::{Observer, Silent};
use bcheck_eval::{EvalError, FIRST_CHOICES, Machine, Question};
use bcheck_ir::{Model, Scope, invariant_question};
use bcheck_symmetry::Symmetry;
use examiner::examine_all;
use machine::MachineSteps;
use std::sync::Arc;

/// All data needed before states are examined.
#[derive(Clone, Copy, Debug)]
pub struct InductionCheck<'a> {
    /// The machine, and the question of [`within_invariant`] about it.
    pub machine: &'a Machine,
    /// Which states satisfy the invariant.
    pub question: &'a Question,
    /// No symmetry may move an element that the text names.
    pub symmetry: &'a Symmetry,
    /// The obligations.
    pub obligations: &'a Obligations,
    /// Threads; the result does not depend on their number.
    pub workers: usize,
    /// How many values are taken of a choice among too many to be enumerated.
    pub max_choices: u32,
}

/// A machine of this model, and the question which states satisfy its invariant.
#[must_use]
pub fn within_invariant(mut model: Model, scope: Scope) -> (Machine, Question) {
    // First, as the names of the question become names of the model.
    let (names, invariant) = invariant_question(&mut model);
    let machine = Machine::compile(Arc::new(model), scope);
    let question = machine.compile_question(&names, &invariant, None);
    (machine, question)
}

/// Examines whether the invariant is inductive, on one thread. Machine and question are those of [`within_invariant`]; no symmetry may move
/// an element that the text names.
///
/// # Errors
/// When constants or states cannot be enumerated; an interrupt is not an error.
pub fn induction(machine: &Machine, question: &Question, symmetry: &Symmetry, obligations: &Obligations) -> Result<Induction, EvalError> {
    InductionCheck { machine, question, symmetry, obligations, workers: 1, max_choices: FIRST_CHOICES }.run(&mut Silent)
}

impl InductionCheck<'_> {
    /// Examines whether the invariant is inductive.
    ///
    /// # Errors
    /// When constants or states cannot be enumerated; an interrupt is not an error.
    pub fn run(self, observer: &mut dyn Observer) -> Result<Induction, EvalError> {
        examine_all(self, &MachineSteps { machine: self.machine, obligations: self.obligations }, observer)
    }
}
