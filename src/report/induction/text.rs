//! `bcheck induct` for people: a matrix, then an example for each cell that is violated.
//!
//! Invariant: a number of states is that of the full space, and up to symmetry where that differs; representatives only where the counts of
//! the full space are not exact.

use super::{InductionReport, MatrixColumn, NamedExample};
use crate::deferred;
use crate::finding::one_line;
use crate::trace::title;
use bcheck_explore::{PreservationRow, Reachability, Refuted, Undefined};
use bcheck_ir::{OperationId, Refinement};
use bcheck_source::{Shown, in_back_quotes, shown};
use num_bigint::BigUint;

/// The report for people.
pub fn text(report: &InductionReport<'_>) -> Shown {
    let InductionReport { model, scope, found, refinement, .. } = report;
    let sizes = deferred(model, scope).map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ");
    let at = if sizes.is_empty() { String::new() } else { format!(" at {sizes}") };
    let refines = refinement.map(|refinement| shown!(" refines {}", refinement.refined)).unwrap_or_default();
    let least = if found.is_complete { "" } else { "at least " };
    let counted = counted(report, found.states, &found.full_states);
    let satisfy = if refinement.is_some() { "satisfy the invariants" } else { "satisfy the invariant" };
    let mut text = shown!("{}{}{}: {}{} {}{}\n", model.name, refines, at, least, counted[0], satisfy, counted[1]);
    if !model.invariant.is_empty() || refinement.is_some() {
        text += matrix(report);
    }
    for (operation, effect) in found.effects() {
        text += violations(report, operation, effect);
    }
    for Undefined { error, states } in found.undefined.iter().flatten() {
        text += shown!("\n{}, in {}; ", report.reason(error), of_all(report, states));
        text += example(report, states);
    }
    if let Some(cell) = found.deadlocks.as_ref().filter(|cell| cell.states > 0) {
        text += shown!("\nno operation is enabled in {}; ", of_all(report, cell));
        text += example(report, cell);
    }
    for (at, cell) in found.assertions.iter().flatten().enumerate().filter(|(_, cell)| cell.states > 0) {
        let formula = one_line(report.sources, model.assertions[at].pred.span);
        text += shown!("\nassertion {}, {}, is false in {}; ", at + 1, formula, of_all(report, cell));
        text += example(report, cell);
    }
    if let Some(reason) = &report.stopped {
        text += shown!("\n{}: not all states were looked at\n", reason);
    }
    text + shown!("\n{}\n", report.verdict().word())
}

/// The violations by steps of an operation, or by the initialisation, with an example each.
fn violations(report: &InductionReport<'_>, operation: Option<OperationId>, effect: &PreservationRow) -> Shown {
    let name = report.effect_name(operation);
    let whence = if operation.is_some() { "from" } else { "in" };
    let mut text = Shown::new();
    let is_alone = effect.violated.iter().all(|cell| cell.states == 0);
    for column in report.columns().into_iter().filter(|column| column.cell(effect).states > 0) {
        let cell = column.cell(effect);
        let what = match (column, report.refinement) {
            (MatrixColumn::Conjunct(at), _) => shown!("{} violates conjunct {}, {}, {}", name, at + 1, report.formula(at), whence),
            // Violations of single conjuncts need not be repeated for all of them.
            (MatrixColumn::All, _) if !is_alone => continue,
            (column, refinement) => {
                refinement.map(|refinement| shown!("{} {}", unmatched(refinement, column, operation, &name), whence)).unwrap_or_default()
            }
        };
        text += shown!("\n{} {}; ", what, of_all(report, cell)) + example(report, cell);
    }
    for (conjunct, error) in effect.undecided.iter().enumerate().filter_map(|(at, error)| Some((at, error.as_ref()?))) {
        text += shown!("\nafter {}, conjunct {} has no known value: {}\n", name, conjunct + 1, report.reason(error));
    }
    text + unfinished(report, &name, effect)
}

/// How the refined machine fails to follow, before a number of pairs.
fn unmatched(refinement: &Refinement, column: MatrixColumn, operation: Option<OperationId>, name: &str) -> Shown {
    let refined = &refinement.refined;
    let is_internal = refinement.operations.iter().any(|own| Some(own.operation) == operation && own.refined.is_none());
    match (column, operation) {
        (MatrixColumn::Call, _) => shown!("{} refuses a call that {} allows,", name, refined),
        (MatrixColumn::Step, None) => shown!("{} has no initial state beside the one of the refinement,", refined),
        (MatrixColumn::Step, _) => shown!("{} has no step with the arguments and results of {},", refined, name),
        (_, None) => shown!("no initial state of {} satisfies all conjuncts at once,", refined),
        (_, Some(_)) if is_internal => shown!("{} has no counterpart in {}, and does not preserve all conjuncts,", name, refined),
        (_, Some(_)) => shown!("no step of {} that follows {} satisfies all conjuncts at once,", refined, name),
    }
}

