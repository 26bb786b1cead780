//! The graph of a search, as drawings and exports need it: representatives as states, steps between them as edges.
//!
//! The states are explored again, breadth first, because a search keeps states and no steps. Invariant: an edge is an orbit of
//! `multiplicity` steps under the stabiliser of its source, and stands for `weight` steps of the full space. So in a graph that is
//! complete, multiplicities add up to the transitions explored, and weights to those of the full space.

pub(super) mod animation;
pub(crate) mod enabling;
pub(super) mod equivariance;
pub(super) mod growth;
pub(super) mod guards;
pub(crate) mod merged;
pub(super) mod projection;
pub(super) mod ranges;
pub(super) mod space;
pub(super) mod survey;
pub(super) mod vacuity;

use super::visited::Visited;
use super::{Options, PropertyKind, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_symmetry::{Permutation, Scratch, Symmetry};
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashSet;
use space::{Expanded, Space, States};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// A state of the graph.
#[derive(Clone, Debug)]
pub struct GraphState<'a> {
    /// From 0, in the order of discovery; initial states come first.
    pub number: usize,
    /// Its constants and variables.
    pub state: &'a [Value],
    /// Whether it is initial.
    pub is_initial: bool,
    /// Steps from the initial states.
    pub depth: usize,
    /// How many states of the full space it stands for.
    pub orbit: BigUint,
    /// Whether no operation is enabled.
    pub is_deadlock: bool,
    /// What holds or fails here: goal, invariant, assertions.
    pub findings: Vec<PropertyKind>,
}

/// An edge of the graph.
#[derive(Clone, Debug)]
pub struct GraphEdge<'a> {
    /// The number of its state.
    pub from: usize,
    /// The number of the representative of its successor.
    pub to: usize,
    /// One of its steps, as it leaves the state `from`; where it leads may be another state than `to`, but a symmetric one.
    pub step: &'a TraceStep,
    /// Maps the state that the step leads to to that representative.
    pub permutation: &'a Permutation,
    /// The number of steps of this state that it stands for.
    pub multiplicity: usize,
    /// The number of steps of the full space that it stands for.
    pub weight: BigUint,
}

