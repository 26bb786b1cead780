//! The graph of a search, for drawings and exports: representatives as states, steps between them as edges.
//!
//! The states are explored again, breadth-first, because a search stores states but no steps. Invariant: an edge is an orbit of
//! `multiplicity` steps under the stabiliser of its source, and represents `weight` steps of the full space. So in a complete graph,
//! multiplicities add up to the transitions explored, and weights to those of the full space.

pub(super) mod animation;
pub(crate) mod enabling;
pub(super) mod equivariance;
pub(super) mod growth;
pub(super) mod guards;
pub(crate) mod merged;
pub(super) mod projection;
pub(super) mod ranges;
pub(crate) mod space;
mod stopped;
pub(super) mod survey;
pub(super) mod vacuity;

use super::count::reduction::Reduction;
use super::count::tally::Orbits;
use super::number::StateNumber;
use super::visited::Visited;
use super::{Extent, Fault, Options, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_symmetry::{Permutation, Scratch, Symmetry};
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashSet;
use space::{Expanded, Space, States};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use stopped::{Stopped, last_set_ups};

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
    /// How many states of the full space it represents.
    pub orbit: BigUint,
    /// Whether no operation is enabled.
    pub is_deadlock: bool,
    /// What holds or fails here: goal, invariant, assertions.
    pub findings: Vec<Fault>,
}

/// An edge of the graph.
#[derive(Clone, Debug)]
pub struct GraphEdge<'a> {
    /// The number of its state.
    pub from: usize,
    /// The number of the representative of its successor.
    pub to: usize,
    /// One of its steps, from the state `from`; its target may be another state than `to`, but a symmetric one.
    pub step: &'a TraceStep,
    /// Maps the target of the step to that representative.
    pub permutation: &'a Permutation,
    /// The number of steps of this state that it represents.
    pub multiplicity: usize,
    /// The number of steps of the full space that it represents.
    pub weight: BigUint,
}

/// Receives a graph while it is walked; a break ends the walk. Methods have empty defaults.
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

/// The sums of a graph.
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
    /// Whether every reachable state is included; otherwise steps to states that are missing, out of SCOPE, or with integers that were not
    /// tried, are left out.
    pub is_complete: bool,
    /// Whether each class of symmetric states has one representative; otherwise the numbers for the full space are too large.
    pub is_exact: bool,
}

/// A walk, with the representatives found so far.
struct Walk<'a> {
    space: &'a dyn Space,
    symmetry: &'a Symmetry,
    scratch: Scratch,
    visited: Visited<Valuation, Node>,
    within: Within<'a>,
    /// For an unfinished search.
    stopped: Option<Stopped<'a>>,
    totals: GraphTotals,
}

/// The bounds of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within<'a> {
    /// The most states.
    pub(crate) states: usize,
    /// The most valuations of the constants.
    pub(crate) set_ups: Option<u64>,
    /// An unfinished search: its states, and the steps of those that it has expanded.
    pub(crate) of_search: Option<&'a Extent>,
}

/// The data of a walk about a representative.
#[derive(Clone)]
struct Node {
    orbit: BigUint,
    depth: usize,
    /// Its number among the states under the last set-ups of an unfinished search, if it is one.
    of_last: Option<StateNumber>,
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
    let within = Within { states: limit, set_ups: options.limits.set_ups, of_search: None };
    walk(&States::new(machine, options), symmetry, within, visitor)
}

/// Walks the graph of an unfinished search: its states, and the steps of those that it has expanded.
///
///
/// When something cannot be enumerated.
pub fn walk_explored(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    extent: &Extent,
    visitor: &mut dyn GraphVisitor,
) -> Result<GraphTotals, EvalError> {
    let within = Within { states: usize::MAX, set_ups: options.limits.set_ups, of_search: Some(extent) };
    walk(&States::new(machine, options), symmetry, within, visitor)
}

/// Walks the graph of a space within limits. After an interrupt the graph holds the states found so far; unexpanded ones have no outgoing
/// edges.
pub(crate) fn walk(
    space: &dyn Space,
    symmetry: &Symmetry,
    within: Within<'_>,
    visitor: &mut dyn GraphVisitor,
) -> Result<GraphTotals, EvalError> {
    let orbits = Orbits::new();
    let last = within.of_search.map(|extent| last_set_ups(space, symmetry, extent, within.set_ups));
    let last = unless_interrupted(last.transpose())?.flatten();
    let words = last.as_ref().and_then(|last| space.words(symmetry, last));
    let reduction = Reduction::new(space.machine(), symmetry, &orbits).on_words(words.as_ref());
    let stopped = within.of_search.zip(last).map(|(extent, last)| Stopped::new((space, symmetry), extent, &last, reduction));
    let stopped = unless_interrupted(stopped.transpose())?.flatten();
    let totals = GraphTotals { is_complete: true, is_exact: true, ..GraphTotals::default() };
    if within.of_search.is_some() && stopped.is_none() {
        // Interrupted before it is known which states these are.
        return Ok(GraphTotals { is_complete: false, ..totals });
    }
    let visited = Visited::new(within.states);
    Walk { space, symmetry, scratch: Scratch::default(), visited, within, stopped, totals }.run(visitor)
}

/// The result, or `None` at an interrupt.
fn unless_interrupted<T>(result: Result<T, EvalError>) -> Result<Option<T>, EvalError> {
    match result {
        Err(error) if error.kind == EvalErrorKind::Interrupted => Ok(None),
        other => other.map(Some),
    }
}

