//! The results for a structure: its canonical order, and its automorphisms.
//!
//! Invariant: all are stacks, on which each solved partition leaves its result. Factors multiply to the order of the automorphism group of
//! the structure on the vertices in the order. Deliberately elsewhere: how they are found ([`solver`](super::solver),
//! [`branch`](super::branch)).

use super::bits::{Bits, Vertex, number};
use super::orbits::Orbits;
use super::partition::Partition;
use std::ops::Range;

/// The stacks of results.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// Vertices in canonical order.
    pub(super) order: Vec<Vertex>,
    /// Factors of the order of the automorphism group, none of them 1.
    pub(super) factors: Vec<u32>,
    /// Groups of copies, aligned blocks of vertices, any two of which can be swapped; only on request.
    pub(super) groups: Vec<Vec<Vec<Vertex>>>,
    lists_groups: bool,
    /// Pairs of vertices that an automorphism maps to each other; filled only inside a search.
    pairs: Vec<(Vertex, Vertex)>,
    /// The number of nested active searches.
    searches: usize,
}

/// The marks of the stacks but for pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultMarks {
    pub(super) order: usize,
    pub(super) factors: usize,
    pub(super) groups: usize,
}

impl Results {
    /// Empties all stacks.
    pub(super) fn begin(&mut self, lists_groups: bool) {
        self.order.clear();
        self.factors.clear();
        self.pairs.clear();
        self.groups.clear();
        self.lists_groups = lists_groups;
        self.searches = 0;
    }

    pub(super) fn marks(&self) -> ResultMarks {
        ResultMarks { order: self.order.len(), factors: self.factors.len(), groups: self.groups.len() }
    }

    pub(super) fn truncate(&mut self, marks: ResultMarks) {
        self.order.truncate(marks.order);
        self.factors.truncate(marks.factors);
        self.groups.truncate(marks.groups);
    }

    /// Lists the vertices of a partition cell by cell.
    pub(super) fn list<B: Bits>(&mut self, partition: &Partition<B>) {
        for cell in partition.cells() {
            self.order.extend(partition.vertices(cell).ones());
        }
    }

    /// Records that the vertices from a place in the order on are interchangeable.
    #[inline]
    pub(super) fn count_alike(&mut self, order: usize, size: u32) {
        // They contribute the symmetric group of degree `size`, whose order is written as its factors.
        self.factors.extend(2..=size);
        let alike = &self.order[order..order + size as usize];
        // Pairs of neighbours are enough for the orbit.
        if self.searches > 0 {
            self.pairs.extend(alike.windows(2).map(|pair| (pair[0], pair[1])));
        }
        if self.lists_groups {
            self.groups.push(alike.iter().map(|&vertex| vec![vertex]).collect());
        }
    }

    /// Records that blocks of the order are copies of each other: any permutation of `n` copies is an automorphism.
    pub(super) fn count_copies(&mut self, blocks: impl ExactSizeIterator<Item = Range<usize>> + Clone) {
        // The group of the copies is a wreath product: the symmetric group on the copies here, and the group of each copy, whose factors
        // were pushed when it was solved.
        self.factors.extend(2..=number(blocks.len()));
        if self.searches > 0 {
            for (one, other) in blocks.clone().zip(blocks.clone().skip(1)) {
                self.pairs.extend(self.order[one].iter().copied().zip(self.order[other].iter().copied()));
            }
        }
        if self.lists_groups && blocks.len() > 1 {
            self.groups.push(blocks.map(|block| self.order[block].to_vec()).collect());
        }
    }

    /// Moves the groups from `inner` on before those from `outer` on: groups inside of others are used only where those were not
    /// (see `exchange`).
    #[inline]
    pub(super) fn move_out(&mut self, outer: usize, inner: usize) {
        let many = self.groups.len() - inner;
        if many > 0 {
            self.groups[outer..].rotate_right(many);
        }
    }

    /// Begins a search, in which pairs are collected; returns how many there are.
    pub(super) fn begin_search(&mut self) -> usize {
        self.searches += 1;
        self.pairs.len()
    }

    pub(super) fn end_search(&mut self) {
        self.searches -= 1;
    }

    /// Records the automorphism that maps an order to the one on the stack from a height on, place by place.
    pub(super) fn add_automorphism(&mut self, order: &[Vertex], from: usize) {
        let images = order.iter().copied().zip(self.order[from..].iter().copied());
        self.pairs.extend(images.filter(|(a, b)| a != b));
    }

    /// Unites the orbits of all pairs from `begin` on, and keeps the pairs whose orbits were distinct; they have the same closure. Whether
    /// or not the automorphisms that they come from fix a vertex of this search, they preserve its partition. The pairs stay on the stack,
    /// because they also preserve the coarser partition of an enclosing search.
    pub(super) fn unite(&mut self, begin: usize, orbits: &mut Orbits) -> usize {
        let mut kept = begin;
        for at in begin..self.pairs.len() {
            let (a, b) = self.pairs[at];
            if orbits.unite(a, b) {
                self.pairs[kept] = (a, b);
                kept += 1;
            }
        }
        self.pairs.truncate(kept);
        kept
    }
}
