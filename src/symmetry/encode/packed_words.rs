//! How the words of a state are read as vertices, marks and edges, and renamed under a permutation.
//!
//! A numbered universe is a mixed-radix number whose digits are its *leaves*: elements, BOOL, integers. A tuple with one movable
//! digit is a mark on that element, named by the fixed digits; a tuple with two is an edge in the layer of its fixed digits.
//! Invariant: reading and renaming decompose a part in the same manner, so the structure of a renamed state is the renamed structure
//! of the state. Deliberately elsewhere: which permutation is applied ([`packed`](super::packed)), and tuples with more movable digits,
//! which need auxiliary vertices ([`values`](super::values)).

use super::packed::{PackedScratch, PackedSymmetry};
use crate::label::{Labeller, Vertex};
use bcheck_value::packing::{Packing, Universe, all_bits, bits};

/// The most layers and marks that states may need; machines that need more have no packed symmetry.
pub(super) const LAYERS: usize = 64;
pub(super) const MARKS: usize = 512;

#[derive(Clone, Debug)]
pub(super) struct Leaf {
    size: u64,
    /// Of a set with movable elements: the place of its first element in the list of images.
    set: Option<usize>,
}

/// How one part of a state is read: a special case for the two most common shapes, whose bits are handled word by word.
#[derive(Clone, Debug)]
pub(super) enum Reading {
    /// A part without movable elements.
    Fixed,
    /// A single tuple.
    Index(Tuples),
    /// A subset of a set of at most 64 elements, all of them movable: their vertices are consecutive from `first` on.
    Elements { first: Vertex, size: u32, mark: usize },
    /// A relation between two sets all of whose elements move; the second has at most 64.
    Relation { rows: u32, first_row: Vertex, columns: u32, first_column: Vertex, row_images: usize, column_images: usize, layer: usize },
    /// A set of tuples, as a bit mask.
    Mask(Tuples),
}

/// Tuples with at least one and at most two movable digits.
#[derive(Clone, Debug)]
pub(super) struct Tuples {
    leaves: Vec<Leaf>,
    /// The first of its marks and of its layers.
    mark: usize,
    layer: usize,
    /// The number of combinations of fixed digits.
    combinations: usize,
    /// Whether there are two movable digits.
    is_binary: bool,
}

/// A part of a state with a single packing.
#[derive(Clone, Debug)]
pub(super) struct PackedPart {
    pub(super) reading: Reading,
    pub(super) words: usize,
}

/// Stands for the vertex of an element that does not move.
pub(super) const FIXED: Vertex = Vertex::new(u32::MAX);

impl PackedSymmetry {
    /// Lists the leaves of a universe, most significant digit first.
    fn leaves(&self, universe: &Universe, out: &mut Vec<Leaf>) {
        match universe {
            Universe::Pairs(first, second, _) => {
                self.leaves(first, out);
                self.leaves(second, out);
            }
            Universe::Given(set, size) => {
                let set = self.sets.iter().find(|moving| moving.set == *set).map(|moving| moving.places.start);
                out.push(Leaf { size: u64::from(*size), set });
            }
            Universe::Bool | Universe::Integers(..) => out.push(Leaf { size: u64::from(universe.size()), set: None }),
            Universe::Records(..) | Universe::Subsets(..) => unreachable!("words hold no numbers of records and of sets"),
        }
    }

    /// The vertex of the first element of a leaf's set, if all of them move.
    fn all_move(&self, leaf: &Leaf) -> Option<Vertex> {
        let places = &self.places[leaf.set?..][..usize::try_from(leaf.size).ok()?];
        places.iter().all(|place| *place != FIXED).then(|| places[0])
    }

