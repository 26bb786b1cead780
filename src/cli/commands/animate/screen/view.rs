//! The contents of the panes.
//!
//! Invariant: each choice, constant, variable and step of the animation is a row, or a line of one; the changes of the last step come
//! first. Deliberately elsewhere: how rows are scrolled (`pane`) and drawn (`drawing`).

use super::super::command::Command;
use super::super::why::grid;
use super::super::{Animation, show};
use super::pane::{Aim, Folded, PaneRow, Shade};
use bcheck_explore::{Fault, FaultyPart, Verdict, findings_at_end};
use bcheck_report::changes::Changes;
use bcheck_report::{named_steps, trace};
use bcheck_source::{Shown, in_back_quotes, shown};
use bcheck_value::Value;
use std::collections::BTreeSet;

/// The most lines of changes before they are expanded.
const SHORT_CHANGES: usize = 6;

/// The verdict on the invariant in the current state, and the other findings there.
#[derive(Debug, Default)]
pub(super) struct StateVerdict {
    pub(super) text: Shown,
    pub(super) is_good: bool,
}

/// The verdict on the current state.
pub(super) fn verdict(animation: &Animation) -> StateVerdict {
    let bad = |text: Shown| StateVerdict { text, is_good: false };
    if animation.at <= animation.machine.model().set_up_steps() {
        return bad(shown!("not initialised"));
    }
    let Ok(found) = findings_at_end(&animation.machine, &animation.run()) else { return bad(shown!("invariant undecided")) };
    let of_invariant = found.iter().find(|fault| matches!(fault.part, FaultyPart::Invariant(_)));
    let invariant = match of_invariant.map(Fault::is_ill_defined) {
        Some(false) => "invariant violated",
        Some(true) => "invariant ill-defined",
        None => "invariant holds",
    };
    let mut others: Vec<&Fault> =
        found.iter().filter(|fault| !fault.is_ill_defined() && !matches!(fault.part, FaultyPart::Invariant(_))).collect();
    // Faults before goals.
    others.sort_by_key(|fault| fault.verdict() == Verdict::GoalFound);
    let others = others.into_iter().map(|fault| shown!(", {}", fault.part.row().short())).collect::<Shown>();
    StateVerdict { text: shown!("{}", invariant) + others, is_good: invariant == "invariant holds" }
}

/// The machine with its sizes.
pub(super) fn title(animation: &Animation) -> Shown {
    let model = animation.machine.model();
    shown!("{}  {}", model.name, show::scope_text(model, animation.machine.scope()))
}

/// The choices, one of them unfolded into its symmetric steps; below them what cannot be chosen.
pub(super) fn choices(animation: &Animation, unfolded: Option<usize>) -> Vec<PaneRow> {
    let (model, state) = (animation.machine.model(), animation.state());
    let orbits = &animation.enabled.alike;
    let firsts: Vec<_> = orbits.iter().filter_map(|orbit| orbit.first()).collect();
    let mut rows = Vec::new();
    for ((index, orbit), title) in orbits.iter().enumerate().zip(show::titles(model, state, &firsts)) {
        let number = index + 1;
        let alike = if orbit.len() > 1 { shown!("  ({} alike)", orbit.len()) } else { Shown::new() };
        let choose = |inner: usize| Aim::Perform(Command::Choose(number, inner));
        rows.push(PaneRow::new(shown!("{:>3}) {}{}", number, title, alike)).aimed(choose(1)));
        if unfolded == Some(number) {
            let steps: Vec<_> = orbit.iter().collect();
            let titles = show::titles(model, state, &steps).into_iter().enumerate();
            rows.extend(
                titles.map(|(inner, title)| PaneRow::new(shown!("      {}.{}) {}", number, inner + 1, title)).aimed(choose(inner + 1))),
            );
        }
    }
    let none = show::enabled(model, state, &animation.enabled, orbits.len()..orbits.len());
    rows.extend(none.as_str().lines().map(|line| PaneRow { wraps: true, ..PaneRow::new(Shown::line(line)).shaded(Shade::Faint) }));
    rows
}

