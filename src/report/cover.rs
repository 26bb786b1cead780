//! `bcheck cover`: the coverage of traces, and the traces, for people and as JSON.
//!
//! Invariant: "uncoverable" is reported only where the search has expanded every reachable state. Deliberately elsewhere: which targets
//! there are and how they are covered (`explore::cover`), files of traces (`cli`).

use super::deferred;
use super::json::pretty;
use super::json_objects::{Object, PlaceObject, SizeFields, StepObject, place_object, step_object, texts};
use super::named::{NamedStep, named_steps};
use super::target_text::{description, operation_of};
use super::trace;
use bcheck_explore::{Coverage, CoveringRun, Refused, Status, Target, TargetKind, TraceStep, Unobserved, Verdict};
use bcheck_ir::{Model, OperationId, Scope};
use bcheck_source::{Shown, SourceMap, Span, Vocabulary, in_back_quotes, shown};
use serde::Serialize;

/// The data of the report.
pub struct CoverReport<'a> {
    /// The machine.
    pub model: &'a Model,
    /// The sizes of its sets.
    pub scope: &'a Scope,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    /// The file of the machine as the user named it.
    pub file: &'a str,
    /// The targets.
    pub targets: &'a [Target],
    /// Their coverage.
    pub coverage: &'a Coverage,
    /// The reason why the search ended early, if it did.
    pub stopped: Option<String>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverVerdict {
    /// Every target is covered.
    Covered,
    /// Every target is covered or uncoverable.
    PartlyCoverable,
    /// A target is undecided.
    Incomplete,
}

impl CoverVerdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::PartlyCoverable => "partly_coverable",
            Self::Incomplete => Verdict::Incomplete.word(),
        }
    }
}

/// The most characters of a target's text in a table.
const LONGEST: usize = 72;

impl CoverReport<'_> {
    /// The verdict on the coverage.
    pub fn verdict(&self) -> CoverVerdict {
        match self.coverage {
            coverage if coverage.is_whole() => CoverVerdict::Covered,
            coverage if coverage.is_decided() => CoverVerdict::PartlyCoverable,
            _ => CoverVerdict::Incomplete,
        }
    }

    /// The requested targets, each with its number from 1 and its status.
    fn wanted(&self) -> impl Iterator<Item = (usize, &Target, &Status)> {
        let all = self.targets.iter().zip(&self.coverage.status).enumerate();
        all.filter(|(_, (_, status))| **status != Status::Unwanted).map(|(at, (target, status))| (at + 1, target, status))
    }

    fn count(&self, is_counted: impl Fn(&Status) -> bool) -> usize {
        self.wanted().filter(|(_, _, status)| is_counted(status)).count()
    }

    /// Line and column, with the file if it is not that of the machine.
    fn place(&self, span: Span) -> String {
        let place = self.sources.line_column(span);
        match &self.sources.file(span.file).name {
            name if name == self.file => format!("{}:{}", place.line, place.column),
            name => format!("{name}:{}:{}", place.line, place.column),
        }
    }

    /// Why a target is undecided, if it is.
    fn undecided(&self, target: &Target, status: &Status) -> Option<String> {
        let is_of = |(operation, _): &&(OperationId, Unobserved)| Some(*operation) == target.operation;
        match status {
            Status::Undecided => self.stopped.clone(),
            Status::Unobserved => self.coverage.unobserved.iter().find(is_of).map(|(_, why)| self.reason(why)),
            Status::Covered(_) | Status::Uncoverable | Status::Unwanted => None,
        }
    }

    /// Why a guard could not be observed where it is false.
    fn reason(&self, why: &Unobserved) -> String {
        match why {
            Unobserved::Parameter(parameter) => format!("nothing else bounds {}", in_back_quotes(self.model.local_name(*parameter))),
            Unobserved::Obstacle(error) => format!("{} ({})", error.kind, self.place(error.span)),
        }
    }

    fn refused_title(&self, refused: &Refused) -> String {
        let step =
            TraceStep { operation: Some(refused.operation), arguments: refused.arguments.clone(), results: Vec::new(), state: Vec::new() };
        trace::title(&super::named_step(self.model, &step, &[]))
    }
}

