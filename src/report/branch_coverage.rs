//! Which branches of IF, SELECT, CASE, CHOICE, ANY and WHILE were ever taken.
//!
//! Invariant: a branch counts as never taken only where every reachable state was expanded. Deliberately elsewhere: how they are found
//! (`explore::cover`), traces that cover them (`cover`).

use super::CheckReport;
use super::diagnostics::place;
use super::target_text::{description, operation_of};
use bcheck_explore::{Coverage, Status, Target, TargetKind};
use bcheck_ir::Model;
use bcheck_source::{Shown, SourceMap, shown};

/// The branches of a machine, with their coverage.
#[derive(Clone, Debug)]
pub struct BranchCoverage {
    /// All targets of the machine, of which branches were requested.
    pub targets: Vec<Target>,
    /// The coverage found.
    pub coverage: Coverage,
}

/// A branch.
pub(super) struct BranchRow<'a> {
    pub(super) target: &'a Target,
    /// `taken`, `never`, or `unknown` where not all states were expanded.
    pub(super) status: &'static str,
}

impl BranchCoverage {
    /// Whether something is such a target.
    #[must_use]
    pub fn is_branch(target: &Target) -> bool {
        matches!(target.kind, TargetKind::Branch(_))
    }

    /// The branches in the order of the text.
    pub(super) fn rows(&self) -> Vec<BranchRow<'_>> {
        let all = self.targets.iter().zip(&self.coverage.status);
        let branches = all.filter(|(target, _)| Self::is_branch(target));
        branches.map(|(target, status)| BranchRow { target, status: word(status) }).collect()
    }
}

fn word(status: &Status) -> &'static str {
    match status {
        Status::Covered(_) => "taken",
        Status::Uncoverable => "never",
        Status::Undecided | Status::Unobserved | Status::Unwanted => "unknown",
    }
}

/// A status as a sentence.
pub(super) fn in_words(status: &str) -> &'static str {
    match status {
        "taken" => "taken",
        "never" => "never taken",
        _ => "not seen",
    }
}

/// The operation and the text of a branch.
pub(super) fn title(model: &Model, sources: &SourceMap, target: &Target) -> String {
    format!("{}: {}", operation_of(model, target), description(sources, target))
}

/// The branches as a section of the text; empty unless requested.
pub(super) fn section(report: &CheckReport<'_>) -> Shown {
    let rows = report.branches.map(BranchCoverage::rows).unwrap_or_default();
    if rows.is_empty() {
        return Shown::new();
    }
    let taken = rows.iter().filter(|row| row.status == "taken").count();
    let mut text = shown!("\nBranches: {} of {} taken\n", taken, rows.len());
    for BranchRow { target, status } in rows {
        let place = place(target.span, report.sources);
        text += shown!("  {:<12}{}  {}\n", in_words(status), place, title(report.model, report.sources, target));
    }
    text
}
