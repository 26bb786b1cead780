//! The search tree of a component that refinement does not make discrete: each vertex of the target cell is individualised in turn, and
//! the least leaf is kept.
//!
//! A vertex in the orbit of one that was tried before is pruned; therefore automorphisms are looked for first: when a vertex has the same
//! trace as the best one so far, one greedy descent mostly yields the same certificate, and only if it does not, the whole subtree is
//! searched.
//! Invariant: a descent proves that two vertices are in one orbit, or nothing; it never decides which leaf is least. Source: search tree,
//! node invariants and orbit pruning as in McKay, Piperno, "Practical graph isomorphism, II" (2014). What differs: each node is solved by
//! components ([`solver`](super::solver)), and a whole subtree is one step of its parent.

use super::bits::{Bits, Vertex};
use super::certificates::Certificates;
use super::orbits::Orbits;
use super::partition::Partition;
use super::results::{ResultMarks, Results};
use super::solver::Solver;
use super::structure::Structure;
use std::cmp::Ordering;

/// The least result of a search so far: the best leaf below the vertices that were tried.
#[derive(Clone, Debug, Default)]
struct BestLeaf<B> {
    vertex: Option<Vertex>,
    trace: Vec<u64>,
    order: Vec<Vertex>,
    factors: Vec<u32>,
    groups: Vec<Vec<Vec<Vertex>>>,
    /// Made when a second vertex has the same trace.
    certificate: Vec<B>,
}

impl<B: Bits> BestLeaf<B> {
    /// Replaces it by the results on the stacks.
    fn take(&mut self, vertex: Vertex, results: &mut Results, marks: ResultMarks) {
        self.vertex = Some(vertex);
        self.order.clear();
        self.order.extend_from_slice(&results.order[marks.order..]);
        self.factors.clear();
        self.factors.extend_from_slice(&results.factors[marks.factors..]);
        self.groups.clear();
        self.groups.extend(results.groups.drain(marks.groups..));
        self.certificate.clear();
    }

    /// Compares the top of the stack of orders with it.
    fn compare(
        &mut self,
        order: &[Vertex],
        structure: &Structure<B>,
        partition: &Partition<B>,
        certificates: &mut Certificates<B>,
    ) -> Ordering {
        // Made on demand: where the traces of all other vertices differ from the best one, no certificate is needed.
        if self.certificate.is_empty() {
            let bottom = certificates.mark();
            certificates.push(structure, &self.order, &partition.universe);
            certificates.move_to(bottom, &mut self.certificate);
        }
        certificates.compare(structure, order, &partition.universe, &self.certificate)
    }

    /// Puts it on the stacks.
    fn give(&mut self, results: &mut Results) {
        results.order.extend_from_slice(&self.order);
        results.factors.extend_from_slice(&self.factors);
        results.groups.append(&mut self.groups);
    }
}

/// Working memory of one search.
#[derive(Clone, Debug, Default)]
struct Search<B> {
    orbits: Orbits,
    best: BestLeaf<B>,
}

/// How far searches may go, and how far they went.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches<B> {
    /// Working memory of inactive searches, the outermost on top.
    idle: Vec<Search<B>>,
    /// The number of vertices that may still be individualised.
    budget: u32,
    /// Whether an alternative was left out.
    is_cut_short: bool,
    /// Whether searches take the first alternative only (a greedy descent).
    is_greedy: bool,
    /// Whether a search did so since this was last reset.
    was_greedy: bool,
}

impl<B: Bits> Searches<B> {
    /// Begins a structure; at most `budget` vertices may be individualised.
    pub(super) fn begin(&mut self, budget: u32) {
        self.budget = budget;
        self.is_cut_short = false;
    }

    /// Whether no alternative was left out.
    pub(super) fn is_exact(&self) -> bool {
        !self.is_cut_short
    }

    /// Records that an alternative is left out.
    pub(super) fn cut_short(&mut self) {
        self.is_cut_short = true;
    }
}

