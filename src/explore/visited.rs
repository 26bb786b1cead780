//! The visited set of every search but the engine of `search`: keys in a hash map, numbered in the order of discovery.
//!
//! The queue of a breadth-first search is the unexpanded part of this set, so no such search needs another list. Invariant: numbers are
//! assigned once and in order, and a key is stored only if the limit allows it. Deliberately elsewhere: the visited set of the engine
//! (`search::store`), the processing of a new state (`plain`, and `walk` with its neighbours).

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// The keys that a search has found so far, each with the data that the search stores for it.
pub(super) struct Visited<K, T> {
    /// The most that are stored.
    pub(super) limit: usize,
    found: IndexMap<K, T, FxBuildHasher>,
}

impl<K: Hash + Eq, T> Visited<K, T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, found: IndexMap::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The key with this number, and its data; `None` beyond the last one.
    pub(super) fn get(&self, number: usize) -> Option<(&K, &T)> {
        self.found.get_index(number)
    }

    /// Stores a key unless it is known; returns its number, and whether it is new. `None` if the limit forbids storing it.
    pub(super) fn enter(&mut self, key: K, about: impl FnOnce() -> T) -> Option<(usize, bool)> {
        // A known key is found even where there is no room: steps between known states must not be lost at the limit.
        let has_room = self.found.len() < self.limit;
        match self.found.entry(key) {
            Entry::Occupied(known) => Some((known.index(), false)),
            Entry::Vacant(new) => has_room.then(|| {
                // Nothing is ever removed, so the position in the map is the number for good.
                let number = new.index();
                new.insert(about());
                (number, true)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_of_discovery_and_a_full_set_still_knows_its_keys() {
        let mut visited = Visited::new(2);
        assert_eq!(visited.enter('b', || 1), Some((0, true)));
        assert_eq!(visited.enter('a', || 2), Some((1, true)));
        assert_eq!(visited.enter('b', || 3), Some((0, false)));
        assert_eq!(visited.enter('c', || 4), None);
        assert_eq!(visited.enter('a', || 5), Some((1, false)));
        assert_eq!((visited.len(), visited.get(0), visited.get(2)), (2, Some((&'b', &1)), None));
    }
}
