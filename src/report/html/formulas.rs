//! Temporal formulas in a page: verdicts, what judging them cost, runs on which they fail, and their parts along these runs.
//!
//! Invariant: verdicts and truth values are words, never colours alone; a table that is folded is introduced as such. Deliberately
//! elsewhere: the run of the finding itself (`check`).

use super::{Section, facts, paragraph, stepper, wide};
use crate::CheckReport;
use crate::markup::{Markup, markup};
use crate::subformulas::Table;
use crate::temporal::{Judged, judged};
use crate::text::violation_title;

/// The list of formulas, then each violation but that which the page is about.
pub(super) fn sections(report: &CheckReport<'_>) -> Vec<Section> {
    let formulas = judged(report);
    if formulas.is_empty() {
        return Vec::new();
    }
    // The list comes before the runs: a reader with ten formulas first wants to know which ones fail.
    let mut sections = vec![Section::new("formulas", "Temporal formulas", list(report, &formulas))];
    for (index, judged) in formulas.iter().enumerate().filter(|(_, judged)| !judged.is_finding) {
        let Some((_, violation)) = judged.violation(report.model, report.sources) else { continue };
        let title = violation_title(report.model, &violation);
        let mut content = stepper::finding(report, &title, &violation);
        content.extend(judged.trace().map(|trace| stepper::trace(report, trace, &violation)));
        content += subformulas(report, judged);
        sections.push(Section::new(format!("formula{index}"), format!("Another finding: {}", judged.name), content));
    }
    for (index, judged) in formulas.iter().enumerate() {
        let Some(trace) = judged.witness() else { continue };
        let content = paragraph(&format!("{} holds, as this run shows.", judged.text)) + stepper::of_run(report, trace, &Markup::new());
        sections.push(Section::new(format!("witness{index}"), format!("A run: {}", judged.name), content));
    }
    sections
}

/// The subformulas of the formula of the finding; empty unless requested.
pub(super) fn of_finding(report: &CheckReport<'_>) -> Markup {
    judged(report).iter().filter(|judged| judged.is_finding).map(|judged| subformulas(report, judged)).collect()
}

fn list(report: &CheckReport<'_>, formulas: &[Judged<'_>]) -> Markup {
    let rows: Markup = formulas
        .iter()
        .map(|judged| {
            let why = judged.why().map(|why| markup!(": {}", why)).unwrap_or_default();
            markup!(
                "<tr><th scope=\"row\">{}</th><td class=\"value\">{}</td><td><strong class=\"{}\">{}</strong>{}</td></tr>\n",
                judged.name,
                judged.text,
                tone(judged),
                judged.words(),
                why
            )
        })
        .collect();
    let head = markup!("<tr><th scope=\"col\">name</th><th scope=\"col\">formula</th><th scope=\"col\">verdict</th></tr>\n");
    let details: Markup = formulas
        .iter()
        .map(|judged| markup!("<details><summary>how {} was judged</summary>\n{}</details>\n", judged.name, details(report, judged)))
        .collect();
    wide(&markup!("<table>\n{}{}</table>", head, rows)) + details
}

/// The CSS class of a verdict, which determines its colour.
fn tone(judged: &Judged<'_>) -> &'static str {
    match judged.word() {
        "holds" => "good",
        // Neither good nor bad; `ill_defined` is bad, as something must be changed.
        "unknown" => "note",
        _ => "bad",
    }
}

fn details(report: &CheckReport<'_>, judged: &Judged<'_>) -> Markup {
    let mut rows = vec![
        ("place".to_owned(), judged.place(report.sources)),
        ("logic".to_owned(), if judged.logic() == "ltl" { "linear time (LTL)" } else { "branching time (CTL)" }.to_owned()),
    ];
    let fairness = judged.fairness(report.model, report.sources);
    if !fairness.is_empty() {
        rows.push(("fairness assumed".to_owned(), fairness.join(" & ")));
    }
    if let Some(result) = judged.result {
        if let Some((states, sets)) = result.automaton {
            rows.push(("automaton of the negation".to_owned(), format!("states: {states}, acceptance sets: {sets}")));
        }
        let (states, edges) = result.product;
        let graph = if result.automaton.is_some() { "product with the graph" } else { "graph" };
        rows.push((graph.to_owned(), format!("states: {states}, edges: {edges}")));
        rows.push(("symmetries".to_owned(), result.group_order.to_string()));
        rows.push(("time".to_owned(), format!("{:.1} ms", result.time_s * 1000.0)));
    }
    facts(&rows)
}

/// The subformulas of a formula along its run; empty unless requested.
fn subformulas(report: &CheckReport<'_>, judged: &Judged<'_>) -> Markup {
    let Some(table) = judged.table(report.model) else { return Markup::new() };
    let folded = if table.is_folded() { " Steps that follow each other and in which all values are the same share a column." } else { "" };
    let remark = table.remark().map(|remark| paragraph(&remark)).unwrap_or_default();
    let text = format!("Whether each part holds after each step.{folded}");
    // A table of many columns is initially folded.
    let content = paragraph(&text) + wide(&table_of(&table)) + remark;
    markup!("<details><summary>{} along this run, part by part</summary>\n{}</details>\n", judged.name, content)
}

fn table_of(table: &Table<'_>) -> Markup {
    let heads: Markup = table.columns.iter().map(|column| markup!("<th scope=\"col\">{}</th>", column.label())).collect();
    let rows: Markup = table
        .rows
        .iter()
        .map(|row| {
            let cells = table.columns.iter().map(|column| match row.values.get(column.at) {
                Some(true) => markup!("<td>yes</td>"),
                Some(false) => markup!("<td class=\"soft\">no</td>"),
                None => markup!("<td></td>"),
            });
            // Blanks at the beginning of a line are not shown; these are.
            let depth = "\u{a0}\u{a0}".repeat(row.depth);
            markup!("<tr><th scope=\"row\">{}<code>{}</code></th>{}</tr>\n", depth, row.text, cells.collect::<Markup>())
        })
        .collect();
    markup!("<table>\n<tr><th scope=\"col\">part, after step</th>{}</tr>\n{}</table>", heads, rows)
}
