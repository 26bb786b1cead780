//! Traces as text: those saved by `--trace FILE.txt`, and those in a whole report, whose head has the sizes.
//!
//! Invariant: a step's own lines contain its changes, so its state is that of the step before with these changes.

use super::{INITIALISATION, RecordedScope, RecordedStep, RecordedTrace, SET_UP, Unreadable, WITHIN_INVARIANT, WITHIN_INVARIANT_TITLE};
use crate::ending::{LOOP_MARK, read_sentence};
use bcheck_source::{outside_strings, split_name, split_outside};

pub(super) fn read(text: &str) -> Result<RecordedTrace, Unreadable> {
    // In a report, the trace has a heading.
    let heading = text.lines().position(|line| line.trim_end() == "Trace:").map_or(0, |at| at + 1);
    let mut steps: Vec<RecordedStep> = Vec::new();
    let mut end = None;
    for (index, line) in text.lines().enumerate().skip(heading) {
        let body = line.trim();
        if body.is_empty() {
            if steps.is_empty() {
                continue;
            }
            // A blank line after the steps ends the trace; a report continues below it.
            break;
        }
        let unreadable = |message: &str| Unreadable {
            line: index + 1,
            column: line.chars().take_while(|letter| letter.is_whitespace()).count() + 1,
            message: message.to_owned(),
        };
        if let Some(title) = numbered(body) {
            // The lines of a step contain only its changes, so it starts from the previous state.
            let state = steps.last().map(|step| step.state.clone()).unwrap_or_default();
            // The start of a loop is repeated below the last step.
            let title = title.strip_suffix(LOOP_MARK).map_or(title, str::trim_end);
            steps.push(step(title, state).ok_or_else(|| unreadable("this is not the title of a step: `operation(parameter = value, …)`"))?);
        } else if let Some(last) = steps.last_mut() {
            if body == "(no change)" {
                continue;
            }
            end = read_sentence(body);
            if end.is_some() {
                break;
            }
            let (name, value) = pair(body).ok_or_else(|| unreadable("this is neither a step nor `name = value`"))?;
            match last.state.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => value.clone_into(known),
                None => last.state.push((name.to_owned(), value.to_owned())),
            }
        } else if !body.starts_with("trace of ") {
            return Err(unreadable("this is not a trace: a step is expected, such as `0  INITIALISATION`"));
        }
    }
    if steps.is_empty() && !text.trim_start().starts_with("trace of ") {
        return Err(Unreadable::whole("there is no trace in this file"));
    }
    let scope = if heading == 0 { RecordedScope::find(text) } else { RecordedScope::of_report(text) };
    Ok(RecordedTrace { format: "text", scope, steps, end, left_out: Vec::new() })
}

/// The text after a step's number and two blanks.
fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (rest.len() < line.len()).then(|| rest.strip_prefix("  ")).flatten()
}

fn step(title: &str, state: Vec<(String, String)>) -> Option<RecordedStep> {
    let name = match title {
        "set-up of the constants" => SET_UP,
        "INITIALISATION" => INITIALISATION,
        WITHIN_INVARIANT_TITLE => WITHIN_INVARIANT,
        _ => {
            // `name(arguments) --> results`, of which only the name is always present.
            let plain = || title.split_at(title.find(['(', ' ']).unwrap_or(title.len()));
            let (name, mut rest) = split_name(title).unwrap_or_else(plain);
            let mut arguments = Vec::new();
            if let Some(inner) = rest.strip_prefix('(') {
                // Not the first closing parenthesis: values contain some as well.
                let end = closing(inner)?;
                arguments = pairs(&inner[..end])?;
                rest = &inner[end + 1..];
            }
            let results = match rest.strip_prefix(" --> ") {
                Some(results) => pairs(results)?,
                None if rest.is_empty() => Vec::new(),
                None => return None,
            };
            return (!name.is_empty()).then(|| RecordedStep {
                name: Some(name.to_owned()),
                arguments,
                results,
                state,
                postconditions: Vec::new(),
            });
        }
    };
    Some(RecordedStep { name: Some(name.to_owned()), state, ..RecordedStep::default() })
}

/// The position of the parenthesis that closes one opened before the text.
fn closing(text: &str) -> Option<usize> {
    outside_strings(text).find(|(_, letter, depth)| *letter == ')' && *depth == 0).map(|(at, ..)| at)
}

/// `n = Name1` as a pair.
fn pair(text: &str) -> Option<(&str, &str)> {
    match split_name(text) {
        Some((name, rest)) => Some((name, rest.strip_prefix(" = ")?)),
        // At the first sign: values may hold it, and other names have no blanks.
        None => text.split_once(" = "),
    }
}

/// `n = Name1, c = {Code1}` as pairs.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let own = |part: &str| pair(part).map(|(name, value)| (name.to_owned(), value.to_owned()));
    split_outside(text, ", ").into_iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamedStep;

    #[test]
    fn names_with_blanks_and_brackets_are_read_again() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let operation = NamedStep {
            name: "do it (now)".to_owned(),
            arguments: vec![pair("for whom", "`a, b`"), pair("n", "{\"`\", \"=\"}")],
            results: vec![pair("a = b", "`c)`")],
            state: vec![pair("x = y", "`d e` = 1"), pair("z", "0")],
            changed: vec![true, true],
        };
        let begin = NamedStep { name: INITIALISATION.to_owned(), arguments: Vec::new(), results: Vec::new(), ..operation.clone() };
        let text = crate::trace::text(&[begin, operation.clone()]);
        let read = read(&text).unwrap_or_else(|fault| panic!("{}: {}", fault.message, &*text));
        let step = &read.steps[1];
        assert_eq!((step.name.as_deref(), &step.arguments), (Some("do it (now)"), &operation.arguments), "{}", &*text);
        assert_eq!((&step.results, &step.state), (&operation.results, &operation.state), "{}", &*text);
    }
}
