//! What a check, or a refinement check, found, for a browser: the finding with its trace, what was covered, what it cost.
//!
//! Invariant: what changed in a step is said in words as well as by colour. The tables are complete: nothing is only in the picture.

use super::{Head, Section, Tone, facts, page, paragraph, stepper, wide};
use crate::explore::Verdict;
use crate::report::diagnostics::headline;
use crate::report::junit::escaped;
use crate::report::text::{bytes, conclusion, count_rows, factor, properties, violation_title};
use crate::report::{CheckReport, strategy_word, symmetry_word, violation, warnings};
use crate::symmetry::Mode;

/// The report.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> String {
    let verdict = report.outcome.verdict;
    let tone = match verdict {
        Verdict::Verified => Tone::Good,
        Verdict::GoalFound | Verdict::Incomplete => Tone::Note,
        _ => Tone::Bad,
    };
    let head = Head {
        title: format!("{}: {}", report.model.name, verdict.as_str()),
        name: &report.model.name,
        file: report.file,
        verdict: (verdict.as_str(), tone),
        conclusion: conclusion(report),
    };
    let mut sections = Vec::new();
    if let Some(violation) = violation(report) {
        let title = violation_title(report.model, &violation);
        sections.push(Section::new("finding", "What was found", stepper::finding(report, &title, &violation)));
        let trace = report.outcome.finding.as_ref().map(|found| stepper::trace(report, found, &violation));
        sections.extend(trace.filter(|trace| !trace.is_empty()).map(|trace| Section::new("way", "How to get there", trace)));
    }
    sections.push(checked(report));
    sections.push(counts(report));
    sections.extend(operations(report));
    sections.push(symmetry(report));
    sections.extend(said(report));
    sections.push(cost(report));
    page(&head, &sections)
}

fn checked(report: &CheckReport<'_>) -> Section {
    let mut rows: Vec<(String, String)> = report.deferred().map(|(name, size)| (format!("size of {name}"), size.to_string())).collect();
    rows.push(("integers".to_owned(), format!("from MININT = {} to MAXINT = {}", report.scope.minint, report.scope.maxint)));
    rows.push(("properties".to_owned(), properties(report)));
    let search = format!("{}, workers: {}", strategy_word(report.options.strategy), report.options.workers);
    rows.push(("order of the search".to_owned(), search));
    Section::new("checked", "What was checked", facts(&rows))
}

fn counts(report: &CheckReport<'_>) -> Section {
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
    Section::new("counts", "Counts", wide(&format!("<table>\n<tr><td></td>{heads}</tr>\n{rows}</table>")) + &why)
}

fn operations(report: &CheckReport<'_>) -> Option<Section> {
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
        return None;
    }
    let head =
        "<tr><td></td><th scope=\"col\" class=\"number\">explored</th><th scope=\"col\" class=\"number\">full space</th><td></td></tr>\n";
    Some(Section::new("operations", "Steps of each operation", wide(&format!("<table>\n{head}{rows}</table>"))))
}

/// What moves, what does not, and why, in sentences.
fn symmetry(report: &CheckReport<'_>) -> Section {
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
    Section::new("symmetry", "Symmetry", sentences.iter().map(|sentence| paragraph(sentence)).collect())
}

/// Everything that was warned about.
fn said(report: &CheckReport<'_>) -> Option<Section> {
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
    (!items.is_empty()).then(|| Section::new("warnings", "Warnings and notes", format!("<ul>\n{items}</ul>\n")))
}

fn cost(report: &CheckReport<'_>) -> Section {
    let mut text = format!("<p>Loading took {:.3} s, the search {:.3} s", report.times.load_s, report.times.search_s);
    if report.peak_memory_bytes > 0 {
        text.push_str(&format!("; at most {} of memory were in use", bytes(report.peak_memory_bytes)));
    }
    Section::new("cost", "Time and memory", text + ".</p>\n")
}
