//! A conjunction while its conjuncts are ordered: which conjuncts mention which names, and which names and conjuncts are left.
//!
//! Invariant: facts that depend on the text alone are computed once, and a conjunct is examined again only when one of its names gets a
//! value, so that many equations are not examined again for each name. Deliberately elsewhere: the choice of the next action (`greedy`).

use super::bounds::{self, Bounds};
use crate::compile::names::Names;
use crate::plan::Slot;
use bcheck_ir::{Pred, Type};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// A conjunction, with facts that follow from its text.
pub(super) struct Conjunction<'p> {
    /// The names of the search.
    locals: &'p [(Slot, Type)],
    conjuncts: Vec<&'p Pred>,
    /// By conjunct: the slots that it reads.
    mentions: Vec<BTreeSet<Slot>>,
    /// By name: the conjuncts that mention it, ascending.
    about: BTreeMap<Slot, Vec<usize>>,
    /// Bounds of integers by linear propagation, computed lazily.
    bounds: OnceCell<Bounds>,
}

/// The part of a conjunction that has no action yet.
#[derive(Clone, Copy)]
pub(super) struct Unordered<'o, 'p> {
    conjunction: &'o Conjunction<'p>,
    /// The places of the conjuncts that are not used yet, ascending.
    remaining: &'o [usize],
    /// The names without a value.
    pub(crate) unbound: &'o BTreeSet<Slot>,
}

impl<'p> Conjunction<'p> {
    pub(super) fn new(names: Names<'_>, locals: &'p [(Slot, Type)], conjuncts: &[&'p Pred]) -> Self {
        let mentions: Vec<BTreeSet<Slot>> = conjuncts.iter().map(|pred| names.slots_of_pred(pred)).collect();
        let mut about: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
        for (at, slots) in mentions.iter().enumerate() {
            for slot in slots {
                about.entry(*slot).or_default().push(at);
            }
        }
        Self { locals, conjuncts: conjuncts.to_vec(), mentions, about, bounds: OnceCell::new() }
    }

    fn about(&self, slot: Slot) -> &[usize] {
        self.about.get(&slot).map_or(&[], Vec::as_slice)
    }
}

impl<'o, 'p> Unordered<'o, 'p> {
    /// The conjuncts left, each with its place.
    pub(super) fn conjuncts(self) -> impl Iterator<Item = (usize, &'p Pred)> + 'o {
        self.remaining.iter().map(move |&at| (at, self.conjunct(at)))
    }

    /// The conjunct at a place.
    pub(super) fn conjunct(self, at: usize) -> &'p Pred {
        self.conjunction.conjuncts[at]
    }

    /// All conjuncts, including those that are used up: they hold for every binding that is visited, and so does what follows from them.
    pub(super) fn all(self) -> &'o [&'p Pred] {
        &self.conjunction.conjuncts
    }

    /// The names in the conjunct at a place.
    pub(super) fn mentions(self, at: usize) -> &'o BTreeSet<Slot> {
        &self.conjunction.mentions[at]
    }

    /// The names without a value, with their types.
    pub(super) fn names(self) -> impl Iterator<Item = &'p (Slot, Type)> + 'o {
        self.conjunction.locals.iter().filter(move |(slot, _)| self.unbound.contains(slot))
    }

    /// The conjuncts left that mention a name.
    pub(super) fn about(self, slot: Slot) -> impl Iterator<Item = (usize, &'p Pred)> + 'o {
        let places = self.conjunction.about(slot).iter().filter(move |at| self.remaining.binary_search(at).is_ok());
        places.map(move |&at| (at, self.conjunct(at)))
    }

    /// The least and the greatest number that a name can be, as far as they follow from all conjuncts.
    pub(super) fn bounds(self, names: Names<'_>, slot: Slot) -> (Option<i64>, Option<i64>) {
        self.conjunction.bounds.get_or_init(|| bounds::propagated(names, self.all())).of(slot)
    }
}

/// The names and conjuncts of a conjunction that have no action yet.
pub(super) struct Remainder<'o, 'p> {
    conjunction: &'o Conjunction<'p>,
    /// The names without a value.
    pub(crate) unbound: BTreeSet<Slot>,
    /// The places of the conjuncts that are not used yet, ascending.
    pub(crate) remaining: Vec<usize>,
    /// By conjunct: how many of its names have no value.
    open: Vec<usize>,
    /// Conjuncts that may have become closed: one of their names has got a value since the last [`Remainder::take_closed`]. At first all.
    changed: BTreeSet<usize>,
    /// Conjuncts that have changed and are not closed: they may have become equations that determine a name.
    pub(crate) fresh: BTreeSet<usize>,
}

impl<'o, 'p> Remainder<'o, 'p> {
    pub(super) fn new(conjunction: &'o Conjunction<'p>) -> Self {
        let unbound: BTreeSet<Slot> = conjunction.locals.iter().map(|(slot, _)| *slot).collect();
        let remaining: Vec<usize> = (0..conjunction.conjuncts.len()).collect();
        // Names of binders inside a conjunct are not among those of the search, and so are not counted.
        let open = conjunction.mentions.iter().map(|slots| slots.intersection(&unbound).count()).collect();
        Self { conjunction, unbound, changed: remaining.iter().copied().collect(), remaining, open, fresh: BTreeSet::new() }
    }

    /// The rest of the conjunction.
    pub(super) fn left(&self) -> Unordered<'_, 'p> {
        Unordered { conjunction: self.conjunction, remaining: &self.remaining, unbound: &self.unbound }
    }

    /// The conjuncts whose names all have values now, ascending; they are used up.
    pub(super) fn take_closed(&mut self) -> Vec<usize> {
        let mut closed = Vec::new();
        for at in std::mem::take(&mut self.changed) {
            if self.open[at] > 0 {
                // New, or with one unbound name fewer: an equation may have become solvable.
                self.fresh.insert(at);
            } else if self.remaining.binary_search(&at).is_ok() {
                closed.push(at);
            }
        }
        self.consume(&mut closed);
        closed
    }

    /// These conjuncts are used up.
    pub(super) fn consume(&mut self, used: &mut [usize]) {
        if !used.is_empty() {
            used.sort_unstable();
            self.remaining.retain(|at| used.binary_search(at).is_err());
        }
    }

    /// These names have values from now on.
    pub(super) fn bind(&mut self, slots: impl IntoIterator<Item = Slot>) {
        for slot in slots {
            // `open` counts each unbound name of a conjunct once, and a name is removed once: no underflow.
            if self.unbound.remove(&slot) {
                for &at in self.conjunction.about(slot) {
                    self.open[at] -= 1;
                    self.changed.insert(at);
                }
            }
        }
    }
}
