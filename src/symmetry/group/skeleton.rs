//! Relations on movable elements whose automorphisms are the symmetry group: makes an arbitrary permutation group the automorphism group of
//! a structure, so that canonical labelling applies.
//!
//! A state is labelled together with the skeleton. The order found permutes both, but the skeleton must be unchanged, because it represents
//! the machine; so its image is mapped back. [`Skeleton::back`] depends only on the image, and symmetric states, labelled with the
//! skeleton, yield the same image of both: hence the same representative. Invariant: a permutation leaves this file only if it maps the
//! image exactly to the skeleton. Deliberately elsewhere: which relations these are ([`group`](super)).

use super::text::nodes;
use crate::thresholds::REMEMBERED_IMAGES;
use crate::{Permutation, Scratch, Symmetry};
use bcheck_value::Value;
use rustc_hash::FxHashMap;

/// The relations, and their canonical form.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// All permutations of the movable elements, without a skeleton.
    ground: Box<Symmetry>,
    pub(crate) relations: Vec<Value>,
    form: Vec<Value>,
    /// Maps the canonical form to the skeleton.
    home: Permutation,
}

/// Memoised permutations that map images of the skeleton back to it.
pub(crate) type BackCache = FxHashMap<Vec<Value>, Option<Permutation>>;

impl Skeleton {
    /// A skeleton of these relations; `None` when no canonical form of them was found.
    pub(crate) fn new(ground: Symmetry, relations: Vec<Value>) -> Option<Self> {
        let canonical = ground.canonical(&relations, &mut Scratch::default());
        canonical.is_exact.then(|| Skeleton {
            ground: Box::new(ground),
            relations,
            form: canonical.state,
            home: canonical.permutation.inverse(),
        })
    }

    /// A permutation that maps an image of the skeleton to the skeleton: composed through the canonical form, so it depends on the image
    /// alone.
    pub(crate) fn back(&self, image: Vec<Value>, known: &mut BackCache) -> Option<Permutation> {
        if let Some(back) = known.get(&image) {
            return back.clone();
        }
        let canonical = self.ground.canonical(&image, &mut Scratch::default());
        let back = (canonical.state == self.form).then(|| canonical.permutation.then(&self.home));
        // Checked on the relations themselves, so that a fault of the labelling cannot yield a state that is not symmetric.
        let back = back.filter(|back| back.apply_all(&image) == self.relations);
        // All at once: simpler than to forget the oldest, and rare.
        if known.len() >= REMEMBERED_IMAGES.get() {
            known.clear();
        }
        known.insert(image, back.clone());
        back
    }

    /// The number of nodes of the relations that hold elements.
    pub(crate) fn nodes(&self) -> usize {
        self.relations.iter().map(nodes).sum()
    }

    /// Whether a permutation preserves the relations.
    pub(crate) fn keeps(&self, permutation: &Permutation) -> bool {
        permutation.apply_all(&self.relations) == self.relations
    }
}
