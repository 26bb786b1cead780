//! Walks the states and steps of a search again for a graph, each state by itself or merged with others.
//!
//! Invariant: a graph has the states and steps of its search; states in which the formula of a merge is ill-defined form a separate class.
//! Deliberately elsewhere: files (`graph_file`) and pictures (`pictures`).

use crate::args::{LabelsArg, MergeArg, PageArgs, ProgressArg};
use crate::exit::Exit;
use crate::load::{self, Failure, Loaded};
use crate::progress::graph_walk::WatchedVisitor;
use bcheck_eval::{EvalError, Machine};
use bcheck_explore::{
    GraphEdge, GraphState, GraphTotals, GraphVisitor, Merged, Merger, Naming, Options, Outcome, Projection, state_lines, walk_explored,
    walk_graph,
};
use bcheck_ir::{Model, Node, OperationId, Refinement};
use bcheck_source::SourceMap;
use bcheck_symmetry::{Scratch, Symmetry};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Why a graph was not written.
#[derive(Debug)]
pub(crate) enum GraphFault {
    /// The file cannot be written.
    Io(String),
    /// The evaluation failed or was stopped, there are too many states for a picture, or Graphviz does not draw it.
    NotMade(String),
}

/// The criterion by which states are merged.
#[derive(Debug)]
pub(crate) enum Merge {
    /// By the value of this formula.
    Value(Projection),
    /// By the operations that they enable.
    Operations,
}

impl Merge {
    /// The criterion of the command line, read in the context of the machine.
    pub(crate) fn of(
        (formulas, by): (Vec<&str>, Option<MergeArg>),
        has_graph: bool,
        loaded: &mut Loaded,
        sources: &mut SourceMap,
    ) -> Result<Option<Self>, Failure> {
        let usage = |reason: String| Err(Failure::Plain(reason, Exit::Usage));
        match (formulas.as_slice(), by) {
            ([text, ..], _) if !has_graph => {
                usage(format!("--project {text}: there is no such folder; a formula by which states are merged needs --graph FILE"))
            }
            ([_, _, ..], _) | ([_], Some(_)) => usage("states are merged by one --project EXPR or by --merge".to_owned()),
            ([text], None) => Ok(Some(Self::Value(load::projection(loaded, "--project", text, sources)?))),
            ([], Some(MergeArg::Signature)) => Ok(Some(Self::Operations)),
            ([], None) => Ok(None),
        }
    }

    /// Why the value of the formula may differ within an orbit, of which only the representative is evaluated; `None` if it may not.
    pub(crate) fn told_apart(&self, machine: &Machine, symmetry: &Symmetry) -> Option<String> {
        match self {
            Self::Value(projection) => symmetry.told_apart(machine.model(), Node::Expr(&projection.expr), "--project"),
            Self::Operations => None,
        }
    }
}

/// The formulas by which the graph in the HTML report can be coloured and merged, read in the context of the machine.
pub(crate) fn projections(page: &PageArgs, loaded: &mut Loaded, sources: &mut SourceMap) -> Result<Vec<Projection>, Failure> {
    page.html_project.iter().map(|text| load::projection(loaded, "--html-project", text, sources)).collect()
}

/// As [`projections`], in the context of a refinement, of whose states only the refinement's own values are unique.
pub(crate) fn projections_of_refinement(
    page: &PageArgs,
    loaded: &mut Loaded,
    refinement: &Refinement,
    sources: &mut SourceMap,
) -> Result<Vec<Projection>, Failure> {
    if page.html_project.is_empty() {
        return Ok(Vec::new());
    }
    let alone = refinement.alone(&loaded.model);
    let whole = std::mem::replace(&mut loaded.model, alone);
    let read = projections(page, loaded, sources);
    // The names that they bind need slots in the frame of the model of both.
    let locals = std::mem::take(&mut loaded.model.locals);
    loaded.model = Model { locals, ..whole };
    read
}

/// Why the value of one of them may differ within an orbit, of which only the representative is evaluated; `None` if it may not.
pub(crate) fn told_apart(projections: &[Projection], machine: &Machine, symmetry: &Symmetry) -> Option<String> {
    projections.iter().find_map(|projection| symmetry.told_apart(machine.model(), Node::Expr(&projection.expr), "--html-project"))
}

/// The space of a search, to be walked again.
pub(crate) struct Explored<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) symmetry: &'a Symmetry,
    pub(crate) options: &'a Options,
    pub(crate) outcome: &'a Outcome,
    /// The criterion for merging states, if they are to be merged.
    pub(crate) merge: Option<&'a Merge>,
    pub(crate) labels: LabelsArg,
    pub(crate) progress: ProgressArg,
}

fn unfinished(error: &EvalError) -> GraphFault {
    GraphFault::NotMade(format!("the graph was not finished: {}", error.kind))
}

impl Explored<'_> {
    /// Walks the states and steps with a visitor.
    pub(crate) fn walk(&self, visitor: &mut dyn GraphVisitor) -> Result<GraphTotals, GraphFault> {
        let outcome = self.outcome;
        let Self { machine, symmetry, options, .. } = *self;
        // After an unfinished search the graph has its states and steps, and no others; after random runs, as many states.
        let limit = if outcome.exhausted { usize::MAX } else { usize::try_from(outcome.explored.states).unwrap_or(usize::MAX) };
        let mut watched = WatchedVisitor::new(visitor, self.progress, outcome.explored.states);
        let walked = match &outcome.extent {
            Some(extent) => walk_explored(machine, symmetry, options, extent, &mut watched),
            None => walk_graph(machine, symmetry, options, limit, &mut watched),
        };
        watched.finish();
        walked.map_err(|error| unfinished(&error))
    }

    /// The states, each by itself or merged.
    pub(crate) fn collect(&self) -> Result<(Merged, GraphTotals), GraphFault> {
        let Self { machine, symmetry, merge, .. } = *self;
        // A merged graph is small, but states of one class are found at different times: so it is collected before it is written.
        let (merger, scratch) = (Merger::default(), Scratch::default());
        let mut collector = Collector { machine, symmetry, merge, merger, scratch, error: None };
        let totals = self.walk(&mut collector)?;
        if let Some(error) = collector.error {
            return Err(unfinished(&error));
        }
        let model = machine.model();
        let names = |enabled: &BTreeSet<OperationId>| {
            let names: Vec<&str> = enabled.iter().map(|operation| model.operation_name(*operation)).collect();
            format!("{{{}}}", names.join(", "))
        };
        let by_operations = matches!(merge, Some(Merge::Operations)).then_some(&names as Naming<'_>);
        Ok((collector.merger.finish(by_operations), totals))
    }
}

/// Collects a graph to merge it.
struct Collector<'a> {
    machine: &'a Machine,
    symmetry: &'a Symmetry,
    merge: Option<&'a Merge>,
    merger: Merger,
    scratch: Scratch,
    error: Option<EvalError>,
}

impl GraphVisitor for Collector<'_> {
    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        let key = match self.merge {
            None => Ok(Some(state_lines(self.machine.model(), state.state))),
            // The operations that a state enables are known after its edges; the merger unites these classes at the end.
            Some(Merge::Operations) => Ok(None),
            // Formulas that distinguish symmetric elements, by name or by CHOOSE, were refused.
            Some(Merge::Value(projection)) => projection.value(self.machine, self.symmetry, state.state, &mut self.scratch).map(Some),
        };
        match key {
            Ok(key) => {
                self.merger.state(state, key);
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        self.merger.edge(edge);
        ControlFlow::Continue(())
    }
}
