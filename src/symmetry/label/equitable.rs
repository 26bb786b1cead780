//! Equitable refinement of an ordered partition: split cells until every vertex of a cell has equally many neighbours, in
//! each layer and direction, in each cell.
//!
//! McKay's refinement (1981) with Hopcroft's rule that all fragments but one largest become splitters (Hopcroft 1971; for counts of
//! neighbours, Paige and Tarjan 1987). What differs: neighbours are counted for all vertices at once by a bit-sliced counter, one bit set
//! per binary digit, and a cell is then split digit by digit with operations on sets.
//! Invariant: everything that decides an order or enters the trace is a position, a size or a count, never a vertex number,
//! and what one splitter does to several cells enters as a sum; so isomorphic structures are refined to corresponding
//! partitions with equal traces.

use super::bits::{Bits, number};
use super::partition::{Cell, Partition};
use super::stop::Stop;
use super::structure::{Side, Structure};
use crate::statistics::LabellingCounts;
use std::cmp::Ordering;

/// A part of a cell, in which every vertex has the same number of neighbours.
#[derive(Clone, Debug)]
struct Fragment<B> {
    vertices: B,
    neighbours: u32,
}

/// Working memory of refinement, reused from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct Refiner<B> {
    /// Set of the positions of cells that still have to act as splitters.
    pending: Vec<u64>,
    /// Binary digits of the numbers of neighbours in the splitter, lowest first.
    digits: Vec<B>,
    /// The fragments of one cell.
    fragments: Vec<Fragment<B>>,
    /// The effects of one side of the current splitter, as a sum over cells.
    step: u64,
    /// A running hash of all steps.
    hash: u64,
    /// The hashes after each splitter; equal for isomorphic refinements.
    pub(super) trace: Vec<u64>,
    /// Ends refinement early; the partition is then not equitable.
    pub(super) stop: Stop,
    pub(super) counts: LabellingCounts,
}

/// With sets of more words than this (more than 256 vertices), the flag is polled for every splitter; refinement of fewer is short.
const NARROW: usize = 4;

impl<B: Bits> Refiner<B> {
    /// Refines with every cell as a splitter.
    pub(super) fn refine(&mut self, structure: &Structure<B>, partition: &mut Partition<B>) {
        self.pending.clear();
        self.pending.resize(structure.words, 0);
        // Nothing is known of the partition yet, so Hopcroft's rule leaves out no cell.
        for cell in partition.cells() {
            self.queue(cell);
        }
        self.run(structure, partition, None);
    }

    /// Refines a partition that was equitable before a cell was split off. Compares the trace with that of the best leaf, if given, and
    /// stops as soon as it is greater: the trace and the partition are then incomplete. Without one, the result is `Less`.
    pub(super) fn refine_from(
        &mut self,
        structure: &Structure<B>,
        partition: &mut Partition<B>,
        new: Cell,
        rival: Option<&[u64]>,
    ) -> Ordering {
        self.pending.clear();
        self.pending.resize(structure.words, 0);
        // The partition was equitable, so the whole cell would split nothing, and one of its two parts is enough as a splitter: the
        // individualised vertex, which is also the cheapest.
        self.queue(new);
        self.run(structure, partition, rival)
    }

    #[inline]
    fn queue(&mut self, cell: Cell) {
        self.pending[cell.index() / 64] |= 1 << (cell.number() % 64);
    }

    fn run(&mut self, structure: &Structure<B>, partition: &mut Partition<B>, rival: Option<&[u64]>) -> Ordering {
        let order = self.act(structure, partition, rival);
        self.counts.refinements += 1;
        self.counts.splitters += self.trace.len() as u64;
        order
    }

    /// Lets all pending cells act.
    fn act(&mut self, structure: &Structure<B>, partition: &mut Partition<B>, rival: Option<&[u64]>) -> Ordering {
        self.trace.clear();
        self.hash = 0;
        let mut order = if rival.is_some() { Ordering::Equal } else { Ordering::Less };
        let rival = rival.unwrap_or_default();
        // Invariant: within each cell, the numbers of neighbours in a cell that is not pending are equal once all pending cells have
        // acted, because it has acted itself, or is the remainder of a cell that has, without its other fragments. So the partition is
        // equitable when no cell is pending.
        //
        // A discrete partition cannot be split, and isomorphic refinements reach it after the same splitter.
        while !partition.is_discrete() {
            if structure.words > NARROW && self.stop.is_raised() {
                break;
            }
            // The pending splitter that starts first: a canonical choice.
            let Some((word, bits)) = self.pending.iter_mut().enumerate().find(|(_, bits)| **bits != 0) else { break };
            let cell = Cell::new(number(word * 64) + bits.trailing_zeros());
            *bits &= *bits - 1;
            // A copy: the splitter may be split itself, and must then still act as a whole in the remaining layers.
            let splitter = partition.vertices(cell).clone();
            self.note(u64::from(cell.number()));
            for side in &structure.sides {
                self.split_by(structure.rows(side), side, &splitter, partition);
            }
            // The first hash that differs decides. A trace that is less is completed, because it becomes the one to compare with.
            if order == Ordering::Equal {
                order = rival.get(self.trace.len()).map_or(Ordering::Greater, |theirs| self.hash.cmp(theirs));
                if order == Ordering::Greater {
                    return order;
                }
            }
            self.trace.push(self.hash);
        }
        if order == Ordering::Equal && self.trace.len() < rival.len() {
            order = Ordering::Less;
        }
        order
    }

