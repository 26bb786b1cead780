//! The trace of a finding, to step through, and excerpts of the text.
//!
//! Invariant: all steps are in the page, each with the whole state after it; a changed value is also marked by a word, beside its changes
//! and its previous value; long ones are folded, even if they did not change. Below the last step is how the run continues, and the steps
//! of a loop are also marked by a word.

use super::{breakable, breakable_path, paragraph, state_picture, tables};
use crate::changes::Changes;
use crate::diagnostics::place;
use crate::ending::{loop_of, sentence};
use crate::evidence::ill_defined_call;
use crate::markup::{Markup, markup};
use crate::trace::title;
use crate::{CheckReport, NamedStep, Violation, equations, first_line, named_steps};
use bcheck_explore::{Trace, TraceEnd, TraceStep};
use bcheck_source::{Shown, SourceMap, Span, in_back_quotes};
use bcheck_value::Value;

/// The number of lines of the text that are shown before a place, and after it.
const AROUND: usize = 3;
/// The most steps of a trace whose states are drawn although no definition specifies it: pages of longer ones would be large.
pub(super) const MOST_DRAWN: usize = 100;

/// The steps with their buttons; empty when the finding needs no step.
pub(super) fn trace(report: &CheckReport<'_>, trace: &Trace, violation: &Violation) -> Markup {
    of_steps(report, trace, &failing(report, violation), Some(violation))
}

/// The steps of a run that is not a finding, with a text about the last state.
pub(super) fn of_run(report: &CheckReport<'_>, trace: &Trace, about_last: &Markup) -> Markup {
    of_steps(report, trace, about_last, None)
}

fn of_steps(report: &CheckReport<'_>, trace: &Trace, about_last: &Markup, violation: Option<&Violation>) -> Markup {
    let steps = named_steps(report.model, trace);
    if steps.is_empty() {
        return Markup::new();
    }
    let start = trace.end.and_then(TraceEnd::loop_start);
    // Only a loop that closes can be gone round: the next round of another one has other names.
    let closing = loop_of(trace.end).map(|(start, _)| start);
    let changes = Changes::new(report.model);
    let painter = report.painter.filter(|painter| painter.has_definitions() || steps.len() <= MOST_DRAWN);
    let pictures = state_picture::of_run(painter, &trace.steps);
    let mut articles = Markup::new();
    for (index, (named, step)) in steps.iter().zip(&trace.steps).enumerate() {
        let before = index.checked_sub(1).and_then(|before| trace.steps.get(before)).map(|step| step.state.as_slice());
        // The finding is about the last state, or about the continuation from there.
        let last = if index + 1 == steps.len() { about_last.clone() + ending(trace) } else { Markup::new() };
        let class = if start.is_some_and(|start| start <= index) { "step looping" } else { "step" };
        let mark = if start == Some(index) { markup!(" <span class=\"note\">the loop begins here</span>") } else { Markup::new() };
        articles += markup!(
            "<article class=\"{}\">\n<h3>{} {}{}</h3>\n{}{}{}</article>\n",
            class,
            index,
            title(named),
            mark,
            line_of(report, named, step),
            beside(&pictures.of_steps[index], state(&changes, named, before.unwrap_or_default(), &step.state)),
            last
        );
    }
    articles += pictures.left_out;
    if report.painter.is_some() && painter.is_none() {
        articles += paragraph("The states of so long a run are drawn only where DEFINITIONS say how.");
    }
    let more = ill_defined(report, steps.len(), violation);
    let has_more = !more.is_empty();
    articles += more;
    let data = closing.map(|start| markup!(" data-loop=\"{}\"", start)).unwrap_or_default()
        + trace.end.map(|end| markup!(" data-ending=\"{}\"", sentence(end))).unwrap_or_default();
    markup!("<div class=\"trace\"{}>\n{}{}</div>\n", data, controls(steps.len() + usize::from(has_more), closing.is_some()), articles)
}

