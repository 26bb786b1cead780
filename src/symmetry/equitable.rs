//! Equitable refinement of an ordered partition: split cells until every vertex of a cell has equally many neighbours, in
//! each layer and direction, in each cell.
//!
//! McKay's refinement with Hopcroft's rule (all fragments but one largest become splitters). Invariant: everything that decides
//! an order or enters the trace is a position, a size or a sorted count, never a vertex number, so isomorphic structures are
//! refined to corresponding partitions with equal traces. That is why the trace is taken *after* the fragments are sorted.

use super::structure::{Structure, clear_bit, has_bit, ones, set_bit};

/// An ordered partition of the vertices `0..len`. A cell is named by the position where it starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    /// The vertices, cell by cell; inside a cell in no particular order.
    pub(super) order: Vec<u32>,
    /// By vertex: the start of its cell.
    pub(super) start: Vec<u32>,
    /// By start: the number of vertices in the cell.
    pub(super) size: Vec<u32>,
    /// The number of cells.
    pub(super) cells: usize,
}

impl Partition {
    /// The partition whose cells are the runs of equal keys in a list of vertices sorted by key.
    pub(super) fn from_runs(order: Vec<u32>, same: impl Fn(u32, u32) -> bool) -> Self {
        let len = order.len();
        let mut partition = Partition { start: vec![0; len], size: vec![0; len], cells: 0, order };
        let mut begin = 0;
        for at in 0..len {
            if at > 0 && !same(partition.order[at - 1], partition.order[at]) {
                begin = at;
            }
            partition.start[partition.order[at] as usize] = position(begin);
            partition.size[begin] += 1;
            partition.cells += usize::from(begin == at);
        }
        partition
    }

    /// Whether every cell has one vertex.
    pub(super) fn is_discrete(&self) -> bool {
        self.cells == self.order.len()
    }

    /// The vertices of the cell that starts at `start`.
    pub(super) fn cell(&self, start: u32) -> &[u32] {
        &self.order[start as usize..(start + self.size[start as usize]) as usize]
    }

    /// The starts of all cells, ascending.
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
        self.starts().filter(|&start| self.size[start as usize] > 1).min_by_key(|&start| self.size[start as usize])
    }

    /// Splits a vertex off in front of its cell; returns the cell's start.
    pub(super) fn individualise(&mut self, vertex: u32) -> u32 {
        let start = self.start[vertex as usize];
        let size = self.size[start as usize];
        let cell = &mut self.order[start as usize..(start + size) as usize];
        let place = cell.iter().position(|&other| other == vertex).expect("a vertex is in its own cell");
        cell.swap(0, place);
        for &other in &cell[1..] {
            self.start[other as usize] = start + 1;
        }
        self.size[start as usize] = 1;
        if size > 1 {
            self.size[start as usize + 1] = size - 1;
            self.cells += 1;
        }
        start
    }
}

fn position(at: usize) -> u32 {
    u32::try_from(at).expect("structures have fewer than 2^32 vertices")
}

/// Working memory of refinement, reused from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct Refiner {
    /// Bit set of the starts of cells that still have to act as splitters.
    pending: Vec<u64>,
    /// The splitter, as a list and as a mask.
    splitter: Vec<u32>,
    splitter_mask: Vec<u64>,
    /// Vertices in cells of more than one.
    live: Vec<u64>,
    /// Live vertices with a neighbour in the splitter.
    touched: Vec<u64>,
    /// By vertex: its number of neighbours in the splitter; zero between uses.
    count: Vec<u32>,
    /// Starts of the cells with touched vertices.
    cells: Vec<u32>,
    /// The fragments of one cell: start and size.
    fragments: Vec<(u32, u32)>,
    /// A running hash of everything that was seen; equal for isomorphic refinements.
    trace: u64,
}

impl Refiner {
    /// Refines with every cell as a splitter.
    pub(super) fn refine(&mut self, structure: &Structure, partition: &mut Partition) -> u64 {
        self.prepare(structure, partition);
        for start in partition.starts() {
            set_bit(&mut self.pending, start);
        }
        self.run(structure, partition)
    }

    /// Refines a partition that was equitable before the cell at `start` was split off.
    pub(super) fn refine_from(&mut self, structure: &Structure, partition: &mut Partition, start: u32) -> u64 {
        self.prepare(structure, partition);
        set_bit(&mut self.pending, start);
        self.run(structure, partition)
    }

    fn prepare(&mut self, structure: &Structure, partition: &Partition) {
        let words = structure.words;
        for mask in [&mut self.pending, &mut self.splitter_mask, &mut self.live, &mut self.touched] {
            mask.clear();
            mask.resize(words, 0);
        }
        self.count.clear();
        self.count.resize(structure.len, 0);
        for &vertex in &partition.order {
            if partition.size[partition.start[vertex as usize] as usize] > 1 {
                set_bit(&mut self.live, vertex);
            }
        }
        self.trace = 0;
    }

    fn run(&mut self, structure: &Structure, partition: &mut Partition) -> u64 {
        while !partition.is_discrete() {
            let Some(start) = ones(&self.pending).next() else { break };
            clear_bit(&mut self.pending, start);
            self.splitter.clear();
            // A copy: the splitter may be split itself, and must then still act as a whole in the remaining layers.
            self.splitter.extend_from_slice(partition.cell(start));
            self.splitter_mask.fill(0);
            for &vertex in &self.splitter {
                set_bit(&mut self.splitter_mask, vertex);
            }
            self.note(u64::from(start));
            for layer in &structure.layers {
                self.split_by(&layer.rows, &layer.columns, structure.words, partition);
                self.split_by(&layer.columns, &layer.rows, structure.words, partition);
            }
        }
        self.note(partition.cells as u64);
        self.trace
    }

