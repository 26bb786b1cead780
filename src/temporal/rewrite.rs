//! Constructors of normal forms that rewrite: the result has the same value at every position of every path, and is usually smaller.
//!
//! Invariant: each rewriting is valid on finite paths and with past operators inside; where a rule of the literature is not (`G X f` is
//! `X G f` on infinite paths only), it is left out. Dual constructors negate their arguments and the result, so each rule is written once.
//! Deliberately elsewhere: nodes (`normal`), implications (`implication`).

use super::normal::{Form, Id, Normal};
use crate::thresholds::REWRITTEN_PARTS;

impl Normal {
    /// All of them.
    pub(super) fn and(&mut self, parts: &[Id]) -> Id {
        let mut parts: Vec<Id> = parts.iter().flat_map(|&part| self.conjuncts(part)).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.contains(&Self::FALSE) {
            return Self::FALSE;
        }
        if parts.len() <= REWRITTEN_PARTS.get() {
            for second in 1..parts.len() {
                for first in 0..second {
                    // From the beginning again, as the new part may combine with parts that were compared before. It ends because each rule
                    // makes the conjunction smaller.
                    if let Some(both) = self.combined(parts[first], parts[second]).or_else(|| self.combined(parts[second], parts[first])) {
                        parts.swap_remove(second);
                        parts[first] = both;
                        return self.and(&parts);
                    }
                }
            }
        }
        match parts[..] {
            [] => Self::TRUE,
            [part] => part,
            _ => self.intern(Form::And(parts.into_boxed_slice())),
        }
    }

    /// A formula that is simpler than the conjunction of two.
    fn combined(&mut self, first: Id, second: Id) -> Option<Id> {
        if self.implies(first, second) {
            return Some(first);
        }
        let refuted = self.negation(second);
        if self.implies(first, refuted) {
            return Some(Self::FALSE);
        }
        match (self.form(first).clone(), self.form(second).clone()) {
            (_, Form::Or(parts)) => {
                let mut left = Vec::new();
                for &part in &parts {
                    let refuted = self.negation(part);
                    if !self.implies(first, refuted) {
                        left.push(part);
                    }
                }
                // Unit propagation: disjuncts that the other conjunct refutes are gone.
                let other = (left.len() < parts.len()).then(|| self.or(&left))?;
                Some(self.and(&[first, other]))
            }
            // A strong next implies that there is a next position, and then the weak one is equivalent to a strong one.
            (Form::Next(a), Form::Next(b) | Form::WeakNext(b)) => Some(self.and(&[a, b])).map(|both| self.next(both)),
            (Form::WeakNext(a), Form::WeakNext(b)) => Some(self.and(&[a, b])).map(|both| self.weak_next(both)),
            (Form::Yesterday(a), Form::Yesterday(b) | Form::WeakYesterday(b)) => Some(self.and(&[a, b])).map(|both| self.yesterday(both)),
            (Form::WeakYesterday(a), Form::WeakYesterday(b)) => Some(self.and(&[a, b])).map(|both| self.weak_yesterday(both)),
            // Released at the same position. With different first arguments the earlier release decides, and nothing gets smaller.
            (Form::Release(a, b), Form::Release(c, d)) if a == c => Some(self.and(&[b, d])).map(|both| self.release(a, both)),
            (Form::Trigger(a, b), Form::Trigger(c, d)) if a == c => Some(self.and(&[b, d])).map(|both| self.trigger(a, both)),
            (Form::Until(Self::TRUE, b), Form::Until(Self::TRUE, d)) => match (self.form(b).clone(), self.form(d).clone()) {
                // FG is the value in the last state of a finite path.
                (Form::Release(Self::FALSE, _), Form::Release(Self::FALSE, _)) => {
                    Some(self.and(&[b, d])).map(|both| self.until(Self::TRUE, both))
                }
                _ => None,
            },
            // The first position where the second argument holds is equal for both.
            (Form::Until(a, b), Form::Until(c, d)) if b == d => Some(self.and(&[a, c])).map(|both| self.until(both, b)),
            (Form::Since(a, b), Form::Since(c, d)) if b == d => Some(self.and(&[a, c])).map(|both| self.since(both, b)),
            _ => None,
        }
    }

    /// One of them.
    pub(super) fn or(&mut self, parts: &[Id]) -> Id {
        let refuted: Vec<Id> = parts.iter().map(|&part| self.negation(part)).collect();
        let none = self.and(&refuted);
        self.negation(none)
    }

