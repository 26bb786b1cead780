//! The layered structure of a state: what canonical labelling works on.
//!
//! Each *layer* is one directed relation on the vertices, kept as bit rows (successors) and bit columns (predecessors).
//! Invariant, once completed: the columns are the transpose of the rows; loops are in no layer, but sets of their own; the sides that
//! refinement has to read are listed in the order of the layers, which isomorphic structures share.
//! Deliberately elsewhere: colours ([`colours`](super::colours)), and how a state becomes a structure
//! ([`encode`](crate::encode)).

use super::bits::{Bits, Vertex};

/// Rows or columns of one layer that has edges.
#[derive(Clone, Debug)]
pub(super) struct Side<B> {
    /// The index of the first of them among all rows and columns.
    at: usize,
    /// The vertices whose row or column is not empty.
    pub(super) support: B,
}

/// A structure of `len` vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure<B> {
    /// The number of vertices.
    pub(super) len: usize,
    /// Words of one set of vertices.
    pub(super) words: usize,
    /// For each layer its rows, then its columns.
    adjacency: Vec<B>,
    /// Whether a layer has been written since the structure was begun.
    is_used: Vec<bool>,
    /// For each layer the vertices with a loop.
    pub(super) loops: Vec<B>,
    /// The rows of layers with edges, and the columns of those that are not symmetric.
    pub(super) sides: Vec<Side<B>>,
    /// The number of sides that are rows; they come first.
    pub(super) layers: usize,
}

impl<B: Bits> Structure<B> {
    /// Starts again with a structure without edges.
    pub(super) fn begin(&mut self, len: usize, layers: usize) {
        let none = B::none(len.div_ceil(64));
        if self.len == len && self.loops.len() == layers {
            // States of one machine mostly have one shape: only layers that were used are cleared, and of those only the rows, because
            // `transpose` clears the columns.
            for (layer, is_used) in self.is_used.iter_mut().enumerate().filter(|(_, is_used)| **is_used) {
                self.adjacency[2 * layer * len..][..len].fill(none.clone());
                self.loops[layer] = none.clone();
                *is_used = false;
            }
            return;
        }
        self.len = len;
        self.words = len.div_ceil(64);
        self.adjacency.clear();
        self.adjacency.resize(2 * layers * len, none.clone());
        self.loops.clear();
        self.loops.resize(layers, none);
        self.is_used.clear();
        self.is_used.resize(layers, false);
    }

    /// Adds an edge.
    #[inline]
    pub(super) fn edge(&mut self, layer: usize, from: Vertex, to: Vertex) {
        self.is_used[layer] = true;
        // A loop does not concern neighbours: as a set of vertices it is a colour.
        let set = if from == to { &mut self.loops[layer] } else { &mut self.adjacency[2 * layer * self.len + from.index()] };
        set.set(to);
    }

    /// Adds edges to the vertices `64 * word + k` for all one bits `k`.
    #[inline]
    pub(super) fn row(&mut self, layer: usize, from: Vertex, word: usize, bits: u64) {
        debug_assert!(bits == 0 || word * 64 + (63 - bits.leading_zeros() as usize) < self.len, "an edge leads to a vertex");
        self.is_used[layer] = true;
        let mut bits = bits;
        if from.word() == word && bits & from.bit() != 0 {
            self.loops[layer].set(from);
            bits &= !from.bit();
        }
        if bits != 0 {
            self.adjacency[2 * layer * self.len + from.index()].words_mut()[word] |= bits;
        }
    }

    /// Fills in the columns and lists the sides. May be repeated.
    pub(super) fn complete(&mut self) {
        self.sides.clear();
        let len = self.len;
        for layer in (0..self.loops.len()).filter(|&layer| self.is_used[layer]) {
            let at = 2 * layer * len;
            let (rows, columns) = self.adjacency[at..at + 2 * len].split_at_mut(len);
            let support = support(rows, self.words);
            // Isomorphic structures have the same empty layers, so leaving these out preserves the canonical order of sides.
            if support.is_empty() {
                continue;
            }
            transpose(rows, columns, &support);
            self.sides.push(Side { at, support });
        }
        self.layers = self.sides.len();
        for layer in 0..self.layers {
            let at = self.sides[layer].at + len;
            let (rows, columns) = self.adjacency[at - len..at + len].split_at(len);
            // The columns of a symmetric layer would split nothing that its rows do not.
            if rows != columns {
                self.sides.push(Side { at, support: support(columns, self.words) });
            }
        }
    }

    /// The rows or columns of a side, by vertex.
    #[inline]
    pub(super) fn rows(&self, side: &Side<B>) -> &[B] {
        &self.adjacency[side.at..side.at + self.len]
    }
}

/// The vertices whose row is not empty.
fn support<B: Bits>(rows: &[B], words: usize) -> B {
    let mut support = B::none(words);
    for (vertex, row) in Vertex::all(rows.len()).zip(rows) {
        if !row.is_empty() {
            support.set(vertex);
        }
    }
    support
}

fn transpose<B: Bits>(rows: &[B], columns: &mut [B], support: &B) {
    columns.iter_mut().for_each(|column| column.words_mut().fill(0));
    for from in support.ones() {
        for to in rows[from.index()].ones() {
            columns[to.index()].set(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn v(number: u32) -> Vertex {
        Vertex::new(number)
    }

    #[test]
    fn sides_without_edges_and_columns_like_rows_are_left_out() {
        let mut structure = Structure::<[u64; 2]>::default();
        structure.begin(70, 4);
        structure.edge(1, v(1), v(69));
        structure.edge(2, v(3), v(4));
        structure.row(2, v(4), 0, 0b1000);
        structure.row(3, v(5), 0, 0b10_0000);
        structure.complete();
        assert_eq!(structure.layers, 2);
        assert_eq!(structure.sides.len(), 3, "layer 1 both ways, layer 2 only once");
        assert_eq!(structure.rows(&structure.sides[0])[1].ones().collect::<Vec<_>>(), [v(69)]);
        assert_eq!(structure.rows(&structure.sides[1])[4].ones().collect::<Vec<_>>(), [v(3)]);
        assert_eq!(structure.rows(&structure.sides[2])[69].ones().collect::<Vec<_>>(), [v(1)]);
        assert_eq!(structure.sides[2].support.ones().collect::<Vec<_>>(), [v(69)]);
        assert_eq!(structure.loops[3].ones().collect::<Vec<_>>(), [v(5)]);
        structure.begin(3, 1);
        structure.complete();
        assert!(structure.sides.is_empty());
    }
}