    /// Decides how a part is read and reserves its marks and layers; `None` when tuples have too many movable digits.
    pub(super) fn reading(&mut self, packing: &Packing) -> Option<Reading> {
        let universe = match packing {
            Packing::Integer => return Some(Reading::Fixed),
            Packing::Index(universe) | Packing::Mask(universe) => universe,
        };
        let mut leaves = Vec::new();
        self.leaves(universe, &mut leaves);
        let movable = leaves.iter().filter(|leaf| leaf.set.is_some()).count();
        if movable == 0 || universe.size() == 0 {
            return Some(Reading::Fixed);
        }
        let small = |size: u64| u32::try_from(size).expect("universes have 32-bit sizes");
        // First the shapes that need no division per tuple, then all others.
        if let (Packing::Mask(_), [leaf]) = (packing, &leaves[..])
            && let Some(first) = self.all_move(leaf)
            && leaf.size <= 64
        {
            self.marks += 1;
            return Some(Reading::Elements { first, size: small(leaf.size), mark: self.marks - 1 });
        }
        if let (Packing::Mask(_), [row, column]) = (packing, &leaves[..])
            && let (Some(first_row), Some(first_column)) = (self.all_move(row), self.all_move(column))
            && column.size <= 64
        {
            self.layers += 1;
            return Some(Reading::Relation {
                rows: small(row.size),
                first_row,
                columns: small(column.size),
                first_column,
                row_images: row.set?,
                column_images: column.set?,
                layer: self.layers - 1,
            });
        }
        // Such a tuple would be a hyperedge, which needs an auxiliary vertex.
        if movable > 2 {
            return None;
        }
        // One mark or layer for each combination of fixed digits: tuples that differ in what does not move must not be confused.
        let fixed = leaves.iter().filter(|leaf| leaf.set.is_none());
        let combinations = usize::try_from(fixed.map(|leaf| leaf.size).product::<u64>()).ok().filter(|number| *number <= MARKS)?;
        // Marks and layers are reserved once per type, so that their order is equal for all states.
        let (mark, layer) = (self.marks, self.layers);
        if movable == 1 {
            self.marks += combinations;
        } else {
            self.layers += combinations;
            // An edge to an element that does not move is a mark named by that element, on either side.
            self.marks += combinations * leaves.iter().filter(|leaf| leaf.set.is_some()).map(|leaf| leaf.size as usize).sum::<usize>();
        }
        let tuples = Tuples { leaves, mark, layer, combinations, is_binary: movable == 2 };
        Some(if matches!(packing, Packing::Index(_)) { Reading::Index(tuples) } else { Reading::Mask(tuples) })
    }

    /// Builds the structure of a state, with the skeleton, in the labeller.
    pub(super) fn build(&self, words: &[u64], scratch: &mut PackedScratch) {
        let PackedScratch { labeller, marks, joined, .. } = scratch;
        joined.clear();
        joined.extend_from_slice(words);
        joined.extend(self.beside.iter().flat_map(|beside| &beside.words));
        let width = self.vertices.len().div_ceil(64);
        labeller.begin(self.vertices.len(), self.layers);
        for (vertex, (set, _)) in Vertex::all(self.vertices.len()).zip(&self.vertices) {
            labeller.colour(vertex, *set);
        }
        marks.clear();
        marks.resize(self.marks * width, 0);
        let mut rest = &joined[..];
        for part in &self.parts {
            let (own, others) = rest.split_at(part.words);
            rest = others;
            match &part.reading {
                // Fixed parts are equal in all members of an orbit, so they need not distinguish vertices.
                Reading::Fixed => {}
                Reading::Elements { first, mark, .. } => {
                    let target = &mut marks[mark * width..][..width];
                    let (word, shift) = (first.word(), first.shift());
                    // The bits from `size` on are zero, so nothing is lost if there is no next word.
                    target[word] |= own[0] << shift;
                    if shift > 0 && word + 1 < width {
                        target[word + 1] |= own[0] >> (64 - shift);
                    }
                }
                Reading::Relation { rows, first_row, columns, first_column, layer, .. } => {
                    for row in 0..*rows {
                        let bits = row_of(own, *columns, row);
                        if bits != 0 {
                            labeller.row_at(*layer, first_row.plus(row), *first_column, bits);
                        }
                    }
                }
                Reading::Index(tuples) => self.tuple(tuples, own[0], labeller, marks, width),
                Reading::Mask(tuples) => all_bits(own).for_each(|number| self.tuple(tuples, number, labeller, marks, width)),
            }
        }
        // Without vertices the width is zero, which would be no size of a chunk.
        for mark in marks.chunks_exact(width.max(1)) {
            labeller.mark(mark);
        }
    }