    /// There is a next position, and it holds there.
    pub(super) fn next(&mut self, argument: Id) -> Id {
        match *self.form(argument) {
            Form::False => Self::FALSE,
            Form::Yesterday(before) | Form::WeakYesterday(before) => {
                // The next position has a predecessor, so strong and weak yesterday agree there; that it exists must be stated.
                let is_not_last = self.intern(Form::Next(Self::TRUE));
                self.and(&[before, is_not_last])
            }
            _ => self.intern(Form::Next(argument)),
        }
    }

    /// If there is a next position, it holds there.
    pub(super) fn weak_next(&mut self, argument: Id) -> Id {
        self.dual(&[argument], |normal, refuted| normal.next(refuted[0]))
    }

    /// The first until the second.
    pub(super) fn until(&mut self, first: Id, second: Id) -> Id {
        // Where the second does not hold, the first must, so the first may be replaced by its simplification under this premise.
        if self.implies(first, second) || self.is_eventual(second) {
            return second;
        }
        let refuted = self.negation(second);
        if first != Self::TRUE && self.implies(refuted, first) {
            return self.until(Self::TRUE, second);
        }
        // Only for `F`: an until with a proper first argument would have to hold it for longer.
        let second = if first == Self::TRUE { self.at_some_time(second) } else { second };
        if let Some(outside) = self.outside_until(first, second) {
            return outside;
        }
        match (self.form(first).clone(), self.form(second).clone()) {
            // Next of both arguments is the whole until, one position later; on finite paths too, because both are strong.
            (Form::Next(a), Form::Next(b)) => Some(self.until(a, b)).map(|until| self.next(until)),
            (Form::True, Form::Next(b)) => Some(self.until(Self::TRUE, b)).map(|until| self.next(until)),
            (Form::True, Form::Until(_, b)) => Some(self.until(Self::TRUE, b)),
            // While the outer until waits, its first argument is enough for the inner one to wait as well.
            (_, Form::Until(a, _)) if self.implies(first, a) => Some(second),
            (Form::Until(a, b), _) if b == second => Some(self.until(a, b)),
            _ => None,
        }
        .unwrap_or_else(|| self.intern(Form::Until(first, second)))
    }

