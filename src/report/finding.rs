//! Findings in words, and the warnings of a completed search.
//!
//! Invariant: every format renders a finding from the same [`Violation`], so they cannot disagree.

use super::notation::{Notation, of_parameters, written};
use super::{CheckReport, integer_bounds, refinement};
use bcheck_eval::{Contradiction, EvalError, EvalErrorKind};
use bcheck_explore::{Fault, FaultKind, FaultyPart, LimitHit, TemporalResult};
use bcheck_ir::{Conjunct, Model, Operation, OperationId, SetId};
use bcheck_source::{Code, Diagnostic, SourceMap, Span};
use bcheck_value::display::display;
use bcheck_value::{IllDefined, Value};

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A word for programs: `invariant`, `deadlock`, `assertion`, `goal`, `ill_defined`, ….
    pub kind: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The place in the text.
    pub span: Option<Span>,
    /// The text of the violated formula, on one line.
    pub formula: Option<String>,
    /// The formula's label.
    pub label: Option<String>,
    /// Which conjunct of the invariant, or which assertion, from 1.
    pub number: Option<usize>,
    /// In a refinement check: the obligation that failed.
    pub obligation: Option<&'static str>,
    /// The operation that is to blame.
    pub operation: Option<String>,
    /// Its arguments; for a temporal formula, the values of quantified names for which it fails.
    pub arguments: Vec<(String, String)>,
    /// The formulas that contradict each other, the first of which is at the place.
    pub contradiction: Vec<ContradictionPart>,
    /// Whether all of them are known to be needed.
    pub is_irreducible: bool,
    /// More sentences, such as the values of the operands.
    pub notes: Vec<String>,
}

/// One of several formulas that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContradictionPart {
    /// The place in the text.
    pub span: Span,
    /// Its text, on one line.
    pub formula: String,
    /// Its label.
    pub label: Option<String>,
}

/// The finding that the verdict is about, in words.
#[must_use]
pub fn violation(report: &CheckReport<'_>) -> Option<Violation> {
    let fault = &report.outcome.finding.as_ref()?.fault;
    if let FaultyPart::Obligation(mismatch) = &fault.part {
        return refinement::violation(report, mismatch);
    }
    let mut violation = violation_of(report.model, report.sources, fault)?;
    if let FaultyPart::Temporal(index) = fault.part {
        let result = report.outcome.temporal.iter().find(|result| result.formula == index);
        violation.arguments.extend(result.into_iter().flat_map(|result| values_of(result, report.model)));
    }
    violation.notes.extend(integer_bounds::note(report));
    Some(refinement::without_counterpart(report, fault, violation))
}

/// A fault of one machine in words; `None` for one of a refinement check.
#[must_use]
pub fn violation_of(model: &Model, sources: &SourceMap, Fault { part, kind }: &Fault) -> Option<Violation> {
    let row = part.row();
    let (operation, arguments) = match part {
        FaultyPart::Obligation(_) => return None,
        FaultyPart::Guard(operation) => (Some(*operation), Vec::new()),
        FaultyPart::Body(operation, values) => (Some(*operation), written_call(*operation, values, model)),
        _ => (None, Vec::new()),
    };
    let operation = operation.map(|operation| model.operation_name(operation).to_owned());
    let violation = match kind {
        FaultKind::Unsatisfiable(found) => return Some(no_setup(model, sources, found)),
        FaultKind::IllDefined(error) => {
            let name = operation.as_ref().map(|operation| format!(" `{operation}`")).unwrap_or_default();
            let message = format!("in {}{name}: {}", row.name, error.kind);
            // The place is that of the undefined operator, so the conjunct is given by number and label.
            Violation { notes: values_met(model, error), ..plain("ill_defined", &message, Some(error.span)) }
        }
        FaultKind::Violated => {
            let formula = match part {
                // As it was typed, on one line: users search for their own text, not for a normal form.
                FaultyPart::Temporal(index) => Some(model.temporal.get(*index)?.text.split_whitespace().collect::<Vec<_>>().join(" ")),
                // A formula without a place in a text has no words.
                _ => part.pred(model).map(|pred| one_line(sources, pred.span)).filter(|text| !text.is_empty()),
            };
            Violation { formula, ..plain(row.word, row.sentence, part.span(model)) }
        }
    };
    Some(Violation { number: part.number(), label: part.label(model).map(str::to_owned), operation, arguments, ..violation })
}

/// The values of quantified names for which a formula fails, in the order of the quantifiers.
pub(super) fn values_of(result: &TemporalResult, model: &Model) -> Vec<(String, String)> {
    result.values.iter().map(|(local, value)| (model.local_name(*local).to_owned(), display(value, model))).collect()
}

/// Said of conjuncts that may not all be needed for a contradiction.
pub const PERHAPS_FEWER: &str = "whether fewer of them do so could not be decided";

/// That this many conjuncts, at least one, have no solution together.
pub fn contradicting(conjuncts: usize) -> String {
    match conjuncts {
        1 => "one conjunct cannot hold".to_owned(),
        count => format!("{count} conjuncts contradict each other"),
    }
}

