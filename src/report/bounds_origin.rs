//! The values of NAT, INT and MAXINT in a run, and the origin of their bounds: reported where they decide a predicate.
//!
//! Invariant: the words are about the bounds of the run. Deliberately elsewhere: notes about findings that may be due to the bounds
//! (`integer_bounds`).

use bcheck_ir::{DEFAULT_MAXINT, DEFAULT_MININT, ExprKind, IntegerSet, Model, Node, Pred, Scope, walk_pred};

/// The values of the sets and numbers in a predicate that depend on the bounds, and the origin of the bounds.
pub(super) fn in_words(pred: &Pred, model: &Model, scope: &Scope) -> Vec<String> {
    let (minint, maxint) = (scope.minint, scope.maxint);
    let mut words = Vec::new();
    let mut say = |word: String| {
        if !words.contains(&word) {
            words.push(word);
        }
    };
    let max = || origin("MAXINT", maxint, model.settings.maxint, DEFAULT_MAXINT);
    let min = || origin("MININT", minint, model.settings.minint, DEFAULT_MININT);
    walk_pred(pred, &mut |node| {
        let Node::Expr(expr) = node else { return };
        match expr.kind {
            ExprKind::IntegerSet(IntegerSet::Nat) => say(format!("NAT is 0..{maxint}: {}", max())),
            ExprKind::IntegerSet(IntegerSet::Nat1) => say(format!("NAT1 is 1..{maxint}: {}", max())),
            ExprKind::IntegerSet(IntegerSet::Int) => say(format!("INT is {minint}..{maxint}: {}, {}", min(), max())),
            ExprKind::MaxInt => say(max()),
            ExprKind::MinInt => say(min()),
            _ => {}
        }
    });
    words
}

/// A bound with its origin.
fn origin(name: &str, value: i64, set: Option<i64>, default: i64) -> String {
    let option = name.to_lowercase();
    match set {
        Some(set) if set == value => format!("{name} = {value} by SET_PREF_{name} (--{option} overrides it)"),
        None if value == default => format!("{name} = {value} by default (--{option} N or SET_PREF_{name} sets it)"),
        _ => format!("{name} = {value} in this run (--{option} N or SET_PREF_{name} sets it)"),
    }
}