    /// Enters one tuple as a mark or an edge.
    fn tuple(&self, tuples: &Tuples, number: u64, labeller: &mut Labeller, marks: &mut [u64], width: usize) {
        let mut set = |mark: usize, vertex: Vertex| marks[mark * width + vertex.word()] |= vertex.bit();
        let mut rest = number;
        let (mut combination, mut radix) = (0, 1);
        // The movable digits, last one first: the vertex, the digit, the size of its set.
        let mut moving = [(FIXED, 0, 0); 2];
        let mut met = 0;
        for leaf in tuples.leaves.iter().rev() {
            let digit = rest % leaf.size;
            rest /= leaf.size;
            match leaf.set {
                Some(first) => {
                    let digit = usize::try_from(digit).expect("a digit of a 32-bit universe");
                    moving[met] = (self.places[first + digit], digit, usize::try_from(leaf.size).expect("a 32-bit size"));
                    met += 1;
                }
                None => {
                    combination += radix * usize::try_from(digit).expect("a digit of a 32-bit universe");
                    radix *= usize::try_from(leaf.size).expect("a 32-bit size");
                }
            }
        }
        // Digits occurred last one first, so the first in `moving` is the target of the edge.
        let [(target, to, columns), (source, from, rows)] = moving;
        if !tuples.is_binary {
            if target != FIXED {
                set(tuples.mark + combination, target);
            }
            return;
        }
        // Each combination has one mark per element of the first set and one per element of the second. Only those of fixed elements are
        // ever used; empty marks are skipped.
        let first_mark = tuples.mark + combination * (rows + columns);
        match (source, target) {
            (FIXED, FIXED) => {}
            (FIXED, target) => set(first_mark + from, target),
            (source, FIXED) => set(first_mark + rows + to, source),
            (source, target) => labeller.edge(tuples.layer + combination, source, target),
        }
        debug_assert!(combination < tuples.combinations);
    }

    /// Appends the words with every movable element replaced by its image.
    pub(super) fn rename(&self, parts: &[PackedPart], words: &[u64], images: &[u32], out: &mut Vec<u64>) {
        let mut rest = words;
        for part in parts {
            let (own, others) = rest.split_at(part.words);
            rest = others;
            let start = out.len();
            match &part.reading {
                Reading::Fixed => out.extend_from_slice(own),
                Reading::Elements { first, size, .. } => {
                    let place = self.vertices[first.index()].1;
                    out.push(permuted(own[0], &images[place..place + *size as usize]));
                }
                Reading::Relation { rows, columns, row_images, column_images, .. } => {
                    out.resize(start + part.words, 0);
                    let column_images = &images[*column_images..][..*columns as usize];
                    for row in 0..*rows {
                        let bits = row_of(own, *columns, row);
                        if bits != 0 {
                            put_row(&mut out[start..], *columns, images[row_images + row as usize], permuted(bits, column_images));
                        }
                    }
                }
                Reading::Index(tuples) => out.push(renamed(tuples, own[0], images)),
                Reading::Mask(tuples) => {
                    // A renaming is one-to-one on tuples, so the images of different bits are different bits.
                    out.resize(start + part.words, 0);
                    for number in all_bits(own) {
                        let image = renamed(tuples, number, images);
                        out[start + usize::try_from(image / 64).expect("a bit of a mask")] |= 1 << (image % 64);
                    }
                }
            }
        }
    }
}

/// The images of the bits of a word.
fn permuted(mask: u64, images: &[u32]) -> u64 {
    bits(mask).fold(0, |all, at| all | 1 << images[usize::try_from(at).expect("a bit of a word")])
}

/// A row of a relation whose rows have at most 64 bits and follow each other without gaps.
fn row_of(words: &[u64], columns: u32, row: u32) -> u64 {
    let at = row as usize * columns as usize;
    let (word, shift) = (at / 64, at % 64);
    let mut bits = words[word] >> shift;
    // With at most 64 columns a row ends in the next word at the latest, and only if `shift` is positive.
    if shift + columns as usize > 64 {
        bits |= words[word + 1] << (64 - shift);
    }
    if columns >= 64 { bits } else { bits & ((1 << columns) - 1) }
}

/// Sets the bits of a row that is still empty; `bits` has no bit from `columns` on.
fn put_row(words: &mut [u64], columns: u32, row: u32, bits: u64) {
    let at = row as usize * columns as usize;
    let (word, shift) = (at / 64, at % 64);
    words[word] |= bits << shift;
    if shift + columns as usize > 64 {
        words[word + 1] |= bits >> (64 - shift);
    }
}

/// The number of a tuple's image: each digit is replaced and its place value stays.
fn renamed(tuples: &Tuples, number: u64, images: &[u32]) -> u64 {
    // Digits come least significant first, so leaves are visited from the last one on, as in `tuple`.
    let (mut rest, mut image, mut radix) = (number, 0, 1);
    for leaf in tuples.leaves.iter().rev() {
        let digit = rest % leaf.size;
        rest /= leaf.size;
        let digit = match leaf.set {
            Some(first) => u64::from(images[first + usize::try_from(digit).expect("a digit of a 32-bit universe")]),
            None => digit,
        };
        image += digit * radix;
        radix *= leaf.size;
    }
    image
}
