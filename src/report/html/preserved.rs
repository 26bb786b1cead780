//! Which temporal formulas of the refined machine the refinement preserves, for a browser.
//!
//! Invariant: an answer is a word, never a colour alone; each has its reasons beside it.

use super::{Section, paragraph, wide};
use crate::CheckReport;
use crate::markup::{Markup, markup};
use crate::passed::PassedRow;
use crate::preserved::{PreservedRow, rows};
use bcheck_explore::refine::preservation::Preservation;

/// The table, if it was requested.
pub(super) fn section(report: &CheckReport<'_>) -> Option<Section> {
    let refined = &report.refinement?.refinement.refined;
    let rows = rows(report);
    if rows.is_empty() {
        return None;
    }
    let text = format!(
        "What holds of {refined} and therefore of {}: of runs whose calls the preconditions of {refined} allow, at these sizes.",
        report.model.name
    );
    let head =
        markup!("<tr><th scope=\"col\">name</th><th scope=\"col\">formula</th><th scope=\"col\">of {}</th></tr>\n", report.model.name);
    let table = wide(&markup!("<table>\n{}{}</table>", head, rows.iter().map(row).collect::<Markup>()));
    Some(Section::new("preserved", format!("Temporal formulas of {refined}"), paragraph(&text) + table))
}

/// Which formulas of a chain the machines further down preserve; `None` if there are none.
pub(super) fn further_down(passed: &[PassedRow]) -> Option<Section> {
    let cell =
        |(at, text): (usize, &String)| markup!("<td{}>{}</td>", if at == 2 { markup!(" class=\"value\"") } else { Markup::new() }, text);
    let row = |row: &PassedRow| markup!("<tr>{}</tr>\n", row.cells().iter().enumerate().map(cell).collect::<Markup>());
    let rows: Markup = passed.iter().map(row).collect();
    let heads: Markup =
        ["stated in", "name", "formula", "further down"].iter().map(|head| markup!("<th scope=\"col\">{}</th>", head)).collect();
    let table = wide(&markup!("<table>\n<tr>{}</tr>\n{}</table>", heads, rows));
    let text = "What holds of a machine, and therefore of each one below it in which it is kept.";
    (!passed.is_empty()).then(|| Section::new("passed", "Temporal formulas further down", paragraph(text) + table))
}

fn row(row: &PreservedRow<'_>) -> Markup {
    let why = markup!(": {}", row.why.join("; "));
    let command = row.command.as_ref().map(|command| markup!("<br/><code>{}</code>", command)).unwrap_or_default();
    markup!(
        "<tr><th scope=\"row\">{}</th><td class=\"value\">{}</td><td><strong class=\"{}\">{}</strong>{}{}</td></tr>\n",
        row.name,
        row.text,
        tone(row.preserved.answer),
        row.words(),
        why,
        command
    )
}

/// The CSS class of an answer, which determines its colour.
fn tone(answer: Preservation) -> &'static str {
    match answer {
        Preservation::Kept => "good",
        Preservation::NotKept | Preservation::OwnCheck => "note",
        Preservation::Fails => "bad",
    }
}
