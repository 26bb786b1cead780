//! How formulas are satisfied in one step, by their expansion laws (the tableau rules): the terms of a formula at a position that has a
//! next one, and at the end of a finite path.
//!
//! Invariant: a formula holds at a position if and only if one of its terms does: what it reads, and what it leaves to the next position.
//! Each until has an acceptance set, and a term that leaves the until to the next position puts it off. Deliberately elsewhere: sets of
//! formulas (`expand`), operations on terms (`term`).

use super::normal::{Form, Id, Normal};
use super::term::{Term, absorbed, product};
use crate::thresholds::{JOINED_TERMS, TERM_PAIRS};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;

/// Why formulas have no terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// There are more acceptance sets than bits.
    AcceptanceSets,
    /// There are too many terms.
    Terms,
}

/// The terms of a formula.
pub(super) type Terms = Result<Rc<[Term]>, Excess>;

/// The terms of formulas, memoised.
pub(super) struct Steps {
    /// The formulas.
    pub(super) normal: Normal,
    /// The untils, by the number of their acceptance set.
    acceptance_sets: IndexSet<Id, FxBuildHasher>,
    rows: FxHashMap<Id, Rc<[Term]>>,
    ends: FxHashMap<Id, Rc<[Term]>>,
    work: usize,
}

impl Steps {
    pub(crate) fn new(normal: Normal) -> Self {
        Self { normal, acceptance_sets: IndexSet::default(), rows: FxHashMap::default(), ends: FxHashMap::default(), work: 0 }
    }

    /// The number of acceptance sets so far.
    pub(super) fn acceptance_sets(&self) -> u32 {
        u32::try_from(self.acceptance_sets.len()).expect("at most 64")
    }

    /// How a formula is satisfied at a position that has a next one.
    pub(super) fn row(&mut self, id: Id) -> Terms {
        if let Some(known) = self.rows.get(&id) {
            return Ok(Rc::clone(known));
        }
        let later = |normal: &Normal, next: Id, postponed: u64| {
            let terms =
                if next == Normal::FALSE { Vec::new() } else { vec![Term { next: normal.conjuncts(next), postponed, ..Term::default() }] };
            Rc::from(terms)
        };
        let terms = match self.normal.form(id).clone() {
            Form::And(parts) => self.all(&parts, Self::row)?,
            Form::Or(parts) => self.any(&parts, Self::row)?,
            Form::Next(next) | Form::WeakNext(next) => later(&self.normal, next, 0),
            Form::Until(first, second) => {
                let (acceptance_set, _) = self.acceptance_sets.insert_full(id);
                if acceptance_set >= 64 {
                    return Err(Excess::AcceptanceSets);
                }
                let (lasting, now) = (self.row(first)?, self.row(second)?);
                // The expansion law: `f U g` is `g or (f and X (f U g))`. The next is strong, as this is a position that has a next one.
                let lasting = self.product(&lasting, &later(&self.normal, id, 1 << acceptance_set))?;
                Rc::from(absorbed([&now[..], &lasting[..]].concat()))
            }
            Form::Release(first, second) => {
                let (released, now) = (self.row(first)?, self.row(second)?);
                // `f R g` is `g and (f or weak X (f R g))`. It has no acceptance set: waiting forever is allowed.
                let either = absorbed([&released[..], &later(&self.normal, id, 0)[..]].concat());
                Rc::from(self.product(&now, &either)?)
            }
            literal => Self::literal(&literal),
        };
        self.rows.insert(id, Rc::clone(&terms));
        Ok(terms)
    }

    /// The terms that satisfy a formula at the last position of a finite path: no step is taken, and nothing follows.
    pub(super) fn end(&mut self, id: Id) -> Terms {
        if let Some(known) = self.ends.get(&id) {
            return Ok(Rc::clone(known));
        }
        let terms = match self.normal.form(id).clone() {
            Form::And(parts) => self.all(&parts, Self::end)?,
            Form::Or(parts) => self.any(&parts, Self::end)?,
            // No step is taken at the end, so no proposition of a step holds.
            Form::Next(_) | Form::Step(_, true) => Rc::from([]),
            Form::WeakNext(_) | Form::Step(_, false) => Rc::from([Term::default()]),
            // The expansion laws without a next position: of both the second argument is left.
            Form::Until(_, second) | Form::Release(_, second) => self.end(second)?,
            literal => Self::literal(&literal),
        };
        self.ends.insert(id, Rc::clone(&terms));
        Ok(terms)
    }

    fn literal(form: &Form) -> Rc<[Term]> {
        let mut term = Term::default();
        match *form {
            Form::State(proposition, true) => term.reads.state_true = 1 << proposition,
            Form::State(proposition, false) => term.reads.state_false = 1 << proposition,
            Form::Step(proposition, true) => term.reads.step_true = 1 << proposition,
            Form::Step(proposition, false) => term.reads.step_false = 1 << proposition,
            Form::Bit(bit, true) => term.bits_true = 1 << bit,
            Form::Bit(bit, false) => term.bits_false = 1 << bit,
            // The empty disjunction is false; a term without requirements is true.
            Form::False => return Rc::from([]),
            _ => {}
        }
        Rc::from([term])
    }

    fn all(&mut self, parts: &[Id], satisfied: fn(&mut Self, Id) -> Terms) -> Terms {
        let mut terms = vec![Term::default()];
        for &part in parts {
            let part = satisfied(self, part)?;
            terms = self.product(&terms, &part)?;
        }
        Ok(Rc::from(terms))
    }

    fn any(&mut self, parts: &[Id], satisfied: fn(&mut Self, Id) -> Terms) -> Terms {
        let mut terms = Vec::new();
        for &part in parts {
            terms.extend(satisfied(self, part)?.iter().cloned());
        }
        // Charged before they are compared, so that excessive work is refused before it is done.
        self.spend(terms.len() * terms.len())?;
        Ok(Rc::from(absorbed(terms)))
    }

    /// A term of each list.
    pub(super) fn product(&mut self, left: &[Term], right: &[Term]) -> Result<Vec<Term>, Excess> {
        let pairs = left.len() * right.len();
        if pairs > JOINED_TERMS.get() {
            return Err(Excess::Terms);
        }
        let terms = product(left, right);
        // Each product costs about as much as comparing some terms, however small it is.
        self.spend(pairs * (terms.len() + 1) + 16)?;
        Ok(terms)
    }

    /// Counts comparisons, so that a formula that is too large is refused in time.
    pub(super) fn spend(&mut self, pairs: usize) -> Result<(), Excess> {
        self.work = self.work.saturating_add(pairs);
        if self.work > TERM_PAIRS.get() { Err(Excess::Terms) } else { Ok(()) }
    }
}
