//! MININT and MAXINT with which PROPERTIES have a solution, where they have none within the default bounds.
//!
//! First the numbers of the text that lie farthest outside, then values of its closed expressions, neighbours, sums and products of its
//! numbers, then powers of two. Invariant: bounds that a user or the machine has set are never replaced, nor are the default ones where
//! PROPERTIES have a solution within them, or may have one. Deliberately elsewhere: what the bounds are by default (`sema::scope`).

use super::Machine;
use super::diagnose::other_sizes::{Answer, solvable};
use crate::compile::Compiler;
use crate::thresholds::{BOUND_EXPONENT, BOUND_EXPRESSIONS, COMBINED_BOUNDS, COMBINED_NUMBERS, DEFAULT_BOUNDS_WORK, OTHER_BOUNDS_WORK};
use bcheck_ir::{Conjunct, Expr, ExprKind, Model, Node, Scope, speaks_of_bounds, walk_pred};
use bcheck_source::{Code, Diagnostic};
use num_traits::ToPrimitive;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A new MININT, a new MAXINT, or both.
type TriedBounds = (Option<i64>, Option<i64>);

/// The result of trying PROPERTIES within some bounds.
#[derive(PartialEq, Eq)]
enum Solvability {
    Satisfiable,
    Unsatisfiable,
    /// They have no value, or cannot be enumerated.
    Unknown,
}

/// The scope with wider bounds with which PROPERTIES have a solution, and a note about it; `None` where the default bounds stay.
/// `scope_with` returns the scope with another MININT, or another MAXINT.
pub(super) fn wider_bounds(
    model: &Arc<Model>,
    scope: &Scope,
    scope_with: &mut dyn FnMut(Option<i64>, Option<i64>) -> Option<Scope>,
) -> Option<(Scope, Diagnostic)> {
    let bounded = model.properties.iter().find(|conjunct| mentions_bounds(conjunct))?;
    let (least, greatest) = model.least_and_greatest_number();
    let minint = Some(least).filter(|least| *least < scope.minint);
    let maxint = Some(greatest).filter(|greatest| *greatest > scope.maxint);
    let is_unsatisfiable = match solvable(model, scope, &Arc::default(), (&Cell::new(DEFAULT_BOUNDS_WORK.get()), DEFAULT_BOUNDS_WORK.get()))
    {
        Answer::Satisfiable => false,
        Answer::Contradictory => true,
        Answer::IllDefined | Answer::Unknown => (minint, maxint) != (None, None) && tried(model, scope) == Solvability::Unsatisfiable,
    };
    if !is_unsatisfiable {
        return None;
    }
    // As few bounds as possible are changed. Where no wider ones are known to suffice, those that may suffice are taken.
    let mut may_do = None;
    for bounds in [(None, maxint), (minint, None), (minint, maxint)] {
        if bounds == (None, None) {
            continue;
        }
        let Some(wider) = scope_with(bounds.0, bounds.1) else { continue };
        let described = |wider: Scope| (wider, note(bounded, scope, bounds, "a number of the text"));
        match tried(model, &wider) {
            Solvability::Satisfiable => return Some(described(wider)),
            Solvability::Unknown => may_do = may_do.or(Some(described(wider))),
            Solvability::Unsatisfiable => {}
        }
    }
    let left = Cell::new(OTHER_BOUNDS_WORK.get());
    let found = other_bounds(model, scope, (least, greatest)).into_iter().find_map(|(bounds, reason)| {
        let wider = scope_with(bounds.0, bounds.1)?;
        let does = solvable(model, &wider, &Arc::default(), (&left, DEFAULT_BOUNDS_WORK.get())) == Answer::Satisfiable;
        does.then(|| (wider, note(bounded, scope, bounds, reason)))
    });
    found.or(may_do)
}

