//! Ordered partitions of vertices into cells.
//!
//! A cell is named by the position where it starts: the first of the positions that its vertices will have in the order. Inside
//! a cell vertices have no order, so a cell is a set.
//! Invariant: cells are disjoint and fill the positions; `live` is the union of those with more than one vertex.
//! Deliberately elsewhere: when cells are split ([`equitable`](super::equitable)).

use super::bits::Bits;

/// An ordered partition of some of the vertices. A cell is named by the position where it starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition<B> {
    /// The vertices that are partitioned.
    pub(crate) universe: B,
    /// The vertices in cells of more than one.
    pub(crate) live: B,
    /// By start: the vertices of the cell.
    pub(crate) cells: Vec<B>,
    /// By start: the number of vertices in the cell; at other positions 0.
    pub(crate) size: Vec<u32>,
    /// By vertex: the start of its cell.
    pub(crate) start: Vec<u32>,
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
        self.start.resize(len, 0);
    }

    /// Puts a cell of `size` vertices at position `start`.
    #[inline]
    pub(super) fn put(&mut self, start: u32, size: u32, cell: B) {
        for vertex in cell.ones() {
            self.start[vertex as usize] = start;
        }
        self.place(start, size, cell);
    }

    /// As [`put`](Self::put), for vertices whose `start` is already right.
    #[inline]
    fn place(&mut self, start: u32, size: u32, cell: B) {
        self.universe.add(&cell);
        if size > 1 {
            self.live.add(&cell);
        }
        self.size[start as usize] = size;
        self.cells[start as usize] = cell;
        self.count += 1;
    }

    /// Becomes a copy of another partition.
    pub(super) fn copy(&mut self, other: &Self) {
        self.universe.clone_from(&other.universe);
        self.live.clone_from(&other.live);
        self.cells.clone_from(&other.cells);
        self.size.clone_from(&other.size);
        self.start.clone_from(&other.start);
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

    /// The starts of all cells, ascending.
    #[inline]
    pub(super) fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next;
            let size = *self.size.get(start as usize)?;
            next += size;
            Some(start)
        })
    }

    /// The first of the smallest cells with more than one vertex.
    pub(super) fn smallest_cell(&self) -> Option<u32> {
        let mut found: Option<(u32, u32)> = None;
        for start in self.starts() {
            let size = self.size[start as usize];
            // None is smaller, and earlier ones of this size would have been returned.
            if size == 2 {
                return Some(start);
            }
            if size > 1 && found.is_none_or(|(least, _)| size < least) {
                found = Some((size, start));
            }
        }
        found.map(|(_, start)| start)
    }

    /// Splits a vertex off at the end of its cell, which has more than one; returns where the vertex is.
    pub(super) fn individualise(&mut self, vertex: u32) -> u32 {
        let start = self.start[vertex as usize];
        let size = self.size[start as usize];
        debug_assert!(size > 1, "a vertex alone in its cell cannot be split off");
        let last = start + size - 1;
        // The empty set, of the same width.
        let mut alone = self.cells[start as usize].xor(&self.cells[start as usize]);
        alone.set(vertex);
        self.cells[start as usize].clear(vertex);
        self.size[start as usize] = size - 1;
        self.live.clear(vertex);
        if size == 2 {
            let other = self.cells[start as usize].clone();
            self.live.remove(&other);
        }
        self.cells[last as usize] = alone;
        self.size[last as usize] = 1;
        self.start[vertex as usize] = last;
        self.count += 1;
        last
    }

    /// Splits every cell into its vertices outside a set and those inside, in this order.
    pub(super) fn split(&mut self, set: &B) {
        // Cells are met in the order of their least vertices, which does not matter: each is cut at a position that its size determines.
        let (mut rest, mut word) = (set.and(&self.live), 0);
        while let Some(vertex) = rest.first_from(&mut word) {
            let start = self.start[vertex as usize];
            let cell = &self.cells[start as usize];
            let inside = cell.and(set);
            rest.remove(cell);
            if inside != *cell {
                let many = inside.count();
                self.cut(start, self.size[start as usize], inside, many);
            }
        }
    }

    /// Cuts `many` vertices, not all, off at the end of a cell; returns where they start.
    #[inline]
    pub(super) fn cut(&mut self, start: u32, size: u32, off: B, many: u32) -> u32 {
        let rest = size - many;
        let begin = start + rest;
        self.cells[start as usize].remove(&off);
        self.size[start as usize] = rest;
        if rest == 1 {
            let alone = self.cells[start as usize].clone();
            self.live.remove(&alone);
        }
        if many == 1 {
            self.live.remove(&off);
        }
        // The rest keeps its start, so only the vertices cut off have to be visited.
        for vertex in off.ones() {
            self.start[vertex as usize] = begin;
        }
        self.size[begin as usize] = many;
        self.cells[begin as usize] = off;
        self.count += 1;
        begin
    }

    /// Puts the parts of cells that make up a set on a stack, in the order of cells; returns the number of vertices in the set.
    #[inline]
    pub(super) fn parts(&self, set: &B, parts: &mut Vec<CellPart>) -> u32 {
        let begin = parts.len();
        let mut all = 0;
        let (mut rest, mut word) = (set.clone(), 0);
        while let Some(vertex) = rest.first_from(&mut word) {
            let start = self.start[vertex as usize];
            let cell = &self.cells[start as usize];
            let mut others = cell.and(&rest);
            others.clear(vertex);
            let size = if others.is_empty() { 1 } else { 1 + others.count() };
            rest.remove(cell);
            all += size;
            // Insertion sort: vertices come in the order of their numbers, parts are wanted in the order of cells.
            let mut at = parts.len();
            parts.push(CellPart { start, size });
            while at > begin && parts[at - 1].start > start {
                parts.swap(at - 1, at);
                at -= 1;
            }
        }
        all
    }

    /// Makes `into` the partition of a set of vertices into these parts of cells, with positions of its own from 0 on.
    pub(super) fn restrict(&self, words: usize, set: &B, parts: &[CellPart], into: &mut Self) {
        let size = parts.iter().map(|part| part.size).sum::<u32>();
        // Vertices keep their numbers, positions do not: what is done with one component costs nothing for the others.
        into.begin(words, self.start.len(), size as usize);
        let mut at = 0;
        for part in parts {
            into.put(at, part.size, self.cells[part.start as usize].and(set));
            at += part.size;
        }
    }
}

