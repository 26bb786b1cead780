//! Formulas as the solver's input: parts that do not depend on the names to be solved are ordinary plans.
//!
//! Invariant: while a formula is encoded, names of quantifiers and comprehensions have values; the names to be solved, and names that LET
//! binds to something that depends on them, have none.

use super::{ExprPlan, Fold, Pattern, PredPlan, Search, Slot};
use crate::thresholds::LONG_SUM;
use bcheck_ir::{BinaryOp, Comparison, UnaryOp};
use bcheck_source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) kind: TermKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum TermKind {
    /// Depends on no name to be solved.
    Known(ExprPlan),
    /// A name to be solved, or a name whose definition depends on such names.
    Slot(Slot),
    Unary(UnaryOp, Box<Term>),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    SetExtension(Vec<Term>),
    Field(Box<Term>, Arc<str>),
    BoolOf(Box<Formula>),
    If(Box<Formula>, Box<Term>, Box<Term>),
    Let(LetBindings, Box<Term>),
    /// A comprehension or lambda: the element of each binding.
    Collect(Bindings, Box<Term>),
    /// UNION, INTER, SIGMA, PI.
    Fold(Fold, Bindings, Box<Term>),
}

/// The names of LET with their values, in order.
pub(crate) type LetBindings = Vec<(Slot, Binding)>;

/// The value that LET binds a name to.
#[derive(Debug)]
pub(crate) enum Binding {
    Known(ExprPlan),
    /// Depends on names to be solved.
    Open(Term),
}

/// The bindings of a quantifier, comprehension or fold: generators of its names, and the other conditions on them.
#[derive(Debug)]
pub(crate) struct Bindings {
    /// Patterns, each matched with every element that a set to be solved may have.
    pub(crate) elements: Vec<(Pattern, Term)>,
    /// The conditions without names to be solved, as a search for the names that `elements` does not bind.
    pub(crate) known: Search,
    /// The names that `known` binds.
    pub(crate) slots: Vec<Slot>,
    /// The other conditions.
    pub(crate) conditions: Vec<Formula>,
}

#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) kind: FormulaKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum FormulaKind {
    Known(PredPlan),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Compare(Comparison, Term, Term),
    Forall(Bindings, Box<Formula>),
    Exists(Bindings),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    Let(LetBindings, Box<Formula>),
    Partition(Term, Vec<Term>),
}

/// A set that contains all values of a name to be solved, or bounds them otherwise.
#[derive(Debug)]
pub(crate) enum Bound {
    /// An element of this set.
    Member(Term),
    /// A subset of this set.
    Subset(Term),
    /// An integer not below any of the first and not above any of the second.
    Range(Vec<ExprPlan>, Vec<ExprPlan>),
    /// The values of its type; of a set, the possible elements.
    Type(Term),
}

/// A name to be solved.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub(crate) slot: Slot,
    pub(crate) is_set: bool,
    /// From how many values on it is solved by its bounds, not value by value: an integer that is compared as a number, or a function of
    /// which only the images are used.
    pub(crate) unlisted_from: Option<u64>,
    pub(crate) bounds: Vec<Bound>,
}

/// Names to be solved together, with the formulas about them.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) unknowns: Vec<Unknown>,
    /// Names determined by an equation, in an order in which each depends only on those before it.
    pub(crate) definitions: Vec<(Slot, Term)>,
    pub(crate) formulas: Vec<Formula>,
    /// Which of them are the equations of `definitions`: they are true wherever they are defined, so one that cannot be written out may be
    /// left out.
    pub(crate) equations: BTreeSet<usize>,
    /// Whether no conjunct about the names was left out.
    pub(crate) is_whole: bool,
    pub(crate) span: Span,
}

impl Term {
    /// How many summands a term has that are to be solved, as far as its form shows; SIGMA counts as a long sum.
    pub(crate) fn summands(&self) -> usize {
        match &self.kind {
            TermKind::Known(_) => 0,
            TermKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => left.summands() + right.summands(),
            TermKind::Binary(BinaryOp::Multiply, known, other) | TermKind::Binary(BinaryOp::Multiply, other, known)
                if matches!(known.kind, TermKind::Known(_)) =>
            {
                other.summands()
            }
            TermKind::Unary(UnaryOp::Negate, operand) => operand.summands(),
            TermKind::Fold(Fold::Sum, ..) => LONG_SUM.get(),
            _ => 1,
        }
    }
}

impl Problem {
    /// The names to be solved; those of `definitions` follow from them.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.unknowns.iter().map(|unknown| unknown.slot)
    }
}