    /// Splits every cell by the numbers of edges that come from the splitter on one side of one layer.
    #[inline]
    fn split_by(&mut self, rows: &[B], side: &Side<B>, splitter: &B, partition: &mut Partition<B>) {
        let mut sources = splitter.and(&side.support);
        let mut word = 0;
        let Some(source) = sources.first_from(&mut word) else { return };
        sources.clear(source);
        // A vertex that is alone in its cell cannot be split off, so it is not counted. Isomorphic refinements have the same ones.
        let once = rows[source.index()].and(&partition.live);
        self.step = 0;
        if sources.is_empty() {
            self.split_once(once, partition);
        } else {
            self.digits.clear();
            self.digits.push(once);
            let mut touched = self.digits[0].clone();
            while let Some(source) = sources.first_from(&mut word) {
                sources.clear(source);
                // Ripple-carry addition of one to the counter of every neighbour: `carry` is the set of vertices whose next digit changes.
                let mut carry = rows[source.index()].and(&partition.live);
                touched.add(&carry);
                for digit in &mut self.digits {
                    let both = digit.and(&carry);
                    *digit = digit.xor(&carry);
                    carry = both;
                    if carry.is_empty() {
                        break;
                    }
                }
                if !carry.is_empty() {
                    self.digits.push(carry);
                }
            }
            // Without a carry, no vertex has two neighbours.
            if self.digits.len() == 1 {
                self.split_once(touched, partition);
            } else {
                self.split_often(touched, partition);
            }
        }
        self.note(self.step);
    }

    /// Splits by whether a vertex has one neighbour or none.
    #[inline]
    fn split_once(&mut self, touched: B, partition: &mut Partition<B>) {
        // Cells are visited in the order of their least touched vertices, which is not canonical: hence all effects are local to a cell,
        // or commute, as those on `pending` and `step` do. Likewise in `split_often`.
        let mut rest = touched.clone();
        let mut word = 0;
        while let Some(vertex) = rest.first_from(&mut word) {
            let cell = partition.cell_of(vertex);
            let vertices = partition.vertices(cell);
            let off = vertices.and(&touched);
            rest.remove(vertices);
            let size = partition.size(cell);
            if off == *vertices {
                self.record(cell, size, 1);
                continue;
            }
            let many = off.count();
            let new = partition.cut(cell, size, off, many);
            self.record(new, many, 1);
            // A pending cell leaves both parts pending; otherwise the smaller part is enough.
            if self.is_pending(cell) || many <= size - many {
                self.queue(new);
            } else {
                self.queue(cell);
            }
        }
    }

    /// Splits by the number of neighbours, in binary.
    fn split_often(&mut self, touched: B, partition: &mut Partition<B>) {
        let mut rest = touched;
        let mut word = 0;
        while let Some(vertex) = rest.first_from(&mut word) {
            let cell = partition.cell_of(vertex);
            let vertices = partition.vertices(cell);
            rest.remove(vertices);
            self.fragments.clear();
            divide(vertices.clone(), 0, &self.digits, &mut self.fragments);
            let size = partition.size(cell);
            if self.fragments.len() == 1 {
                self.record(cell, size, self.fragments[0].neighbours);
            } else {
                self.replace(cell, size, partition);
            }
        }
    }

    /// Puts the fragments in the place of their cell.
    fn replace(&mut self, cell: Cell, size: u32, partition: &mut Partition<B>) {
        // Hopcroft: if a cell need not act as a splitter, all of its fragments but one are enough, since counts of neighbours in the
        // last one are differences. If it is still pending, all of its fragments have to act.
        let was_pending = self.is_pending(cell);
        let mut largest = (0, cell);
        let mut left = size;
        let fragments = std::mem::take(&mut self.fragments);
        // From the last fragment on, because each is cut off at the end of the remaining cell.
        for fragment in fragments[1..].iter().rev() {
            let many = fragment.vertices.count();
            let new = partition.cut(cell, left, fragment.vertices.clone(), many);
            self.record(new, many, fragment.neighbours);
            self.queue(new);
            // Not `>`: of several largest, the first is wanted, and they come last one first.
            if many >= largest.0 {
                largest = (many, new);
            }
            left -= many;
        }
        self.record(cell, left, fragments[0].neighbours);
        self.fragments = fragments;
        if was_pending {
            return;
        }
        if left < largest.0 {
            self.queue(cell);
            self.pending[largest.1.index() / 64] &= !(1 << (largest.1.number() % 64));
        }
    }

