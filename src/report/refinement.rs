//! A failed obligation of a refinement in words: what the refinement did, and why the refined machine cannot follow.
//!
//! Invariant: each state in which the refined machine could be has its sentence, up to a limit that is stated.

use super::finding::{first_line, one_line, plain, written_arguments};
use super::notation::{Notation, notations, of_results, written};
use super::{CheckReport, Violation};
use bcheck_explore::refine::{Mismatch, Obligation, Reason, Tried};
use bcheck_explore::{Fault, FaultKind, FaultyPart, TraceStep};
use bcheck_ir::{Model, Operation, OperationId, Refinement};
use bcheck_source::{SourceMap, Span};
use bcheck_value::Value;

/// Limit on the states of the refined machine, and on its results, that are shown.
const SHOWN: usize = 8;

/// A model of both sides, with its texts.
#[derive(Clone, Copy)]
pub(super) struct BothSides<'a> {
    pub(super) model: &'a Model,
    pub(super) sources: &'a SourceMap,
    pub(super) refinement: &'a Refinement,
}

impl<'a> BothSides<'a> {
    /// Those of a refinement check.
    pub(crate) fn of(report: &CheckReport<'a>, refinement: &'a Refinement) -> Self {
        Self { model: report.model, sources: report.sources, refinement }
    }
}

/// The finding in words.
pub(super) fn violation(report: &CheckReport<'_>, mismatch: &Mismatch) -> Option<Violation> {
    let refinement = report.refinement?.refinement;
    let sides = BothSides::of(report, refinement);
    let refined = &refinement.refined;
    let operation = |id: OperationId| report.model.operations.get_index(id.index());
    let found = mismatch.operation.and_then(operation);
    let name = found.map_or("", |(name, _)| name);
    let message = match mismatch.obligation {
        Obligation::Initialisation => format!("an initial state of the refinement is related to no initial state of `{refined}`"),
        // A step with these arguments and results exists, so it is the state after it that does not fit.
        Obligation::Operation if mismatch.tried.iter().any(|tried| matches!(tried.reason, Reason::Unrelated(..))) => {
            format!("no step of `{refined}` with the arguments and results of `{name}` leads to a related state")
        }
        Obligation::Operation => format!("`{refined}` has no step with the arguments and results of `{name}`"),
        Obligation::Internal => format!("`{name}` has no counterpart in `{refined}` and does not refine skip"),
        Obligation::Precondition => format!("`{name}` refuses a call that `{refined}` allows: its precondition is stronger"),
        Obligation::Refusal => format!("the refinement refuses calls that `{refined}` would take in every state that it may be in"),
        Obligation::Divergence => "the refinement can go on for ever by internal steps, without another call".to_owned(),
    };
    let span = match mismatch.obligation {
        Obligation::Initialisation => operation(refinement.concrete_initialisation).map(|(_, operation)| operation.span),
        Obligation::Precondition => refused(refinement, mismatch.operation).and_then(operation).map(|(_, operation)| operation.span),
        Obligation::Operation | Obligation::Internal | Obligation::Refusal | Obligation::Divergence => {
            found.map(|(_, operation)| operation.span)
        }
    };
    let arguments = found.map(|(_, operation)| written_arguments(operation, &mismatch.arguments, report.model));
    Some(Violation {
        obligation: Some(mismatch.obligation.as_str()),
        operation: found.map(|(name, _)| name.clone()),
        arguments: arguments.unwrap_or_default(),
        notes: notes(sides, mismatch),
        ..plain("refinement", &message, span.map(|span| first_line(report.sources, span)))
    })
}

/// In a refinement by itself, a step without a match leaves the refined machine in no state: then it is not the gluing invariant that is
/// false, but the step has no counterpart.
pub(super) fn without_counterpart(report: &CheckReport<'_>, fault: &Fault, violation: Violation) -> Violation {
    let (model, trace) = (report.model, report.outcome.finding.as_ref().map(|finding| &finding.trace));
    let last = trace.and_then(|trace| trace.steps.last());
    // The set of the states of the refined machines is the last variable, and the conjunct about it the last one.
    let is_gluing =
        matches!(fault, Fault { part: FaultyPart::Invariant(index), kind: FaultKind::Violated } if index + 1 == model.invariant.len());
    let is_lost = |step: &&TraceStep| matches!(step.state.last(), Some(Value::Set(states)) if states.is_empty());
    let step = last.filter(|_| is_gluing && !model.within.is_empty()).filter(is_lost);
    let found = step.and_then(|step| Some((step, model.operations.get_index(step.operation?.index())?)));
    let (Some((step, (name, operation))), Some(refined)) = (found, model.within.first()) else { return violation };
    let mut notes = violation.notes;
    if !operation.results.is_empty() {
        notes.push(format!("`{name}` gives {}", results(model, operation, &step.results)));
    }
    let message = format!("`{refined}` has no step with the arguments and results of `{name}`");
    Violation {
        operation: Some(name.clone()),
        arguments: written_arguments(operation, &step.arguments, model),
        notes,
        ..plain(violation.kind, &message, Some(first_line(report.sources, operation.span)))
    }
}

fn refused(refinement: &Refinement, operation: Option<OperationId>) -> Option<OperationId> {
    refinement.operations.iter().find(|refining| Some(refining.operation) == operation)?.refused
}

