//! The graph of representatives as temporal formulas see it: the states with the letters of their propositions, and the steps between them.
//!
//! Invariant: states are numbered as breadth-first search meets them, and rows are written in that order; a state of which a step may be
//! missing is open. This is the plain recorder, one thread on general values, which explores once more what the search has explored.
//! Deliberately elsewhere: what is asked of the graph (`mod`), how rows are packed (`temporal::graph`).

use super::propositions::Propositions;
use crate::eval::{EvalError, EvalErrorKind, Machine};
use crate::explore::count::reduction::Reduction;
use crate::explore::count::set_up::SetUp;
use crate::explore::count::tally::Orbits;
use crate::explore::plain::{PlainFamily, PlainSearch};
use crate::explore::search::set_ups::{SetUps, initial_states, set_ups};
use crate::explore::trace::Origin;
use crate::explore::walk::animation::{Enabled, steps_after};
use crate::explore::{LimitHit, Options};
use crate::symmetry::Symmetry;
use crate::temporal::graph::{Edge, Graph, GraphBuilder};
use std::ops::ControlFlow;

/// A recorded graph, with all that leads from its numbers back to states.
pub(super) struct Recording<'a> {
    pub(super) graph: Graph,
    pub(super) family: PlainFamily,
    pub(super) reduction: Reduction<'a>,
    pub(super) set_ups: Vec<SetUp>,
    /// The limit that ended it early.
    pub(super) limit: Option<LimitHit>,
    /// Why steps of some state are missing.
    pub(super) left_out: Option<EvalError>,
    /// The first state in which a proposition has no value.
    pub(super) without_value: Option<(u32, EvalError)>,
    /// Edges of the graph.
    pub(super) edges: u64,
}

/// Records the graph of a machine.
pub(super) fn record<'a>(
    machine: &'a Machine,
    symmetry: &'a Symmetry,
    orbits: &'a Orbits,
    options: &'a Options,
    propositions: &Propositions<'_>,
) -> Recording<'a> {
    let mut all = SetUps::default();
    set_ups(machine, symmetry, orbits, options, usize::MAX, &mut |batch| {
        all = batch;
        ControlFlow::Break(())
    });
    let mut plain = PlainSearch::new(options, Reduction::new(machine, symmetry, orbits));
    let beginnings = initial_states(machine, options, &all.list, &mut |state, origin| {
        plain.enter(state, origin).map(|entered| u64::from(entered.number))
    });
    let mut builder = GraphBuilder::new(propositions.has_steps());
    (0..plain.family.len()).for_each(|initial| builder.mark_initial(initial));
    let mut recorder = Recorder { machine, propositions, plain, builder, left_out: None, without_value: None, edges: 0 };
    let limit = all.limit.or(beginnings.limit).or_else(|| recorder.levels(options));
    let Recorder { plain: PlainSearch { reduction, family, ending, .. }, builder, left_out, without_value, edges, .. } = recorder;
    let limit = limit.or(ending.limit);
    Recording { graph: builder.finish(), family, reduction, set_ups: all.list, limit, left_out, without_value, edges }
}

struct Recorder<'a, 'p> {
    machine: &'a Machine,
    propositions: &'p Propositions<'p>,
    plain: PlainSearch<'a>,
    builder: GraphBuilder,
    left_out: Option<EvalError>,
    without_value: Option<(u32, EvalError)>,
    edges: u64,
}

impl Recorder<'_, '_> {
    /// Writes the rows of all states in the order of their numbers; the limit that ends this early.
    fn levels(&mut self, options: &Options) -> Option<LimitHit> {
        let (mut number, mut level_end, mut depth) = (0, self.plain.family.len(), 0);
        while number < self.plain.family.len() {
            if number == level_end {
                (level_end, depth) = (self.plain.family.len(), depth + 1);
            }
            if options.limits.depth.is_some_and(|limit| depth >= limit) {
                return Some(LimitHit::Depth(depth));
            }
            match self.row(number) {
                Ok(()) => {}
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Some(LimitHit::Interrupted),
                // The number of a state without a value of some proposition is kept; its row says what it can.
                Err(error) => {
                    self.without_value.get_or_insert((number, error));
                    return None;
                }
            }
            number += 1;
        }
        None
    }

    /// Writes the row of a state.
    fn row(&mut self, number: u32) -> Result<(), EvalError> {
        let state = self.plain.family.representative(number).clone();
        let beyond_set_up = self.machine.model().set_up_steps() + 1;
        let Enabled { alike, ill_defined, left_out, .. } = steps_after(self.machine, beyond_set_up, &state)?;
        let steps: Vec<_> = alike.into_iter().flatten().collect();
        // Paths that lead out of SCOPE are not judged. An ill-defined body is a step that goes wrong, and nobody knows where it leads.
        let mut is_open = !ill_defined.is_empty() || !left_out.is_empty() || steps.is_empty() && !self.machine.is_expanded(&state);
        let obstacles = left_out.into_iter().map(|(_, error)| error).chain(ill_defined.into_iter().map(|(_, _, error)| error));
        self.left_out = self.left_out.take().or(obstacles.into_iter().next());
        let letter = self.propositions.state(&state, &steps, is_open)?;
        let mut edges = Vec::with_capacity(steps.len());
        for step in steps {
            let step_letter = self.builder.step_letter(self.propositions.step(&state, &step)?);
            match self.plain.enter(step.state, Origin::Step { parent: number }) {
                Some(entered) => edges.push(Edge { to: entered.number, letter: step_letter }),
                None => is_open = true,
            }
        }
        self.builder.push(letter, &mut edges);
        self.edges += edges.len() as u64;
        if is_open {
            self.builder.mark_open(number);
        }
        Ok(())
    }
}
