//! Formulas as they are encoded for the solver: a part that does not depend on the names to be solved is an ordinary plan.
//!
//! Invariant: names of quantifiers and comprehensions always have values while a formula is encoded; the names to be solved,
//! and names that LET binds to something that depends on them, never do.

use super::{ExprPlan, Fold, Pattern, PredPlan, Search, Slot};
use crate::ir::{BinaryOp, Comparison, UnaryOp};
use crate::source::Span;
use std::sync::Arc;

#[derive(Debug)]
pub(in crate::eval) struct Term {
    pub(in crate::eval) kind: TermKind,
    pub(in crate::eval) span: Span,
}

#[derive(Debug)]
pub(in crate::eval) enum TermKind {
    /// Depends on no name to be solved.
    Known(ExprPlan),
    /// A name to be solved, or one whose definition depends on such names.
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
pub(in crate::eval) type LetBindings = Vec<(Slot, Binding)>;

/// The value that LET binds a name to.
#[derive(Debug)]
pub(in crate::eval) enum Binding {
    Known(ExprPlan),
    Open(Term),
}

/// The bindings of a quantifier: the generators of its names, and the conditions that are left.
#[derive(Debug)]
pub(in crate::eval) struct Bindings {
    /// Elements that a set to be solved may have, matched against patterns.
    pub(in crate::eval) elements: Vec<(Pattern, Term)>,
    /// The conditions without names to be solved, as an enumeration of the other names.
    pub(in crate::eval) known: Search,
    /// The names that `known` binds.
    pub(in crate::eval) slots: Vec<Slot>,
    /// The other conditions.
    pub(in crate::eval) conditions: Vec<Formula>,
}

#[derive(Debug)]
pub(in crate::eval) struct Formula {
    pub(in crate::eval) kind: FormulaKind,
    pub(in crate::eval) span: Span,
}

#[derive(Debug)]
pub(in crate::eval) enum FormulaKind {
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

/// An upper bound on the values of a name to be solved.
#[derive(Debug)]
pub(in crate::eval) enum Bound {
    /// An element of this set.
    Member(Term),
    /// A subset of this set.
    Subset(Term),
    /// An integer not below any of the first and not above any of the second.
    Range(Vec<ExprPlan>, Vec<ExprPlan>),
    /// A value of its type.
    Type(Term),
}

/// A name to be solved.
#[derive(Debug)]
pub(in crate::eval) struct Unknown {
    pub(in crate::eval) slot: Slot,
    pub(in crate::eval) is_set: bool,
    pub(in crate::eval) bounds: Vec<Bound>,
}

/// Names to be solved together, with the formulas about them.
#[derive(Debug)]
pub(in crate::eval) struct Problem {
    pub(in crate::eval) unknowns: Vec<Unknown>,
    /// Names given by an equation, in an order in which each needs only those before it.
    pub(in crate::eval) definitions: Vec<(Slot, Term)>,
    pub(in crate::eval) formulas: Vec<Formula>,
    /// Whether no conjunct about the names was left out.
    pub(in crate::eval) is_whole: bool,
    pub(in crate::eval) span: Span,
}

impl Problem {
    /// The names that it gives values to.
    pub(in crate::eval) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.unknowns.iter().map(|unknown| unknown.slot)
    }
}