/// Why not all steps of an operation are known, if so. Where each ill-defined place is listed, this is redundant.
fn unfinished(report: &InductionReport<'_>, name: &str, effect: &PreservationRow) -> Shown {
    let Some(error) = &effect.incomplete else { return Shown::new() };
    if !error.kind.is_ill_defined() {
        return shown!("\n{} has steps that are not known: {}\n", name, report.reason(error));
    }
    if report.found.undefined.is_some() {
        return Shown::new();
    }
    if effect.ill_defined.states == 0 {
        return shown!("\n{} is ill-defined: {}\n", name, report.reason(error));
    }
    let states = of_all(report, &effect.ill_defined);
    shown!("\n{} is ill-defined in {}: {}; ", name, states, report.reason(error)) + example(report, &effect.ill_defined)
}

/// A number of states, or of pairs of states, with its noun, and how many they are up to symmetry where that is another number.
fn counted(report: &InductionReport<'_>, states: u64, full_states: &BigUint) -> [String; 2] {
    let is_exact = report.found.is_exact;
    let all = if is_exact { full_states.to_string() } else { states.to_string() };
    let is_reduced = is_exact && *full_states != states.into();
    let up_to = if is_reduced { format!(" ({states} up to symmetry)") } else { String::new() };
    let noun = match (report.refinement, all == "1") {
        (None, true) => "state",
        (None, false) => "states",
        (Some(_), true) => "pair of states",
        (Some(_), false) => "pairs of states",
    };
    [format!("{all} {noun}"), up_to]
}

fn of_all(report: &InductionReport<'_>, cell: &Refuted) -> String {
    counted(report, cell.states, &cell.full_states).concat()
}

/// Operations down, conjuncts across by number: names may be long, numbers are not.
fn matrix(report: &InductionReport<'_>) -> Shown {
    let columns = report.columns();
    let heads: Vec<String> = columns.iter().map(|column| column.head()).collect();
    let width = heads.iter().map(String::len).max().unwrap_or(0);
    let mut text = shown!("\n");
    for (column, head) in columns.iter().zip(&heads) {
        let meaning = match (column, report.refinement) {
            (MatrixColumn::Conjunct(at), _) => report.formula(*at),
            (MatrixColumn::Call, Some(refinement)) => format!("accepts each call that {} allows", refinement.refined),
            (MatrixColumn::Step, Some(refinement)) => format!("{} has a step with the same arguments and results", refinement.refined),
            (_, _) => "one such step leads to where all of these conjuncts hold".to_owned(),
        };
        text += shown!("  {}  {}\n", Shown::line(head).right(width), meaning);
    }
    text += shown!("\n");
    let names: Vec<String> = report.found.effects().map(|(operation, _)| report.effect_name(operation)).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let aligned = heads.iter().map(|head| Shown::line(head).right(width));
    text += shown!("  {}  {}\n", " ".repeat(widest), Shown::join(aligned, " "));
    for ((_, effect), name) in report.found.effects().zip(names) {
        let marks = columns.iter().map(|column| Shown::line(report.mark(effect, *column).sign()).right(width));
        text += shown!("  {}  {}\n", Shown::line(&name).left(widest), Shown::join(marks, " "));
    }
    text + shown!("\n+ preserved, - violated, ? not known\n")
}

/// The example after "for example", with what is known about the reachability of its state.
fn example(report: &InductionReport<'_>, refuted: &Refuted) -> Shown {
    let Some(NamedExample { before, step, reached, reasons }) = report.named(refuted) else { return shown!("no example is known\n") };
    let line = |(name, value): &(String, String)| shown!("    {} = {}\n", in_back_quotes(name), value);
    let mut text = match reached {
        None => shown!("for example\n"),
        Some(Reachability::After(0)) => shown!("for example, initially\n"),
        Some(Reachability::After(1)) => shown!("for example, in a state that is reached in 1 step\n"),
        Some(Reachability::After(steps)) => shown!("for example, in a state that is reached in {} steps\n", steps),
        Some(Reachability::Never) => shown!("for example, in a state that is not reachable\n"),
        Some(Reachability::Unknown) => shown!("for example, in a state that was not reached before the search ended\n"),
    };
    text += Shown::join(before.iter().map(line), "");
    if let Some(step) = step {
        text += shown!("  {}\n", title(&step));
        text += Shown::join(step.changes().map(line), "");
    }
    text + reasons.iter().map(|reason| shown!("  {}\n", reason)).collect::<Shown>()
}
