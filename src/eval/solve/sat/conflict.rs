//! Conflict analysis: the clause learned from a conflict, and which learned clauses are forgotten again.
//!
//! Invariant: a learned clause follows by resolution from the clauses, blocking clauses included, and the literals of level 0.
//! After J. P. Marques-Silva and K. A. Sakallah, *GRASP*, ICCAD 1996, with the first unique implication point (UIP) as in Chaff.
//! Deliberately elsewhere: where the search goes on (`models`).

use super::{Conflict, Lit, Reason, Solver, Watch};
use std::cmp::Reverse;

impl Solver {
    /// Raises the activity of a variable; all are scaled down before one overflows.
    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.bump;
        self.queue.rise(variable, &self.activity);
        if self.activity[variable] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// The clause learned from a conflict above level `ordered`, its consequence first, and the level at which that is implied.
    ///
    /// The conflict clause is resolved with the reasons of its literals, the latest assignment first, until one literal of the current
    /// level is left: the first UIP.
    pub(super) fn analyse(&mut self, conflict: Conflict) -> (Vec<Lit>, u32) {
        let mut learned = vec![Lit::TRUE];
        let mut open = 0;
        let mut at = self.trail.len();
        let here = self.level();
        // The false literals of the clause to be resolved with, but for its consequence.
        let mut literals = Vec::new();
        match conflict {
            Conflict::Clause(clause) => literals.extend_from_slice(&self.clauses[clause as usize].literals),
            Conflict::Propagator(propagator) => self.explain(propagator, at, None, &mut literals),
        }
        // Invariant: the resolvent so far has the literals in `learned[1..]`, all of lower levels, and `open` literals of the current one,
        // which are marked and lie on the trail before `at`. The conflict was met in propagating a literal of the current level, so the
        // conflict clause has at least one.
        loop {
            for &literal in &literals {
                let variable = literal.variable();
                // Those of level 0 are false for good, also decisions flipped there: the models on the other side have been found.
                if self.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.bump(variable);
                if self.levels[variable] == here {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            // An unmarked literal does not occur in the resolvent. `open` is at least 1 here, so a marked one comes before the trail ends.
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            self.seen[literal.variable()] = false;
            open -= 1;
            if open == 0 {
                learned[0] = !literal;
                break;
            }
            literals.clear();
            match self.reasons[literal.variable()] {
                // The literal resolved upon, which disappears, comes first.
                Reason::Clause(clause) => literals.extend_from_slice(&self.clauses[clause as usize].literals[1..]),
                Reason::Literal(narrower) => literals.push(!narrower),
                Reason::Propagator(propagator, place) => self.explain(propagator, place as usize, Some(literal), &mut literals),
                // Above `ordered` only the decision of a level has no reason, and it comes first on the trail of its level: it is reached
                // when nothing else is open.
                Reason::None => unreachable!("only the last one has no reason"),
            }
        }
        let mut kept = self.minimised(&learned);
        learned.iter().for_each(|literal| self.seen[literal.variable()] = false);
        // A decay of 5 % per conflict.
        self.bump *= 1.0 / 0.95;
        // The second watched literal is one of the highest level left, which backtracking unassigns first.
        let mut level = 0;
        for place in 1..kept.len() {
            if self.levels[kept[place].variable()] > level {
                level = self.levels[kept[place].variable()];
                kept.swap(1, place);
            }
        }
        (kept, level)
    }

    /// The clause without the literals that follow from the others; all but its consequence, which comes first, are marked.
    ///
    /// Local minimisation (N. Sörensson and A. Biere, Minimizing learned clauses, SAT 2009): a literal goes if all others of its reason
    /// are in the clause or of level 0, because resolution with the reason adds nothing then. Several may go at once: reasons only use
    /// earlier literals of the trail, so the latest is resolved away first.
    fn minimised(&self, learned: &[Lit]) -> Vec<Lit> {
        let is_new = |variable: usize| !self.seen[variable] && self.levels[variable] > 0;
        let is_needed = |literal: &Lit| match self.reasons[literal.variable()] {
            // Explaining a bound again costs more than a longer clause.
            Reason::None | Reason::Propagator(..) => true,
            Reason::Literal(narrower) => is_new(narrower.variable()),
            Reason::Clause(reason) => {
                let literals = &self.clauses[reason as usize].literals;
                literals.iter().any(|other| other.variable() != literal.variable() && is_new(other.variable()))
            }
        };
        let (consequence, others) = learned.split_first().expect("a learned clause has a consequence");
        std::iter::once(consequence).chain(others.iter().filter(|literal| is_needed(literal))).copied().collect()
    }

    /// Adds a clause of which all literals but the first are false, and assigns that at the current level.
    ///
    /// Where chronological backtracking has kept the search above the level at which the clause is unit, the assignment is lost with
    /// the current level. The clause is only missed as a source of propagation then: it is visited when its first literal becomes false.
    pub(super) fn learn(&mut self, literals: Vec<Lit>, learned: bool) {
        let consequence = literals[0];
        // Such a clause is not stored, and above level 0 it has to be learned again.
        if literals.len() == 1 {
            self.assign(consequence, Reason::None);
        } else {
            let clause = self.attach(literals, learned);
            self.assign(consequence, Reason::Clause(clause));
        }
    }

    /// Forgets the longer half of the learned clauses, but no reasons; only when the trail is propagated completely. Blocking clauses do
    /// not count as learned.
    pub(crate) fn forget(&mut self) {
        let mut lengths: Vec<usize> = self.clauses.iter().filter(|clause| clause.learned).map(|clause| clause.literals.len()).collect();
        lengths.sort_unstable();
        // Binary clauses are always kept.
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0).max(3);
        let clauses = std::mem::take(&mut self.clauses);
        self.watches.iter_mut().for_each(Vec::clear);
        for (before, mut clause) in (0u32..).zip(clauses) {
            let consequence = clause.literals[0].variable();
            let is_reason = self.reasons[consequence] == Reason::Clause(before) && self.value(clause.literals[0]) == Some(true);
            if clause.learned && clause.literals.len() >= median && !is_reason {
                continue;
            }
            let at = u32::try_from(self.clauses.len()).expect("no more clauses than before");
            // Clauses are numbered anew. A consequence stays first in the order below: it is the only literal that is not false.
            if is_reason {
                self.reasons[consequence] = Reason::Clause(at);
            }
            // The watched literals are those that are not false, or are unassigned first, so that literals that are false for good are not
            // watched.
            let is_false = |literal: &Lit| self.values[literal.index()] == Some(false);
            clause.literals.sort_by_key(|literal| (is_false(literal), is_false(literal).then(|| Reverse(self.levels[literal.variable()]))));
            let [first, second, ..] = clause.literals.as_slice() else { unreachable!("a clause has two literals") };
            self.watches[first.index()].push(Watch::new(at, clause.literals.len(), *second));
            self.watches[second.index()].push(Watch::new(at, clause.literals.len(), *first));
            self.clauses.push(clause);
        }
        self.learned = self.clauses.iter().filter(|clause| clause.learned).count();
        self.learned_limit += self.learned_limit / 10;
    }
}