/// The report for people.
pub fn text(report: &CoverReport<'_>) -> Shown {
    let CoverReport { model, scope, coverage, .. } = report;
    let sizes = deferred(model, scope).map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ");
    let at = if sizes.is_empty() { String::new() } else { format!(" at {sizes}") };
    let covered = report.count(|status| matches!(status, Status::Covered(_)));
    let all = counted(report.count(|_| true), "target");
    let by = if coverage.runs.is_empty() { String::new() } else { format!(" by {}", counted(coverage.runs.len(), "trace")) };
    let mut text = shown!("{}{}: {} of {} covered{}\n\n", model.name, at, covered, all, by);
    text += table(report);
    for (number, run) in (1..).zip(&coverage.runs) {
        text += shown!("\ntrace {} covers {}\n", number, covers(report, run));
        text += trace::text(&named_steps(model, &run.trace));
        text += refusals(report, run);
    }
    if let Some((operation, error)) = &coverage.ill_defined {
        let place = report.place(error.span);
        let name = in_back_quotes(model.operation_name(*operation));
        text += shown!("\n{} is ill-defined in some state, which is no step: {} ({})\n", name, error.kind.to_string(), place);
    }
    for (operation, why) in &coverage.unobserved {
        let is_open =
            |(_, target, status): (usize, &Target, &Status)| target.operation == Some(*operation) && *status == Status::Unobserved;
        if report.wanted().any(is_open) {
            let name = in_back_quotes(model.operation_name(*operation));
            text += shown!("\nthe guard of {} was not tried where it is false, as {}\n", name, report.reason(why));
        }
    }
    if let Some(stopped) = &report.stopped {
        text += shown!("\n{}: what is not covered is undecided\n", stopped);
    } else if report.count(|status| *status == Status::Uncoverable) > 0 {
        text += shown!("\nuncoverable: every reachable state was expanded ({}), and no step covers it\n", states(coverage));
    }
    text + shown!("\n{}\n", report.verdict().word())
}

/// The calls that a run shows to be refused, in its order.
fn refusals(report: &CoverReport<'_>, run: &CoveringRun) -> Shown {
    let mut calls: Vec<(usize, &Refused, Vec<String>)> = Vec::new();
    for (target, place) in run.places.iter().filter(|(target, _)| is_wanted(report, *target)) {
        let Some(refused) = &place.refused else { continue };
        let number = (target + 1).to_string();
        match calls.iter_mut().find(|(step, call, _)| (*step, *call) == (place.step, refused)) {
            Some((.., numbers)) => numbers.push(number),
            None => calls.push((place.step, refused, vec![number])),
        }
    }
    calls.sort_by_key(|(step, ..)| *step);
    let line = |(step, call, numbers): &(usize, &Refused, Vec<String>)| {
        shown!("  after {}, {} is refused: covers {}\n", *step, report.refused_title(call), numbers.join(", "))
    };
    Shown::join(calls.iter().map(line), "")
}

fn states(coverage: &Coverage) -> String {
    counted(usize::try_from(coverage.states).unwrap_or(usize::MAX), "state")
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn is_wanted(report: &CoverReport<'_>, target: usize) -> bool {
    report.coverage.status[target] != Status::Unwanted
}

/// The numbers of the requested targets that a run covers.
fn covers(report: &CoverReport<'_>, run: &CoveringRun) -> String {
    let numbers = run.places.iter().filter(|(target, _)| is_wanted(report, *target)).map(|(target, _)| (target + 1).to_string());
    numbers.collect::<Vec<_>>().join(", ")
}

fn table(report: &CoverReport<'_>) -> Shown {
    let heads = ["", "place", "covered by", "in", "target"].map(str::to_owned);
    let row = |(number, target, status): (usize, &Target, &Status)| {
        let by = match status {
            Status::Covered(runs) => format!("trace {}", runs[0] + 1),
            Status::Uncoverable => "uncoverable".to_owned(),
            Status::Undecided | Status::Unobserved => "undecided".to_owned(),
            Status::Unwanted => String::new(),
        };
        let text = description(report.sources, target);
        let text = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        [number.to_string(), report.place(target.span), by, operation_of(report.model, target), text]
    };
    let rows: Vec<[String; 5]> = std::iter::once(heads).chain(report.wanted().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let line = |row: &[String; 5]| {
        let [number, place, by, operation, text] = row.each_ref().map(|cell| Shown::line(cell));
        let (number, place) = (number.right(widths[0]), place.right(widths[1]));
        let (by, operation) = (by.left(widths[2]), operation.left(widths[3]));
        shown!("  {}  {}  {}  {}  {}\n", number, place, by, operation, text)
    };
    Shown::join(rows.iter().map(line), "")
}

#[derive(Serialize)]
struct CoverDocument<'a> {
    format: &'static str,
    version: u32,
    machine: &'a str,
    #[serde(flatten)]
    sizes: SizeFields<'a>,
    verdict: &'static str,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'a str>,
    states: u64,
    targets: Vec<TargetObject<'a>>,
    traces: Vec<CoveringRunObject<'a>>,
}

#[derive(Serialize)]
struct TargetObject<'a> {
    number: usize,
    kind: &'static str,
    /// None of the initialisation.
    operation: Option<&'a str>,
    text: String,
    place: PlaceObject,
    status: &'static str,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    traces: Vec<usize>,
}

