//! Divergence: a run of the refinement that goes on for ever without a call.
//!
//! There is one exactly if the graph of representatives has a cycle of internal steps: going round such a cycle renames the elements,
//! and after as many rounds as that renaming's order the run is back where it began. Conversely, an infinite run of internal steps in
//! finitely many configurations meets a representative twice.
//! Invariant: the cycle that is reported passes through the state with the lowest number on any cycle, and is a shortest one there.

use super::{Mismatch, Obligation, Reason, Tried};
use crate::ir::OperationId;
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, VecDeque};

/// The internal steps of a search, by the numbers of the representatives that they lead from and to.
#[derive(Debug, Default)]
pub(super) struct InternalSteps {
    steps: DiGraphMap<u32, OperationId, FxBuildHasher>,
}

/// A cycle of internal steps: where it begins and ends, and the numbers behind each of its steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cycle {
    pub(super) start: u32,
    pub(super) steps: Vec<(u32, OperationId)>,
}

impl InternalSteps {
    /// Adds a step. Of several between the same two states the first is kept: one is enough for a cycle.
    pub(super) fn add(&mut self, from: u32, to: u32, operation: OperationId) {
        if !self.steps.contains_edge(from, to) {
            self.steps.add_edge(from, to, operation);
        }
    }

    /// The cycle to report, if there is any.
    pub(super) fn cycle(&self) -> Option<Cycle> {
        // A node is on a cycle exactly if its strongly connected component has another node, or it has a loop.
        let components = kosaraju_scc(&self.steps);
        let is_cyclic = |nodes: &Vec<u32>| nodes.len() > 1 || nodes.iter().any(|&node| self.steps.contains_edge(node, node));
        // The lowest number is the state found first, so no other state on a cycle has a shorter run to it.
        let start = components.iter().filter(|nodes| is_cyclic(nodes)).flatten().copied().min()?;
        // Breadth first back to the start, so the cycle is a shortest one; it is found, as `start` is on a cycle. There is no entry for
        // `start` in `before` until the cycle is closed.
        let mut before: BTreeMap<u32, u32> = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for next in self.steps.neighbors(node) {
                if before.contains_key(&next) {
                    continue;
                }
                before.insert(next, node);
                if next != start {
                    waiting.push_back(next);
                    continue;
                }
                // The circle is closed: back along `before`, until the start is met again. For a loop that is one step.
                let mut steps = Vec::new();
                let mut at = start;
                loop {
                    let from = before[&at];
                    steps.push((at, *self.steps.edge_weight(from, at)?));
                    at = from;
                    if at == start {
                        break;
                    }
                }
                steps.reverse();
                return Some(Cycle { start, steps });
            }
        }
        None
    }
}

impl Cycle {
    /// The failed obligation that a cycle is.
    pub(super) fn mismatch(&self) -> Mismatch {
        Mismatch {
            obligation: Obligation::Divergence,
            operation: self.steps.first().map(|(_, operation)| *operation),
            arguments: Vec::new(),
            results: Vec::new(),
            next: None,
            tried: vec![Tried { before: None, reason: Reason::Repeats(self.steps.len()) }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_cycle_through_the_lowest_number_is_reported() {
        let operation = OperationId(3);
        let mut steps = InternalSteps::default();
        for (from, to) in [(0, 1), (1, 2), (2, 5), (5, 7), (7, 2), (5, 2), (9, 9)] {
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