/// The sentences of a report about PROPERTIES, or CONSTRAINTS alone, without a solution.
const NO_SET_UP: [&str; 3] = [
    "no values of the constants satisfy PROPERTIES",
    "no values of the parameters satisfy CONSTRAINTS",
    "parameters that do not satisfy CONSTRAINTS",
];

/// Whether a report, in any format, states that there is no set-up.
#[must_use]
pub fn says_no_set_up(report: &str) -> bool {
    NO_SET_UP.iter().any(|sentence| report.contains(sentence))
}

fn no_setup(model: &Model, sources: &SourceMap, found: &Contradiction) -> Violation {
    let part = |conjunct: &Conjunct| ContradictionPart {
        span: conjunct.pred.span,
        formula: one_line(sources, conjunct.pred.span),
        label: conjunct.label.clone(),
    };
    let contradiction: Vec<ContradictionPart> = found.conjuncts.iter().filter_map(|&at| model.properties.get(at)).map(part).collect();
    // Without that clause only the CONSTRAINTS of parameters can have no solution.
    let given: Vec<Option<Span>> = found.conjuncts.iter().filter_map(|&at| model.properties.get(at)).map(|part| part.given).collect();
    let only_given = given.iter().copied().collect::<Option<Vec<Span>>>().and_then(|given| given.first().copied());
    let nothing = match only_given {
        // It is the parameters that do not fit, whatever the constants.
        Some(reference) => format!("`{}` gives {}", closed(sources, reference).1, NO_SET_UP[2]),
        None if given.iter().any(Option::is_some) => format!("{} and CONSTRAINTS", NO_SET_UP[0]),
        None => NO_SET_UP[usize::from(!model.has_properties)].to_owned(),
    };
    let message = if contradiction.is_empty() { nothing } else { format!("{nothing}: {}", contradicting(contradiction.len())) };
    let span = only_given.map(|reference| closed(sources, reference).0).or(contradiction.first().map(|part| part.span));
    let mut notes: Vec<String> = contradiction
        .iter()
        .zip(&given)
        .filter_map(|(part, given)| {
            let place = super::diagnostics::place;
            let reference = closed(sources, (*given)?);
            let said = format!("CONSTRAINTS demands `{}` ({})", part.formula, place(part.span, sources));
            Some(format!("{said} of the parameters in `{}` ({})", reference.1, place(reference.0, sources)))
        })
        .collect();
    if !found.is_irreducible {
        notes.push(PERHAPS_FEWER.to_owned());
    }
    if !found.satisfiable_with.is_empty() {
        let size = |(set, size): &(SetId, u32)| format!("{} = {size}", model.set_name(*set));
        let sizes: Vec<String> = found.satisfiable_with.iter().map(size).collect();
        notes.push(format!("satisfiable with {}", sizes.join(", ")));
    }
    Violation { contradiction, is_irreducible: found.is_irreducible, notes, ..plain("properties", &message, span) }
}

/// A reference with its parenthesis, and its text on one line.
fn closed(sources: &SourceMap, reference: Span) -> (Span, String) {
    let behind = sources.file(reference.file).text.get(reference.end as usize..).unwrap_or("");
    let gap = behind.len() - behind.trim_start().len();
    let closing = u32::try_from(gap + 1).ok().filter(|_| behind[gap..].starts_with(')'));
    let whole = Span { end: reference.end + closing.unwrap_or(0), ..reference };
    (whole, one_line(sources, whole))
}

pub(super) fn plain(kind: &'static str, message: &str, span: Option<Span>) -> Violation {
    Violation {
        kind,
        message: message.to_owned(),
        span,
        formula: None,
        label: None,
        number: None,
        obligation: None,
        operation: None,
        arguments: Vec::new(),
        contradiction: Vec::new(),
        is_irreducible: false,
        notes: Vec::new(),
    }
}

/// The parameters of an operation with these values.
pub(super) fn written_arguments(operation: &Operation, values: &[Value], model: &Model) -> Vec<(String, String)> {
    let names = operation.parameters.iter().map(|(name, ..)| name);
    let text = |((name, value), notation): ((&String, &Value), Notation)| (name.clone(), written(value, &notation, model));
    names.zip(values).zip(of_parameters(operation)).map(text).collect()
}

fn written_call(operation: OperationId, values: &[Value], model: &Model) -> Vec<(String, String)> {
    let declared = model.operations.get_index(operation.index());
    declared.map(|(_, declared)| written_arguments(declared, values, model)).unwrap_or_default()
}

/// The values of the operands of an ill-defined operator, one sentence each.
#[must_use]
pub fn values_met(model: &Model, error: &EvalError) -> Vec<String> {
    match &error.kind {
        EvalErrorKind::IllDefined(IllDefined::NotInDomain { argument }) => vec![format!("the argument is {}", display(argument, model))],
        EvalErrorKind::IllDefined(IllDefined::NotAFunction { argument, first, second }) => {
            vec![format!("it relates {} to {} and to {}", display(argument, model), display(first, model), display(second, model))]
        }
        _ => Vec::new(),
    }
}

