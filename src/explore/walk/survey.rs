//! Re-explores a bounded part of the space for a report: how many states lie at which distance, which conjuncts of the invariant were ever
//! more than vacuously true, and the graph itself.
//!
//! Invariant: it never changes counts or verdict, and reports how many states it has visited. With a limit, these are the states nearest to
//! the initial ones. Deliberately elsewhere: the search (`search`), drawing (`report`).

use super::enabling::{Enabling, Relator};
use super::projection::{Projected, Projection};
use super::ranges::{ValueRange, add_state};
use super::space::{Space, States};
use super::vacuity::non_vacuity;
use super::{Within, walk};
use crate::{Extent, GraphEdge, GraphState, GraphTotals, GraphVisitor, Merged, Merger, Options};
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::Pred;
use bcheck_symmetry::{Scratch, Symmetry};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The result of a survey.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// How many states were visited.
    pub states: usize,
    /// Whether these are all that can be reached.
    pub is_complete: bool,
    /// By distance from the initial states: states, and how many of the full space they represent.
    pub layers: Vec<(u64, BigUint)>,
    /// For each conjunct of the invariant: in how many states, or classes with such a state, it was more than vacuously true; none if it
    /// always is. Empty if the invariant was not evaluated.
    pub non_vacuous: Vec<Option<u64>>,
    /// The values of constants and variables in these states, in the order of a valuation.
    pub ranges: Vec<ValueRange>,
    /// The graph of the first of these states; unless they are all, steps to others are left out.
    pub graph: Option<Merged>,
    /// The values of formulas in the states of the graph.
    pub projected: Vec<Projected>,
    /// Which operations enable each other, if these are all states; `None` for a refinement check.
    pub enabling: Option<Enabling>,
}

/// Limits of a survey.
#[derive(Clone, Copy, Debug)]
pub struct SurveyLimits<'a> {
    /// The greatest number of states visited.
    pub states: usize,
    /// The greatest number of valuations of the constants whose states are visited.
    pub set_ups: Option<u64>,
    /// The search whose states these are, if it is unfinished: then only those that it has expanded have steps.
    pub of_search: Option<&'a Extent>,
    /// The most states of the stored graph.
    pub graph_states: usize,
    /// No state is added to a graph with more edges.
    pub graph_edges: usize,
    /// Nor to one whose states have more text, in bytes.
    pub graph_text: usize,
}

