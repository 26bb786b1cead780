//! Which constants PROPERTIES make distinct: a graph of disequalities, in which a clique is a lower bound of the size of a set.
//!
//! Invariant: only what a conjunct states is known; nothing is derived from types or other conjuncts. Deliberately elsewhere: which
//! conjuncts state it (`hints`).

use std::collections::{BTreeMap, BTreeSet};

/// Which constants are known to differ, and which to be equal.
#[derive(Default)]
pub(super) struct Distinct<'e> {
    /// By constant, those that it differs from: the edges of a graph, in both directions.
    differ: BTreeMap<&'e str, BTreeSet<&'e str>>,
    equal: Vec<(&'e str, &'e str)>,
}

/// A largest set of distinct constants is sought among this many, in exponential time at worst; of the others, each that differs from all
/// found before is added.
const MOST_CONSTANTS: usize = 24;

impl<'e> Distinct<'e> {
    /// All of these differ from each other.
    pub(super) fn each_other(&mut self, names: &BTreeSet<&'e str>) {
        for name in names {
            self.differ.entry(name).or_default().extend(names.iter().filter(|other| *other != name));
        }
    }

    /// All of one differ from all of the other.
    pub(super) fn disjoint(&mut self, one: &BTreeSet<&'e str>, other: &BTreeSet<&'e str>) {
        for (from, to) in [(one, other), (other, one)] {
            for name in from {
                self.differ.entry(name).or_default().extend(to.iter().filter(|other| *other != name));
            }
        }
    }

    /// These two are equal.
    pub(super) fn equal(&mut self, one: &'e str, other: &'e str) {
        self.equal.push((one, other));
    }

    /// The greatest number of different values that these constants can have, by the stated equations between constants.
    pub(super) fn classes(&self, names: &BTreeSet<&'e str>) -> usize {
        // Each constant starts with itself as representative; an equation gives the class of one side the representative of the other.
        let mut class_of: BTreeMap<&str, &str> = BTreeMap::new();
        for &(one, other) in &self.equal {
            let (kept, replaced) = (*class_of.entry(one).or_insert(one), *class_of.entry(other).or_insert(other));
            class_of.values_mut().filter(|class| **class == replaced).for_each(|class| *class = kept);
        }
        names.iter().map(|name| class_of.get(name).unwrap_or(name)).collect::<BTreeSet<_>>().len()
    }

    /// A number of pairwise distinct constants, among these and those that have the same type because they are compared with them: the
    /// size of a clique in the graph of disequalities, a largest one up to [`MOST_CONSTANTS`] constants.
    pub(super) fn most(&self, names: &[&'e str]) -> usize {
        // Depth first along disequalities. The names are reversed because the last one is popped first.
        let mut alike: Vec<&str> = Vec::new();
        let mut next: Vec<&str> = names.iter().rev().copied().collect();
        while let Some(name) = next.pop() {
            if !alike.contains(&name) {
                alike.push(name);
                next.extend(self.of(name));
            }
        }
        let (first, rest) = alike.split_at(alike.len().min(MOST_CONSTANTS));
        let mut best = Vec::new();
        self.extend(&mut Vec::new(), first, &mut best);
        for name in rest {
            if best.iter().all(|other| self.of(name).any(|differs| differs == *other)) {
                best.push(*name);
            }
        }
        best.len()
    }

    fn of(&self, name: &str) -> impl Iterator<Item = &'e str> + '_ {
        self.differ.get(name).into_iter().flatten().copied()
    }

    /// Branch and bound for a largest clique: each candidate is taken or left. All of `taken` differ from each other and from every
    /// candidate.
    fn extend<'n>(&self, taken: &mut Vec<&'n str>, candidates: &[&'n str], best: &mut Vec<&'n str>) {
        if taken.len() > best.len() {
            best.clone_from(taken);
        }
        let Some((first, rest)) = candidates.split_first() else { return };
        // The bound of Carraghan and Pardalos ("An exact algorithm for the maximum clique problem", 1990):
        // even with all candidates the clique would be no larger than the best.
        if taken.len() + candidates.len() <= best.len() {
            return;
        }
        let near: Vec<&str> = rest.iter().copied().filter(|other| self.of(first).any(|differs| differs == *other)).collect();
        taken.push(*first);
        self.extend(taken, &near, best);
        taken.pop();
        self.extend(taken, rest, best);
    }
}
