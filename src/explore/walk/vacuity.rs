//! Vacuity detection: the condition under which a predicate is not vacuously true.
//!
//! An implication is vacuous where its hypothesis does not hold, a universal quantifier where it ranges over nothing or all instances are
//! vacuous, an inclusion or a membership of a set where the set is empty, a conjunction where one of its parts is. The idea is that of
//! Beer, Ben-David, Eisner and Rodeh, "Efficient detection of vacuity in temporal model checking" (2001), for single states.
//! Invariant: where the predicate holds and the condition does not, some conclusion in it does not affect its value; but for `S <<: T`,
//! which an empty S satisfies unless T is empty too.

use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, Pred, PredKind, Type};

/// The condition under which a predicate is not vacuous; `None` for a predicate that cannot be.
pub(super) fn non_vacuity(pred: &Pred) -> Option<Pred> {
    let here = |kind| Pred { kind, span: pred.span };
    match &pred.kind {
        // The hypothesis must hold, and the conclusion must not itself be vacuous.
        PredKind::Implies(hypothesis, conclusion) => Some(both(hypothesis, non_vacuity(conclusion))),
        // `not(P) or Q` is written for `P => Q`. With only negations there is no conclusion, without any no hypothesis.
        PredKind::Or(parts) => {
            let hypotheses: Vec<Pred> = parts.iter().filter_map(negated).cloned().collect();
            (!hypotheses.is_empty() && hypotheses.len() < parts.len()).then(|| here(conjunction(hypotheses)))
        }
        // Each part that can be vacuous must not be.
        PredKind::And(parts) => {
            let conditions: Vec<Pred> = parts.iter().filter_map(non_vacuity).collect();
            (!conditions.is_empty()).then(|| here(conjunction(conditions)))
        }
        // Some instance must not be vacuous; where none can be, neither can the quantifier.
        PredKind::Forall(locals, body) => Some(here(PredKind::Exists(locals.clone(), Box::new(non_vacuity(body)?)))),
        PredKind::Let(bindings, body) => Some(here(PredKind::Let(bindings.clone(), Box::new(non_vacuity(body)?)))),
        // `S <: T` holds for an empty S whatever T is (`S <<: T` for every T but the empty set). An element that is not a set cannot be
        // empty.
        PredKind::Compare(Comparison::Member | Comparison::Subset | Comparison::StrictSubset, set, _) => {
            matches!(set.ty, Type::Set(_)).then(|| here(not_empty(set)))
        }
        // Disjointness, `A /\ B = {}`, is vacuous where either set is empty.
        PredKind::Compare(Comparison::Equal, left, right) => {
            let common = match (&left.kind, &right.kind) {
                (ExprKind::Binary(BinaryOp::Intersection, a, b), ExprKind::EmptySet)
                | (ExprKind::EmptySet, ExprKind::Binary(BinaryOp::Intersection, a, b)) => Some((a, b)),
                _ => None,
            };
            common.map(|(a, b)| here(PredKind::And(vec![here(not_empty(a)), here(not_empty(b))])))
        }
        // None of these has a conclusion that a hypothesis, or an empty set, could switch off.
        PredKind::True
        | PredKind::False
        | PredKind::Not(_)
        | PredKind::Equivalent(..)
        | PredKind::Compare(..)
        | PredKind::Exists(..)
        | PredKind::If(..)
        | PredKind::Finite(_)
        | PredKind::Partition(..) => None,
    }
}

fn both(hypothesis: &Pred, condition: Option<Pred>) -> Pred {
    match condition {
        None => hypothesis.clone(),
        Some(condition) => Pred { kind: PredKind::And(vec![hypothesis.clone(), condition]), span: hypothesis.span },
    }
}

fn negated(pred: &Pred) -> Option<&Pred> {
    match &pred.kind {
        PredKind::Not(inner) => Some(inner),
        _ => None,
    }
}

/// Several predicates as one; a single one stays itself.
fn conjunction(mut parts: Vec<Pred>) -> PredKind {
    match parts.pop() {
        Some(only) if parts.is_empty() => only.kind,
        Some(last) => {
            parts.push(last);
            PredKind::And(parts)
        }
        None => PredKind::True,
    }
}

fn not_empty(set: &Expr) -> PredKind {
    let empty = Expr { kind: ExprKind::EmptySet, ty: set.ty.clone(), span: set.span };
    PredKind::Compare(Comparison::NotEqual, Box::new(set.clone()), Box::new(empty))
}
