//! Temporal formulas of the core language: typed propositions, with temporal operators around them.
//!
//! Invariant: a proposition is a maximal part without temporal operators that is a single predicate, pattern or word of the text;
//! predicates in it carry ids like those of any clause. Fairness stands outermost, below quantifiers only. Deliberately elsewhere: their
//! tree (`source::temporal`), texts (`syntax::temporal`), what they mean on paths (`temporal`), how propositions get numbers
//! (`explore::temporal`).

use super::{Expr, LocalId, OperationId, Pred, Type};
use bcheck_source::Span;
pub use bcheck_source::{Logic, TemporalBinary, TemporalUnary};

/// A formula that is checked, as the user named it.
#[derive(Clone, Debug, PartialEq)]
pub struct TemporalFormula {
    /// The name of its definition, or the option that gave it.
    pub name: String,
    /// Its text, as in the source.
    pub text: String,
    /// The place of that text.
    pub span: Span,
    /// For each escape of the enclosing string, in order: its end in the file, and the bytes by which all escapes so far are longer in the
    /// file than in the text.
    pub escapes: Vec<(u32, u32)>,
    /// Its logic.
    pub logic: Logic,
    /// What must hold: on all fair paths from the initial states, or, in branching time, in the initial states.
    pub body: Temporal,
}

impl TemporalFormula {
    /// The part of the text at a place inside of it; nothing elsewhere.
    #[must_use]
    pub fn part(&self, span: Span) -> Option<&str> {
        // A part that came from a definition lies before this text, behind it or in another file, and is then no part of it.
        let from = |offset: u32| {
            // Escapes end in order, so the last one that is passed has the sum of all.
            let passed = self.escapes.partition_point(|(end, _)| *end <= offset);
            let surplus = passed.checked_sub(1).map_or(0, |last| self.escapes[last].1);
            offset.checked_sub(self.span.start + surplus).map(|offset| offset as usize)
        };
        let (start, end) = from(span.start).filter(|_| span.file == self.span.file).zip(from(span.end))?;
        self.text.get(start..end).filter(|text| !text.is_empty())
    }
}

/// A formula or a part of one, with its place in the text.
pub type Temporal = bcheck_source::Temporal<TemporalProposition, Prefix, Span>;

/// The kinds of formulas.
pub type TemporalKind = bcheck_source::TemporalKind<TemporalProposition, Prefix, Span>;

/// A proposition about a state or a step.
#[derive(Clone, Debug, PartialEq)]
pub enum TemporalProposition {
    /// Of the state.
    State(StateProposition),
    /// Of the step that is taken next.
    Step(StepProposition),
}

/// The prefix of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Prefix {
    /// E, A: in branching time, around X, F, G or U.
    Path {
        /// E; otherwise A.
        is_existential: bool,
        /// `EX[op]`: the steps meant.
        step: Option<Pattern>,
    },
    /// `!x.({p} => f)`, `#x.({p} & f)`.
    Quantified {
        /// For all; otherwise for some.
        is_universal: bool,
        /// The bound name.
        local: LocalId,
        /// Its type.
        ty: Type,
        /// The condition on its values.
        condition: Pred,
    },
    /// `FAIR => f`: of the paths that are fair. Outermost, below quantifiers only.
    Fair(Vec<FairnessKind>),
}

/// A fairness assumption; those of a formula are in conjunction.
#[derive(Clone, Debug, PartialEq)]
pub enum FairnessKind {
    /// WF or SF of operations.
    Of {
        /// SF; otherwise WF.
        is_strong: bool,
        // A disjunction, as one judgement is about a conjunction of assumptions: a formula is judged once for each alternative.
        /// At least one of these lists, with each of its patterns: a disjunctive normal form.
        alternatives: Vec<Vec<Pattern>>,
    },
    /// WEF or SEF: of every operation with every tuple of arguments.
    Every {
        /// SEF; otherwise WEF.
        is_strong: bool,
        /// Its place.
        span: Span,
    },
}

/// A proposition of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateProposition {
    /// `{pred}`, `goal`.
    Holds(Pred),
    /// `e(op)`: such a step is possible.
    Enabled(Pattern),
    /// `deadlock`: no step is possible.
    Deadlock,
    /// `sink`: no step leaves the state.
    Sink,
    /// `deadlock(o1, …)`: none of these is enabled.
    NoneEnabled(Vec<Pattern>),
    /// `controller(o1, …)`: exactly one of these is enabled.
    OneEnabled(Vec<Pattern>),
    /// `deterministic(o1, …)`: at most one of these is enabled.
    AtMostOneEnabled(Vec<Pattern>),
    /// `current`: the state in which an animation is.
    Current,
}

/// A proposition of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepProposition {
    /// `[op(…)]`: it is a step of the pattern.
    Taken(Pattern),
    /// `unchanged({e})`, `changed({e})`, `increasing({e})`, `decreasing({e})`: how the value after compares with the one before.
    Compared(Comparing, Expr),
    /// `BA({p})`: about the state after, with `x$0` ([`super::ExprKind::OldVariable`]) for values before.
    BeforeAfter(Pred),
}

/// How a value after a step compares with the value before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparing {
    /// Equal.
    Unchanged,
    /// Different.
    Changed,
    /// Greater.
    Increasing,
    /// Less.
    Decreasing,
}

/// Steps of an operation: all, or those with some arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The operation.
    pub operation: OperationId,
    /// By parameter: the value, in the state before the step; `None` for `_`. Without parentheses in the text all are `None`.
    pub arguments: Vec<Option<Expr>>,
    /// Its place.
    pub span: Span,
}
