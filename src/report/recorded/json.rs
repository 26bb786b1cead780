//! bcheck's own traces (`bcheck-trace`), and the trace in a report (`bcheck-report`).
//!
//! Invariant: states are full, as they were written.

use super::{RecordedScope, RecordedStep, RecordedTrace, Unreadable, items, texts};
use crate::ending::of_word;
use bcheck_explore::TraceEnd;
use serde_json::Value as Json;

/// Reads a trace as bcheck writes it.
pub fn read(file: &Json) -> Result<RecordedTrace, Unreadable> {
    if file.get("version").and_then(Json::as_u64).is_some_and(|version| version > 1) {
        return Err(Unreadable::whole("this trace was written by a later version of bcheck"));
    }
    let mut scope = RecordedScope::default();
    for (set, size) in file.get("deferred").and_then(Json::as_object).into_iter().flatten() {
        // Through its text, which is checked there as in the other formats.
        scope.enter(set, &size.to_string());
    }
    scope.minint = file.get("minint").and_then(Json::as_i64);
    scope.maxint = file.get("maxint").and_then(Json::as_i64);
    let mut steps = Vec::new();
    for (index, step) in items(file.get("trace"), "trace")?.iter().enumerate() {
        let place = format!("trace[{index}]");
        let name = step.get("operation").and_then(Json::as_str);
        // Unlike ITF, whose states may lack an action: bcheck's own files name every step.
        let name = name.ok_or_else(|| Unreadable::whole(format!("{place} does not name its operation")))?;
        steps.push(RecordedStep {
            name: Some(name.to_owned()),
            arguments: texts(step.get("arguments"), &format!("{place}.arguments"))?,
            results: texts(step.get("results"), &format!("{place}.results"))?,
            state: texts(step.get("state"), &format!("{place}.state"))?,
            postconditions: Vec::new(),
        });
    }
    Ok(RecordedTrace { format: "bcheck's JSON", scope, steps, end: end(file), left_out: Vec::new() })
}

/// How the run continues, if the document states it.
fn end(file: &Json) -> Option<TraceEnd> {
    let start = file.get("loop_start").and_then(Json::as_u64).and_then(|start| usize::try_from(start).ok());
    of_word(file.get("end").and_then(Json::as_str)?, start, file.get("rounds").and_then(Json::as_u64))
}