/// The text of a span with white space collapsed.
pub(super) fn one_line(sources: &SourceMap, span: Span) -> String {
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The warnings of a finished search: ill-defined guards, results left unassigned, operations never enabled, sets that could not be
/// enumerated.
#[must_use]
pub fn warnings(report: &CheckReport<'_>) -> Vec<Diagnostic> {
    let model = report.model;
    let mut warnings = Vec::new();
    if let Some(LimitHit::Enumeration(error) | LimitHit::Partial(error) | LimitHit::Undecided(error)) = &report.outcome.limit {
        // An error, although the machine is correct: it is the reason why there is no verdict.
        let code = if matches!(error.kind, EvalErrorKind::NotJudged(..)) { Code::NotChecked } else { Code::CannotEnumerate };
        let warning = Diagnostic::error(code, error.span, error.kind.to_string());
        // There may be solutions if the bounds cover the numbers of the text.
        let outside = matches!(&error.kind, EvalErrorKind::Unbounded(what) if what.contains(" outside "));
        let covering = integer_bounds::covering(report).filter(|_| outside);
        let warning =
            covering.into_iter().fold(warning, |warning, options| warning.help(format!("{options} covers the numbers of the text")));
        warnings.push(match error.kind {
            // A bound on some name would not help these.
            EvalErrorKind::TooDeep(_) | EvalErrorKind::TooLarge => warning,
            EvalErrorKind::NotChosen(_) => warning.help("--symmetry off takes the first ones; with a bound all are tried"),
            EvalErrorKind::NotFollowed(..) | EvalErrorKind::IllDefinedAbove(..) => warning.help("`bcheck refine` checks that link"),
            EvalErrorKind::NotJudged(..) => warning.help("--no-temporal leaves stated temporal formulas out of the verdict"),
            EvalErrorKind::LeftOut { has_more: true, .. } => warning.help("--max-choices N tries more of them; with a bound all are tried"),
            // Whatever the kind of enumeration, the remedy is a bound: the user knows which one is best.
            _ => warning.help("bound it: a membership in a finite set (of numbers: an interval), or an equation"),
        });
    }
    for (operation, error) in &report.outcome.guard_warnings {
        let name = model.operation_name(*operation);
        let warning = Diagnostic::warning(
            Code::GuardIllDefined,
            error.span,
            format!("the guard of `{name}` is ill-defined in some state: {}", error.kind),
        )
        .help("such an instance of the operation counts as disabled");
        warnings.push(warning.label(values_met(model, error).join("; ")));
    }
    for (operation, error) in &report.outcome.unassigned_results {
        let name = model.operation_name(*operation);
        let message = match &error.kind {
            EvalErrorKind::Unassigned(result) => format!("`{name}` leaves its result `{result}` unassigned in some state"),
            other => format!("`{name}` leaves a result unassigned in some state: {other}"),
        };
        // The span is the whole operation, whose lines would bury the message.
        let place = first_line(report.sources, error.span);
        warnings.push(Diagnostic::warning(Code::ResultUnassigned, place, message).help("such a step counts, with an undefined result"));
    }
    // A search that was cut off may not have reached a state that enables the operation.
    if report.outcome.complete {
        // An operation whose only instance is ill-defined has no transition, but was enabled.
        let is_found = |operation| {
            let found = report.outcome.finding.as_ref().map(|finding| &finding.fault.part);
            matches!(found, Some(FaultyPart::Body(found, _)) if *found == operation)
        };
        for counts in report.outcome.operations.iter().filter(|counts| counts.transitions == 0 && !is_found(counts.operation)) {
            let Some((name, operation)) = model.operations.get_index(counts.operation.index()) else { continue };
            warnings.push(
                Diagnostic::warning(
                    Code::NeverEnabled,
                    first_line(report.sources, operation.span),
                    format!("operation `{name}` is never enabled"),
                )
                .help("no reachable state satisfies its guard at these sizes"),
            );
        }
    }
    warnings.extend(vacuous(report));
    warnings
}

/// The temporal formulas that hold, but less meaningfully than they seem to.
fn vacuous<'a>(report: &'a CheckReport<'_>) -> impl Iterator<Item = Diagnostic> + use<'a> {
    report.outcome.temporal.iter().filter_map(|result| {
        let (vacuity, stated) = (result.vacuity.as_ref()?, report.model.temporal.get(result.formula)?);
        let warning = Diagnostic::warning(Code::HoldsVacuously, stated.span, format!("the formula holds vacuously: {vacuity}"));
        Some(warning.help("the rest of it asks nothing of any path, so it says nothing else about this machine"))
    })
}

/// The part of a span on its first line, without the white space at its end.
#[must_use]
pub fn first_line(sources: &SourceMap, span: Span) -> Span {
    let line = sources.text(span).lines().next().unwrap_or("").trim_end();
    Span { end: span.start + u32::try_from(line.len()).unwrap_or(0), ..span }
}
