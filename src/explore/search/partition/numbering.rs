//! The numbers of new states, from the ranks that all processes tell each other.
//!
//! Invariant: the number of a state is the number of the first state of its slice plus how many states of that slice have lower ranks, in
//! whatever process; two states have different ranks.

use super::Partition;
use super::message::{Kind, MessageReader};
use crate::mesh::Loss;

/// What this process has found in a slice.
pub(in super::super) struct FoundInSlice {
    /// In ascending order.
    pub(in super::super) ranks: Vec<u64>,
    /// Whether it is no part of a checkpoint: not all its states were expanded, or not all new ones examined.
    pub(in super::super) is_part: bool,
}

/// A slice whose new states have their numbers.
pub(in super::super) struct NumberedSlice {
    /// Of the own states, in the order of ranks, from the first number of the slice on.
    pub(in super::super) offsets: Vec<u64>,
    /// How many states all processes have found in it.
    pub(in super::super) total: u64,
    /// Whether it is no part of a checkpoint.
    pub(in super::super) is_part: bool,
}

impl Partition {
    /// Numbers the states of the slices of a round.
    pub(in super::super) fn number(&mut self, own: &[FoundInSlice]) -> Result<Vec<NumberedSlice>, Loss> {
        let arrived = self.tell(Kind::Ranks, |message| {
            message.number(own.len() as u64);
            for FoundInSlice { ranks, is_part } in own {
                message.number((ranks.len() as u64) << 1 | u64::from(*is_part));
                let mut before = 0;
                for rank in ranks {
                    message.number(rank - before);
                    before = *rank;
                }
            }
        })?;
        let all = Self::read_all(&arrived, |message| found(message).filter(|slices| slices.len() == own.len()))?;
        let slices = own.iter().enumerate().map(|(at, FoundInSlice { ranks, .. })| {
            let me = self.mesh.me();
            let others: Vec<&[u64]> =
                all.iter().enumerate().filter(|(process, _)| *process != me).map(|(_, slices)| &slices[at].ranks[..]).collect();
            let mut behind = vec![0; others.len()];
            let offsets = (0u64..).zip(ranks).map(|(place, rank)| {
                // Both lists ascend, so each is gone through once.
                for (other, behind) in others.iter().zip(&mut behind) {
                    while other.get(*behind).is_some_and(|other| other < rank) {
                        *behind += 1;
                    }
                }
                place + behind.iter().sum::<usize>() as u64
            });
            NumberedSlice {
                offsets: offsets.collect(),
                total: all.iter().map(|slices| slices[at].ranks.len() as u64).sum(),
                is_part: all.iter().any(|slices| slices[at].is_part),
            }
        });
        Ok(slices.collect())
    }
}

/// What a process has told of its slices.
fn found(message: &mut MessageReader<'_>) -> Option<Vec<FoundInSlice>> {
    let slices = message.number()?;
    let mut all = Vec::new();
    for _ in 0..slices {
        let head = message.number()?;
        let (mut ranks, mut rank) = (Vec::new(), 0u64);
        for _ in 0..head >> 1 {
            rank = rank.checked_add(message.number()?)?;
            ranks.push(rank);
        }
        all.push(FoundInSlice { ranks, is_part: head & 1 == 1 });
    }
    Some(all)
}
