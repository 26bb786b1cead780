//! Which operation can enable or disable which, as text, JSON, and a graph for Graphviz.
//!
//! Invariant: every pair of operations is in the JSON; text and graph leave out pairs of which no step enables or disables anything.

use super::deferred;
use super::drawing::draw_named;
use super::graph::dot;
use super::graphviz_look;
use super::json::pretty;
use super::json_objects::SizeFields;
use bcheck_explore::{Enabling, EnablingCounts, Weighed};
use bcheck_ir::{Model, Scope};
use bcheck_source::{Shown, in_back_quotes, shown};
use serde::Serialize;

/// The data of the report.
pub struct EnablingReport<'a> {
    /// The machine.
    pub model: &'a Model,
    /// The sizes of its sets.
    pub scope: &'a Scope,
    /// Which operations enable and disable which.
    pub enabling: &'a Enabling,
}

impl<'a> EnablingReport<'a> {
    fn name(&self, operation: usize) -> &'a str {
        self.model.operations.get_index(operation).map_or("?", |(name, _)| name.as_str())
    }

    /// A number of the full space; where that is not known, of those explored.
    fn number(&self, of: &Weighed) -> String {
        if self.enabling.is_exact { of.full.to_string() } else { of.explored.to_string() }
    }

    /// The operations that the steps of one enable or disable, with the numbers of these steps.
    fn list(&self, counts: &[EnablingCounts], of: impl Fn(&EnablingCounts) -> &Weighed) -> String {
        let found = counts.iter().enumerate().filter(|(_, counts)| of(counts).explored > 0);
        let named = found.map(|(other, counts)| format!("{} {}", in_back_quotes(self.name(other)), self.number(of(counts))));
        named.collect::<Vec<_>>().join(", ")
    }
}

/// The report for people.
pub fn text(report: &EnablingReport<'_>) -> Shown {
    let EnablingReport { model, scope, enabling } = report;
    let sizes = deferred(model, scope).map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ");
    let at = if sizes.is_empty() { String::new() } else { format!(" at {sizes}") };
    let kind = if enabling.is_exact { "of the full space" } else { "explored, of which the full space may have more" };
    let mut text = shown!("{}{}: {} states; all numbers are those {}\n\n", model.name, at, report.number(&enabling.states), kind);
    let names: Vec<Shown> = (0..enabling.operations.len()).map(|at| Shown::line(&in_back_quotes(report.name(at)))).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(9);
    text += shown!("  {}  {:>14}  {:>14}  {:>14}\n", Shown::line("operation").left(width), "enabled in", "of initial", "steps");
    for (name, operation) in names.iter().zip(&enabling.operations) {
        let [states, initially, steps] = [&operation.states, &operation.initially, &operation.steps].map(|of| report.number(of));
        text += shown!("  {}  {:>14}  {:>14}  {:>14}\n", name.clone().left(width), states, initially, steps);
    }
    for (at, counts) in enabling.relation.iter().enumerate() {
        text += shown!("\n{}\n", names[at]);
        if enabling.operations[at].steps.explored == 0 {
            text += shown!("  is never enabled\n");
            continue;
        }
        let parts =
            [("enables", report.list(counts, |counts| &counts.enables)), ("disables", report.list(counts, |counts| &counts.disables))];
        for (what, list) in parts {
            text += shown!("  {:<9}{}\n", what, if list.is_empty() { "nothing" } else { list.as_str() });
        }
    }
    text
}

#[derive(Serialize)]
struct EnablingDocument<'a> {
    format: &'static str,
    version: u32,
    machine: &'a str,
    #[serde(flatten)]
    sizes: SizeFields<'a>,
    /// Whether numbers of the full space are exact.
    exact: bool,
    states: WeighedObject,
    operations: Vec<EnabledObject<'a>>,
    relation: Vec<PairObject<'a>>,
}

/// A number of representatives, and of the full space, which outgrows 64 bits.
#[derive(Serialize)]
struct WeighedObject {
    explored: u64,
    full: String,
}

fn weighed(of: &Weighed) -> WeighedObject {
    WeighedObject { explored: of.explored, full: of.full.to_string() }
}