/// Receives a graph while it is walked; a break ends the walk. What a visitor does not define, it ignores.
pub trait GraphVisitor {
    /// The number of initial states; they are numbered from 0.
    fn begin(&mut self, _initial: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// A state; its edges follow before the next state.
    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()>;
    /// An edge of the last state.
    fn edge(&mut self, _edge: &GraphEdge<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a graph adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphTotals {
    /// States.
    pub states: usize,
    /// Edges.
    pub edges: usize,
    /// Steps of these states to one another.
    pub transitions: u64,
    /// States of the full space.
    pub full_states: BigUint,
    /// Steps of the full space.
    pub full_transitions: BigUint,
    /// Whether every reachable state is there; else steps to states that are missing, out of SCOPE, or with
    /// integers that were not tried, are left out.
    pub is_complete: bool,
    /// Whether each class of symmetric states has one representative; else the numbers for the full space are too large.
    pub is_exact: bool,
}

/// A walk, with the representatives found so far.
struct Walk<'a> {
    space: &'a dyn Space,
    symmetry: &'a Symmetry,
    scratch: Scratch,
    visited: Visited<Valuation, Node>,
    totals: GraphTotals,
}

/// What a walk keeps about a representative.
#[derive(Clone)]
struct Node {
    orbit: BigUint,
    depth: usize,
}

/// Walks the graph, with at most `limit` states.
///
/// # Errors
/// When something cannot be enumerated.
pub fn walk_graph(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    limit: usize,
    visitor: &mut dyn GraphVisitor,
) -> Result<GraphTotals, EvalError> {
    walk(&States::new(machine, options), symmetry, (limit, options.limits.set_ups), visitor)
}

/// Walks the graph of a space up to `limit` states, under the first `set_ups` valuations of the constants if that is limited. After an
/// interrupt the graph holds the states found so far; unexpanded ones have no outgoing edges.
pub(super) fn walk(
    space: &dyn Space,
    symmetry: &Symmetry,
    (limit, set_ups): (usize, Option<u64>),
    visitor: &mut dyn GraphVisitor,
) -> Result<GraphTotals, EvalError> {
    let totals = GraphTotals { is_complete: true, is_exact: true, ..GraphTotals::default() };
    let mut walk = Walk { space, symmetry, scratch: Scratch::default(), visited: Visited::new(limit), totals };
    let mut is_interrupted = unless_interrupted(walk.initial_states(set_ups))?.is_none();
    // Numbers of initial states are final before the first edge: `begin` promises them to the visitor.
    let initial = walk.visited.len();
    if visitor.begin(initial).is_break() {
        return Ok(walk.totals);
    }
    let mut number = 0;
    while let Some((state, node)) = walk.visited.get(number) {
        let (state, Node { orbit, depth }) = (state.clone(), node.clone());
        // Small evaluations end without a look at the flag. From an interrupt on, states are still shown, so that no edge leads to a state
        // that is missing, but none is expanded.
        is_interrupted |= space.machine().interrupt().load(Ordering::Relaxed);
        let expanded = if is_interrupted { None } else { unless_interrupted(space.expand(symmetry, &state, &mut walk.scratch))? };
        is_interrupted = expanded.is_none();
        let Expanded { alike, findings, is_deadlock, is_cut } = expanded.unwrap_or_default();
        walk.totals.is_complete &= !is_cut;
        walk.totals.states += 1;
        walk.totals.full_states += &orbit;
        let shown = GraphState { number, state: &state, is_initial: number < initial, depth, orbit: orbit.clone(), is_deadlock, findings };
        if visitor.state(&shown).is_break() {
            walk.totals.is_complete = false;
            return Ok(walk.totals);
        }
        for steps in alike {
            let Some(step) = steps.first() else { continue };
            // Full: an edge to a state that is not in the graph has no end, and is left out with it.
            let Some((to, permutation)) = walk.enter(&step.state, depth + 1) else { continue };
            // All states of an orbit have equally many steps.
            let weight = &orbit * steps.len();
            walk.totals.edges += 1;
            walk.totals.transitions += steps.len() as u64;
            walk.totals.full_transitions += &weight;
            if visitor.edge(&GraphEdge { from: number, to, step, permutation: &permutation, multiplicity: steps.len(), weight }).is_break()
            {
                walk.totals.is_complete = false;
                return Ok(walk.totals);
            }
        }
        number += 1;
    }
    walk.totals.is_complete &= !is_interrupted;
    Ok(walk.totals)
}

/// What was found, or nothing at an interrupt.
fn unless_interrupted<T>(result: Result<T, EvalError>) -> Result<Option<T>, EvalError> {
    match result {
        Err(error) if error.kind == EvalErrorKind::Interrupted => Ok(None),
        other => other.map(Some),
    }
}

/// Takes the error that only says that values of a choice were left out; returns whether it was one.
fn take_left_out(result: &mut Result<(), EvalError>) -> bool {
    let is_left_out = matches!(result, Err(error) if error.kind.is_left_out());
    if is_left_out {
        *result = Ok(());
    }
    is_left_out
}

impl Walk<'_> {
    /// The number of a state's representative, and what takes the state to it; `None` when the graph is full.
    fn enter(&mut self, state: &[Value], depth: usize) -> Option<(usize, Permutation)> {
        let canonical = self.symmetry.canonical(state, &mut self.scratch);
        self.totals.is_exact &= canonical.is_exact;
        // Where symmetric states may have several representatives, no number of states is claimed: the totals are not exact anyway.
        let orbit = || if canonical.is_exact { self.symmetry.orbit_size(&canonical.automorphisms) } else { BigUint::zero() };
        let entered = self.visited.enter(canonical.state, || Node { orbit: orbit(), depth });
        self.totals.is_complete &= entered.is_some();
        let (number, _) = entered?;
        Some((number, canonical.permutation))
    }

    fn initial_states(&mut self, most: Option<u64>) -> Result<(), EvalError> {
        let (space, symmetry) = (self.space, self.symmetry);
        // As in a search: a machine without constants has no set-ups that could be left out.
        let most = most.filter(|_| space.machine().model().set_up_steps() > 0);
        let mut set_ups = 0;
        let mut seen: FxHashSet<Valuation> = FxHashSet::default();
        let mut entered = Ok(());
        // A limit counts valuations, so all of them are visited where there is one.
        let renamings = if most.is_none() { symmetry.renamings() } else { Vec::new() };
        let mut lacks_values = false;
        let mut visited = space.machine().for_each_setup_but_images(&renamings, &mut |constants| {
            if most == Some(set_ups) {
                self.totals.is_complete = false;
                return ControlFlow::Break(());
            }
            set_ups += 1;
            // The initial states of symmetric set-ups are symmetric, so one set-up of each orbit is enough.
            if seen.insert(self.symmetry.canonical(&constants, &mut self.scratch).state) {
                entered = space.initial(&constants, &mut |state| {
                    self.enter(&state, 0);
                    // There may be millions more.
                    if self.totals.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                lacks_values |= take_left_out(&mut entered);
            }
            if entered.is_ok() && self.totals.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        lacks_values |= take_left_out(&mut visited);
        self.totals.is_complete &= !lacks_values;
        visited.and(entered)
    }
}
