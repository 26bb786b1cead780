//! The graph of states for a browser, where it is too large for a picture: data, which a script of the page draws and searches.
//!
//! Invariant: a node of the data is a state of the survey, an edge all steps of one operation between two states; texts of the machine are
//! strings of JSON, which the script only ever shows as text. The script evaluates no formula of B: it compares texts of values, and
//! values of formulas that were evaluated when the page was written. Deliberately elsewhere: small graphs (`report::drawing`).

use super::Section;
use crate::CheckReport;
use crate::markup::{Markup, markup};
use crate::named::{Spelling, named_step_by};
use crate::trace::title;
use bcheck_explore::{Merged, MergedEdge, Projected, TraceStep};
use bcheck_ir::Model;
use bcheck_source::{Shown, Vocabulary};
use indexmap::IndexSet;
use serde::Serialize;

/// The style of the graph.
pub(super) const STYLE: &str = include_str!("state_graph/style.css");
/// The script that draws it. XML would read its signs as markup without the comments around it.
pub(super) const SCRIPT: &str = concat!(
    "//<![CDATA[\n(function () {\n\"use strict\";\n",
    include_str!("state_graph/graph.js"),
    include_str!("state_graph/search.js"),
    include_str!("state_graph/layout.js"),
    include_str!("state_graph/canvas.js"),
    include_str!("state_graph/panel.js"),
    include_str!("state_graph/viewer.js"),
    "}());\n//]]>\n"
);

/// The input of the script. Lists about states are in the order of their numbers.
#[derive(Serialize)]
struct GraphData<'a> {
    machine: String,
    /// The noun for nodes.
    noun: &'static str,
    columns: Vec<ValueColumn>,
    /// Values of formulas, evaluated here.
    formulas: Vec<ValueColumn>,
    distances: Vec<usize>,
    initial: Vec<usize>,
    deadlocks: Vec<usize>,
    findings: Vec<(usize, String)>,
    /// How many states each node represents; empty where that is one.
    sizes: Vec<String>,
    operations: Vec<&'a str>,
    steps: StepColumns,
}

/// The values of one name in all states.
#[derive(Serialize)]
struct ValueColumn {
    name: String,
    /// The distinct ones.
    values: Vec<String>,
    /// Of each state, the place of its value in that list.
    of: Vec<usize>,
}

/// Edges, column by column.
#[derive(Default, Serialize)]
struct StepColumns {
    from: Vec<usize>,
    to: Vec<usize>,
    operation: Vec<usize>,
    /// How many steps an edge represents.
    count: Vec<u64>,
    /// The place of its text: the first of its steps, with arguments and results.
    label: Vec<usize>,
    labels: Vec<String>,
}

/// The graph as part of a page.
pub(super) fn section(report: &CheckReport<'_>, (graph, projected): (&Merged, &[Projected]), about: &str) -> Section {
    let data = GraphData::of(report, graph, projected);
    // Its maps have only texts as keys and its numbers are integers, so it can be serialised.
    let json = serde_json::to_string(&data).expect("columns of numbers and texts");
    let content = markup!(
        "<p>{}</p>\n<div class=\"state-graph\">\n<p class=\"unscripted\">The graph is drawn by the script of this page, which does not run here. \
         The option --graph FILE writes the graph to a file.</p>\n{}</div>\n",
        about,
        Markup::data(&json)
    );
    Section::new("graph", "The graph", content).with_graph()
}

