//! A conjunction while it is put in order: which conjuncts mention which names, and which names and conjuncts are left.
//!
//! Invariant: facts that depend on the text alone are computed once, and a conjunct is visited again only when one of its names got a
//! value, so that many names with an equation each cost no more than linear time. Deliberately elsewhere: the choice of the next action
//! (`order`).

use super::bounds::{self, Bounds};
use crate::eval::compile::Compiler;
use crate::eval::plan::Slot;
use crate::ir::{Pred, Type};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The facts that follow from the text of a conjunction.
pub(super) struct Conjunction<'p> {
    conjuncts: Vec<&'p Pred>,
    /// By conjunct: the names in it.
    mentions: Vec<BTreeSet<Slot>>,
    /// By name: the conjuncts that mention it, ascending.
    about: BTreeMap<Slot, Vec<usize>>,
    /// Bounds of integers by linear propagation, computed when first asked for.
    bounds: OnceCell<Bounds>,
}

/// The part of a conjunction that is left while its actions are put in order.
#[derive(Clone, Copy)]
pub(super) struct Unordered<'o, 'p> {
    /// The names of the search.
    pub(in crate::eval) locals: &'o [(Slot, Type)],
    pub(in crate::eval) conjuncts: &'o [&'p Pred],
    /// The places of the conjuncts that are not used yet, ascending.
    pub(in crate::eval) remaining: &'o [usize],
    /// By conjunct: the names in it.
    pub(in crate::eval) mentions: &'o [BTreeSet<Slot>],
    /// The names without a value.
    pub(in crate::eval) unbound: &'o BTreeSet<Slot>,
    conjunction: &'o Conjunction<'p>,
}

impl<'p> Conjunction<'p> {
    pub(super) fn new(compiler: &Compiler<'_>, conjuncts: &[&'p Pred]) -> Self {
        let mentions: Vec<BTreeSet<Slot>> = conjuncts.iter().map(|pred| compiler.slots_of_pred(pred)).collect();
        let mut about: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
        for (at, slots) in mentions.iter().enumerate() {
            for slot in slots {
                about.entry(*slot).or_default().push(at);
            }
        }
        Self { conjuncts: conjuncts.to_vec(), mentions, about, bounds: OnceCell::new() }
    }

    pub(super) fn left<'o>(&'o self, locals: &'o [(Slot, Type)], remaining: &'o [usize], unbound: &'o BTreeSet<Slot>) -> Unordered<'o, 'p> {
        Unordered { locals, conjuncts: &self.conjuncts, remaining, mentions: &self.mentions, unbound, conjunction: self }
    }

    fn about(&self, slot: Slot) -> &[usize] {
        self.about.get(&slot).map_or(&[], Vec::as_slice)
    }
}

impl<'o> Unordered<'o, '_> {
    /// The conjuncts left that mention a name.
    pub(super) fn about(self, slot: Slot) -> impl Iterator<Item = usize> + 'o {
        self.conjunction.about(slot).iter().copied().filter(move |at| self.remaining.binary_search(at).is_ok())
    }

    /// The least and the greatest number that a name can be, as far as they follow from all conjuncts.
    pub(super) fn bounds(self, compiler: &Compiler<'_>, slot: Slot) -> (Option<i64>, Option<i64>) {
        self.conjunction.bounds.get_or_init(|| bounds::propagated(compiler, self.conjuncts)).of(slot)
    }
}

/// The names and conjuncts that still wait for an action.
pub(super) struct Agenda {
    /// The names without a value.
    pub(in crate::eval) unbound: BTreeSet<Slot>,
    /// The places of the conjuncts that are not used yet, ascending.
    pub(in crate::eval) remaining: Vec<usize>,
    /// By conjunct: how many of its names have no value.
    open: Vec<usize>,
    /// Conjuncts of which a name got a value since the last look, at first all: they may be closed.
    changed: BTreeSet<usize>,
    /// Conjuncts that may give a name its only value by now.
    pub(in crate::eval) fresh: BTreeSet<usize>,
}

impl Agenda {
    pub(super) fn new(locals: &[(Slot, Type)], conjunction: &Conjunction<'_>) -> Self {
        let unbound: BTreeSet<Slot> = locals.iter().map(|(slot, _)| *slot).collect();
        let remaining: Vec<usize> = (0..conjunction.conjuncts.len()).collect();
        let open = conjunction.mentions.iter().map(|slots| slots.intersection(&unbound).count()).collect();
        Self { unbound, changed: remaining.iter().copied().collect(), remaining, open, fresh: BTreeSet::new() }
    }

    /// The conjuncts whose names all have values now, ascending; they are used up.
    pub(super) fn take_closed(&mut self) -> Vec<usize> {
        let mut closed = Vec::new();
        for at in std::mem::take(&mut self.changed) {
            if self.open[at] > 0 {
                // Still open, but new or with a name less: an equation may have become solvable.
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
    pub(super) fn bind(&mut self, slots: impl IntoIterator<Item = Slot>, conjunction: &Conjunction<'_>) {
        for slot in slots {
            // Once for each name, and a name counts once in a conjunct: `open` does not fall below zero.
            if self.unbound.remove(&slot) {
                for &at in conjunction.about(slot) {
                    self.open[at] -= 1;
                    self.changed.insert(at);
                }
            }
        }
    }
}
