//! Representatives of packed states: the words are labelled and renamed without decoding them.
//!
//! The words of a skeleton follow those of the state, and are read and renamed in the same way. Invariant: as for [`Symmetry::canonical`],
//! a representative is the permuted input itself; words are renamed digit by digit. Deliberately elsewhere: how words are read and renamed
//! ([`packed_words`](super::packed_words)); states that words cannot represent, and packings with more than two movable digits in one tuple
//! ([`values`](super::values)). In one run, each state is represented by one of the two tiers only, so that an orbit has one
//! representative.

use super::packed_skeleton::{Beside, PackedBackCache};
use super::packed_words::{FIXED, LAYERS, MARKS, PackedPart};
use crate::label::{Effort, Labeller, Stop, Vertex};
use crate::{Automorphisms, Mode, Permutation, Symmetry};
use bcheck_ir::SetId;
use bcheck_value::Element;
use bcheck_value::packing::Packing;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The symmetry group of a machine, acting on packed states.
#[derive(Clone, Debug)]
pub struct PackedSymmetry {
    pub(super) parts: Vec<PackedPart>,
    /// By vertex: the set that its element belongs to, and the place of the element in `PackedScratch::images`.
    pub(super) vertices: Vec<(u64, usize)>,
    /// By place in `PackedScratch::images`: the vertex of the element, or [`FIXED`].
    pub(super) places: Vec<Vertex>,
    /// The sets with movable elements, ascending by place.
    pub(super) sets: Vec<MovingSet>,
    /// The numbers of marks and of layers that the parts need together.
    pub(super) marks: usize,
    pub(super) layers: usize,
    effort: Effort,
    node_budget: u32,
    /// The skeleton, if there is one; its parts follow those of the state.
    pub(super) beside: Option<Beside>,
}

/// A given set with movable elements.
#[derive(Clone, Debug)]
pub(super) struct MovingSet {
    pub(super) set: SetId,
    /// The places of all its elements in `PackedScratch::images`, also of those that do not move.
    pub(super) places: Range<usize>,
    /// The indices of those that move, ascending.
    movable: Vec<u32>,
}

/// Working memory; one per thread.
#[derive(Clone, Debug, Default)]
pub struct PackedScratch {
    pub(super) labeller: Labeller,
    /// Bit sets of vertices, one after the other.
    pub(super) marks: Vec<u64>,
    /// The index of the image of each element of the sets with movable elements.
    images: Vec<u32>,
    factors: Vec<u32>,
    swapped: Vec<u64>,
    /// The words of a state followed by those of the skeleton.
    pub(super) joined: Vec<u64>,
    /// The words of the skeleton's image.
    beside: Vec<u64>,
    backs: PackedBackCache,
}

impl PackedScratch {
    /// Working memory for representatives whose search ends when this flag is raised; they are then not exact.
    #[must_use]
    pub fn interruptible(flag: &Arc<AtomicBool>) -> Self {
        let mut scratch = Self::default();
        scratch.labeller.watch(&Stop::on(flag));
        scratch
    }

    /// The order of the stabiliser of the last canonicalised state.
    #[must_use]
    pub fn automorphisms(&self) -> Automorphisms {
        Automorphisms::of(&self.factors)
    }

    /// The factors of the order of the last state's stabiliser, each at least 2.
    #[must_use]
    pub fn factors(&self) -> &[u32] {
        &self.factors
    }
}

