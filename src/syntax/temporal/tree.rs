//! The tree of a temporal formula, as written.
//!
//! Invariant: every node has the span of its text, without parentheses around it; the operators of both logics are in one type, of which
//! each parser makes only its own. Deliberately elsewhere: what names mean and where fairness may stand (`sema`).

use crate::source::Span;
use crate::syntax::ast::{Expr, Name, Quantifier};

/// The logics in which formulas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// Linear time, with past and fairness.
    Ltl,
    /// Branching time.
    Ctl,
}

impl Logic {
    /// The name that people use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ltl => "LTL",
            Self::Ctl => "CTL",
        }
    }
}

/// A temporal formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporal {
    /// What it is.
    pub kind: TemporalKind,
    /// The place.
    pub span: Span,
}

/// The kinds of temporal formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemporalKind {
    /// `true`, `false`.
    Constant(bool),
    /// `{p}`
    Predicate(Box<Expr>),
    /// `deadlock`, `sink`, ….
    Word(StateWord),
    /// `e(op)`
    Enabled(StepPattern),
    /// `[op]`
    Taken(StepPattern),
    /// `deadlock(o1, …)`, `controller(…)`, `deterministic(…)`.
    Counted(Counting, Vec<StepPattern>),
    /// `unchanged({e})`, ….
    Compared(Trend, Box<Expr>),
    /// `BA({p})`
    BeforeAfter(Box<Expr>),
    /// `not f`, `G f`, ….
    Unary(TemporalUnary, Box<Temporal>),
    /// `f & g`, `f U g`, ….
    Binary(TemporalBinary, Box<Temporal>, Box<Temporal>),
    /// `EX f`, `EX[op] f`, `AG f`, …: the operator is X, F or G.
    Path(Quantifier, TemporalUnary, Option<StepPattern>, Box<Temporal>),
    /// `E f U g`, `A f U g`.
    Until(Quantifier, Box<Temporal>, Box<Temporal>),
    /// `!x.({p} => f)`, `#x.({p} & f)`.
    Quantified {
        /// `!` or `#`.
        quantifier: Quantifier,
        /// The bound name.
        name: Name,
        /// What its values satisfy.
        condition: Box<Expr>,
        /// The formula about them.
        body: Box<Temporal>,
    },
    /// `FAIR => f`
    Fair(Box<Premise>, Box<Temporal>),
    /// A part that could not be parsed; a diagnostic gives the reason.
    Error,
}

/// Words that are propositions by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateWord {
    /// No step is possible.
    Deadlock,
    /// No step leads to another state.
    Sink,
    /// The GOAL of the machine holds.
    Goal,
    /// The state in which an animation is.
    Current,
    /// ProB's `error`: an error was found in the state.
    Error,
    /// ProB's `det_output`.
    DetOutput,
}

impl StateWord {
    /// The word as written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Sink => "sink",
            Self::Goal => "goal",
            Self::Current => "current",
            Self::Error => "error",
            Self::DetOutput => "det_output",
        }
    }
}

/// How many of the listed operations are enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// `deadlock(…)`: none.
    None,
    /// `controller(…)`: exactly one.
    One,
    /// `deterministic(…)`: at most one.
    AtMostOne,
}

/// How a value after a step compares with the value before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the word of the same name")]
pub enum Trend {
    Unchanged,
    Changed,
    Increasing,
    Decreasing,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the word of the same name")]
pub enum TemporalUnary {
    Not,
    Globally,
    Finally,
    Next,
    Historically,
    Once,
    Yesterday,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the word of the same name")]
pub enum TemporalBinary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
    Since,
    Trigger,
}

impl TemporalBinary {
    /// How tightly it binds: `U` and its kin, then `&` and `or` on one level, then `=>`, then `<=>`.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Self::Equivalent => 1,
            Self::Implies => 2,
            Self::And | Self::Or => 3,
            Self::Until | Self::WeakUntil | Self::Release | Self::Since | Self::Trigger => 4,
        }
    }
}

/// Steps of an operation: `op`, `op(e, _)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPattern {
    /// The operation.
    pub operation: Name,
    /// Its arguments, `None` for `_`; nothing at all without parentheses.
    pub arguments: Option<Vec<Option<Expr>>>,
    /// The place.
    pub span: Span,
}

/// A fairness assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// What it is.
    pub kind: PremiseKind,
    /// The place.
    pub span: Span,
}

/// The kinds of fairness assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PremiseKind {
    /// `SF(op)`; else `WF(op)`.
    Of {
        /// SF.
        is_strong: bool,
        /// The steps.
        pattern: StepPattern,
    },
    /// `SEF`; else `WEF`.
    Every {
        /// SEF.
        is_strong: bool,
    },
    /// Both.
    And(Box<Premise>, Box<Premise>),
    /// One of both, which are of one kind.
    Or(Box<Premise>, Box<Premise>),
}
