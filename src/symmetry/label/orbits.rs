//! Orbits of vertices under the automorphisms found so far: union-find.
//!
//! Invariant: the least vertex of an orbit is its root, and represents it.

use super::bits::Vertex;

/// By vertex: a vertex of its orbit that is not greater.
#[derive(Clone, Debug, Default)]
pub(super) struct Orbits(Vec<Vertex>);

impl Orbits {
    /// Every vertex alone.
    pub(super) fn begin(&mut self, len: usize) {
        self.0.clear();
        self.0.extend(Vertex::all(len));
    }

    /// The least vertex of an orbit.
    pub(super) fn find(&mut self, vertex: Vertex) -> Vertex {
        let mut at = vertex;
        while self.0[at.index()] != at {
            // Path halving.
            self.0[at.index()] = self.0[self.0[at.index()].index()];
            at = self.0[at.index()];
        }
        at
    }

    /// Whether the two were apart.
    pub(super) fn unite(&mut self, a: Vertex, b: Vertex) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b).index()] = a.min(b);
        a != b
    }
}
