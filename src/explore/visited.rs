//! The visited set of a plain search: representatives in a hash map, numbered in the order of discovery, with their parents.
//!
//! Invariant: numbers are given once and in order, and a state is kept only if the limit on states allows it. Deliberately elsewhere: the
//! visited set of the engine (`search::store`), what is done with a new state (`reference`, `refine`).

use super::LimitHit;
use super::count::reduction::Reduction;
use super::count::tally::{OrbitClass, Tally};
use super::trace::{Ancestry, Origin};
use crate::value::Valuation;
use rustc_hash::FxHashMap;

/// The states that a search has found so far.
pub(super) struct Visited {
    /// At most this many are kept.
    limit: Option<u64>,
    /// Representatives by number.
    states: Vec<Valuation>,
    origins: Vec<Origin>,
    classes: Vec<OrbitClass>,
    numbers: FxHashMap<Valuation, u32>,
}

/// A state of a [`Visited`].
pub(super) struct Entered {
    pub(super) number: u32,
    pub(super) class: OrbitClass,
    pub(super) is_new: bool,
}

impl Visited {
    pub(super) fn new(limit: Option<u64>) -> Self {
        Self { limit, states: Vec::new(), origins: Vec::new(), classes: Vec::new(), numbers: FxHashMap::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// A representative.
    pub(super) fn representative(&self, number: u32) -> &Valuation {
        &self.states[number as usize]
    }

    /// The orbit size that a representative stands for.
    pub(super) fn class(&self, number: u32) -> OrbitClass {
        self.classes[number as usize]
    }

    /// Keeps the representative of a state unless it is known, and counts it if it is new.
    ///
    /// # Errors
    /// The limit that forbids to keep it, or the interrupt.
    pub(super) fn enter(
        &mut self,
        reduction: &mut Reduction<'_>,
        state: Valuation,
        origin: Origin,
        tally: &mut Tally,
    ) -> Result<Entered, LimitHit> {
        let representative = reduction.representative(state).ok_or(LimitHit::Interrupted)?;
        if !representative.is_exact {
            tally.inexact();
        }
        if let Some(&number) = self.numbers.get(&representative.state) {
            return Ok(Entered { number, class: self.class(number), is_new: false });
        }
        if let Some(limit) = self.limit
            && self.states.len() as u64 >= limit
        {
            return Err(LimitHit::States(limit));
        }
        let class = reduction.class(&representative);
        let number = u32::try_from(self.states.len()).expect("a plain search runs out of memory before it has 2^32 states");
        tally.state(class);
        self.numbers.insert(representative.state.clone(), number);
        self.states.push(representative.state);
        self.origins.push(origin);
        self.classes.push(class);
        Ok(Entered { number, class, is_new: true })
    }
}

impl Ancestry for Visited {
    fn origin(&self, number: u32) -> Origin {
        self.origins[number as usize]
    }

    fn state(&self, number: u32) -> Valuation {
        self.states[number as usize].clone()
    }
}
