//! Canonical labelling of a coloured, layered structure that is given piece by piece: the way in for everything that knows
//! how a state is stored.
//!
//! ```text
//! begin(vertices, layers)          an empty structure; vertices are 0..vertices, layers 0..layers
//! colour(vertex, part)             appends a part to a vertex's colour: colours are equal exactly when the same parts were given in
//!                                  the same order, and they are ordered as these lists are, whatever else was called between
//! mark(vertices)                   tells the vertices of a bit set from all others: one more part, for many vertices at once;
//!                                  marks come after all colours, in the order of the calls
//! edge(layer, from, to)            adds an edge; a loop counts as a mark of its layer
//! row(layer, from, targets)        adds edges to all vertices of a bit set (bit k of word w is vertex 64w + k; missing words are 0)
//! row_at(layer, from, first, bits) the same for the vertices first..first+64
//! label(effort)                    the canonical order, whether it is exact, factors of the order of the automorphism group
//! groups(effort)                   blocks of vertices that may be swapped
//! ```
//!
//! Invariant: two structures that differ by a renaming of their vertices (same parts, marks and layers, in the same order) get
//! orders that correspond, if the labelling is exact: putting each in its order gives the same structure.
//! Deliberately elsewhere: what vertices and layers stand for ([`graph`](super::graph)).

use super::canonical::Solver;
use super::equitable::{Partition, Refiner};
use super::structure::{Structure, has_bit, ones, set_bit};
use smallvec::SmallVec;

/// How much is done to tell vertices apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Everything: isomorphic structures get the same form, unless more than `nodes` vertices must be singled out for that.
    Exact {
        /// The budget.
        nodes: u32,
    },
    /// Refinement, and one arbitrary choice where it leaves any.
    Fast,
    /// Colours only.
    Sorted,
}

/// What was found; see [`Labeller::label`].
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'a> {
    /// All vertices, in canonical order.
    pub order: &'a [u32],
    /// Factors of the order of the automorphism group, none of them 1; none when the labelling is not exact.
    pub factors: &'a [u32],
    /// Whether isomorphic structures get corresponding orders.
    pub is_exact: bool,
}

/// A structure under construction, and all working memory of labelling it; one per thread.
#[derive(Clone, Debug, Default)]
pub struct Labeller {
    structure: Structure,
    colours: Vec<Vec<u64>>,
    marks: Vec<Vec<u64>>,
    loops: Vec<Vec<u64>>,
    refiner: Refiner,
    order: Vec<u32>,
    factors: SmallVec<[u32; 8]>,
}

impl Labeller {
    /// Starts a new structure, without colours and edges.
    pub fn begin(&mut self, vertices: usize, layers: usize) {
        self.structure = Structure::new(vertices, layers);
        self.colours.clear();
        self.colours.resize(vertices, Vec::new());
        self.marks.clear();
        self.loops.clear();
        self.loops.resize(layers, vec![0; vertices.div_ceil(64)]);
    }

    /// Appends a part to the colour of a vertex.
    pub fn colour(&mut self, vertex: u32, part: u64) {
        self.colours[vertex as usize].push(part);
    }

    /// Tells the vertices of a bit set from all others.
    pub fn mark(&mut self, vertices: &[u64]) {
        let mut mark = vertices.to_vec();
        mark.resize(self.structure.words, 0);
        self.marks.push(mark);
    }

    /// Adds an edge.
    pub fn edge(&mut self, layer: usize, from: u32, to: u32) {
        if from == to {
            set_bit(&mut self.loops[layer], from);
        } else {
            self.structure.connect(layer, from, to);
        }
    }

    /// Adds edges from a vertex to all vertices of a bit set.
    pub fn row(&mut self, layer: usize, from: u32, targets: &[u64]) {
        ones(targets).for_each(|to| self.edge(layer, from, to));
    }

    /// Adds edges from a vertex to those of the 64 vertices from `first` on whose bit is one.
    pub fn row_at(&mut self, layer: usize, from: u32, first: u32, bits: u64) {
        ones(&[bits]).for_each(|to| self.edge(layer, from, first + to));
    }

    /// The vertices in canonical order. The structure stays as it is.
    pub fn label(&mut self, effort: Effort) -> Labelling<'_> {
        let mut partition = self.partition();
        self.factors.clear();
        let mut is_exact = true;
        if effort != Effort::Sorted {
            self.refiner.refine(&self.structure, &mut partition);
        }
        match effort {
            _ if partition.is_discrete() => self.order.clone_from(&partition.order),
            Effort::Exact { nodes } => {
                let mut solver = Solver::new(&mut self.refiner, nodes);
                let labelling = solver.solve(&self.structure, &partition);
                is_exact = solver.is_exact;
                self.order = labelling.order;
                if is_exact {
                    self.factors = labelling.factors;
                }
            }
            Effort::Fast | Effort::Sorted => {
                while let (Effort::Fast, Some(cell)) = (effort, partition.smallest_cell()) {
                    let start = partition.individualise(partition.cell(cell)[0]);
                    self.refiner.refine_from(&self.structure, &mut partition, start);
                }
                self.order.clone_from(&partition.order);
                is_exact = false;
            }
        }
        Labelling { order: &self.order, factors: &self.factors, is_exact }
    }

    /// Groups of blocks of vertices. Swapping two blocks of a group, place by place, keeps the structure; outer groups come
    /// before those inside their blocks.
    #[must_use]
    pub fn groups(&mut self, nodes: u32) -> Vec<Vec<Vec<u32>>> {
        let mut partition = self.partition();
        self.refiner.refine(&self.structure, &mut partition);
        if partition.is_discrete() {
            return Vec::new();
        }
        let mut solver = Solver::new(&mut self.refiner, nodes);
        solver.lists_groups = true;
        solver.solve(&self.structure, &partition).groups
    }

    /// The partition by colours.
    fn partition(&self) -> Partition {
        let marks = |vertex: u32| self.marks.iter().chain(&self.loops).map(move |mark| has_bit(mark, vertex));
        let colour = |vertex: u32| &self.colours[vertex as usize];
        let mut order: Vec<u32> = (0..).zip(&self.colours).map(|(vertex, _)| vertex).collect();
        order.sort_by(|&a, &b| colour(a).cmp(colour(b)).then_with(|| marks(a).cmp(marks(b))));
        Partition::from_runs(order, |a, b| colour(a) == colour(b) && marks(a).eq(marks(b)))
    }
}
