//! Constraints of integers that wait for propagation, and the literals that wake them.
//!
//! Invariant: a constraint is in the queue at most once. Deliberately elsewhere: the bounds that wake constraints (`integers`), what the
//! constraints say (`inequalities`, `products`, `disequalities`).

use super::Lit;
use std::collections::VecDeque;

bcheck_source::numbers! {
    /// The number of an inequality.
    pub(super) InequalityNumber;
    /// The number of a product.
    pub(super) ProductNumber;
    /// The number of a disequality.
    pub(super) DisequalityNumber;
}

/// A constraint by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Propagator {
    Inequality(InequalityNumber),
    Product(ProductNumber),
    Disequality(DisequalityNumber),
}

impl Propagator {
    /// The kind, and the number as an index.
    #[inline]
    fn split(self) -> (usize, usize) {
        match self {
            Propagator::Inequality(at) => (0, at.index()),
            Propagator::Product(at) => (1, at.index()),
            Propagator::Disequality(at) => (2, at.index()),
        }
    }
}

/// The integer propagators to run once the clauses are propagated.
#[derive(Default)]
pub(super) struct Agenda {
    queue: VecDeque<Propagator>,
    /// By kind and number of a constraint: whether it is in the queue.
    waits: [Vec<bool>; 3],
    /// By literal, as far as any is a condition: the constraints that it is the condition of.
    conditions: Vec<Vec<Propagator>>,
}

impl Agenda {
    /// Takes in a new constraint, the next one of its kind, which has to be propagated a first time.
    pub(super) fn add(&mut self, propagator: Propagator) {
        let (kind, index) = propagator.split();
        debug_assert_eq!(self.waits[kind].len(), index, "constraints are numbered in order");
        self.waits[kind].push(true);
        self.queue.push_back(propagator);
    }

    /// Propagates a constraint whenever a literal becomes true.
    pub(super) fn watch(&mut self, condition: Lit, propagator: Propagator) {
        if self.conditions.len() <= condition.index() {
            self.conditions.resize(condition.index() + 1, Vec::new());
        }
        self.conditions[condition.index()].push(propagator);
    }

    /// Puts the constraints of which a literal is the condition into the queue.
    #[inline]
    pub(super) fn wake(&mut self, literal: Lit) {
        let propagators = self.conditions.get(literal.index()).map_or(0, Vec::len);
        for at in 0..propagators {
            self.enqueue(self.conditions[literal.index()][at]);
        }
    }

    /// Puts a constraint into the queue, once.
    #[inline]
    pub(super) fn enqueue(&mut self, propagator: Propagator) {
        let (kind, index) = propagator.split();
        if !std::mem::replace(&mut self.waits[kind][index], true) {
            self.queue.push_back(propagator);
        }
    }

    /// Takes the next constraint out of the queue.
    pub(super) fn next(&mut self) -> Option<Propagator> {
        let propagator = self.queue.pop_front()?;
        let (kind, index) = propagator.split();
        self.waits[kind][index] = false;
        Some(propagator)
    }

    /// Empties the queue.
    pub(super) fn clear(&mut self) {
        while self.next().is_some() {}
    }
}
