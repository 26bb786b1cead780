//! The numbers of new states, from the ranks that all processes send each other.
//!
//! Invariant: the number of a state is the number of the first state of its slice plus how many states of that slice have lower ranks, in
//! whatever process; two states have different ranks.

use super::super::offers::NewState;
use super::Partition;
use super::message::{Kind, MessageReader, MessageWriter};
use bcheck_mesh::Loss;
use bcheck_state::Rank;

/// The results of this process for a slice.
pub(in super::super) struct FoundInSlice {
    /// How many candidates of the pass are its new states.
    pub(in super::super) candidates: usize,
    /// Whether it is excluded from checkpoints: not all its states were expanded, or not all new ones examined.
    pub(in super::super) is_part: bool,
}

/// A slice whose new states have their numbers.
pub(in super::super) struct NumberedSlice {
    /// For each own state, in the order of ranks, how many states of other processes precede it; empty if there are no other processes.
    pub(in super::super) preceding: Vec<u64>,
    /// How many states all processes have found in it.
    pub(in super::super) total: u64,
    /// Whether it is excluded from checkpoints.
    pub(in super::super) is_part: bool,
}

impl NumberedSlice {
    /// A slice before anything is known of what other processes have found.
    fn of_own(FoundInSlice { candidates, is_part }: &FoundInSlice) -> Self {
        Self { preceding: vec![0; *candidates], total: *candidates as u64, is_part: *is_part }
    }

    /// The number of the own state with this place in the slice, counted from the first number of the slice.
    pub(in super::super) fn offset(&self, place: usize) -> u64 {
        place as u64 + self.preceding.get(place).copied().unwrap_or(0)
    }
}

/// The slices of a process that searches alone: its states follow each other.
pub(in super::super) fn alone(found: Vec<FoundInSlice>) -> Vec<NumberedSlice> {
    let slice = |FoundInSlice { candidates, is_part }| NumberedSlice { preceding: Vec::new(), total: candidates as u64, is_part };
    found.into_iter().map(slice).collect()
}

impl Partition {
    /// Numbers the states of the slices of a pass, whose candidates are in the order of ranks.
    pub(in super::super) fn number(&mut self, candidates: &[NewState], own: &[FoundInSlice]) -> Result<Vec<NumberedSlice>, Loss> {
        let arrived = self.broadcast(Kind::Ranks, |message| write(message, candidates, own))?;
        let mut slices: Vec<NumberedSlice> = own.iter().map(NumberedSlice::of_own).collect();
        for (process, bytes) in arrived.iter().enumerate().filter(|(process, _)| *process != self.owners.me) {
            Self::read(process, bytes, |message| add(message, candidates, &mut slices))?;
        }
        self.mesh.recycle(arrived);
        Ok(slices)
    }
}

/// Writes what this process has found in the slices of a pass: of each its ranks.
fn write(message: &mut MessageWriter, candidates: &[NewState], own: &[FoundInSlice]) {
    message.number(own.len() as u64);
    let mut rest = candidates;
    for FoundInSlice { candidates, is_part } in own {
        let (states, others) = rest.split_at(*candidates);
        rest = others;
        message.number((states.len() as u64) << 1 | u64::from(*is_part));
        let mut before = Rank(0);
        for NewState { rank, .. } in states {
            message.rank(before, *rank, 0);
            before = *rank;
        }
    }
}

/// Adds the results of another process for the slices of a pass, in which this one has these candidates.
fn add(message: &mut MessageReader<'_>, candidates: &[NewState], slices: &mut [NumberedSlice]) -> Option<()> {
    if message.number()? != slices.len() as u64 {
        return None;
    }
    let mut rest = candidates;
    for NumberedSlice { preceding, total, is_part } in slices {
        let (own, others) = rest.split_at(preceding.len());
        rest = others;
        let head = message.number()?;
        let count = head >> 1;
        // Numbers of states have 32 bits.
        *total = total.checked_add(count).filter(|total| u32::try_from(*total).is_ok())?;
        *is_part |= head & 1 == 1;
        let (mut below, mut rank) = (0, Rank(0));
        if count > 0 {
            (rank, _) = message.rank(rank)?;
        }
        // Both lists ascend, so each is traversed once. Here `rank` is that of the other process's state with index `below`.
        for (own, preceding) in own.iter().zip(preceding) {
            while below < count && rank < own.rank {
                below += 1;
                if below < count {
                    (rank, _) = message.rank(rank)?;
                }
            }
            *preceding += below;
        }
        for _ in below + 1..count {
            (rank, _) = message.rank(rank)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::tally::Orbits;
    use crate::number::StateNumber;
    use crate::search::rank::first_rank;
    use bcheck_state::StateId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_number_is_a_place_among_the_ranks_of_all_processes(
            // Of each slice the processes that have its states, in the order of ranks; and whether one of them has not finished it.
            owners in prop::collection::vec((prop::collection::vec(0..3usize, 0..40), prop::option::of(0..3usize)), 0..4),
        ) {
            let mut states: [Vec<NewState>; 3] = Default::default();
            let mut found: [Vec<FoundInSlice>; 3] = Default::default();
            for (slice, (owners, unfinished)) in (0..).zip(&owners) {
                for (place, owner) in (0..).zip(owners) {
                    let rank = first_rank(StateNumber::new(1000 * slice + place / 3)).plus(place.into());
                    states[*owner].push(NewState { rank, id: StateId(0), class: Orbits::SINGLE });
                }
                for (me, found) in found.iter_mut().enumerate() {
                    let candidates = owners.iter().filter(|owner| **owner == me).count();
                    found.push(FoundInSlice { candidates, is_part: *unfinished == Some(me) });
                }
            }
            let messages: Vec<Vec<u8>> = states.iter().zip(&found).map(|(states, found)| {
                let mut message = MessageWriter::new(Kind::Ranks);
                write(&mut message, states, found);
                message.bytes
            }).collect();
            for me in 0..3 {
                let mut slices: Vec<NumberedSlice> = found[me].iter().map(NumberedSlice::of_own).collect();
                for (_, message) in messages.iter().enumerate().filter(|(process, _)| *process != me) {
                    let mut reader = MessageReader::new(message);
                    prop_assert!(add(&mut reader, &states[me], &mut slices).is_some() && reader.is_at_end());
                    // Without its last byte it is refused; the kind in front is not read here.
                    let mut reader = MessageReader::new(&message[..message.len() - 1]);
                    let mut others: Vec<NumberedSlice> = found[me].iter().map(NumberedSlice::of_own).collect();
                    prop_assert!(add(&mut reader, &states[me], &mut others).is_none());
                }
                for (slice, (owners, unfinished)) in slices.iter().zip(&owners) {
                    prop_assert_eq!((slice.total, slice.is_part), (owners.len() as u64, unfinished.is_some()));
                    let places = (0..).zip(owners).filter(|(_, owner)| **owner == me).map(|(place, _)| place);
                    let numbers: Vec<u64> = (0..slice.preceding.len()).map(|place| slice.offset(place)).collect();
                    prop_assert_eq!(numbers, places.collect::<Vec<u64>>());
                }
            }
        }
    }
}
