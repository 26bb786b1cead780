//! A predicate as a list of conjuncts, with negations pushed inwards as far as that gives more conjuncts or plain comparisons.
//!
//! Invariant: the conjunction of the list, in its order, means what the predicate means, ill-definedness included.

use crate::ir::{Comparison, Pred, PredKind};

/// The conjuncts of a conjunction of predicates; without labels and `btrue`.
pub(super) fn conjuncts(preds: &[&Pred]) -> Vec<Pred> {
    let mut into = Vec::new();
    preds.iter().for_each(|pred| split(pred, &mut into));
    into
}

fn split(pred: &Pred, into: &mut Vec<Pred>) {
    match &pred.kind {
        PredKind::And(parts) => parts.iter().for_each(|part| split(part, into)),
        PredKind::Labelled(_, inner) => split(inner, into),
        PredKind::True => {}
        PredKind::Not(inner) => split_negation(pred, inner, into),
        _ => into.push(pred.clone()),
    }
}

/// Conjuncts of `not(inner)`.
fn split_negation(pred: &Pred, inner: &Pred, into: &mut Vec<Pred>) {
    let negated = |part: &Pred| Pred { kind: PredKind::Not(Box::new(part.clone())), span: part.span };
    match &inner.kind {
        PredKind::Not(inner) => split(inner, into),
        PredKind::Labelled(_, inner) => split_negation(pred, inner, into),
        PredKind::Or(parts) => parts.iter().for_each(|part| split(&negated(part), into)),
        PredKind::Implies(hypothesis, conclusion) => {
            split(hypothesis, into);
            split(&negated(conclusion), into);
        }
        PredKind::Compare(comparison, left, right) => {
            into.push(Pred { kind: PredKind::Compare(opposite(*comparison), left.clone(), right.clone()), span: pred.span });
        }
        _ => into.push(pred.clone()),
    }
}

/// The comparison that holds where this one does not.
fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Member => Comparison::NotMember,
        Comparison::NotMember => Comparison::Member,
        Comparison::Subset => Comparison::NotSubset,
        Comparison::NotSubset => Comparison::Subset,
        Comparison::StrictSubset => Comparison::NotStrictSubset,
        Comparison::NotStrictSubset => Comparison::StrictSubset,
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessEqual,
        Comparison::GreaterEqual => Comparison::Less,
    }
}
