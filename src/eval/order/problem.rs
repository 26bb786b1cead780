//! Conjuncts → a problem for the solver: the names to be solved, those that follow by equations, and the formulas about them.
//!
//! Invariant: a problem is a relaxation of its conjuncts: what cannot be expressed is left out, so that no solution is lost. Deliberately
//! elsewhere: whether a plain search is good enough (`mod`).

use super::conjunction::{Conjunction, Remainder, Unordered};
use super::conjuncts::conjuncts as flat_conjuncts;
use super::numbers::Occurrences;
use super::pattern::pattern_of;
use super::{pattern, ranges, sequences};
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::problem::{Binding, Bindings, Bound, Formula, FormulaKind, LetBindings, Problem, Term, TermKind, Unknown};
use crate::plan::{ExprPlan, ExprPlanKind, Fold, Slot};
use crate::thresholds::{SOLVED_BINDINGS, SOLVED_TYPE};
use bcheck_ir::build::union_of;
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, LocalId, Pred, PredKind, Type};
use bcheck_source::Span;
use std::collections::BTreeSet;

/// The problem of finding values of these names that satisfy these conjuncts; `None` if no name has a bound.
pub(super) fn problem_of(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> Option<Problem> {
    let names: BTreeSet<Slot> = locals.iter().map(|(slot, _)| *slot).collect();
    // A name with an equation follows from the others, so that only these need bounds and are solved.
    let equations = equations(&compiler.names(), conjuncts, &names);
    let defined: BTreeSet<Slot> = equations.iter().map(|(slot, _)| *slot).collect();
    let conjunction = Conjunction::new(compiler.names(), locals, conjuncts);
    // Bounds do not use their conjuncts up: all conjuncts become formulas.
    let remainder = Remainder::new(&conjunction);
    let functions: Vec<Option<Pred>> =
        (0..conjuncts.len()).map(|at| sequences::as_function(&compiler.names(), at, remainder.left())).collect();
    let mut unknowns = Vec::new();
    for (slot, ty) in locals.iter().filter(|(slot, _)| !defined.contains(slot)) {
        let bounds = bounds_of(compiler, *slot, ty, remainder.left(), &functions);
        if !bounds.is_empty() {
            unknowns.push(Unknown { slot: *slot, is_set: matches!(ty, Type::Set(_)), unlisted_from: None, bounds });
        }
    }
    if unknowns.is_empty() {
        return None;
    }
    // Names that are neither solved nor defined are bound by later actions, so conjuncts that mention them are left out.
    let mut given: BTreeSet<Slot> = unknowns.iter().map(|unknown| unknown.slot).collect();
    let (mut definitions, mut values) = (Vec::new(), Vec::new());
    for (slot, value) in equations {
        // Each equation comes after those that it needs, so one pass finds all determined names.
        let usable = compiler.names().slots_of_expr(value).iter().all(|other| !names.contains(other) || given.contains(other));
        if usable && let Some(term) = term_of(compiler, value, &names) {
            given.insert(slot);
            definitions.push((slot, term));
            values.push(value);
        }
    }
    let mut formulas = Vec::new();
    let mut equations = BTreeSet::new();
    let mut is_whole = true;
    for (at, pred) in conjuncts.iter().enumerate() {
        let pred = functions[at].as_ref().unwrap_or(pred);
        let slots = compiler.names().slots_of_pred(pred);
        let usable = slots.iter().all(|slot| !names.contains(slot) || given.contains(slot));
        match formula_of(compiler, pred, &names).filter(|_| usable) {
            Some(formula) => {
                if is_equation(pred, &values) {
                    equations.insert(formulas.len());
                }
                formulas.push(formula);
            }
            None => is_whole &= slots.is_disjoint(&given) || defines_another(&compiler.names(), pred, &names, &given),
        }
    }
    let mut occurrences = Occurrences::default();
    formulas.iter().for_each(|formula| occurrences.formula(formula));
    definitions.iter().for_each(|(_, value)| occurrences.term(value));
    for unknown in &mut unknowns {
        unknown.unlisted_from = occurrences.unlisted_from(unknown.slot, unknown.is_set);
    }
    Some(Problem { unknowns, definitions, formulas, equations, is_whole, span })
}

/// The sets and intervals that contain the values of a name by its conjuncts, or by what these imply about functions, and the values
/// of its type if there are few.
fn bounds_of(compiler: &mut Compiler<'_>, slot: Slot, ty: &Type, left: Unordered<'_, '_>, functions: &[Option<Pred>]) -> Vec<Bound> {
    let names = left.unbound;
    let mut bounds = Vec::new();
    let is_slot = |compiler: &Compiler<'_>, expr: &Expr| compiler.names().slot_of(expr) == Some(slot);
    for (at, pred) in left.about(slot) {
        let bound = match &functions[at].as_ref().unwrap_or(pred).kind {
            PredKind::Compare(Comparison::Member, name, set) if is_slot(compiler, name) => term_of(compiler, set, names).map(Bound::Member),
            // A bound may be wider than the conjunct, which is a formula as well.
            PredKind::Compare(Comparison::Subset | Comparison::StrictSubset, name, set) if is_slot(compiler, name) => {
                term_of(compiler, set, names).map(Bound::Subset)
            }
            PredKind::Partition(set, parts) if parts.iter().any(|part| is_slot(compiler, part)) => {
                term_of(compiler, set, names).map(Bound::Subset)
            }
            PredKind::Partition(set, parts) if is_slot(compiler, set) => {
                union_of(parts).and_then(|union| term_of(compiler, &union, names)).map(Bound::Subset)
            }
            _ => None,
        };
        bounds.extend(bound);
    }
    if *ty == Type::Integer
        && let Some((lower, upper)) = ranges::range_of(&compiler.names(), slot, left)
    {
        let lower = lower.iter().map(|bound| compiler.expr(bound)).collect();
        let upper = upper.iter().map(|bound| compiler.expr(bound)).collect();
        bounds.push(Bound::Range(lower, upper));
    }
    // For a set, what counts is the number of possible elements, each of which becomes a Boolean variable; there are 2^n values.
    let members: &Type = if let Type::Set(element) = ty { element } else { ty };
    if cost::type_cost(&compiler.names(), members) <= SOLVED_TYPE.get() {
        let plan = ExprPlan {
            kind: ExprPlanKind::Value(compiler.names().type_set(members)),
            ty: Type::set(members.clone()),
            span: Span::nowhere(),
        };
        bounds.push(Bound::Type(Term { kind: TermKind::Known(plan), span: Span::nowhere() }));
    }
    bounds
}

fn terms_of(compiler: &mut Compiler<'_>, exprs: &[Expr], open: &BTreeSet<Slot>) -> Option<Vec<Term>> {
    exprs.iter().map(|expr| term_of(compiler, expr, open)).collect()
}

/// An expression, where the names in `open` have no values yet.
fn term_of(compiler: &mut Compiler<'_>, expr: &Expr, open: &BTreeSet<Slot>) -> Option<Term> {
    let boxed = |term: Term| Box::new(term);
    // Maximal parts without open names become plans: these may use every operator, as they are evaluated and not encoded.
    let kind = if compiler.names().is_closed(expr, open) {
        TermKind::Known(compiler.expr(expr))
    } else {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Local(_) => TermKind::Slot(compiler.names().slot_of(expr)?),
            ExprKind::Unary(op, operand) => TermKind::Unary(*op, boxed(term_of(compiler, operand, open)?)),
            ExprKind::Binary(op, left, right) => {
                TermKind::Binary(*op, boxed(term_of(compiler, left, open)?), boxed(term_of(compiler, right, open)?))
            }
            ExprKind::SetExtension(items) => TermKind::SetExtension(terms_of(compiler, items, open)?),
            ExprKind::Field(record, name) => TermKind::Field(boxed(term_of(compiler, record, open)?), name.clone()),
            ExprKind::BoolOf(pred) => TermKind::BoolOf(Box::new(formula_of(compiler, pred, open)?)),
            ExprKind::If(pred, then, otherwise) => TermKind::If(
                Box::new(formula_of(compiler, pred, open)?),
                boxed(term_of(compiler, then, open)?),
                boxed(term_of(compiler, otherwise, open)?),
            ),
            ExprKind::Let(bindings, body) => {
                let (bindings, open) = open_bindings(compiler, bindings, open)?;
                TermKind::Let(bindings, boxed(term_of(compiler, body, &open)?))
            }
            ExprKind::Comprehension { locals, pred, value } => {
                let bindings = quantified(compiler, locals, &[pred], open, expr.span)?;
                let element = match value {
                    Some(value) => term_of(compiler, value, open)?,
                    None => term_of(compiler, &tuple(locals, expr.span), open)?,
                };
                TermKind::Collect(bindings, boxed(element))
            }
            ExprKind::Binder { binder: Binder::Lambda, locals, pred, body } => {
                let bindings = quantified(compiler, locals, &[pred], open, expr.span)?;
                let pair = ExprKind::Binary(BinaryOp::Pair, Box::new(tuple(locals, expr.span)), body.clone());
                let ty = expr.ty.element()?.clone();
                TermKind::Collect(bindings, boxed(term_of(compiler, &Expr { kind: pair, ty, span: expr.span }, open)?))
            }
            ExprKind::Binder { binder, locals, pred, body } => TermKind::Fold(
                Fold::of(*binder),
                quantified(compiler, locals, &[pred], open, expr.span)?,
                boxed(term_of(compiler, body, open)?),
            ),
            _ => return None,
        }
    };
    Some(Term { kind, span: expr.span })
}