#[derive(Serialize)]
struct CoveringRunObject<'a> {
    number: usize,
    covers: Vec<CoveredObject<'a>>,
    trace: Vec<StepObject<'a>>,
}

#[derive(Serialize)]
struct CoveredObject<'a> {
    target: usize,
    step: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedObject<'a>>,
}

#[derive(Serialize)]
struct RefusedObject<'a> {
    operation: &'a str,
    arguments: Object<'a, &'a str>,
}

/// The JSON form, `bcheck-cover` version 1.
pub fn json(report: &CoverReport<'_>) -> Shown {
    let CoverReport { model, scope, sources, coverage, stopped, .. } = report;
    let named: Vec<Vec<NamedStep>> = coverage.runs.iter().map(|run| named_steps(model, &run.trace)).collect();
    let refused: Vec<Vec<Option<NamedStep>>> = coverage.runs.iter().map(|run| refused_calls(model, run)).collect();
    let targets = report.wanted().map(|(number, target, status)| TargetObject {
        number,
        kind: kind_word(target.kind),
        operation: target.operation.map(|id| model.operation_name(id)),
        text: description(sources, target),
        place: place_object(target.span, sources),
        status: status_word(status),
        reason: report.undecided(target, status),
        traces: if let Status::Covered(runs) = status { runs.iter().map(|run| run + 1).collect() } else { Vec::new() },
    });
    let traces = coverage.runs.iter().zip(named.iter().zip(&refused)).enumerate().map(|(at, (run, (steps, refused)))| {
        let places = run.places.iter().zip(refused).filter(|((target, _), _)| is_wanted(report, *target));
        let covers = places.map(|((target, place), refused)| CoveredObject {
            target: target + 1,
            step: place.step,
            refused: refused.as_ref().map(|call| RefusedObject { operation: &call.name, arguments: texts(&call.arguments) }),
        });
        CoveringRunObject { number: at + 1, covers: covers.collect(), trace: steps.iter().map(step_object).collect() }
    });
    pretty(&CoverDocument {
        format: "bcheck-cover",
        version: 1,
        machine: &model.name,
        sizes: SizeFields::of(model, scope),
        verdict: report.verdict().word(),
        complete: report.verdict() != CoverVerdict::Incomplete,
        stopped: stopped.as_deref(),
        states: coverage.states,
        targets: targets.collect(),
        traces: traces.collect(),
    })
}

/// The refused call of each place, if it has one.
fn refused_calls(model: &Model, run: &CoveringRun) -> Vec<Option<NamedStep>> {
    let call = |refused: &Refused| {
        let step =
            TraceStep { operation: Some(refused.operation), arguments: refused.arguments.clone(), results: Vec::new(), state: Vec::new() };
        super::named_step(model, &step, &[])
    };
    run.places.iter().map(|(_, place)| place.refused.as_ref().map(call)).collect()
}

fn kind_word(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Operation => "operation",
        TargetKind::Branch(_) => "branch",
        TargetKind::Disjunct => "disjunct",
        TargetKind::Condition(_) => "condition",
    }
}

fn status_word(status: &Status) -> &'static str {
    match status {
        Status::Covered(_) => "covered",
        Status::Uncoverable => "uncoverable",
        Status::Undecided | Status::Unobserved => "undecided",
        Status::Unwanted => "unwanted",
    }
}