    /// An until with parts of its second argument pulled out: those with one value for the whole path, and eventual ones of `F`.
    fn outside_until(&mut self, first: Id, second: Id) -> Option<Id> {
        match self.form(second).clone() {
            Form::And(parts) => {
                let (outer, inner): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.is_constant(part));
                // A part that is constant along the path holds where the until is judged exactly if it holds where the second argument is
                // wanted.
                if outer.is_empty() {
                    return None;
                }
                let inner = self.and(&inner);
                let until = self.until(first, inner);
                Some(self.and(&[&[until], &outer[..]].concat()))
            }
            Form::Or(parts) => {
                // An eventual disjunct holds now if it holds at any time that the until could wait for.
                let is_outer = |&&part: &&Id| self.is_eventual(part) && first == Self::TRUE || self.is_constant(part);
                let (outer, inner): (Vec<Id>, Vec<Id>) = parts.iter().partition(is_outer);
                if outer.is_empty() {
                    return None;
                }
                let inner = self.or(&inner);
                let until = self.until(first, inner);
                Some(self.or(&[&[until], &outer[..]].concat()))
            }
            _ => None,
        }
    }

    /// The replacement for the argument of `F`. Eventually a universal formula `u` holds at the next position, if there is one, if and only
    /// if eventually `u` holds or there is none; and eventually `G (f or u)` if and only if eventually `G f` or `u`. (So `G X F f` is `G F
    /// f` where paths do not end, and `G F (f & F g)` is `G F f & G F g`.)
    fn at_some_time(&mut self, formula: Id) -> Id {
        let mut open = if let Form::Or(parts) = self.form(formula) { parts.to_vec() } else { vec![formula] };
        let mut sooner = Vec::new();
        while let Some(part) = open.pop() {
            match *self.form(part) {
                // `weak next false` holds exactly at the last position, and would be found again in its own replacement.
                Form::WeakNext(next) if next != Self::FALSE && self.is_universal(next) => {
                    sooner.push(self.intern(Form::WeakNext(Self::FALSE)));
                    open.push(next);
                }
                Form::Release(Self::FALSE, either) => {
                    let parts = if let Form::Or(parts) = self.form(either) { parts.to_vec() } else { Vec::new() };
                    let (universal, others): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.is_universal(part));
                    if universal.is_empty() {
                        sooner.push(part);
                    } else {
                        // A universal part may itself be simplified.
                        open.extend(universal);
                        let other = self.or(&others);
                        sooner.push(self.release(Self::FALSE, other));
                    }
                }
                _ => sooner.push(part),
            }
        }
        self.or(&sooner)
    }

    /// The second up to and including the first, or to the end.
    pub(super) fn release(&mut self, first: Id, second: Id) -> Id {
        self.dual(&[first, second], |normal, refuted| normal.until(refuted[0], refuted[1]))
    }

    /// There is a position before, and it holds there.
    pub(super) fn yesterday(&mut self, argument: Id) -> Id {
        match *self.form(argument) {
            Form::False => Self::FALSE,
            Form::Next(after) | Form::WeakNext(after) => {
                // The position before has one after it, so strong and weak next agree there.
                let is_not_first = self.intern(Form::Yesterday(Self::TRUE));
                self.and(&[after, is_not_first])
            }
            _ => self.intern(Form::Yesterday(argument)),
        }
    }

    /// If there is a position before, it holds there.
    pub(super) fn weak_yesterday(&mut self, argument: Id) -> Id {
        self.dual(&[argument], |normal, refuted| normal.yesterday(refuted[0]))
    }

    /// The first since the second.
    pub(super) fn since(&mut self, first: Id, second: Id) -> Id {
        // The mirror image of `until`: what held then and is universal holds now.
        if self.implies(first, second) || self.is_universal(second) {
            return second;
        }
        let refuted = self.negation(second);
        if first != Self::TRUE && self.implies(refuted, first) {
            return self.since(Self::TRUE, second);
        }
        match (self.form(first).clone(), self.form(second).clone()) {
            (Form::Yesterday(a), Form::Yesterday(b)) => Some(self.since(a, b)).map(|since| self.yesterday(since)),
            (Form::True, Form::Yesterday(b)) => Some(self.since(Self::TRUE, b)).map(|since| self.yesterday(since)),
            (Form::True, Form::Since(_, b)) => Some(self.since(Self::TRUE, b)),
            (_, Form::Since(a, _)) if self.implies(first, a) => Some(second),
            (Form::Since(a, b), _) if b == second => Some(self.since(a, b)),
            _ => None,
        }
        .unwrap_or_else(|| self.intern(Form::Since(first, second)))
    }

    /// The second since and including the first, or from the beginning.
    pub(super) fn trigger(&mut self, first: Id, second: Id) -> Id {
        self.dual(&[first, second], |normal, refuted| normal.since(refuted[0], refuted[1]))
    }

    /// A constructor by its dual.
    fn dual(&mut self, arguments: &[Id], constructor: impl FnOnce(&mut Self, &[Id]) -> Id) -> Id {
        let refuted: Vec<Id> = arguments.iter().map(|&argument| self.negation(argument)).collect();
        // Sound since negation is an involution on nodes: the dual of a valid equivalence is valid.
        let found = constructor(self, &refuted);
        self.negation(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::normal::normal_form;
    use crate::tests::random::{Kind, formula, word};
    use crate::word::{holds, values};
    use bcheck_source::SplitMix64;

    #[test]
    fn the_normal_form_has_the_value_of_the_formula_at_every_position() {
        for (seed, kind) in [(1, Kind::Future), (2, Kind::Past), (3, Kind::Mixed)] {
            let mut random = SplitMix64::new(seed);
            for _ in 0..1_500 {
                let formula = formula(&mut random, 9, kind);
                let normal = normal_form(&formula);
                for _ in 0..4 {
                    let word = word(&mut random, 5).unrolled(2);
                    let (formula_values, normal_values) = (values(&formula, &word), values(&normal, &word));
                    let last = |found: &crate::word::Values<'_>| found.rows.last().expect("itself").1[..word.letters.len()].to_vec();
                    assert_eq!(holds(&formula, &word), holds(&normal, &word), "{formula:?} became {normal:?} on {word:?}");
                    assert_eq!(last(&formula_values), last(&normal_values), "{formula:?} became {normal:?} on {word:?}");
                }
            }
        }
    }
}
