//! Temporal formulas in the JSON report.
//!
//! Invariant: one object for each formula of the model, in its order; fields are added, never renamed or removed; where a field has no
//! value, it is null or empty, so that each object has the same fields.

use super::ending::{loop_of, word};
use super::json_objects::{Object, PlaceObject, StepObject, place_object, step_object, texts};
use super::temporal::{Judged, judged};
use super::{CheckReport, NamedStep, named_steps};
use bcheck_explore::{TemporalResult, TraceEnd};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct FormulaObject<'a> {
    name: &'a str,
    logic: &'static str,
    formula: &'a str,
    place: PlaceObject,
    verdict: &'static str,
    /// The reason why it is unknown or ill-defined, or holds vacuously.
    why: Option<String>,
    /// Why it holds vacuously, if it does.
    vacuous: Option<&'a str>,
    fairness: Vec<String>,
    /// The values of quantified names for which it fails; only where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Object<'a, &'a str>>,
    automaton: Option<AutomatonObject>,
    product: Option<ProductSizeObject>,
    group_order: Option<String>,
    time_s: Option<f64>,
    end: Option<&'static str>,
    loop_start: Option<usize>,
    rounds: Option<u64>,
    trace: Vec<StepObject<'a>>,
    /// A run that shows that it holds; only where there is one and it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessObject<'a>>,
    /// Only on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subformulas: Vec<SubformulaObject<'a>>,
}

/// The automaton of the negation.
#[derive(Serialize)]
struct AutomatonObject {
    states: usize,
    acceptance: u32,
}

/// The structure searched for a counterexample: the product of graph and automaton, or the graph.
#[derive(Serialize)]
struct ProductSizeObject {
    states: u64,
    edges: u64,
}

/// A run; its fields have the meaning of those of a run on which a formula fails.
#[derive(Serialize)]
struct WitnessObject<'a> {
    end: Option<&'static str>,
    loop_start: Option<usize>,
    rounds: Option<u64>,
    trace: Vec<StepObject<'a>>,
}

/// A part of the formula; values are those after the steps of the trace, from the initialisation on.
#[derive(Serialize)]
struct SubformulaObject<'a> {
    text: &'a str,
    depth: usize,
    values: &'a [bool],
}

/// The values and the steps of the run on which a formula fails, and of the one that shows that it holds.
pub(super) struct RunsOfFormula {
    values: Vec<(String, String)>,
    steps: Vec<NamedStep>,
    witness: Vec<NamedStep>,
}

/// The formulas of a check with the steps of their traces.
pub(super) fn formulas_with_steps<'a>(report: &CheckReport<'a>) -> Vec<(Judged<'a>, RunsOfFormula)> {
    let steps = |judged: Judged<'a>| {
        let witness = judged.witness().map(|trace| named_steps(report.model, trace)).unwrap_or_default();
        let runs = RunsOfFormula { values: judged.values(), steps: judged.steps(report.model), witness };
        (judged, runs)
    };
    judged(report).into_iter().map(steps).collect()
}

pub(super) fn formula_object<'a>(report: &CheckReport<'_>, judged: &'a Judged<'_>, runs: &'a RunsOfFormula) -> FormulaObject<'a> {
    let result = judged.result;
    let end = judged.trace().and_then(|trace| trace.end);
    let rounds = loop_of(end).map(|(_, rounds)| rounds);
    FormulaObject {
        name: &judged.name,
        logic: judged.logic(),
        formula: &judged.text,
        place: place_object(judged.stated.span, report.sources),
        verdict: judged.word(),
        why: judged.why(),
        vacuous: result.and_then(|result| result.vacuity.as_deref()),
        fairness: judged.fairness(report.model, report.sources),
        values: (!runs.values.is_empty()).then(|| texts(&runs.values)),
        automaton: result.and_then(|result| result.automaton).map(|(states, acceptance)| AutomatonObject { states, acceptance }),
        product: result.map(|result| ProductSizeObject { states: result.product.0, edges: result.product.1 }),
        // A string, like all numbers that outgrow the 53 bits of many readers.
        group_order: result.map(|result| result.group_order.to_string()),
        time_s: result.map(|result| result.time_s),
        end: end.map(word),
        loop_start: end.and_then(TraceEnd::loop_start),
        rounds,
        trace: runs.steps.iter().map(step_object).collect(),
        witness: judged.witness().map(|trace| {
            let (end, loop_start) = (trace.end.map(word), trace.end.and_then(TraceEnd::loop_start));
            let rounds = loop_of(trace.end).map(|(_, rounds)| rounds);
            WitnessObject { end, loop_start, rounds, trace: runs.witness.iter().map(step_object).collect() }
        }),
        subformulas: result.map(subformula_objects).unwrap_or_default(),
    }
}

fn subformula_objects(result: &TemporalResult) -> Vec<SubformulaObject<'_>> {
    result.explanation.iter().map(|row| SubformulaObject { text: &row.text, depth: row.depth, values: &row.values }).collect()
}
