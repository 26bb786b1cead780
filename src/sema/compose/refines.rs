//! The operations of the whole, and what a refinement's operations inherit from the machine it refines.
//!
//! An operation of a refinement has the parameters and results of the operation it refines, with their types; the preconditions
//! of that operation hold for it too, because a refinement promises nothing outside of them. Conjuncts about variables that the
//! refinement does not keep are left to a refinement check.
//! Invariant: an inherited precondition mentions no variable outside the state.

use super::project::Project;
use super::reference::LinkKind;
use super::scope::{self, Interface};
use crate::ir::{Expr, ExprKind, LocalId, Node, Pred, PredKind, Subst, SubstKind, Type, walk_pred};
use crate::sema::clauses::Clauses;
use crate::sema::elaborate::Elaborator;
use crate::sema::names::{Bound, Names};
use crate::source::{Code, Diagnostic};
use crate::syntax::ast;
use std::collections::HashSet;

/// The machines of a project and the operations that each offers.
pub(in crate::sema) struct Family<'p> {
    project: &'p Project,
    interfaces: Vec<Interface>,
}

/// The parameters and results of an operation, and the preconditions that come from above.
pub(in crate::sema) struct Signature {
    pub(in crate::sema) parameters: Vec<(LocalId, Type)>,
    pub(in crate::sema) results: Vec<(LocalId, Type)>,
    pub(in crate::sema) inherited: Vec<Pred>,
}

impl<'p> Family<'p> {
    /// Completes the scopes of all machines.
    pub(in crate::sema) fn of<'a>(project: &'p Project, clauses: &'a [Clauses], elaborator: &mut Elaborator<'a>) -> Self {
        let interfaces = scope::complete(project, clauses, elaborator);
        Self { project, interfaces }
    }

    /// The operations that a machine offers, by name.
    pub(in crate::sema) fn interface(&self, machine: usize) -> &Interface {
        &self.interfaces[machine]
    }

    /// The operations of the whole by name: those that the main machine offers, then those of machines that are only seen. No two of them
    /// have one name: they become the keys of a map whose indices are their ids.
    pub(in crate::sema) fn steps(&self) -> Vec<(String, usize)> {
        let main = self.project.main();
        let mut steps: Vec<(String, usize)> = self.interfaces[main].iter().map(|(name, &operation)| (name.clone(), operation)).collect();
        let mut taken: HashSet<String> = steps.iter().map(|(name, _)| name.clone()).collect();
        for (scope, instance) in self.project.instances.iter().enumerate() {
            // Operations of an included machine are steps only if promoted, and then the machine that includes it offers them.
            if scope == main || !instance.is_live || instance.is_included {
                continue;
            }
            for (name, &operation) in &self.interfaces[scope] {
                let mut name = format!("{}{name}", instance.prefix);
                // A machine that is seen without prefix may have an operation of the main machine's name. Qualified by its machine the name
                // may be taken too, by an operation that is promoted from `N.K` and by that of N: it grows until it is new.
                while !taken.insert(name.clone()) {
                    name = format!("{}.{name}", self.project.machine(scope).name.text);
                }
                steps.push((name, operation));
            }
        }
        steps
    }

    /// Binds the parameters and results of an operation in the scope of its machine. The caller takes them out of scope again.
    pub(in crate::sema) fn signature(&self, elaborator: &mut Elaborator<'_>, operation: usize) -> Signature {
        let (scope, text) = elaborator.operations[operation];
        let above = self.above(elaborator, scope, text);
        self.signature_under(elaborator, operation, above)
    }

    /// Binds the parameters and results of an operation that refines the one with the index `above`, or none.
    pub(in crate::sema) fn signature_under(&self, elaborator: &mut Elaborator<'_>, operation: usize, above: Option<usize>) -> Signature {
        let (_, text) = elaborator.operations[operation];
        match above.and_then(|above| self.inherited(elaborator, text, above)) {
            Some(above) => {
                // The same locals under the names of this text, so the inherited preconditions speak of this operation's parameters.
                let names = text.parameters.iter().zip(&above.parameters).map(|(name, local)| (name, local, false));
                let results = text.results.iter().zip(&above.results).map(|(name, local)| (name, local, true));
                let bound = names.chain(results).map(|(name, (id, _), assignable)| Bound {
                    name: name.text.clone(),
                    id: *id,
                    assignable,
                    old: None,
                });
                elaborator.names.bound.extend(bound.collect::<Vec<_>>());
                above
            }
            None => Signature {
                parameters: elaborator.bind(&text.parameters),
                results: elaborator.bind_as(&text.results, true),
                inherited: Vec::new(),
            },
        }
    }

    /// The operation that an operation of a refinement refines.
    fn above(&self, elaborator: &mut Elaborator<'_>, scope: usize, text: &ast::Operation) -> Option<usize> {
        let link = self.project.instances[scope].links.iter().find(|link| link.kind == LinkKind::Refines)?;
        let wanted = text.refines.as_ref().unwrap_or(&text.name);
        let above = self.interfaces[link.to].get(&wanted.text).copied();
        if above.is_none() && text.refines.is_some() {
            let title = format!("there is no operation `{}` in the refined machine", wanted.text);
            elaborator.diagnostics.push(Diagnostic::error(Code::UnknownOperation, wanted.span, title).label("refined here"));
        }
        above
    }

    /// The signature that an operation takes over from the one it refines: its locals, and its preconditions as far as they are kept. The
    /// refined operation may itself refine another one; then the preconditions of all are gathered.
    fn inherited(&self, elaborator: &mut Elaborator<'_>, text: &ast::Operation, above: usize) -> Option<Signature> {
        let (scope, refined) = elaborator.operations[above];
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
        // The refined text is elaborated once for each of its refinements: its locals become those of the operation at hand.
        let bound = std::mem::take(&mut elaborator.names.bound);
        let outer = elaborator.names.enter(scope);
        let mut signature = self.signature(elaborator, above);
        // An open call, so that a refined operation that calls itself is refused here as well.
        elaborator.calls.push(above);
        // The body is elaborated for the types that it gives to the locals and for its preconditions, and then dropped.
        let body = elaborator.subst(&refined.body);
        elaborator.calls.pop();
        elaborator.resolve_overloads();
        elaborator.names.enter(outer);
        elaborator.names.bound = bound;
        report_left_out(&body, elaborator);
        preconditions(body, &elaborator.names, &mut signature.inherited);
        Some(signature)
    }
}

