//! The result of a replay as text, as JSON, and in short lines.
//!
//! Invariant: all formats render the same [`ReplayReport`]; the last line of text is the grade and nothing else. *Perfect* means that
//! every step was found with every value in the trace, its postconditions hold and it ends as stated in the trace; *broken*, that not even
//! the first step was found; *partial* is all between.

use super::diagnostics::{Colour, place, render as render_diagnostic};
use super::json::pretty;
use super::json_objects::{
    EndObject, Object, PlaceObject, SizeFields, StepObject, ViolationObject, end_object, place_object, step_object, violation_object,
};
use super::recorded::RecordedTrace;
use super::trace::{text_of_run, title};
use super::{NamedStep, Violation, deferred, equations, named_steps};
use bcheck_explore::{Trace, TraceEnd};
use bcheck_ir::{Model, Scope};
use bcheck_source::{Code, Diagnostic, Shown, SourceMap, Span, shown};
use serde::Serialize;

/// Everything that a report about a replay may contain.
#[derive(Clone, Copy, Debug)]
pub struct ReplayReport<'a> {
    /// The texts that spans point into.
    pub sources: &'a SourceMap,
    /// The machine's file as the user named it.
    pub file: &'a str,
    /// The trace's file likewise.
    pub trace_file: &'a str,
    /// The machine.
    pub model: &'a Model,
    /// Sizes and bounds.
    pub scope: &'a Scope,
    /// The content of the file.
    pub recorded: &'a RecordedTrace,
    /// The run, as far as it went.
    pub run: &'a Trace,
    /// Why it went no further.
    pub stop: Option<&'a Stop>,
    /// Postconditions in the trace that do not hold, one sentence each.
    pub failed: &'a [String],
    /// The parts of the trace that were not compared, one sentence each.
    pub left_out: &'a [String],
    /// Other remarks, one sentence each; they do not count against the trace.
    pub notes: &'a [String],
    /// How the run continues after its last step, if the trace states it.
    pub ending: Option<&'a Ending>,
    /// The finding in the last state, if it is one: its verdict, and the finding in words.
    pub end: Option<(&'static str, &'a Violation)>,
}

/// Where and why a replay stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The step of the file, from 0.
    pub step: usize,
    /// The step as the file has it.
    pub title: String,
    /// A word for programs.
    pub reason: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The place in the machine.
    pub span: Option<Span>,
    /// The formula there.
    pub formula: Option<String>,
    /// Its values in the trace.
    pub values: Vec<(String, String)>,
    /// Remedies.
    pub help: Vec<String>,
}

/// How the run continues after the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// As stated in the trace, in the steps of the run.
    pub end: TraceEnd,
    /// Whether the machine does so; `None` where that cannot be seen.
    pub is_confirmed: Option<bool>,
    /// One sentence without a full stop.
    pub message: String,
}

/// How good a replay was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Every step with every value, and every postcondition holds.
    Perfect,
    /// Some steps, or all but without some values.
    Partial,
    /// Not even the first step.
    Broken,
}

impl Grade {
    /// The word that reports print.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Perfect => "perfect",
            Self::Partial => "partial",
            Self::Broken => "broken",
        }
    }
}

impl ReplayReport<'_> {
    /// The grade.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self.stop {
            // A run to the end is only partial if values were not compared, postconditions failed, or it does not end as it should.
            None if self.left_out.is_empty() && self.failed.is_empty() && self.refuted_ending().is_none() => Grade::Perfect,
            Some(stop) if stop.step == 0 => Grade::Broken,
            _ => Grade::Partial,
        }
    }

    /// The ending that the machine does not have.
    fn refuted_ending(&self) -> Option<&Ending> {
        self.ending.filter(|ending| ending.is_confirmed == Some(false))
    }

    /// The number of steps that were run, as a sentence.
    pub(crate) fn count(&self) -> String {
        let replayed = self.replayed();
        match self.recorded.steps.len() {
            0 => "The trace has no steps.".to_owned(),
            1 => format!("{replayed} of 1 step was replayed."),
            steps => format!("{replayed} of {steps} steps were replayed."),
        }
    }

    /// The number of steps of the file that were run.
    fn replayed(&self) -> usize {
        // Steps of the file: the run may have an additional one, if a set-up was inserted.
        self.stop.map_or(self.recorded.steps.len(), |stop| stop.step)
    }
}

/// The report for people.
#[must_use]
pub fn text(report: &ReplayReport<'_>, colour: Colour) -> Shown {
    let mut text = shown!("{} ({}) along {} ({})\n", report.model.name, report.file, report.trace_file, report.recorded.format);
    let sizes: Shown = deferred(report.model, report.scope).map(|(name, size)| shown!("{} = {}, ", name, size)).collect();
    text += shown!("  {}MININT = {}, MAXINT = {}\n\n", sizes, report.scope.minint, report.scope.maxint);
    text += text_of_run(&named_steps(report.model, report.run), report.run.end);
    if !report.run.steps.is_empty() {
        text += shown!("\n");
    }
    for note in report.notes.iter().chain(report.left_out) {
        text += shown!("note: {}\n", note);
    }
    text += shown!("{}\n", report.count());
    for failure in report.failed {
        text += shown!("error: {}\n", failure);
    }
    if let Some(Ending { is_confirmed, message, .. }) = report.ending {
        // An undecidable postcondition does not count against the trace.
        let kind = if *is_confirmed == Some(false) { "error" } else { "note" };
        text += shown!("{}: {}\n", kind, message);
    }
    if let Some(stop) = report.stop {
        text += shown!("\nStep {}, {}, cannot be replayed:\n", stop.step, stop.title);
        match stop.span {
            Some(_) => text += render_diagnostic(&diagnostic(stop), report.sources, colour),
            None => {
                text += shown!("{}\n", stop.message);
                text.extend(stop.help.iter().map(|help| shown!("  help: {}\n", help)));
            }
        }
    }
    if let Some((_, violation)) = report.end {
        text += shown!("\nIn the last state: {}", super::text::violation_text(report.model, report.sources, violation, colour));
    }
    text += shown!("\n{}\n", report.grade().as_str());
    text
}