/// Takes the error that only reports values of a choice that were left out; returns whether it was one.
fn take_left_out(result: &mut Result<(), EvalError>) -> bool {
    let is_left_out = matches!(result, Err(error) if error.kind.is_left_out());
    if is_left_out {
        *result = Ok(());
    }
    is_left_out
}

impl Walk<'_> {
    fn run(mut self, visitor: &mut dyn GraphVisitor) -> Result<GraphTotals, EvalError> {
        let (space, symmetry) = (self.space, self.symmetry);
        let mut is_interrupted = unless_interrupted(self.initial_states())?.is_none();
        // Numbers of initial states are final before the first edge: `begin` promises them to the visitor.
        let initial = self.visited.len();
        if visitor.begin(initial).is_break() {
            return Ok(self.totals);
        }
        let mut number = 0;
        while let Some((state, node)) = self.visited.get(number) {
            let (state, Node { orbit, depth, of_last }) = (state.clone(), node.clone());
            // Small evaluations end without testing the flag. From an interrupt on, states are still shown, so that no edge refers to a
            // missing state, but none is expanded.
            is_interrupted |= space.machine().interrupt().load(Ordering::Relaxed);
            let expanded = match is_interrupted {
                true => None,
                false if self.is_expanded(&state, of_last) => unless_interrupted(space.expand(symmetry, &state, &mut self.scratch))?,
                // The search has examined it.
                false => Some(Expanded { findings: space.examine(&state), ..Expanded::default() }),
            };
            is_interrupted = expanded.is_none();
            let Expanded { alike, findings, is_deadlock, is_cut } = expanded.unwrap_or_default();
            self.totals.is_complete &= !is_cut;
            self.totals.states += 1;
            self.totals.full_states += &orbit;
            let shown =
                GraphState { number, state: &state, is_initial: number < initial, depth, orbit: orbit.clone(), is_deadlock, findings };
            if visitor.state(&shown).is_break() {
                self.totals.is_complete = false;
                return Ok(self.totals);
            }
            for steps in alike {
                let Some(step) = steps.first() else { continue };
                // Full: an edge to a state that is not in the graph has no end, and is left out with it.
                let Some((to, permutation)) = self.enter(&step.state, depth + 1, of_last.is_some()) else { continue };
                // All states of an orbit have equally many steps.
                let weight = &orbit * steps.len();
                self.totals.edges += 1;
                self.totals.transitions += steps.len() as u64;
                self.totals.full_transitions += &weight;
                if visitor
                    .edge(&GraphEdge { from: number, to, step, permutation: &permutation, multiplicity: steps.len(), weight })
                    .is_break()
                {
                    self.totals.is_complete = false;
                    return Ok(self.totals);
                }
            }
            number += 1;
        }
        self.totals.is_complete &= !is_interrupted && self.within.of_search.is_none();
        Ok(self.totals)
    }

    /// The number of a state's representative, and what takes the state to it; `None` when the graph is full.
    fn enter(&mut self, state: &[Value], depth: usize, is_of_last: bool) -> Option<(usize, Permutation)> {
        // No step leads from the states of one set-up to those of another, so states under the last ones are found in the same order as in
        // the search.
        let canonical = match self.stopped.as_mut().filter(|_| is_of_last) {
            Some(stopped) => stopped.canonical(state, &mut self.scratch)?,
            None => self.symmetry.canonical(state, &mut self.scratch),
        };
        self.totals.is_exact &= canonical.is_exact;
        let stopped = self.stopped.as_mut().filter(|_| is_of_last);
        let is_stored = stopped.as_ref().is_none_or(|stopped| stopped.has(&canonical.state));
        self.visited.limit = if is_stored { self.within.states } else { 0 };
        let of_last = stopped.as_ref().map(|stopped| stopped.found);
        // Where symmetric states may have several representatives, no number of states is claimed: the totals are not exact anyway.
        let orbit = || if canonical.is_exact { self.symmetry.orbit_size(&canonical.automorphisms) } else { BigUint::zero() };
        let entered = self.visited.enter(canonical.state, || Node { orbit: orbit(), depth, of_last });
        self.totals.is_complete &= entered.is_some();
        let (number, is_new) = entered?;
        stopped.into_iter().for_each(|stopped| stopped.found = stopped.found.plus(is_new.into()));
        Some((number, canonical.permutation))
    }

    /// Whether the steps of a representative are steps of the search.
    fn is_expanded(&self, state: &Valuation, of_last: Option<StateNumber>) -> bool {
        self.stopped.as_ref().zip(of_last).is_none_or(|(stopped, number)| stopped.has_expanded(state, number))
    }

    fn initial_states(&mut self) -> Result<(), EvalError> {
        let (space, symmetry) = (self.space, self.symmetry);
        // As in a search: a machine without constants has no set-ups that could be left out.
        let most = self.within.set_ups.filter(|_| space.machine().model().set_up_steps() > 0);
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
            let Some(is_of_last) = self.stopped.as_ref().map_or(Some(false), |stopped| stopped.is_last(set_ups)) else {
                return ControlFlow::Break(());
            };
            set_ups += 1;
            // The initial states of symmetric set-ups are symmetric, so one set-up of each orbit is enough.
            if seen.insert(self.symmetry.canonical(&constants, &mut self.scratch).state) {
                entered = space.initial(&constants, &mut |state| {
                    self.enter(&state, 0, is_of_last);
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
