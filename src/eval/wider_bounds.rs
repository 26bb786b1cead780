//! MININT and MAXINT that cover the numbers of the text, where PROPERTIES have no solution within the default bounds.
//!
//! Invariant: bounds that a user or the machine has set are never replaced, nor are the default ones where PROPERTIES have a solution
//! within them, or may have one. Deliberately elsewhere: what the bounds are by default (`sema::scope`).

use super::Machine;
use crate::ir::{Conjunct, Model, Node, Scope, speaks_of_bounds, walk_pred};
use crate::source::{Code, Diagnostic};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What trying PROPERTIES within some bounds shows.
#[derive(PartialEq, Eq)]
enum Solvability {
    Satisfiable,
    Unsatisfiable,
    /// They have no value, or cannot be enumerated.
    Unknown,
}

/// The scope with wider bounds that gives PROPERTIES a solution, and a note about it; none where the default bounds stay. `scope_with` is
/// the scope with another MININT, or another MAXINT.
pub fn wider_bounds(
    model: &Model,
    scope: &Scope,
    scope_with: &mut dyn FnMut(Option<i64>, Option<i64>) -> Option<Scope>,
) -> Option<(Scope, Diagnostic)> {
    let bounded = model.properties.iter().find(|conjunct| mentions_bounds(conjunct))?;
    let (least, greatest) = model.least_and_greatest_number();
    let minint = Some(least).filter(|least| *least < scope.minint);
    let maxint = Some(greatest).filter(|greatest| *greatest > scope.maxint);
    if (minint, maxint) == (None, None) || tried(model, scope) != Solvability::Unsatisfiable {
        return None;
    }
    // As few bounds as possible are moved. Where no wider ones are known to do, those that may do are taken.
    let mut may_do = None;
    for (minint, maxint) in [(None, maxint), (minint, None), (minint, maxint)] {
        if (minint, maxint) == (None, None) {
            continue;
        }
        let Some(wider) = scope_with(minint, maxint) else { continue };
        match tried(model, &wider) {
            Solvability::Satisfiable => return Some((wider, note(bounded, scope, (minint, maxint)))),
            Solvability::Unknown => may_do = may_do.or(Some((wider, note(bounded, scope, (minint, maxint))))),
            Solvability::Unsatisfiable => {}
        }
    }
    may_do
}

/// Whether PROPERTIES have a solution within these bounds.
fn tried(model: &Model, scope: &Scope) -> Solvability {
    let machine = Machine::compile(Arc::new(model.clone()), scope.clone());
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

fn note(bounded: &Conjunct, scope: &Scope, (minint, maxint): (Option<i64>, Option<i64>)) -> Diagnostic {
    let part = |name: &str, bound: Option<i64>| bound.map(|bound| format!("{name} = {bound}, a number of the text"));
    let taken: Vec<String> = part("MININT", minint).into_iter().chain(part("MAXINT", maxint)).collect();
    let defaults: Vec<String> =
        minint.map(|_| scope.minint.to_string()).into_iter().chain(maxint.map(|_| scope.maxint.to_string())).collect();
    let (word, verb) = if defaults.len() == 1 { ("default", "leaves") } else { ("defaults", "leave") };
    let message = format!("{}; the {word} {} {verb} PROPERTIES without solution", taken.join(", "), defaults.join(" and "));
    Diagnostic::note(Code::BoundOfText, bounded.pred.span, message).help("--minint and --maxint set other bounds")
}

/// Whether a conjunct mentions NAT, NAT1, INT, MININT or MAXINT.
fn mentions_bounds(conjunct: &Conjunct) -> bool {
    let mut found = false;
    walk_pred(&conjunct.pred, &mut |node| found |= matches!(node, Node::Expr(expr) if speaks_of_bounds(expr)));
    found
}