impl<'a> GraphData<'a> {
    fn of(report: &CheckReport<'a>, graph: &Merged, projected: &[Projected]) -> Self {
        let noun = match (report.refinement.is_some(), report.is_reduced()) {
            (true, _) => "configuration",
            (false, true) => "class",
            (false, false) => "state",
        };
        let chosen = |is_chosen: &dyn Fn(usize) -> bool| (0..graph.states.len()).filter(|at| is_chosen(*at)).collect();
        let finding = |at: usize| {
            let words: Vec<&str> = graph.states[at].findings.iter().map(|verdict| verdict.word()).collect();
            (!words.is_empty()).then(|| (at, words.join(", ")))
        };
        Self {
            machine: shown(&report.model.name),
            noun,
            columns: columns(report, graph),
            formulas: projected.iter().map(ValueColumn::of).collect(),
            distances: graph.states.iter().map(|state| state.depth).collect(),
            initial: chosen(&|at| graph.states[at].is_initial),
            deadlocks: chosen(&|at| graph.states[at].is_deadlock),
            findings: (0..graph.states.len()).filter_map(finding).collect(),
            sizes: if report.is_reduced() { graph.states.iter().map(|state| state.orbit.to_string()).collect() } else { Vec::new() },
            operations: report.model.operations.keys().map(String::as_str).collect(),
            steps: StepColumns::of(report.model, &graph.edges),
        }
    }
}

impl ValueColumn {
    fn of(projected: &Projected) -> Self {
        let mut values: IndexSet<String> = IndexSet::new();
        let of = projected.values.iter().map(|value| values.insert_full(shown(value)).0).collect();
        Self { name: shown(&projected.text), values: values.into_iter().collect(), of }
    }
}

/// The constants and variables in columns; for a configuration, also the possible states of the refined machine.
fn columns(report: &CheckReport<'_>, graph: &Merged) -> Vec<ValueColumn> {
    let model = report.model;
    let own = report.refinement.map_or(model.variables.len(), |about| about.refinement.concrete.len());
    let names: Vec<&str> = model.constants.keys().chain(model.variables.keys().take(own)).map(String::as_str).collect();
    let refined = report.refinement.map(|about| about.refinement.refined.as_str());
    let titles = names.iter().map(|name| shown(name)).chain(refined.map(|refined| shown(&format!("states of {refined}"))));
    let mut columns: Vec<(IndexSet<String>, ValueColumn)> =
        titles.map(|name| (IndexSet::new(), ValueColumn { name, values: Vec::new(), of: Vec::new() })).collect();
    for state in &graph.states {
        // A line for each name; texts of values have no line breaks.
        let mut lines = state.key.lines();
        for ((values, column), name) in columns.iter_mut().zip(&names) {
            let line = lines.next().unwrap_or_default();
            let value = line.strip_prefix(*name).and_then(|rest| rest.strip_prefix(" = ")).unwrap_or(line);
            column.of.push(values.insert_full(shown(value)).0);
        }
        if let (Some(refined), Some((values, column))) = (refined, columns.last_mut()) {
            let prefix = format!("{refined}: ");
            let states: Vec<String> = lines.map(|line| shown(line.strip_prefix(&prefix).unwrap_or(line))).collect();
            column.of.push(values.insert_full(states.join("\n")).0);
        }
    }
    columns.into_iter().map(|(values, column)| ValueColumn { values: values.into_iter().collect(), ..column }).collect()
}

impl StepColumns {
    fn of(model: &Model, edges: &[MergedEdge]) -> Self {
        let mut labels: IndexSet<String> = IndexSet::new();
        let mut steps = Self::default();
        let spelling = Spelling::by_type(model);
        for edge in edges {
            let Some(operation) = edge.operation else { continue };
            let (arguments, results) = (edge.example.arguments.clone(), edge.example.results.clone());
            let step = TraceStep { operation: Some(operation), arguments, results, state: Vec::new() };
            steps.label.push(labels.insert_full(shown(&title(&named_step_by(model, &step, &[], &spelling)))).0);
            steps.from.push(edge.from);
            steps.to.push(edge.to);
            steps.operation.push(operation.index());
            steps.count.push(edge.multiplicity);
        }
        Self { labels: labels.into_iter().collect(), ..steps }
    }
}

/// A text of the machine as a page may show it.
fn shown(text: &str) -> String {
    Shown::line(text).as_str().to_owned()
}