/// A number of vertices of the cell that begins at `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellPart {
    pub(crate) start: u32,
    pub(crate) size: u32,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(in crate::label) type Sets = [u64; 2];

    pub(in crate::label) fn unit(len: u32) -> Partition<Sets> {
        let mut partition = Partition::default();
        partition.begin(2, len as usize, len as usize);
        let mut all = [0; 2];
        (0..len).for_each(|vertex| all.set(vertex));
        partition.put(0, len, all);
        partition
    }

    pub(in crate::label) fn sizes(partition: &Partition<Sets>) -> Vec<u32> {
        partition.starts().map(|start| partition.size[start as usize]).collect()
    }

    /// Checks that positions, sizes and sets agree.
    pub(in crate::label) fn check(partition: &Partition<Sets>) {
        let mut live = [0; 2];
        for start in partition.starts() {
            let cell = &partition.cells[start as usize];
            assert_eq!(cell.count(), partition.size[start as usize]);
            assert!(cell.ones().all(|vertex| partition.start[vertex as usize] == start));
            if cell.count() > 1 {
                live.add(cell);
            }
        }
        assert_eq!(live, partition.live);
        assert_eq!(partition.count as usize, partition.starts().count());
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
        assert_eq!(parts, [0, 66, 69].map(|start| CellPart { start, size: 1 }));
        whole.restrict(2, &[0b1010, 0b01], &parts, &mut part);
        check(&part);
        assert_eq!(part.cells, [[0b1000, 0], [0, 0b01], [0b0010, 0]]);
    }
}
