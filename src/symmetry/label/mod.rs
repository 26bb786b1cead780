//! Canonical labelling of a coloured, layered structure that is given piece by piece: the interface for the code that knows how a
//! state is stored.
//!
//! ```text
//! begin(vertices, layers)          an empty structure; vertices are 0..vertices, layers 0..layers
//! colour(vertex, part)             appends a part to a vertex's colour: colours are equal exactly when the same parts were given in
//!                                  the same order, and their order depends on these lists alone, whatever else was called between
//! mark(vertices)                   distinguishes the vertices of a bit set from all others: one more part, for many vertices at once;
//!                                  marks come after all colours, in the order of the calls
//! edge(layer, from, to)            adds an edge; a loop counts as a mark of its layer
//! row(layer, from, targets)        adds edges to all vertices of a bit set (bit k of word w is vertex 64w + k; missing words are 0)
//! row_at(layer, from, first, bits) the same for the vertices first..first+64
//! label(effort)                    the canonical order, whether it is exact, factors of the order of the automorphism group
//! groups(nodes)                    blocks of vertices that may be swapped; at most `nodes` vertices are individualised to find them
//! ```
//!
//! Invariant: two structures that differ by a renaming of their vertices (same parts, marks and layers, in the same order) get
//! orders that correspond, if the labelling is exact: putting each in its order gives the same structure.
//! Deliberately elsewhere: what vertices and layers stand for ([`encode`](super::encode)). Must not know: values, sets, elements.

mod adjacency;
mod bits;
mod branch;
mod certificates;
mod colours;
mod components;
mod equitable;
mod orbits;
mod partition;
mod results;
mod solver;
mod stop;
mod structure;
#[cfg(test)]
mod tests;

pub use bits::Vertex;
use colours::Colours;
use solver::Solver;
pub(crate) use stop::Stop;

/// How much work is done to distinguish vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The full search: isomorphic structures get the same form, unless more than `nodes` vertices must be individualised for that.
    Exact {
        /// The number of vertices that may be individualised.
        nodes: u32,
    },
    /// Refinement, and one arbitrary choice where it leaves any.
    Fast,
    /// Colours only.
    Sorted,
}

/// The result of labelling a structure; see [`Labeller::label`].
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'a> {
    /// All vertices, in canonical order.
    pub order: &'a [Vertex],
    /// Factors of the order of the automorphism group, none of them 1; empty when the labelling is not exact.
    pub factors: &'a [u32],
    /// Whether isomorphic structures get corresponding orders.
    pub is_exact: bool,
}

/// A structure under construction, and all working memory of labelling it; one per thread.
#[derive(Clone, Debug, Default)]
pub struct Labeller {
    vertices: usize,
    colours: Colours,
    one: Solver<[u64; 1]>,
    two: Solver<[u64; 2]>,
    four: Solver<[u64; 4]>,
    wide: Solver<Vec<u64>>,
    /// The least number of words of a set, to test the wider solvers on small structures.
    #[cfg(test)]
    least_words: usize,
}

/// Evaluates an expression with the solver whose width fits the number of vertices; the code is compiled once per width.
macro_rules! with_solver {
    ($labeller:ident, $solver:ident => $what:expr) => {
        match $labeller.words() {
            // The width is chosen by structure, not for the run: states of one machine differ in auxiliary vertices.
            0..=1 => {
                let $solver = &mut $labeller.one;
                $what
            }
            2 => {
                let $solver = &mut $labeller.two;
                $what
            }
            3..=4 => {
                let $solver = &mut $labeller.four;
                $what
            }
            _ => {
                let $solver = &mut $labeller.wide;
                $what
            }
        }
    };
}

impl Labeller {
    /// Lets a flag end the labelling of a structure, which is then not exact.
    pub(super) fn watch(&mut self, stop: &Stop) {
        self.one.watch(stop);
        self.two.watch(stop);
        self.four.watch(stop);
        self.wide.watch(stop);
    }

    /// Starts a new structure, without colours and edges.
    pub fn begin(&mut self, vertices: usize, layers: usize) {
        // Solvers of other widths keep the edges of earlier structures, and clear them when they begin their next one.
        self.vertices = vertices;
        self.colours.begin(vertices);
        with_solver!(self, solver => solver.structure.begin(vertices, layers));
    }

    /// Appends a part to the colour of a vertex.
    #[inline]
    pub fn colour(&mut self, vertex: Vertex, part: u64) {
        self.colours.push(vertex, part);
    }

    /// Distinguishes the vertices of a bit set from all others.
    #[inline]
    pub fn mark(&mut self, vertices: &[u64]) {
        self.colours.mark(vertices);
    }

    /// Adds an edge.
    #[inline]
    pub fn edge(&mut self, layer: usize, from: Vertex, to: Vertex) {
        with_solver!(self, solver => solver.structure.edge(layer, from, to));
    }

    /// Adds edges from a vertex to all vertices of a bit set.
    #[inline]
    pub fn row(&mut self, layer: usize, from: Vertex, targets: &[u64]) {
        for (word, &bits) in targets.iter().enumerate() {
            if bits != 0 {
                with_solver!(self, solver => solver.structure.row(layer, from, word, bits));
            }
        }
    }

    /// Adds edges from a vertex to those of the 64 vertices from `first` on whose bit is one.
    #[inline]
    pub(crate) fn row_at(&mut self, layer: usize, from: Vertex, first: Vertex, bits: u64) {
        let (word, shift) = (first.word(), first.shift());
        with_solver!(self, solver => {
            if bits << shift != 0 {
                solver.structure.row(layer, from, word, bits << shift);
            }
            // A shift by 64, if nothing crosses into the next word, is skipped.
            if shift > 0 && bits >> (64 - shift) != 0 {
                solver.structure.row(layer, from, word + 1, bits >> (64 - shift));
            }
        });
    }

    /// The vertices in canonical order. The structure is unchanged.
    pub fn label(&mut self, effort: Effort) -> Labelling<'_> {
        with_solver!(self, solver => {
            solver.label(&mut self.colours, effort, false);
            Labelling { order: &solver.results.order, factors: &solver.results.factors, is_exact: solver.searches.is_exact() }
        })
    }

    /// Groups of blocks of vertices. Swapping two blocks of a group, position by position, preserves the structure; outer groups come
    /// before those inside their blocks. At most `nodes` vertices are individualised.
    #[must_use]
    pub fn groups(&mut self, nodes: u32) -> Vec<Vec<Vec<Vertex>>> {
        with_solver!(self, solver => {
            // Labelled again with lists: collecting groups costs memory that a mere order does not need.
            solver.label(&mut self.colours, Effort::Exact { nodes }, true);
            std::mem::take(&mut solver.results.groups)
        })
    }

    /// A labeller whose sets are wider than need be.
    #[cfg(test)]
    pub(super) fn of_width(least_words: usize) -> Self {
        Labeller { least_words, ..Labeller::default() }
    }

    /// The number of words of a set of vertices.
    #[inline]
    fn words(&self) -> usize {
        let words = self.vertices.div_ceil(64);
        #[cfg(test)]
        let words = words.max(self.least_words);
        words
    }
}
