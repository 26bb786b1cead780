//! The targets of coverage in a machine, in its own words: operations, branches, disjuncts of guards, conditions.
//!
//! Invariant: a target is named by the text that makes it one, on one line. Deliberately elsewhere: which targets are covered (`cover`,
//! `branch_coverage`).

use super::finding::one_line;
use bcheck_explore::{BranchKind, Target, TargetKind};
use bcheck_ir::Model;
use bcheck_source::{SourceMap, in_back_quotes};

/// The operation of a target, as it is written.
pub fn operation_of(model: &Model, target: &Target) -> String {
    target.operation.map_or_else(|| "INITIALISATION".to_owned(), |id| in_back_quotes(model.operation_name(id)).into_owned())
}

/// A target in the words of its machine.
pub fn description(sources: &SourceMap, target: &Target) -> String {
    let text = || one_line(sources, target.span);
    match target.kind {
        TargetKind::Operation => "operation".to_owned(),
        TargetKind::Disjunct => format!("guard by {}", text()),
        TargetKind::Condition(value) => format!("{} decides, {}", text(), if value { "true" } else { "false" }),
        TargetKind::Branch(branch) => match branch {
            BranchKind::If => format!("IF {}", text()),
            BranchKind::ElsIf => format!("ELSIF {}", text()),
            BranchKind::Either => format!("EITHER {}", text()),
            BranchKind::Or => format!("OR {}", text()),
            BranchKind::Else | BranchKind::CaseElse | BranchKind::SelectElse => "ELSE".to_owned(),
            BranchKind::PastIf => "past IF without ELSE".to_owned(),
            BranchKind::PastCase => "past CASE without ELSE".to_owned(),
            BranchKind::Select => format!("SELECT {}", text()),
            BranchKind::When => format!("WHEN {}", text()),
            BranchKind::Choice(at) => format!("CHOICE {}", at + 1),
            BranchKind::Any => format!("ANY with {}", text()),
            BranchKind::While => format!("WHILE {}", text()),
        },
    }
}
