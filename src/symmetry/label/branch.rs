//! The search of a component that refinement cannot take apart: each vertex of one cell is singled out in turn, and the least
//! result is kept.
//!
//! A vertex that an automorphism maps to one that was tried before need not be tried; therefore automorphisms are looked
//! for first: when a vertex looks like the best one so far, one descent without alternatives mostly gives the same certificate,
//! and only if it does not, the vertex is searched as a whole.
//! Invariant: a descent proves that two vertices are alike, or nothing; it never decides which result is least.
//! Source: search tree, node invariants and orbit pruning as in McKay, Piperno, "Practical graph isomorphism, II" (2014). What differs:
//! each node is solved by components ([`solver`](super::solver)), and a whole subtree is one step of its parent.

use super::bits::Bits;
use super::partition::Partition;
use super::solver::Solver;
use std::cmp::Ordering;

/// Working memory of one search.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame<B> {
    classes: Classes,
    /// The best result so far.
    vertex: Option<u32>,
    trace: Vec<u64>,
    order: Vec<u32>,
    factors: Vec<u32>,
    groups: Vec<Vec<Vec<u32>>>,
    /// Made when a second vertex has the same trace.
    certificate: Vec<B>,
}

/// The heights of a solver's stacks of results.
#[derive(Clone, Copy, Debug)]
struct Heights {
    order: usize,
    factors: usize,
    groups: usize,
}

impl<B: Bits> Solver<B> {
    /// Solves a partition whose live vertices are connected.
    pub(super) fn search(&mut self, partition: &Partition<B>, level: usize) {
        // A canonical choice: it depends on positions and sizes of cells alone. The first smallest cell has the fewest branches; bliss has
        // the same rule among its cell selectors.
        let target = partition.smallest_cell().expect("the partition is not discrete");
        let cell = partition.cells[target as usize].clone();
        if self.is_greedy {
            self.was_greedy = true;
            let vertex = cell.first().expect("a cell is not empty");
            self.single_out(partition, level, vertex, None);
            self.solve(level + 1);
            return;
        }
        if self.frames.len() == self.depth {
            self.frames.push(Frame::default());
        }
        let mut frame = std::mem::take(&mut self.frames[self.depth]);
        self.depth += 1;
        frame.vertex = None;
        // Classes begin anew: automorphisms found by an enclosing search need not keep this partition.
        frame.classes.begin(self.structure.len);
        let (heights, mut merged) = (self.heights(), self.pairs.len());
        for vertex in cell.ones() {
            // Vertices are tried in the order of their numbers, and the least of a class, its root, stands for it: an automorphism of
            // the partition that maps it to `vertex` maps one subtree to the other, so both have the same results.
            if frame.classes.find(vertex) != vertex {
                continue;
            }
            // The first vertex is tried in any case: there must be some order.
            if (self.budget == 0 || self.refiner.stop.is_raised()) && frame.vertex.is_some() {
                self.is_exact = false;
                break;
            }
            let rival = frame.vertex.is_some().then_some(&frame.trace[..]);
            match self.single_out(partition, level, vertex, rival) {
                // Results are compared by trace first, then by certificate.
                Ordering::Greater => continue,
                Ordering::Less => {
                    std::mem::swap(&mut frame.trace, &mut self.refiner.trace);
                    self.solve(level + 1);
                    self.lead(&mut frame, heights, vertex);
                }
                Ordering::Equal => self.contend(partition, level, &mut frame, heights, vertex),
            }
            self.truncate(heights);
            merged = self.merge(merged, &mut frame.classes);
        }
        let best = frame.vertex.expect("the first vertex is always tried");
        let root = frame.classes.find(best);
        let orbit = cell.ones().map(|vertex| u32::from(frame.classes.find(vertex) == root)).sum();
        self.order.extend_from_slice(&frame.order);
        self.factors.extend_from_slice(&frame.factors);
        self.groups.append(&mut frame.groups);
        // Orbit-stabiliser theorem; the factors of `frame` are those of the stabiliser of `best`. The orbit is complete: each of its
        // vertices has the same trace and certificate, so it was either merged before its turn or compared equal to `best`.
        if orbit > 1 {
            self.factors.push(orbit);
        }
        self.depth -= 1;
        self.frames[self.depth] = frame;
    }

