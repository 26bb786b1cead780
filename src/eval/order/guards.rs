//! Guards: necessary conditions for an operation, or for what follows a choice in its body, to be feasible.
//!
//! Invariant: the guard search of an operation visits every argument tuple with which its body can be feasible or ill-defined; the body
//! tests its own guards again, so a coarse guard costs time, never correctness. Guards further down in the body (below LET, IF, CASE and
//! choices) are evaluated twice if they are used, so they are used only where a name is unbounded without them.
//! Deliberately elsewhere: the order of the conjuncts (`greedy`).

use super::conjuncts::not;
use crate::compile::Compiler;
use crate::plan::{Action, Search, Slot};
use bcheck_ir::{Comparison, Expr, ExprKind, LocalId, Node, Operation, Pred, PredKind, Subst, SubstKind, Type, walk_pred};
use bcheck_source::Span;

/// The search for the arguments of an operation.
pub(crate) fn guard(compiler: &mut Compiler<'_>, operation: &Operation) -> Search {
    let parameters: Vec<(Slot, Type)> =
        operation.parameters.iter().map(|(_, id, ty)| (compiler.names().local_slot(*id), ty.clone())).collect();
    let mut guards = Vec::new();
    collect_guards(compiler, &operation.body, &mut guards);
    let guards: Vec<&Pred> = compiler.model.expanded.iter().chain(&guards).collect();
    choice_before(compiler, &parameters, &guards, &operation.body, operation.span)
}

/// A choice of values for `locals` that is followed by a substitution, whose guards are used to bound names that the choice itself does
/// not bound.
pub(super) fn choice_before(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred], body: &Subst, span: Span) -> Search {
    let (mut search, mut notes) = compiler.noting(|compiler| compiler.choice(locals, conjuncts, span));
    let is_open = |search: &Search| search.actions.iter().any(|action| matches!(action, Action::Unbounded { .. }));
    if (!notes.tried.is_empty() || is_open(&search))
        && let Some(below) = guard_of(body)
    {
        // The notes of the first attempt are dropped with it: its windows are not tried.
        (search, notes) = compiler.noting(|compiler| compiler.choice(locals, &[conjuncts, &[&below]].concat(), span));
    }
    compiler.notes.tried.extend(notes.tried);
    search
}

/// Adds the conditions at the top of a substitution without which it is infeasible.
pub(crate) fn collect_guards(compiler: &mut Compiler<'_>, subst: &Subst, guards: &mut Vec<Pred>) {
    collect(compiler, subst, |span| span, guards);
}

/// As [`Self::collect_guards`], to be shown: the quantifier that replaces ANY is in no text, and neither is the place of such a guard.
pub(crate) fn collect_shown_guards(compiler: &mut Compiler<'_>, subst: &Subst, guards: &mut Vec<Pred>) {
    collect(compiler, subst, |_| Span::nowhere(), guards);
}

fn collect(compiler: &mut Compiler<'_>, subst: &Subst, of_any: fn(Span) -> Span, guards: &mut Vec<Pred>) {
    match &subst.kind {
        // A PRE that is not a guard does not disable: where it is false the step is a finding, which the search must not lose.
        SubstKind::Pre { pred, body, is_guard: true } => {
            guards.push(pred.clone());
            collect(compiler, body, of_any, guards);
        }
        SubstKind::Select(branches, None) => match branches.as_slice() {
            [(pred, body)] => {
                guards.push(pred.clone());
                collect(compiler, body, of_any, guards);
            }
            // Any branch may be taken, so only the disjunction of their conditions is necessary.
            several => {
                let parts = several.iter().map(|(pred, _)| pred.clone()).collect();
                guards.push(Pred { kind: PredKind::Or(parts), span: subst.span });
            }
        },
        // Some value must exist for the choice. As a guard this is useful only if it can be decided, so if the choice is bounded.
        SubstKind::Any(locals, pred, _) if compiler.search(&compiler.names().with_slots(locals), &[pred], pred.span).1.is_finite() => {
            guards.push(Pred { kind: PredKind::Exists(locals.clone(), Box::new(pred.clone())), span: of_any(pred.span) });
        }
        _ => {}
    }
}

