//! Representatives of states that are words: masks become marks and rows of the structure without making values.
//!
//! A numbered universe is a mixed-radix number whose digits are its *leaves*: elements, BOOL, integers. A tuple with one movable
//! digit is a mark on that element, named by the fixed digits; a tuple with two is an edge in the layer of its fixed digits.
//! A skeleton is more words of the same kind behind those of the state.
//! Invariant: as for [`Symmetry::canonical`], a representative is the input, really permuted; words are renamed digit by digit.
//! Deliberately elsewhere: states that words cannot hold, and packings with more movable digits in one tuple (`values`); one run
//! takes one of both ways for each state, so that an orbit has one representative.

use super::packed_skeleton::{Beside, Ways};
use crate::ir::SetId;
use crate::symmetry::label::stop::Stop;
use crate::symmetry::label::{Effort, Labeller};
use crate::symmetry::{Automorphisms, Mode, Permutation, Symmetry};
use crate::value::Element;
use crate::value::packing::{Packing, Universe, all_bits, bits};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The most layers and marks that states may need.
const LAYERS: usize = 64;
const MARKS: usize = 512;

/// A digit of a universe.
#[derive(Clone, Debug)]
struct Leaf {
    size: u64,
    /// Of a set with movable elements: where its images begin in [`Scratch::images`].
    set: Option<usize>,
}

/// How one part of a state is read.
#[derive(Clone, Debug)]
enum Reading {
    /// Nothing in it moves.
    Fixed,
    /// A single tuple.
    Index(Tuples),
    /// A set of elements of a set all of which move: its vertices begin here.
    Elements { first: u32, size: u32, mark: usize },
    /// A relation between two sets all of whose elements move and of which the second fits a word.
    Relation { rows: u32, first_row: u32, columns: u32, first_column: u32, row_images: usize, column_images: usize, layer: usize },
    /// A set of tuples.
    Mask(Tuples),
}

/// Tuples with at least one and at most two movable digits.
#[derive(Clone, Debug)]
struct Tuples {
    leaves: Vec<Leaf>,
    /// The first of its marks and of its layers.
    mark: usize,
    layer: usize,
    /// The number of combinations of fixed digits.
    combinations: usize,
    /// Two movable digits.
    is_binary: bool,
}

#[derive(Clone, Debug)]
struct Part {
    reading: Reading,
    words: usize,
}

/// How the words of a state become a structure.
#[derive(Clone, Debug)]
pub struct PackedSymmetry {
    parts: Vec<Part>,
    /// By vertex: the set it belongs to, and where its image is.
    vertices: Vec<(u64, usize)>,
    /// By place of an image: the vertex, or [`FIXED`].
    places: Vec<u32>,
    /// By set with movable elements: the set, the place of its first image, its size, its movable indices.
    sets: Vec<(SetId, usize, u32, Vec<u32>)>,
    marks: usize,
    layers: usize,
    effort: Effort,
    node_budget: u32,
    /// The parts of the skeleton follow those of the state.
    beside: Option<Beside>,
}

const FIXED: u32 = u32::MAX;

/// Working memory; one per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    labeller: Labeller,
    /// Bit sets of vertices, one after the other.
    marks: Vec<u64>,
    /// The index of the image of each element of the sets with movable elements.
    images: Vec<u32>,
    factors: Vec<u32>,
    swapped: Vec<u64>,
    /// A state with what stands beside it, and the image of that.
    joined: Vec<u64>,
    beside: Vec<u64>,
    ways: Ways,
}

impl Scratch {
    /// Working memory for representatives whose search ends when this flag is raised; they are then not exact.
    #[must_use]
    pub fn interruptible(flag: &Arc<AtomicBool>) -> Self {
        let mut scratch = Self::default();
        scratch.labeller.watch(&Stop::on(flag));
        scratch
    }

    /// How many permutations keep the state that was last made canonical.
    #[must_use]
    pub fn automorphisms(&self) -> Automorphisms {
        Automorphisms::of(&self.factors)
    }

    /// The factors of that number.
    #[must_use]
    pub fn factors(&self) -> &[u32] {
        &self.factors
    }
}

