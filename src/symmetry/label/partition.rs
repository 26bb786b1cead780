//! Ordered partitions of vertices into cells.
//!
//! A cell is named by the position where it starts: the first of the positions that its vertices will have in the order. Inside
//! a cell vertices have no order, so a cell is a set.
//! Invariant: cells are disjoint and fill the positions; `live` is the union of those with more than one vertex.
//! Deliberately elsewhere: when cells are split ([`equitable`](super::equitable)).

use super::bits::{Bits, Vertex};

bcheck_source::numbers! {
    /// A cell: its number is the position where it starts.
    pub(super) Cell;
}

/// An ordered partition of some of the vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition<B> {
    /// The vertices that are partitioned.
    pub(super) universe: B,
    /// The vertices in cells of more than one.
    pub(super) live: B,
    /// By cell: its vertices.
    cells: Vec<B>,
    /// By cell: the number of its vertices; at other positions 0.
    size: Vec<u32>,
    /// By vertex: its cell.
    cell: Vec<Cell>,
    /// The number of cells.
    count: u32,
}

impl<B: Bits> Partition<B> {
    /// Starts again without cells, for a partition of `size` of the vertices `0..len`.
    pub(super) fn begin(&mut self, words: usize, len: usize, size: usize) {
        self.universe = B::none(words);
        self.live = B::none(words);
        self.count = 0;
        // Sets and starts of an earlier partition may remain: only those at starts of cells, and of vertices in them, are read.
        self.cells.resize(size, B::none(words));
        self.size.clear();
        self.size.resize(size, 0);
        self.cell.resize(len, Cell::default());
    }

    /// Makes `size` vertices a cell.
    #[inline]
    pub(super) fn put(&mut self, cell: Cell, size: u32, vertices: B) {
        for vertex in vertices.ones() {
            self.cell[vertex.index()] = cell;
        }
        self.universe.add(&vertices);
        if size > 1 {
            self.live.add(&vertices);
        }
        self.size[cell.index()] = size;
        self.cells[cell.index()] = vertices;
        self.count += 1;
    }

    /// The vertices of a cell.
    #[inline]
    pub(super) fn vertices(&self, cell: Cell) -> &B {
        &self.cells[cell.index()]
    }

    /// The number of vertices of a cell.
    #[inline]
    pub(super) fn size(&self, cell: Cell) -> u32 {
        self.size[cell.index()]
    }

    /// The cell of a vertex.
    #[inline]
    pub(super) fn cell_of(&self, vertex: Vertex) -> Cell {
        self.cell[vertex.index()]
    }

    /// Becomes a copy of another partition.
    pub(super) fn copy(&mut self, other: &Self) {
        self.universe.clone_from(&other.universe);
        self.live.clone_from(&other.live);
        self.cells.clone_from(&other.cells);
        self.size.clone_from(&other.size);
        self.cell.clone_from(&other.cell);
        self.count = other.count;
    }

