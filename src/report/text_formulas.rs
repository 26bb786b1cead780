//! Temporal formulas in the text report: the list with verdicts, and the table of subformulas.
//!
//! Invariant: the finding about the only formula is not repeated. Deliberately elsewhere: findings and their traces (`text`).

use super::diagnostics::place;
use super::subformulas::Table;
use super::temporal::Judged;
use super::trace::text_of_run;
use super::{CheckReport, named_steps};
use bcheck_explore::SubformulaRow;
use bcheck_source::{Shown, shown};

/// The formulas with their verdicts; empty where the finding is enough.
pub(super) fn list(formulas: &[Judged<'_>]) -> Shown {
    // At most one formula is the finding, so this is the case of a single formula, or of none.
    if formulas.iter().all(|judged| judged.is_finding) {
        return Shown::new();
    }
    // In characters: bytes would push the columns apart after a name with an accent.
    let width = formulas.iter().map(|judged| judged.name.chars().count() + 2).max().unwrap_or(0).max(19);
    let mut text = shown!("\n  {}{}\n", shown!("temporal formula").left(width), "verdict");
    for judged in formulas {
        text += shown!("  {}{}{}\n", shown!("{}", judged.name).left(width), shown!("{}", judged.words()).left(13), judged.text);
        if let Some(why) = judged.why() {
            text += shown!("  {}{}\n", " ".repeat(width + 13), why);
        }
    }
    text
}

/// The run that shows that a formula holds; empty unless requested.
pub(super) fn witness(report: &CheckReport<'_>, judged: &Judged<'_>) -> Shown {
    let Some(trace) = judged.witness() else { return Shown::new() };
    let place = place(judged.stated.span, report.sources);
    let run = text_of_run(&named_steps(report.model, trace), trace.end);
    shown!("\n{}: the formula holds, as this run shows: {}\nTrace:\n{}", place, judged.text, run)
}

/// The subformulas of a formula along its run; empty unless requested.
pub(super) fn subformulas(report: &CheckReport<'_>, judged: &Judged<'_>) -> Shown {
    judged.table(report.model).map(|table| table_text(&table)).unwrap_or_default()
}

/// The table of these rows, whose first value belongs to the step with this number; nothing without rows.
pub(super) fn of_rows(rows: &[SubformulaRow], first: usize) -> Shown {
    if rows.is_empty() { Shown::new() } else { table_text(&Table::new(rows, first)) }
}

fn table_text(table: &Table<'_>) -> Shown {
    let indented = |depth: usize, text: &str| shown!("{}{}", "  ".repeat(depth), text);
    let rows: Vec<(Shown, &[bool])> = table.rows.iter().map(|row| (indented(row.depth, &row.text), row.values.as_slice())).collect();
    let width = rows.iter().map(|(title, _)| title.chars().count() + 2).max().unwrap_or(0);
    let labels: Vec<(String, usize)> = table.columns.iter().map(|column| (column.label(), column.at)).collect();
    let mut text = shown!("\nSubformulas after each step (T: true, -: false):\n  {}", " ".repeat(width));
    text.extend(labels.iter().map(|(label, _)| shown!("{} ", label)));
    text += shown!("\n");
    for (title, values) in rows {
        text += shown!("  {}", title.left(width));
        for (label, at) in &labels {
            let sign = match values.get(*at) {
                Some(true) => "T",
                Some(false) => "-",
                None => " ",
            };
            text += shown!("{} ", shown!("{}", sign).right(label.len()));
        }
        text += shown!("\n");
    }
    text.extend(table.remark().map(|remark| shown!("  {}\n", remark)));
    without_trailing_blanks(&text)
}

/// The lines without the blanks at their ends.
fn without_trailing_blanks(text: &Shown) -> Shown {
    text.lines().map(|line| shown!("{}\n", line.trim_end())).collect()
}
