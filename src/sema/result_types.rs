//! Preconditions that type an operation's results: `PRE n : NAT & r : NAT THEN r := n END`.
//!
//! A result has no value before the body runs, so such a conjunct only determines its type.
//! Invariant: nothing else is removed; a precondition that reads the value of a result stays, and is ill-defined.

use bcheck_ir::{Comparison, ExprKind, LocalId, Pred, PredKind, Subst, SubstKind};

/// Takes typing conjuncts of results out of the preconditions at the top of a body.
pub(super) fn drop_result_types(body: &mut Subst, results: &[LocalId]) {
    if results.is_empty() {
        return;
    }
    let mut body = body;
    while let SubstKind::Pre { pred, body: inner, .. } = &mut body.kind {
        drop_from(pred, results);
        body = &mut **inner;
    }
}

fn drop_from(pred: &mut Pred, results: &[LocalId]) {
    match &mut pred.kind {
        // Only conjuncts: under a disjunction or a negation the membership is a condition.
        PredKind::And(parts) => parts.iter_mut().for_each(|part| drop_from(part, results)),
        PredKind::Compare(Comparison::Member | Comparison::Subset, left, _) if matches!(left.kind, ExprKind::Local(id) if results.contains(&id)) =>
        {
            pred.kind = PredKind::True;
        }
        _ => {}
    }
}
