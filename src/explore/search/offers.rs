//! New states found in a slice, merged in rank order.
//!
//! Invariant: each new state is in the list of the one worker that inserted it, after the barrier with the least rank that any worker
//! offered it with; a list ascends by rank, so lists are merged, not sorted. Deliberately elsewhere: the use of the states in that order
//! (`ledger`).

use super::edge_records::EdgeRecords;
use super::store::{Slice, Store};
use crate::count::tally::OrbitClass;
use bcheck_state::{Find, Rank, StateId};

/// A state that a worker was first to offer. Small, because all of a slice are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NewState {
    /// The rank that it was entered with; until ranks are final, another worker may have offered it with a lower one.
    pub(crate) rank: Rank,
    pub(crate) id: StateId,
    pub(crate) class: OrbitClass,
}

/// The results of a worker's offers.
#[derive(Debug, Default)]
pub(super) struct Offers {
    pub(crate) found: Vec<NewState>,
    /// The packed states of other workers that this one offered too since the last barrier, with its ranks.
    pub(crate) finds: Vec<Find>,
    /// The targets of all steps; empty unless the graph is recorded.
    pub(crate) records: EdgeRecords,
}

impl Offers {
    /// Clears the lists, keeping their capacity.
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.finds.clear();
        self.records.clear();
    }
}

impl Slice {
    /// Assigns the new states their least ranks, from the finds of all workers. Those whose rank was lowered are moved to a separate list,
    /// so that all lists ascend; `least` is scratch.
    pub(super) fn resolve_ranks(&self, store: &Store, offers: &mut [Offers], least: &mut Vec<Rank>) -> Offers {
        // Entries of a slice are numbered from `start` on, and only new ones are found or offered here: no underflow.
        let place = |entry: u32| (entry - self.entries.start) as usize;
        // An entry has its least rank from the worker that entered it or from a find, since each worker's ranks ascend (see `WordTable`).
        // Without finds, as with one worker, no rank of a packed state is lowered.
        least.clear();
        if offers.iter().any(|own| !own.finds.is_empty()) {
            least.resize(self.entries.len(), Rank::NONE);
        }
        for find in offers.iter().flat_map(|own| &own.finds) {
            let rank = &mut least[place(find.entry)];
            *rank = find.rank.min(*rank);
        }
        let mut lowered = Offers::default();
        let mut bytes = 0;
        for Offers { found, .. } in offers.iter_mut().filter(|_| self.bytes > 0 || !least.is_empty()) {
            // A list without the lowered ones still ascends; those are few and are sorted by themselves.
            lowered.found.extend(found.extract_if(.., |own| {
                let offered = own.rank;
                match store.entry(own.id) {
                    Some((_, entry)) => own.rank = least.get(place(entry)).map_or(own.rank, |least| own.rank.min(*least)),
                    // The byte table stores the least rank itself.
                    None => {
                        own.rank = store.rank_of_bytes(own.id);
                        bytes += 1;
                    }
                }
                own.rank < offered
            }));
        }
        debug_assert_eq!(self.bytes, bytes, "each new state was first offered by one worker");
        lowered.found.sort_unstable_by_key(|own| own.rank);
        lowered
    }
}

/// Everything found, in order of ranks: a merge of ascending lists that goes by runs.
pub(super) struct ByRank<'a> {
    /// The rest of each list; none is empty.
    lists: Vec<&'a [NewState]>,
    /// The rest of the current run; all of it comes before the heads of the lists.
    run: &'a [NewState],
}

impl<'a> ByRank<'a> {
    /// Of lists, each of which ascends.
    pub(super) fn new(lists: impl IntoIterator<Item = &'a [NewState]>) -> Self {
        let lists: Vec<&[NewState]> = lists.into_iter().filter(|found| !found.is_empty()).collect();
        debug_assert!(lists.iter().all(|list| list.is_sorted_by_key(|own| own.rank)), "ranks ascend");
        Self { lists, run: &[] }
    }
}

impl Iterator for ByRank<'_> {
    type Item = NewState;

    #[inline]
    fn next(&mut self) -> Option<NewState> {
        if self.run.is_empty() {
            // A worker expands neighbouring states: much of its list comes before the next one of another.
            let first = (0..self.lists.len()).min_by_key(|at| self.lists[*at][0].rank)?;
            let own = self.lists.swap_remove(first);
            let bound = self.lists.iter().map(|other| other[0].rank).min().unwrap_or(Rank::NONE);
            // No two ranks are equal, as each step leads to one state; but beyond memory a state that is entered to be expanded has the
            // rank of its first step. Which of the two comes first makes no difference: the state is known, and is removed as a duplicate.
            // The head of `own` is least, so the run has at least one member.
            let end = own.iter().position(|found| found.rank > bound).unwrap_or(own.len());
            let (run, rest) = own.split_at(end);
            if !rest.is_empty() {
                self.lists.push(rest);
            }
            self.run = run;
        }
        let (found, rest) = self.run.split_first()?;
        self.run = rest;
        Some(*found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::tally::Orbits;
    use proptest::prelude::*;

    fn offers(ranks: impl IntoIterator<Item = u64>) -> Offers {
        let found =
            ranks.into_iter().map(|rank| NewState { rank: Rank(rank), id: StateId(rank as u32 + 7), class: Orbits::SINGLE }).collect();
        Offers { found, ..Offers::default() }
    }

    proptest! {
        #[test]
        fn lists_that_ascend_are_merged(owners in prop::collection::vec(0..5usize, 0..200)) {
            let lists: Vec<Offers> =
                (0..5).map(|list| offers((0..).zip(&owners).filter(|(_, owner)| **owner == list).map(|(rank, _)| rank))).collect();
            let merged: Vec<NewState> = ByRank::new(lists.iter().map(|own| &own.found[..])).collect();
            prop_assert_eq!(merged, offers(0..owners.len() as u64).found);
        }
    }
}