impl<B: Bits> Solver<B> {
    /// Solves a partition whose live vertices are connected.
    pub(super) fn search(&mut self, partition: &Partition<B>, level: usize) {
        // A canonical choice: it depends on positions and sizes of cells alone. The first smallest cell has the fewest branches; bliss has
        // the same rule among its cell selectors.
        let target = partition.smallest_cell().expect("the partition is not discrete");
        let cell = partition.vertices(target).clone();
        if self.searches.is_greedy {
            self.searches.was_greedy = true;
            let vertex = cell.first().expect("a cell is not empty");
            self.individualise(partition, level, vertex, None);
            self.solve(level + 1);
            return;
        }
        let mut search = self.searches.idle.pop().unwrap_or_default();
        let Search { orbits, best } = &mut search;
        best.vertex = None;
        // Orbits are reset: automorphisms found by an enclosing search need not preserve this partition.
        orbits.begin(self.structure.len);
        let (marks, mut united) = (self.results.marks(), self.results.begin_search());
        for vertex in cell.ones() {
            // Vertices are tried in ascending order, and the least of an orbit, its root, represents it: an automorphism of the partition
            // that maps it to `vertex` maps one subtree to the other, so both have equal results.
            if orbits.find(vertex) != vertex {
                continue;
            }
            // The first vertex is tried in any case: there must be some order.
            if (self.searches.budget == 0 || self.refiner.stop.is_raised()) && best.vertex.is_some() {
                self.searches.cut_short();
                break;
            }
            let rival = best.vertex.is_some().then_some(&best.trace[..]);
            match self.individualise(partition, level, vertex, rival) {
                // Results are compared by trace first, then by certificate.
                Ordering::Greater => continue,
                Ordering::Less => {
                    std::mem::swap(&mut best.trace, &mut self.refiner.trace);
                    self.solve(level + 1);
                    best.take(vertex, &mut self.results, marks);
                }
                Ordering::Equal => self.compare_leaves(partition, level, best, marks, vertex),
            }
            self.results.truncate(marks);
            united = self.results.unite(united, orbits);
        }
        let root = orbits.find(best.vertex.expect("the first vertex is always tried"));
        let orbit = cell.ones().map(|vertex| u32::from(orbits.find(vertex) == root)).sum();
        best.give(&mut self.results);
        // Orbit-stabiliser theorem; the factors of the best leaf are those of the stabiliser of its vertex. The orbit is complete: each of
        // its vertices has the same trace and certificate, so it was either united before its turn or compared equal to the best one.
        if orbit > 1 {
            self.results.factors.push(orbit);
        }
        self.results.end_search();
        self.searches.idle.push(search);
    }

    /// Solves the next level for a vertex with the same trace as the best one, and keeps the lesser of the two leaves.
    fn compare_leaves(&mut self, partition: &Partition<B>, level: usize, best: &mut BestLeaf<B>, marks: ResultMarks, vertex: Vertex) {
        // An equal certificate proves an automorphism however it was found, so a greedy descent is tried before the whole subtree, much
        // like the experimental paths of Traces.
        self.searches.is_greedy = true;
        self.searches.was_greedy = false;
        self.solve(level + 1);
        self.searches.is_greedy = false;
        let mut result = best.compare(&self.results.order[marks.order..], &self.structure, partition, &mut self.certificates);
        // A result without a choice is the canonical one; after choices, only equality proves anything.
        if result != Ordering::Equal && self.searches.was_greedy {
            self.results.truncate(marks);
            self.solve(level + 1);
            result = best.compare(&self.results.order[marks.order..], &self.structure, partition, &mut self.certificates);
        }
        match result {
            Ordering::Greater => {}
            Ordering::Less => best.take(vertex, &mut self.results, marks),
            // Both orders list the same cells of this partition at the same positions, so mapping one to the other position by position
            // preserves the colours as well as the layers.
            Ordering::Equal => {
                self.refiner.counts.automorphisms += 1;
                self.results.add_automorphism(&best.order, marks.order);
            }
        }
    }

    /// Copies the partition to the next level, with a vertex individualised and refined.
    fn individualise(&mut self, partition: &Partition<B>, level: usize, vertex: Vertex, rival: Option<&[u64]>) -> Ordering {
        self.searches.budget = self.searches.budget.saturating_sub(1);
        self.refiner.counts.branches += 1;
        let split = &mut self.levels[level + 1];
        split.copy(partition);
        let alone = split.individualise(vertex);
        self.refiner.refine_from(&self.structure, split, alone, rival)
    }
}
