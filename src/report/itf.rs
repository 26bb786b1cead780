//! Traces in the Informal Trace Format (`.itf.json`, Apalache's ADR 15), which trace viewers show.
//!
//! Invariant: every state gives every constant and variable, so a set-up of the constants alone is no state here, unless the trace
//! ends with it; a variable has one shape in all states: functions and sequences are sets of pairs whatever their content. The format
//! has no place for arguments and results; they are texts beside the name of the action, so that a replay makes the same calls.

use super::ending::{loop_of, word};
use super::named::{NamedStep, named_steps};
use super::recorded::scope_line;
use crate::explore::{Trace, TraceStep};
use crate::ir::{Model, Scope};
use crate::source::Shown;
use crate::value::Value;
use crate::value::display::display;
use serde_json::{Map, Value as Json, json};

/// The trace as a file.
#[must_use]
pub(crate) fn render(model: &Model, scope: &Scope, trace: &Trace) -> Shown {
    // The first step of a machine with constants sets up those alone.
    let has_set_up = !model.constants.is_empty();
    let is_set_up = has_set_up && trace.steps.len() == 1;
    let variables = model.variables.keys().take(if is_set_up { 0 } else { usize::MAX });
    let names: Vec<&String> = model.constants.keys().chain(variables).collect();
    let skipped = usize::from(has_set_up && !is_set_up);
    let named = named_steps(model, trace);
    let steps = trace.steps.iter().zip(&named).skip(skipped).enumerate();
    let states: Vec<Json> = steps.map(|(index, (step, named))| state(model, &names, index, step, named)).collect();
    let source = format!("bcheck {}, machine {}", env!("CARGO_PKG_VERSION"), model.name);
    let mut file = json!({
        "#meta": { "format": "ITF", "source": source, "description": scope_line(model, scope) },
        "vars": names,
        "states": states,
    });
    if let Some(end) = trace.end {
        // The format knows loops only.
        file["#meta"]["end"] = json!(word(end));
    }
    if let Some((start, _)) = loop_of(trace.end) {
        // No loop goes through the set-up.
        file["loop"] = json!(start.saturating_sub(skipped));
    }
    super::json::pretty(&file)
}

fn state(model: &Model, names: &[&String], index: usize, step: &TraceStep, named: &NamedStep) -> Json {
    let texts = |pairs: &[(String, String)]| pairs.iter().map(|(name, text)| (name.clone(), json!(text))).collect::<Map<_, _>>();
    let mut meta = Map::from_iter([("index".to_owned(), json!(index)), ("action".to_owned(), json!(named.name))]);
    for (key, pairs) in [("arguments", &named.arguments), ("results", &named.results)] {
        if !pairs.is_empty() {
            meta.insert(key.to_owned(), Json::Object(texts(pairs)));
        }
    }
    let mut object = Map::from_iter([("#meta".to_owned(), Json::Object(meta))]);
    // Names are in the order of the values: constants, then variables.
    for (name, value) in names.iter().zip(&step.state) {
        object.insert((*name).clone(), expression(model, value));
    }
    Json::Object(object)
}

fn expression(model: &Model, value: &Value) -> Json {
    match value {
        Value::Bool(truth) => json!(truth),
        // Small numbers too, so that a variable has one shape in all states; readers of JSON keep 53 bits of a plain number.
        Value::Integer(number) => json!({ "#bigint": number.to_string() }),
        Value::Element(_) | Value::Free(_) => json!(display(value, model)),
        Value::String(text) => json!(text.as_ref()),
        Value::Pair(pair) => json!({ "#tup": [expression(model, &pair.0), expression(model, &pair.1)] }),
        // No field of B begins with `#`, by which ITF distinguishes its own objects from records.
        Value::Record(fields) => Json::Object(fields.iter().map(|(name, field)| (name.to_string(), expression(model, field))).collect()),
        Value::Set(set) => json!({ "#set": set.iter().map(|member| expression(model, &member)).collect::<Vec<_>>() }),
        // As ADR 15 has it for sets that are infinite.
        Value::Symbolic(_) => json!({ "#unserializable": display(value, model) }),
    }
}