    /// Splits every cell by the number of edges that come from the splitter; `forward` leads from the splitter, `backward` back.
    fn split_by(&mut self, forward: &[u64], backward: &[u64], words: usize, partition: &mut Partition) {
        self.touched.fill(0);
        for &vertex in &self.splitter {
            let at = vertex as usize * words;
            for (touched, word) in self.touched.iter_mut().zip(&forward[at..at + words]) {
                *touched |= word;
            }
        }
        for (touched, live) in self.touched.iter_mut().zip(&self.live) {
            *touched &= live;
        }
        self.cells.clear();
        for vertex in ones(&self.touched) {
            let at = vertex as usize * words;
            let common = backward[at..at + words].iter().zip(&self.splitter_mask);
            self.count[vertex as usize] = common.map(|(a, b)| (a & b).count_ones()).sum();
            self.cells.push(partition.start[vertex as usize]);
        }
        self.cells.sort_unstable();
        self.cells.dedup();
        let cells = std::mem::take(&mut self.cells);
        for &start in &cells {
            self.split_cell(start, partition);
        }
        self.cells = cells;
        for vertex in ones(&self.touched) {
            self.count[vertex as usize] = 0;
        }
    }

    fn split_cell(&mut self, start: u32, partition: &mut Partition) {
        let size = partition.size[start as usize];
        let cell = &mut partition.order[start as usize..(start + size) as usize];
        let count = &self.count;
        let first = count[cell[0] as usize];
        if cell.iter().all(|&vertex| count[vertex as usize] == first) {
            self.note(u64::from(start) << 32 | u64::from(first));
            return;
        }
        cell.sort_unstable_by_key(|&vertex| count[vertex as usize]);
        self.fragments.clear();
        let mut begin = start;
        for fragment in cell.chunk_by(|&a, &b| count[a as usize] == count[b as usize]) {
            let length = position(fragment.len());
            for &vertex in fragment {
                partition.start[vertex as usize] = begin;
            }
            if length == 1 {
                clear_bit(&mut self.live, fragment[0]);
            }
            partition.size[begin as usize] = length;
            self.fragments.push((begin, length));
            self.trace = mix(mix(self.trace, u64::from(begin) << 32 | u64::from(length)), u64::from(count[fragment[0] as usize]));
            begin += length;
        }
        partition.cells += self.fragments.len() - 1;
        // Hopcroft: a cell that already acted, or need not act, as a splitter stays settled by all of its fragments but one.
        let waived = if has_bit(&self.pending, start) {
            None
        } else {
            // The first largest: `max_by_key` would take the last.
            self.fragments.iter().rev().max_by_key(|fragment| fragment.1).map(|fragment| fragment.0)
        };
        for &(begin, _) in &self.fragments {
            if Some(begin) != waived {
                set_bit(&mut self.pending, begin);
            }
        }
    }

    fn note(&mut self, fact: u64) {
        self.trace = mix(self.trace, fact);
    }
}

/// Mixes a word into a running hash. Equal traces only prune less than they could when they collide; they decide nothing.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(len: usize, edges: &[(u32, u32)]) -> Structure {
        let mut structure = Structure::new(len, 1);
        edges.iter().for_each(|&(from, to)| structure.connect(0, from, to));
        structure
    }

    fn unit(len: u32) -> Partition {
        Partition::from_runs((0..len).collect(), |_, _| true)
    }

    fn sizes(partition: &Partition) -> Vec<u32> {
        partition.starts().map(|start| partition.size[start as usize]).collect()
    }

    #[test]
    fn a_directed_path_becomes_discrete() {
        let path = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let mut partition = unit(5);
        Refiner::default().refine(&path, &mut partition);
        assert!(partition.is_discrete());
    }

    #[test]
    fn a_cycle_stays_one_cell_until_a_vertex_is_singled_out() {
        let cycle = graph(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
        let mut partition = unit(6);
        let mut refiner = Refiner::default();
        refiner.refine(&cycle, &mut partition);
        assert_eq!(sizes(&partition), [6]);
        let start = partition.individualise(3);
        refiner.refine_from(&cycle, &mut partition, start);
        assert!(partition.is_discrete());
        assert_eq!(partition.order[0], 3);
    }

    #[test]
    fn the_result_is_equitable_and_the_trace_does_not_depend_on_numbers() {
        // A star, a triangle and an isolated vertex, twice with different vertex numbers.
        let edges = [(0, 1), (0, 2), (0, 3), (4, 5), (5, 6), (6, 4)];
        let renamed: Vec<(u32, u32)> = edges.iter().map(|&(a, b)| (7 - a, 7 - b)).collect();
        let (mut first, mut second) = (unit(8), unit(8));
        let mut refiner = Refiner::default();
        let traces = [refiner.refine(&graph(8, &edges), &mut first), refiner.refine(&graph(8, &renamed), &mut second)];
        assert_eq!(traces[0], traces[1]);
        assert_eq!(sizes(&first), sizes(&second));
        let mut found = sizes(&first);
        found.sort_unstable();
        assert_eq!(found, [1, 1, 3, 3]);
    }
}
