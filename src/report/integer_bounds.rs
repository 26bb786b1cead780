//! Findings that may only be due to MAXINT and MININT, which are small unless a user sets them otherwise.
//!
//! Invariant: a note is made only where the formulas of the finding mention NAT, NAT1 or INT, and for a state only if a number in it lies
//! beyond the bounds. Deliberately elsewhere: the finding itself (`finding`).

use super::CheckReport;
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_explore::{FaultKind, FaultyPart};
use bcheck_ir::{Comparison, Conjunct, ConstantId, ExprKind, Model, Node, Pred, PredKind, Scope, speaks_of_bounds, walk_pred};
use bcheck_value::{IllDefined, Value};
use std::collections::BTreeSet;

/// A sentence about the bounds of integers, where these may be why something was found.
pub(crate) fn note(report: &CheckReport<'_>) -> Option<String> {
    let finding = report.outcome.finding.as_ref()?;
    let Scope { minint, maxint, .. } = *report.scope;
    let last = finding.trace.steps.last();
    let is_state_beyond = || last.is_some_and(|step| step.state.iter().any(|value| is_beyond(value, minint, maxint)));
    let model = report.model;
    let is_due = match &finding.fault.kind {
        FaultKind::IllDefined(error) => is_due_to_bounds(report, error),
        // Without a set-up there are no values: mentioning the bounds must suffice.
        FaultKind::Unsatisfiable(found) => {
            found.conjuncts.iter().filter_map(|&at| model.properties.get(at)).any(|conjunct| speaks(&conjunct.pred))
        }
        // A goal that is reached is not to be explained away.
        FaultKind::Violated if finding.fault.part == FaultyPart::Goal => false,
        FaultKind::Violated => depends(model, finding.fault.part.pred(model)?) && is_state_beyond(),
    };
    is_due.then(|| sentence(report))
}

/// The bounds, and the options that cover the numbers of the text.
fn sentence(report: &CheckReport<'_>) -> String {
    let end = format!("NAT, NAT1 and INT end at MAXINT, which is {} here", report.scope.maxint);
    // It has not been shown, or has been refuted, that PROPERTIES have a solution with these numbers.
    let has_set_up = !matches!(report.outcome.finding.as_ref().map(|finding| &finding.fault.kind), Some(FaultKind::Unsatisfiable(_)));
    match covering(report).filter(|_| has_set_up) {
        Some(options) => format!("{end}: {options} covers the numbers of the text (as SET_PREF_MAXINT, SET_PREF_MININT in DEFINITIONS do)"),
        None => format!("{end} (--maxint or SET_PREF_MAXINT changes it)"),
    }
}

/// The options that make the bounds cover all numbers of the text; `None` where they already do.
pub(super) fn covering(report: &CheckReport<'_>) -> Option<String> {
    let (least, greatest) = report.model.least_and_greatest_number();
    let options = [("--minint", least, least < report.scope.minint), ("--maxint", greatest, greatest > report.scope.maxint)];
    let needed: Vec<String> = options.iter().filter(|option| option.2).map(|(name, number, _)| format!("{name} {number}")).collect();
    if needed.is_empty() { None } else { Some(needed.join(" ")) }
}

/// Whether something has no value because of the bounds: a condition that mentions them does not hold, or a function has no value for a
/// number beyond them.
fn is_due_to_bounds(report: &CheckReport<'_>, error: &EvalError) -> bool {
    let Scope { minint, maxint, .. } = *report.scope;
    match &error.kind {
        // A precondition: its place is that of the whole predicate, which is one of those of the model.
        EvalErrorKind::Violated(_) => {
            let mut found = false;
            report.model.walk(&mut |node| found |= matches!(node, Node::Pred(pred) if pred.span == error.span && speaks(pred)));
            found
        }
        EvalErrorKind::IllDefined(IllDefined::NotInDomain { argument }) => {
            let mut found = false;
            report.model.walk(&mut |node| found |= matches!(node, Node::Expr(expr) if speaks_of_bounds(expr)));
            found && is_beyond(argument, minint, maxint)
        }
        _ => false,
    }
}

/// Whether a predicate mentions a set that depends on the bounds.
pub(super) fn speaks(pred: &Pred) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| found |= matches!(node, Node::Expr(expr) if speaks_of_bounds(expr)));
    found
}

/// Whether a predicate mentions such a set, or a constant defined by an equation with one, perhaps indirectly.
fn depends(model: &Model, pred: &Pred) -> bool {
    let mut bounded: BTreeSet<ConstantId> = BTreeSet::new();
    let is_bounded = |pred: &Pred, bounded: &BTreeSet<ConstantId>| {
        let mut found = false;
        walk_pred(pred, &mut |node| {
            let Node::Expr(expr) = node else { return };
            found |= speaks_of_bounds(expr) || matches!(&expr.kind, ExprKind::Constant(id) if bounded.contains(id));
        });
        found
    };
    loop {
        let before = bounded.len();
        for Conjunct { pred, .. } in &model.properties {
            let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { continue };
            if is_bounded(pred, &bounded) {
                bounded.extend(
                    [left, right].into_iter().filter_map(|side| if let ExprKind::Constant(id) = side.kind { Some(id) } else { None }),
                );
            }
        }
        if bounded.len() == before {
            return is_bounded(pred, &bounded);
        }
    }
}

/// Whether a value contains an integer outside INT.
fn is_beyond(value: &Value, minint: i64, maxint: i64) -> bool {
    match value {
        // Bounds are 64-bit, so a number that does not fit a word is beyond them.
        Value::Integer(number) => number.to_i64().is_none_or(|number| !(minint..=maxint).contains(&number)),
        Value::Pair(pair) => is_beyond(&pair.0, minint, maxint) || is_beyond(&pair.1, minint, maxint),
        Value::Record(fields) => fields.iter().any(|(_, value)| is_beyond(value, minint, maxint)),
        Value::Set(set) => set.iter().any(|value| is_beyond(&value, minint, maxint)),
        _ => false,
    }
}
