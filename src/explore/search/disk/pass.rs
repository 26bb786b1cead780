//! A pass: the slices that are expanded before their new states are looked up in the sorted runs.
//!
//! The sums of each slice are kept separate until the pass is closed, so that a limit on states reached in one of them leaves out the
//! counts of later ones: as in a search within memory, where those were not expanded. A *superstep* is the sequence of slices expanded
//! before processes that share the search exchange their new states; without other processes, one slice. Invariant: candidates are in the
//! order of their ranks, since the parents of a slice have higher numbers than those of the one before.

use super::super::engine::Engine;
use super::super::ledger::Batch;
use super::super::offers::{ByRank, NewState, Offers};
use super::super::rank::first_rank;
use crate::number::StateNumber;
use bcheck_state::Rank;
use std::ops::Range;

/// The sums of a slice, and the number of its candidates.
pub(in crate::search) struct PassSlice {
    /// The number behind its last state.
    pub(in crate::search) end: StateNumber,
    /// Whether all its states were expanded.
    pub(in crate::search) is_whole: bool,
    pub(in crate::search) sums: Batch,
    pub(in crate::search) candidates: usize,
}

/// An expanded slice without numbers.
pub(in crate::search) struct ExpandedSlice {
    /// The number behind its last state.
    pub(in crate::search) end: StateNumber,
    /// Whether all its states were expanded.
    pub(in crate::search) is_whole: bool,
    pub(in crate::search) batches: Vec<Batch>,
}

/// The slices since the last pass was closed.
#[derive(Default)]
pub(in crate::search) struct Pass {
    /// The states that were new to the tables.
    pub(in crate::search) candidates: Vec<NewState>,
    pub(in crate::search) slices: Vec<PassSlice>,
    /// The places of the slices of the last superstep.
    last: Range<usize>,
    /// Scratch: see `Slice::resolve_ranks`.
    least: Vec<Rank>,
}

impl Pass {
    /// With room for this many candidates.
    pub(in crate::search) fn with_room(candidates: usize) -> Self {
        Self { candidates: Vec::with_capacity(candidates), ..Self::default() }
    }

    /// Adds the slices of a superstep; all workers have reported, and what other processes have found has been received.
    pub(in crate::search) fn add(&mut self, engine: &Engine<'_>, superstep: Vec<ExpandedSlice>, mut offers: Vec<Offers>) {
        // No thread has set a barrier meanwhile: to tables and ranks, a superstep is one slice.
        let entered = engine.store.close_slice();
        self.last = self.slices.len()..self.slices.len() + superstep.len();
        for ExpandedSlice { end, is_whole, batches } in superstep {
            let mut sums = Batch::default();
            // Only the offers are separated: all other results of a batch beyond memory are in its sums.
            offers.extend(batches.into_iter().map(|batch| sums.absorb(batch)));
            self.slices.push(PassSlice { end, is_whole, sums, candidates: 0 });
        }
        let lowered = entered.resolve_ranks(&engine.store, &mut offers, &mut self.least);
        let mut start = self.candidates.len();
        let mut lists: Vec<&[NewState]> = offers.iter().chain([&lowered]).map(|own| own.found.as_slice()).collect();
        for slice in &mut self.slices[self.last.clone()] {
            // Slice by slice, as most lists are of one slice: few are merged at a time.
            let of_slice = lists.iter_mut().map(|list| {
                let (found, rest) = list.split_at(list.partition_point(|new| new.rank < first_rank(slice.end)));
                *list = rest;
                found
            });
            self.candidates.extend(ByRank::new(of_slice));
            slice.candidates = self.candidates.len() - start;
            start = self.candidates.len();
        }
        for mut own in offers {
            own.clear();
            engine.emptied.push(own);
        }
    }

    /// The slices of the last superstep.
    pub(in crate::search) fn last_superstep(&mut self) -> &mut [PassSlice] {
        &mut self.slices[self.last.clone()]
    }

    pub(in crate::search) fn clear(&mut self) {
        self.candidates.clear();
        self.slices.clear();
        self.last = 0..0;
    }

    /// How many candidates the last superstep has found: about as many as the next one will.
    pub(in crate::search) fn of_last_superstep(&self) -> usize {
        self.slices[self.last.clone()].iter().map(|slice| slice.candidates).sum()
    }

    /// Leaves out the candidates at these places.
    pub(crate) fn leave_out(&mut self, is_duplicate: impl Fn(usize) -> bool) {
        // Slices first: places are those before any candidate is taken out.
        let mut place = 0;
        for slice in &mut self.slices {
            let end = place + slice.candidates;
            slice.candidates = (place..end).filter(|place| !is_duplicate(*place)).count();
            place = end;
        }
        // `retain` visits all of them once and in order, so counting yields the index of each.
        place = 0;
        self.candidates.retain(|_| {
            place += 1;
            !is_duplicate(place - 1)
        });
    }
}
