//! The skeleton packed into words, appended to each state before labelling.
//!
//! Invariant: its words are read by the same packings as a state's, so that one renaming does for both. A skeleton of other relations
//! than sets of elements or of pairs of elements has no words. Deliberately elsewhere: how words become a structure
//! ([`packed_words`](super::packed_words)).

use crate::Permutation;
use crate::group::skeleton::{self, Skeleton};
use crate::thresholds::REMEMBERED_IMAGES;
use bcheck_ir::SetId;
use bcheck_value::Value;
use bcheck_value::packing::{Packing, Universe};
use rustc_hash::FxHashMap;

/// The skeleton with its words and their packings.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    skeleton: Skeleton,
    pub(crate) packings: Vec<Packing>,
    pub(crate) words: Vec<u64>,
}

impl Beside {
    /// The skeleton in words; `None` when it does not fit.
    pub(super) fn new(skeleton: &Skeleton, sizes: &[u32]) -> Option<Self> {
        let mut beside = Beside { skeleton: skeleton.clone(), packings: Vec::new(), words: Vec::new() };
        for relation in &skeleton.relations {
            let given = |set: SetId| Universe::Given(set, sizes[set.index()]);
            let universe = match relation.as_set()?.first_element()? {
                Value::Element(element) => given(element.set),
                Value::Pair(pair) => match (&pair.0, &pair.1) {
                    (Value::Element(one), Value::Element(other)) => Universe::pairs(given(one.set), given(other.set))?,
                    _ => return None,
                },
                _ => return None,
            };
            // All members of a relation have the shape of its first one: relations are orbits of points or of pairs.
            let packing = Packing::Mask(universe);
            let mut words = vec![0; packing.words()];
            if !packing.pack(relation, &mut words) {
                return None;
            }
            beside.words.extend(words);
            beside.packings.push(packing);
        }
        Some(beside)
    }

    fn values(&self, words: &[u64]) -> Vec<Value> {
        let mut rest = words;
        let mut values = Vec::new();
        for packing in &self.packings {
            let (own, others) = rest.split_at(packing.words());
            rest = others;
            values.push(packing.unpack(own));
        }
        values
    }
}

/// Memoised permutations that map images of the skeleton back to it, as lists of images.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedBackCache {
    known: FxHashMap<Vec<u64>, Option<Vec<u32>>>,
    general: skeleton::BackCache,
}

impl PackedBackCache {
    /// The permutation that maps an image of the skeleton back to it, if there is one; `images` lists the images under a permutation.
    pub(super) fn of(&mut self, beside: &Beside, image: &[u64], images: impl Fn(&Permutation) -> Vec<u32>) -> Option<&[u32]> {
        if !self.known.contains_key(image) {
            // As in `Skeleton::back`. There are at most as many images as cosets of the group in all permutations, but these may be many.
            if self.known.len() >= REMEMBERED_IMAGES.get() {
                self.known.clear();
            }
            let back = beside.skeleton.back(beside.values(image), &mut self.general);
            self.known.insert(image.to_vec(), back.map(|back| images(&back)));
        }
        self.known[image].as_deref()
    }
}