#[derive(Serialize)]
struct EnabledObject<'a> {
    name: &'a str,
    initially_enabled: WeighedObject,
    enabled: WeighedObject,
    steps: WeighedObject,
}

/// The effects of steps of one operation on another one.
#[derive(Serialize)]
struct PairObject<'a> {
    after: &'a str,
    operation: &'a str,
    enables: WeighedObject,
    disables: WeighedObject,
    keeps_enabled: WeighedObject,
    keeps_disabled: WeighedObject,
}

/// The document for programs, `bcheck-enabling` version 1.
pub fn json(report: &EnablingReport<'_>) -> Shown {
    let EnablingReport { model, scope, enabling } = report;
    let operation = |(at, operation): (usize, &bcheck_explore::EnabledOperation)| EnabledObject {
        name: report.name(at),
        initially_enabled: weighed(&operation.initially),
        enabled: weighed(&operation.states),
        steps: weighed(&operation.steps),
    };
    let mut relation = Vec::new();
    for (after, row) in enabling.relation.iter().enumerate() {
        relation.extend(row.iter().enumerate().map(|(other, counts)| PairObject {
            after: report.name(after),
            operation: report.name(other),
            enables: weighed(&counts.enables),
            disables: weighed(&counts.disables),
            keeps_enabled: weighed(&counts.keeps_enabled),
            keeps_disabled: weighed(&counts.keeps_disabled),
        }));
    }
    pretty(&EnablingDocument {
        format: "bcheck-enabling",
        version: 1,
        machine: &model.name,
        sizes: SizeFields::of(model, scope),
        exact: enabling.is_exact,
        states: weighed(&enabling.states),
        operations: enabling.operations.iter().enumerate().map(operation).collect(),
        relation,
    })
}

/// The graph for Graphviz: a solid arrow where steps enable, a dashed one where they disable, each with the number of these steps.
pub fn graph(report: &EnablingReport<'_>) -> Shown {
    let EnablingReport { model, enabling, .. } = report;
    let mut text = shown!("digraph {} {{\n{}", dot(&model.name), graphviz_look::defaults());
    text += shown!("  start [shape=plaintext, style=\"\", label=\"INITIALISATION\"];\n");
    for (at, operation) in enabling.operations.iter().enumerate() {
        text += shown!("  o{} [label={}];\n", at, dot(report.name(at)));
        if operation.initially.explored > 0 {
            text += shown!("  start -> o{};\n", at);
        }
    }
    for (from, row) in enabling.relation.iter().enumerate() {
        for (to, counts) in row.iter().enumerate() {
            if counts.enables.explored > 0 {
                text +=
                    shown!("  o{} -> o{} [color=darkgreen, label={}];\n", from, to, dot(&format!("+{}", report.number(&counts.enables))));
            }
            if counts.disables.explored > 0 {
                let label = format!("-{}", report.number(&counts.disables));
                text += shown!("  o{} -> o{} [color=firebrick, style=dashed, label={}];\n", from, to, dot(&label));
            }
        }
    }
    text + shown!("}}\n")
}

/// The graph as a picture.
pub fn picture(report: &EnablingReport<'_>) -> Shown {
    let EnablingReport { model, enabling, .. } = report;
    let operations = 0..enabling.operations.len();
    let boxes: Vec<String> = std::iter::once("INITIALISATION".to_owned()).chain(operations.map(|at| report.name(at).to_owned())).collect();
    let mut arrows = Vec::new();
    for (at, operation) in enabling.operations.iter().enumerate().filter(|(_, operation)| operation.initially.explored > 0) {
        arrows.push((0, at + 1, format!("+{}", report.number(&operation.initially))));
    }
    for (from, row) in enabling.relation.iter().enumerate() {
        for (to, counts) in row.iter().enumerate() {
            for (sign, of) in [("+", &counts.enables), ("-", &counts.disables)] {
                if of.explored > 0 {
                    arrows.push((from + 1, to + 1, format!("{sign}{}", report.number(of))));
                }
            }
        }
    }
    draw_named(&model.name, "Which operation enables (+) or disables (-) which", &boxes, &arrows)
}
