//! From a state to its representative: the symmetry as a search uses it, with its scratch memory.
//!
//! Invariant: without symmetry a state is its own representative and nothing is computed or copied.

use super::counting::{OrbitCache, OrbitClass, Orbits};
use crate::symmetry::{Automorphisms, Exchangeable, Permutation, Scratch, Symmetry};
use crate::value::{Valuation, Value};

/// One worker's way to representatives.
pub(super) struct Reduction<'a> {
    symmetry: &'a Symmetry,
    orbits: &'a Orbits,
    cache: OrbitCache,
    scratch: Scratch,
}

/// The representative of a state.
pub(super) struct Representative {
    pub(super) state: Valuation,
    /// Maps the state to the representative; `None` is the identity.
    pub(super) permutation: Option<Permutation>,
    /// `None` in a run without symmetry.
    automorphisms: Option<Automorphisms>,
    pub(super) is_exact: bool,
}

impl<'a> Reduction<'a> {
    pub(super) fn new(symmetry: &'a Symmetry, orbits: &'a Orbits) -> Self {
        Self { symmetry, orbits, cache: OrbitCache::default(), scratch: Scratch::default() }
    }

    /// Whether every state is its own representative.
    pub(super) fn is_trivial(&self) -> bool {
        self.symmetry.is_trivial()
    }

    /// The representative of a state, or of a valuation of the constants only.
    pub(super) fn representative(&mut self, state: Valuation) -> Representative {
        if self.symmetry.is_trivial() {
            return Representative { state, permutation: None, automorphisms: None, is_exact: true };
        }
        let canonical = self.symmetry.canonical(&state, &mut self.scratch);
        Representative {
            state: canonical.state,
            permutation: Some(canonical.permutation),
            automorphisms: Some(canonical.automorphisms),
            is_exact: canonical.is_exact,
        }
    }

    /// What can be exchanged in a state without changing it.
    pub(super) fn exchangeable(&mut self, state: &[Value]) -> Exchangeable {
        self.symmetry.exchangeable(state, &mut self.scratch)
    }

    /// The orbit size that a representative stands for.
    pub(super) fn class(&mut self, of: &Representative) -> OrbitClass {
        match &of.automorphisms {
            Some(automorphisms) => self.cache.class(self.orbits, self.symmetry, automorphisms),
            None => Orbits::SINGLE,
        }
    }
}
