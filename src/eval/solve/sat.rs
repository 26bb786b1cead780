//! A CDCL solver for clauses and linear and product constraints of integers: the face of its parts to those who encode.
//!
//! The parts own what they keep and borrow each other by name: `trail` and `integers` in the `assignment`, `clauses` with unit propagation,
//! `constraints`, `heuristics` for decisions, the `conflict` analysis. Invariant: decisions are made only when everything is propagated.
//! Inputs are the only variables decided; clauses must determine all others from them by unit propagation. Integer variables have bounds
//! instead of a value, which linear inequalities and products propagate between the clauses.
//! After M. W. Moskewicz et al., *Chaff: Engineering an Efficient SAT Solver*, DAC 2001, and N. Eén and N. Sörensson, *An
//! Extensible SAT-solver*, SAT 2003. Deliberately elsewhere: the search and the enumeration of all models (`models`), literals of sums
//! (`sums`), what the variables mean (`circuit`).

mod agenda;
mod assignment;
mod clauses;
mod conflict;
mod constraints;
mod disequalities;
mod heuristics;
mod inequalities;
mod integers;
mod models;
mod products;
mod queue;
mod sums;
mod trail;

use crate::statistics::SolverCounts;
use crate::thresholds::{DISEQUALITY_VALUES, PROPAGATED_AT_ONCE};
use agenda::Propagator;
use assignment::Assignment;
use clauses::ClauseDatabase;
use conflict::ConflictAnalysis;
use constraints::Constraints;
use heuristics::Heuristics;
pub(super) use integers::IntegerVariable;
use models::Enumeration;
pub(super) use sums::negated;

bcheck_source::numbers! {
    /// The number of a variable.
    Variable;
    /// The number of a clause.
    ClauseNumber;
    /// The place of a literal on the trail, and the number of those before it.
    TrailPlace;
    /// A level of the trail: the number of decisions up to there.
    Level;
}

/// A literal: twice the number of its variable, plus one where it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    /// Always true: the variable 0.
    pub(super) const TRUE: Lit = Lit(0);
    /// Always false.
    pub(super) const FALSE: Lit = Lit(1);

    fn positive(variable: Variable) -> Self {
        Lit(variable.number().checked_mul(2).expect("fewer than 2^31 variables"))
    }

    fn variable(self) -> Variable {
        Variable::new(self.0 / 2)
    }

    fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is its variable, not the negation of it.
    fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Why a variable has its value.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
    /// A decision, a literal that is true by itself (at level 0, or of a learned unit clause), or a decision flipped after its subtree was
    /// enumerated.
    None,
    Clause(ClauseNumber),
    /// A true literal alone: the other one of a binary clause is its negation, or it is a bound of the same integer that is at least as
    /// narrow.
    Literal(Lit),
    /// A constraint of integers, with the length of the trail when it was propagated.
    Propagator(Propagator, TrailPlace),
}

/// The falsified constraint.
#[derive(Clone, Copy)]
enum Conflict {
    Clause(ClauseNumber),
    Propagator(Propagator),
}

/// How far propagation came.
enum Propagated {
    Completely,
    /// Constraints of integers wait.
    Partly,
    UpTo(Conflict),
}

pub(super) struct Solver {
    assignment: Assignment,
    clauses: ClauseDatabase,
    constraints: Constraints,
    heuristics: Heuristics,
    analysis: ConflictAnalysis,
    enumeration: Enumeration,
    /// See [`DISEQUALITY_VALUES`].
    most_values: i128,
    contradictory: bool,
    counts: SolverCounts,
}

impl Solver {
    pub(super) fn new() -> Self {
        let mut solver = Solver {
            assignment: Assignment::default(),
            clauses: ClauseDatabase::new(),
            constraints: Constraints::default(),
            heuristics: Heuristics::new(),
            analysis: ConflictAnalysis::default(),
            enumeration: Enumeration::new(),
            most_values: DISEQUALITY_VALUES.get(),
            contradictory: false,
            counts: SolverCounts::default(),
        };
        let truth = solver.variable();
        debug_assert_eq!(truth, Lit::TRUE, "the first variable is the constant");
        solver.clause(vec![truth]);
        solver
    }