/// Reports preconditions about the refined machine, which a check of the refinement by itself leaves out; in a refinement check, those
/// about machines further up.
fn report_left_out(body: &Subst, elaborator: &mut Elaborator<'_>) {
    let (first_abstract, outside) = (elaborator.names.first_abstract, elaborator.names.first_outside);
    let SubstKind::Pre { pred, body, .. } = &body.kind else { return };
    let is_left_out = mentions_from(pred, outside);
    if is_left_out && first_abstract < outside {
        elaborator.diagnostics.push(
            Diagnostic::warning(Code::LeftToRefine, pred.span, "a part of this precondition is about a machine further up and left out")
                .label("mentions a variable that is not there")
                .help("calls that it forbids are checked too, so a finding may be about one of them"),
        );
    } else if is_left_out {
        elaborator.diagnostics.push(
            Diagnostic::note(Code::LeftToRefine, pred.span, "a part of this precondition is about the refined machine and left out")
                .label("mentions a variable of the refined machine")
                .help("calls that it forbids are checked too, so a finding may be about one of them; `bcheck refine` knows it"),
        );
    }
    report_left_out(body, elaborator);
}

/// Adds the conjuncts of each PRE at the top of a body that an operation of the refinement takes over.
fn preconditions(subst: Subst, names: &Names, result: &mut Vec<Pred>) {
    let SubstKind::Pre { pred, body, .. } = subst.kind else { return };
    result.extend(keep_below(pred, names.inherits_below));
    preconditions(*body, names, result);
}

/// The conjuncts that mention only variables below an id.
pub(in crate::sema) fn keep_below(pred: Pred, first: u32) -> Option<Pred> {
    if !mentions_from(&pred, first) {
        return Some(pred);
    }
    // Only conjuncts can be left out: without a disjunct the precondition would be stronger.
    let PredKind::And(parts) = pred.kind else { return None };
    let kept: Vec<Pred> = parts.into_iter().filter(|part| !mentions_from(part, first)).collect();
    Some(Pred { kind: PredKind::And(kept), span: pred.span })
}

/// Whether a predicate speaks of variables from an id on.
pub(in crate::sema) fn mentions_from(pred: &Pred, first: u32) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) = node {
            found |= id.0 >= first;
        }
    });
    found
}
