//! The driving thread of a breadth-first search: its state at a barrier.
//!
//! Deliberately elsewhere: its loop (`breadth_first`), the hooks (`hooks`).

use super::crew::Crew;
use super::engine::Engine;
use super::ledger::{Batch, Ledger, Waiting};
use super::position::Position;
use super::store::Slice;
use super::subject::Subject;
use crate::number::StateNumber;
use crate::thresholds::LEAST_SHARE;
use crate::{LimitHit, Options};

/// The driving thread, which numbers states and is also a worker.
pub(super) struct Driver<'a, 'e, S: Subject + 'e> {
    pub(super) engine: &'e Engine<'e>,
    pub(super) ledger: &'a mut Ledger,
    pub(super) options: &'a Options,
    /// The limit on states.
    pub(super) limit: u32,
    /// The other workers, if there are any.
    pub(super) crew: Option<&'a Crew<'a>>,
    /// At the last barrier.
    pub(super) position: Position,
    pub(super) own: S::Worker<'e>,
    /// The next slice of the level, if it was listed while the previous one was expanded.
    pub(super) next: Waiting,
    /// A free list of one: see `Engine::emptied`.
    pub(super) emptied: Waiting,
}

impl<S: Subject> Driver<'_, '_, S> {
    pub(super) fn workers_on(&self, states: usize) -> usize {
        self.crew.map_or(1, |crew| crew.workers.min(states / LEAST_SHARE.get()))
    }

    pub(super) fn is_full(&self) -> bool {
        hit(self.ledger, self.limit).is_some()
    }
}

/// The results of an expanded slice, whose new states are not numbered yet.
pub(super) struct Unnumbered {
    /// The number behind its last state.
    pub(super) end: StateNumber,
    /// Whether all its states were expanded: the search was not stopped meanwhile.
    pub(super) is_whole: bool,
    pub(super) batches: Vec<Batch>,
    pub(super) slice: Slice,
}

/// The limit that a ledger has hit.
pub(super) fn hit(ledger: &Ledger, limit: u32) -> Option<LimitHit> {
    let full = ledger.is_full.then(|| LimitHit::States(u64::from(limit)));
    full.or_else(|| Some(LimitHit::Enumeration(ledger.attached.stuck()?.clone())))
}
