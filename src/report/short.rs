//! `--format short`: one line per finding and warning, as editors read them, then the verdict.
//!
//! Invariant: every line but the last starts with `file:line:column: `; the last one is the verdict.

use super::diagnostics::{headline, place};
use super::temporal::{Judged, judged};
use super::{CheckReport, Violation, violation, warnings};
use bcheck_explore::{TemporalVerdict, Verdict};
use bcheck_source::{Shown, Vocabulary, shown};

/// The report.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> Shown {
    // Diagnostics about the text are on stderr by now, in the same form.
    let mut lines: Vec<Shown> = warnings(report).iter().map(|warning| headline(warning, report.sources)).collect();
    if let Some(violation) = violation(report) {
        lines.push(of_violation(report, report.outcome.verdict, &violation));
    }
    // That of the finding is there already.
    lines.extend(judged(report).iter().filter(|judged| !judged.is_finding).filter_map(|judged| of_formula(report, judged)));
    lines.push(Shown::line(report.outcome.verdict.word()));
    Shown::join(lines, "\n") + shown!("\n")
}

fn of_violation(report: &CheckReport<'_>, verdict: Verdict, violation: &Violation) -> Shown {
    let at = violation.span.map_or_else(|| format!("{}:1:1", report.file), |span| place(span, report.sources));
    let word = if verdict == Verdict::GoalFound { "note" } else { "error" };
    let formula = violation.formula.as_ref().map(|formula| format!(": {formula}")).unwrap_or_default();
    shown!("{}: {}[{}]: {}{}", at, word, verdict.word(), violation.message, formula)
}

/// The line about a temporal formula that does not hold, or is undecided.
fn of_formula(report: &CheckReport<'_>, judged: &Judged<'_>) -> Option<Shown> {
    match &judged.verdict {
        TemporalVerdict::Unknown(reason) => {
            let (at, word) = (judged.place(report.sources), Verdict::Incomplete.word());
            Some(shown!("{}: warning[{}]: the formula could not be decided: {}: {}", at, word, judged.text, reason))
        }
        _ => judged.violation(report.model, report.sources).map(|(verdict, violation)| of_violation(report, verdict, &violation)),
    }
}
