//! A failed obligation: something that the refinement does and the refined machine does not allow.
//!
//! Invariant: plain data in concrete names, for reports; it is made from a configuration that was reached without reduction.

use bcheck_ir::OperationId;
use bcheck_value::{Valuation, Value};

/// An obligation of a refinement towards the refined machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// Each of its initial states is related to one of the refined machine.
    Initialisation,
    /// Each step of an operation is matched by one with the same arguments and results.
    Operation,
    /// A step of an operation that the refined machine does not have, or that is hidden, is matched by doing nothing.
    Internal,
    /// An operation can be called where the refined one can.
    Precondition,
    /// It refuses no more calls than the refined machine may refuse.
    Refusal,
    /// No infinite run of internal steps.
    Divergence,
}

impl Obligation {
    /// The word that reports print.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initialisation => "initialisation",
            Self::Operation => "operation",
            Self::Internal => "internal",
            Self::Precondition => "precondition",
            Self::Refusal => "refusal",
            Self::Divergence => "divergence",
        }
    }
}

/// A failed obligation.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The obligation that fails.
    pub obligation: Obligation,
    /// The operation of the refinement; `None` for the initialisation.
    pub operation: Option<OperationId>,
    /// The arguments of the operation.
    pub arguments: Vec<Value>,
    /// The results of the operation.
    pub results: Vec<Option<Value>>,
    /// The state of the refinement afterwards, constants included; `None` where an operation refuses a call.
    pub next: Option<Valuation>,
    /// The states that the refined machine could be in, each with a reason why it does not follow.
    pub tried: Vec<Tried>,
}

impl Mismatch {
    /// Its place among others at the end of runs of one length: by operation, then by obligation.
    pub(crate) fn rank(&self) -> usize {
        // Decides which of several faults of one configuration is reported, regardless of the order in which they were found.
        // Lexicographic, as there are fewer than eight obligations; faults without an operation come first.
        let operation = self.operation.map_or(0, |operation| operation.index() + 1);
        8 * operation + self.obligation as usize
    }
}

/// A step of the abstract machine that was tried as a match, and why it fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The values of the abstract variables before it; none for the initialisation.
    pub before: Option<Vec<Value>>,
    /// Why it does not match.
    pub reason: Reason,
}

/// Why a state of the refined machine does not follow.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The operation has no step with these arguments.
    Disabled,
    /// It has, but with other results only: these.
    OtherResults(Vec<Vec<Option<Value>>>),
    /// It may go to these values, but this conjunct of the gluing invariant is false then.
    Unrelated(Vec<Value>, usize),
    /// The call is allowed here.
    Allows,
    /// It accepts this call, which the refinement refuses.
    Offers(OperationId, Vec<Value>),
    /// This number of steps at the end of the run can be repeated forever.
    Repeats(usize),
    /// The refined machine has no initial state.
    NoInitialState,
}
