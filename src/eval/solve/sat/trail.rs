//! The trail: which literals are true, since which level and why, and how far they have been propagated.
//!
//! Invariant: both literals of a variable have a value exactly while one of them is on the trail; its level and its reason mean nothing
//! otherwise. Decisions are made only when the trail is propagated completely, so every literal that waits for propagation belongs to the
//! current level. Deliberately elsewhere: what else an assignment touches (`assignment`).

use super::{Lit, Reason};

/// The values of literals, in the order of their assignment.
#[derive(Default)]
pub(super) struct Trail {
    /// By literal: the value, `None` while the variable is unassigned. Both polarities are stored, so reading a literal needs no test of
    /// its sign.
    values: Vec<Option<bool>>,
    /// By variable: the level of its assignment.
    levels: Vec<u32>,
    /// By variable: why it has its value.
    reasons: Vec<Reason>,
    /// The true literals.
    literals: Vec<Lit>,
    /// The number of literals before each decision.
    decisions: Vec<usize>,
    /// How many literals have been propagated. The propagation queue is the part behind them; it needs no separate memory.
    propagated: usize,
}

impl Trail {
    /// A new variable, as its positive literal.
    pub(super) fn variable(&mut self) -> Lit {
        let variable = self.levels.len();
        self.levels.push(0);
        self.reasons.push(Reason::None);
        self.values.extend([None, None]);
        Lit::positive(variable)
    }

    /// How many literals have been propagated.
    pub(super) fn propagated(&self) -> usize {
        self.propagated
    }

    /// The number of variables.
    pub(super) fn variables(&self) -> usize {
        self.levels.len()
    }

    #[inline]
    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.index()]
    }

    /// The level at which a variable was assigned.
    #[inline]
    pub(super) fn level_of(&self, variable: usize) -> u32 {
        self.levels[variable]
    }

    /// Why a variable has its value.
    #[inline]
    pub(super) fn reason(&self, variable: usize) -> Reason {
        self.reasons[variable]
    }

    /// Whether a literal is false for good.
    #[inline]
    pub(super) fn is_refuted(&self, literal: Lit) -> bool {
        self.value(literal) == Some(false) && self.level_of(literal.variable()) == 0
    }

    /// Gives the clause that a variable was assigned by its new number.
    pub(super) fn renumber_reason(&mut self, variable: usize, clause: u32) {
        self.reasons[variable] = Reason::Clause(clause);
    }

    /// The current level: the number of decisions.
    #[inline]
    pub(super) fn level(&self) -> u32 {
        u32::try_from(self.decisions.len()).expect("fewer than 2^32 decisions")
    }

    /// Whether nothing has been decided.
    #[inline]
    pub(super) fn is_at_root(&self) -> bool {
        self.decisions.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.literals.len()
    }

    /// Where the next literal comes.
    pub(super) fn place(&self) -> u32 {
        u32::try_from(self.literals.len()).expect("fewer than 2^32 variables")
    }

    #[inline]
    pub(super) fn literal(&self, place: usize) -> Lit {
        self.literals[place]
    }

    /// Makes an unassigned literal true at the current level.
    #[inline]
    pub(super) fn push(&mut self, literal: Lit, reason: Reason) {
        self.values[literal.index()] = Some(true);
        self.values[(!literal).index()] = Some(false);
        let variable = literal.variable();
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.literals.push(literal);
    }

    /// The next literal to propagate.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Lit> {
        let literal = *self.literals.get(self.propagated)?;
        self.propagated += 1;
        Some(literal)
    }

    /// Opens a level, which the next literal decides.
    pub(super) fn open_level(&mut self) {
        self.decisions.push(self.literals.len());
    }

    /// The decisions, by level.
    pub(super) fn decisions(&self) -> impl DoubleEndedIterator<Item = Lit> {
        self.decisions.iter().map(|&at| self.literals[at])
    }

    /// The number of literals up to a level, unless there is no higher one.
    pub(super) fn end_of(&self, level: u32) -> Option<usize> {
        self.decisions.get(level as usize).copied()
    }

    /// Takes the value of the literal at a place, which [`close_levels`](Self::close_levels) removes.
    #[inline]
    pub(super) fn unassign(&mut self, place: usize) -> Lit {
        let literal = self.literals[place];
        self.values[literal.index()] = None;
        self.values[(!literal).index()] = None;
        literal
    }

    /// Removes the literals from a place on, which are unassigned, and the levels above the given one.
    pub(super) fn close_levels(&mut self, level: u32, length: usize) {
        self.literals.truncate(length);
        // The decision was made when everything before it had been propagated.
        self.propagated = length;
        self.decisions.truncate(level as usize);
    }
}
