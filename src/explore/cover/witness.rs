//! The result of a search for targets.
//!
//! Invariant: for each target the first witness is stored. Deliberately elsewhere: the search (`search`), runs that end in witnesses
//! (`choice`).

use crate::LimitHit;
use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::number::{SetUpNumber, StateNumber};
use crate::plain::PlainFamily;
use bcheck_eval::EvalError;
use bcheck_ir::OperationId;
use bcheck_value::Valuation;

/// Where a target is covered first.
#[derive(Clone, Debug)]
pub(super) enum Witness {
    /// By the initialisation of this state.
    Beginning { set_up: SetUpNumber, state: Valuation },
    /// By a step of this operation from the representative with this number.
    Step { from: StateNumber, operation: OperationId },
    /// By a guard that is false in the representative with this number, for some parameters.
    Refusal { at: StateNumber },
}

/// The targets that were seen to be covered.
pub(super) struct Witnesses {
    /// By target: the number of steps of operations that it takes, and where it is covered then.
    pub(super) witnesses: Vec<Option<(u64, Witness)>>,
    /// The limit that ended the search before all reachable states were expanded.
    pub(super) limit: Option<LimitHit>,
}

/// The states of a search, with what they cover.
pub(super) struct FoundWitnesses<'a> {
    pub(super) family: PlainFamily,
    pub(super) reduction: Reduction<'a>,
    pub(super) set_ups: Vec<SetUp>,
    pub(super) seen: Witnesses,
    pub(super) is_initialised: bool,
    /// Why the guards of some operations could not be observed where they are false.
    pub(super) obstacles: Vec<(OperationId, EvalError)>,
    /// The first call whose body was ill-defined, which is not a step.
    pub(super) ill_defined: Option<(OperationId, EvalError)>,
}

impl Witnesses {
    pub(super) fn new(targets: usize) -> Self {
        Self { witnesses: vec![None; targets], limit: None }
    }

    pub(super) fn note(&mut self, covered: Vec<usize>, steps: u64, witness: impl Fn() -> Witness) {
        for target in covered {
            self.witnesses[target].get_or_insert_with(|| (steps, witness()));
        }
    }

    pub(super) fn has_all(&self, wanted: &[bool]) -> bool {
        self.witnesses.iter().zip(wanted).all(|(witness, is_wanted)| witness.is_some() || !is_wanted)
    }
}
