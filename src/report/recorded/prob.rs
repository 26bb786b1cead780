//! Traces as ProB saves them (`.prob2trace`), up to format version 6.
//!
//! Invariant: a variable has a value after a step when the step lists it as changed, or as not changed and it had one before.

use super::{Postcondition, RecordedScope, RecordedStep, RecordedTrace, SET_UP, Unreadable, items, texts};
use crate::ending::read_remark;
use serde_json::Value as Json;

/// The newest version of the format that is understood.
const NEWEST: u64 = 6;

pub(super) fn read(file: &Json) -> Result<RecordedTrace, Unreadable> {
    let metadata = file.get("metadata");
    // Fields that older versions lack count as empty, and changes of a newer one cannot be known.
    if let Some(version) = metadata.and_then(|metadata| metadata.get("formatVersion")).and_then(Json::as_u64)
        && version > NEWEST
    {
        return Err(Unreadable::whole(format!(
            "format version {version} of ProB's traces is newer than {NEWEST}, the newest one understood"
        )));
    }
    let is_ours = metadata.and_then(|metadata| metadata.get("creator")).and_then(Json::as_str).is_some_and(|by| by.starts_with("bcheck"));
    let description = file.get("description").and_then(Json::as_str).unwrap_or("");
    // Optional: the description is free text.
    let (scope, end) =
        if is_ours { (RecordedScope::find(description), read_remark(description)) } else { (RecordedScope::default(), None) };
    let mut steps: Vec<RecordedStep> = Vec::new();
    let mut left_out = Vec::new();
    for (index, transition) in items(file.get("transitionList"), "transitionList")?.iter().enumerate() {
        let place = format!("transitionList[{index}]");
        let name = transition.get("name").and_then(Json::as_str);
        let name = name.ok_or_else(|| Unreadable::whole(format!("{place} has no name")))?;
        // ProB makes this of a set-up for which it found only some constants.
        let name = if name == "$partial_setup_constants" { SET_UP } else { name };
        let mut state = texts(transition.get("destState"), &format!("{place}.destState"))?;
        for unchanged in items(transition.get("destStateNotChanged"), &format!("{place}.destStateNotChanged"))? {
            // A name without a value before has none after the step either.
            let before = steps.last().and_then(|step| step.state.iter().find(|(name, _)| Some(name.as_str()) == unchanged.as_str()));
            // Listed without its value, so the value is the one before.
            state.extend(before.cloned());
        }
        if !items(transition.get("preds"), &format!("{place}.preds"))?.is_empty() {
            // Left out aloud: a trace that replays without them may not be the one that was saved.
            left_out.push(format!("step {index} has extra predicates, which are not looked at"));
        }
        let postconditions = items(transition.get("postconditions"), &format!("{place}.postconditions"))?;
        let postconditions = postconditions
            .iter()
            .map(|item| postcondition(item).ok_or_else(|| Unreadable::whole(format!("{place} has a postcondition that is not understood"))))
            .collect::<Result<Vec<_>, _>>()?;
        steps.push(RecordedStep {
            name: Some(name.to_owned()),
            arguments: texts(transition.get("params"), &format!("{place}.params"))?,
            results: texts(transition.get("results"), &format!("{place}.results"))?,
            state,
            postconditions,
        });
    }
    Ok(RecordedTrace { format: "ProB's format", scope, steps, end, left_out })
}

fn postcondition(item: &Json) -> Option<Postcondition> {
    let text = |name: &str| item.get(name).and_then(Json::as_str).map(str::to_owned);
    // The kinds of postconditions in ProB 2.
    let wanted = match item.get("kind").and_then(Json::as_str)? {
        "PREDICATE" => return Some(Postcondition::Holds(text("predicate")?)),
        "ENABLEDNESS" => true,
        "DISABLEDNESS" => false,
        _ => return None,
    };
    Some(Postcondition::Enabled { operation: text("operation")?, predicate: text("predicate").unwrap_or_default(), wanted })
}
