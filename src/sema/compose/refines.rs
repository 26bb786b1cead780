//! The operations of the whole, and what a refinement's operations inherit from the machine it refines.
//!
//! An operation of a refinement, its own or a promoted one, has the parameters and results of the operation it refines, with their types;
//! the preconditions of that operation hold for it as well, because a refinement guarantees nothing outside of them. Invariant: an
//! inherited precondition does not repeat the type of a result.

use super::project::Project;
use super::scope::{self, Interface};
use crate::clauses::Clauses;
use crate::elaborate::Elaborator;
use crate::names::Names;
use crate::result_types::drop_result_types;
use bcheck_ir::{Expr, ExprKind, LocalId, Node, Pred, PredKind, Subst, SubstKind, Type, walk_pred};
use bcheck_source::{Code, Diagnostic};
use bcheck_syntax::ast;
use std::collections::HashSet;

/// The machines of a project and the operations that each offers.
pub(crate) struct Family<'p> {
    project: &'p Project,
    interfaces: Vec<Interface>,
}

/// An operation exported by an instance (own, promoted, extended) or local to it. What it refines is decided by the exporting instance,
/// not by the declaring text.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'n> {
    /// The exporting instance.
    pub(crate) by: usize,
    /// Its name there.
    pub(crate) name: &'n str,
    /// Index into the operations of the whole.
    pub(crate) operation: usize,
}

/// The parameters and results of an operation, and the preconditions that come from above.
pub(crate) struct Signature {
    pub(crate) parameters: Vec<(LocalId, Type)>,
    pub(crate) results: Vec<(LocalId, Type)>,
    pub(crate) inherited: Vec<Pred>,
}

