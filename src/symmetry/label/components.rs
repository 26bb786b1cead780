//! A stack of connected components, with their signatures: the number of their vertices in each cell.
//!
//! Invariant: components from a height on are those of one partition; those above belong to partitions of single components. Deliberately
//! elsewhere: how components are found ([`adjacency`](super::adjacency)) and solved ([`solver`](super::solver)).

use super::adjacency::Adjacencies;
use super::bits::Bits;
use super::partition::{CellPart, Partition};
use super::structure::Structure;
use std::ops::Range;

/// A connected component of the adjacencies.
#[derive(Clone, Debug)]
pub(super) struct Component<B> {
    pub(super) vertices: B,
    pub(super) size: u32,
    /// Where its order begins on the stack of orders.
    pub(super) order: usize,
    /// The range of its signature on the stack of parts of cells.
    parts: (usize, usize),
    /// Where its certificate begins on the stack of rows; only while other components have the same signature.
    pub(super) certificate: usize,
}

impl<B> Component<B> {
    /// The range of its order on the stack of orders.
    #[inline]
    pub(super) fn block(&self) -> Range<usize> {
        self.order..self.order + self.size as usize
    }
}

/// The marks of the two stacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComponentMarks {
    pub(super) components: usize,
    parts: usize,
}

/// The components of nested partitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Components<B> {
    pub(super) stack: Vec<Component<B>>,
    parts: Vec<CellPart>,
}

impl<B: Bits> Components<B> {
    pub(super) fn marks(&self) -> ComponentMarks {
        ComponentMarks { components: self.stack.len(), parts: self.parts.len() }
    }

    pub(super) fn truncate(&mut self, marks: ComponentMarks) {
        self.stack.truncate(marks.components);
        self.parts.truncate(marks.parts);
    }

    /// Puts the components of the vertices that have adjacencies on the stack, by their first cells.
    pub(super) fn find(&mut self, structure: &Structure<B>, partition: &Partition<B>, adjacencies: &Adjacencies<B>, adjacent: &B) {
        // Inside a cell, components are found in the order of vertex numbers, which is not canonical; `sort` makes it so.
        let mut rest = adjacent.clone();
        for cell in partition.cells() {
            while let Some(seed) = partition.vertices(cell).and(&rest).first() {
                let vertices = adjacencies.connected(structure, partition, seed, &mut rest);
                self.stack.push(Component { vertices, size: 0, order: 0, parts: (0, 0), certificate: 0 });
            }
        }
    }

    /// Finds the signatures of the components from `first` on, and sorts them by these.
    pub(super) fn sort(&mut self, partition: &Partition<B>, first: usize) {
        for component in &mut self.stack[first..] {
            let begin = self.parts.len();
            component.size = partition.parts(&component.vertices, &mut self.parts);
            component.parts = (begin, self.parts.len());
        }
        let parts = &self.parts;
        let signature = |component: &Component<B>| &parts[component.parts.0..component.parts.1];
        // No automorphism of the partition maps a component to one with another signature, since it preserves the cells; those of one
        // signature are compared by certificate.
        self.stack[first..].sort_unstable_by(|a, b| signature(a).cmp(signature(b)));
    }

    /// How many vertices of each cell a component has.
    #[inline]
    pub(super) fn signature(&self, at: usize) -> &[CellPart] {
        let (begin, end) = self.stack[at].parts;
        &self.parts[begin..end]
    }

    /// The number of components with the signature of the one at `begin`, from there on.
    pub(super) fn rivals(&self, begin: usize) -> usize {
        let first = self.signature(begin);
        (begin..self.stack.len()).take_while(|&other| self.signature(other) == first).count()
    }

    /// Whether all adjacencies inside a component are empty or complete. Then its signature determines it up to isomorphism, and so it
    /// does for all components with that signature: as all vertices of a cell have equally many neighbours in another cell, they also have
    /// equally many in that cell's part of their component, whose size is in the signature.
    pub(super) fn is_uniform(&self, structure: &Structure<B>, partition: &Partition<B>, at: usize) -> bool {
        let (component, parts) = (&self.stack[at], self.signature(at));
        if parts.len() == component.size as usize {
            return true;
        }
        // The test is quadratic in the number of parts. With many of them the component is solved, which is correct for uniform ones too.
        parts.len() <= 6
            && parts.iter().all(|part| {
                let mut others = component.vertices.clone();
                let own = partition.vertices(part.cell).and(&others);
                let Some(vertex) = own.first() else { return true };
                others.clear(vertex);
                // One vertex of each part will do: in an equitable partition all vertices of a cell have equally many neighbours in every
                // cell.
                structure.sides.iter().all(|side| {
                    let near = structure.rows(side)[vertex.index()].and(&others);
                    let far = others.minus(&near);
                    let is_whole = |part: &CellPart| {
                        let cell = partition.vertices(part.cell);
                        !near.meets(cell) || !far.meets(cell)
                    };
                    near.is_empty() || far.is_empty() || parts.iter().all(is_whole)
                })
            })
    }

    /// The restriction of a partition to a component, with separate positions.
    pub(super) fn restrict(&self, words: usize, partition: &Partition<B>, at: usize, into: &mut Partition<B>) {
        partition.restrict(words, &self.stack[at].vertices, self.signature(at), into);
    }
}
