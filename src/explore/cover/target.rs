//! What is to be covered: the operations of a machine, the branches of its substitutions, disjuncts of guards, conditions of decisions.
//!
//! Invariant: a target is one occurrence in the typed text, so an operation that is called twice has each of its branches twice.
//! Deliberately elsewhere: how runs show that they cover a target (`instrument`), and its words (`report`).

use bcheck_ir::OperationId;
use bcheck_source::Span;

/// Something that some run should do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The operation that contains it; `None` for the initialisation.
    pub operation: Option<OperationId>,
    /// Its kind.
    pub kind: TargetKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// The operation has a step.
    Operation,
    /// The branch is taken.
    Branch(BranchKind),
    /// A guard lets a step pass while this disjunct of it is true.
    Disjunct,
    /// The condition has this value and decides with it: with the other one, all others as they are, the predicate would have the other
    /// value, too.
    Condition(bool),
}

/// The branch and its substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// After IF.
    If,
    /// After ELSIF.
    ElsIf,
    /// After the ELSE of an IF.
    Else,
    /// Past an IF without ELSE.
    PastIf,
    /// After EITHER.
    Either,
    /// After OR of a CASE.
    Or,
    /// After the ELSE of a CASE.
    CaseElse,
    /// Past a CASE without ELSE.
    PastCase,
    /// After SELECT.
    Select,
    /// After WHEN.
    When,
    /// After the ELSE of a SELECT.
    SelectElse,
    /// An alternative of CHOICE, from 0.
    Choice(usize),
    /// After ANY.
    Any,
    /// An iteration of WHILE.
    While,
}
