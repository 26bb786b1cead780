//! Names that nothing types.
//!
//! A constant, variable or bound name without a type is an error. Parameters and results that their operation never uses are accepted, as
//! in ProB, with a warning: such a parameter has the single value "undefined", such a result has none. So are results that are used, but
//! whose type stays open, and parameters and results of inlined calls, where the warning is that about the operation.
//! Invariant: afterwards either an error was reported or every name has a type, up to parts that nothing can depend on.

use super::elaborate::Elaborator;
use super::types::{Origin, has_unknown, too_large};
use bcheck_ir::{Comparison, Expr, ExprKind, LocalId, Node, Operation, Pred, PredKind, Subst, SubstKind, Target, Type, walk_subst};
use bcheck_source::{Code, Diagnostic, Span};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The value of a parameter that its operation does not use.
const UNDEFINED: &str = "undefined";

/// Reports declared and bound names that no predicate types. Called without errors only: after one, a type may be missing because of it.
pub(super) fn report(
    elaborator: &mut Elaborator<'_>,
    constants: &IndexMap<String, Span>,
    variables: &IndexMap<String, Span>,
    operations: &mut IndexMap<String, Operation>,
) {
    if let Some(origin) = elaborator.types.too_large() {
        let error = Diagnostic::error(Code::NotSupportedEver, origin.reason, too_large());
        elaborator.diagnostics.push(error.label("part of the type comes from here"));
        return;
    }
    let mut no_steps = std::mem::take(&mut elaborator.no_steps);
    // In operations that are not steps only these names could be excused, and they are dropped afterwards.
    let mut excused = complete_operations(elaborator, operations.values_mut().chain(&mut no_steps));
    // A call unifies the types of its operation's names with those of the arguments and targets. Nothing can depend on types that stay
    // open.
    excused.extend(elaborator.inlined.drain(..));
    let constants = constants.iter().zip(&elaborator.constant_types).map(|((name, span), ty)| (name, *span, ty, "PROPERTIES"));
    let variables = variables.iter().zip(&elaborator.variable_types).map(|((name, span), ty)| (name, *span, ty, "INVARIANT"));
    let locals = elaborator.locals.iter().zip(&elaborator.local_spans).zip(&elaborator.local_types).zip(0..);
    let locals = locals.filter(|(_, id)| !excused.contains(&LocalId(*id)));
    let locals = locals.map(|(((name, span), ty), _)| (name, *span, ty, "the condition of its scope"));
    let untyped = constants.chain(variables).chain(locals).filter(|(_, _, ty, _)| has_unknown(&elaborator.types.resolve(ty)));
    let found: Vec<Diagnostic> = untyped
        .map(|(name, span, _, place)| {
            Diagnostic::error(Code::CannotType, span, format!("the type of `{name}` cannot be inferred"))
                .label("nothing says what its values are")
                .help(format!("add a predicate such as `{name} : S` to {place}"))
        })
        .collect();
    elaborator.diagnostics.extend(found);
}

/// Gives a value to parameters that their operation does not use. Returns the results whose type may stay open.
fn complete_operations<'o>(elaborator: &mut Elaborator<'_>, operations: impl Iterator<Item = &'o mut Operation>) -> BTreeSet<LocalId> {
    let mut excused = BTreeSet::new();
    for operation in operations {
        let used = used(&operation.body);
        for (name, id, ty) in &operation.results {
            let resolved = elaborator.types.resolve(ty);
            if !has_unknown(&resolved) {
                continue;
            }
            let span = elaborator.local_spans[id.index()];
            // Nothing can depend on an open type, as in `r := {}`; the last pass chooses one. An unused result is left without a value, as
            // one that has a type is: every value refines it.
            excused.insert(*id);
            // Three cases: a type known in part, a use that leaves the type open, no use. Only in the last is a value missing as well.
            let is_open = used.contains(id) || !elaborator.types.is_unknown(ty);
            warn(elaborator, name, span, if is_open { "nothing says what its values are" } else { "the operation gives it no value" });
        }
        let unused = operation.parameters.iter().filter(|(_, id, _)| !used.contains(id));
        let unused = unused.filter(|(_, _, ty)| elaborator.types.is_unknown(ty)).cloned().collect::<Vec<_>>();
        for (name, id, ty) in unused {
            let span = elaborator.local_spans[id.index()];
            fix(elaborator, &ty, span);
            warn(elaborator, &name, span, "the operation does not use it");
            // A guard restricts the parameter to its one value, so that the search binds it like any other.
            let parameter = Expr { kind: ExprKind::Local(id), ty: Type::String, span };
            let kind = PredKind::Compare(Comparison::Equal, Box::new(parameter), Box::new(undefined(span)));
            let body = std::mem::replace(&mut operation.body, Subst { kind: SubstKind::Skip, span });
            operation.body =
                Subst { span: body.span, kind: SubstKind::Pre { pred: Pred { kind, span }, body: Box::new(body), is_guard: true } };
        }
    }
    excused
}

// A string, because its text explains the value wherever a trace shows it.
fn undefined(span: Span) -> Expr {
    Expr { kind: ExprKind::String(Arc::from(UNDEFINED)), ty: Type::String, span }
}

fn fix(elaborator: &mut Elaborator<'_>, ty: &Type, span: Span) {
    let fits = elaborator.types.unify(ty, &Type::String, Origin { at: span, reason: span });
    debug_assert!(fits.is_ok(), "nothing is known of an unused name");
}

fn warn(elaborator: &mut Elaborator<'_>, name: &str, span: Span, label: &str) {
    elaborator.diagnostics.push(
        Diagnostic::warning(Code::CannotType, span, format!("the type of `{name}` cannot be inferred"))
            .label(label)
            .help(format!("a predicate such as `{name} : S` gives it a type")),
    );
}

/// Locals that a substitution reads or assigns.
fn used(body: &Subst) -> BTreeSet<LocalId> {
    let mut used = BTreeSet::new();
    // Targets are not nodes of a walk, so they are collected from each substitution.
    let target = |target: &Target, used: &mut BTreeSet<LocalId>| {
        if let Target::Local(id) = target {
            used.insert(*id);
        }
    };
    walk_subst(body, &mut |node| match node {
        Node::Expr(Expr { kind: ExprKind::Local(id), .. }) => {
            used.insert(*id);
        }
        Node::Subst(Subst { kind: SubstKind::Assign(writes), .. }) => writes.iter().for_each(|(written, _)| target(written, &mut used)),
        Node::Subst(Subst { kind: SubstKind::BecomesIn(targets, _), .. }) => {
            targets.iter().for_each(|written| target(written, &mut used));
        }
        Node::Subst(Subst { kind: SubstKind::BecomesSuchThat(targets, _), .. }) => {
            targets.iter().for_each(|(written, _, _)| target(written, &mut used));
        }
        Node::Expr(_) | Node::Pred(_) | Node::Subst(_) => {}
    });
    used
}
