//! The assignment: values of literals and bounds of integers, which follow from each other.
//!
//! Invariant: where a literal is assigned that is a bound of an integer, the integer has that bound, all its other literals that follow are
//! assigned, and all constraints that may follow from it are on the agenda. What is undone is undone in all parts. Deliberately elsewhere:
//! what is propagated (`clauses`, `constraints`), and how each part works (`trail`, `integers`, `agenda`, `disequalities`).

use super::agenda::{Agenda, DisequalityNumber};
use super::disequalities::{Conclusion, Disequalities};
use super::heuristics::Heuristics;
use super::integers::{BoundSide, IntegerVariable, Integers};
use super::trail::Trail;
use super::{Level, Lit, Reason, TrailPlace};

/// The current values of literals and bounds of integers.
#[derive(Default)]
pub(super) struct Assignment {
    pub(super) trail: Trail,
    pub(super) integers: Integers,
    /// They watch variables that are not fixed, so what becomes narrower changes what they watch.
    pub(super) disequalities: Disequalities,
    pub(super) agenda: Agenda,
}

impl Assignment {
    #[inline]
    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.trail.value(literal)
    }

    /// Makes an unassigned literal true at the current level. It is propagated later, in the order of the trail.
    #[inline]
    pub(super) fn assign(&mut self, literal: Lit, reason: Reason) {
        self.set(literal, reason);
        if !self.integers.is_empty() {
            self.follow_bound(literal);
        }
    }

    /// As [`assign`](Self::assign), for a literal that is not a bound, or a bound that the caller follows.
    #[inline]
    fn set(&mut self, literal: Lit, reason: Reason) {
        self.trail.push(literal, reason);
        self.agenda.wake(literal);
    }

    /// The literal that is true where a variable is at most `value`.
    pub(super) fn at_most(&mut self, variable: IntegerVariable, value: i64, heuristics: &mut Heuristics) -> Lit {
        if let Some(literal) = self.integers.at_most(variable, value) {
            return literal;
        }
        let literal = self.trail.variable();
        // The lower half first, where it is decided.
        heuristics.add(Some(true));
        self.integers.define(literal, variable, value);
        literal
    }

    /// Makes the upper bound at most `value`; the variable may not be known to be greater.
    pub(super) fn narrow_above(&mut self, variable: IntegerVariable, value: i64, reason: Reason, heuristics: &mut Heuristics) {
        if self.trail.is_at_root() {
            self.narrow_for_good(variable, None, Some(value));
        } else {
            let literal = self.at_most(variable, value, heuristics);
            self.assign(literal, reason);
        }
    }

    /// Makes the lower bound at least `value`; the variable may not be known to be less.
    pub(super) fn narrow_below(&mut self, variable: IntegerVariable, value: i64, reason: Reason, heuristics: &mut Heuristics) {
        if self.trail.is_at_root() {
            self.narrow_for_good(variable, Some(value), None);
        } else {
            let literal = self.at_most(variable, value - 1, heuristics);
            self.assign(!literal, reason);
        }
    }

    fn narrow_for_good(&mut self, variable: IntegerVariable, lower: Option<i64>, upper: Option<i64>) {
        let (decided, is_narrower) = self.integers.narrow_for_good(variable, lower, upper);
        for literal in decided {
            if self.value(literal).is_none() {
                self.set(literal, Reason::None);
            }
        }
        for side in [BoundSide::Lower, BoundSide::Upper] {
            if is_narrower[side as usize] {
                self.wake(variable, side);
            }
        }
    }

    /// After an assignment: where the literal is a bound, the bound and all literals that follow.
    fn follow_bound(&mut self, literal: Lit) {
        let Some((variable, value)) = self.integers.bound_of(literal) else { return };
        let is_upper = literal.is_positive();
        if self.trail.is_at_root() {
            let (lower, upper) = if is_upper { (None, Some(value)) } else { (Some(value + 1), None) };
            return self.narrow_for_good(variable, lower, upper);
        }
        // The literal is the last one of the trail.
        let place = TrailPlace::new(self.trail.end().number() - 1);
        for follower in self.integers.narrow(variable, value, literal, place) {
            self.set(follower, Reason::Literal(literal));
        }
        self.wake(variable, if is_upper { BoundSide::Upper } else { BoundSide::Lower });
    }

    /// Puts on the agenda what may follow from a bound that has become narrower.
    fn wake(&mut self, variable: IntegerVariable, side: BoundSide) {
        self.integers.wake(variable, side, &self.trail, &mut self.agenda);
        self.disequalities.wake(variable, &self.integers, &mut self.agenda);
    }

    /// Propagates one disequality; whether it can hold.
    pub(super) fn propagate_disequality(&mut self, at: DisequalityNumber, reason: Reason, heuristics: &mut Heuristics) -> bool {
        match self.disequalities.conclusion(at, &self.trail, &self.integers) {
            Conclusion::Nothing => {}
            Conclusion::Conflict => return false,
            Conclusion::Equal(literal) => self.assign(literal, reason),
            Conclusion::AtLeast(variable, value) => self.narrow_below(variable, value, reason, heuristics),
            Conclusion::AtMost(variable, value) => self.narrow_above(variable, value, reason, heuristics),
        }
        true
    }

    /// Decides a literal, on a new level.
    pub(super) fn decide(&mut self, literal: Lit) {
        self.trail.open_level();
        self.assign(literal, Reason::None);
    }

    /// Undoes all levels above the given one; nothing to do if there are none.
    pub(super) fn backtrack(&mut self, level: Level, heuristics: &mut Heuristics) {
        let Some(end) = self.trail.end_of(level) else { return };
        for at in TrailPlace::each(end..self.trail.end()) {
            let literal = self.trail.unassign(at);
            if !self.integers.is_empty() {
                self.integers.widen(literal, end);
            }
            heuristics.unassigned(literal);
        }
        self.trail.close_levels(level, end);
        // What waited belonged to the levels undone: each lower one had been propagated completely.
        self.agenda.clear();
    }
}
