//! The internal steps of a refinement as a graph, and a cycle in it: an infinite run without a call.
//!
//! There is one exactly if the graph of representatives has a cycle of internal steps: a round of such a cycle renames the elements, and
//! after as many rounds as that renaming's order the run is back where it began. Conversely, an infinite run of internal steps in finitely
//! many configurations visits a representative twice.
//! Invariant: the reported cycle passes through the state with the lowest number on any cycle, and is a shortest one there. The whole
//! graph stays in memory. Deliberately elsewhere: components (`temporal::components`), which steps are internal (`refine`).

use crate::number::StateNumber;
use bcheck_ir::OperationId;
use bcheck_temporal::components::{Fate, Successors, decompose};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The internal steps of a search, by the numbers of their source and target representatives.
#[derive(Debug, Default)]
pub(crate) struct InternalSteps {
    /// Source, target, operation; in the order of expansion, which is that of the sources.
    steps: Vec<(StateNumber, StateNumber, OperationId)>,
    /// The targets of the steps of the last state.
    targets: FxHashSet<StateNumber>,
}

/// A cycle of internal steps: where it begins and ends, and the numbers behind each of its steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cycle {
    pub(crate) start: StateNumber,
    pub(crate) steps: Vec<(StateNumber, OperationId)>,
}

impl InternalSteps {
    /// Adds a step. Of several between the same two states the first is stored: one is enough for a cycle.
    pub(crate) fn add(&mut self, from: StateNumber, to: StateNumber, operation: OperationId) {
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
    pub(super) fn get(&self, index: usize) -> (StateNumber, StateNumber, OperationId) {
        self.steps[index]
    }

    /// Whether there is no internal step.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Where the steps from a state are.
    fn row(&self, from: StateNumber) -> Range<usize> {
        let start = self.steps.partition_point(|(other, ..)| *other < from);
        start..start + self.steps[start..].partition_point(|(other, ..)| *other == from)
    }

    /// The cycle to report, if there is any.
    pub(crate) fn cycle(&self) -> Option<Cycle> {
        let last = self.steps.iter().map(|(from, to, _)| *from.max(to)).max()?;
        let roots = self.steps.iter().map(|(from, ..)| *from);
        // A node is on a cycle exactly if its component has an inner edge, and only such components are judged. The lowest number is the
        // state found first, so no other state on a cycle has a shorter run to it.
        let mut start: Option<StateNumber> = None;
        decompose(self, last.next().index(), roots, &|| false, |component| {
            start = component.nodes.iter().copied().chain(start).min();
            Fate::Dropped
        });
        let start = start?;
        // Breadth-first back to the start, so the cycle is a shortest one; it is found, as `start` is on a cycle. There is no entry for
        // `start` in `before` until the cycle is closed.
        let mut before: BTreeMap<StateNumber, (StateNumber, OperationId)> = BTreeMap::new();
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
fn way_back(start: StateNumber, before: &BTreeMap<StateNumber, (StateNumber, OperationId)>) -> Vec<(StateNumber, OperationId)> {
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
    type Node = StateNumber;
    /// The steps that are left.
    type Place = Range<usize>;

    fn number(&self, node: StateNumber) -> usize {
        node.index()
    }

    fn place(&self, node: StateNumber) -> Self::Place {
        self.row(node)
    }

    fn next(&self, place: &mut Self::Place) -> Option<StateNumber> {
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
            steps.add(StateNumber::new(from), StateNumber::new(to), operation);
        }
        let cycle = steps.cycle().expect("there are cycles");
        assert_eq!(cycle, Cycle { start: StateNumber::new(2), steps: [5, 2].map(|to| (StateNumber::new(to), operation)).to_vec() });
    }

    #[test]
    fn a_step_that_changes_nothing_is_a_cycle_and_a_tree_has_none() {
        let operation = OperationId(0);
        let mut steps = InternalSteps::default();
        let [root, one, other] = [0, 1, 2].map(StateNumber::new);
        steps.add(root, one, operation);
        steps.add(root, other, operation);
        assert_eq!(steps.cycle(), None);
        steps.add(other, other, operation);
        assert_eq!(steps.cycle(), Some(Cycle { start: other, steps: vec![(other, operation)] }));
    }
}
