//! Clauses that bring in other machines. They are not supported yet: each is met with a diagnostic at the clause.
//!
//! Invariant: a machine that passes [`check`] is complete by itself, so every later pass may assume one flat machine.

use crate::source::{Code, Diagnostic};
use crate::syntax::ast::{ClauseKind, Machine, MachineKind};

/// Reports every clause that needs another machine.
pub(super) fn check(machine: &Machine, diagnostics: &mut Vec<Diagnostic>) {
    for clause in &machine.clauses {
        let keyword = match &clause.kind {
            ClauseKind::Refines(_) => "REFINES",
            ClauseKind::Sees(_) => "SEES",
            ClauseKind::Uses(_) => "USES",
            ClauseKind::Includes(_) => "INCLUDES",
            ClauseKind::Extends(_) => "EXTENDS",
            ClauseKind::Imports(_) => "IMPORTS",
            ClauseKind::Promotes(_) => "PROMOTES",
            ClauseKind::LocalOperations(_) => "LOCAL_OPERATIONS",
            ClauseKind::Values(_) => "VALUES",
            ClauseKind::Freetypes => "FREETYPES",
            ClauseKind::Constraints(_)
            | ClauseKind::Sets(_)
            | ClauseKind::Constants(..)
            | ClauseKind::Properties(_)
            | ClauseKind::Variables(..)
            | ClauseKind::Invariant(_)
            | ClauseKind::Assertions(_)
            | ClauseKind::Definitions(_)
            | ClauseKind::Initialisation(_)
            | ClauseKind::Operations(_) => continue,
        };
        diagnostics.push(
            Diagnostic::error(Code::NotSupported, clause.keyword, format!("{keyword} is not yet supported"))
                .label("this clause")
                .help("bcheck checks a single machine so far"),
        );
    }
    let is_refinement = matches!(machine.kind, MachineKind::Refinement | MachineKind::Implementation);
    if is_refinement && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error(Code::NotSupported, machine.name.span, "refinements are not yet supported").label("this is not a MACHINE"),
        );
    }
}