/// One line for each thing that an editor can jump to, then the grade.
#[must_use]
pub fn short(report: &ReplayReport<'_>) -> Shown {
    let mut text = Shown::new();
    // Steps of a trace have no place, so all have that of its beginning.
    let in_trace = shown!("{}:1:1", report.trace_file);
    for note in report.left_out {
        text += shown!("{}: warning[replay]: {}\n", in_trace, note);
    }
    for failure in report.failed {
        text += shown!("{}: error[postcondition]: {}\n", in_trace, failure);
    }
    if let Some(ending) = report.refuted_ending() {
        text += shown!("{}: error[ending]: {}\n", in_trace, ending.message);
    }
    if let Some(stop) = report.stop {
        // In the machine if the reason is there, otherwise in the trace.
        let at = stop.span.map_or(in_trace, |span| Shown::line(&place(span, report.sources)));
        text += shown!("{}: error[{}]: step {}, {}: {}\n", at, stop.reason, stop.step, stop.title, stop.message);
    }
    text + shown!("{}\n", report.grade().as_str())
}

fn diagnostic(stop: &Stop) -> Diagnostic {
    // Under the excerpt, where values of a condition are read together with its text.
    let label = equations(&stop.values);
    let mut diagnostic = Diagnostic::error(Code::CannotReplay, stop.span.unwrap_or(Span::nowhere()), stop.message.clone()).label(label);
    diagnostic.help.clone_from(&stop.help);
    diagnostic
}

/// A step as the file has it, without its state.
#[must_use]
pub fn recorded_title(step: &super::recorded::RecordedStep) -> String {
    let (arguments, results) = (step.arguments.clone(), step.results.clone());
    // A file may contain the values of a step without its operation: these words are not a name.
    let unknown = if step.name.is_none() { "some operation" } else { "" };
    let name = step.name.clone().unwrap_or_default();
    unknown.to_owned() + &title(&NamedStep { name, arguments, results, state: Vec::new(), changed: Vec::new() })
}

/// The report for programs.
#[must_use]
pub fn json(report: &ReplayReport<'_>) -> Shown {
    let steps = named_steps(report.model, report.run);
    pretty(&ReplayDocument {
        format: "bcheck-replay",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        machine: &report.model.name,
        file: report.file,
        trace_file: report.trace_file,
        trace_format: report.recorded.format,
        sizes: SizeFields::of(report.model, report.scope),
        grade: report.grade().as_str(),
        steps: report.recorded.steps.len(),
        replayed: report.replayed(),
        stop: report.stop.map(|stop| StopObject {
            step: stop.step,
            operation: &stop.title,
            reason: stop.reason,
            message: &stop.message,
            formula: stop.formula.as_deref(),
            values: stop.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            help: &stop.help,
            place: stop.span.map(|span| place_object(span, report.sources)),
        }),
        failed: report.failed,
        left_out: report.left_out,
        notes: report.notes,
        end: report.end.map(|(verdict, _)| verdict),
        violation: report.end.map(|(_, violation)| violation_object(violation, report.sources)),
        trace: steps.iter().map(step_object).collect(),
        ending: report.ending.map(|ending| EndingObject {
            end: end_object(Some(ending.end)),
            confirmed: ending.is_confirmed,
            message: &ending.message,
        }),
    })
}

#[derive(Serialize)]
struct ReplayDocument<'a> {
    format: &'static str,
    version: u32,
    bcheck: &'static str,
    machine: &'a str,
    file: &'a str,
    trace_file: &'a str,
    trace_format: &'static str,
    #[serde(flatten)]
    sizes: SizeFields<'a>,
    grade: &'static str,
    steps: usize,
    replayed: usize,
    stop: Option<StopObject<'a>>,
    failed: &'a [String],
    left_out: &'a [String],
    notes: &'a [String],
    end: Option<&'static str>,
    violation: Option<ViolationObject<'a>>,
    trace: Vec<StepObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<EndingObject<'a>>,
}

/// How the trace continues after its last step, and whether the machine does so.
#[derive(Serialize)]
struct EndingObject<'a> {
    #[serde(flatten)]
    end: EndObject,
    confirmed: Option<bool>,
    message: &'a str,
}

#[derive(Serialize)]
struct StopObject<'a> {
    step: usize,
    operation: &'a str,
    reason: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    values: Object<'a, &'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    help: &'a [String],
    #[serde(flatten)]
    place: Option<PlaceObject>,
}