impl PackedSymmetry {
    /// The symmetry of states whose parts have these packings; `None` when it cannot be read from words, or reduction is off.
    #[must_use]
    pub fn new<'p>(symmetry: &Symmetry, sizes: &[u32], packings: impl IntoIterator<Item = &'p Packing>) -> Option<Self> {
        let effort = match symmetry.mode {
            Mode::Exact => Effort::Exact { nodes: symmetry.node_budget },
            Mode::Fast => Effort::Fast,
            Mode::Sorted => Effort::Sorted,
            Mode::Off | Mode::Exhaustive => return None,
        };
        let mut packed = Self {
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
        // The only movable element of a set cannot move, so that set counts as fixed.
        for (set, movable) in symmetry.movable.iter().filter(|(_, movable)| movable.len() > 1) {
            let first = packed.places.len();
            // Places for all elements of the set, including the fixed ones: words contain indices, and renaming one is a look-up without a
            // test.
            packed.places.resize(first + sizes[set.index()] as usize, FIXED);
            for &index in movable {
                let vertex = u32::try_from(packed.vertices.len()).expect("fewer than 2^32 movable elements");
                packed.places[first + index as usize] = Vertex::new(vertex);
                packed.vertices.push((u64::from(set.0), first + index as usize));
            }
            packed.sets.push(MovingSet { set: *set, places: first..packed.places.len(), movable: movable.clone() });
        }
        for packing in packings {
            let reading = packed.reading(packing)?;
            packed.parts.push(PackedPart { reading, words: packing.words() });
        }
        if let Some(skeleton) = &symmetry.skeleton {
            let beside = Beside::new(skeleton, sizes)?;
            for packing in &beside.packings {
                let reading = packed.reading(packing)?;
                packed.parts.push(PackedPart { reading, words: packing.words() });
            }
            packed.beside = Some(beside);
        }
        (packed.marks <= MARKS && packed.layers <= LAYERS).then_some(packed)
    }

    /// Appends the representative of a state to `out`; returns whether every member of the orbit has this representative.
    pub fn canonical(&self, words: &[u64], scratch: &mut PackedScratch, out: &mut Vec<u64>) -> bool {
        self.build(words, scratch);
        let labelling = scratch.labeller.label(self.effort);
        scratch.factors.clear();
        scratch.factors.extend_from_slice(labelling.factors);
        let is_exact = labelling.is_exact;
        // Elements that do not move are in no order: they are their own images.
        self.move_nothing(&mut scratch.images);
        // By set: how many of its elements were placed. On the stack for up to 64 sets.
        let mut next = [0usize; 64];
        let mut more = Vec::new();
        let next = if self.sets.len() <= 64 {
            &mut next[..]
        } else {
            more.resize(self.sets.len(), 0);
            &mut more[..]
        };
        // The k-th vertex of each set in canonical order goes to the set's k-th movable index, so the representative depends on the
        // canonical structure only, not on the names of the elements.
        let mut at = 0;
        for vertex in labelling.order {
            let (_, place) = self.vertices[vertex.index()];
            // Colours begin with the set, so that the vertices of a set follow each other and `at` changes once per set. The first set
            // begins at place 0, so the subtraction does not underflow.
            if !self.sets[at].places.contains(&place) {
                at = self.sets.partition_point(|set| set.places.start <= place) - 1;
            }
            scratch.images[place] = self.sets[at].movable[next[at]];
            next[at] += 1;
        }
        let is_back = self.beside.as_ref().is_none_or(|beside| self.lead_back(beside, scratch));
        self.rename(&self.parts[..self.parts.len() - self.beside_parts()], words, &scratch.images, out);
        is_exact && is_back
    }

    /// Lists the images of all elements under the identity.
    #[inline]
    fn move_nothing(&self, images: &mut Vec<u32>) {
        images.clear();
        images.resize(self.places.len(), 0);
        for set in &self.sets {
            (0..).zip(&mut images[set.places.clone()]).for_each(|(index, image)| *image = index);
        }
    }

    fn beside_parts(&self) -> usize {
        self.beside.as_ref().map_or(0, |beside| beside.packings.len())
    }

    /// Composes the permutation with one that maps the permuted skeleton back onto itself; without one, makes it the identity.
    fn lead_back(&self, beside: &Beside, scratch: &mut PackedScratch) -> bool {
        let mut image = std::mem::take(&mut scratch.beside);
        image.clear();
        self.rename(&self.parts[self.parts.len() - beside.packings.len()..], &beside.words, &scratch.images, &mut image);
        let back = scratch.backs.of(beside, &image, |back| self.images(back));
        let is_back = back.is_some();
        match back {
            // First to the canonical place, then back with the skeleton.
            Some(back) => {
                for set in &self.sets {
                    let images = &mut scratch.images[set.places.clone()];
                    images.iter_mut().for_each(|image| *image = back[set.places.start + *image as usize]);
                }
            }
            None => self.move_nothing(&mut scratch.images),
        }
        scratch.beside = image;
        is_back
    }

    /// The images of all elements of the sets with movable elements.
    fn images(&self, permutation: &Permutation) -> Vec<u32> {
        let mut images = vec![0; self.places.len()];
        for MovingSet { set, places, .. } in &self.sets {
            (0..).zip(&mut images[places.clone()]).for_each(|(index, image)| {
                *image = permutation.element(Element { set: *set, index }).index;
            });
        }
        images
    }

    /// The permutation that maps the last state to its representative.
    #[must_use]
    pub fn permutation(&self, scratch: &PackedScratch) -> Permutation {
        let mut images: Vec<Vec<u32>> = Vec::new();
        for MovingSet { set, places, .. } in &self.sets {
            images.resize(images.len().max(set.index() + 1), Vec::new());
            images[set.index()] = scratch.images[places.clone()].to_vec();
        }
        Permutation::from_images(images)
    }

    /// Groups of blocks of elements such that swapping two blocks of a group preserves the state; outer groups come first.
    pub fn groups(&self, words: &[u64], scratch: &mut PackedScratch) -> Vec<Vec<Vec<Element>>> {
        // Other efforts leave cells unsplit, so blocks would be guesses.
        if !matches!(self.effort, Effort::Exact { .. }) {
            return Vec::new();
        }
        // `build` leaves the state with the skeleton in `joined`: a swap has to preserve both to be a symmetry of the machine.
        self.build(words, scratch);
        let groups = scratch.labeller.groups(self.node_budget);
        let claimed = groups.iter().filter(|group| group.len() > 1).count();
        let joined = std::mem::take(&mut scratch.joined);
        let verified = self.verified(&joined, groups, scratch);
        scratch.joined = joined;
        debug_assert_eq!(verified.len(), claimed, "equal components and interchangeable vertices can be swapped");
        verified
    }

    /// The groups whose swaps were verified to preserve the state; a wrong one would make the search miss successors.
    fn verified(&self, words: &[u64], groups: Vec<Vec<Vec<Vertex>>>, scratch: &mut PackedScratch) -> Vec<Vec<Vec<Element>>> {
        let mut kept = Vec::new();
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            // Swaps of neighbouring blocks generate all permutations of the blocks.
            if group.windows(2).all(|pair| self.keeps(words, &pair[0], &pair[1], scratch)) {
                kept.push(group.iter().map(|block| block.iter().map(|&vertex| self.element(vertex)).collect()).collect());
            }
        }
        kept
    }

    fn element(&self, vertex: Vertex) -> Element {
        let (set, place) = self.vertices[vertex.index()];
        let set = SetId(u16::try_from(set).expect("made from a set's number"));
        let found = self.sets.iter().find(|other| other.set == set).expect("every vertex is an element of a movable set");
        Element { set, index: u32::try_from(place - found.places.start).expect("an index in a set") }
    }

    /// Whether swapping two blocks place by place preserves the state.
    fn keeps(&self, words: &[u64], one: &[Vertex], other: &[Vertex], scratch: &mut PackedScratch) -> bool {
        let images = &mut scratch.images;
        self.move_nothing(images);
        if one.len() != other.len() {
            return false;
        }
        // Transpositions are composed, so `images` is a bijection even if the blocks overlap.
        for (&a, &b) in one.iter().zip(other) {
            let ((set_a, place_a), (set_b, place_b)) = (self.vertices[a.index()], self.vertices[b.index()]);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Scratch as GeneralScratch, Symmetry};
    use bcheck_ir::{Scope, Type};
    use bcheck_value::Value;
    use bcheck_value::packing::Universe;
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
        let packed = PackedSymmetry::new(&symmetry, &[4], [&packing]).expect("one mark");
        let mut scratch = PackedScratch::default();
        let element = |index| Element { set: SetId(0), index };
        let groups = packed.groups(&[0b0011], &mut scratch);
        assert_eq!(groups.len(), 2, "the members, and the others");
        let v = Vertex::new;
        let broken = vec![vec![vec![v(0)], vec![v(2)]], vec![vec![v(2)], vec![v(3)]]];
        assert_eq!(packed.verified(&[0b0011], broken, &mut scratch), [[[element(2)], [element(3)]]]);
        let of_different_length = vec![vec![vec![v(0), v(2)], vec![v(1)]]];
        assert!(packed.verified(&[0b0011], of_different_length, &mut scratch).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Both tiers sort the same states into the same orbits, of the same sizes.
        #[test]
        fn words_and_values_have_the_same_orbits(
            draws in prop::collection::vec(prop::collection::vec(0..1000u64, 12), 40),
            sizes in (2..5u32, 2..8u32),
        ) {
            let sizes = [sizes.0, sizes.1];
            let scope = Scope { sizes: sizes.to_vec(), minint: -1, maxint: 3 };
            let packings: Vec<Packing> = types().iter().map(|ty| Packing::of(ty, &scope, 0).expect("they fit")).collect();
            let symmetry = Symmetry::over(&sizes, Mode::Exact);
            let packed = PackedSymmetry::new(&symmetry, &sizes, &packings).expect("at most two movable digits");
            let (mut scratch, mut general) = (PackedScratch::default(), GeneralScratch::default());
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
                prop_assert!(packed.canonical(&words, &mut scratch, &mut canonical));
                prop_assert_eq!(packed.permutation(&scratch).apply_all(&values), unpack(&canonical));
                let expected = symmetry.canonical(&values, &mut general);
                prop_assert_eq!(scratch.automorphisms().order(), expected.automorphisms.order());
                let known = seen.entry(expected.state).or_insert_with(|| canonical.clone());
                prop_assert_eq!(&*known, &canonical);
                let mut again = Vec::new();
                packed.canonical(&canonical, &mut scratch, &mut again);
                prop_assert_eq!(&again, &canonical, "a representative represents itself");
                for group in packed.groups(&words, &mut scratch) {
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
