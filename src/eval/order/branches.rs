//! Disjunctions, existentials, conditionals and implications as generators of the names that every branch bounds.
//!
//! Invariant: the branches together have every binding that satisfies the conjunct; bindings of several of them count once when the search
//! runs. Only notes of chosen branches are stored. Deliberately elsewhere: when branches are worth trying (`order`).

use super::branching::Branching;
use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::conjuncts::not;
use super::search_inside;
use crate::compile::Compiler;
use crate::compile::position::Notes;
use crate::plan::{Search, Slot};
use crate::thresholds::WITNESS_FACTOR;
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, Pred, PredKind, Type, UnaryOp};
use bcheck_source::Span;

/// The least cost of a generator inside another one, if a run may find it unbounded: less than the cost of what is never visited, and more
/// than any other generator for the names.
const UNSURE: f64 = 1e12;

/// The cost of branches of which `unsure` may be unbounded, which is an error only in a run that reaches them.
fn cost_of_some(cost: f64, unsure: f64, depth: usize) -> f64 {
    // Inside of another generator there may be a bounded one outside of that, as in `v : 0 .. 70 & #q.(q : S & (P => v = 5))`. Elsewhere,
    // such branches are proposed only if no other candidate exists.
    if unsure.is_infinite() && depth > 0 { cost.max(UNSURE) } else { cost }
}

/// The cheapest disjunction, existential or conditional all of whose branches bound the names it mentions, if cheaper than `limit`.
pub(super) fn branch_candidate<'p>(
    compiler: &mut Compiler<'_>,
    left: Unordered<'_, 'p>,
    branching: Branching<'_>,
    limit: f64,
) -> Option<Candidate<'p>> {
    let mut best: Option<(Candidate<'p>, Notes)> = None;
    for (at, pred) in left.conjuncts() {
        let (wanted, slots) = names_in(at, left);
        let (searches, noted) = compiler.noting(|compiler| match &pred.kind {
            PredKind::Or(parts) => Some(
                parts.iter().map(|part| search_inside(compiler, &wanted, &[part], part.span, Some(branching.inside()))).collect::<Vec<_>>(),
            ),
            PredKind::Exists(inner, body) => {
                let mut all = wanted.clone();
                all.extend(compiler.names().with_slots(inner));
                Some(vec![search_inside(compiler, &all, &[body], body.span, Some(branching.inside()))])
            }
            PredKind::If(condition, then, otherwise) => {
                let negated = Pred { span: condition.span, kind: PredKind::Not(condition.clone()) };
                Some(vec![
                    search_inside(compiler, &wanted, &[condition, then], then.span, Some(branching.inside())),
                    search_inside(compiler, &wanted, &[&negated, otherwise], otherwise.span, Some(branching.inside())),
                ])
            }
            _ => None,
        });
        let Some(searches) = searches else { continue };
        // One branch without bounds makes the sum infinite.
        let cost: f64 = searches.iter().map(|(_, cost)| cost).sum();
        if cost.is_finite() && cost < limit && best.as_ref().is_none_or(|(best, _)| cost < best.cost) {
            // The branches together are equivalent to the conjunct, which is used up.
            let searches = searches.into_iter().map(|(search, _)| search).collect();
            best = Some((Candidate { cost, how: How::Branches(slots, searches), consumes: vec![at] }, noted));
        }
    }
    let (best, noted) = best?;
    compiler.notes.add(noted);
    Some(best)
}

/// The search for bindings that can make a universal quantifier false: those that satisfy its hypotheses; if these do not bound all
/// names, those that satisfy the negated conclusion as well.
pub(super) fn counterexamples(
    compiler: &mut Compiler<'_>,
    locals: &[(Slot, Type)],
    hypotheses: &[&Pred],
    conclusion: &Pred,
    span: Span,
) -> Search {
    let (search, cost) = compiler.search(locals, hypotheses, span);
    if cost.is_finite() {
        return search;
    }
    // Only bindings for which the conclusion is false matter, so its negation may serve as a generator.
    let negated = negation(conclusion);
    let (narrower, cost) = compiler.search(locals, &[hypotheses, &[&negated]].concat(), span);
    if cost.is_finite() { narrower } else { search }
}

/// The search for bindings that make an existential quantifier true. One is enough, so the solver is used only for very many.
pub(super) fn witnesses(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], body: &Pred, span: Span) -> Search {
    compiler.propagating_search(locals, &[body], span, compiler.propagate_above * WITNESS_FACTOR.get()).0
}

