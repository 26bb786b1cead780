//! Conflict analysis: the clause learned from a conflict.
//!
//! Invariant: a learned clause follows by resolution from the clauses, blocking clauses included, and the literals of level 0.
//! After J. P. Marques-Silva and K. A. Sakallah, *GRASP*, ICCAD 1996, with the first unique implication point (UIP) as in Chaff.
//! Deliberately elsewhere: where the search goes on (`models`), which learned clauses are forgotten again (`clauses`).

use super::assignment::Assignment;
use super::clauses::ClauseDatabase;
use super::constraints::Constraints;
use super::heuristics::Heuristics;
use super::{Conflict, Level, Lit, Reason, TrailPlace, Variable};

/// What the analysis of a conflict reads: the assignment, and what its reasons refer to.
#[derive(Clone, Copy)]
pub(super) struct Implications<'a> {
    pub(super) assignment: &'a Assignment,
    pub(super) clauses: &'a ClauseDatabase,
    pub(super) constraints: &'a Constraints,
}

impl Implications<'_> {
    /// The literals, all false, that contradict each other.
    fn conflicting(&self, conflict: Conflict, literals: &mut Vec<Lit>) {
        match conflict {
            Conflict::Clause(clause) => literals.extend_from_slice(self.clauses.literals(clause)),
            Conflict::Propagator(propagator) => {
                self.constraints.explain(propagator, self.assignment, self.assignment.trail.end(), None, literals);
            }
        }
    }

    /// The literals, all false, of which a true literal is the consequence.
    fn implying(&self, literal: Lit, literals: &mut Vec<Lit>) {
        match self.assignment.trail.reason(literal.variable()) {
            Reason::Clause(clause) => literals.extend_from_slice(&self.clauses.literals(clause)[1..]),
            Reason::Literal(narrower) => literals.push(!narrower),
            Reason::Propagator(propagator, place) => {
                self.constraints.explain(propagator, self.assignment, place, Some(literal), literals);
            }
            // Above `ordered` only the decision of a level has no reason, and it comes first on the trail of its level: it is reached
            // when nothing else is open.
            Reason::None => unreachable!("only the last one has no reason"),
        }
    }
}

/// The working memory of conflict analysis.
#[derive(Default)]
pub(super) struct ConflictAnalysis {
    /// By variable, as far as any was seen: whether the resolvent has it. All false between two calls.
    seen: Vec<bool>,
    /// The false literals of the clause to be resolved with, but for its consequence.
    literals: Vec<Lit>,
    /// The resolvent: a place for its consequence, then its literals of lower levels.
    resolvent: Vec<Lit>,
}

impl ConflictAnalysis {
    /// The clause learned from a conflict above level `ordered`, its consequence first, and the level at which that is implied. Variables
    /// that are met become more active.
    ///
    /// The conflict clause is resolved with the reasons of its literals, the latest assignment first, until one literal of the current
    /// level is left: the first UIP.
    pub(super) fn analyse(&mut self, conflict: Conflict, from: Implications<'_>, heuristics: &mut Heuristics) -> (Vec<Lit>, Level) {
        let trail = &from.assignment.trail;
        self.seen.resize(trail.variables(), false);
        self.resolvent.clear();
        self.resolvent.push(Lit::TRUE);
        let mut open = 0;
        let mut places = TrailPlace::all(trail.end().index()).rev();
        let here = trail.level();
        self.literals.clear();
        from.conflicting(conflict, &mut self.literals);
        // Invariant: the resolvent so far has the literals in `resolvent[1..]`, all of lower levels, and `open` literals of the current
        // one, which are marked and lie on the trail in `places`. The conflict was met in propagating a literal of the current level, so
        // the conflict clause has at least one.
        loop {
            for &literal in &self.literals {
                let variable = literal.variable();
                // Those of level 0 are false for good, also decisions flipped there: the models on the other side have been found.
                if self.seen[variable.index()] || trail.level_of(variable).is_root() {
                    continue;
                }
                self.seen[variable.index()] = true;
                heuristics.bump(variable);
                if trail.level_of(variable) == here {
                    open += 1;
                } else {
                    self.resolvent.push(literal);
                }
            }
            // An unmarked literal does not occur in the resolvent. `open` is at least 1 here, so a marked one comes before the trail ends.
            let mut literals = places.by_ref().map(|at| trail.literal(at));
            let literal = literals.find(|literal| self.seen[literal.variable().index()]).expect("a marked literal is left");
            self.seen[literal.variable().index()] = false;
            open -= 1;
            if open == 0 {
                self.resolvent[0] = !literal;
                break;
            }
            self.literals.clear();
            from.implying(literal, &mut self.literals);
        }
        let mut learned = self.minimised(from);
        self.resolvent.iter().for_each(|literal| self.seen[literal.variable().index()] = false);
        heuristics.decay();
        // The second watched literal is one of the highest level left, which backtracking unassigns first.
        let mut level = Level::default();
        for place in 1..learned.len() {
            if trail.level_of(learned[place].variable()) > level {
                level = trail.level_of(learned[place].variable());
                learned.swap(1, place);
            }
        }
        (learned, level)
    }

    /// The resolvent without the literals that follow from the others; all but its consequence, which comes first, are marked.
    ///
    /// Local minimisation (N. Sörensson and A. Biere, Minimizing learned clauses, SAT 2009): a literal goes if all others of its reason
    /// are in the clause or of level 0, because resolution with the reason adds nothing then. Several may go at once: reasons only use
    /// earlier literals of the trail, so the latest is resolved away first.
    fn minimised(&self, from: Implications<'_>) -> Vec<Lit> {
        let trail = &from.assignment.trail;
        let is_new = |variable: Variable| !self.seen[variable.index()] && !trail.level_of(variable).is_root();
        let is_needed = |literal: &Lit| match trail.reason(literal.variable()) {
            // Explaining a bound again costs more than a longer clause.
            Reason::None | Reason::Propagator(..) => true,
            Reason::Literal(narrower) => is_new(narrower.variable()),
            Reason::Clause(reason) => {
                from.clauses.literals(reason).iter().any(|other| other.variable() != literal.variable() && is_new(other.variable()))
            }
        };
        let (consequence, others) = self.resolvent.split_first().expect("a resolvent has a place for its consequence");
        std::iter::once(consequence).chain(others.iter().filter(|literal| is_needed(literal))).copied().collect()
    }
}
