//! Traces in the Informal Trace Format (`.itf.json`, Apalache's ADR 15), which trace viewers show.
//!
//! Invariant: every state gives every constant and variable, so a set-up of the constants alone is no state here, unless the trace
//! ends with it; a variable has one shape in all states (`itf_shape`). The format has no place for arguments and results; they are texts
//! beside the name of the action, so that a replay makes the same calls.

use super::delta::items;
use super::ending::{loop_of, word};
use super::itf_shape::{ItfShape, shapes};
use super::named::{NamedStep, Spelling, named_steps_by};
use super::recorded::scope_line;
use bcheck_explore::{Trace, TraceStep};
use bcheck_ir::{Model, Scope};
use bcheck_source::Shown;
use bcheck_value::Value;
use bcheck_value::display::display;
use serde_json::{Map, Value as Json, json};

/// The trace as a file.
#[must_use]
pub fn render(model: &Model, scope: &Scope, trace: &Trace) -> Shown {
    // The first step of a machine with constants sets up those alone.
    let has_set_up = !model.constants.is_empty();
    let is_set_up = has_set_up && trace.steps.len() == 1;
    let variables = model.variables.keys().take(if is_set_up { 0 } else { usize::MAX });
    let names: Vec<&String> = model.constants.keys().chain(variables).collect();
    let skipped = usize::from(has_set_up && !is_set_up);
    let named = named_steps_by(model, trace, &Spelling::Uniform(display));
    let steps = trace.steps.iter().zip(&named).skip(skipped).enumerate();
    let shapes = shapes(model, trace);
    let states: Vec<Json> = steps.map(|(index, (step, named))| state(model, (&names, &shapes), index, step, named)).collect();
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

fn state(model: &Model, (names, shapes): (&[&String], &[ItfShape]), index: usize, step: &TraceStep, named: &NamedStep) -> Json {
    let texts = |pairs: &[(String, String)]| pairs.iter().map(|(name, text)| (name.clone(), json!(text))).collect::<Map<_, _>>();
    let mut meta = Map::from_iter([("index".to_owned(), json!(index)), ("action".to_owned(), json!(named.name))]);
    for (key, pairs) in [("arguments", &named.arguments), ("results", &named.results)] {
        if !pairs.is_empty() {
            meta.insert(key.to_owned(), Json::Object(texts(pairs)));
        }
    }
    let mut object = Map::from_iter([("#meta".to_owned(), Json::Object(meta))]);
    // Names are in the order of the values: constants, then variables.
    for ((name, shape), value) in names.iter().zip(shapes).zip(&step.state) {
        object.insert((*name).clone(), expression(model, value, shape));
    }
    Json::Object(object)
}

fn expression(model: &Model, value: &Value, shape: &ItfShape) -> Json {
    match (shape, value) {
        (ItfShape::Sequence(inner), Value::Set(set)) => {
            // Values that are not sequences have another shape.
            let items = items(set).unwrap_or_default();
            return Json::Array(items.iter().map(|item| expression(model, item, inner)).collect());
        }
        (ItfShape::Function(from, to), Value::Set(set)) => {
            let pair = |member: &Value| {
                member.as_pair().map(|(argument, value)| json!([expression(model, argument, from), expression(model, value, to)]))
            };
            return json!({ "#map": set.iter().filter_map(|member| pair(&member)).collect::<Vec<_>>() });
        }
        _ => {}
    }
    let (from, to) = match shape {
        ItfShape::Pair(from, to) => (&**from, &**to),
        _ => (&ItfShape::OfType, &ItfShape::OfType),
    };
    let element = match shape {
        ItfShape::Set(element) => element,
        _ => &ItfShape::OfType,
    };
    match value {
        Value::Bool(truth) => json!(truth),
        // Small numbers too, so that a variable has one shape in all states; readers of JSON keep 53 bits of a plain number.
        Value::Integer(number) => json!({ "#bigint": number.to_string() }),
        Value::Element(_) | Value::Free(_) => json!(display(value, model)),
        Value::String(text) => json!(text.as_ref()),
        Value::Pair(pair) => json!({ "#tup": [expression(model, &pair.0, from), expression(model, &pair.1, to)] }),
        // No field of B begins with `#`, by which ITF distinguishes its own objects from records.
        Value::Record(fields) => {
            Json::Object(fields.iter().map(|(name, field)| (name.to_string(), expression(model, field, shape.of_field(name)))).collect())
        }
        Value::Set(set) => json!({ "#set": set.iter().map(|member| expression(model, &member, element)).collect::<Vec<_>>() }),
        // As ADR 15 has it for sets that are infinite.
        Value::Symbolic(_) => json!({ "#unserializable": display(value, model) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_explore::TraceStep;
    use bcheck_sema::analyse;
    use bcheck_source::FileId;
    use bcheck_syntax::parse_machine;

    /// The values of the variables of a machine in a trace of these states.
    fn states(typing: &str, names: &str, states: Vec<Vec<Value>>) -> Vec<Json> {
        let text = format!("MACHINE M SETS S = {{a, b}} VARIABLES {names} INVARIANT {typing} INITIALISATION {names} : ({typing}) END");
        let (model, diagnostics) = analyse(&parse_machine(FileId(0), &text).tree.expect("a machine"));
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let steps: Vec<TraceStep> = states.into_iter().map(TraceStep::beginning).collect();
        let trace = Trace::of(steps);
        let shapes = shapes(&model, &trace);
        let names: Vec<&String> = model.variables.keys().collect();
        let named = named_steps_by(&model, &trace, &Spelling::Uniform(display));
        let all = trace.steps.iter().zip(&named).enumerate();
        all.map(|(index, (step, named))| state(&model, (&names, &shapes), index, step, named)).collect()
    }

    fn number(number: i64) -> Value {
        Value::integer(number)
    }

    fn pairs(pairs: &[(i64, i64)]) -> Value {
        Value::set(pairs.iter().map(|(from, to)| Value::pair(number(*from), number(*to))).collect())
    }

    #[test]
    fn functions_are_maps_and_sequences_are_arrays_in_all_states() {
        let int = |number: &str| json!({ "#bigint": number });
        let found =
            states("f : NAT +-> NAT & q : seq(NAT) & r : NAT <-> NAT", "f, q, r", vec![vec![pairs(&[]); 3], vec![pairs(&[(1, 7)]); 3]]);
        assert_eq!(found[0]["f"], json!({ "#map": [] }));
        assert_eq!(found[1]["f"], json!({ "#map": [[int("1"), int("7")]] }));
        assert_eq!((&found[0]["q"], &found[1]["q"]), (&json!([]), &json!([int("7")])));
        assert_eq!(found[1]["r"], json!({ "#set": [{ "#tup": [int("1"), int("7")] }] }));
    }

    #[test]
    fn a_name_that_is_no_function_in_some_state_is_a_set_in_all() {
        let found = states("f : NAT +-> NAT", "f", vec![vec![pairs(&[(1, 7)])], vec![pairs(&[(1, 7), (1, 8)])]]);
        assert!(found.iter().all(|state| state["f"].get("#set").is_some()), "{found:?}");
        let found = states("q : seq(NAT)", "q", vec![vec![pairs(&[(1, 7)])], vec![pairs(&[(2, 7)])]]);
        assert!(found.iter().all(|state| state["q"].get("#set").is_some()), "{found:?}");
    }

    #[test]
    fn shapes_reach_into_values() {
        let inner = Value::set(vec![Value::pair(number(3), pairs(&[(1, 7)]))]);
        let found = states("f : NAT --> seq(NAT)", "f", vec![vec![inner]]);
        assert_eq!(found[0]["f"], json!({ "#map": [[{ "#bigint": "3" }, [{ "#bigint": "7" }]]] }));
    }
}