/// Walks the states, and evaluates formulas in those of the graph; `is_over` is polled before each one.
///
/// # Errors
/// When something cannot be enumerated.
pub fn survey(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    (limits, projections): (SurveyLimits<'_>, &[Projection]),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Survey, EvalError> {
    surveyed(&States::new(machine, options), symmetry, (limits, projections), is_over, Some(Relator::default()))
}

/// A survey of any space; the enabling relation is left out.
pub(crate) fn survey_of(
    space: &dyn Space,
    symmetry: &Symmetry,
    (limits, projections): (SurveyLimits<'_>, &[Projection]),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Survey, EvalError> {
    surveyed(space, symmetry, (limits, projections), is_over, None)
}

fn surveyed(
    space: &dyn Space,
    symmetry: &Symmetry,
    (limits, projections): (SurveyLimits<'_>, &[Projection]),
    is_over: &mut dyn FnMut() -> bool,
    relator: Option<Relator>,
) -> Result<Survey, EvalError> {
    let invariant = &space.machine().model().invariant;
    let conditions: Vec<Option<Pred>> = invariant.iter().map(|conjunct| non_vacuity(&conjunct.pred)).collect();
    let non_vacuous = conditions.iter().map(|condition| condition.as_ref().map(|_| 0)).collect();
    let projected = projections.iter().map(|projection| Projected { text: projection.text.clone(), values: Vec::new() }).collect();
    let mut surveyor = Surveyor {
        space,
        symmetry,
        limits,
        conditions,
        projections,
        survey: Survey { non_vacuous, projected, ..Survey::default() },
        scratch: Scratch::default(),
        merger: Merger::default(),
        is_full: false,
        relator,
        edges: 0,
        text: 0,
        is_over,
        was_over: false,
    };
    let within = Within { states: limits.states, set_ups: limits.set_ups, of_search: limits.of_search };
    let totals = walk(space, symmetry, within, &mut surveyor)?;
    Ok(surveyor.finish(&totals))
}

struct Surveyor<'a> {
    space: &'a dyn Space,
    symmetry: &'a Symmetry,
    limits: SurveyLimits<'a>,
    conditions: Vec<Option<Pred>>,
    projections: &'a [Projection],
    survey: Survey,
    scratch: Scratch,
    /// The graph so far.
    merger: Merger,
    /// Whether the graph is full, so that the last states were not added.
    is_full: bool,
    /// The enabling relation so far, if it is wanted.
    relator: Option<Relator>,
    edges: usize,
    text: usize,
    is_over: &'a mut dyn FnMut() -> bool,
    was_over: bool,
}

impl Surveyor<'_> {
    fn finish(self, totals: &GraphTotals) -> Survey {
        let is_complete = totals.is_complete && !self.was_over;
        let graph = Some(self.merger.finish(None)).filter(|graph| !graph.states.is_empty());
        let operations = self.space.machine().model().operations.len();
        let enabling = self.relator.filter(|_| is_complete).map(|relator| relator.finish(operations, totals.is_exact));
        Survey { is_complete, graph, enabling, ..self.survey }
    }
}

impl GraphVisitor for Surveyor<'_> {
    fn begin(&mut self, initial: usize) -> ControlFlow<()> {
        self.relator.iter_mut().for_each(|relator| relator.begin(initial));
        ControlFlow::Continue(())
    }

    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        // Asked before the state is added, so that all sums are about the same states.
        self.was_over = (self.is_over)();
        if self.was_over {
            return ControlFlow::Break(());
        }
        let survey = &mut self.survey;
        survey.states += 1;
        // Breadth first: depths come in ascending order, so no layer is skipped.
        survey.layers.resize(survey.layers.len().max(state.depth + 1), (0, BigUint::ZERO));
        let (states, full) = &mut survey.layers[state.depth];
        *states += 1;
        *full += &state.orbit;
        add_state(&mut survey.ranges, state.state);
        self.relator.iter_mut().for_each(|relator| relator.state(state));
        // A conjunct holds in some member of a class as soon as one of its images holds in the representative.
        let holds = self.conditions.iter().map(|condition| condition.as_ref().is_some_and(|it| self.space.holds(it, state.state)));
        let images = &self.symmetry.conjunct_orbits().invariant;
        let met: BTreeSet<usize> = holds.enumerate().filter(|(_, holds)| *holds).map(|(at, _)| images.least(at)).collect();
        for (at, count) in survey.non_vacuous.iter_mut().enumerate() {
            count.iter_mut().for_each(|count| *count += u64::from(met.contains(&images.least(at))));
        }
        // Once full it stays full: the graph is that of the states nearest to the initial ones, with all steps between them.
        let limits = self.limits;
        self.is_full |= survey.states > limits.graph_states || self.edges > limits.graph_edges || self.text > limits.graph_text;
        if !self.is_full {
            let lines = self.space.lines(state.state);
            self.text += lines.len();
            self.merger.state(state, Some(lines));
            for (projection, projected) in self.projections.iter().zip(&mut self.survey.projected) {
                let value = projection.value(self.space.machine(), self.symmetry, state.state, &mut self.scratch);
                // The graph is still there, and its page reports the missing values.
                projected.values.push(value.unwrap_or_else(|error| format!("not evaluated: {}", error.kind)));
            }
        }
        ControlFlow::Continue(())
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        self.relator.iter_mut().for_each(|relator| relator.edge(edge));
        if !self.is_full {
            self.edges += 1;
            self.merger.edge(edge);
        }
        ControlFlow::Continue(())
    }
}