impl PackedSymmetry {
    /// The way for states whose parts have these packings; `None` when there is none.
    #[must_use]
    pub fn new<'p>(symmetry: &Symmetry, sizes: &[u32], packings: impl IntoIterator<Item = &'p Packing>) -> Option<Self> {
        let effort = match symmetry.mode {
            Mode::Exact => Effort::Exact { nodes: symmetry.node_budget },
            Mode::Fast => Effort::Fast,
            Mode::Sorted => Effort::Sorted,
            Mode::Off | Mode::Exhaustive => return None,
        };
        let mut way = Self {
            parts: Vec::new(),
            vertices: Vec::new(),
            places: Vec::new(),
            sets: Vec::new(),
            marks: 0,
            layers: 0,
            effort,
            node_budget: symmetry.node_budget,
            beside: None,
        };
        for (set, movable) in symmetry.movable.iter().filter(|(_, movable)| movable.len() > 1) {
            let (first, size) = (way.places.len(), sizes[set.index()]);
            way.places.resize(first + size as usize, FIXED);
            for &index in movable {
                way.places[first + index as usize] = u32::try_from(way.vertices.len()).expect("fewer than 2^32 movable elements");
                way.vertices.push((u64::from(set.0), first + index as usize));
            }
            way.sets.push((*set, first, size, movable.clone()));
        }
        for packing in packings {
            let reading = way.reading(packing)?;
            way.parts.push(Part { reading, words: packing.words() });
        }
        if let Some(skeleton) = &symmetry.skeleton {
            let beside = Beside::new(skeleton, sizes)?;
            for packing in &beside.packings {
                let reading = way.reading(packing)?;
                way.parts.push(Part { reading, words: packing.words() });
            }
            way.beside = Some(beside);
        }
        (way.marks <= MARKS && way.layers <= LAYERS).then_some(way)
    }

    fn leaves(&self, universe: &Universe, out: &mut Vec<Leaf>) {
        match universe {
            Universe::Pairs(first, second, _) => {
                self.leaves(first, out);
                self.leaves(second, out);
            }
            Universe::Given(set, size) => {
                let set = self.sets.iter().find(|(movable, ..)| movable == set).map(|(_, first, ..)| *first);
                out.push(Leaf { size: u64::from(*size), set });
            }
            Universe::Bool | Universe::Integers(..) => out.push(Leaf { size: u64::from(universe.size()), set: None }),
        }
    }

    /// The vertex of the first element of a leaf's set, if all of them move.
    fn all_move(&self, leaf: &Leaf) -> Option<u32> {
        let places = &self.places[leaf.set?..][..usize::try_from(leaf.size).ok()?];
        places.iter().all(|place| *place != FIXED).then(|| places[0])
    }

    fn reading(&mut self, packing: &Packing) -> Option<Reading> {
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
        if movable > 2 {
            return None;
        }
        let fixed = leaves.iter().filter(|leaf| leaf.set.is_none());
        let combinations = usize::try_from(fixed.map(|leaf| leaf.size).product::<u64>()).ok().filter(|number| *number <= MARKS)?;
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

    /// Appends the representative of a state to `out`; tells whether every member of the orbit has this representative.
    pub fn canonical(&self, words: &[u64], scratch: &mut Scratch, out: &mut Vec<u64>) -> bool {
        self.build(words, scratch);
        let labelling = scratch.labeller.label(self.effort);
        scratch.factors.clear();
        scratch.factors.extend_from_slice(labelling.factors);
        let is_exact = labelling.is_exact;
        scratch.images.clear();
        scratch.images.extend((0..self.places.len()).map(|_| 0));
        for (_, first, size, _) in &self.sets {
            (0..*size).zip(&mut scratch.images[*first..]).for_each(|(index, image)| *image = index);
        }
        let mut next = [0usize; 64];
        let mut more = Vec::new();
        let next = if self.sets.len() <= 64 {
            &mut next[..]
        } else {
            more.resize(self.sets.len(), 0);
            &mut more[..]
        };
        let mut at = 0;
        for &vertex in labelling.order {
            let (_, place) = self.vertices[vertex as usize];
            if !(self.sets[at].1..self.sets[at].1 + self.sets[at].2 as usize).contains(&place) {
                at = self.sets.partition_point(|(_, first, ..)| *first <= place) - 1;
            }
            scratch.images[place] = self.sets[at].3[next[at]];
            next[at] += 1;
        }
        let is_back = self.beside.as_ref().is_none_or(|beside| self.lead_back(beside, scratch));
        self.rename(&self.parts[..self.parts.len() - self.beside_parts()], words, &scratch.images, out);
        is_exact && is_back
    }

    fn beside_parts(&self) -> usize {
        self.beside.as_ref().map_or(0, |beside| beside.packings.len())
    }

    /// Composes the permutation with one that maps the permuted skeleton back onto itself; the identity if there is none.
    fn lead_back(&self, beside: &Beside, scratch: &mut Scratch) -> bool {
        let mut image = std::mem::take(&mut scratch.beside);
        image.clear();
        self.rename(&self.parts[self.parts.len() - beside.packings.len()..], &beside.words, &scratch.images, &mut image);
        let back = scratch.ways.of(beside, &image, |back| self.images(back));
        for (_, first, size, _) in &self.sets {
            let images = &mut scratch.images[*first..*first + *size as usize];
            match back {
                Some(back) => images.iter_mut().for_each(|image| *image = back[first + *image as usize]),
                None => (0..*size).zip(images).for_each(|(index, image)| *image = index),
            }
        }
        let is_back = back.is_some();
        scratch.beside = image;
        is_back
    }

    /// The images of all elements of the sets with movable elements.
    fn images(&self, permutation: &Permutation) -> Vec<u32> {
        let mut images = vec![0; self.places.len()];
        for (set, first, size, _) in &self.sets {
            (0..*size).zip(&mut images[*first..]).for_each(|(index, image)| {
                *image = permutation.element(Element { set: *set, index }).index;
            });
        }
        images
    }

    /// The permutation that made the last representative.
    #[must_use]
    pub fn permutation(&self, scratch: &Scratch) -> Permutation {
        let mut images: Vec<Vec<u32>> = Vec::new();
        for (set, first, size, _) in &self.sets {
            images.resize(images.len().max(set.index() + 1), Vec::new());
            images[set.index()] = scratch.images[*first..*first + *size as usize].to_vec();
        }
        Permutation::from_images(images)
    }

    /// Groups of blocks of elements, any two of which can be swapped without changing the state; outer groups first.
    pub fn groups(&self, words: &[u64], scratch: &mut Scratch) -> Vec<Vec<Vec<Element>>> {
        if !matches!(self.effort, Effort::Exact { .. }) {
            return Vec::new();
        }
        self.build(words, scratch);
        let groups = scratch.labeller.groups(self.node_budget);
        let claimed = groups.iter().filter(|group| group.len() > 1).count();
        let joined = std::mem::take(&mut scratch.joined);
        let verified = self.verified(&joined, groups, scratch);
        scratch.joined = joined;
        debug_assert_eq!(verified.len(), claimed, "equal components and interchangeable vertices can be swapped");
        verified
    }

    /// Those of the groups whose swaps really keep the state: a wrong one would make the search miss successors.
    fn verified(&self, words: &[u64], groups: Vec<Vec<Vec<u32>>>, scratch: &mut Scratch) -> Vec<Vec<Vec<Element>>> {
        let mut kept = Vec::new();
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            if group.windows(2).all(|pair| self.keeps(words, &pair[0], &pair[1], scratch)) {
                kept.push(group.iter().map(|block| block.iter().map(|&vertex| self.element(vertex)).collect()).collect());
            }
        }
        kept
    }

    fn element(&self, vertex: u32) -> Element {
        let (set, place) = self.vertices[vertex as usize];
        let set = SetId(u16::try_from(set).expect("made from a set's number"));
        let (_, first, ..) = self.sets.iter().find(|(other, ..)| *other == set).expect("every vertex is an element of a movable set");
        Element { set, index: u32::try_from(place - first).expect("an index in a set") }
    }

    /// Whether swapping two blocks place by place leaves the state as it is.
    fn keeps(&self, words: &[u64], one: &[u32], other: &[u32], scratch: &mut Scratch) -> bool {
        let images = &mut scratch.images;
        images.clear();
        images.resize(self.places.len(), 0);
        for (_, first, size, _) in &self.sets {
            (0..*size).zip(&mut images[*first..]).for_each(|(index, image)| *image = index);
        }
        if one.len() != other.len() {
            return false;
        }
        for (&a, &b) in one.iter().zip(other) {
            let ((set_a, place_a), (set_b, place_b)) = (self.vertices[a as usize], self.vertices[b as usize]);
            if set_a != set_b {
                return false;
            }
            images.swap(place_a, place_b);
        }
        let mut swapped = std::mem::take(&mut scratch.swapped);
        swapped.clear();
        self.rename(&self.parts, words, &scratch.images, &mut swapped);
        let same = swapped == words;
        scratch.swapped = swapped;
        same
    }

    fn build(&self, words: &[u64], scratch: &mut Scratch) {
        let Scratch { labeller, marks, joined, .. } = scratch;
        joined.clear();
        joined.extend_from_slice(words);
        joined.extend(self.beside.iter().flat_map(|beside| &beside.words));
        let width = self.vertices.len().div_ceil(64);
        labeller.begin(self.vertices.len(), self.layers);
        for (vertex, (set, _)) in (0..).zip(&self.vertices) {
            labeller.colour(vertex, *set);
        }
        marks.clear();
        marks.resize(self.marks * width, 0);
        let mut rest = &joined[..];
        for part in &self.parts {
            let (own, others) = rest.split_at(part.words);
            rest = others;
            match &part.reading {
                Reading::Fixed => {}
                Reading::Elements { first, mark, .. } => {
                    let target = &mut marks[mark * width..][..width];
                    let (word, shift) = (*first as usize / 64, first % 64);
                    target[word] |= own[0] << shift;
                    if shift > 0 && word + 1 < width {
                        target[word + 1] |= own[0] >> (64 - shift);
                    }
                }
                Reading::Relation { rows, first_row, columns, first_column, layer, .. } => {
                    for row in 0..*rows {
                        let bits = row_of(own, *columns, row);
                        if bits != 0 {
                            labeller.row_at(*layer, first_row + row, *first_column, bits);
                        }
                    }
                }
                Reading::Index(tuples) => self.tuple(tuples, own[0], labeller, marks, width),
                Reading::Mask(tuples) => all_bits(own).for_each(|number| self.tuple(tuples, number, labeller, marks, width)),
            }
        }
        for mark in marks.chunks_exact(width.max(1)) {
            labeller.mark(mark);
        }
    }

    /// Enters one tuple as a mark or an edge.
    fn tuple(&self, tuples: &Tuples, number: u64, labeller: &mut Labeller, marks: &mut [u64], width: usize) {
        let mut set = |mark: usize, vertex: u32| marks[mark * width + vertex as usize / 64] |= 1 << (vertex % 64);
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
        let [(target, to, columns), (source, from, rows)] = moving;
        if !tuples.is_binary {
            if target != FIXED {
                set(tuples.mark + combination, target);
            }
            return;
        }
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
    fn rename(&self, parts: &[Part], words: &[u64], images: &[u32], out: &mut Vec<u64>) {
        let mut rest = words;
        for part in parts {
            let (own, others) = rest.split_at(part.words);
            rest = others;
            let start = out.len();
            match &part.reading {
                Reading::Fixed => out.extend_from_slice(own),
                Reading::Elements { first, size, .. } => {
                    let place = self.vertices[*first as usize].1;
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
    if shift + columns as usize > 64 {
        bits |= words[word + 1] << (64 - shift);
    }
    if columns >= 64 { bits } else { bits & ((1 << columns) - 1) }
}

/// Sets the bits of a row that is still empty.
fn put_row(words: &mut [u64], columns: u32, row: u32, bits: u64) {
    let at = row as usize * columns as usize;
    let (word, shift) = (at / 64, at % 64);
    words[word] |= bits << shift;
    if shift + columns as usize > 64 {
        words[word + 1] |= bits >> (64 - shift);
    }
}

/// The number of a tuple's image.
fn renamed(tuples: &Tuples, number: u64, images: &[u32]) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Scope, Type};
    use crate::symmetry::{Mode, Scratch as GeneralScratch, Symmetry};
    use crate::value::Value;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn types() -> Vec<Type> {
        let (s, t) = (Type::Given(SetId(0)), Type::Given(SetId(1)));
        vec![
            Type::set(Type::pair(s.clone(), t.clone())),
            Type::set(s.clone()),
            t.clone(),
            Type::set(Type::pair(Type::pair(s.clone(), Type::Bool), s.clone())),
            Type::set(Type::pair(t.clone(), Type::Bool)),
            Type::pair(s, t),
            Type::Integer,
        ]
    }

    /// States drawn sparsely, so that some are symmetric to others and many have automorphisms.
    fn state(packings: &[Packing], numbers: &[u64]) -> Vec<u64> {
        let mut numbers = numbers.iter().cycle();
        let mut words = Vec::new();
        for packing in packings {
            match packing {
                Packing::Integer => words.push(numbers.next().map_or(0, |number| number % 2)),
                Packing::Index(universe) => words.push(numbers.next().map_or(0, |number| number % u64::from(universe.size()))),
                Packing::Mask(universe) => {
                    let start = words.len();
                    words.resize(start + packing.words(), 0);
                    for _ in 0..2 {
                        let bit = numbers.next().map_or(0, |number| number % u64::from(universe.size()));
                        words[start + bit as usize / 64] |= 1 << (bit % 64);
                    }
                }
            }
        }
        words
    }

    #[test]
    fn a_claim_that_elements_can_be_swapped_is_not_taken_on_trust() {
        let packing = Packing::Mask(Universe::Given(SetId(0), 4));
        let symmetry = Symmetry::over(&[4], Mode::Exact);
        let way = PackedSymmetry::new(&symmetry, &[4], [&packing]).expect("one mark");
        let mut scratch = Scratch::default();
        let element = |index| Element { set: SetId(0), index };
        let groups = way.groups(&[0b0011], &mut scratch);
        assert_eq!(groups.len(), 2, "the members, and the others");
        let broken = vec![vec![vec![0], vec![2]], vec![vec![2], vec![3]]];
        assert_eq!(way.verified(&[0b0011], broken, &mut scratch), [[[element(2)], [element(3)]]]);
        let of_different_length = vec![vec![vec![0, 2], vec![1]]];
        assert!(way.verified(&[0b0011], of_different_length, &mut scratch).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Both ways sort the same states into the same orbits, of the same sizes.
        #[test]
        fn words_and_values_have_the_same_orbits(
            draws in prop::collection::vec(prop::collection::vec(0..1000u64, 12), 40),
            sizes in (2..5u32, 2..8u32),
        ) {
            let sizes = [sizes.0, sizes.1];
            let scope = Scope { sizes: sizes.to_vec(), minint: -1, maxint: 3 };
            let packings: Vec<Packing> = types().iter().map(|ty| Packing::of(ty, &scope, 0).expect("they fit")).collect();
            let symmetry = Symmetry::over(&sizes, Mode::Exact);
            let way = PackedSymmetry::new(&symmetry, &sizes, &packings).expect("at most two movable digits");
            let (mut scratch, mut general) = (Scratch::default(), GeneralScratch::default());
            let mut seen: BTreeMap<Vec<Value>, Vec<u64>> = BTreeMap::new();
            for numbers in &draws {
                let words = state(&packings, numbers);
                let unpack = |words: &[u64]| -> Vec<Value> {
                    let mut rest = words;
                    packings.iter().map(|packing| {
                        let (own, others) = rest.split_at(packing.words());
                        rest = others;
                        packing.unpack(own)
                    }).collect()
                };
                let values = unpack(&words);
                let mut canonical = Vec::new();
                prop_assert!(way.canonical(&words, &mut scratch, &mut canonical));
                prop_assert_eq!(way.permutation(&scratch).apply_all(&values), unpack(&canonical));
                let expected = symmetry.canonical(&values, &mut general);
                prop_assert_eq!(scratch.automorphisms().order(), expected.automorphisms.order());
                let known = seen.entry(expected.state).or_insert_with(|| canonical.clone());
                prop_assert_eq!(&*known, &canonical);
                let mut again = Vec::new();
                way.canonical(&canonical, &mut scratch, &mut again);
                prop_assert_eq!(&again, &canonical, "a representative represents itself");
                for group in way.groups(&words, &mut scratch) {
                    prop_assert!(group.len() > 1);
                }
            }
            let mut forms: Vec<&Vec<u64>> = seen.values().collect();
            forms.sort();
            forms.dedup();
            prop_assert_eq!(forms.len(), seen.len(), "different orbits have different representatives");
        }
    }
}
