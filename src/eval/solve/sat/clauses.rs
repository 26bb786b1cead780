//! The clause database: clauses with two watched literals each, unit propagation, and which learned clauses are forgotten again.
//!
//! Invariant: when the trail is propagated completely, a watched literal that is false has a true one beside it that was assigned no later.
//! A clause that is a reason has its consequence first. After M. W. Moskewicz et al., *Chaff* (see `sat`). Deliberately elsewhere: how a
//! clause is learned (`conflict`).

use super::assignment::Assignment;
use super::trail::Trail;
use super::{ClauseNumber, Lit, Reason};
use crate::thresholds::LEARNED_CLAUSES;
use std::cmp::Reverse;

struct Clause {
    /// The first two are watched; a clause that is a reason has its consequence first.
    literals: Vec<Lit>,
    learned: bool,
}

/// A clause in the watch list of one of its literals, with another literal of it (the blocker): while that is true, the clause is satisfied
/// and need not be read. Nor need a binary one ever be.
#[derive(Clone, Copy)]
struct Watch {
    /// The number of the clause, and in the highest bit whether it is binary.
    clause: u32,
    other: Lit,
}

/// The bit of a [`Watch`] that tells a binary clause.
const BINARY: u32 = 1 << 31;

/// The outcome of visiting a clause.
enum Visited {
    /// Another literal of it is watched now.
    Elsewhere,
    /// It is still watched here.
    Here(Watch),
    /// Unchanged, and all its literals are false.
    Falsified(Watch),
}

impl Watch {
    fn new(clause: ClauseNumber, length: usize, other: Lit) -> Self {
        Watch { clause: if length == 2 { clause.number() | BINARY } else { clause.number() }, other }
    }

    fn is_binary(self) -> bool {
        self.clause & BINARY != 0
    }

    fn clause(self) -> ClauseNumber {
        ClauseNumber::new(self.clause & !BINARY)
    }
}

/// All clauses, with the lists of those that watch a literal.
pub(super) struct ClauseDatabase {
    clauses: Vec<Clause>,
    /// By literal: the clauses that watch it, visited when it becomes false.
    watches: Vec<Vec<Watch>>,
    learned: usize,
    learned_limit: usize,
}

impl ClauseDatabase {
    pub(super) fn new() -> Self {
        ClauseDatabase { clauses: Vec::new(), watches: Vec::new(), learned: 0, learned_limit: LEARNED_CLAUSES.get() }
    }

    /// The number of clauses, learned ones included.
    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// The literals of a clause; the first one is the consequence where the clause is a reason.
    #[inline]
    pub(super) fn literals(&self, clause: ClauseNumber) -> &[Lit] {
        &self.clauses[clause.index()].literals
    }

    /// Sets the number of learned clauses to be kept.
    pub(super) fn keep(&mut self, learned: usize) {
        self.learned_limit = learned;
    }

    /// Whether there are more learned clauses than are to be kept.
    pub(super) fn is_full(&self) -> bool {
        self.learned > self.learned_limit
    }

    /// Makes room for the literals of all variables.
    #[inline]
    fn cover(&mut self, trail: &Trail) {
        if self.watches.len() < 2 * trail.variables() {
            self.watches.resize_with(2 * trail.variables(), Vec::new);
        }
    }

    /// Adds a clause whose first two literals are those to watch.
    pub(super) fn attach(&mut self, literals: Vec<Lit>, learned: bool, trail: &Trail) -> ClauseNumber {
        self.cover(trail);
        let at = ClauseNumber::at(self.clauses.len());
        assert!(at.number() & BINARY == 0, "fewer than 2^31 clauses");
        self.watch(at, &literals);
        self.learned += usize::from(learned);
        self.clauses.push(Clause { literals, learned });
        at
    }

    /// Watches the first two literals of a clause. It is listed by the literals themselves, and visited when these become false
    /// (`propagate` looks up the negation of what became true).
    fn watch(&mut self, at: ClauseNumber, literals: &[Lit]) {
        self.watches[literals[0].index()].push(Watch::new(at, literals.len(), literals[1]));
        self.watches[literals[1].index()].push(Watch::new(at, literals.len(), literals[0]));
    }

