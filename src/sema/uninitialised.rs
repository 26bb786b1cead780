//! Variables that no initialisation assigns.
//!
//! Invariant: a variable that some branch assigns is never reported; one that other branches leave out is found when the machine runs.

use super::elaborate::Elaborator;
use bcheck_ir::{Node, Subst, SubstKind, Target, VariableId, walk_subst};
use bcheck_source::{Code, Diagnostic, Span, has_errors};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Reports variables that no branch of the initialisation assigns.
pub(super) fn report(elaborator: &mut Elaborator<'_>, variables: &IndexMap<String, Span>, initialisation: &Subst) {
    // An assignment with an error is left out of the substitution, and a missing clause is reported.
    if has_errors(&elaborator.diagnostics) {
        return;
    }
    let assigned = assigned(initialisation);
    let own = elaborator.names.first_abstract as usize;
    let declared = variables.iter().zip(0..).take(own);
    for ((name, place), _) in declared.filter(|(_, id)| !assigned.contains(&VariableId(*id))) {
        elaborator.diagnostics.push(
            Diagnostic::error(Code::NotInitialised, *place, format!("`{name}` has no initial value"))
                .label("INITIALISATION does not assign it")
                .help(format!("add {name} := E to INITIALISATION, or {name} :: S for any element of S")),
        );
    }
}

/// The variables that a substitution assigns in some branch.
fn assigned(subst: &Subst) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    let mut add = |target: &Target| {
        if let Target::Variable(id) = target {
            found.insert(*id);
        }
    };
    walk_subst(subst, &mut |node| match node {
        Node::Subst(Subst { kind: SubstKind::Assign(writes), .. }) => writes.iter().for_each(|(target, _)| add(target)),
        Node::Subst(Subst { kind: SubstKind::BecomesIn(targets, _), .. }) => targets.iter().for_each(&mut add),
        Node::Subst(Subst { kind: SubstKind::BecomesSuchThat(targets, _), .. }) => targets.iter().for_each(|(target, _, _)| add(target)),
        Node::Expr(_) | Node::Pred(_) | Node::Subst(_) => {}
    });
    found
}