    /// A new variable that clauses will determine, as its positive literal.
    pub(super) fn variable(&mut self) -> Lit {
        self.heuristics.add(None);
        self.assignment.trail.variable()
    }

    /// A new variable to decide, with the value to try first.
    pub(super) fn input(&mut self, phase: bool) -> Lit {
        self.heuristics.add(Some(phase));
        self.assignment.trail.variable()
    }

    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.assignment.value(literal)
    }

    /// The numbers of variables and of clauses, learned ones included.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.assignment.trail.variables(), self.clauses.len())
    }

    /// Registers an exactly-one constraint, in force where the condition is true, for the decision heuristic. It is not propagated: clauses
    /// must encode it.
    pub(super) fn choice(&mut self, condition: Lit, literals: &[Lit]) {
        self.heuristics.choice(condition, literals);
    }

    /// A new integer variable with these bounds, both of which it can have.
    pub(super) fn integer(&mut self, least: i64, greatest: i64) -> IntegerVariable {
        debug_assert!(self.assignment.trail.is_at_root());
        self.assignment.integers.add(least, greatest)
    }

    pub(super) fn has_integers(&self) -> bool {
        !self.assignment.integers.is_empty()
    }

    /// The bounds of a variable at present; equal in a model.
    pub(super) fn bounds(&self, variable: IntegerVariable) -> (i64, i64) {
        self.assignment.integers.range(variable).into()
    }

    /// The least and the greatest value of a sum within the bounds of the moment.
    pub(super) fn range(&self, summands: &[(i64, IntegerVariable)]) -> (i128, i128) {
        self.assignment.integers.range_of_sum(summands)
    }

    /// The literal that is true where the variable is at most `value`.
    pub(super) fn at_most(&mut self, variable: IntegerVariable, value: i64) -> Lit {
        self.assignment.at_most(variable, value, &mut self.heuristics)
    }

    /// Demands that one variable is the product of two others.
    pub(super) fn product(&mut self, product: IntegerVariable, left: IntegerVariable, right: IntegerVariable) {
        self.constraints.product(product, left, right, &mut self.assignment);
    }

    /// Adds a clause; only before a search, that is at level 0.
    pub(super) fn clause(&mut self, mut literals: Vec<Lit>) {
        debug_assert!(self.assignment.trail.is_at_root(), "clauses are added before decisions");
        // A literal and its negation are neighbours in this order.
        literals.sort_unstable();
        literals.dedup();
        let is_tautology = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_tautology || literals.iter().any(|literal| self.value(*literal) == Some(true)) {
            return;
        }
        // At level 0 a false literal is false for good. So both watched literals of a new clause are unassigned.
        literals.retain(|literal| self.value(*literal).is_none());
        match literals.as_slice() {
            [] => self.contradictory = true,
            [only] => self.assignment.assign(*only, Reason::None),
            _ => {
                self.clauses.attach(literals, false, &self.assignment.trail);
            }
        }
    }

    /// Propagates at level 0, where a conflict means that the clauses contradict each other.
    pub(super) fn propagate_root(&mut self) {
        if !self.contradictory && matches!(self.propagate(), Propagated::UpTo(_)) {
            self.contradictory = true;
        }
    }

    /// Propagates the trail to its end, clauses before bounds.
    fn propagate(&mut self) -> Propagated {
        for _ in 0..PROPAGATED_AT_ONCE.get() {
            if let Some(clause) = self.clauses.propagate(&mut self.assignment) {
                return Propagated::UpTo(Conflict::Clause(clause));
            }
            let Some(propagator) = self.assignment.agenda.next() else { return Propagated::Completely };
            if !self.constraints.propagate(propagator, &mut self.assignment, &mut self.heuristics) {
                return Propagated::UpTo(Conflict::Propagator(propagator));
            }
        }
        Propagated::Partly
    }
}
