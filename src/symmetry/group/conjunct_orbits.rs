//! The orbits of the conjuncts of the invariant, and of the assertions, under the symmetries of the text.
//!
//! Where `x /= a` is false in a state, its image `x /= b` is false in an image of the state. So the conjunct that fails in a
//! representative need not be the one that fails in the reported run, nor the first to fail in a search without reduction. The *least
//! image* of the failing conjunct is equal for all states of an orbit, hence with and without reduction.
//! Invariant: a transversal element is a product of generators of the group and maps the value of one conjunct to that of the other.
//! Source: Schreier trees (orbits with a transversal).

use super::text::{self, Conjunct};
use super::well_defined::Trust;
use crate::permutation::Permutation;
use bcheck_ir::Model;
use bcheck_value::Element;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The conjuncts of one clause with their least images.
#[derive(Clone, Debug, Default)]
pub struct LeastImages {
    /// By conjunct: its least image, and a symmetry that maps it there. Empty if each conjunct is its own only image.
    least: Vec<(usize, Permutation)>,
}

/// The images of the formulas that are checked in each state.
#[derive(Clone, Debug, Default)]
pub struct ConjunctOrbits {
    /// Of the conjuncts of the invariant.
    pub invariant: LeastImages,
    /// Of the assertions.
    pub assertions: LeastImages,
}

impl ConjunctOrbits {
    /// Reads a machine; `generators` generate its symmetries.
    pub fn new(model: &Model, trust: Trust, generators: &[Permutation]) -> Self {
        let moved: BTreeSet<Element> = generators.iter().flat_map(Permutation::cycles).flatten().collect();
        let text = text::read(model, trust, &|element| moved.contains(&element));
        Self { invariant: LeastImages::new(&text.invariant, generators), assertions: LeastImages::new(&text.assertions, generators) }
    }
}

impl LeastImages {
    fn new(conjuncts: &[Conjunct], generators: &[Permutation]) -> Self {
        // Repeated conjuncts are true in the same states, so the first one represents them. The run is part of the key: conjuncts of
        // different runs are evaluated in sequence, so that a symmetry cannot swap them.
        let mut first: FxHashMap<_, usize> = FxHashMap::default();
        for (at, conjunct) in conjuncts.iter().enumerate() {
            first.entry((conjunct.run, &conjunct.value)).or_insert(at);
        }
        // One Schreier tree per orbit. Roots are visited in ascending order, so a root is the least conjunct of its orbit.
        let mut least: Vec<Option<(usize, Permutation)>> = vec![None; conjuncts.len()];
        for root in 0..conjuncts.len() {
            if least[root].is_some() {
                continue;
            }
            least[root] = Some((root, Permutation::identity()));
            let mut orbit = vec![root];
            let mut at = 0;
            while let Some(&from) = orbit.get(at) {
                at += 1;
                let Some((_, to_root)) = least[from].clone() else { continue };
                for generator in generators {
                    let image = generator.apply(&conjuncts[from].value);
                    // It is there, as a symmetry of the text permutes the conjuncts of a run. If it were not, this conjunct would only be
                    // fewer times an image.
                    let Some(&to) = first.get(&(conjuncts[from].run, &image)) else { continue };
                    if least[to].is_none() {
                        // `generator` maps `from` to `to`; back along the edge, then on to the root.
                        least[to] = Some((root, generator.inverse().then(&to_root)));
                        orbit.push(to);
                    }
                }
            }
        }
        // A repeated conjunct has the images of the first one.
        for (at, conjunct) in conjuncts.iter().enumerate() {
            let first = first[&(conjunct.run, &conjunct.value)];
            least[at] = least[first].clone();
        }
        let is_fixed = least.iter().enumerate().all(|(at, least)| least.as_ref().is_none_or(|(root, _)| *root == at));
        Self { least: if is_fixed { Vec::new() } else { least.into_iter().flatten().collect() } }
    }

    /// The least image of a conjunct.
    #[must_use]
    pub fn least(&self, conjunct: usize) -> usize {
        self.least.get(conjunct).map_or(conjunct, |(least, _)| *least)
    }

    /// The least conjunct that is the first to fail in some image of a state, where `first` is the first to fail.
    #[must_use]
    pub fn least_of(&self, first: usize, fails: impl Fn(usize) -> bool) -> usize {
        // Conjuncts before `first` hold, so they need not be tried.
        let mut least = self.least(first);
        for other in first + 1..self.least.len() {
            if self.least(other) < least && fails(other) {
                least = self.least(other);
            }
        }
        least
    }

    /// The transversal element that maps a state in which some conjunct with this least image fails to one in which the least one fails.
    #[must_use]
    pub fn transversal_element(&self, least: usize, fails: impl Fn(usize) -> bool) -> Permutation {
        let mut candidates = self.least.iter().enumerate().filter(|(_, (root, _))| *root == least);
        candidates.find(|(at, _)| fails(*at)).map_or_else(Permutation::identity, |(_, (_, element))| element.clone())
    }
}
