//! Cell adjacencies that are neither empty nor complete, and the components that they connect.
//!
//! Invariant: connection is symmetric, and the same for all members of an orbit, since adjacencies depend on counts of neighbours alone.
//! Deliberately elsewhere: how components are solved ([`solver`](super::solver)).

use super::bits::{Bits, Vertex, number};
use super::partition::{Cell, Partition};
use super::structure::Structure;

/// The cells to which the adjacencies of one cell are neither empty nor complete, on one side of one layer.
#[derive(Clone, Debug)]
struct Adjacency<B> {
    /// Cells of which at most half are neighbours.
    plain: B,
    /// Cells of which more than half are; complemented.
    flipped: B,
}

/// The adjacencies of one partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacencies<B> {
    adjacencies: Vec<Adjacency<B>>,
    /// By cell: the index of its first adjacency; it has one per side.
    first: Vec<u32>,
}

impl<B: Bits> Adjacencies<B> {
    /// Lists the adjacencies of all cells that are neither empty nor complete; returns the vertices that have some.
    pub(super) fn find(&mut self, structure: &Structure<B>, partition: &Partition<B>) -> B {
        let words = structure.words;
        let mut adjacent = B::none(words);
        self.adjacencies.clear();
        // Stale entries remain for cells of one vertex, which are in no component.
        self.first.resize(partition.len(), 0);
        for cell in partition.cells() {
            let vertices = partition.vertices(cell);
            // A cell has at least one vertex; one with no other has only empty and complete adjacencies.
            let (1.., Some(vertex)) = (partition.size(cell) - 1, vertices.first()) else { continue };
            self.first[cell.index()] = number(self.adjacencies.len());
            let mut is_connected = false;
            for side in &structure.sides {
                // The partition is equitable: all vertices of the cell have equally many neighbours in each cell.
                let row = structure.rows(side)[vertex.index()].and(&partition.live);
                is_connected |= self.add(cell, row, partition, words);
            }
            if is_connected {
                adjacent.add(vertices);
            }
        }
        adjacent
    }

    /// Adds the adjacency of a cell one of whose vertices has these neighbours in cells of more than one vertex; whether it has any cell.
    #[inline]
    fn add(&mut self, cell: Cell, row: B, partition: &Partition<B>, words: usize) -> bool {
        let mut adjacency = Adjacency { plain: B::none(words), flipped: B::none(words) };
        let mut is_connected = false;
        let (mut rest, mut word) = (row.clone(), 0);
        while let Some(other) = rest.first_from(&mut word) {
            let near = partition.cell_of(other);
            let target = partition.vertices(near);
            rest.remove(target);
            let full = partition.size(near) - u32::from(near == cell);
            let met = row.and(target).count();
            // Complementing an adjacency preserves the automorphisms, and the sparser of both connects fewer vertices. By double counting,
            // the density is equal seen from either cell, so both sides make the same choice: connection is symmetric.
            if met < full {
                (if 2 * met <= full { &mut adjacency.plain } else { &mut adjacency.flipped }).add(target);
                is_connected = true;
            }
        }
        self.adjacencies.push(adjacency);
        is_connected
    }

    /// Moves the vertices connected to a vertex out of `rest`.
    #[inline]
    pub(super) fn connected(&self, structure: &Structure<B>, partition: &Partition<B>, seed: Vertex, rest: &mut B) -> B {
        let mut found = B::none(structure.words);
        found.set(seed);
        rest.clear(seed);
        let mut border = found.clone();
        while let Some(vertex) = border.first() {
            border.clear(vertex);
            let adjacencies = &self.adjacencies[self.first[partition.cell_of(vertex).index()] as usize..];
            for (side, adjacency) in structure.sides.iter().zip(adjacencies) {
                let row = &structure.rows(side)[vertex.index()];
                // A complemented adjacency connects a vertex with those that it has no edge to.
                let mut near = adjacency.flipped.minus(row);
                near.add(&adjacency.plain.and(row));
                near = near.and(rest);
                if !near.is_empty() {
                    border.add(&near);
                    found.add(&near);
                    rest.remove(&near);
                }
            }
        }
        found
    }
}
