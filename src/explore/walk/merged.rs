//! A smaller graph: states merged by the value of an expression, or by the operations that they enable.
//!
//! Invariant: sums are preserved: a merged node represents all states of its nodes, a merged edge all their steps under one operation.
//! Deliberately elsewhere: the value of an expression (`cli` supplies it as text).

use crate::{GraphEdge, GraphState, GraphTotals};
use bcheck_ir::OperationId;
use bcheck_value::Value;
use indexmap::IndexMap;
use indexmap::map::Entry;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// Several states as one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedState {
    /// The value that its states have in common, as text.
    pub key: String,
    /// How many states of the graph it represents.
    pub states: u64,
    /// How many states of the full space it represents.
    pub orbit: BigUint,
    /// Whether any of them is initial.
    pub is_initial: bool,
    /// Whether any enables nothing.
    pub is_deadlock: bool,
    /// The least distance from the initial states.
    pub depth: usize,
    /// The verdicts of findings in them.
    pub findings: BTreeSet<crate::Verdict>,
}

/// All steps between two merged nodes under one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedEdge {
    /// The position of its node.
    pub from: usize,
    /// The position of its target.
    pub to: usize,
    /// The operation.
    pub operation: Option<OperationId>,
    /// The number of steps from the representatives.
    pub multiplicity: u64,
    /// The number of steps of the full space.
    pub weight: BigUint,
    /// The first of these steps.
    pub example: MergedStep,
}

/// Arguments and results of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedStep {
    /// Argument values.
    pub arguments: Vec<Value>,
    /// Result values, as in a trace.
    pub results: Vec<Option<Value>>,
}

/// A merged graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The nodes, in the order in which their first states were found; those with initial states come first.
    pub states: Vec<MergedState>,
    /// The edges, by node, then in the order of discovery.
    pub edges: Vec<MergedEdge>,
}

/// Names a set of operations.
pub type Naming<'a> = &'a dyn Fn(&BTreeSet<OperationId>) -> String;

/// Collects the states and edges of a graph.
#[derive(Clone, Debug, Default)]
pub struct Merger {
    /// By number: the state as a separate node, and the operations that it enables.
    states: Vec<(MergedState, BTreeSet<OperationId>)>,
    edges: Vec<MergedEdge>,
}

impl Merger {
    /// Adds a state; without a key it is merged by the operations that it enables, which its edges show.
    pub fn state(&mut self, state: &GraphState<'_>, key: Option<String>) {
        let findings = state.findings.iter().map(crate::Fault::verdict).collect();
        let merged = MergedState {
            key: key.unwrap_or_default(),
            states: 1,
            orbit: state.orbit.clone(),
            is_initial: state.is_initial,
            is_deadlock: state.is_deadlock,
            depth: state.depth,
            findings,
        };
        self.states.push((merged, BTreeSet::new()));
    }

    /// Adds an edge of the last state.
    pub fn edge(&mut self, edge: &GraphEdge<'_>) {
        let operation = edge.step.operation;
        if let Some((_, enabled)) = self.states.last_mut() {
            enabled.extend(operation);
        }
        let multiplicity = edge.multiplicity as u64;
        let example = MergedStep { arguments: edge.step.arguments.clone(), results: edge.step.results.clone() };
        self.edges.push(MergedEdge { from: edge.from, to: edge.to, operation, multiplicity, weight: edge.weight.clone(), example });
    }

    /// The merged graph; `by_operations` names the set of operations that a state enables, when that is its key.
    #[must_use]
    pub fn finish(self, by_operations: Option<Naming<'_>>) -> Merged {
        // Insertion order is the order of discovery. Keys are made here, because a state's edges come after it.
        let mut nodes: IndexMap<String, MergedState> = IndexMap::new();
        let mut of_state = Vec::with_capacity(self.states.len());
        for (mut state, enabled) in self.states {
            if let Some(name) = by_operations {
                state.key = name(&enabled);
            }
            // Nodes are numbered by their first states, so initial ones come first here too.
            let entry = nodes.entry(state.key.clone());
            of_state.push(entry.index());
            let node = entry.or_insert_with(|| MergedState { key: state.key.clone(), depth: state.depth, ..MergedState::default() });
            node.states += 1;
            node.orbit += state.orbit;
            node.is_initial |= state.is_initial;
            node.is_deadlock |= state.is_deadlock;
            node.depth = node.depth.min(state.depth);
            node.findings.append(&mut state.findings);
        }
        let mut edges: IndexMap<(usize, usize, Option<OperationId>), MergedEdge> = IndexMap::new();
        for edge in self.edges {
            // A walk that was broken off has edges to states that were numbered and never visited.
            let (Some(&from), Some(&to)) = (of_state.get(edge.from), of_state.get(edge.to)) else { continue };
            match edges.entry((from, to, edge.operation)) {
                Entry::Occupied(mut known) => {
                    known.get_mut().multiplicity += edge.multiplicity;
                    known.get_mut().weight += edge.weight;
                }
                Entry::Vacant(place) => {
                    place.insert(MergedEdge { from, to, ..edge });
                }
            }
        }
        // A stable sort: edges of one node stay in the order of discovery, which merging mixes with that of other nodes.
        edges.sort_by(|(one, _, _), _, (other, _, _), _| one.cmp(other));
        Merged { states: nodes.into_values().collect(), edges: edges.into_values().collect() }
    }
}

impl Merged {
    /// The totals of the merged graph; transitions and the full space are those of the graph it was made from.
    #[must_use]
    pub fn totals(&self, of_graph: &GraphTotals) -> GraphTotals {
        GraphTotals { states: self.states.len(), edges: self.edges.len(), ..of_graph.clone() }
    }
}
