//! Traces as text: every step with its arguments and results, and only its changes; and the end of the run.
//!
//! Invariant: the changes from the top determine every state in full.

use super::NamedStep;
use super::ending::{LOOP_MARK, sentence};
use super::recorded::{INITIALISATION, SET_UP, WITHIN_INVARIANT, WITHIN_INVARIANT_TITLE, scope_line};
use bcheck_explore::TraceEnd;
use bcheck_ir::{Model, Scope};
use bcheck_source::{Shown, in_back_quotes, shown};

/// The steps, numbered from 0 (the first of set-up and initialisation).
#[must_use]
pub fn text(steps: &[NamedStep]) -> Shown {
    lines(steps, 0, None)
}

/// The steps from one on, with their numbers in the whole.
#[must_use]
pub fn text_from(steps: &[NamedStep], first: usize) -> Shown {
    lines(steps, first, None)
}

/// The steps and the end of the run: where its loop begins, and where it returns to.
#[must_use]
pub(crate) fn text_of_run(steps: &[NamedStep], end: Option<TraceEnd>) -> Shown {
    text_of_run_from(steps, 0, end)
}

/// As [`text_of_run`], from one step on.
#[must_use]
pub fn text_of_run_from(steps: &[NamedStep], first: usize, end: Option<TraceEnd>) -> Shown {
    let mut text = lines(steps, first, end);
    if let Some(end) = end {
        text += shown!("  {}  {}\n", " ".repeat(width(steps)), sentence(end));
    }
    text
}

/// The width of the numbers of these steps.
fn width(steps: &[NamedStep]) -> usize {
    // At least two, so that short traces of one machine align with each other.
    steps.len().saturating_sub(1).to_string().len().max(2)
}

fn lines(steps: &[NamedStep], first: usize, end: Option<TraceEnd>) -> Shown {
    let width = width(steps);
    let start = end.and_then(TraceEnd::loop_start);
    let mut text = Shown::new();
    for (index, step) in steps.iter().enumerate().skip(first) {
        let mark = if start == Some(index) { format!("      {LOOP_MARK}") } else { String::new() };
        text += shown!("  {}  {}{}\n", shown!("{}", index).right(width), title(step), mark);
        let indent = " ".repeat(width + 8);
        let mut changed = false;
        for (name, value) in step.changes() {
            changed = true;
            text += shown!("{}{} = {}\n", indent, in_back_quotes(name), value);
        }
        // Said, because an empty step could also be one whose values were not saved.
        if !changed && !step.state.is_empty() {
            text += shown!("{}(no change)\n", indent);
        }
    }
    text
}

/// The steps and their end as a separate file, with the machine and the sizes in its first line.
#[must_use]
pub fn file(model: &Model, scope: &Scope, steps: &[NamedStep], end: Option<TraceEnd>) -> Shown {
    shown!("trace of {}; {}\n{}", model.name, scope_line(model, scope), text_of_run(steps, end))
}

/// The trace of a JSON report as text; empty when there is none.
#[must_use]
pub fn saved_text(report: &serde_json::Value) -> Shown {
    let Ok(recorded) = super::recorded::json::read(report) else { return Shown::new() };
    let mut steps: Vec<NamedStep> = Vec::with_capacity(recorded.steps.len());
    for step in recorded.steps {
        // States in a report are full, so changes are found by comparison.
        let before = steps.last().map(|step| step.state.as_slice()).unwrap_or_default();
        let changed = step.state.iter().map(|entry| !before.contains(entry)).collect();
        let (arguments, results) = (step.arguments, step.results);
        steps.push(NamedStep { name: step.name.unwrap_or_default(), arguments, results, state: step.state, changed });
    }
    text_of_run(&steps, recorded.end)
}

/// `add(n = Name1)`, `lookup(n = Name1) --> c = Code1`; names that are not identifiers are in back quotes, so that it can be parsed again.
#[must_use]
pub fn title(step: &NamedStep) -> String {
    let pair = |(name, value): &(String, String)| format!("{} = {value}", in_back_quotes(name));
    let list = |pairs: &[(String, String)]| pairs.iter().map(pair).collect::<Vec<_>>().join(", ");
    let mut title = match step.name.as_str() {
        // The names of ProB in words, which the reader of saved texts turns back.
        SET_UP => "set-up of the constants".to_owned(),
        INITIALISATION => "INITIALISATION".to_owned(),
        WITHIN_INVARIANT => WITHIN_INVARIANT_TITLE.to_owned(),
        name => in_back_quotes(name).into_owned(),
    };
    if !step.arguments.is_empty() {
        title.push_str(&format!("({})", list(&step.arguments)));
    }
    if !step.results.is_empty() {
        title.push_str(&format!(" --> {}", list(&step.results)));
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn only_what_changed_is_shown() {
        let first = NamedStep {
            name: "$initialise_machine".to_owned(),
            arguments: vec![],
            results: vec![],
            state: vec![pair("x", "0"), pair("y", "{}")],
            changed: vec![true, true],
        };
        let second = NamedStep {
            name: "inc".to_owned(),
            arguments: vec![pair("by", "1")],
            results: vec![pair("old", "0")],
            state: vec![pair("x", "1"), pair("y", "{}")],
            changed: vec![true, false],
        };
        let third =
            NamedStep { name: "look".to_owned(), changed: vec![false, false], arguments: vec![], results: vec![], ..second.clone() };
        let expected = "   0  INITIALISATION\n          x = 0\n          y = {}\n   1  inc(by = 1) --> old = 0\n          x = 1\n   2  look\n          (no change)\n";
        let steps = [first, second, third];
        assert_eq!(text(&steps), expected);
        // The last step changes nothing, so the second state repeats.
        let looping = text_of_run(&steps, Some(TraceEnd::Loop { start: 1, rounds: 1 }));
        let marked = expected.replace("= 0\n          x = 1", "= 0      <- loop\n          x = 1") + "      back to 1\n";
        assert_eq!(*looping, *marked);
        let ended = text_of_run(&steps, Some(TraceEnd::Deadlock));
        assert_eq!(*ended, *(expected.to_owned() + "      deadlock; nothing follows\n"));
    }
}
