//! `bcheck induct`: which steps preserve which conjuncts of the invariant, for people and as JSON.
//!
//! Invariant: "inductive" is said only where all states that satisfy the invariant were expanded and nothing was left out. Deliberately
//! elsewhere: how it is found out (`explore::walk::induction`).

use super::deferred;
use super::finding::one_line;
use super::json::pretty;
use super::json_objects::{Object, texts};
use super::named::{NamedStep, named_step};
use super::trace::title;
use crate::eval::EvalError;
use crate::explore::{Induction, PreservationRow, Reachability, Refuted, TraceStep, Undefined, Verdict};
use crate::ir::{Conjunct, Model, OperationId, Scope};
use crate::source::{Shown, SourceMap, Vocabulary, in_back_quotes, shown};
use num_bigint::BigUint;
use serde::Serialize;

/// What is reported.
pub(crate) struct InductionReport<'a> {
    pub(crate) model: &'a Model,
    pub(crate) scope: &'a Scope,
    pub(crate) sources: &'a SourceMap,
    pub(crate) found: &'a Induction,
    /// The conjuncts that must be preserved; all without any.
    pub(crate) conjuncts: &'a [usize],
    /// Why there may be other states, if so.
    pub(crate) stopped: Option<String>,
}

/// A state in names and texts, and the step from it if there is one.
struct NamedExample {
    before: Vec<(String, String)>,
    step: Option<NamedStep>,
    reached: Option<Reachability>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InductionVerdict {
    Inductive,
    NotInductive,
    /// No step is known to violate the invariant, but something has no value.
    IllDefined,
    Incomplete,
}

impl InductionVerdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Inductive => "inductive",
            Self::NotInductive => "not_inductive",
            Self::IllDefined => Verdict::IllDefined.word(),
            Self::Incomplete => Verdict::Incomplete.word(),
        }
    }
}

/// What a step does to a conjunct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preservation {
    Preserved,
    Violated,
    Unknown,
}

