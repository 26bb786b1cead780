//! Traces in the Informal Trace Format (`.itf.json`, Apalache's ADR 15), which trace viewers show.
//!
//! Invariant: every state gives every constant and variable, so a set-up of the constants alone is no state here; a variable has
//! one shape in all states: functions and sequences are sets of pairs whatever their content.

use crate::explore::{Trace, TraceStep};
use crate::ir::Model;
use crate::value::Value;
use crate::value::display::display;
use serde_json::{Map, Value as Json, json};

/// The trace as a file.
#[must_use]
pub fn render(model: &Model, trace: &Trace) -> String {
    let names: Vec<&String> = model.constants.keys().chain(model.variables.keys()).collect();
    // The first step of a machine with constants sets up those alone.
    let set_ups = usize::from(!model.constants.is_empty());
    let states: Vec<Json> = trace.steps.iter().skip(set_ups).enumerate().map(|(index, step)| state(model, &names, index, step)).collect();
    let file = json!({
        "#meta": { "format": "ITF", "source": format!("bcheck {}, machine {}", env!("CARGO_PKG_VERSION"), model.name) },
        "vars": names,
        "states": states,
    });
    super::json::pretty(&file)
}

fn state(model: &Model, names: &[&String], index: usize, step: &TraceStep) -> Json {
    let mut object = Map::new();
    let action = step.operation.map_or("INITIALISATION", |operation| model.operation_name(operation));
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
        Value::Element(_) => json!(display(value, model)),
        Value::String(text) => json!(text.as_ref()),
        Value::Pair(pair) => json!({ "#tup": [expression(model, &pair.0), expression(model, &pair.1)] }),
        Value::Record(fields) => Json::Object(fields.iter().map(|(name, field)| (name.to_string(), expression(model, field))).collect()),
        Value::Set(set) => json!({ "#set": set.iter().map(|member| expression(model, &member)).collect::<Vec<_>>() }),
        Value::Symbolic(_) => json!({ "#unserializable": display(value, model) }),
    }
}
