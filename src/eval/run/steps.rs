//! The distinct steps of one operation in one state, in the order in which they were found.
//!
//! Invariant: no two steps agree in arguments, results and successor. The constants are the same in all of them, so they are
//! neither hashed nor compared: a machine may have constants of many thousand elements.

use crate::Step;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A growing list of distinct steps.
pub(crate) struct DistinctSteps {
    constants: usize,
    pub(crate) steps: Vec<Step>,
    /// Indices of `steps` by their hashes; empty as long as there is at most one step.
    places: HashTable<usize>,
}

impl DistinctSteps {
    /// No steps yet; each successor begins with the same `constants` values.
    pub(crate) fn new(constants: usize) -> Self {
        Self { constants, steps: Vec::new(), places: HashTable::new() }
    }

    /// Adds a step unless it is known.
    pub(crate) fn insert(&mut self, step: Step) {
        let Self { constants, steps, places } = self;
        let hash = |step: &Step| {
            let mut hasher = FxHasher::default();
            (&step.arguments, &step.results, &step.next[*constants..]).hash(&mut hasher);
            hasher.finish()
        };
        // Most operations have one step in most states; then there is nothing to hash.
        if places.is_empty() {
            // With a second step, the first one is entered late.
            let Some(first) = steps.first() else { return steps.push(step) };
            places.insert_unique(hash(first), 0, |place| hash(&steps[*place]));
        }
        let of_step = hash(&step);
        let is_same = |place: &usize| {
            let other = &steps[*place];
            other.arguments == step.arguments && other.results == step.results && other.next[*constants..] == step.next[*constants..]
        };
        if places.find(of_step, is_same).is_none() {
            // The closure recomputes the hashes of entries when the table grows: hashes are not stored.
            places.insert_unique(of_step, steps.len(), |place| hash(&steps[*place]));
            steps.push(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_value::Value;

    #[test]
    fn steps_that_differ_in_any_part_but_the_constants_are_kept_in_order() {
        let step = |argument, result, constant, variable| Step {
            arguments: vec![Value::integer(argument)],
            results: vec![(result > 0).then(|| Value::integer(result))],
            next: vec![Value::integer(constant), Value::integer(variable)],
        };
        let mut distinct = DistinctSteps::new(1);
        for one in [step(1, 1, 0, 1), step(1, 1, 0, 1), step(2, 1, 0, 1), step(1, 0, 0, 1), step(1, 1, 0, 2), step(1, 0, 0, 1)] {
            distinct.insert(one);
        }
        assert_eq!(distinct.steps, [step(1, 1, 0, 1), step(2, 1, 0, 1), step(1, 0, 0, 1), step(1, 1, 0, 2)]);
    }
}
