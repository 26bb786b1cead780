//! A reader of the schemas under `tests/schemas`: the part of JSON Schema that they use.
//!
//! `type`, `enum`, `required`, `properties` (`false` forbids one), `additionalProperties`, `items`, `oneOf`, `minItems`, and `$ref`
//! with the plain name of a definition.

use crate::program::root;
use serde_json::Value as Json;

/// Where a document does not fit a schema of `tests/schemas`; nothing when it fits.
pub(crate) fn faults(schema: &str, document: &Json) -> Vec<String> {
    let path = root().join("tests/schemas").join(schema);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Json = serde_json::from_str(&text).expect("a schema is JSON");
    let mut faults = Vec::new();
    check(&schema, &schema["definitions"], document, "$", &mut faults);
    faults
}

fn check(schema: &Json, definitions: &Json, document: &Json, place: &str, faults: &mut Vec<String>) {
    let mut fault = |what: String| faults.push(format!("{place}: {what}"));
    if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
        let target = definitions.get(name).unwrap_or_else(|| panic!("no definition {name}"));
        return check(target, definitions, document, place, faults);
    }
    if schema == &Json::Bool(false) {
        return fault("is not allowed".to_owned());
    }
    let fits = |ty: &str| match ty {
        "object" => document.is_object(),
        "array" => document.is_array(),
        "string" => document.is_string(),
        "boolean" => document.is_boolean(),
        "integer" => document.is_i64() || document.is_u64(),
        "number" => document.is_number(),
        "null" => document.is_null(),
        other => panic!("no such type: {other}"),
    };
    match &schema["type"] {
        Json::String(ty) if !fits(ty) => return fault(format!("is no {ty}: {document}")),
        Json::Array(types) if !types.iter().filter_map(Json::as_str).any(fits) => return fault(format!("is none of {types:?}")),
        _ => {}
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(document)
    {
        fault(format!("{document} is none of {allowed:?}"));
    }
    if let Some(least) = schema["minItems"].as_u64()
        && document.as_array().is_some_and(|items| (items.len() as u64) < least)
    {
        fault(format!("has fewer than {least} items"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        if document.is_object() && document.get(name).is_none() {
            fault(format!("has no {name}"));
        }
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| {
            let mut faults = Vec::new();
            check(choice, definitions, document, place, &mut faults);
            faults.is_empty()
        });
        let count = fitting.count();
        if count != 1 {
            fault(format!("fits {count} of the choices: {document}"));
        }
    }
    for (name, member) in document.as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(schema), _) | (None, Some(schema)) => check(schema, definitions, member, &place, faults),
            (None, None) => {}
        }
    }
    if let Some(items) = schema.get("items") {
        for (index, item) in document.as_array().into_iter().flatten().enumerate() {
            check(items, definitions, item, &format!("{place}[{index}]"), faults);
        }
    }
}

#[test]
fn a_document_that_does_not_fit_is_told_apart() {
    let good = serde_json::json!({ "vars": ["x"], "states": [{ "x": { "#set": [{ "#bigint": "1" }, { "f": true }] } }] });
    assert_eq!(faults("itf.json", &good), Vec::<String>::new());
    for bad in [
        serde_json::json!({ "vars": ["x"] }),
        serde_json::json!({ "vars": ["x"], "states": [{ "x": 1 }] }),
        serde_json::json!({ "vars": ["x"], "states": [{ "x": { "#set": [{ "#bigint": 1 }] } }] }),
        serde_json::json!({ "vars": ["x"], "states": [], "more": 1 }),
    ] {
        assert_ne!(faults("itf.json", &bad), Vec::<String>::new(), "{bad}");
    }
}
