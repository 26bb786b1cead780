//! Inserts states of a log into the visited set in batches: keys of words are collected until there are many, so that their cache misses
//! overlap.
//!
//! Invariant: states are entered, and their outcomes returned, in the order in which they were added. Deliberately elsewhere: the tables
//! and how they overlap misses (`state`), the use of entered states (the callers).

use super::store::Store;
use bcheck_durable::log::Key;
use bcheck_state::{Offered, Rank, StateId, WordWriter};
use std::vec::Drain;

/// Keys that are offered together.
const AT_ONCE: usize = if cfg!(test) { 5 } else { 1 << 10 };

/// The id of an entered state, and whether it was new; `None` for one that no table of the store can have.
pub(super) type EntryOutcome = Option<(StateId, bool)>;

/// Waiting states, each with the columns of its log besides the key. They have their numbers, so their ranks are irrelevant: all are
/// entered with rank 0, and no later offer lowers it.
#[derive(Debug)]
pub(super) struct EntryBatch<C> {
    keys: Vec<u64>,
    columns: Vec<C>,
    /// The outcomes of entered states, until they are returned.
    outcomes: Vec<(EntryOutcome, C)>,
    /// Scratch.
    offered: Vec<Offered>,
}

impl<C> Default for EntryBatch<C> {
    fn default() -> Self {
        Self { keys: Vec::new(), columns: Vec::new(), outcomes: Vec::new(), offered: Vec::new() }
    }
}

impl<C> EntryBatch<C> {
    /// Adds a state; returns the outcomes of those entered so far.
    pub(super) fn add(&mut self, (store, writer): (&Store, &mut WordWriter), key: Key<'_>, columns: C) -> Drain<'_, (EntryOutcome, C)> {
        match key {
            Key::Words(words) if store.has_words(words.len()) => {
                self.keys.extend_from_slice(words);
                self.columns.push(columns);
                if self.columns.len() >= AT_ONCE {
                    self.enter((store, writer));
                }
            }
            _ => {
                self.enter((store, writer));
                self.outcomes.push((store.offer(writer, key, Rank(0)), columns));
            }
        }
        self.outcomes.drain(..)
    }

    /// Enters the waiting ones, and returns their outcomes.
    pub(super) fn enter_all(&mut self, (store, writer): (&Store, &mut WordWriter)) -> Drain<'_, (EntryOutcome, C)> {
        self.enter((store, writer));
        self.outcomes.drain(..)
    }

    fn enter(&mut self, (store, writer): (&Store, &mut WordWriter)) {
        if !self.columns.is_empty() {
            let entries = store.offer_words(writer, (&self.keys, self.columns.len()), &mut self.offered);
            self.outcomes.extend(entries.map(Some).zip(self.columns.drain(..)));
            self.keys.clear();
        }
    }
}
