//! The order of each compiled search as a tracing event, for finding out why an enumeration is slow.
//!
//! Invariant: no text is composed unless the event is enabled. Deliberately elsewhere: the plan of one operation, explained to users
//! (`diagnose::explanation`).

use crate::plan::{Action, Search};

/// Emits the actions of a search, each with the estimated factor by which it multiplies the number of bindings.
pub(super) fn order(search: &Search, factors: &[f64], slot_names: &[String]) {
    // The macro evaluates its arguments only if the event is enabled.
    tracing::debug!(
        target: "bcheck::eval::order",
        file = search.span.file.0,
        start = search.span.start,
        cost = search.cost,
        actions = %actions(search, factors, slot_names),
        "search ordered"
    );
}

fn actions(search: &Search, factors: &[f64], slot_names: &[String]) -> String {
    // The action of the solver is inserted into a finished order and has no factor.
    let mut factors = factors.iter();
    let described = search.actions.iter().map(|action| {
        let names: Vec<&str> = action.slots().into_iter().map(|slot| slot_names[slot].as_str()).collect();
        let (names, word) = (names.join(", "), word(action));
        match action {
            Action::Cut(_) | Action::Test(_) => {
                factors.next();
                word.to_owned()
            }
            Action::Solve { .. } => format!("{word} {names}"),
            _ => format!("{word} {names} ({:.1})", factors.next().copied().unwrap_or(f64::NAN)),
        }
    });
    described.collect::<Vec<_>>().join("; ")
}

fn word(action: &Action) -> &'static str {
    match action {
        Action::Cut(_) => "cut",
        Action::Test(_) => "test",
        Action::Bind(..) => "bind",
        Action::Each(..) => "each",
        Action::EachSubset(..) => "subset",
        Action::Range { .. } => "range",
        Action::EachOf(..) => "branches",
        Action::Recurrence(_) => "recurrence",
        Action::Total(_) => "total",
        Action::Roots(_) => "roots",
        Action::Solve { .. } => "solve",
        Action::Unbounded { .. } => "unbounded",
    }
}