/// `a .. b = S` with S known: if S is not empty, the ends are its least and its greatest element.
pub(super) fn interval_candidate<'p>(
    compiler: &mut Compiler<'_>,
    left: Unordered<'_, 'p>,
    branching: Branching<'_>,
) -> Option<Candidate<'p>> {
    let equation = |(at, pred): (usize, &'p Pred)| {
        let PredKind::Compare(Comparison::Equal, first, second) = &pred.kind else { return None };
        [(first, second), (second, first)].into_iter().find_map(|(interval, set)| match &interval.kind {
            ExprKind::Binary(BinaryOp::Interval, from, to) if compiler.names().is_closed(set, left.unbound) => Some((at, from, to, set)),
            _ => None,
        })
    };
    let (at, from, to, set) = left.conjuncts().find_map(equation)?;
    let (wanted, slots) = names_in(at, left);
    let span = left.conjunct(at).span;
    let expr = |kind, ty| Box::new(Expr { kind, ty, span });
    let compare = |comparison, left: &Expr, right| Pred { kind: PredKind::Compare(comparison, Box::new(left.clone()), right), span };
    let end = |op, name: &Expr| compare(Comparison::Equal, name, expr(ExprKind::Unary(op, set.clone()), Type::Integer));
    let (least, greatest) = (end(UnaryOp::Min, from), end(UnaryOp::Max, to));
    let listed = compare(Comparison::NotEqual, set, expr(ExprKind::EmptySet, set.ty.clone()));
    let empty = compare(Comparison::Equal, set, expr(ExprKind::EmptySet, set.ty.clone()));
    let apart = compare(Comparison::Greater, from, to.clone());
    // Two branches, because min and max of the empty set are ill-defined.
    let ((holds, cost), noted) =
        compiler.noting(|compiler| search_inside(compiler, &wanted, &[&listed, &least, &greatest], span, Some(branching.inside())));
    if cost.is_infinite() {
        return None;
    }
    compiler.notes.add(noted);
    // If nothing bounds the ends of an empty interval, that becomes an error only when S is empty.
    let (fails, unsure) = search_inside(compiler, &wanted, &[&empty, &apart], span, Some(branching.inside()));
    let cost = cost_of_some(cost, unsure, branching.depth);
    Some(Candidate { cost, how: How::Branches(slots, vec![holds, fails]), consumes: Vec::new() })
}

/// A disjunction that bounds the names it mentions in every branch, each together with the other conjuncts about these names.
pub(super) fn disjunction_candidate<'p>(
    compiler: &mut Compiler<'_>,
    left: Unordered<'_, 'p>,
    branching: Branching<'_>,
) -> Option<Candidate<'p>> {
    for (at, pred) in left.conjuncts() {
        let PredKind::Or(parts) = &pred.kind else { continue };
        let (wanted, slots) = names_in(at, left);
        // The other conjuncts about these names become a part of each branch, where they may bound what the branch leaves open.
        let mut consumes = others_about(&slots, at, left);
        let others: Vec<&Pred> = consumes.iter().map(|&other| left.conjunct(other)).collect();
        let with_others = |part| [&[part], &others[..]].concat();
        let (searches, noted): (Vec<(Search, f64)>, Notes) = compiler.noting(|compiler| {
            parts.iter().map(|part| search_inside(compiler, &wanted, &with_others(part), part.span, Some(branching.inside()))).collect()
        });
        let cost: f64 = searches.iter().map(|(_, cost)| cost).sum();
        if cost.is_finite() {
            compiler.notes.add(noted);
            consumes.push(at);
            let searches = searches.into_iter().map(|(search, _)| search).collect();
            return Some(Candidate { cost, how: How::Branches(slots, searches), consumes });
        }
    }
    None
}

/// `P => Q` with P known: if P holds, Q bounds the names, else the other conjuncts do.
pub(super) fn implication_candidate<'p>(
    compiler: &mut Compiler<'_>,
    left: Unordered<'_, 'p>,
    branching: Branching<'_>,
) -> Option<Candidate<'p>> {
    for (at, pred) in left.conjuncts() {
        let PredKind::Implies(hypothesis, conclusion) = &pred.kind else { continue };
        if !compiler.names().is_closed_pred(hypothesis, left.unbound) {
            continue;
        }
        let (wanted, slots) = names_in(at, left);
        // The bounds by the other conjuncts alone have been proposed before; the conclusion must add a bound.
        let probe = compiler
            .noting(|compiler| search_inside(compiler, &wanted, &[hypothesis, conclusion], conclusion.span, Some(branching.inside())).1);
        if probe.0.is_infinite() {
            continue;
        }
        let negated = Pred { span: hypothesis.span, kind: PredKind::Not(hypothesis.clone()) };
        let mut consumes = others_about(&slots, at, left);
        let others: Vec<&Pred> = consumes.iter().map(|&other| left.conjunct(other)).collect();
        let (holds, cost) = search_inside(
            compiler,
            &wanted,
            &[&[&**hypothesis, &**conclusion], &others[..]].concat(),
            conclusion.span,
            Some(branching.inside()),
        );
        // This branch need not be bounded: that becomes an error only in a run in which the hypothesis is false.
        let (fails, unsure) =
            search_inside(compiler, &wanted, &[&[&negated], &others[..]].concat(), hypothesis.span, Some(branching.inside()));
        let cost = cost_of_some(cost, unsure, branching.depth);
        consumes.push(at);
        return Some(Candidate { cost, how: How::Branches(slots, vec![holds, fails]), consumes });
    }
    None
}

/// The conjuncts left, but for the one at a place, that mention no unbound names but these.
fn others_about(slots: &[Slot], at: usize, left: Unordered<'_, '_>) -> Vec<usize> {
    let is_about_them = |other: usize| left.mentions(other).iter().all(|slot| !left.unbound.contains(slot) || slots.contains(slot));
    left.conjuncts().map(|(other, _)| other).filter(|&other| other != at && is_about_them(other)).collect()
}

/// The unbound names that the conjunct at a place mentions, with and without their types.
fn names_in(at: usize, left: Unordered<'_, '_>) -> (Vec<(Slot, Type)>, Vec<Slot>) {
    left.names().filter(|(slot, _)| left.mentions(at).contains(slot)).map(|name| (name.clone(), name.0)).unzip()
}

/// `not(P)`; for a conjunction, the disjunction of its negated conjuncts.
fn negation(pred: &Pred) -> Pred {
    match &pred.kind {
        PredKind::And(parts) => Pred { kind: PredKind::Or(parts.iter().map(negation).collect()), span: pred.span },
        _ => not(pred),
    }
}
