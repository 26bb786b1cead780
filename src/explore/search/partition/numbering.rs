//! The numbers of new states, from the ranks that all processes send each other.
//!
//! Invariant: the number of a state is the number of the first state of its slice plus how many states of that slice have lower ranks, in
//! whatever process; two states have different ranks.

use super::super::offers::NewState;
use super::Partition;
use super::message::{Kind, MessageReader};
use crate::mesh::Loss;

/// What this process has found in a slice.
pub(in super::super) struct FoundInSlice {
    /// How many newcomers of the round are its new states.
    pub(in super::super) newcomers: usize,
    /// Whether it is no part of a checkpoint: not all its states were expanded, or not all new ones examined.
    pub(in super::super) is_part: bool,
}

/// A slice whose new states have their numbers.
pub(in super::super) struct NumberedSlice {
    /// For each own state, in the order of ranks, how many states of other processes precede it; empty if there are no other processes.
    pub(in super::super) preceding: Vec<u64>,
    /// How many states all processes have found in it.
    pub(in super::super) total: u64,
    /// Whether it is no part of a checkpoint.
    pub(in super::super) is_part: bool,
}

impl NumberedSlice {
    /// The number of the own state with this place in the slice, counted from the first number of the slice.
    pub(in super::super) fn offset(&self, place: usize) -> u64 {
        place as u64 + self.preceding.get(place).copied().unwrap_or(0)
    }
}

/// The slices of a process that searches alone: its states follow each other.
pub(in super::super) fn alone(found: Vec<FoundInSlice>) -> Vec<NumberedSlice> {
    let slice = |FoundInSlice { newcomers, is_part }| NumberedSlice { preceding: Vec::new(), total: newcomers as u64, is_part };
    found.into_iter().map(slice).collect()
}

/// What a process has found in a slice, as all are sent it.
struct RanksOfSlice {
    /// In ascending order.
    ranks: Vec<u64>,
    is_part: bool,
}

impl Partition {
    /// Numbers the states of the slices of a round, whose newcomers are in the order of ranks.
    pub(in super::super) fn number(&mut self, newcomers: &[NewState], own: &[FoundInSlice]) -> Result<Vec<NumberedSlice>, Loss> {
        let arrived = self.broadcast(Kind::Ranks, |message| {
            message.number(own.len() as u64);
            let mut rest = newcomers;
            for FoundInSlice { newcomers, is_part } in own {
                let (states, others) = rest.split_at(*newcomers);
                rest = others;
                message.number((states.len() as u64) << 1 | u64::from(*is_part));
                let mut before = 0;
                for NewState { rank, .. } in states {
                    message.rank(before, *rank, 0);
                    before = *rank;
                }
            }
        })?;
        let all = Self::read_all(&arrived, |message| ranks(message).filter(|slices| slices.len() == own.len()))?;
        let me = self.owners.me;
        let slices = (0..own.len()).map(|at| {
            let others: Vec<&[u64]> =
                all.iter().enumerate().filter(|(process, _)| *process != me).map(|(_, slices)| &slices[at].ranks[..]).collect();
            let mut behind = vec![0; others.len()];
            let preceding = all[me][at].ranks.iter().map(|rank| {
                // Both lists ascend, so each is gone through once.
                for (other, behind) in others.iter().zip(&mut behind) {
                    while other.get(*behind).is_some_and(|other| other < rank) {
                        *behind += 1;
                    }
                }
                behind.iter().sum::<usize>() as u64
            });
            NumberedSlice {
                preceding: preceding.collect(),
                total: all.iter().map(|slices| slices[at].ranks.len() as u64).sum(),
                is_part: all.iter().any(|slices| slices[at].is_part),
            }
        });
        Ok(slices.collect())
    }
}

/// What a process has sent about its slices.
fn ranks(message: &mut MessageReader<'_>) -> Option<Vec<RanksOfSlice>> {
    let slices = message.number()?;
    let mut all = Vec::new();
    for _ in 0..slices {
        let head = message.number()?;
        let (mut ranks, mut rank) = (Vec::new(), 0u64);
        for _ in 0..head >> 1 {
            (rank, _) = message.rank(rank)?;
            ranks.push(rank);
        }
        all.push(RanksOfSlice { ranks, is_part: head & 1 == 1 });
    }
    Some(all)
}
