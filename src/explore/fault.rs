//! Faults: the part of a machine that a finding is about, times the kind of fault; everything that differs between parts, in one table.
//!
//! Invariant: the name of a part, its verdict and its place among several findings come from its row here, so that search, reports and exit
//! codes agree. Deliberately elsewhere: when and how a part is evaluated (`property`), exit codes of verdicts (`outcome`), sentences with
//! values of the machine (`report::finding`).

use super::Verdict;
use super::refine::mismatch::Mismatch;
use bcheck_eval::{Contradiction, EvalError};
use bcheck_ir::{Model, OperationId, Pred};
use bcheck_source::Span;
use bcheck_value::Value;

/// The subject of a finding. A goal that is reached is also one.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The faulty part.
    pub part: FaultyPart,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The possible faulty parts.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultyPart {
    /// PROPERTIES, with CONSTRAINTS.
    Properties,
    /// An assertion about constants only.
    StaticAssertion(usize),
    /// The initialisation; violated if it has no state.
    Initialisation,
    /// The goal; violated if it is reached.
    Goal,
    /// A conjunct of the invariant.
    Invariant(usize),
    /// An assertion about states.
    Assertion(usize),
    /// The guard of an operation; a false guard is not a fault.
    Guard(OperationId),
    /// The body of an operation with these arguments.
    Body(OperationId, Vec<Value>),
    /// That some operation is enabled.
    DeadlockFreedom,
    /// An obligation of a refinement: something that it does and the refined machine does not allow.
    Obligation(Box<Mismatch>),
    /// A temporal formula, by its number in the model; ill-defined if one of its propositions is, in a reachable state.
    Temporal(usize),
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// It does not hold.
    Violated,
    /// It holds for no valuation, as these conjuncts contradict each other.
    Unsatisfiable(Contradiction),
    /// It has no value.
    IllDefined(EvalError),
}

/// The properties of a part that do not depend on its number or operation.
#[derive(Clone, Copy, Debug)]
pub struct PartRow {
    /// The verdict where it is violated.
    verdict: Verdict,
    /// Its place among the findings at the end of runs of one length, and of one state: where it is violated, and where it is ill-defined.
    /// Checkpoints store these numbers.
    order: [u8; 2],
    /// Its name in a message that it has no value, as in "in the invariant".
    pub name: &'static str,
    /// A word for programs where it is violated.
    pub word: &'static str,
    /// A sentence without a full stop where it is violated.
    pub sentence: &'static str,
}

impl PartRow {
    /// That it is violated, in few words.
    #[must_use]
    pub fn short(&self) -> String {
        match self.verdict {
            Verdict::Deadlock | Verdict::GoalFound => self.word.to_owned(),
            _ => format!("{} violated", self.word),
        }
    }
}

/// From this place on, findings are made when a state is expanded, from 2 to it when one is examined, below before there is a state: a
/// search resumed from a checkpoint looks for its finding there.
pub(crate) const MET_IN_EXPANSION: u8 = 8;

impl FaultyPart {
    /// Its row of the table.
    #[must_use]
    pub fn row(&self) -> PartRow {
        use Verdict as V;
        let row = |verdict, order, name, word, sentence| PartRow { verdict, order, name, word, sentence };
        match self {
            Self::Properties => row(V::UnsatisfiableProperties, [0, 0], "PROPERTIES", "properties", "PROPERTIES have no solution"),
            Self::StaticAssertion(_) => {
                let sentence = "an assertion about the constants is false";
                row(V::UnsatisfiableProperties, [0, 7], "an assertion", "static_assertion", sentence)
            }
            Self::Initialisation => {
                row(V::NoInitialState, [1, 1], "the initialisation", "initialisation", "the initialisation gives no state")
            }
            Self::Goal => row(V::GoalFound, [2, 5], "the goal", "goal", "the goal is reached"),
            Self::Invariant(_) => row(V::InvariantViolation, [3, 6], "the invariant", "invariant", "the invariant is violated"),
            Self::Assertion(_) => row(V::AssertionViolation, [4, 7], "an assertion", "assertion", "an assertion is false"),
            // These two are never violated: a guard that is false disables.
            Self::Guard(_) => row(V::IllDefined, [8, 8], "the guard of operation", "ill_defined", "the guard has no value"),
            Self::Body(..) => row(V::IllDefined, [8, 8], "operation", "ill_defined", "the operation has no value"),
            Self::DeadlockFreedom => row(V::Deadlock, [9, 9], "deadlock freedom", "deadlock", "a reachable state enables no operation"),
            Self::Obligation(_) => row(V::RefinementViolation, [10, 10], "the refinement", "refinement", "an obligation does not hold"),
            // Judged when the search of states has ended.
            Self::Temporal(_) => row(V::TemporalViolation, [11, 11], "a temporal formula", "temporal", "the formula does not hold"),
        }
    }

    /// Order of parts with one row: by the conjunct, assertion or operation.
    fn index(&self) -> usize {
        match self {
            Self::Invariant(index) | Self::Assertion(index) | Self::StaticAssertion(index) | Self::Temporal(index) => *index,
            // The guard of an operation is evaluated before its body.
            Self::Guard(operation) => 2 * operation.index(),
            Self::Body(operation, _) => 2 * operation.index() + 1,
            Self::Obligation(mismatch) => mismatch.rank(),
            Self::Properties | Self::Initialisation | Self::Goal | Self::DeadlockFreedom => 0,
        }
    }