    /// The number of vertices.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.size.len()
    }

    /// Whether every cell has one vertex.
    #[inline]
    pub(super) fn is_discrete(&self) -> bool {
        self.count as usize == self.size.len()
    }

    /// All cells, ascending.
    #[inline]
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let cell = Cell(next);
            next += *self.size.get(cell.index())?;
            Some(cell)
        })
    }

    /// The first of the smallest cells with more than one vertex.
    pub(super) fn smallest_cell(&self) -> Option<Cell> {
        let mut found: Option<(u32, Cell)> = None;
        for cell in self.cells() {
            let size = self.size(cell);
            // None is smaller, and earlier ones of this size would have been returned.
            if size == 2 {
                return Some(cell);
            }
            if size > 1 && found.is_none_or(|(least, _)| size < least) {
                found = Some((size, cell));
            }
        }
        found.map(|(_, cell)| cell)
    }

    /// Splits a vertex off at the end of its cell, which has more than one; returns the cell of the vertex alone.
    pub(super) fn individualise(&mut self, vertex: Vertex) -> Cell {
        let cell = self.cell_of(vertex);
        let size = self.size(cell);
        debug_assert!(size > 1, "a vertex alone in its cell cannot be split off");
        let last = Cell(cell.0 + size - 1);
        // The empty set, of the same width.
        let mut alone = self.cells[cell.index()].xor(&self.cells[cell.index()]);
        alone.set(vertex);
        self.cells[cell.index()].clear(vertex);
        self.size[cell.index()] = size - 1;
        self.live.clear(vertex);
        if size == 2 {
            let other = self.cells[cell.index()].clone();
            self.live.remove(&other);
        }
        self.cells[last.index()] = alone;
        self.size[last.index()] = 1;
        self.cell[vertex.index()] = last;
        self.count += 1;
        last
    }

    /// Splits every cell into its vertices outside a set and those inside, in this order.
    pub(super) fn split(&mut self, set: &B) {
        // Cells are visited in the order of their least vertices, which does not matter: each is cut at a position determined by its size.
        let (mut rest, mut word) = (set.and(&self.live), 0);
        while let Some(vertex) = rest.first_from(&mut word) {
            let cell = self.cell_of(vertex);
            let vertices = self.vertices(cell);
            let inside = vertices.and(set);
            rest.remove(vertices);
            if inside != *vertices {
                let many = inside.count();
                self.cut(cell, self.size(cell), inside, many);
            }
        }
    }

    /// Cuts `many` vertices, not all, off at the end of a cell; returns their cell.
    #[inline]
    pub(super) fn cut(&mut self, cell: Cell, size: u32, off: B, many: u32) -> Cell {
        let rest = size - many;
        let new = Cell(cell.0 + rest);
        self.cells[cell.index()].remove(&off);
        self.size[cell.index()] = rest;
        if rest == 1 {
            let alone = self.cells[cell.index()].clone();
            self.live.remove(&alone);
        }
        if many == 1 {
            self.live.remove(&off);
        }
        // The rest keeps its start, so only the vertices that were split off are visited.
        for vertex in off.ones() {
            self.cell[vertex.index()] = new;
        }
        self.size[new.index()] = many;
        self.cells[new.index()] = off;
        self.count += 1;
        new
    }

    /// Puts the parts of cells that make up a set on a stack, in the order of cells; returns the number of vertices in the set.
    #[inline]
    pub(super) fn parts(&self, set: &B, parts: &mut Vec<CellPart>) -> u32 {
        let begin = parts.len();
        let mut all = 0;
        let (mut rest, mut word) = (set.clone(), 0);
        while let Some(vertex) = rest.first_from(&mut word) {
            let cell = self.cell_of(vertex);
            let mut others = self.vertices(cell).and(&rest);
            others.clear(vertex);
            let size = if others.is_empty() { 1 } else { 1 + others.count() };
            rest.remove(self.vertices(cell));
            all += size;
            // Insertion sort: vertices come in the order of their numbers, parts are wanted in the order of cells.
            let mut at = parts.len();
            parts.push(CellPart { cell, size });
            while at > begin && parts[at - 1].cell > cell {
                parts.swap(at - 1, at);
                at -= 1;
            }
        }
        all
    }

    /// Makes `into` the partition of a set of vertices into these parts of cells, with positions from 0 on.
    pub(super) fn restrict(&self, words: usize, set: &B, parts: &[CellPart], into: &mut Self) {
        let size = parts.iter().map(|part| part.size).sum::<u32>();
        // Vertices keep their numbers, positions do not: what is done with one component costs nothing for the others.
        into.begin(words, self.cell.len(), size as usize);
        let mut at = 0;
        for part in parts {
            into.put(Cell(at), part.size, self.vertices(part.cell).and(set));
            at += part.size;
        }
    }
}

/// A number of vertices of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellPart {
    pub(super) cell: Cell,
    pub(super) size: u32,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::label) type Sets = [u64; 2];

    pub(in crate::label) fn unit(len: u32) -> Partition<Sets> {
        let mut partition = Partition::default();
        partition.begin(2, len as usize, len as usize);
        let mut all = [0; 2];
        Vertex::all(len as usize).for_each(|vertex| all.set(vertex));
        partition.put(Cell(0), len, all);
        partition
    }

    pub(in crate::label) fn sizes(partition: &Partition<Sets>) -> Vec<u32> {
        partition.cells().map(|cell| partition.size(cell)).collect()
    }

    /// Checks that positions, sizes and sets agree.
    pub(in crate::label) fn check(partition: &Partition<Sets>) {
        let mut live = [0; 2];
        for cell in partition.cells() {
            let vertices = partition.vertices(cell);
            assert_eq!(vertices.count(), partition.size(cell));
            assert!(vertices.ones().all(|vertex| partition.cell_of(vertex) == cell));
            if vertices.count() > 1 {
                live.add(vertices);
            }
        }
        assert_eq!(live, partition.live);
        assert_eq!(partition.count as usize, partition.cells().count());
    }

    #[test]
    fn a_part_of_a_partition_has_the_positions_of_its_own() {
        let mut whole = unit(70);
        whole.split(&[0b0110, 0]);
        whole.split(&[0b0010, 0b11]);
        check(&whole);
        assert_eq!(sizes(&whole), [66, 2, 1, 1]);
        let (mut part, mut parts) = (Partition::default(), Vec::new());
        whole.parts(&[0b1010, 0b01], &mut parts);
        assert_eq!(parts, [0, 66, 69].map(|position| CellPart { cell: Cell(position), size: 1 }));
        whole.restrict(2, &[0b1010, 0b01], &parts, &mut part);
        check(&part);
        assert_eq!(part.cells, [[0b1000, 0], [0, 0b01], [0b0010, 0]]);
    }
}
