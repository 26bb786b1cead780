//! The changes by the steps of a trace, by type: `doors(P3): open -> moving`, `inside: + GUEST2`, `queue: [a] -> [a,b]`.
//!
//! Invariant: each value of the first state is shown in full, and each change after it: together they determine every state. Deliberately
//! elsewhere: deltas as data (`delta`), traces that show full values (`trace`).

use super::delta::{Delta, Image};
use super::ending::{LOOP_MARK, sentence};
use super::named::named_steps;
use super::notation::{Notation, item, notations, written};
use super::trace::title;
use super::value_table::ValueTable;
use bcheck_explore::{Trace, TraceEnd};
use bcheck_ir::Model;
use bcheck_source::{Shown, in_back_quotes, shown, word_in_back_quotes};
use bcheck_value::{Value, relation};

/// The names of a state with their values before and after a step, and their notations.
pub struct Changes<'a> {
    model: &'a Model,
    notations: Vec<Notation>,
}

impl<'a> Changes<'a> {
    /// Of a machine.
    pub fn new(model: &'a Model) -> Self {
        Self { model, notations: notations(model) }
    }

    /// The notation of the constant or variable at a position of a state.
    pub(crate) fn notation(&self, index: usize) -> &Notation {
        self.notations.get(index).unwrap_or(&Notation::Plain)
    }

    /// The text of a value at a position of a state.
    pub fn whole(&self, index: usize, value: &Value) -> String {
        written(value, self.notation(index), self.model)
    }

    /// The table of a function or relation at a position of a state, with its previous value.
    pub fn table(&self, index: usize, value: &Value, before: Option<&Value>) -> Option<ValueTable> {
        ValueTable::of(value, before, self.notation(index), self.model)
    }

    /// How the value at a position of a state changed, one line for each part; empty if it did not.
    pub fn of_value(&self, index: usize, before: &Value, after: &Value) -> Vec<String> {
        let name = self.name(index);
        let Some(delta) = Delta::between(before, after, self.notation(index)) else { return Vec::new() };
        let mut lines = Vec::new();
        self.add(&name, (before, &delta), self.notation(index), &mut lines);
        lines
    }

    /// The changes by a step, one line for each part; new values are shown in full.
    pub fn of_step(&self, before: &[Value], after: &[Value]) -> Vec<String> {
        let of_value = |(index, after): (usize, &Value)| match before.get(index) {
            Some(before) => self.of_value(index, before, after),
            None => vec![format!("{} = {}", self.name(index), self.whole(index, after))],
        };
        after.iter().enumerate().flat_map(of_value).collect()
    }

    fn name(&self, index: usize) -> String {
        let mut names = self.model.constants.keys().chain(self.model.variables.keys());
        names.nth(index).map(|name| in_back_quotes(name).into_owned()).unwrap_or_default()
    }

    fn add(&self, path: &str, (before, delta): (&Value, &Delta), notation: &Notation, lines: &mut Vec<String>) {
        let text = |value: &Value, notation: &Notation| written(value, notation, self.model);
        // Short sequences are read more easily side by side.
        if notation.is_sequence(before) || matches!(delta, Delta::Items { .. }) {
            let (before, after) = (text(before, notation), text(&delta.applied(before), notation));
            if before.chars().count().max(after.chars().count()) <= SHORT_SEQUENCE {
                lines.push(format!("{path}: {before} -> {after}"));
                return;
            }
        }
        match delta {
            Delta::Replaced(after) => lines.push(format!("{path}: {} -> {}", text(before, notation), text(after, notation))),
            Delta::Elements { removed, added } => {
                let pair = Notation::Pair(Box::new(notation.of_member().clone()), Box::new(notation.of_image().clone()));
                let element = if let Notation::Relation(..) = notation { &pair } else { notation.of_member() };
                let signed = |sign: &'static str| move |value: &Value| format!("{sign} {}", item(value, element, self.model));
                let all: Vec<String> = added.iter().map(signed("+")).chain(removed.iter().map(signed("-"))).collect();
                lines.push(format!("{path}: {}", all.join(", ")));
            }
            Delta::Items { at, removed, added } => {
                let list = |sign: &str, items: &[Value]| {
                    let items: Vec<String> = items.iter().map(|value| item(value, notation.of_image(), self.model)).collect();
                    (!items.is_empty()).then(|| format!("{sign} [{}]", items.join(",")))
                };
                let parts: Vec<String> = list("-", removed).into_iter().chain(list("+", added)).collect();
                lines.push(format!("{path}: {} at {}", parts.join(", "), at + 1));
            }
            Delta::Images(images) => self.add_images(path, (before, images), notation, lines),
            Delta::Fields(fields) => {
                for (name, delta) in fields {
                    let Value::Record(values) = before else { continue };
                    let Some((_, before)) = values.iter().find(|(field, _)| field == name) else { continue };
                    self.add(&format!("{path}'{}", word_in_back_quotes(name)), (before, delta), notation.of_field(name), lines);
                }
            }
        }
    }