    /// Which conjunct of the invariant, which assertion or temporal formula it is, from 1.
    #[must_use]
    pub fn number(&self) -> Option<usize> {
        let is_one_of_many = matches!(self, Self::Invariant(_) | Self::Assertion(_) | Self::StaticAssertion(_) | Self::Temporal(_));
        is_one_of_many.then(|| self.index() + 1)
    }

    /// Its predicate; none for a part that is not a predicate, or has a number beyond the list (of another model).
    #[must_use]
    pub fn pred<'m>(&self, model: &'m Model) -> Option<&'m Pred> {
        match self {
            Self::Invariant(index) => model.invariant.get(*index).map(|conjunct| &conjunct.pred),
            Self::Assertion(index) | Self::StaticAssertion(index) => model.assertions.get(*index).map(|assertion| &assertion.pred),
            Self::Goal => model.goal.as_ref(),
            _ => None,
        }
    }

    /// Its label, or its name.
    #[must_use]
    pub fn label<'m>(&self, model: &'m Model) -> Option<&'m str> {
        match self {
            Self::Invariant(index) => model.invariant.get(*index)?.label.as_deref(),
            Self::Assertion(index) | Self::StaticAssertion(index) => model.assertions.get(*index)?.label.as_deref(),
            Self::Temporal(index) => model.temporal.get(*index).map(|stated| stated.name.as_str()),
            _ => None,
        }
    }

    /// Its place in the text, if it has one as a whole.
    #[must_use]
    pub fn span(&self, model: &Model) -> Option<Span> {
        match self {
            Self::Initialisation => Some(model.initialisation.span),
            Self::Temporal(index) => model.temporal.get(*index).map(|stated| stated.span),
            _ => self.pred(model).map(|pred| pred.span),
        }
    }
}

impl Fault {
    /// A part that does not hold.
    #[must_use]
    pub fn violated(part: FaultyPart) -> Self {
        Self { part, kind: FaultKind::Violated }
    }

    /// A part without a value.
    #[must_use]
    pub fn ill_defined(part: FaultyPart, error: EvalError) -> Self {
        Self { part, kind: FaultKind::IllDefined(error) }
    }

    /// A refinement that fails an obligation.
    pub(crate) fn mismatch(mismatch: Mismatch) -> Self {
        Self::violated(FaultyPart::Obligation(Box::new(mismatch)))
    }

    /// Whether its part has no value.
    #[must_use]
    pub fn is_ill_defined(&self) -> bool {
        matches!(self.kind, FaultKind::IllDefined(_))
    }

    /// Its verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.is_ill_defined() { Verdict::IllDefined } else { self.part.row().verdict }
    }

    /// Order of faults of different kinds at the end of runs of one length, and of several in one state.
    pub(crate) fn order(&self) -> u8 {
        self.part.row().order[usize::from(self.is_ill_defined())]
    }

    /// Order of faults at the end of runs of one length: by kind, then by conjunct, assertion or operation.
    pub(crate) fn rank(&self) -> (u8, usize) {
        (self.order(), self.part.index())
    }

    /// Whether it is found when a state is examined, neither before there is one nor when it is expanded.
    pub(crate) fn is_met_in_examination(&self) -> bool {
        (2..MET_IN_EXPANSION).contains(&self.order())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_eval::EvalErrorKind;

    #[test]
    fn orders_and_verdicts_of_faults_are_those_that_checkpoints_and_programs_know() {
        let error = || EvalError { kind: EvalErrorKind::TooLarge, span: Span::nowhere() };
        let none = || Fault { part: FaultyPart::Properties, kind: FaultKind::Unsatisfiable(Contradiction::default()) };
        let (violated, ill_defined) = (Fault::violated, |part| Fault::ill_defined(part, error()));
        let faults = [
            (none(), (0, 0), Verdict::UnsatisfiableProperties),
            (violated(FaultyPart::StaticAssertion(2)), (0, 2), Verdict::UnsatisfiableProperties),
            (violated(FaultyPart::Initialisation), (1, 0), Verdict::NoInitialState),
            (violated(FaultyPart::Goal), (2, 0), Verdict::GoalFound),
            (violated(FaultyPart::Invariant(1)), (3, 1), Verdict::InvariantViolation),
            (violated(FaultyPart::Assertion(2)), (4, 2), Verdict::AssertionViolation),
            (ill_defined(FaultyPart::Goal), (5, 0), Verdict::IllDefined),
            (ill_defined(FaultyPart::Invariant(1)), (6, 1), Verdict::IllDefined),
            (ill_defined(FaultyPart::Assertion(2)), (7, 2), Verdict::IllDefined),
            (ill_defined(FaultyPart::StaticAssertion(2)), (7, 2), Verdict::IllDefined),
            (ill_defined(FaultyPart::Guard(OperationId(1))), (8, 2), Verdict::IllDefined),
            (ill_defined(FaultyPart::Body(OperationId(1), Vec::new())), (8, 3), Verdict::IllDefined),
            (violated(FaultyPart::DeadlockFreedom), (9, 0), Verdict::Deadlock),
            (violated(FaultyPart::Temporal(1)), (11, 1), Verdict::TemporalViolation),
        ];
        for (fault, rank, verdict) in faults {
            assert_eq!((fault.rank(), fault.verdict()), (rank, verdict), "{fault:?}");
        }
    }
}