/// Why the refined machine does not follow, a sentence for each of its states.
pub(super) fn notes(sides: BothSides<'_>, mismatch: &Mismatch) -> Vec<String> {
    let operation = mismatch.operation.and_then(|id| sides.model.operations.get_index(id.index())).map(|(_, operation)| operation);
    let mut notes: Vec<String> = mismatch.tried.iter().take(SHOWN).map(|tried| note(sides, tried, operation)).collect();
    if mismatch.tried.len() > SHOWN {
        notes.push(format!("and {} more", mismatch.tried.len() - SHOWN));
    }
    notes
}

fn note(sides: BothSides<'_>, tried: &Tried, operation: Option<&Operation>) -> String {
    let refined = &sides.refinement.refined;
    let before = tried.before.as_ref().map(|values| format!("`{refined}` in {}", state(sides, values)));
    // Before the initialisation there is no state to name.
    let before = before.unwrap_or_else(|| format!("`{refined}`"));
    match &tried.reason {
        Reason::Disabled => format!("{before} has no such step with these arguments"),
        Reason::OtherResults(others) => {
            let shown: Vec<String> = others.iter().take(SHOWN).map(|results| results_text(sides, operation, results)).collect();
            format!("{before} gives other results only: {}", shown.join("; "))
        }
        Reason::Unrelated(after, conjunct) => {
            let to = match &tried.before {
                Some(same) if same == after => "stays as it is".to_owned(),
                Some(_) => format!("may go to {}", state(sides, after)),
                None => format!("may begin with {}", state(sides, after)),
            };
            format!("{before} {to}, where {} is false", conjunct_text(sides, *conjunct))
        }
        Reason::Allows => format!("{before} allows the call"),
        Reason::Offers(operation, arguments) => format!("{before} takes {}", call_text(sides, *operation, arguments)),
        Reason::Repeats(1) => "the last step can be repeated for ever, up to the names of elements".to_owned(),
        Reason::Repeats(steps) => format!("the last {steps} steps can be repeated for ever, up to the names of elements"),
        Reason::NoInitialState => format!("{before} has no initial state"),
    }
}

/// The refined machine's variables with values, under their own names.
fn state(sides: BothSides<'_>, values: &[Value]) -> String {
    // `abstracts` is a range of a valuation, which begins with the constants; the names below are those of variables alone.
    let first = sides.refinement.abstracts.start - sides.model.constants.len();
    let prefix = format!("{}::", sides.refinement.refined);
    // As one model of both machines, variables of the refined one have its name in front.
    let names = sides.model.variables.keys().skip(first).map(|name| name.strip_prefix(&prefix).unwrap_or(name));
    let notations = notations(sides.model).into_iter().skip(sides.refinement.abstracts.start);
    let equation = |((name, value), notation): ((&str, &Value), Notation)| format!("{name} = {}", written(value, &notation, sides.model));
    let shown: Vec<String> = names.zip(values).zip(notations).map(equation).collect();
    if shown.is_empty() { "its only state".to_owned() } else { shown.join(", ") }
}

fn call_text(sides: BothSides<'_>, operation: OperationId, arguments: &[Value]) -> String {
    let Some((name, operation)) = sides.model.operations.get_index(operation.index()) else { return String::new() };
    if arguments.is_empty() {
        return format!("`{name}`");
    }
    let arguments = written_arguments(operation, arguments, sides.model).into_iter().map(|(_, value)| value);
    format!("`{name}({})`", arguments.collect::<Vec<_>>().join(", "))
}

fn results_text(sides: BothSides<'_>, operation: Option<&Operation>, results: &[Option<Value>]) -> String {
    operation.map_or_else(String::new, |operation| self::results(sides.model, operation, results))
}

fn results(model: &Model, operation: &Operation, results: &[Option<Value>]) -> String {
    let of_results = of_results(operation, &notations(model), model);
    let text = |(value, notation): (&Option<Value>, &Notation)| {
        value.as_ref().map_or_else(|| "undefined".to_owned(), |value| written(value, notation, model))
    };
    let equations = operation.results.iter().zip(results.iter().zip(&of_results).map(text));
    equations.map(|((name, ..), text)| format!("{name} = {text}")).collect::<Vec<_>>().join(", ")
}

fn conjunct_text(sides: BothSides<'_>, index: usize) -> String {
    let formula = conjunct_formula(sides, index);
    if index >= sides.refinement.first_equation { format!("`{formula}` (a variable of both machines)") } else { format!("`{formula}`") }
}

/// A conjunct of the INVARIANT as written, or the equation for a variable that both machines have.
pub(super) fn conjunct_formula(sides: BothSides<'_>, index: usize) -> String {
    let span: Option<Span> = sides.model.invariant.get(index).map(|conjunct| conjunct.pred.span);
    let text = span.map(|span| one_line(sides.sources, span)).unwrap_or_default();
    if index >= sides.refinement.first_equation { format!("{text} = {}::{text}", sides.refinement.refined) } else { text }
}

/// Which calls are not steps, for a refinement that is checked by itself.
pub(super) fn within(model: &Model) -> Option<String> {
    let (last, others) = model.within.split_last()?;
    let machines = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("the preconditions of {machines}: a call outside of them is no step"))
}
