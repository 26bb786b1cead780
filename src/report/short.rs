//! `--format short`: one line per finding and warning, as editors read them, then the verdict.
//!
//! Invariant: every line but the last starts with `file:line:column: `; the last one is the verdict.

use super::diagnostics::{headline, place};
use super::{CheckReport, violation, warnings};
use crate::explore::Verdict;
use crate::source::{Shown, Vocabulary, shown};

/// The report.
#[must_use]
pub(crate) fn render(report: &CheckReport<'_>) -> Shown {
    // Diagnostics about the text are on stderr by now, in the same form.
    let mut lines: Vec<Shown> = warnings(report).iter().map(|warning| headline(warning, report.sources)).collect();
    if let Some(violation) = violation(report) {
        let at = violation.span.map_or_else(|| format!("{}:1:1", report.file), |span| place(span, report.sources));
        let word = if report.outcome.verdict == Verdict::GoalFound { "note" } else { "error" };
        let formula = violation.formula.map(|formula| format!(": {formula}")).unwrap_or_default();
        lines.push(shown!("{}: {}[{}]: {}{}", at, word, report.outcome.verdict.word(), violation.message, formula));
    }
    lines.push(Shown::line(report.outcome.verdict.word()));
    Shown::join(lines, "\n") + shown!("\n")
}
