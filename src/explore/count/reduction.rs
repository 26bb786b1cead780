//! From a state to its representative: the symmetry as a search uses it, with its scratch memory.
//!
//! Invariant: without symmetry a state is its own representative and nothing is computed or copied. In a run whose states are packed, the
//! representative of a state that fits words is the one found on its words, whichever tier needs it. An interrupt ends the search for a
//! representative, and a preliminary one is never returned.

use super::tally::{OrbitCache, OrbitClass, Orbits};
use crate::search::word_store::WordStore;
use bcheck_eval::Machine;
use bcheck_symmetry::{Automorphisms, Canonical, Exchangeable, PackedScratch, PackedSymmetry, Permutation, Scratch, Symmetry};
use bcheck_value::{Valuation, Value};
use std::sync::atomic::Ordering;

/// Finds representatives and orbit sizes for one worker.
pub(crate) struct Reduction<'a> {
    pub(super) machine: &'a Machine,
    pub(crate) symmetry: &'a Symmetry,
    pub(crate) orbits: &'a Orbits,
    cache: OrbitCache,
    scratch: Scratch,
    words: Option<(&'a WordStore, &'a PackedSymmetry)>,
    packed: PackedScratch,
}

/// The representative of a state.
pub(crate) struct Representative {
    pub(crate) state: Valuation,
    /// Maps the state to the representative; `None` is the identity.
    pub(crate) permutation: Option<Permutation>,
    /// `None` in a run without symmetry.
    automorphisms: Option<Automorphisms>,
    pub(crate) is_exact: bool,
}

impl Representative {
    /// The result as labelling returns it; `None` in a run without symmetry.
    pub(crate) fn canonical(self) -> Option<Canonical> {
        let Self { state, permutation, automorphisms, is_exact } = self;
        Some(Canonical { state, permutation: permutation?, automorphisms: automorphisms?, is_exact })
    }
}

impl<'a> Reduction<'a> {
    pub(crate) fn new(machine: &'a Machine, symmetry: &'a Symmetry, orbits: &'a Orbits) -> Self {
        let flag = machine.interrupt();
        let (scratch, packed) = (Scratch::interruptible(flag), PackedScratch::interruptible(flag));
        Self { machine, symmetry, orbits, cache: OrbitCache::default(), scratch, words: None, packed }
    }

    /// As is, for a run that stores packed states in this store, if there is one.
    pub(crate) fn on_words(self, store: Option<&'a WordStore>) -> Self {
        let words = store.and_then(|store| Some((store, store.symmetry.as_ref()?)));
        Self { words, ..self }
    }

    /// Whether every state is its own representative.
    pub(crate) fn is_trivial(&self) -> bool {
        self.symmetry.is_trivial()
    }

    /// The representative of a state, or of a valuation of the constants only; `None` when interrupted.
    pub(crate) fn representative(&mut self, state: Valuation) -> Option<Representative> {
        if self.symmetry.is_trivial() {
            return Some(Representative { state, permutation: None, automorphisms: None, is_exact: true });
        }
        let found = self.reduced(state);
        // An exact one was complete before the interrupt. Of an inexact one it is unknown whether its budget or the interrupt ended it.
        if found.is_exact || !self.machine.interrupt().load(Ordering::Relaxed) { Some(found) } else { None }
    }

    fn reduced(&mut self, state: Valuation) -> Representative {
        if let Some((store, symmetry)) = self.words {
            let mut words = Vec::new();
            if store.pack(self.machine, &state, &mut words).is_some() {
                let is_exact = symmetry.canonical(&words, &mut self.packed, &mut Vec::new());
                // Labelling on words and on values may choose different members of an orbit; applying the permutation to the values yields
                // the one that the search has stored.
                let permutation = symmetry.permutation(&self.packed);
                let state = permutation.apply_all(&state);
                let automorphisms = Some(self.packed.automorphisms());
                return Representative { state, permutation: Some(permutation), automorphisms, is_exact };
            }
        }
        // Either no member of the orbit fits words or all do, so orbits are not split between the two.
        let canonical = self.symmetry.canonical(&state, &mut self.scratch);
        Representative {
            state: canonical.state,
            permutation: Some(canonical.permutation),
            automorphisms: Some(canonical.automorphisms),
            is_exact: canonical.is_exact,
        }
    }

    /// The blocks of elements that can be exchanged in a state without changing it.
    pub(crate) fn exchangeable(&mut self, state: &[Value]) -> Exchangeable {
        self.symmetry.exchangeable(state, &mut self.scratch)
    }

    /// The size of a representative's orbit.
    pub(crate) fn class(&mut self, of: &Representative) -> OrbitClass {
        of.automorphisms.as_ref().map_or(Orbits::SINGLE, |automorphisms| self.class_of(automorphisms))
    }

    /// The orbit size of states with these automorphisms.
    pub(crate) fn class_of(&mut self, automorphisms: &Automorphisms) -> OrbitClass {
        self.cache.class(self.orbits, self.symmetry, automorphisms)
    }
}
