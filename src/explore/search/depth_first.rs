//! Depth-first and random search: the common engine driven by an agenda instead of levels, one state at a time, on one thread.
//!
//! Invariant: they cover the same space as breadth-first search and count the same; only numbering, traces and depth differ.
//! The depth of a state is the length of the path on which it was found, so a limit on depth may leave out states that have a
//! shorter path; then the search is incomplete, as with any limit. The random order is a function of a fixed seed.

use super::breadth_first::{Ended, is_over};
use super::engine::Engine;
use super::ledger::Ledger;
use super::subject::{Subject, Worker};
use crate::number::StateNumber;
use crate::{LimitHit, Options, Strategy};
use bcheck_source::{GOLDEN_RATIO, Xorshift64};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Explores everything that can be reached from the initial states in the ledger.
pub(super) fn ordered((subject, engine): (&impl Subject, &Engine<'_>), ledger: &mut Ledger, options: &Options, limit: u32) -> Ended {
    let mut worker = subject.worker(engine);
    let mut agenda = Agenda::new(options.strategy);
    agenda.extend(StateNumber::new(0)..ledger.end(), 0);
    let mut ended = Ended::default();
    let mut cut_at = None;
    while let Some((number, distance)) = agenda.take() {
        if options.limits.depth.is_some_and(|depth| distance >= depth) {
            // Others may be less deep, so the search continues; it is incomplete in the end.
            cut_at = Some(LimitHit::Depth(distance));
            continue;
        }
        engine.control.level.store(distance, Ordering::Relaxed);
        engine.control.frontier.store(agenda.waiting.len() as u64, Ordering::Relaxed);
        // The verdict is that of the first expansion with a finding, whatever later ones find.
        let earlier = ledger.claim.take();
        let first = ledger.end();
        let (entry, state) = ledger.take(number);
        worker.expand(entry, state.as_ref(), distance);
        ledger.expanded.count += 1;
        let batch = worker.take_batch();
        // Each state is a slice by itself: its successors must have numbers before the next state is chosen.
        ledger.number(engine, [batch], &engine.store.close_slice(), distance + 1, limit);
        ledger.claim = earlier.or(ledger.claim.take());
        if ledger.end() > first {
            ended.depth = ended.depth.max(distance + 1);
        }
        agenda.extend(first..ledger.end(), distance + 1);
        if is_over((engine, engine.control.is_stopped()), ledger, options, limit, &mut ended) {
            ended.is_exhausted = ended.limit.is_none() && cut_at.is_none() && agenda.waiting.is_empty();
            return ended;
        }
    }
    ended.limit = cut_at;
    ended.is_exhausted = ended.limit.is_none();
    ended
}

/// The states that wait to be expanded.
pub(crate) struct Agenda {
    strategy: Strategy,
    random: Xorshift64,
    /// Numbers of states with the lengths of the paths to them. A state enters once, when it is numbered.
    waiting: Vec<(StateNumber, u64)>,
}

impl Agenda {
    pub(crate) fn new(strategy: Strategy) -> Self {
        Self { strategy, random: Xorshift64::new(GOLDEN_RATIO), waiting: Vec::new() }
    }

    /// Adds new states that were found at this distance.
    pub(crate) fn extend(&mut self, numbers: Range<StateNumber>, distance: u64) {
        // Reversed, so that of the successors of one state the first is on top of the stack.
        self.waiting.extend(StateNumber::each(numbers).rev().map(|number| (number, distance)));
    }

    /// Takes the next state with its distance: the newest one, or a random one.
    pub(crate) fn take(&mut self) -> Option<(StateNumber, u64)> {
        if self.strategy == Strategy::Random && !self.waiting.is_empty() {
            return Some(self.waiting.swap_remove(self.random.below(self.waiting.len())));
        }
        self.waiting.pop()
    }
}
