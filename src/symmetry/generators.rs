//! Generators of the group, and permutations for constraints that break symmetries.
//!
//! Invariant: each is a member of the group. Deliberately elsewhere: which elements may move (`group`).

use super::{Permutation, Symmetry, group};
use crate::thresholds::SOLVER_RENAMINGS;
use bcheck_value::Renaming;

impl Symmetry {
    /// Permutations that generate the group.
    #[must_use]
    pub fn generators(&self) -> Vec<Permutation> {
        if self.skeleton.is_some() {
            return self.generators.clone();
        }
        // Transpositions of neighbours generate the symmetric group.
        self.transpositions(1).collect()
    }

    /// A small set of generators of the group: a transposition and a cycle generate all permutations of a set.
    #[must_use]
    pub fn few_generators(&self) -> Vec<Permutation> {
        if self.skeleton.is_some() {
            return self.generators.clone();
        }
        let mut generators = Vec::new();
        for (set, elements) in self.movable.iter().filter(|(_, elements)| elements.len() > 1) {
            generators.push(group::transposition(*set, elements[0], elements[1]));
            if elements.len() > 2 {
                generators.push(group::cycle(*set, elements));
            }
        }
        generators
    }

    /// Some members of the group, as functions on values, for constraints that break symmetries: transpositions of elements that are close
    /// to each other first, at most 200 of them; where not all permutations are symmetries, the generators.
    #[must_use]
    pub fn renamings(&self) -> Vec<Renaming> {
        let longest = self.movable.iter().map(|(_, elements)| elements.len()).max().unwrap_or(0);
        let transpositions = || (1..longest).flat_map(|distance| self.transpositions(distance)).take(SOLVER_RENAMINGS.get()).collect();
        let permutations = if self.skeleton.is_some() { self.generators.clone() } else { transpositions() };
        let renaming = |permutation: Permutation| -> Renaming { Box::new(move |value| permutation.apply(value)) };
        permutations.into_iter().map(renaming).collect()
    }

    /// The transpositions of movable elements of one set at this distance from each other.
    fn transpositions(&self, distance: usize) -> impl Iterator<Item = Permutation> {
        self.movable.iter().flat_map(move |(set, elements)| {
            elements.iter().zip(elements.iter().skip(distance)).map(|(one, other)| group::transposition(*set, *one, *other))
        })
    }
}
