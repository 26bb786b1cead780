//! Certificates: the structure on a list of vertices, in the order of the list.
//!
//! Invariant: two lists of vertices have equal certificates exactly when mapping one to the other place by place keeps every layer. So
//! equal certificates are an isomorphism, not only a likely one. Deliberately elsewhere: which lists are compared
//! ([`solver`](super::solver), [`branch`](super::branch)).

use super::bits::{Bits, Vertex};
use super::structure::Structure;
use std::cmp::Ordering;

/// A stack of certificates: bit rows by place in the order, layer by layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Certificates<B> {
    rows: Vec<B>,
    /// By vertex: its place in the order that a certificate is made for; other entries are stale.
    place: Vec<u32>,
}

impl<B: Bits> Certificates<B> {
    /// Makes room for the vertices of a structure.
    pub(super) fn begin(&mut self, structure: &Structure<B>) {
        self.place.resize(structure.len, 0);
    }

    #[inline]
    pub(super) fn mark(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub(super) fn truncate(&mut self, mark: usize) {
        self.rows.truncate(mark);
    }

    /// The rows of the certificates from a mark on.
    #[inline]
    pub(super) fn rows(&self, from: usize, many: usize) -> &[B] {
        &self.rows[from..from + many]
    }

    /// Moves the rows from a mark on into a list.
    pub(super) fn move_to(&mut self, from: usize, list: &mut Vec<B>) {
        list.extend(self.rows.drain(from..));
    }

    /// Puts the certificate of an order of `vertices` on the stack: the edges between them.
    pub(super) fn push(&mut self, structure: &Structure<B>, order: &[Vertex], vertices: &B) {
        self.set_places(order);
        // Rows only: columns are their transposes, so they agree as well.
        for side in &structure.sides[..structure.layers] {
            let rows = structure.rows(side);
            for &vertex in order {
                self.rows.push(moved(&rows[vertex.index()], vertices, &self.place));
            }
        }
    }

    /// Compares the certificate of an order of `vertices` with another one, up to the first difference.
    pub(super) fn compare(&mut self, structure: &Structure<B>, order: &[Vertex], vertices: &B, certificate: &[B]) -> Ordering {
        self.set_places(order);
        let mut theirs = certificate.iter();
        for side in &structure.sides[..structure.layers] {
            let rows = structure.rows(side);
            for (&vertex, theirs) in order.iter().zip(&mut theirs) {
                match moved(&rows[vertex.index()], vertices, &self.place).cmp(theirs) {
                    Ordering::Equal => {}
                    unequal => return unequal,
                }
            }
        }
        Ordering::Equal
    }

    fn set_places(&mut self, order: &[Vertex]) {
        for (place, &vertex) in (0..).zip(order) {
            self.place[vertex.index()] = place;
        }
    }
}

/// A row with its neighbours among `vertices` at their places.
#[inline]
fn moved<B: Bits>(row: &B, vertices: &B, place: &[u32]) -> B {
    // Adjacencies with other components are empty or complete, hence equal for all vertices of a cell.
    let near = row.and(vertices);
    // The empty set, of the same width.
    let mut moved = near.xor(&near);
    for vertex in near.ones() {
        moved.set(Vertex::new(place[vertex.index()]));
    }
    moved
}
