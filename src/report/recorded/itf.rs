//! Traces in the Informal Trace Format (Apalache's ADR 15), including those of other tools.
//!
//! Invariant: a state gives constants and variables at once, so a set-up of the constants is inserted before the first one. A value becomes
//! the text of a B expression with the type of its name in the machine.

use super::{INITIALISATION, RecordedScope, RecordedStep, RecordedTrace, SET_UP, Unreadable, items, texts};
use crate::ending::of_word;
use bcheck_explore::TraceEnd;
use bcheck_ir::{Model, Type};
use bcheck_source::word_in_back_quotes;
use serde_json::Value as Json;

pub(super) fn read(file: &Json, model: &Model) -> Result<RecordedTrace, Unreadable> {
    let meta = |key: &str| file.get("#meta").and_then(|meta| meta.get(key)).and_then(Json::as_str);
    // Other tools use the words of bcheck (arguments, results, end) for other things, so they are read in its own files only.
    let is_ours = meta("source").is_some_and(|by| by.starts_with("bcheck"));
    let mut trace = RecordedTrace {
        format: "ITF",
        scope: RecordedScope::find(meta("description").unwrap_or("")),
        steps: Vec::new(),
        end: None,
        left_out: Vec::new(),
    };
    let states = items(file.get("states"), "states")?;
    for (index, state) in states.iter().enumerate() {
        let values = values_in(state, index, model)?;
        let of_step = state.get("#meta");
        let action = of_step.and_then(|meta| meta.get("action")).and_then(Json::as_str);
        // The first state has no step before it: it is the result of set-up and initialisation.
        if index == 0 {
            trace.steps.extend(beginning(values, action, model));
            continue;
        }
        let texts_of = |key: &str| match of_step.filter(|_| is_ours) {
            Some(meta) => texts(meta.get(key), &format!("states[{index}].#meta.{key}")),
            None => Ok(Vec::new()),
        };
        trace.steps.push(RecordedStep {
            name: action.map(str::to_owned),
            arguments: texts_of("arguments")?,
            results: texts_of("results")?,
            state: values,
            ..RecordedStep::default()
        });
    }
    trace.end = match file.get("loop").filter(|index| !index.is_null()) {
        Some(index) => {
            let start = index.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < states.len());
            let start = start.ok_or_else(|| Unreadable::whole("the loop does not begin in one of the states"))?;
            // The first state may include a step before it, the set-up.
            Some(TraceEnd::Loop { start: start + trace.steps.len() - states.len(), rounds: 1 })
        }
        None => meta("end").filter(|_| is_ours).and_then(|word| of_word(word, None, None)),
    };
    Ok(trace)
}

/// The values in a state, as texts.
fn values_in(state: &Json, index: usize, model: &Model) -> Result<Vec<(String, String)>, Unreadable> {
    let members = state.as_object().ok_or_else(|| Unreadable::whole(format!("states[{index}] is not an object")))?;
    let values = members.iter().filter(|(name, _)| !name.starts_with('#')).map(|(name, value)| {
        let declared = model.constants.get(name).or_else(|| model.variables.get(name)).map(|declaration| &declaration.ty);
        // A name that the machine does not have is read as well as it can be, and left out later with a note.
        let text = text_of(value, declared).map_err(|reason| Unreadable::whole(format!("states[{index}].{name}: {reason}")))?;
        Ok((name.clone(), text))
    });
    values.collect()
}

/// The steps to the first state: a set-up if there are constants, and an initialisation.
fn beginning(values: Vec<(String, String)>, action: Option<&str>, model: &Model) -> Vec<RecordedStep> {
    let step = |name: &str, state| RecordedStep { name: Some(name.to_owned()), state, ..RecordedStep::default() };
    // A trace that ends with the set-up has a state of constants alone.
    let is_set_up = action == Some(SET_UP);
    let mut steps = Vec::new();
    if !model.constants.is_empty() || is_set_up {
        steps.push(step(SET_UP, values.iter().filter(|(name, _)| model.constants.contains_key(name)).cloned().collect()));
    }
    if !is_set_up {
        steps.push(step(INITIALISATION, values));
    }
    steps
}

/// The text of a value of this type, as far as the type is known.
fn text_of(value: &Json, ty: Option<&Type>) -> Result<String, String> {
    let list = |values: &[Json], ty: Option<&Type>| values.iter().map(|value| text_of(value, ty)).collect::<Result<Vec<_>, _>>();
    let element = match ty {
        Some(Type::Set(element)) => Some(&**element),
        _ => None,
    };
    Ok(match value {
        Json::Bool(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        Json::Number(number) => number.to_string(),
        // Elements of given sets are JSON strings as well, so only the type determines whether quotes belong to the value.
        Json::String(text) if ty == Some(&Type::String) => quoted(text),
        Json::String(text) => text.clone(),
        Json::Array(values) => {
            // The type of a sequence is a set of pairs of positions and items.
            let of_item = match element {
                Some(Type::Pair(_, second)) => Some(&**second),
                _ => None,
            };
            let values = list(values, of_item)?;
            // The empty sequence is the empty set, which is of every type; `[]` would need a type of its items.
            if values.is_empty() { "{}".to_owned() } else { format!("[{}]", values.join(",")) }
        }
        Json::Object(members) => {
            if let Some(number) = members.get("#bigint") {
                number.as_str().ok_or("a #bigint is a text of digits")?.to_owned()
            } else if let Some(text) = members.get("#unserializable") {
                text.as_str().ok_or("an #unserializable is a text")?.to_owned()
            } else if let Some(Json::Array(values)) = members.get("#set") {
                format!("{{{}}}", list(values, element)?.join(","))
            } else if let Some(Json::Array(values)) = members.get("#tup") {
                tuple(values, ty)?
            } else if let Some(Json::Array(pairs)) = members.get("#map") {
                let pairs: Result<Vec<String>, String> = pairs
                    .iter()
                    .map(|pair| pair.as_array().ok_or("a #map is a list of pairs".to_owned()).and_then(|pair| tuple(pair, element)))
                    .collect();
                format!("{{{}}}", pairs?.join(","))
            } else if let Some(tag) = members.keys().find(|key| key.starts_with('#')) {
                return Err(format!("{tag} is not understood"));
            } else {
                let field_type = |name: &str| match ty {
                    Some(Type::Record(fields)) => fields.iter().find(|(field, _)| &**field == name).map(|(_, ty)| ty),
                    _ => None,
                };
                let fields: Result<Vec<String>, String> = members
                    .iter()
                    .map(|(name, value)| Ok(format!("{}:{}", word_in_back_quotes(name), text_of(value, field_type(name))?)))
                    .collect();
                format!("rec({})", fields?.join(","))
            }
        }
        Json::Null => return Err("null is no value".to_owned()),
    })
}

/// A tuple: nested to the left, as in B.
fn tuple(values: &[Json], ty: Option<&Type>) -> Result<String, String> {
    match values {
        [] => Err("a #tup without components is no value".to_owned()),
        // The end of the recursion: a tuple of two has one component in front.
        [only] => text_of(only, ty),
        // A `#tup` is flat, a B tuple nested to the left; so is its type.
        [front @ .., last] => {
            let (first, second) = match ty {
                Some(Type::Pair(first, second)) => (Some(&**first), Some(&**second)),
                _ => (None, None),
            };
            Ok(format!("({}|->{})", tuple(front, first)?, text_of(last, second)?))
        }
    }
}

fn quoted(text: &str) -> String {
    // Backslashes first, as the other replacements add some. JSON has undone its own escapes already.
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    format!("\"{escaped}\"")
}
