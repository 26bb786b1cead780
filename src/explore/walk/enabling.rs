//! Which operation can enable or disable which: for each pair, how many reachable steps of the first do so to the second.
//!
//! An operation is enabled in a state where it has a step. Enabledness does not depend on the names of elements, so representatives
//! represent their orbits.
//! Invariant: the counts are about all reachable states, or there are none. Deliberately elsewhere: how they are shown (`report`).

use super::walk_graph;
use crate::{GraphEdge, GraphState, GraphVisitor, Options};
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::OperationId;
use bcheck_symmetry::Symmetry;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{AddAssign, ControlFlow};

/// A number of states or steps: of representatives, and of the full space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// Among those explored.
    pub explored: u64,
    /// In the full space.
    pub full: BigUint,
}

impl AddAssign<&Self> for Weighed {
    fn add_assign(&mut self, other: &Self) {
        self.explored += other.explored;
        self.full += &other.full;
    }
}

/// The effects of steps of one operation on another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnablingCounts {
    /// It is disabled before them and enabled after them.
    pub enables: Weighed,
    /// It is enabled before them and disabled after them.
    pub disables: Weighed,
    /// It is enabled before and after them.
    pub keeps_enabled: Weighed,
    /// It is disabled before and after them.
    pub keeps_disabled: Weighed,
}

/// The counts of a single operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnabledOperation {
    /// The initial states in which it is enabled.
    pub initially: Weighed,
    /// The states in which it is enabled.
    pub states: Weighed,
    /// Its steps.
    pub steps: Weighed,
}

/// The enabling relation of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enabling {
    /// The reachable states.
    pub states: Weighed,
    /// Whether numbers of the full space are exact.
    pub is_exact: bool,
    /// The operations, in the order of the model.
    pub operations: Vec<EnabledOperation>,
    /// For each operation, in that order: what its steps do to each of them.
    pub relation: Vec<Vec<EnablingCounts>>,
}

/// Walks all reachable states; `None` if the walk was interrupted. `visited` is called with the number of states visited so far and can
/// stop the walk.
///
/// # Errors
/// When something cannot be enumerated.
pub fn enabling(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    visited: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<Enabling>, EvalError> {
    let mut watched = WatchedRelator { relator: Relator::default(), visited };
    let totals = walk_graph(machine, symmetry, options, usize::MAX, &mut watched)?;
    Ok(totals.is_complete.then(|| watched.relator.finish(machine.model().operations.len(), totals.is_exact)))
}

struct WatchedRelator<'a> {
    relator: Relator,
    visited: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl GraphVisitor for WatchedRelator<'_> {
    fn begin(&mut self, initial: usize) -> ControlFlow<()> {
        self.relator.begin(initial);
        ControlFlow::Continue(())
    }

    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        self.relator.state(state);
        (self.visited)(self.relator.orbits.len())
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        self.relator.edge(edge);
        ControlFlow::Continue(())
    }
}

/// The number of a set of enabled operations.
type SetNumber = u32;

/// Collects the operations that each state enables, and its steps, from the data of a visitor of a whole graph.
#[derive(Default)]
pub(super) struct Relator {
    sets: BTreeMap<BTreeSet<OperationId>, SetNumber>,
    /// By state.
    enabled: Vec<SetNumber>,
    orbits: Vec<BigUint>,
    initial: usize,
    /// The operations of the last state, whose edges follow.
    current: Option<BTreeSet<OperationId>>,
    edges: Vec<Edge>,
}

struct Edge {
    from: u32,
    to: u32,
    operation: OperationId,
    multiplicity: u64,
}

/// States are numbered with 32 bits here: a graph in memory has fewer.
fn number(state: usize) -> u32 {
    u32::try_from(state).expect("a graph in memory has fewer than 2^32 states")
}

impl Relator {
    pub(super) fn begin(&mut self, initial: usize) {
        self.initial = initial;
    }

    pub(super) fn state(&mut self, state: &GraphState<'_>) {
        self.end_state();
        self.orbits.push(state.orbit.clone());
        self.current = Some(BTreeSet::new());
    }

    pub(super) fn edge(&mut self, edge: &GraphEdge<'_>) {
        if let (Some(operation), Some(current)) = (edge.step.operation, &mut self.current) {
            current.insert(operation);
            let (from, to) = (number(edge.from), number(edge.to));
            self.edges.push(Edge { from, to, operation, multiplicity: edge.multiplicity as u64 });
        }
    }

    /// Numbers the set of operations that the last state enables, now that all its edges have come.
    fn end_state(&mut self) {
        if let Some(enabled) = self.current.take() {
            let next = number(self.sets.len());
            self.enabled.push(*self.sets.entry(enabled).or_insert(next));
        }
    }

    /// The relation of this many operations, once the whole graph was visited.
    pub(super) fn finish(mut self, count: usize, is_exact: bool) -> Enabling {
        self.end_state();
        let mut sets: Vec<Vec<bool>> = vec![vec![false; count]; self.sets.len()];
        for (set, at) in &self.sets {
            set.iter().for_each(|operation| sets[*at as usize][operation.index()] = true);
        }
        let relation = vec![vec![EnablingCounts::default(); count]; count];
        let mut enabling = Enabling { is_exact, operations: vec![EnabledOperation::default(); count], relation, ..Enabling::default() };
        for (state, (set, orbit)) in self.enabled.iter().zip(&self.orbits).enumerate() {
            let one = Weighed { explored: 1, full: orbit.clone() };
            enabling.states += &one;
            for (operation, _) in sets[*set as usize].iter().enumerate().filter(|(_, is_enabled)| **is_enabled) {
                enabling.operations[operation].states += &one;
                if state < self.initial {
                    enabling.operations[operation].initially += &one;
                }
            }
        }
        // Steps with equal effects are added up first: there are few kinds of them.
        let mut kinds: BTreeMap<(OperationId, SetNumber, SetNumber), Weighed> = BTreeMap::new();
        for Edge { from, to, operation, multiplicity } in &self.edges {
            let (from, to) = (*from as usize, *to as usize);
            let weight = Weighed { explored: *multiplicity, full: &self.orbits[from] * *multiplicity };
            *kinds.entry((*operation, self.enabled[from], self.enabled[to])).or_default() += &weight;
        }
        for ((operation, from, to), weight) in kinds {
            enabling.operations[operation.index()].steps += &weight;
            for (other, counts) in enabling.relation[operation.index()].iter_mut().enumerate() {
                let count = match (sets[from as usize][other], sets[to as usize][other]) {
                    (false, true) => &mut counts.enables,
                    (true, false) => &mut counts.disables,
                    (true, true) => &mut counts.keeps_enabled,
                    (false, false) => &mut counts.keeps_disabled,
                };
                *count += &weight;
            }
        }
        enabling
    }
}