/// A part of the state, untruncated.
pub(super) fn in_full(animation: &Animation, part: Folded) -> Shown {
    let model = animation.machine.model();
    let (changes, after) = (Changes::new(model), animation.state());
    match part {
        Folded::Changes => deltas(animation).iter().map(|line| shown!("{}\n", line.as_str())).collect(),
        Folded::Value(index) => {
            let name = model.constants.keys().chain(model.variables.keys()).nth(index).map(String::as_str).unwrap_or_default();
            after.get(index).map(|value| shown!("{} = {}\n", in_back_quotes(name), changes.whole(index, value))).unwrap_or_default()
        }
    }
}

/// The changes of the last step, one line for each part.
fn deltas(animation: &Animation) -> Vec<String> {
    let changes = Changes::new(animation.machine.model());
    let (before, after) = (before(animation), animation.state());
    // Without values before the step, the state itself shows everything.
    let pairs = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
    pairs.flat_map(|(index, (before, after))| changes.of_value(index, before, after)).collect()
}

/// The values before the last step; empty if there were none.
fn before(animation: &Animation) -> &[Value] {
    animation.at.checked_sub(2).map_or(&[][..], |before| animation.steps[before].state.as_slice())
}

/// The changes of the last step, then every variable and constant with its value; those in `unfolded` in full.
pub(super) fn state(animation: &Animation, unfolded: &BTreeSet<Folded>) -> Vec<PaneRow> {
    let model = animation.machine.model();
    let changes = Changes::new(model);
    let after = animation.state();
    let (before, deltas) = (before(animation), deltas(animation));
    let mut rows = Vec::new();
    let is_short = !unfolded.contains(&Folded::Changes) && deltas.len() > SHORT_CHANGES + 1;
    let listed = if is_short { SHORT_CHANGES } else { deltas.len() };
    rows.extend(deltas[..listed].iter().map(|line| PaneRow {
        wraps: !is_short,
        ..PaneRow::new(shown!("* {}", line.as_str())).shaded(Shade::Strong).aimed(Aim::Fold(Folded::Changes))
    }));
    if is_short {
        let more = shown!("  … {} more changes", deltas.len() - listed);
        rows.push(PaneRow::new(more).shaded(Shade::Faint).aimed(Aim::Fold(Folded::Changes)));
    }
    if !rows.is_empty() {
        rows.push(PaneRow::new(shown!("── all ──")).shaded(Shade::Faint));
    }
    let names: Vec<&str> = model.constants.keys().chain(model.variables.keys()).map(String::as_str).collect();
    let constants = model.constants.len();
    // Variables first: constants never change.
    for index in (constants..after.len()).chain(0..constants.min(after.len())) {
        let mark = if after.get(index) == before.get(index) { " " } else { "*" };
        let name = in_back_quotes(names.get(index).copied().unwrap_or_default());
        let line = shown!("{} {} = {}", mark, name, changes.whole(index, &after[index]));
        let shade = if mark == "*" { Shade::Strong } else { Shade::Plain };
        let is_unfolded = unfolded.contains(&Folded::Value(index));
        let table = if is_unfolded { changes.table(index, &after[index], before.get(index)) } else { None };
        let row = match &table {
            // The whole value follows where the table omits a part of it.
            Some(table) if table.left_out == (0, 0) => PaneRow::new(shown!("{} {}:\n{}", mark, name, grid(table))),
            Some(table) => {
                rows.push(PaneRow::new(shown!("{} {}:\n{}", mark, name, grid(table))).aimed(Aim::Fold(Folded::Value(index))));
                PaneRow { wraps: true, ..PaneRow::new(line) }
            }
            None => PaneRow { wraps: is_unfolded, ..PaneRow::new(line) },
        };
        rows.push(row.shaded(shade).aimed(Aim::Fold(Folded::Value(index))));
    }
    rows
}

/// The steps taken, and those undone.
pub(super) fn run(animation: &Animation) -> Vec<PaneRow> {
    let whole = animation.trace_of(&animation.steps);
    let row = |(index, step)| {
        let mark = if index + 1 == animation.at { ">" } else { " " };
        let shade = if index < animation.at { Shade::Plain } else { Shade::Faint };
        let row = PaneRow::new(shown!("{} {:>3}  {}", mark, index, trace::title(step)));
        row.shaded(shade).aimed(Aim::Perform(Command::Jump(index)))
    };
    named_steps(animation.machine.model(), &whole).iter().enumerate().map(row).collect()
}