    /// Solves the next level for a vertex with the same trace as the best one, and keeps the better of the two.
    fn contend(&mut self, partition: &Partition<B>, level: usize, frame: &mut Frame<B>, heights: Heights, vertex: u32) {
        let size = partition.len();
        // Made on demand: where the traces of all other vertices differ from the best one, no certificate is needed.
        if frame.certificate.is_empty() {
            let (order, bottom) = (self.order.len(), self.certificates.len());
            self.order.extend_from_slice(&frame.order);
            self.certify(order, size, &partition.universe);
            frame.certificate.extend(self.certificates.drain(bottom..));
            self.order.truncate(order);
        }
        // An equal certificate is an automorphism however it was found, so a single descent is tried before the whole subtree. Traces
        // does much the same with its experimental paths.
        self.is_greedy = true;
        self.was_greedy = false;
        self.solve(level + 1);
        self.is_greedy = false;
        let mut result = self.compare(heights.order, size, &partition.universe, &frame.certificate);
        // A result without a choice is the canonical one; any other says nothing unless it is equal.
        if result != Ordering::Equal && self.was_greedy {
            self.truncate(heights);
            self.solve(level + 1);
            result = self.compare(heights.order, size, &partition.universe, &frame.certificate);
        }
        match result {
            Ordering::Greater => {}
            Ordering::Less => self.lead(frame, heights, vertex),
            // Both orders list the same cells of this partition at the same positions, so mapping one to the other place by place keeps
            // the colours as well as the layers.
            Ordering::Equal => {
                let images = frame.order.iter().copied().zip(self.order[heights.order..].iter().copied());
                self.pairs.extend(images.filter(|(a, b)| a != b));
            }
        }
    }

    /// Makes what is on the stacks the best result.
    fn lead(&mut self, frame: &mut Frame<B>, heights: Heights, vertex: u32) {
        frame.vertex = Some(vertex);
        frame.order.clear();
        frame.order.extend_from_slice(&self.order[heights.order..]);
        frame.factors.clear();
        frame.factors.extend_from_slice(&self.factors[heights.factors..]);
        frame.groups.clear();
        frame.groups.extend(self.groups.drain(heights.groups..));
        frame.certificate.clear();
    }

    /// Makes the next level this one with a vertex split off, refined.
    fn single_out(&mut self, partition: &Partition<B>, level: usize, vertex: u32, rival: Option<&[u64]>) -> Ordering {
        self.budget = self.budget.saturating_sub(1);
        let split = &mut self.levels[level + 1];
        split.copy(partition);
        let start = split.individualise(vertex);
        self.refiner.refine_from(&self.structure, split, start, rival)
    }

    /// Unites the classes of all pairs from `begin` on, and keeps the pairs whose classes were apart; they have the same closure. Whether
    /// or not the automorphisms that they come from fix a vertex of this search, they keep its partition. The pairs stay on the stack,
    /// because they also keep the coarser partition of an enclosing search.
    fn merge(&mut self, begin: usize, classes: &mut Classes) -> usize {
        let mut kept = begin;
        for at in begin..self.pairs.len() {
            let (a, b) = self.pairs[at];
            if classes.unite(a, b) {
                self.pairs[kept] = (a, b);
                kept += 1;
            }
        }
        self.pairs.truncate(kept);
        kept
    }

    fn heights(&self) -> Heights {
        Heights { order: self.order.len(), factors: self.factors.len(), groups: self.groups.len() }
    }

    fn truncate(&mut self, heights: Heights) {
        self.order.truncate(heights.order);
        self.factors.truncate(heights.factors);
        self.groups.truncate(heights.groups);
    }
}

/// Union-find on vertices; the least vertex of a class is its root.
#[derive(Clone, Debug, Default)]
struct Classes(Vec<u32>);

impl Classes {
    fn begin(&mut self, len: usize) {
        self.0.clear();
        self.0.extend((0..).take(len));
    }

    fn find(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        while self.0[at as usize] != at {
            // Path halving.
            self.0[at as usize] = self.0[self.0[at as usize] as usize];
            at = self.0[at as usize];
        }
        at
    }

    /// Whether the two were apart.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