    /// Propagates the trail through the clauses; the clause that became false, if any.
    pub(super) fn propagate(&mut self, assignment: &mut Assignment) -> Option<ClauseNumber> {
        // Clauses make no variables.
        self.cover(&assignment.trail);
        while let Some(literal) = assignment.trail.next() {
            let false_now = !literal;
            // Taken out while clauses are visited: a new watch is put on a literal that is not false, so never into this list.
            let mut watches = std::mem::take(&mut self.watches[false_now.index()]);
            // Those visited and still wanted are moved to the front: `kept <= at` throughout.
            let mut kept = 0;
            let mut conflict = None;
            let mut at = 0;
            while at < watches.len() {
                let watch = watches[at];
                at += 1;
                // The common case: satisfied, without touching the clause itself, which is likely not in the cache.
                if assignment.value(watch.other) == Some(true) {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                match self.visit(watch, false_now, assignment) {
                    Visited::Elsewhere => {}
                    Visited::Here(watch) => {
                        watches[kept] = watch;
                        kept += 1;
                    }
                    Visited::Falsified(watch) => {
                        watches[kept] = watch;
                        kept += 1;
                        conflict = Some(watch.clause());
                        break;
                    }
                }
            }
            // After a conflict the rest has not been visited.
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[false_now.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Looks at a clause one of whose watched literals has become false, and the other is not known to be true.
    #[inline]
    fn visit(&mut self, watch: Watch, false_now: Lit, assignment: &mut Assignment) -> Visited {
        if watch.is_binary() {
            if assignment.value(watch.other) == Some(false) {
                return Visited::Falsified(watch);
            }
            assignment.assign(watch.other, Reason::Literal(!false_now));
            return Visited::Here(watch);
        }
        let literals = &mut self.clauses[watch.clause().index()].literals;
        // The other watched literal comes first, which is where a reason has its consequence. In the reason of a true literal that one is
        // at 0 already and stays there.
        if literals[0] == false_now {
            literals.swap(0, 1);
        }
        let first = literals[0];
        let watch = Watch { other: first, ..watch };
        if assignment.value(first) == Some(true) {
            return Visited::Here(watch);
        }
        if let Some(place) = (2..literals.len()).find(|&place| assignment.value(literals[place]) != Some(false)) {
            literals.swap(1, place);
            self.watches[literals[1].index()].push(watch);
            return Visited::Elsewhere;
        }
        // All others are false, so the first one follows or is false too. The watches stay: backtracking unassigns this literal, of the
        // current level, no later than the first one.
        if assignment.value(first) == Some(false) {
            return Visited::Falsified(watch);
        }
        assignment.assign(first, Reason::Clause(watch.clause()));
        Visited::Here(watch)
    }

    /// Forgets the longer half of the learned clauses, but no reasons; only when the trail is propagated completely. Blocking clauses do
    /// not count as learned.
    pub(super) fn forget(&mut self, trail: &mut Trail) {
        let mut lengths: Vec<usize> = self.clauses.iter().filter(|clause| clause.learned).map(|clause| clause.literals.len()).collect();
        lengths.sort_unstable();
        // Binary clauses are always kept.
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0).max(3);
        let clauses = std::mem::take(&mut self.clauses);
        self.watches.iter_mut().for_each(Vec::clear);
        for (before, mut clause) in ClauseNumber::all(clauses.len()).zip(clauses) {
            let consequence = clause.literals[0].variable();
            let is_reason = trail.reason(consequence) == Reason::Clause(before) && trail.value(clause.literals[0]) == Some(true);
            if clause.learned && clause.literals.len() >= median && !is_reason {
                continue;
            }
            let at = ClauseNumber::at(self.clauses.len());
            // Clauses are numbered anew. A consequence stays first in the order below: it is the only literal that is not false.
            if is_reason {
                trail.renumber_reason(consequence, at);
            }
            // The watched literals are those that are not false, or are unassigned first, so that literals that are false for good are not
            // watched.
            let is_false = |literal: &Lit| trail.value(*literal) == Some(false);
            clause
                .literals
                .sort_by_key(|literal| (is_false(literal), is_false(literal).then(|| Reverse(trail.level_of(literal.variable())))));
            self.watch(at, &clause.literals);
            self.clauses.push(clause);
        }
        self.learned = self.clauses.iter().filter(|clause| clause.learned).count();
        self.learned_limit += self.learned_limit / 10;
    }
}
