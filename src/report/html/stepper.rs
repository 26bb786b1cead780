//! The trace of a finding, to be gone through step by step, and excerpts of the text.
//!
//! Invariant: all steps are in the page, each with the whole state after it; a value that changed is marked by a word too, beside
//! the value that it had.

use super::paragraph;
use crate::explore::{Finding, TraceStep};
use crate::report::diagnostics::place;
use crate::report::junit::escaped;
use crate::report::trace::title;
use crate::report::{CheckReport, NamedStep, Violation, first_line, named_steps};
use crate::source::{SourceMap, Span};

/// So many lines of the text are shown before and after a place.
const AROUND: usize = 3;

/// The steps with their buttons; empty when the finding needs no step.
pub(super) fn trace(report: &CheckReport<'_>, finding: &Finding, violation: &Violation) -> String {
    let steps = named_steps(report.model, &finding.trace);
    if steps.is_empty() {
        return String::new();
    }
    let mut articles = String::new();
    for (index, (named, step)) in steps.iter().zip(&finding.trace.steps).enumerate() {
        let before = index.checked_sub(1).and_then(|before| steps.get(before));
        let failing = if index + 1 == steps.len() { failing(report, violation) } else { String::new() };
        articles.push_str(&format!(
            "<article class=\"step\">\n<h3>{index} {}</h3>\n{}{}{failing}</article>\n",
            escaped(&title(named)),
            line_of(report, named, step),
            state(named, before)
        ));
    }
    let button =
        |to: &str, label: &str, sign: &str| format!("<button type=\"button\" data-move=\"{to}\" aria-label=\"{label}\">{sign}</button>");
    let buttons = [
        button("first", "first step", "|&lt;"),
        button("back", "step before", "&lt;"),
        button("on", "next step", "&gt;"),
        button("last", "last step", "&gt;|"),
        button("all", "all steps or one", "all"),
    ];
    let keys = "Left and right arrow go from step to step, Home and End to the first and the last.";
    format!(
        "<div class=\"trace\">\n<div class=\"stepper\">{}<span class=\"place\" aria-live=\"polite\">{} steps</span></div>\n<p class=\"soft keys\">{keys}</p>\n{articles}</div>\n",
        buttons.concat(),
        steps.len()
    )
}

/// The line of the text that a step comes from.
fn line_of(report: &CheckReport<'_>, named: &NamedStep, step: &TraceStep) -> String {
    let span = match step.operation {
        Some(operation) => report.model.operations.get_index(operation.index()).map(|(_, operation)| operation.span),
        None if named.state.len() == report.model.constants.len() => report.model.properties.first().map(|first| first.pred.span),
        None => Some(report.model.initialisation.span),
    };
    let Some(span) = span else { return String::new() };
    let line = first_line(report.sources, span);
    let text = report.sources.text(line);
    if text.is_empty() {
        return String::new();
    }
    format!("<p class=\"soft\">{}: <code>{}</code></p>\n", escaped(&place(span, report.sources)), escaped(text))
}

/// The state after a step, with what it was before where it changed.
fn state(named: &NamedStep, before: Option<&NamedStep>) -> String {
    let was = |name: &String| before?.state.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let rows: String = named
        .state
        .iter()
        .zip(&named.changed)
        .map(|((name, value), changed)| {
            let (class, word) = match (*changed, was(name)) {
                (false, _) => ("", String::new()),
                (true, None) => (" class=\"changed\"", "new".to_owned()),
                (true, Some(was)) => (" class=\"changed\"", format!("changed, was <code>{}</code>", escaped(was))),
            };
            format!("<tr{class}><th scope=\"row\">{}</th><td class=\"value\">{}</td><td>{word}</td></tr>\n", escaped(name), escaped(value))
        })
        .collect();
    if rows.is_empty() { String::new() } else { super::wide(&format!("<table>\n{rows}</table>")) }
}

/// The formula that the last state falls foul of.
fn failing(report: &CheckReport<'_>, violation: &Violation) -> String {
    let mut text = format!("<p class=\"failing\">Here: {}", escaped(&violation.message));
    if let Some(formula) = &violation.formula {
        text.push_str(&format!(": <code>{}</code>", escaped(formula)));
    }
    if let Some(span) = violation.span {
        text.push_str(&format!(" <span class=\"soft\">({})</span>", escaped(&place(span, report.sources))));
    }
    text + "</p>\n"
}

/// The lines around a place, with the place marked.
pub(super) fn excerpt(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    let Some((before, after)) = file.text.get(..start).zip(file.text.get(end..)) else { return String::new() };
    let from = before.rmatch_indices('\n').nth(AROUND).map_or(0, |(at, _)| at + 1);
    let to = after.match_indices('\n').nth(AROUND).map_or(file.text.len(), |(at, _)| end + at);
    let (before, hit, after) = (&file.text[from..start], &file.text[start..end], &file.text[end..to]);
    format!(
        "<p class=\"soft\">{}</p>\n<pre class=\"source\" tabindex=\"0\">{}<mark class=\"hit\">{}</mark>{}</pre>\n",
        escaped(&place(span, sources)),
        escaped(before),
        escaped(hit),
        escaped(after)
    )
}

/// What was found, in words, with its place.
pub(super) fn finding(report: &CheckReport<'_>, title: &str, violation: &Violation) -> String {
    let mut content = format!("<p><strong>{}</strong></p>\n", escaped(title));
    if !violation.arguments.is_empty() {
        let arguments: Vec<String> = violation.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        content.push_str(&format!("<p>with <code>{}</code></p>\n", escaped(&arguments.join(", "))));
    }
    if let Some(span) = violation.span {
        content.push_str(&excerpt(report.sources, span));
    }
    let others = violation.contradiction.iter().map(|part| part.span).filter(|span| Some(*span) != violation.span);
    content.extend(others.map(|span| excerpt(report.sources, span)));
    content.extend(violation.notes.iter().map(|note| paragraph(note)));
    content
}
