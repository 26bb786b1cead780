//! The report of a check for a browser: one file that needs nothing else, neither a network nor a script.
//!
//! Invariant: the file is well-formed XML too; nothing in it can load anything (a policy in its head forbids it); every text of the
//! machine is escaped. The script only hides and shows the steps of the trace; without it, and in print, all are there. What
//! changed is said in words as well as by colour.

use super::diagnostics::{headline, place};
use super::junit::escaped;
use super::text::{bytes, conclusion, count_rows, factor, properties, violation_title};
use super::trace::title;
use super::{CheckReport, NamedStep, Violation, named_steps, strategy_word, symmetry_word, violation, warnings};
use crate::explore::{TraceStep, Verdict};
use crate::source::{SourceMap, Span};
use crate::symmetry::Mode;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// So many lines of the text are shown before and after a place.
const AROUND: usize = 3;

/// The report.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> String {
    let name = escaped(&report.model.name);
    let verdict = report.outcome.verdict;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{name}: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        verdict.as_str()
    );
    let colour = match verdict {
        Verdict::Verified => "good",
        Verdict::GoalFound | Verdict::Incomplete => "note",
        _ => "bad",
    };
    page.push_str(&format!(
        "<header>\n<h1>{name}</h1>\n<p class=\"soft\">{}</p>\n<p><span class=\"verdict {colour}\">{}</span></p>\n<p>{}</p>\n</header>\n<main>\n",
        escaped(report.file),
        verdict.as_str(),
        escaped(&conclusion(report))
    ));
    if let Some(violation) = violation(report) {
        page.push_str(&finding(report, &violation));
    }
    page.push_str(&checked(report));
    page.push_str(&counts(report));
    page.push_str(&operations(report));
    page.push_str(&symmetry(report));
    page.push_str(&said(report));
    page.push_str(&cost(report));
    page.push_str(&format!(
        "</main>\n<footer><p class=\"soft\">bcheck {}</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    ));
    page
}

fn section(id: &str, heading: &str, content: &str) -> String {
    format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n{content}</section>\n")
}

/// The finding with its place, and the trace.
fn finding(report: &CheckReport<'_>, violation: &Violation) -> String {
    let mut content = format!("<p><strong>{}</strong></p>\n", escaped(&violation_title(report.model, violation)));
    if !violation.arguments.is_empty() {
        let arguments: Vec<String> = violation.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        content.push_str(&format!("<p>with <code>{}</code></p>\n", escaped(&arguments.join(", "))));
    }
    if let Some(span) = violation.span {
        content.push_str(&source(report.sources, span));
    }
    let others = violation.contradiction.iter().map(|part| part.span).filter(|span| Some(*span) != violation.span);
    content.extend(others.map(|span| source(report.sources, span)));
    content.extend(violation.notes.iter().map(|note| format!("<p>{}</p>\n", escaped(note))));
    let found = report.outcome.finding.as_ref();
    let mut page = section("finding", "What was found", &content);
    if let Some(finding) = found.filter(|finding| !finding.trace.steps.is_empty()) {
        let steps = named_steps(report.model, &finding.trace);
        let articles: String =
            steps.iter().zip(&finding.trace.steps).enumerate().map(|(index, (named, step))| article(report, index, named, step)).collect();
        let button = |to: &str, label: &str, sign: &str| {
            format!("<button type=\"button\" data-move=\"{to}\" aria-label=\"{label}\">{sign}</button>")
        };
        let buttons = [
            button("first", "first step", "|&lt;"),
            button("back", "step before", "&lt;"),
            button("on", "next step", "&gt;"),
            button("last", "last step", "&gt;|"),
            button("all", "all steps or one", "all"),
        ];
        let keys = "Arrow keys go from step to step, Home and End to the first and the last, A shows all.";
        let trace = format!(
            "<div id=\"trace\">\n<div class=\"stepper\">{}<span id=\"place\" aria-live=\"polite\">{} steps</span></div>\n<p class=\"soft\">{keys}</p>\n{articles}</div>\n",
            buttons.concat(),
            steps.len()
        );
        page.push_str(&section("way", "How to get there", &trace));
    }
    page
}

/// A step: its call, its place, the state after it.
fn article(report: &CheckReport<'_>, index: usize, named: &NamedStep, step: &TraceStep) -> String {
    let span = match step.operation {
        Some(operation) => report.model.operations.get_index(operation.index()).map(|(_, operation)| operation.span),
        None if named.state.len() == report.model.constants.len() => report.model.properties.first().map(|first| first.pred.span),
        None => Some(report.model.initialisation.span),
    };
    let at = span.map(|span| format!("<p class=\"soft\">{}</p>\n", escaped(&place(span, report.sources)))).unwrap_or_default();
    let rows: String = named
        .state
        .iter()
        .zip(&named.changed)
        .map(|((name, value), changed)| {
            let (class, word) = if *changed { (" class=\"changed\"", "changed") } else { ("", "") };
            format!("<tr{class}><th scope=\"row\">{}</th><td class=\"value\">{}</td><td>{word}</td></tr>\n", escaped(name), escaped(value))
        })
        .collect();
    let table = if rows.is_empty() { String::new() } else { format!("<table>\n{rows}</table>\n") };
    format!("<article class=\"step\">\n<h3>{index} {}</h3>\n{at}{table}</article>\n", escaped(&title(named)))
}

/// The lines around a place, with the place marked.
fn source(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    let Some((before, after)) = file.text.get(..start).zip(file.text.get(end..)) else { return String::new() };
    let from = before.rmatch_indices('\n').nth(AROUND).map_or(0, |(at, _)| at + 1);
    let to = after.match_indices('\n').nth(AROUND).map_or(file.text.len(), |(at, _)| end + at);
    let (before, hit, after) = (&file.text[from..start], &file.text[start..end], &file.text[end..to]);
    format!(
        "<p class=\"soft\">{}</p>\n<pre class=\"source\">{}<span class=\"hit\">{}</span>{}</pre>\n",
        escaped(&place(span, sources)),
        escaped(before),
        escaped(hit),
        escaped(after)
    )
}

fn checked(report: &CheckReport<'_>) -> String {
    let mut rows: Vec<(String, String)> = report.deferred().map(|(name, size)| (format!("size of {name}"), size.to_string())).collect();
    rows.push(("integers".to_owned(), format!("from MININT = {} to MAXINT = {}", report.scope.minint, report.scope.maxint)));
    rows.push(("properties".to_owned(), properties(report)));
    let search = format!("{}, workers: {}", strategy_word(report.options.strategy), report.options.workers);
    rows.push(("order of the search".to_owned(), search));
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)))
        .collect();
    section("checked", "What was checked", &format!("<table>\n{rows}</table>\n"))
}

