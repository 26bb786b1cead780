//! The internal steps of a refinement as a graph, and a cycle in it: an infinite run without a call.
//!
//! There is one exactly if the graph of representatives has a cycle of internal steps: a round of such a cycle renames the elements, and
//! after as many rounds as that renaming's order the run is back where it began. Conversely, an infinite run of internal steps in finitely
//! many configurations visits a representative twice.
//! Invariant: the reported cycle passes through the state with the lowest number on any cycle, and is a shortest one there. The whole
//! graph stays in memory. Deliberately elsewhere: components (`temporal::components`), which steps are internal (`refine`).

use bcheck_ir::OperationId;
use bcheck_temporal::components::{Fate, Successors, decompose};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The internal steps of a search, by the numbers of their source and target representatives.
#[derive(Debug, Default)]
pub(crate) struct InternalSteps {
    /// Source, target, operation; in the order of expansion, which is that of the sources.
    steps: Vec<(u32, u32, OperationId)>,
    /// The targets of the steps of the last state.
    targets: FxHashSet<u32>,
}

/// A cycle of internal steps: where it begins and ends, and the numbers behind each of its steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cycle {
    pub(crate) start: u32,
    pub(crate) steps: Vec<(u32, OperationId)>,
}

impl InternalSteps {
    /// Adds a step. Of several between the same two states the first is stored: one is enough for a cycle.
    pub(crate) fn add(&mut self, from: u32, to: u32, operation: OperationId) {
        // Only the targets of the current state are stored as a set: states are expanded in sequence, so rows are contiguous.
        let last = self.steps.last().map(|(from, ..)| *from);
        debug_assert!(last.is_none_or(|last| last <= from), "states are expanded in the order of their numbers");
        if last != Some(from) {
            self.targets.clear();
        }
        if self.targets.insert(to) {
            self.steps.push((from, to, operation));
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The step with this index: from, to, operation.
    pub(super) fn get(&self, index: usize) -> (u32, u32, OperationId) {
        self.steps[index]
    }

    /// Whether there is no internal step.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Where the steps from a state are.
    fn row(&self, from: u32) -> Range<usize> {
        let start = self.steps.partition_point(|(other, ..)| *other < from);
        start..start + self.steps[start..].partition_point(|(other, ..)| *other == from)
    }

    /// The cycle to report, if there is any.
    pub(crate) fn cycle(&self) -> Option<Cycle> {
        let count = self.steps.iter().map(|(from, to, _)| from.max(to) + 1).max()?;
        let roots = self.steps.iter().map(|(from, ..)| *from);
        // A node is on a cycle exactly if its component has an inner edge, and only such components are judged. The lowest number is the
        // state found first, so no other state on a cycle has a shorter run to it.
        let mut start: Option<u32> = None;
        decompose(self, count as usize, roots, &|| false, |component| {
            start = component.nodes.iter().copied().chain(start).min();
            Fate::Dropped
        });
        let start = start?;
        // Breadth-first back to the start, so the cycle is a shortest one; it is found, as `start` is on a cycle. There is no entry for
        // `start` in `before` until the cycle is closed.
        let mut before: BTreeMap<u32, (u32, OperationId)> = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for &(_, next, operation) in &self.steps[self.row(node)] {
                if before.contains_key(&next) {
                    continue;
                }
                before.insert(next, (node, operation));
                if next == start {
                    return Some(Cycle { start, steps: way_back(start, &before) });
                }
                waiting.push_back(next);
            }
        }
        None
    }
}

/// The closed cycle: back along `before`, until the start is reached again. For a loop that is one step.
fn way_back(start: u32, before: &BTreeMap<u32, (u32, OperationId)>) -> Vec<(u32, OperationId)> {
    let mut steps = Vec::new();
    let mut at = start;
    loop {
        let (from, operation) = before[&at];
        steps.push((at, operation));
        at = from;
        if at == start {
            steps.reverse();
            return steps;
        }
    }
}

impl Successors for InternalSteps {
    type Node = u32;
    /// The steps that are left.
    type Place = Range<usize>;

    fn number(&self, node: u32) -> usize {
        node as usize
    }

    fn place(&self, node: u32) -> Self::Place {
        self.row(node)
    }

    fn next(&self, place: &mut Self::Place) -> Option<u32> {
        place.next().map(|at| self.steps[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_cycle_through_the_lowest_number_is_reported() {
        let operation = OperationId(3);
        let mut steps = InternalSteps::default();
        for (from, to) in [(0, 1), (1, 2), (2, 5), (5, 7), (5, 2), (7, 2), (9, 9)] {
            steps.add(from, to, operation);
        }
        let cycle = steps.cycle().expect("there are cycles");
        assert_eq!(cycle, Cycle { start: 2, steps: vec![(5, operation), (2, operation)] });
    }

    #[test]
    fn a_step_that_changes_nothing_is_a_cycle_and_a_tree_has_none() {
        let operation = OperationId(0);
        let mut steps = InternalSteps::default();
        steps.add(0, 1, operation);
        steps.add(0, 2, operation);
        assert_eq!(steps.cycle(), None);
        steps.add(2, 2, operation);
        assert_eq!(steps.cycle(), Some(Cycle { start: 2, steps: vec![(2, operation)] }));
    }
}
