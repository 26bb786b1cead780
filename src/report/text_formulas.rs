//! Temporal formulas in the text report: the list with verdicts, and the table of subformulas.
//!
//! Invariant: what the finding says of the only formula is not said twice. Deliberately elsewhere: findings and their traces (`text`).

use super::CheckReport;
use super::subformulas::Table;
use super::temporal::Judged;
use crate::source::{Shown, shown};

/// The formulas with their verdicts; nothing where the finding says all.
pub(super) fn list(formulas: &[Judged<'_>]) -> Shown {
    if formulas.iter().all(|judged| judged.is_finding) {
        return Shown::new();
    }
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

/// The subformulas of a formula along its run; nothing unless asked for.
pub(super) fn subformulas(report: &CheckReport<'_>, judged: &Judged<'_>) -> Shown {
    judged.table(report.model).map(|table| table_text(&table)).unwrap_or_default()
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