/// The bindings of LET, and the open names of its body, to which names bound to open terms belong.
fn open_bindings(
    compiler: &mut Compiler<'_>,
    bindings: &[(LocalId, Expr)],
    open: &BTreeSet<Slot>,
) -> Option<(LetBindings, BTreeSet<Slot>)> {
    let mut open = open.clone();
    let mut compiled = Vec::new();
    for (id, value) in bindings {
        let slot = compiler.names().local_slot(*id);
        let binding = match term_of(compiler, value, &open)? {
            Term { kind: TermKind::Known(plan), .. } => Binding::Known(plan),
            term => {
                open.insert(slot);
                Binding::Open(term)
            }
        };
        compiled.push((slot, binding));
    }
    Some((compiled, open))
}

/// The generators of the names of a quantifier: a search by the conditions without open names, and memberships in open sets.
fn quantified(
    compiler: &mut Compiler<'_>,
    locals: &[(LocalId, Type)],
    conditions: &[&Pred],
    open: &BTreeSet<Slot>,
    span: Span,
) -> Option<Bindings> {
    let flat = flat_conjuncts(conditions);
    let (known, others): (Vec<&Pred>, Vec<&Pred>) = flat.iter().partition(|pred| compiler.names().is_closed_pred(pred, open));
    let mut unbound: BTreeSet<Slot> = locals.iter().map(|(id, _)| compiler.names().local_slot(*id)).collect();
    // Names that a known condition probably generates; any occurrence in such a comparison counts.
    let mut generated: BTreeSet<Slot> = BTreeSet::new();
    for pred in &known {
        if let PredKind::Compare(Comparison::Member | Comparison::Equal | Comparison::Subset, ..) = pred.kind {
            generated.extend(compiler.names().slots_of_pred(pred));
        }
    }
    let mut elements = Vec::new();
    let mut formulas = Vec::new();
    for pred in others {
        if let PredKind::Compare(Comparison::Member, pattern, set) = &pred.kind
            && compiler.names().is_closed(pattern, open)
            // Its set must not depend on names that are bound later, and it must bind a name that the known conditions do not generate.
            // Otherwise the conjunct is a condition.
            && compiler.names().slots_of_expr(set).is_disjoint(&unbound)
            && compiler.names().slots_of_expr(pattern).iter().any(|slot| unbound.contains(slot) && !generated.contains(slot))
            && pattern::can_match(&compiler.names(), pattern, &unbound, &mut Vec::new())
            && let Some(set) = term_of(compiler, set, open)
        {
            let mut binds = Vec::new();
            let pattern = pattern_of(compiler, pattern, &unbound, &mut binds);
            unbound.retain(|slot| !binds.contains(slot));
            elements.push((pattern, set));
        } else {
            formulas.push(formula_of(compiler, pred, open)?);
        }
    }
    let rest: Vec<(Slot, Type)> = compiler.names().with_slots(locals).into_iter().filter(|(slot, _)| unbound.contains(slot)).collect();
    // The search runs while the problem is encoded, and each of its bindings is encoded separately.
    let (search, cost) = compiler.search(&rest, &known, span);
    if cost > SOLVED_BINDINGS.get() {
        return None;
    }
    let slots = rest.into_iter().map(|(slot, _)| slot).collect();
    Some(Bindings { elements, known: search, slots, conditions: formulas })
}