/// The step from the last state that has no value, where the finding is one.
fn ill_defined(report: &CheckReport<'_>, number: usize, violation: Option<&Violation>) -> Markup {
    let is_it = |violation: &&Violation| violation.kind == "ill_defined";
    let Some((violation, call)) = violation.filter(is_it).zip(ill_defined_call(report)) else { return Markup::new() };
    markup!(
        "<article class=\"step\">\n<h3>{} {} <span class=\"note\">ill-defined</span></h3>\n<p class=\"failing\">{}</p>\n{}</article>\n",
        number,
        call,
        violation.message,
        super::evidence::of_finding(report)
    )
}

/// How the run continues after the last step.
fn ending(trace: &Trace) -> Markup {
    trace.end.map(|end| markup!("<p class=\"note\">How it goes on: {}.</p>\n", sentence(end))).unwrap_or_default()
}

/// The buttons, and the keys that do the same.
pub(super) fn controls(steps: usize, is_loop: bool) -> Markup {
    let button = |to: &str, label: &str, sign: &str| {
        markup!("<button type=\"button\" data-move=\"{}\" aria-label=\"{}\">{}</button>", to, label, sign)
    };
    let buttons = [
        button("first", "first step", "|<"),
        button("back", "step before", "<"),
        button("on", "next step", ">"),
        button("last", "last step", ">|"),
        button("all", "all steps or one", "all"),
    ];
    let around = if is_loop { " After the last step, the right arrow goes on where the loop begins." } else { "" };
    let keys = format!("Left and right arrow go from step to step, Home and End to the first and the last.{around}");
    markup!(
        // `aria-live` makes screen readers announce the step when it changes.
        "<div class=\"stepper\">{}<span class=\"place\" aria-live=\"polite\">{} steps</span></div>\n<p class=\"soft keys\">{}</p>\n",
        Markup::from_iter(buttons),
        steps,
        keys
    )
}

/// The line of the text that a step comes from.
fn line_of(report: &CheckReport<'_>, named: &NamedStep, step: &TraceStep) -> Markup {
    let Some(span) = named.span(report.model, step) else { return Markup::new() };
    let line = first_line(report.sources, span);
    let text = report.sources.text(line);
    if text.is_empty() {
        return Markup::new();
    }
    markup!("<p class=\"soft\">{}: <code>{}</code></p>\n", breakable_path(&place(span, report.sources)), breakable(&source(text)))
}

fn changed_class() -> Markup {
    markup!(" class=\"changed\"")
}

/// A picture and a state; where there is room, side by side.
fn beside(picture: &Markup, state: Markup) -> Markup {
    if picture.is_empty() { state } else { markup!("<div class=\"beside\">\n<div>{}</div>\n<div>{}</div>\n</div>\n", picture, state) }
}

/// The state after a step, with previous values where they changed; functions and relations as tables below.
fn state(changes: &Changes<'_>, named: &NamedStep, before: &[Value], after: &[Value]) -> Markup {
    let mut rows = Markup::new();
    let mut grids = Markup::new();
    for (index, ((name, _), now)) in named.state.iter().zip(after).enumerate() {
        let whole = changes.whole(index, now);
        let lines = before.get(index).map(|before| changes.of_value(index, before, now)).unwrap_or_default();
        let (class, word, whole) = match (before.get(index), lines.as_slice()) {
            (Some(_), []) => (Markup::new(), Markup::new(), folded(&whole)),
            // Constants after the set-up, variables after the initialisation.
            (None, _) => (changed_class(), markup!("new"), breakable(&whole)),
            (Some(before), lines) => {
                let was = changes.whole(index, before);
                // A value that is replaced entirely needs no other words.
                let is_whole = matches!(lines, [only] if *only == format!("{}: {was} -> {whole}", in_back_quotes(name)));
                if is_whole {
                    (changed_class(), markup!("changed, was <code>{}</code>", breakable(&was)), breakable(&whole))
                } else {
                    (changed_class(), markup!("changed: {}, was {}", code(lines), on_demand(&was)), on_demand(&whole))
                }
            }
        };
        rows += markup!("<tr{}><th scope=\"row\">{}</th><td class=\"value\">{}</td><td>{}</td></tr>\n", class, name, whole, word);
        grids += tables::of_value(name, changes.table(index, now, before.get(index)).as_ref());
    }
    if rows.is_empty() { Markup::new() } else { super::wide(&markup!("<table>\n{}</table>", rows)) + grids }
}

