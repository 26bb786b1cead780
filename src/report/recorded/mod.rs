//! Saved traces as read: steps in names and texts, whatever the format.
//!
//! The format is recognised by the content, not by the file's name: a JSON object with `transitionList` is ProB's, with `states` ITF, with
//! `trace` bcheck's own (a whole report too); anything else is text.
//! Invariant: values that a step does not state are missing here, never invented; unknown fields are ignored. Deliberately elsewhere:
//! writing (`trace`, `json`, `prob_trace`, `itf`), texts as values (`cli`), the effects of the steps (`explore`).

mod itf;
pub mod json;
mod prob;
mod scope;
mod text;

pub use scope::RecordedScope;
pub(crate) use scope::{DEFERRED_SETS, INTEGERS, scope_line};

use bcheck_explore::TraceEnd;
use bcheck_ir::Model;
use bcheck_source::whole_characters;

/// The name of the step that sets up the constants, and of the one that initialises the variables, as ProB calls them.
pub const SET_UP: &str = "$setup_constants";
/// See [`SET_UP`].
pub const INITIALISATION: &str = "$initialise_machine";
/// In the place of the initialisation: a state that satisfies the invariant. ProB has no name for it.
pub const WITHIN_INVARIANT: &str = "$within_invariant";
/// The postcondition in words.
pub(crate) const WITHIN_INVARIANT_TITLE: &str = "a state within the invariant";

/// A saved trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTrace {
    /// The format, in words.
    pub format: &'static str,
    /// The sizes and bounds of the run, as far as the file has them.
    pub scope: RecordedScope,
    /// The steps.
    pub steps: Vec<RecordedStep>,
    /// How the run continues after them; a loop begins with one of these steps.
    pub end: Option<TraceEnd>,
    /// The parts of the file that a replay ignores, one sentence each.
    pub left_out: Vec<String>,
}

/// A step of a saved trace: names with texts of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedStep {
    /// [`SET_UP`], [`INITIALISATION`], [`WITHIN_INVARIANT`] or the operation; `None` where the file does not name it.
    pub name: Option<String>,
    /// Parameters.
    pub arguments: Vec<(String, String)>,
    /// Results.
    pub results: Vec<(String, String)>,
    /// Constants and variables after the step.
    pub state: Vec<(String, String)>,
    /// The postconditions of the step.
    pub postconditions: Vec<Postcondition>,
}

/// A postcondition of a step, as ProB saves it in traces that are tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Postcondition {
    /// A predicate of the state.
    Holds(String),
    /// An operation is enabled (or is not), with arguments that satisfy a predicate, if there is one.
    Enabled {
        /// The operation.
        operation: String,
        /// A predicate of its parameters; may be empty.
        predicate: String,
        /// Whether it must be enabled, or must not be.
        wanted: bool,
    },
}

/// Why a file is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// One sentence without a full stop.
    pub message: String,
}

impl Unreadable {
    /// A fault of the whole file.
    fn whole(message: impl Into<String>) -> Self {
        Self { line: 1, column: 1, message: message.into() }
    }
}

/// Reads a trace; the model distinguishes strings from elements where a format does not.
///
/// # Errors
/// When the text is none of the formats, or has a loop that begins with none of its steps.
pub fn read(text: &str, model: &Model) -> Result<RecordedTrace, Unreadable> {
    let trace = read_any(text, model)?;
    if let Some(start) = trace.end.and_then(TraceEnd::loop_start).filter(|start| *start >= trace.steps.len()) {
        let last = trace.steps.len().saturating_sub(1);
        return Err(Unreadable::whole(format!("its loop begins with step {start}, but its last step is {last}")));
    }
    Ok(trace)
}

fn read_any(text: &str, model: &Model) -> Result<RecordedTrace, Unreadable> {
    // A text trace begins with a word or a number. A list is not a trace, but a JSON error is more informative than one of the text
    // format.
    if !text.trim_start().starts_with(['{', '[']) {
        return text::read(text);
    }
    let file: serde_json::Value = serde_json::from_str(&whole_characters(text)).map_err(|error| {
        let message = error.to_string();
        // The place is reported separately.
        let reason = message.split(" at line ").next().unwrap_or(&message).to_owned();
        let line = text.lines().nth(error.line().max(1) - 1).unwrap_or("");
        // The parser counts bytes.
        let column = line.char_indices().take_while(|(at, _)| at + 1 < error.column()).count() + 1;
        Unreadable { line: error.line().max(1), column, message: format!("this is not JSON: {reason}") }
    })?;
    // Each format is known by a field that the others do not have.
    if file.get("transitionList").is_some() {
        prob::read(&file)
    } else if file.get("states").is_some() {
        itf::read(&file, model)
    } else if file.get("trace").is_some() {
        json::read(&file)
    } else {
        Err(Unreadable::whole("this JSON is no trace: it has none of the fields transitionList (ProB), states (ITF) and trace (bcheck)"))
    }
}

/// The members of an object whose values are texts; a missing object is an empty one.
fn texts(object: Option<&serde_json::Value>, place: &str) -> Result<Vec<(String, String)>, Unreadable> {
    match object {
        None | Some(serde_json::Value::Null) => Ok(Vec::new()),
        Some(serde_json::Value::Object(members)) => members
            .iter()
            .map(|(name, value)| match value {
                serde_json::Value::String(text) => Ok((name.clone(), text.clone())),
                _ => Err(Unreadable::whole(format!("{place}: the value of `{name}` is not a text"))),
            })
            .collect(),
        Some(_) => Err(Unreadable::whole(format!("{place} is not an object"))),
    }
}

/// The items of a list; a missing one is empty.
fn items<'a>(list: Option<&'a serde_json::Value>, place: &str) -> Result<&'a [serde_json::Value], Unreadable> {
    match list {
        None | Some(serde_json::Value::Null) => Ok(&[]),
        Some(serde_json::Value::Array(items)) => Ok(items),
        Some(_) => Err(Unreadable::whole(format!("{place} is not a list"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Span;

    #[test]
    fn a_file_with_a_loop_beyond_its_steps_is_no_trace() {
        let model = Model::empty("m", Span::nowhere());
        let message = |text: &str| read(text, &model).map_err(|fault| fault.message);
        let lasso = |start: usize| format!("{{\"trace\": [{{\"operation\": \"a\"}}], \"end\": \"loop\", \"loop_start\": {start}}}");
        assert_eq!(message(&lasso(0)).map(|trace| trace.end), Ok(Some(TraceEnd::Loop { start: 0, rounds: 1 })));
        assert_eq!(message(&lasso(5)), Err("its loop begins with step 5, but its last step is 0".to_owned()));
    }

    #[test]
    fn a_column_counts_characters() {
        let model = Model::empty("m", Span::nowhere());
        for text in ["{\"aaaa\": x}", "{\"äöü→\": x}"] {
            let fault = read(text, &model).expect_err("no JSON");
            assert_eq!((fault.line, fault.column), (1, 10), "{text}: {fault:?}");
        }
        let fault = read("{\n  \"é\": 1,\n  é\n}", &model).expect_err("no JSON");
        assert_eq!((fault.line, fault.column), (3, 3), "{fault:?}");
    }
}
