//! The result of a replay, for a browser: how far the trace could be followed and why no further, and the run with a picture of each state.
//!
//! Invariant: the page has the contents of the text. Deliberately elsewhere: the grade and its reasons (`report::replay`).

use super::{Head, Section, Tone, album, page, paragraph, state_picture, stepper};
use crate::markup::{Markup, markup};
use crate::picture::Painter;
use crate::replay::{Grade, ReplayReport};
use bcheck_source::Shown;

/// The report.
#[must_use]
pub fn render(report: &ReplayReport<'_>, painter: Option<&Painter>) -> Shown {
    let grade = report.grade();
    let tone = match grade {
        Grade::Perfect => Tone::Good,
        Grade::Partial => Tone::Note,
        Grade::Broken => Tone::Bad,
    };
    let head = Head {
        title: format!("{}: replay, {}", report.model.name, grade.as_str()),
        name: &report.model.name,
        file: report.file,
        verdict: (grade.as_str(), tone),
        conclusion: format!("{} {}", report.count(), of_trace(report)),
        resources: painter.map(|painter| state_picture::styles() + state_picture::images(painter)).unwrap_or_default(),
    };
    let found = found(report);
    let mut sections = Vec::new();
    if !found.is_empty() {
        sections.push(Section::new("found", "What was found", found));
    }
    if !report.run.steps.is_empty() {
        // Undefined pictures of a long run would make a large page, as in a check.
        let painter = painter.filter(|painter| painter.has_definitions() || report.run.steps.len() <= stepper::MOST_DRAWN);
        let pictures = state_picture::of_run(painter, &report.run.steps);
        sections.push(Section::new("run", "The run, step by step", album::steps(report.model, report.run, &pictures)));
    }
    page(&head, &sections)
}

fn of_trace(report: &ReplayReport<'_>) -> String {
    format!("The trace is {} ({}).", report.trace_file, report.recorded.format)
}

fn found(report: &ReplayReport<'_>) -> Markup {
    let failing = |text: &str| markup!("<p class=\"failing\">{}</p>\n", text);
    let mut content: Markup = report.failed.iter().map(|failure| failing(failure)).collect();
    if let Some(ending) = report.ending {
        content += if ending.is_confirmed == Some(false) { failing(&ending.message) } else { paragraph(&ending.message) };
    }
    if let Some(stop) = report.stop {
        content += failing(&format!("Step {}, {}, cannot be replayed: {}", stop.step, stop.title, stop.message));
        content.extend(stop.span.map(|span| stepper::excerpt(report.sources, span)));
        content.extend(stop.values.iter().map(|(name, value)| markup!("<p><code>{} = {}</code></p>\n", name, value)));
        content.extend(stop.help.iter().map(|help| paragraph(help)));
    }
    if let Some((_, violation)) = report.end {
        content += failing(&format!("In the last state: {}", violation.message));
        content.extend(violation.formula.iter().map(|formula| markup!("<p><code>{}</code></p>\n", formula)));
        content.extend(violation.span.map(|span| stepper::excerpt(report.sources, span)));
    }
    content + report.notes.iter().chain(report.left_out).map(|note| paragraph(&format!("Note: {note}"))).collect()
}
