//! The colours of vertices, compared exactly.
//!
//! A colour is a list of numbers. Lists are packed into 16 bytes per vertex: a small number takes one byte, any other one byte for its
//! length and its own bytes; the rare list that does not fit continues elsewhere.
//! Invariant: the packed form depends on the list alone, and equal packed forms mean equal lists.

use super::bits::{Bits, Vertex, number};
use super::partition::{Cell, Partition};
use std::cmp::Ordering;

/// Numbers below this take one byte, which is one more than the number: an absent byte is less than any present one.
const SHORT: u64 = 0xF0;

/// Marks a list that continues in [`Colours::more`]: larger than any number of bytes, so that all later parts go there as well.
const FULL: u8 = 17;

/// The colours of all vertices of a structure.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// By vertex: the packed list, first byte highest.
    packed: Vec<u128>,
    /// By vertex: the number of bytes used, or [`FULL`].
    taken: Vec<u8>,
    /// Vertices with parts that found no room, in the order in which they came.
    more: Vec<(Vertex, u64)>,
    /// The marked sets, one after the other, each of the same number of words.
    marks: Vec<u64>,
    /// Distinct colours, ascending, each with the first vertex that has it and its place in a list of sets.
    classes: Vec<(u128, Vertex, u32)>,
}

impl Colours {
    /// Starts again with empty colours.
    pub(super) fn begin(&mut self, len: usize) {
        self.packed.clear();
        self.packed.resize(len, 0);
        self.taken.clear();
        self.taken.resize(len, 0);
        self.more.clear();
        self.marks.clear();
    }

    /// Appends a part to a vertex's colour.
    #[inline]
    pub(super) fn push(&mut self, vertex: Vertex, part: u64) {
        let taken = &mut self.taken[vertex.index()];
        let packed = &mut self.packed[vertex.index()];
        if part < SHORT && *taken < 16 {
            *packed |= u128::from(part + 1) << (120 - 8 * *taken);
            *taken += 1;
            return;
        }
        // A code above all short numbers encodes the length; then come the bytes, highest first. So longer numbers are greater, and
        // different lists have different forms.
        let bytes = (64 - part.leading_zeros()).div_ceil(8);
        if part >= SHORT && u32::from(*taken) + 1 + bytes <= 16 {
            let code = u128::from(SHORT + u64::from(bytes)) << (8 * bytes) | u128::from(part);
            *packed |= code << (8 * (16 - 1 - bytes - u32::from(*taken)));
            *taken += 1 + bytes as u8;
        } else {
            *taken = FULL;
            self.more.push((vertex, part));
        }
    }

    /// Distinguishes the vertices of a set from all others.
    pub(super) fn mark(&mut self, set: &[u64]) {
        let words = self.packed.len().div_ceil(64);
        // A set of no vertices would split no cell.
        if set.iter().all(|word| *word == 0) {
            return;
        }
        debug_assert!(set.iter().skip(words).all(|word| *word == 0), "only vertices are marked");
        let given = set.len().min(words);
        self.marks.extend_from_slice(&set[..given]);
        self.marks.resize(self.marks.len() + words - given, 0);
    }

    /// The partition by colours, then marks, then the given sets. `sets` is working memory.
    pub(super) fn partition<B: Bits>(&mut self, further: &[B], sets: &mut Vec<B>, partition: &mut Partition<B>) {
        let len = self.packed.len();
        let words = len.div_ceil(64);
        // A stable sort: the parts of one vertex stay in the order in which they came.
        self.more.sort_by_key(|&(vertex, _)| vertex);
        self.classes.clear();
        sets.clear();
        // Adjacent vertices often have one colour. Equal bytes decide this only if no list continues elsewhere.
        let mut last = None;
        for vertex in Vertex::all(len) {
            let colour = self.packed[vertex.index()];
            let at = match last {
                Some((known, at)) if known == colour && self.more.is_empty() => at,
                _ => self.class(vertex, colour, sets, words),
            };
            sets[at].set(vertex);
            last = Some((colour, at));
        }
        partition.begin(words, len, len);
        let mut start = 0;
        for &(_, _, at) in &self.classes {
            let set = sets[at as usize].clone();
            let size = set.count();
            partition.put(Cell::new(start), size, set);
            start += size;
        }
        if words > 0 {
            for mark in self.marks.chunks_exact(words) {
                let mut set = B::none(words);
                set.words_mut()[..words].copy_from_slice(mark);
                partition.split(&set);
            }
        }
        further.iter().filter(|set| !set.is_empty()).for_each(|set| partition.split(set));
    }

