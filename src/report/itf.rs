//! Traces in the Informal Trace Format (`.itf.json`, Apalache's ADR 15), which trace viewers show.
//!
//! Invariant: every state gives every constant and variable, so a set-up of the constants alone is no state here, unless the trace
//! ends with it; a variable has one shape in all states: functions and sequences are sets of pairs whatever their content.

use super::recorded::{INITIALISATION, SET_UP, scope_line};
use crate::explore::{Trace, TraceStep};
use crate::ir::{Model, Scope};
use crate::value::Value;
use crate::value::display::display;
use serde_json::{Map, Value as Json, json};

/// The trace as a file.
#[must_use]
pub fn render(model: &Model, scope: &Scope, trace: &Trace) -> String {
    // The first step of a machine with constants sets up those alone.
    let has_set_up = !model.constants.is_empty();
    let is_set_up = has_set_up && trace.steps.len() == 1;
    let variables = model.variables.keys().take(if is_set_up { 0 } else { usize::MAX });
    let names: Vec<&String> = model.constants.keys().chain(variables).collect();
    let skipped = usize::from(has_set_up && !is_set_up);
    let states: Vec<Json> = trace
        .steps
        .iter()
        .skip(skipped)
        .enumerate()
        .map(|(index, step)| {
            let action = match step.operation {
                Some(operation) => model.operation_name(operation),
                None if is_set_up => SET_UP,
                None => INITIALISATION,
            };
            state(model, &names, index, action, step)
        })
        .collect();
    let source = format!("bcheck {}, machine {}", env!("CARGO_PKG_VERSION"), model.name);
    let file = json!({
        "#meta": { "format": "ITF", "source": source, "description": scope_line(model, scope) },
        "vars": names,
        "states": states,
    });
    super::json::pretty(&file)
}

fn state(model: &Model, names: &[&String], index: usize, action: &str, step: &TraceStep) -> Json {
    let mut object = Map::new();
    object.insert("#meta".to_owned(), json!({ "index": index, "action": action }));
    for (name, value) in names.iter().zip(&step.state) {
        object.insert((*name).clone(), expression(model, value));
    }
    Json::Object(object)
}

fn expression(model: &Model, value: &Value) -> Json {
    match value {
        Value::Bool(truth) => json!(truth),
        Value::Integer(number) => json!({ "#bigint": number.to_string() }),
        Value::Element(_) | Value::Free(_) => json!(display(value, model)),
        Value::String(text) => json!(text.as_ref()),
        Value::Pair(pair) => json!({ "#tup": [expression(model, &pair.0), expression(model, &pair.1)] }),
        Value::Record(fields) => Json::Object(fields.iter().map(|(name, field)| (name.to_string(), expression(model, field))).collect()),
        Value::Set(set) => json!({ "#set": set.iter().map(|member| expression(model, &member)).collect::<Vec<_>>() }),
        Value::Symbolic(_) => json!({ "#unserializable": display(value, model) }),
    }
}