impl Preservation {
    fn sign(self) -> &'static str {
        match self {
            Self::Preserved => "+",
            Self::Violated => "-",
            Self::Unknown => "?",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Preserved => "preserved",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

impl InductionReport<'_> {
    pub(crate) fn verdict(&self) -> InductionVerdict {
        match self.found.is_refuted() {
            true => InductionVerdict::NotInductive,
            false if self.found.is_ill_defined() => InductionVerdict::IllDefined,
            false if self.found.is_proved() && self.stopped.is_none() => InductionVerdict::Inductive,
            false => InductionVerdict::Incomplete,
        }
    }

    fn mark(&self, effect: &PreservationRow, conjunct: usize) -> Preservation {
        match &effect.violated[conjunct] {
            cell if cell.states > 0 => Preservation::Violated,
            _ if effect.incomplete.is_some() || effect.undecided[conjunct].is_some() || self.stopped.is_some() => Preservation::Unknown,
            _ => Preservation::Preserved,
        }
    }

    /// The conjuncts that must be preserved.
    fn asked(&self) -> impl Iterator<Item = (usize, &Conjunct)> {
        self.model.invariant.iter().enumerate().filter(|(at, _)| self.conjuncts.is_empty() || self.conjuncts.contains(at))
    }

    fn effect_name(&self, operation: Option<OperationId>) -> String {
        operation.map_or_else(|| "INITIALISATION".to_owned(), |id| in_back_quotes(self.model.operation_name(id)).into_owned())
    }

    fn formula(&self, conjunct: &Conjunct) -> String {
        let text = one_line(self.sources, conjunct.pred.span);
        conjunct.label.as_ref().map_or_else(|| text.clone(), |label| format!("{label}: {text}"))
    }

    /// An error and its place.
    fn reason(&self, error: &EvalError) -> String {
        let place = self.sources.line_column(error.span);
        format!("{} ({}:{}:{})", error.kind, self.sources.file(error.span.file).name, place.line, place.column)
    }

    fn named(&self, refuted: &Refuted) -> Option<NamedExample> {
        let example = refuted.example.as_ref()?;
        let before = named_step(self.model, &TraceStep::beginning(example.before.clone()), &[]).state;
        let reached = example.reached;
        Some(NamedExample { before, reached, step: example.step.as_ref().map(|step| named_step(self.model, step, &example.before)) })
    }
}

/// The report for people.
pub(crate) fn text(report: &InductionReport<'_>) -> Shown {
    let InductionReport { model, scope, found, .. } = report;
    let sizes = deferred(model, scope).map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ");
    let at = if sizes.is_empty() { String::new() } else { format!(" at {sizes}") };
    let least = if found.is_complete { "" } else { "at least " };
    let [states, up_to] = counted(found.states, &found.full_states, found.is_exact);
    let mut text = shown!("{}{}: {}{} satisfy the invariant{}\n", model.name, at, least, states, up_to);
    if !model.invariant.is_empty() {
        text += matrix(report);
    }
    for (operation, effect) in found.effects() {
        let name = report.effect_name(operation);
        for (conjunct, cell) in effect.violated.iter().enumerate().filter(|(_, cell)| cell.states > 0) {
            let formula = report.formula(&model.invariant[conjunct]);
            let whence = if operation.is_some() { "from" } else { "in" };
            text += shown!("\n{} violates conjunct {}, {}, {} {}; ", name, conjunct + 1, formula, whence, of_all(cell, found));
            text += example(report, cell);
        }
        for (conjunct, error) in effect.undecided.iter().enumerate().filter_map(|(at, error)| Some((at, error.as_ref()?))) {
            text += shown!("\nafter {}, conjunct {} has no known value: {}\n", name, conjunct + 1, report.reason(error));
        }
        text += unfinished(report, &name, effect);
    }
    for Undefined { error, states } in found.undefined.iter().flatten() {
        text += shown!("\n{}, in {}; ", report.reason(error), of_all(states, found));
        text += example(report, states);
    }
    if let Some(cell) = found.deadlocks.as_ref().filter(|cell| cell.states > 0) {
        text += shown!("\nno operation is enabled in {}; ", of_all(cell, found));
        text += example(report, cell);
    }
    for (at, cell) in found.assertions.iter().flatten().enumerate().filter(|(_, cell)| cell.states > 0) {
        let formula = one_line(report.sources, model.assertions[at].pred.span);
        text += shown!("\nassertion {}, {}, is false in {}; ", at + 1, formula, of_all(cell, found));
        text += example(report, cell);
    }
    if let Some(reason) = &report.stopped {
        text += shown!("\n{}: not all states were looked at\n", reason);
    }
    text + shown!("\n{}\n", report.verdict().word())
}

/// Why not all steps of an operation are known, if so. Where each place without a value is listed, this need not be said here.
fn unfinished(report: &InductionReport<'_>, name: &str, effect: &PreservationRow) -> Shown {
    let Some(error) = &effect.incomplete else { return Shown::new() };
    if !error.kind.is_ill_defined() {
        return shown!("\n{} has steps that are not known: {}\n", name, report.reason(error));
    }
    if report.found.undefined.is_some() {
        return Shown::new();
    }
    if effect.ill_defined.states == 0 {
        return shown!("\n{} is ill-defined: {}\n", name, report.reason(error));
    }
    let states = of_all(&effect.ill_defined, report.found);
    shown!("\n{} is ill-defined in {}: {}; ", name, states, report.reason(error)) + example(report, &effect.ill_defined)
}

/// A number of states with its noun, and how many they are up to symmetry where that is another number. Representatives only, where counts
/// of the full space are not exact.
fn counted(states: u64, full_states: &BigUint, is_exact: bool) -> [String; 2] {
    let all = if is_exact { full_states.to_string() } else { states.to_string() };
    let is_reduced = is_exact && *full_states != states.into();
    let up_to = if is_reduced { format!(" ({states} up to symmetry)") } else { String::new() };
    [if all == "1" { "1 state".to_owned() } else { format!("{all} states") }, up_to]
}

fn of_all(cell: &Refuted, found: &Induction) -> String {
    counted(cell.states, &cell.full_states, found.is_exact).concat()
}

/// Operations down, conjuncts across by number: names may be long, numbers are not.
fn matrix(report: &InductionReport<'_>) -> Shown {
    let width = report.model.invariant.len().to_string().len();
    let numbered = |(at, conjunct): (usize, &Conjunct)| {
        let number = Shown::line(&(at + 1).to_string()).right(width);
        shown!("  {}  {}\n", number, report.formula(conjunct))
    };
    let mut text = shown!("\n") + Shown::join(report.asked().map(numbered), "") + shown!("\n");
    let names: Vec<String> = report.found.effects().map(|(operation, _)| report.effect_name(operation)).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let heads = report.asked().map(|(at, _)| Shown::line(&(at + 1).to_string()).right(width));
    text += shown!("  {}  {}\n", " ".repeat(widest), Shown::join(heads, " "));
    for ((_, effect), name) in report.found.effects().zip(names) {
        let marks = report.asked().map(|(at, _)| Shown::line(report.mark(effect, at).sign()).right(width));
        text += shown!("  {}  {}\n", Shown::line(&name).left(widest), Shown::join(marks, " "));
    }
    text + shown!("\n+ preserved, - violated, ? not known\n")
}

/// The example after "for example", with what is known of whether its state is reachable.
fn example(report: &InductionReport<'_>, refuted: &Refuted) -> Shown {
    let Some(NamedExample { before, step, reached }) = report.named(refuted) else { return shown!("no example is known\n") };
    let line = |(name, value): &(String, String)| shown!("    {} = {}\n", in_back_quotes(name), value);
    let mut text = match reached {
        None => shown!("for example\n"),
        Some(Reachability::After(0)) => shown!("for example, initially\n"),
        Some(Reachability::After(1)) => shown!("for example, in a state that is reached in 1 step\n"),
        Some(Reachability::After(steps)) => shown!("for example, in a state that is reached in {} steps\n", steps),
        Some(Reachability::Never) => shown!("for example, in a state that is not reachable\n"),
        Some(Reachability::Unknown) => shown!("for example, in a state that was not reached before the search ended\n"),
    };
    text += Shown::join(before.iter().map(line), "");
    if let Some(step) = step {
        text += shown!("  {}\n", title(&step));
        text += Shown::join(step.changes().map(line), "");
    }
    text
}

#[derive(Serialize)]
struct InductionDocument<'a> {
    format: &'static str,
    version: u32,
    machine: &'a str,
    deferred: Object<'a, u32>,
    verdict: &'static str,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'a str>,
    states: String,
    full_states: Option<String>,
    conjuncts: Vec<ConjunctObject>,
    effects: Vec<EffectObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlocks: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assertions: Option<Vec<serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<Vec<serde_json::Value>>,
}