    /// The place of the set of a vertex's colour; a new one if the vertex is the first of its colour.
    fn class<B: Bits>(&mut self, vertex: Vertex, colour: u128, sets: &mut Vec<B>, words: usize) -> usize {
        let more = &self.more;
        let rest = |vertex: Vertex| {
            let begin = more.partition_point(|&(other, _)| other < vertex);
            more[begin..].iter().take_while(move |&&(other, _)| other == vertex).map(|&(_, part)| part)
        };
        let found = self.classes.binary_search_by(|&(known, example, _)| {
            known.cmp(&colour).then_with(|| if more.is_empty() { Ordering::Equal } else { rest(example).cmp(rest(vertex)) })
        });
        match found {
            Ok(at) => self.classes[at].2 as usize,
            Err(at) => {
                self.classes.insert(at, (colour, vertex, number(sets.len())));
                sets.push(B::none(words));
                sets.len() - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of vertices with these lists as colours.
    fn cells(lists: &[&[u64]]) -> Vec<Vec<usize>> {
        let mut colours = Colours::default();
        colours.begin(lists.len());
        for (vertex, list) in Vertex::all(lists.len()).zip(lists) {
            list.iter().for_each(|&part| colours.push(vertex, part));
        }
        let mut partition = Partition::<[u64; 1]>::default();
        colours.partition(&[], &mut Vec::new(), &mut partition);
        partition.cells().map(|cell| partition.vertices(cell).ones().map(Vertex::index).collect()).collect()
    }

    #[test]
    fn lists_are_compared_part_by_part() {
        assert_eq!(cells(&[&[5], &[], &[3, 9], &[3], &[5], &[3, 9]]), [vec![1], vec![3], vec![2, 5], vec![0, 4]]);
        assert_eq!(cells(&[&[u64::MAX], &[0x100], &[0xEF], &[0xF0], &[0x101]]), [[2], [3], [1], [4], [0]]);
        assert_eq!(cells(&[&[0], &[0, 0], &[], &[0, 0]]), [vec![2], vec![0], vec![1, 3]]);
    }

    #[test]
    fn a_long_part_is_not_the_short_parts_that_its_bytes_could_be() {
        assert_eq!(cells(&[&[0x100], &[0xEF, 0, 0], &[0xF1], &[0xF0], &[0xF1]]).len(), 4);
    }

    #[test]
    fn lists_that_do_not_fit_are_told_apart_all_the_same() {
        let long: Vec<u64> = (0..40).collect();
        let mut other = long.clone();
        other[30] = 7;
        assert_eq!(cells(&[&long, &other, &long, &long[..17]]), [vec![3], vec![1], vec![0, 2]]);
        let wide = [u64::MAX, u64::MAX, 3];
        assert_eq!(cells(&[&wide, &[u64::MAX, 3], &wide, &wide[..2]]).len(), 3);
    }

    #[test]
    fn marks_come_after_colours() {
        let mut colours = Colours::default();
        colours.begin(4);
        colours.mark(&[0b0011]);
        colours.push(Vertex::new(1), 0);
        colours.push(Vertex::new(3), 0);
        colours.mark(&[0b1001]);
        let mut partition = Partition::<[u64; 1]>::default();
        colours.partition(&[[0b0000], [0b0100]], &mut Vec::new(), &mut partition);
        assert!(partition.cells().map(|cell| *partition.vertices(cell)).eq([[0b0100], [0b0001], [0b1000], [0b0010]]));
    }
}
