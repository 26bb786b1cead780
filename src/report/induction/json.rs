//! `bcheck induct` as JSON, `bcheck-induct` version 1.
//!
//! Invariant: counts are strings, as those of the full space may be beyond any machine word.

use super::{InductionReport, MatrixColumn, NamedExample};
use crate::deferred;
use crate::json::pretty;
use crate::json_objects::{Object, texts};
use bcheck_explore::{Reachability, Refuted, Undefined};
use bcheck_source::Shown;
use serde::Serialize;

#[derive(Serialize)]
struct InductionDocument<'a> {
    format: &'static str,
    version: u32,
    machine: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    refines: Option<&'a str>,
    deferred: Object<'a, u32>,
    verdict: &'static str,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'a str>,
    states: String,
    full_states: Option<String>,
    conjuncts: Vec<ConjunctObject>,
    effects: Vec<EffectObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlocks: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assertions: Option<Vec<serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<Vec<serde_json::Value>>,
}

#[derive(Serialize)]
struct ConjunctObject {
    number: usize,
    formula: String,
    label: Option<String>,
    line: usize,
}

#[derive(Serialize)]
struct EffectObject<'a> {
    /// None of the initialisation.
    operation: Option<&'a str>,
    steps: String,
    conjuncts: Vec<serde_json::Value>,
    /// The further obligations of a refinement.
    #[serde(flatten)]
    unmatched: Object<'a, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ill_defined: Option<serde_json::Value>,
}

/// The JSON form.
pub fn json(report: &InductionReport<'_>) -> Shown {
    let InductionReport { model, scope, sources, found, stopped, .. } = report;
    let refuted = |cell: &Refuted| {
        let full = found.is_exact.then(|| cell.full_states.to_string());
        serde_json::json!({ "states": cell.states.to_string(), "full_states": full, "example": report.named(cell).map(example_object) })
    };
    let effects = found.effects().map(|(operation, effect)| {
        let cell = |column: MatrixColumn| {
            let mut object = refuted(column.cell(effect));
            object["result"] = report.mark(effect, column).word().into();
            if let MatrixColumn::Conjunct(at) = column
                && let Some(error) = &effect.undecided[at]
            {
                object["error"] = report.reason(error).into();
            }
            object
        };
        let (conjuncts, others): (Vec<MatrixColumn>, Vec<MatrixColumn>) =
            report.columns().into_iter().partition(|column| matches!(column, MatrixColumn::Conjunct(_)));
        EffectObject {
            operation: operation.map(|id| model.operation_name(id)),
            steps: effect.steps.to_string(),
            conjuncts: conjuncts.into_iter().map(cell).collect(),
            unmatched: others.into_iter().map(|column| (column.key(), cell(column))).collect(),
            incomplete: effect.incomplete.as_ref().map(|error| report.reason(error)),
            ill_defined: (effect.ill_defined.states > 0).then(|| refuted(&effect.ill_defined)),
        }
    });
    let undefined = |Undefined { error, states }: &Undefined| {
        let mut object = refuted(states);
        object["error"] = report.reason(error).into();
        object
    };
    let conjuncts = report.asked().map(|(at, conjunct)| ConjunctObject {
        number: at + 1,
        formula: report.text_of(at),
        label: conjunct.label.clone(),
        line: sources.line_column(conjunct.pred.span).line,
    });
    pretty(&InductionDocument {
        format: "bcheck-induct",
        version: 1,
        machine: &model.name,
        refines: report.refinement.map(|refinement| refinement.refined.as_str()),
        deferred: deferred(model, scope).collect(),
        verdict: report.verdict().word(),
        complete: found.is_complete,
        stopped: stopped.as_deref(),
        states: found.states.to_string(),
        full_states: found.is_exact.then(|| found.full_states.to_string()),
        conjuncts: conjuncts.collect(),
        effects: effects.collect(),
        deadlocks: found.deadlocks.as_ref().map(refuted),
        assertions: found.assertions.as_ref().map(|all| all.iter().map(refuted).collect()),
        undefined: found.undefined.as_ref().map(|all| all.iter().map(undefined).collect()),
    })
}

fn example_object(NamedExample { before, step, reached, reasons }: NamedExample) -> serde_json::Value {
    let step = step.map(|step| {
        serde_json::json!({
            "name": step.name,
            "arguments": texts(&step.arguments),
            "results": texts(&step.results),
            "state": texts(&step.state),
        })
    });
    let mut object = serde_json::json!({ "state": texts(&before), "step": step });
    if !reasons.is_empty() {
        object["reasons"] = serde_json::json!(reasons);
    }
    if let Some(reached) = reached {
        let (is_reachable, distance) = match reached {
            Reachability::After(steps) => (Some(true), Some(steps)),
            Reachability::Never => (Some(false), None),
            Reachability::Unknown => (None, None),
        };
        object["reachable"] = serde_json::json!(is_reachable);
        object["distance"] = serde_json::json!(distance);
    }
    object
}