/// Changes, one after another.
fn code(lines: &[String]) -> Markup {
    let mut all = Markup::new();
    for (index, line) in lines.iter().enumerate() {
        let line = breakable(line);
        all += if index == 0 { markup!("<code>{}</code>", line) } else { markup!("; <code>{}</code>", line) };
    }
    all
}

/// A value with more characters than this is folded next to its change.
const SHORT: usize = 60;

/// A value with more characters than this is folded away where it did not change.
const LONG: usize = 120;

/// A value; a long one is folded away.
fn on_demand(text: &str) -> Markup {
    if text.chars().count() <= SHORT {
        return markup!("<code>{}</code>", breakable(text));
    }
    markup!("<details><summary>the whole value</summary><code>{}</code></details>", breakable(text))
}

/// A value that did not change; of a long one only the beginning is shown unasked.
fn folded(text: &str) -> Markup {
    if text.chars().count() <= LONG {
        return breakable(text);
    }
    let beginning: String = text.chars().take(SHORT).collect();
    markup!("<details><summary>{}…</summary>{}</details>", breakable(&beginning), breakable(text))
}

/// The formula that the last state, or the whole run, violates.
fn failing(report: &CheckReport<'_>, violation: &Violation) -> Markup {
    let at = if violation.kind == "temporal" { "On this run" } else { "Here" };
    let mut text = markup!("<p class=\"failing\">{}: {}", at, violation.message);
    if let Some(formula) = &violation.formula {
        text += markup!(": <code>{}</code>", breakable(formula));
    }
    if let Some(span) = violation.span {
        text += markup!(" <span class=\"soft\">({})</span>", breakable_path(&place(span, report.sources)));
    }
    text + markup!("</p>\n")
}

/// Lines of a text, with tabs as blanks.
pub(super) fn source(text: &str) -> Shown {
    // Tabs would be hidden characters, and shown as escapes.
    Shown::lines(&text.replace("\r\n", "\n").replace('\t', "    "))
}

/// The lines around a place, with the place marked.
pub(super) fn excerpt(sources: &SourceMap, span: Span) -> Markup {
    let file = sources.file(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    let Some((before, after)) = file.text.get(..start).zip(file.text.get(end..)) else { return Markup::new() };
    // Counting line breaks backwards, the first begins the line of the place itself, so the one at AROUND precedes the first line shown.
    let from = before.rmatch_indices('\n').nth(AROUND).map_or(0, |(at, _)| at + 1);
    let to = after.match_indices('\n').nth(AROUND).map_or(file.text.len(), |(at, _)| end + at);
    let (before, hit, after) = (&file.text[from..start], &file.text[start..end], &file.text[end..to]);
    markup!(
        "<p class=\"soft\">{}</p>\n<pre class=\"source\" tabindex=\"0\">{}<mark class=\"hit\">{}</mark>{}</pre>\n",
        breakable_path(&place(span, sources)),
        source(before),
        source(hit),
        source(after)
    )
}

/// The finding in words, with its place.
pub(super) fn finding(report: &CheckReport<'_>, title: &str, violation: &Violation) -> Markup {
    let mut content = markup!("<p><strong>{}</strong></p>\n", title);
    if !violation.arguments.is_empty() {
        content += markup!("<p>with <code>{}</code></p>\n", equations(&violation.arguments));
    }
    if let Some(span) = violation.span {
        content += excerpt(report.sources, span);
    }
    // The first part is at the place of the finding, which is shown already.
    let others = violation.contradiction.iter().map(|part| part.span).filter(|span| Some(*span) != violation.span);
    content.extend(others.map(|span| excerpt(report.sources, span)));
    content.extend(violation.notes.iter().map(|note| paragraph(note)));
    content
}