    #[inline]
    fn is_pending(&self, cell: Cell) -> bool {
        self.pending[cell.index() / 64] >> (cell.number() % 64) & 1 == 1
    }

    /// A cell or fragment and its number of neighbours, in whatever order they come.
    #[inline]
    fn record(&mut self, cell: Cell, size: u32, neighbours: u32) {
        self.step = self.step.wrapping_add(mix(u64::from(cell.number()) << 32 | u64::from(size), u64::from(neighbours)));
    }

    #[inline]
    fn note(&mut self, fact: u64) {
        self.hash = mix(self.hash, fact);
    }
}

/// Divides vertices by their numbers of neighbours, ascending; `neighbours` are counted already in higher digits.
fn divide<B: Bits>(mut vertices: B, mut neighbours: u32, digits: &[B], into: &mut Vec<Fragment<B>>) {
    // Invariant: all of `vertices` have the same digits above `place`, which add up to `neighbours`.
    for (place, digit) in digits.iter().enumerate().rev() {
        // The vertices without the highest digit come first, so that fragments ascend.
        let with = vertices.and(digit);
        if with.is_empty() {
            continue;
        }
        if with != vertices {
            divide(vertices.minus(digit), neighbours, &digits[..place], into);
        }
        vertices = with;
        neighbours += 1 << place;
    }
    into.push(Fragment { vertices, neighbours });
}

/// Mixes a word into a running hash. A collision of traces only prunes less: vertices with equal traces are compared by certificate.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::bits::Vertex;
    use crate::label::partition::tests::{Sets, check, sizes, unit};

    fn graph(len: usize, edges: &[(u32, u32)]) -> Structure<Sets> {
        let mut structure = Structure::default();
        structure.begin(len, 1);
        edges.iter().for_each(|&(from, to)| structure.edge(0, Vertex::new(from), Vertex::new(to)));
        structure.complete();
        structure
    }

    #[test]
    fn a_directed_path_becomes_discrete() {
        let mut partition = unit(5);
        Refiner::default().refine(&graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]), &mut partition);
        assert!(partition.is_discrete());
        check(&partition);
    }

    #[test]
    fn a_cycle_stays_one_cell_until_a_vertex_is_singled_out() {
        let cycle: Vec<(u32, u32)> = (0..70).map(|at| (at, (at + 1) % 70)).collect();
        let cycle = graph(70, &cycle);
        let mut partition = unit(70);
        let mut refiner = Refiner::default();
        refiner.refine(&cycle, &mut partition);
        assert_eq!(sizes(&partition), [70]);
        let start = partition.individualise(Vertex::new(3));
        check(&partition);
        assert_eq!(refiner.refine_from(&cycle, &mut partition, start, None), Ordering::Less);
        assert!(partition.is_discrete());
        assert_eq!(partition.vertices(Cell::new(69)).first(), Some(Vertex::new(3)));
        check(&partition);
    }

    #[test]
    fn the_result_is_equitable_and_the_trace_does_not_depend_on_numbers() {
        // A star, a triangle and an isolated vertex, twice with different vertex numbers.
        let edges = [(0, 1), (0, 2), (0, 3), (4, 5), (5, 6), (6, 4)];
        let renamed: Vec<(u32, u32)> = edges.iter().map(|&(a, b)| (7 - a, 7 - b)).collect();
        let (mut first, mut second) = (unit(8), unit(8));
        let (mut one, mut other) = (Refiner::default(), Refiner::default());
        one.refine(&graph(8, &edges), &mut first);
        other.refine(&graph(8, &renamed), &mut second);
        assert_eq!(one.trace, other.trace);
        assert_eq!(sizes(&first), sizes(&second));
        let mut found = sizes(&first);
        found.sort_unstable();
        assert_eq!(found, [1, 1, 3, 3]);
        check(&first);
    }

    #[test]
    fn a_trace_is_given_up_where_it_is_greater_than_its_rival() {
        let edges: Vec<(u32, u32)> = (0..9).flat_map(|at| [(at, at + 1), (at + 1, at)]).collect();
        let path = graph(10, &edges);
        let mut refiner = Refiner::default();
        let mut trace = |vertex: u32, rival: Option<&[u64]>| {
            let mut partition = unit(10);
            let start = partition.individualise(Vertex::new(vertex));
            let order = refiner.refine_from(&path, &mut partition, start, rival);
            (order, refiner.trace.clone())
        };
        let (middle, end) = (trace(4, None).1, trace(0, None).1);
        assert_eq!(trace(5, Some(&middle)), (Ordering::Equal, middle.clone()));
        assert_eq!(trace(0, Some(&middle)).0, end.cmp(&middle));
        assert_eq!(trace(4, Some(&end)).0, middle.cmp(&end));
        assert_eq!(trace(4, Some(&middle[1..])).0, middle[..].cmp(&middle[1..]));
        assert_eq!(trace(4, Some(&middle[..2])).0, Ordering::Greater);
    }
}
