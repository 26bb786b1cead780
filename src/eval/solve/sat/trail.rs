//! The trail: which literals are true, since which level and why, and how far they have been propagated.
//!
//! Invariant: both literals of a variable have a value exactly while one of them is on the trail; its level and its reason mean nothing
//! otherwise. Decisions are made only when the trail is propagated completely, so every literal that waits for propagation belongs to the
//! current level. Deliberately elsewhere: what else an assignment touches (`assignment`).

use super::{ClauseNumber, Level, Lit, Reason, TrailPlace, Variable};

impl Level {
    /// Whether nothing is decided there.
    #[inline]
    pub(super) fn is_root(self) -> bool {
        self == Self::default()
    }

    /// The level below, if there is one.
    pub(super) fn below(self) -> Option<Self> {
        self.number().checked_sub(1).map(Self::new)
    }
}

/// The values of literals, in the order of their assignment.
#[derive(Default)]
pub(super) struct Trail {
    /// By literal: the value, `None` while the variable is unassigned. Both polarities are stored, so reading a literal needs no test of
    /// its sign.
    values: Vec<Option<bool>>,
    /// By variable: the level of its assignment.
    levels: Vec<Level>,
    /// By variable: why it has its value.
    reasons: Vec<Reason>,
    /// The true literals.
    literals: Vec<Lit>,
    /// The place of each decision.
    decisions: Vec<TrailPlace>,
    /// The literals before this one have been propagated. The propagation queue is the rest; it needs no separate memory.
    propagated: TrailPlace,
}

impl Trail {
    /// A new variable, as its positive literal.
    pub(super) fn variable(&mut self) -> Lit {
        let variable = Variable::at(self.levels.len());
        self.levels.push(Level::default());
        self.reasons.push(Reason::None);
        self.values.extend([None, None]);
        Lit::positive(variable)
    }

    /// The place of the next literal to propagate.
    pub(super) fn propagated(&self) -> TrailPlace {
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
    pub(super) fn level_of(&self, variable: Variable) -> Level {
        self.levels[variable.index()]
    }

    /// Why a variable has its value.
    #[inline]
    pub(super) fn reason(&self, variable: Variable) -> Reason {
        self.reasons[variable.index()]
    }

    /// Whether a literal is false for good.
    #[inline]
    pub(super) fn is_refuted(&self, literal: Lit) -> bool {
        self.value(literal) == Some(false) && self.level_of(literal.variable()).is_root()
    }

    /// Gives the clause that a variable was assigned by its new number.
    pub(super) fn renumber_reason(&mut self, variable: Variable, clause: ClauseNumber) {
        self.reasons[variable.index()] = Reason::Clause(clause);
    }

    /// The current level.
    #[inline]
    pub(super) fn level(&self) -> Level {
        Level::at(self.decisions.len())
    }

    /// Whether nothing has been decided.
    #[inline]
    pub(super) fn is_at_root(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Where the next literal comes.
    #[inline]
    pub(super) fn end(&self) -> TrailPlace {
        TrailPlace::at(self.literals.len())
    }

    #[inline]
    pub(super) fn literal(&self, place: TrailPlace) -> Lit {
        self.literals[place.index()]
    }

    /// Makes an unassigned literal true at the current level.
    #[inline]
    pub(super) fn push(&mut self, literal: Lit, reason: Reason) {
        self.values[literal.index()] = Some(true);
        self.values[(!literal).index()] = Some(false);
        let variable = literal.variable().index();
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.literals.push(literal);
    }

    /// The next literal to propagate.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Lit> {
        let literal = *self.literals.get(self.propagated.index())?;
        self.propagated = self.propagated.next();
        Some(literal)
    }

    /// Opens a level, which the next literal decides.
    pub(super) fn open_level(&mut self) {
        self.decisions.push(self.end());
    }

    /// The decisions, by level.
    pub(super) fn decisions(&self) -> impl DoubleEndedIterator<Item = Lit> {
        self.decisions.iter().map(|at| self.literal(*at))
    }

    /// The place behind the literals up to a level, unless there is no higher one.
    pub(super) fn end_of(&self, level: Level) -> Option<TrailPlace> {
        self.decisions.get(level.index()).copied()
    }

    /// Takes the value of the literal at a place, which [`close_levels`](Self::close_levels) removes.
    #[inline]
    pub(super) fn unassign(&mut self, place: TrailPlace) -> Lit {
        let literal = self.literal(place);
        self.values[literal.index()] = None;
        self.values[(!literal).index()] = None;
        literal
    }

    /// Removes the literals from a place on, which are unassigned, and the levels above the given one.
    pub(super) fn close_levels(&mut self, level: Level, end: TrailPlace) {
        self.literals.truncate(end.index());
        // The decision was made when everything before it had been propagated.
        self.propagated = end;
        self.decisions.truncate(level.index());
    }
}
