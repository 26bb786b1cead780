//! States of a log on their way into the visited set: keys of words wait until there are many, as their cache misses overlap then.
//!
//! Invariant: states are entered, and their outcomes given, in the order in which they were added.
//! Deliberately elsewhere: the tables and how they overlap misses (`state`), what becomes of a state that was entered (the callers).

use super::store::Store;
use crate::durable::log::Key;
use crate::state::{Offered, StateId, WordWriter};

/// Keys that are offered together.
const AT_ONCE: usize = if cfg!(test) { 5 } else { 1 << 10 };

/// States that wait, each with what its log has besides the key. They have their numbers, so their ranks are not asked for any more: all
/// are entered with rank 0, and no later offer lowers it.
#[derive(Debug)]
pub(super) struct EntryBatch<C> {
    keys: Vec<u64>,
    columns: Vec<C>,
    /// Scratch.
    offered: Vec<Offered>,
}

impl<C> Default for EntryBatch<C> {
    fn default() -> Self {
        Self { keys: Vec::new(), columns: Vec::new(), offered: Vec::new() }
    }
}

/// The id of a state that was entered, and whether it was new; `None` of one that no table of the store can have.
pub(super) type EntryOutcome = Option<(StateId, bool)>;

impl<C> EntryBatch<C> {
    /// Adds a state; calls `entered` for each of those that are entered by now.
    pub(super) fn add(
        &mut self,
        (store, writer): (&Store, &mut WordWriter),
        key: Key<'_>,
        columns: C,
        entered: &mut impl FnMut(EntryOutcome, C),
    ) {
        match key {
            Key::Words(words) if store.has_words(words.len()) => {
                self.keys.extend_from_slice(words);
                self.columns.push(columns);
                if self.columns.len() >= AT_ONCE {
                    self.enter_all((store, writer), entered);
                }
            }
            _ => {
                self.enter_all((store, writer), entered);
                entered(store.offer(writer, key, 0), columns);
            }
        }
    }

    /// Enters those that wait.
    pub(super) fn enter_all(&mut self, (store, writer): (&Store, &mut WordWriter), entered: &mut impl FnMut(EntryOutcome, C)) {
        if self.columns.is_empty() {
            return;
        }
        let entries = store.offer_words(writer, (&self.keys, self.columns.len()), &mut self.offered);
        for (entry, columns) in entries.zip(self.columns.drain(..)) {
            entered(Some(entry), columns);
        }
        self.keys.clear();
    }
}