impl<'p> Family<'p> {
    /// Completes the scopes of all machines.
    pub(crate) fn of<'a>(project: &'p Project, clauses: &'a [Clauses], elaborator: &mut Elaborator<'a>) -> Self {
        let interfaces = scope::complete(project, clauses, elaborator);
        Self { project, interfaces }
    }

    /// The operations that a machine exports.
    pub(crate) fn offered(&self, by: usize) -> impl ExactSizeIterator<Item = Offered<'_>> {
        self.interfaces[by].iter().map(move |(name, &operation)| Offered { by, name, operation })
    }

    /// The operations of the whole by name: those that the main machine exports, then those of machines that are only seen. No two of them
    /// have equal names: they become the keys of a map whose indices are their ids.
    pub(crate) fn steps(&self) -> Vec<(String, Offered<'_>)> {
        let main = self.project.main();
        let mut steps: Vec<(String, Offered<'_>)> = self.offered(main).map(|offered| (offered.name.to_owned(), offered)).collect();
        let mut taken: HashSet<String> = steps.iter().map(|(name, _)| name.clone()).collect();
        for (scope, instance) in self.project.instances.iter().enumerate() {
            // Operations of an included machine are steps only if promoted, and then the including machine exports them.
            if scope == main || !instance.is_live || instance.is_included {
                continue;
            }
            for offered in self.offered(scope) {
                let mut name = format!("{}{}", instance.prefix, offered.name);
                // A machine that is seen without prefix may have an operation with the name of one of the main machine. The name qualified
                // by its machine may be taken too, by an operation that is promoted from `N.K` and by that of N: it is extended until it
                // is new.
                while !taken.insert(name.clone()) {
                    name = format!("{}.{name}", self.project.machine(scope).name.text);
                }
                steps.push((name, offered));
            }
        }
        steps
    }

    /// Binds the parameters and results of an operation in the scope of its machine. The caller takes them out of scope again.
    pub(crate) fn signature(&self, elaborator: &mut Elaborator<'_>, offered: Offered<'_>) -> Signature {
        let above = self.above(elaborator, offered);
        self.signature_under(elaborator, offered.operation, above)
    }

    /// Binds the parameters and results of an operation that refines `above`, or nothing.
    pub(crate) fn signature_under(&self, elaborator: &mut Elaborator<'_>, operation: usize, above: Option<Offered<'_>>) -> Signature {
        let (_, text) = elaborator.operations[operation];
        match above.and_then(|above| self.inherited(elaborator, text, above)) {
            Some(above) => {
                // The same locals under the names of this text, so the inherited preconditions are about this operation's parameters.
                elaborator.bind_to(&text.parameters, above.parameters.iter().map(|(id, _)| *id), false);
                elaborator.bind_to(&text.results, above.results.iter().map(|(id, _)| *id), true);
                above
            }
            None => {
                let (parameters, results) = (elaborator.bind(&text.parameters), elaborator.bind_as(&text.results, true));
                // A local operation refines its specification in LOCAL_OPERATIONS.
                let inherited = elaborator.local_preconditions(operation, &parameters, &results);
                Signature { parameters, results, inherited }
            }
        }
    }

    /// The operation that an operation of a refinement refines.
    pub(crate) fn above(&self, elaborator: &mut Elaborator<'_>, offered: Offered<'_>) -> Option<Offered<'_>> {
        let refined = self.project.instances[offered.by].refined()?;
        let (scope, text) = elaborator.operations[offered.operation];
        // A local operation does not belong to the refined machine.
        if elaborator.specifications.contains_key(&offered.operation) {
            return None;
        }
        // Only the text of the refinement itself can state what an operation refines.
        let stated = text.refines.as_ref().filter(|_| scope == offered.by);
        let wanted = stated.map_or(offered.name, |wanted| &wanted.text);
        let above = self.interfaces[refined].get_key_value(wanted);
        if let (None, Some(wanted)) = (above, stated) {
            let title = format!("there is no operation `{}` in the refined machine", wanted.text);
            elaborator.diagnostics.push(Diagnostic::error(Code::UnknownOperation, wanted.span, title).label("refined here"));
        }
        above.map(|(name, &operation)| Offered { by: refined, name, operation })
    }

    /// The signature that an operation inherits from the one it refines: its locals, and the part of its preconditions that is retained.
    /// The refined operation may itself refine another one; then the preconditions of all are collected.
    fn inherited(&self, elaborator: &mut Elaborator<'_>, text: &ast::Operation, above: Offered<'_>) -> Option<Signature> {
        let (scope, refined) = elaborator.operations[above.operation];
        for (what, wanted, given) in
            [("parameters", refined.parameters.len(), text.parameters.len()), ("results", refined.results.len(), text.results.len())]
        {
            if wanted != given {
                let title = format!("`{}` has {given} {what}, the operation it refines has {wanted}", text.name.text);
                elaborator.diagnostics.push(
                    Diagnostic::error(Code::WrongArgumentCount, text.name.span, title)
                        .label("declared here")
                        .also(refined.name.span, "refined operation"),
                );
                return None;
            }
        }
        // The refined text is elaborated once for each of its refinements: its locals become those of the current operation.
        let bound = std::mem::take(&mut elaborator.names.bound);
        let outer = elaborator.names.enter(scope);
        let mut signature = self.signature(elaborator, above);
        // An open call, so that a refined operation that calls itself is refused here as well.
        elaborator.calls.push(above.operation);
        // The body is elaborated for the types that it determines for the locals and for its preconditions, and then dropped.
        let mut body = elaborator.subst(&refined.body);
        // Results have no values before the body runs: as a guard, a conjunct that only types one would forbid every call.
        drop_result_types(&mut body, &signature.results.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        elaborator.calls.pop();
        elaborator.resolve_overloads();
        elaborator.names.enter(outer);
        elaborator.names.bound = bound;
        preconditions(body, &elaborator.names, &mut signature.inherited);
        Some(signature)
    }
}

/// Adds the conjuncts of each PRE at the top of a body that an operation of the refinement takes over.
fn preconditions(subst: Subst, names: &Names, result: &mut Vec<Pred>) {
    let SubstKind::Pre { pred, body, .. } = subst.kind else { return };
    result.extend(keep_below(pred, names.inherits_below));
    preconditions(*body, names, result);
}

/// The conjuncts that mention only variables below an id.
pub(crate) fn keep_below(pred: Pred, first: u32) -> Option<Pred> {
    if !mentions_from(&pred, first) {
        return Some(pred);
    }
    // Only conjuncts can be left out: without a disjunct the precondition would be stronger.
    let PredKind::And(parts) = pred.kind else { return None };
    let kept: Vec<Pred> = parts.into_iter().filter(|part| !mentions_from(part, first)).collect();
    Some(Pred { kind: PredKind::And(kept), span: pred.span })
}

/// Whether a predicate mentions variables from an id on.
pub(crate) fn mentions_from(pred: &Pred, first: u32) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) = node {
            found |= id.0 >= first;
        }
    });
    found
}