#[derive(Serialize)]
struct ConjunctObject {
    number: usize,
    formula: String,
    label: Option<String>,
    line: usize,
}

#[derive(Serialize)]
struct EffectObject<'a> {
    /// None of the initialisation.
    operation: Option<&'a str>,
    steps: String,
    conjuncts: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ill_defined: Option<serde_json::Value>,
}

/// The JSON form, `bcheck-induct` version 1. Counts are strings, as those of the full space may be beyond any machine word.
pub(crate) fn json(report: &InductionReport<'_>) -> Shown {
    let InductionReport { model, scope, sources, found, stopped, .. } = report;
    let refuted = |cell: &Refuted| {
        let full = found.is_exact.then(|| cell.full_states.to_string());
        serde_json::json!({ "states": cell.states.to_string(), "full_states": full, "example": report.named(cell).map(example_object) })
    };
    let effects = found.effects().map(|(operation, effect)| {
        let conjuncts = report.asked().map(|(at, _)| {
            let mut object = refuted(&effect.violated[at]);
            object["result"] = report.mark(effect, at).word().into();
            if let Some(error) = &effect.undecided[at] {
                object["error"] = report.reason(error).into();
            }
            object
        });
        EffectObject {
            operation: operation.map(|id| model.operation_name(id)),
            steps: effect.steps.to_string(),
            conjuncts: conjuncts.collect(),
            incomplete: effect.incomplete.as_ref().map(|error| report.reason(error)),
            ill_defined: (effect.ill_defined.states > 0).then(|| refuted(&effect.ill_defined)),
        }
    });
    let undefined = |Undefined { error, states }: &Undefined| {
        let mut object = refuted(states);
        object["error"] = report.reason(error).into();
        object
    };
    let conjuncts = report.asked().map(|(at, conjunct)| ConjunctObject {
        number: at + 1,
        formula: one_line(sources, conjunct.pred.span),
        label: conjunct.label.clone(),
        line: sources.line_column(conjunct.pred.span).line,
    });
    pretty(&InductionDocument {
        format: "bcheck-induct",
        version: 1,
        machine: &model.name,
        deferred: deferred(model, scope).collect(),
        verdict: report.verdict().word(),
        complete: found.is_complete,
        stopped: stopped.as_deref(),
        states: found.states.to_string(),
        full_states: found.is_exact.then(|| found.full_states.to_string()),
        conjuncts: conjuncts.collect(),
        effects: effects.collect(),
        deadlocks: found.deadlocks.as_ref().map(refuted),
        assertions: found.assertions.as_ref().map(|all| all.iter().map(refuted).collect()),
        undefined: found.undefined.as_ref().map(|all| all.iter().map(undefined).collect()),
    })
}

fn example_object(NamedExample { before, step, reached }: NamedExample) -> serde_json::Value {
    let step = step.map(|step| {
        serde_json::json!({
            "name": step.name,
            "arguments": texts(&step.arguments),
            "results": texts(&step.results),
            "state": texts(&step.state),
        })
    });
    let mut object = serde_json::json!({ "state": texts(&before), "step": step });
    if let Some(reached) = reached {
        let (is_reachable, distance) = match reached {
            Reachability::After(steps) => (Some(true), Some(steps)),
            Reachability::Never => (Some(false), None),
            Reachability::Unknown => (None, None),
        };
        object["reachable"] = serde_json::json!(is_reachable);
        object["distance"] = serde_json::json!(distance);
    }
    object
}