/// A condition that holds wherever the substitution is feasible or ill-defined; `None` if its form has no such condition.
fn guard_of(subst: &Subst) -> Option<Pred> {
    let span = subst.span;
    match &subst.kind {
        SubstKind::Pre { pred, body, is_guard: true } => Some(both(pred.clone(), guard_of(body))),
        SubstKind::Select(branches, otherwise) => Some(guard_of_branches(branches, otherwise.as_deref().map(guard_of), span)),
        // If a condition is ill-defined, so is the IF, whatever the guards of its branches are: then there is no guard.
        SubstKind::If(branches, otherwise) if branches.iter().all(|(pred, _)| pred.is_total()) => {
            let below: Vec<Option<Pred>> = branches.iter().map(|(_, body)| guard_of(body)).collect();
            let otherwise = otherwise.as_deref().and_then(guard_of);
            let has_guard = below.iter().any(Option::is_some) || otherwise.is_some();
            has_guard.then(|| guard_of_branches(branches, Some(otherwise), span))
        }
        SubstKind::Any(locals, pred, body) => Some(exists(locals.clone(), both(pred.clone(), guard_of(body)), span)),
        SubstKind::Let(bindings, body) if bindings.iter().all(|(_, value)| value.is_total()) => {
            let equation = |(id, value): &(LocalId, Expr)| {
                let name = Expr { kind: ExprKind::Local(*id), ty: value.ty.clone(), span: value.span };
                Pred { kind: PredKind::Compare(Comparison::Equal, Box::new(name), Box::new(value.clone())), span: value.span }
            };
            let guard = guard_of(body)?;
            let locals = bindings.iter().map(|(id, value)| (*id, value.ty.clone())).collect();
            Some(exists(locals, conjunction(bindings.iter().map(equation).chain([guard]).collect(), span), span))
        }
        SubstKind::Choice(parts) => {
            // An alternative without a guard is always feasible, and so is the choice.
            let guards: Option<Vec<Pred>> = parts.iter().map(guard_of).collect();
            Some(disjunction(guards?, span))
        }
        // Only the first part runs in the state of the guard.
        SubstKind::Sequence(parts) => parts.first().and_then(guard_of),
        // The names of VAR have no values before the body assigns them.
        SubstKind::Var(locals, body) => guard_of(body).filter(|guard| !mentions(guard, locals)),
        SubstKind::Skip
        | SubstKind::Assign(_)
        | SubstKind::BecomesIn(..)
        | SubstKind::BecomesSuchThat(..)
        | SubstKind::Parallel(_)
        | SubstKind::Pre { .. }
        | SubstKind::Assert(..)
        | SubstKind::If(..)
        | SubstKind::Let(..)
        | SubstKind::While { .. }
        | SubstKind::Follow(_) => None,
    }
}

/// The condition that some branch is feasible. `otherwise` is `None` if there is no ELSE, else the guard of the ELSE, if it has one.
fn guard_of_branches(branches: &[(Pred, Subst)], otherwise: Option<Option<Pred>>, span: Span) -> Pred {
    let mut parts: Vec<Pred> = branches.iter().map(|(pred, body)| both(pred.clone(), guard_of(body))).collect();
    if let Some(guard) = otherwise {
        let none = branches.iter().map(|(pred, _)| not(pred)).collect();
        parts.push(both(conjunction(none, span), guard));
    }
    disjunction(parts, span)
}

fn both(pred: Pred, other: Option<Pred>) -> Pred {
    let span = pred.span;
    conjunction(std::iter::once(pred).chain(other).collect(), span)
}

fn conjunction(mut parts: Vec<Pred>, span: Span) -> Pred {
    match parts.len() {
        1 => parts.remove(0),
        _ => Pred { kind: PredKind::And(parts), span },
    }
}

fn disjunction(mut parts: Vec<Pred>, span: Span) -> Pred {
    match parts.len() {
        1 => parts.remove(0),
        _ => Pred { kind: PredKind::Or(parts), span },
    }
}

fn exists(locals: Vec<(LocalId, Type)>, body: Pred, span: Span) -> Pred {
    Pred { kind: PredKind::Exists(locals, Box::new(body)), span }
}

fn mentions(pred: &Pred, locals: &[(LocalId, Type)]) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| {
        found |= matches!(node, Node::Expr(Expr { kind: ExprKind::Local(id), .. }) if locals.iter().any(|(local, _)| local == id));
    });
    found
}