fn counts(report: &CheckReport<'_>) -> String {
    let full = &report.outcome.full;
    let bound = if full.exact { "" } else { "at least " };
    let mut rows = String::new();
    let mut prefix = "";
    for (name, count, whole) in count_rows(report) {
        if name.ends_with(':') {
            prefix = "as ProB counts: ";
            continue;
        }
        let (whole, saved) = match whole {
            Some(whole) if full.exact => (whole.to_string(), factor(count, whole)),
            Some(whole) => (format!("{bound}{whole}"), String::new()),
            None => (String::new(), String::new()),
        };
        let cells: String = [count.to_string(), whole, saved].iter().map(|cell| format!("<td class=\"number\">{cell}</td>")).collect();
        rows.push_str(&format!("<tr><th scope=\"row\">{prefix}{}</th>{cells}</tr>\n", name.trim()));
    }
    let heads: String =
        ["explored", "full space", "saved"].iter().map(|head| format!("<th scope=\"col\" class=\"number\">{head}</th>")).collect();
    let why: String = full.why.iter().map(|why| format!("<p>The numbers of the full space are bounds: {}</p>\n", escaped(why))).collect();
    section("counts", "Counts", &format!("<table>\n<tr><td></td>{heads}</tr>\n{rows}</table>\n{why}"))
}

fn operations(report: &CheckReport<'_>) -> String {
    let rows: String = report
        .outcome
        .operations
        .iter()
        .map(|counts| {
            let word = match (counts.transitions, report.outcome.complete) {
                (0, true) => "never enabled",
                (0, false) => "not seen",
                _ => "",
            };
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{word}</td></tr>\n",
                escaped(report.model.operation_name(counts.operation)),
                counts.transitions,
                counts.full_transitions
            )
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head =
        "<tr><td></td><th scope=\"col\" class=\"number\">explored</th><th scope=\"col\" class=\"number\">full space</th><td></td></tr>\n";
    section("operations", "Steps of each operation", &format!("<table>\n{head}{rows}</table>\n"))
}

/// What moves, what does not, and why, in sentences.
fn symmetry(report: &CheckReport<'_>) -> String {
    let detail = report.symmetry;
    let mut sentences = Vec::new();
    if report.options.symmetry == Mode::Off {
        sentences.push("The search was not reduced by symmetry.".to_owned());
    } else {
        sentences.push(format!("Representatives were found by the mode {}.", symmetry_word(report.options.symmetry)));
        for (name, count) in &detail.movable {
            sentences.push(match count {
                1 => format!("One element of {name} could move, but there is no other to exchange it with."),
                _ => format!("{count} elements of {name} can be exchanged: nothing in the machine tells them apart, so states that differ only in their names were explored once."),
            });
        }
        for (name, elements) in &detail.fixed {
            sentences.push(format!("Of {name}, these stay where they are: {}.", elements.join(", ")));
        }
        sentences.extend(detail.why.iter().map(|why| format!("{why}.")));
    }
    let text: String = sentences.iter().map(|sentence| format!("<p>{}</p>\n", escaped(sentence))).collect();
    section("symmetry", "Symmetry", &text)
}

/// Everything that was warned about.
fn said(report: &CheckReport<'_>) -> String {
    let found = warnings(report);
    let items: String = report
        .diagnostics
        .iter()
        .chain(&found)
        .map(|diagnostic| {
            let help: String = diagnostic.help.iter().map(|help| format!(" ({help})")).collect();
            format!("<li>{}</li>\n", escaped(&(headline(diagnostic, report.sources) + &help)))
        })
        .collect();
    if items.is_empty() { String::new() } else { section("warnings", "Warnings and notes", &format!("<ul>\n{items}</ul>\n")) }
}

fn cost(report: &CheckReport<'_>) -> String {
    let mut text = format!("<p>Loading took {:.3} s, the search {:.3} s", report.times.load_s, report.times.search_s);
    if report.peak_memory_bytes > 0 {
        text.push_str(&format!("; at most {} of memory were in use", bytes(report.peak_memory_bytes)));
    }
    section("cost", "Time and memory", &(text + ".</p>\n"))
}
