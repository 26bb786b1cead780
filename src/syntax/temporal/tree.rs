//! What temporal formulas are made of, as written: propositions and prefixes of the common tree (`source::temporal`).
//!
//! Invariant: every node has the span of its text, without parentheses around it; a path quantifier and the operator behind it have one
//! span. Both logics have one type, of which each parser makes only its own operators. Deliberately elsewhere: what names mean and where
//! fairness may stand (`sema`).

use crate::ast::{Expr, Name, Quantifier};
use bcheck_source::Span;
pub use bcheck_source::{Logic, TemporalBinary, TemporalUnary};

/// A temporal formula.
pub type Temporal = bcheck_source::Temporal<Proposition, Prefix, Span>;

/// The kinds of temporal formulas.
pub type TemporalKind = bcheck_source::TemporalKind<Proposition, Prefix, Span>;

/// A part of a formula that is no constant and has no operator outermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
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
    /// `globally absence(f)`, …: with formulas inside.
    Pattern(Box<PropertyPattern>),
    /// A part that could not be parsed; a diagnostic has the reason.
    Error,
}

/// What stands in front of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// `E`, `A`, around X, F, G or U, and the steps of `EX[op]`.
    Path(Quantifier, Option<StepPattern>),
    /// `!x.({p} => f)`, `#x.({p} & f)`.
    Quantified {
        /// `!` or `#`.
        quantifier: Quantifier,
        /// The bound name.
        name: Name,
        /// The condition on its values.
        condition: Box<Expr>,
    },
    /// `FAIR => f`
    Fair(Premise),
}

/// The formulas that the outermost operator is applied to, in the order of the text. A path quantifier and what it stands around, such as
/// `AG` and `E … U`, are one operator.
#[must_use]
pub fn operands(formula: &Temporal) -> Vec<&Temporal> {
    match &formula.kind {
        TemporalKind::Proposition(Proposition::Pattern(pattern)) => pattern.formulas(),
        TemporalKind::Prefixed(Prefix::Path(..), path) => path.parts().collect(),
        _ => formula.parts().collect(),
    }
}

/// Words that are propositions by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateWord {
    /// No step is possible.
    Deadlock,
    /// No step leaves the state.
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

/// A property pattern: what happens on a part of each path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyPattern {
    /// The part of the path.
    pub scope: PatternScope,
    /// The requirement there.
    pub kind: PatternKind,
}

impl PropertyPattern {
    /// The formulas in it, in the order of the text.
    #[must_use]
    pub fn formulas(&self) -> Vec<&Temporal> {
        let mut formulas: Vec<&Temporal> = match &self.scope {
            PatternScope::Globally => Vec::new(),
            PatternScope::Before(bound) | PatternScope::After(bound) => vec![bound],
            PatternScope::Between(bounds) | PatternScope::AfterUntil(bounds) => bounds.iter().collect(),
        };
        match &self.kind {
            PatternKind::Absence(p) | PatternKind::Universality(p) | PatternKind::Existence(p) | PatternKind::BoundedExistence(p, _) => {
                formulas.push(p);
            }
            PatternKind::Precedence(sides) | PatternKind::Response(sides) => formulas.extend(sides.iter()),
            PatternKind::ChainPrecedes(sides)
            | PatternKind::PrecedesChain(sides)
            | PatternKind::ChainResponds(sides)
            | PatternKind::RespondsToChain(sides) => formulas.extend(sides.iter()),
            PatternKind::ConstrainedChainResponds(sides) => formulas.extend(sides.iter()),
        }
        formulas
    }
}

/// The part of a path that a property pattern is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternScope {
    /// `globally`: all of it.
    Globally,
    /// `before(r)`: before the first r, if there is one.
    Before(Box<Temporal>),
    /// `after(q)`: from the first q on.
    After(Box<Temporal>),
    /// `between(q, r)`: from each q to before the next r, if there is one.
    Between(Box<[Temporal; 2]>),
    /// `after_until(q, r)`: from each q to before the next r, or to the end.
    AfterUntil(Box<[Temporal; 2]>),
}

/// Requirements in a scope; formulas are in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// `absence(p)`: p never holds.
    Absence(Box<Temporal>),
    /// `universality(p)`: p holds throughout.
    Universality(Box<Temporal>),
    /// `existence(p)`: p holds at some time.
    Existence(Box<Temporal>),
    /// `existence(p, at_most 2)`: p becomes true at most so often.
    BoundedExistence(Box<Temporal>, u8),
    /// `precedence(s, p)`: no p before the first s.
    Precedence(Box<[Temporal; 2]>),
    /// `precedence(s then t, p)`: no p before the first s that a t follows; that t may come with p.
    ChainPrecedes(Box<[Temporal; 3]>),
    /// `precedence(p, s then t)`: no s that a t follows before the first p.
    PrecedesChain(Box<[Temporal; 3]>),
    /// `response(s, p)`: each p is followed by an s, or comes with one.
    Response(Box<[Temporal; 2]>),
    /// `response(s then t, p)`: each p is followed by an s with a later t.
    ChainResponds(Box<[Temporal; 3]>),
    /// `response(s then t without z, p)`: the same, with no z from that s to before that t.
    ConstrainedChainResponds(Box<[Temporal; 4]>),
    /// `response(p, s then t)`: each s with a later t is followed by a p, which comes with the first such t or later.
    RespondsToChain(Box<[Temporal; 3]>),
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
    /// Its kind.
    pub kind: PremiseKind,
    /// The place.
    pub span: Span,
}

/// The kinds of fairness assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PremiseKind {
    /// `SF(op)`; otherwise `WF(op)`.
    Of {
        /// SF.
        is_strong: bool,
        /// The steps.
        pattern: StepPattern,
    },
    /// `SEF`; otherwise `WEF`.
    Every {
        /// SEF.
        is_strong: bool,
    },
    /// Both.
    And(Box<Premise>, Box<Premise>),
    /// One of both, which are of one kind.
    Or(Box<Premise>, Box<Premise>),
}
