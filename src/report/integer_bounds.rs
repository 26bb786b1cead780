//! Findings that may only be due to MAXINT and MININT, which are small unless a user sets them otherwise.
//!
//! Invariant: a note is made only where the formulas of the finding mention NAT, NAT1 or INT, and for a state only if a number in it lies
//! beyond the bounds. Deliberately elsewhere: the finding itself (`finding`).

use super::CheckReport;
use crate::explore::PropertyKind;
use crate::ir::{Conjunct, ExprKind, IntegerSet, Node, Scope, walk_pred};
use crate::value::Value;

/// A sentence about the bounds of integers, where these may be why something was found.
pub(super) fn note(report: &CheckReport<'_>) -> Option<String> {
    let finding = report.outcome.finding.as_ref()?;
    let Scope { minint, maxint, .. } = *report.scope;
    let is_due = match &finding.property {
        PropertyKind::Invariant(index) => {
            let state = &finding.trace.steps.last()?.state;
            speaks_of_bounds(report.model.invariant.get(*index)?) && state.iter().any(|value| is_beyond(value, minint, maxint))
        }
        // Without a set-up there is no value to look at: that a conjunct mentions the bounds must do.
        PropertyKind::NoSetup(found) => found.conjuncts.iter().filter_map(|&at| report.model.properties.get(at)).any(speaks_of_bounds),
        _ => false,
    };
    is_due.then(|| format!("NAT, NAT1 and INT end at MAXINT, which is {maxint} here (--maxint or SET_PREF_MAXINT changes it)"))
}

/// Whether a conjunct mentions a set that depends on the bounds.
fn speaks_of_bounds(conjunct: &Conjunct) -> bool {
    let mut found = false;
    walk_pred(&conjunct.pred, &mut |node| {
        if let Node::Expr(expr) = node {
            found |= matches!(expr.kind, ExprKind::IntegerSet(IntegerSet::Nat | IntegerSet::Nat1 | IntegerSet::Int));
        }
    });
    found
}

/// Whether a number in a value is not in INT.
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
