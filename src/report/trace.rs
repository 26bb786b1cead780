//! Traces as text: every step with its arguments and results, and only what it changed.
//!
//! Invariant: reading the changes from the top gives every state in full.

use super::NamedStep;
use super::recorded::scope_line;
use crate::ir::{Model, Scope};
use crate::source::{Shown, shown};

/// The steps, numbered from 0 (the first of set-up and initialisation).
#[must_use]
pub fn text(steps: &[NamedStep]) -> Shown {
    text_from(steps, 0)
}

/// The steps from one on, with their numbers in the whole.
#[must_use]
pub fn text_from(steps: &[NamedStep], first: usize) -> Shown {
    let width = steps.len().saturating_sub(1).to_string().len().max(2);
    let mut text = Shown::new();
    for (index, step) in steps.iter().enumerate().skip(first) {
        text += shown!("  {}  {}\n", shown!("{}", index).right(width), title(step));
        let indent = " ".repeat(width + 8);
        let mut changed = false;
        for (name, value) in step.changes() {
            changed = true;
            text += shown!("{}{} = {}\n", indent, name, value);
        }
        if !changed && !step.state.is_empty() {
            text += shown!("{}(no change)\n", indent);
        }
    }
    text
}

/// The steps as a file of their own, with the machine and the sizes in its first line.
#[must_use]
pub fn file(model: &Model, scope: &Scope, steps: &[NamedStep]) -> Shown {
    shown!("trace of {}; {}\n{}", model.name, scope_line(model, scope), text(steps))
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
    text(&steps)
}

/// `add(n = Name1)`, `lookup(n = Name1) --> c = Code1`.
#[must_use]
pub fn title(step: &NamedStep) -> String {
    let list = |pairs: &[(String, String)]| pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
    let mut title = match step.name.as_str() {
        // The names of ProB in words, which the reader of saved texts turns back.
        "$setup_constants" => "set-up of the constants".to_owned(),
        "$initialise_machine" => "INITIALISATION".to_owned(),
        name => name.to_owned(),
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
        assert_eq!(text(&[first, second, third]), expected);
    }
}