fn formulas_of(compiler: &mut Compiler<'_>, preds: &[Pred], open: &BTreeSet<Slot>) -> Option<Vec<Formula>> {
    preds.iter().map(|pred| formula_of(compiler, pred, open)).collect()
}

/// A predicate, where the names in `open` have no values yet.
fn formula_of(compiler: &mut Compiler<'_>, pred: &Pred, open: &BTreeSet<Slot>) -> Option<Formula> {
    let boxed = |formula: Formula| Box::new(formula);
    let kind = if compiler.names().is_closed_pred(pred, open) {
        FormulaKind::Known(compiler.pred(pred))
    } else {
        match &pred.kind {
            PredKind::And(parts) => FormulaKind::And(formulas_of(compiler, parts, open)?),
            PredKind::Or(parts) => FormulaKind::Or(formulas_of(compiler, parts, open)?),
            PredKind::Not(inner) => FormulaKind::Not(boxed(formula_of(compiler, inner, open)?)),
            PredKind::Implies(left, right) => {
                FormulaKind::Implies(boxed(formula_of(compiler, left, open)?), boxed(formula_of(compiler, right, open)?))
            }
            PredKind::Equivalent(left, right) => {
                FormulaKind::Equivalent(boxed(formula_of(compiler, left, open)?), boxed(formula_of(compiler, right, open)?))
            }
            PredKind::Compare(comparison, left, right) => {
                FormulaKind::Compare(*comparison, term_of(compiler, left, open)?, term_of(compiler, right, open)?)
            }
            PredKind::Forall(locals, body) => {
                // `P => (Q => R)` has the hypotheses P and Q, which may both bound names.
                let mut hypotheses: Vec<&Pred> = Vec::new();
                let mut conclusion = &**body;
                while let PredKind::Implies(hypothesis, rest) = &conclusion.kind {
                    hypotheses.push(hypothesis);
                    conclusion = rest;
                }
                let bindings = quantified(compiler, locals, &hypotheses, open, pred.span)?;
                FormulaKind::Forall(bindings, boxed(formula_of(compiler, conclusion, open)?))
            }
            PredKind::Exists(locals, body) => FormulaKind::Exists(quantified(compiler, locals, &[body], open, pred.span)?),
            PredKind::If(condition, then, otherwise) => FormulaKind::If(
                boxed(formula_of(compiler, condition, open)?),
                boxed(formula_of(compiler, then, open)?),
                boxed(formula_of(compiler, otherwise, open)?),
            ),
            PredKind::Let(bindings, body) => {
                let (bindings, open) = open_bindings(compiler, bindings, open)?;
                FormulaKind::Let(bindings, boxed(formula_of(compiler, body, &open)?))
            }
            PredKind::Partition(set, parts) => FormulaKind::Partition(term_of(compiler, set, open)?, terms_of(compiler, parts, open)?),
            // Left out. Sets that are solved are finite anyway; `btrue` and `bfalse` mention no open name.
            PredKind::Finite(_) | PredKind::True | PredKind::False => return None,
        }
    };
    Some(Formula { kind, span: pred.span })
}