    fn add_images(&self, path: &str, (before, images): (&Value, &[(Value, Image)]), notation: &Notation, lines: &mut Vec<String>) {
        let (from, to) = (notation.of_member(), notation.of_image());
        let pair = |sign: &str, argument: &Value, value: &Value| {
            let maplet = Notation::Pair(Box::new(from.clone()), Box::new(to.clone()));
            format!("{sign} {}", item(&Value::pair(argument.clone(), value.clone()), &maplet, self.model))
        };
        let mut pairs = Vec::new();
        for (argument, image) in images {
            match image {
                Image::Added(value) => pairs.push(pair("+", argument, value)),
                Image::Removed(value) => pairs.push(pair("-", argument, value)),
                Image::Changed(delta) => {
                    let value = before.as_set().and_then(|set| relation::related(set, argument).next());
                    let Some(value) = value else { continue };
                    let argument = item(argument, from, self.model);
                    self.add(&format!("{path}({argument})"), (value, delta), to, lines);
                }
            }
        }
        if !pairs.is_empty() {
            lines.push(format!("{path}: {}", pairs.join(", ")));
        }
    }
}

/// A sequence with more characters than this is shown by its items that change.
const SHORT_SEQUENCE: usize = 60;

/// The changes by each step of a trace, as lines under the names concerned; new values are shown in full.
pub(super) fn named_changes<'a>(model: &'a Model, trace: &Trace) -> Vec<Vec<(&'a str, Vec<String>)>> {
    let changes = Changes::new(model);
    let mut before: &[Value] = &[];
    let mut steps = Vec::with_capacity(trace.steps.len());
    for step in &trace.steps {
        let names = model.constants.keys().chain(model.variables.keys()).map(String::as_str);
        let of_name = |((index, name), after): ((usize, &'a str), &Value)| {
            let lines = match before.get(index) {
                Some(before) => changes.of_value(index, before, after),
                None => vec![format!("{} = {}", changes.name(index), changes.whole(index, after))],
            };
            (!lines.is_empty()).then_some((name, lines))
        };
        steps.push(names.enumerate().zip(&step.state).filter_map(of_name).collect());
        before = &step.state;
    }
    steps
}

/// A trace by the changes of its steps, and its end.
pub(super) fn text_of_changes(model: &Model, trace: &Trace) -> Shown {
    let changes = Changes::new(model);
    let steps = named_steps(model, trace);
    // As in a trace of whole values, so that both align.
    let width = steps.len().saturating_sub(1).to_string().len().max(2);
    let indent = " ".repeat(width + 8);
    let start = trace.end.and_then(TraceEnd::loop_start);
    let mut before: &[Value] = &[];
    let mut text = Shown::new();
    for (index, (named, step)) in steps.iter().zip(&trace.steps).enumerate() {
        let mark = if start == Some(index) { format!("      {LOOP_MARK}") } else { String::new() };
        text += shown!("  {}  {}{}\n", shown!("{}", index).right(width), title(named), mark);
        let lines = changes.of_step(before, &step.state);
        if lines.is_empty() && !step.state.is_empty() {
            text += shown!("{}(no change)\n", indent);
        }
        text.extend(lines.iter().map(|line| shown!("{}{}\n", indent, line)));
        before = &step.state;
    }
    if let Some(end) = trace.end {
        text += shown!("  {}  {}\n", " ".repeat(width), sentence(end));
    }
    text
}