/// Bounds that are not numbers of the text, in the order of trial, each with its origin.
fn other_bounds(model: &Arc<Model>, scope: &Scope, (least, greatest): (i64, i64)) -> Vec<(TriedBounds, &'static str)> {
    let (values, numbers) = (closed_values(model, scope), numbers(model));
    let next: BTreeSet<i64> = numbers.iter().chain([&least, &greatest]).flat_map(|number| [number - 1, number + 1]).collect();
    let pairs = || numbers.iter().flat_map(|one| numbers.iter().map(move |other| (*one, *other)));
    let combined = pairs().flat_map(|(one, other)| [one.checked_add(other), one.checked_mul(other)]).flatten();
    let combined: BTreeSet<i64> = combined.filter(|number| number.unsigned_abs() <= 1 << 20).take(2 * COMBINED_BOUNDS.get()).collect();
    let powers: BTreeSet<i64> = (2..=BOUND_EXPONENT.get()).flat_map(|exponent| [1 << exponent, -(1 << exponent)]).collect();
    let phases = [
        (values, "the value of an expression of the text"),
        (next, "next to a number of the text"),
        (combined, "a sum or product of numbers of the text"),
        (powers, "a power of two, as numbers of the text do not suffice"),
    ];
    let mut bounds = Vec::new();
    for (numbers, reason) in phases {
        let above: Vec<i64> = numbers.iter().copied().filter(|number| *number > scope.maxint).collect();
        let below: Vec<i64> = numbers.iter().rev().copied().filter(|number| *number < scope.minint).collect();
        bounds.extend(above.iter().map(|number| ((None, Some(*number)), reason)));
        bounds.extend(below.iter().map(|number| ((Some(*number), None), reason)));
        if let (Some(least), Some(greatest)) = (below.last(), above.last()) {
            bounds.push(((Some(*least), Some(*greatest)), reason));
        }
    }
    bounds
}

/// The values of expressions without names in PROPERTIES, such as `60 * 24`, as far as they can be computed within a budget.
fn closed_values(model: &Arc<Model>, scope: &Scope) -> BTreeSet<i64> {
    let mut compiler = Compiler::new(model, scope, Arc::default());
    compiler.folding_work = Some(1);
    let names = compiler.names();
    let (mut values, mut looked) = (BTreeSet::new(), 0);
    let mut visit = |node: Node<'_>| {
        let Node::Expr(expr) = node else { return };
        if matches!(expr.kind, ExprKind::Integer(_) | ExprKind::Local(_) | ExprKind::Constant(_)) || looked >= BOUND_EXPRESSIONS.get() {
            return;
        }
        looked += usize::from(expr.ty == bcheck_ir::Type::Integer);
        values.extend(names.closed_integer(expr));
    };
    model.properties.iter().for_each(|conjunct| walk_pred(&conjunct.pred, &mut visit));
    values
}

/// The largest numbers that PROPERTIES write down.
fn numbers(model: &Model) -> BTreeSet<i64> {
    let mut numbers = BTreeSet::new();
    let mut visit = |node: Node<'_>| {
        let Node::Expr(Expr { kind: ExprKind::Integer(number), .. }) = node else { return };
        numbers.extend(number.to_i64().filter(|number| number.unsigned_abs() < 1 << 62));
        if numbers.len() > COMBINED_NUMBERS.get() {
            numbers.pop_first();
        }
    };
    model.properties.iter().for_each(|conjunct| walk_pred(&conjunct.pred, &mut visit));
    numbers
}

/// Whether PROPERTIES have a solution within these bounds.
fn tried(model: &Arc<Model>, scope: &Scope) -> Solvability {
    let machine = Machine::compile(Arc::clone(model), scope.clone());
    let mut is_found = false;
    let ended = machine.for_each_setup(&mut |_| {
        is_found = true;
        ControlFlow::Break(())
    });
    match ended {
        _ if is_found => Solvability::Satisfiable,
        Ok(()) => Solvability::Unsatisfiable,
        Err(_) => Solvability::Unknown,
    }
}

fn note(bounded: &Conjunct, scope: &Scope, (minint, maxint): TriedBounds, reason: &str) -> Diagnostic {
    let part = |name: &str, bound: Option<i64>| bound.map(|bound| format!("{name} = {bound}, {reason}"));
    let taken: Vec<String> = part("MININT", minint).into_iter().chain(part("MAXINT", maxint)).collect();
    let defaults: Vec<String> =
        minint.map(|_| scope.minint.to_string()).into_iter().chain(maxint.map(|_| scope.maxint.to_string())).collect();
    let (word, verb) = if defaults.len() == 1 { ("default", "leaves") } else { ("defaults", "leave") };
    let message = format!("{}; the {word} {} {verb} PROPERTIES without solution", taken.join(", "), defaults.join(" and "));
    Diagnostic::note(Code::BoundOfText, bounded.pred.span, message).help("--minint and --maxint set other bounds")
}

/// Whether a conjunct mentions NAT, NAT1, INT, MININT or MAXINT.
pub(super) fn mentions_bounds(conjunct: &Conjunct) -> bool {
    let mut found = false;
    walk_pred(&conjunct.pred, &mut |node| found |= matches!(node, Node::Expr(expr) if speaks_of_bounds(expr)));
    found
}