/// Whether a conjunct is an equation with one of these expressions, themselves, on one side.
fn is_equation(pred: &Pred, values: &[&Expr]) -> bool {
    let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
    values.iter().any(|value| std::ptr::eq(*value, &**left) || std::ptr::eq(*value, &**right))
}

/// Whether an equation only determines a name that is bound by a later action, so that leaving it out loses nothing.
fn defines_another(names: &Names<'_>, pred: &Pred, locals: &BTreeSet<Slot>, given: &BTreeSet<Slot>) -> bool {
    let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
    [left, right].into_iter().any(|side| names.slot_of(side).is_some_and(|slot| locals.contains(&slot) && !given.contains(&slot)))
}

/// Equations `name = e`, at most one for a name, in an order in which each needs only locals defined before it: so without cycles.
fn equations<'p>(names: &Names<'_>, conjuncts: &[&'p Pred], locals: &BTreeSet<Slot>) -> Vec<(Slot, &'p Expr)> {
    // An equation between two locals is a candidate for each of them.
    let mut candidates: Vec<(Slot, &Expr)> = Vec::new();
    for pred in conjuncts {
        let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { continue };
        for (name, value) in [(left, right), (right, left)] {
            if let Some(slot) = names.slot_of(name).filter(|slot| locals.contains(slot)) {
                candidates.push((slot, value));
            }
        }
    }
    let mut chosen: Vec<(Slot, &Expr)> = Vec::new();
    for (slot, value) in candidates {
        let mut needed = names.slots_of_expr(value);
        // All locals that it needs, transitively. Each equation chosen comes after those that it needs, so one pass backwards suffices.
        for (defined, needs) in chosen.iter().rev() {
            if needed.contains(defined) {
                needed.extend(names.slots_of_expr(needs));
            }
        }
        if !needed.contains(&slot) && chosen.iter().all(|(defined, _)| *defined != slot) {
            // Its position is before the first equation that needs it and after the last one that it needs. Where there is no such
            // position (the others would have to be reordered), it is not chosen, and is only a formula.
            let at = chosen.iter().position(|(_, needs)| names.slots_of_expr(needs).contains(&slot)).unwrap_or(chosen.len());
            let after_own_needs = chosen.iter().rposition(|(defined, _)| needed.contains(defined)).map_or(0, |last| last + 1);
            if after_own_needs <= at {
                chosen.insert(at, (slot, value));
            }
        }
    }
    chosen
}

/// The left-nested tuple of some names.
fn tuple(locals: &[(LocalId, Type)], span: Span) -> Expr {
    let names = locals.iter().map(|(id, ty)| Expr { kind: ExprKind::Local(*id), ty: ty.clone(), span });
    names
        .reduce(|front, last| Expr {
            ty: Type::pair(front.ty.clone(), last.ty.clone()),
            kind: ExprKind::Binary(BinaryOp::Pair, Box::new(front), Box::new(last)),
            span,
        })
        .expect("a comprehension binds a name")
}
