//! Which formulas in normal form imply others, by their form: sound, not complete.
//!
//! Invariant: implications hold at every position of every path, finite ones included. Deliberately elsewhere: how they are used
//! (`rewrite`).
//!
//! A formula is *eventual* if it holds at all positions before one where it holds, *universal* if it holds at all later ones (Etessami and
//! Holzmann, CONCUR 2000). One that is both has the same value at all positions of a path.

use super::normal::{Form, Id, Normal, Traits};

impl Normal {
    /// Whether it holds at all positions before one where it holds.
    pub(super) fn is_eventual(&self, id: Id) -> bool {
        self.traits(id).is_eventual
    }

    /// Whether it holds at all positions after one where it holds.
    pub(super) fn is_universal(&self, id: Id) -> bool {
        self.traits(id).is_universal
    }

    /// Whether it has an operator of the future.
    pub(super) fn speaks_of_future(&self, id: Id) -> bool {
        self.traits(id).speaks_of_future
    }

    /// The traits of a form, given those of its arguments.
    pub(super) fn traits_of(&self, form: &Form) -> Traits {
        let is_future = matches!(form, Form::Next(_) | Form::WeakNext(_) | Form::Until(..) | Form::Release(..));
        Traits {
            is_eventual: self.shows_eventual(form),
            is_universal: self.shows_universal(form),
            speaks_of_future: is_future || Self::arguments_of(form).into_iter().any(|argument| self.speaks_of_future(argument)),
        }
    }

    fn shows_eventual(&self, form: &Form) -> bool {
        match form {
            Form::True | Form::False | Form::Until(Self::TRUE, _) | Form::Trigger(Self::FALSE, _) => true,
            Form::And(parts) | Form::Or(parts) => parts.iter().all(|&part| self.is_eventual(part)),
            // Not weak next: at the end of a finite path it holds, and may have failed before. In `shows_universal` it is vice versa.
            Form::Next(argument) => self.is_eventual(*argument),
            Form::Until(_, second) => self.is_eventual(*second),
            Form::Release(first, second) => self.is_eventual(*second) && (*first == Self::FALSE || self.is_eventual(*first)),
            _ => false,
        }
    }

    fn shows_universal(&self, form: &Form) -> bool {
        match form {
            Form::True | Form::False | Form::Release(Self::FALSE, _) | Form::Since(Self::TRUE, _) => true,
            Form::And(parts) | Form::Or(parts) => parts.iter().all(|&part| self.is_universal(part)),
            Form::WeakNext(argument) => self.is_universal(*argument),
            Form::Release(_, second) => self.is_universal(*second),
            Form::Until(first, second) => self.is_universal(*second) && (*first == Self::TRUE || self.is_universal(*first)),
            _ => false,
        }
    }

    /// Whether it has the same value at all positions of a path.
    pub(super) fn is_constant(&self, id: Id) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// Whether the first implies the second, as far as their form shows it.
    pub(super) fn implies(&mut self, first: Id, second: Id) -> bool {
        if first == second || first == Self::FALSE || second == Self::TRUE {
            return true;
        }
        if first == Self::TRUE || second == Self::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(first, second)) {
            return known;
        }
        // No cycle of questions: each step replaces a side by a part of it. Without the table, nested formulas would be compared
        // exponentially often.
        let found = self.implies_by_left(first, second) || self.implies_by_right(first, second) || self.implies_by_both(first, second);
        self.implications.insert((first, second), found);
        found
    }

    /// By the consequences of the first.
    fn implies_by_left(&mut self, first: Id, second: Id) -> bool {
        match self.form(first).clone() {
            // One conjunct may suffice; implications that need several of them together are not found.
            Form::And(parts) => parts.iter().any(|&part| self.implies(part, second)),
            Form::Or(parts) => parts.iter().all(|&part| self.implies(part, second)),
            // While it waits, `a` holds now; or `second` holds where `b` does, and an eventual formula that holds later holds now.
            Form::Until(a, b) => self.implies(b, second) && (self.implies(a, second) || self.is_eventual(second)),
            Form::Since(a, b) => self.implies(b, second) && (self.implies(a, second) || self.is_universal(second)),
            Form::Release(_, b) | Form::Trigger(_, b) => self.implies(b, second),
            // Strong next only: at the end of a finite path a weak one holds without anything that follows.
            Form::Next(argument) => self.is_eventual(second) && self.implies(argument, second),
            Form::Yesterday(argument) => self.is_universal(second) && self.implies(argument, second),
            _ => false,
        }
    }

    /// By what the second follows from.
    fn implies_by_right(&mut self, first: Id, second: Id) -> bool {
        match self.form(second).clone() {
            Form::And(parts) => parts.iter().all(|&part| self.implies(first, part)),
            Form::Or(parts) => parts.iter().any(|&part| self.implies(first, part)),
            Form::Until(_, b) | Form::Since(_, b) => self.implies(first, b),
            // `a` releases it at once; a universal premise instead ensures `b` to the end.
            Form::Release(a, b) => self.implies(first, b) && (self.implies(first, a) || self.is_universal(first)),
            Form::Trigger(a, b) => self.implies(first, b) && (self.implies(first, a) || self.is_eventual(first)),
            // Weak next only: the premise at this position does not imply that there is a next one.
            Form::WeakNext(argument) => self.is_universal(first) && self.implies(first, argument),
            Form::WeakYesterday(argument) => self.is_eventual(first) && self.implies(first, argument),
            _ => false,
        }
    }

    /// By monotonicity.
    fn implies_by_both(&mut self, first: Id, second: Id) -> bool {
        match (self.form(first).clone(), self.form(second).clone()) {
            (Form::Next(a), Form::Next(b) | Form::WeakNext(b))
            | (Form::WeakNext(a), Form::WeakNext(b))
            | (Form::Yesterday(a), Form::Yesterday(b) | Form::WeakYesterday(b))
            | (Form::WeakYesterday(a), Form::WeakYesterday(b)) => self.implies(a, b),
            (Form::Until(a, b), Form::Until(c, d))
            | (Form::Release(a, b), Form::Release(c, d))
            | (Form::Since(a, b), Form::Since(c, d))
            | (Form::Trigger(a, b), Form::Trigger(c, d)) => self.implies(a, c) && self.implies(b, d),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::expand::automaton;
    use crate::formula::Formula;
    use crate::normal::Normal;

    /// Equivalences share their arguments, which occur exponentially often in the formula as a tree.
    fn chain(length: u8, part: impl Fn(Formula) -> Formula) -> Formula {
        let parts = (0..length).map(|number| part(Formula::State(number)));
        parts.reduce(|left, right| Formula::Equivalent(Box::new(left), Box::new(right))).expect("some parts")
    }

    #[test]
    fn traits_of_shared_parts_are_found_once() {
        let always_again = |part| Formula::Globally(Box::new(Formula::Finally(Box::new(part))));
        let mut normal = Normal::new();
        let id = normal.of(&chain(40, always_again));
        assert!(normal.is_constant(id) && normal.speaks_of_future(id));
        let yesterday = Formula::Globally(Box::new(Formula::Yesterday(Box::new(chain(40, |part| part)))));
        assert!(automaton(&Formula::Not(Box::new(yesterday))).is_ok(), "it fails at the first position");
    }
}
