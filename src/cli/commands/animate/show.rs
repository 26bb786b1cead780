//! The answers of an animation as text.
//!
//! Invariant: names and values are in B's notation, as in every report; of long lists only the beginning is shown, with the command that
//! shows the rest.

use crate::commands::replay::obstacle_message;
use bcheck_eval::{Machine, Obstacle};
use bcheck_explore::{Enabled, Trace, TraceStep, findings_at_end};
use bcheck_ir::{Model, Scope};
use bcheck_report::changes::Changes;
use bcheck_report::diagnostics::{headline, place};
use bcheck_report::trace::{text_from, title};
use bcheck_report::{deferred, equations, named_step, named_steps, violation_of};
use bcheck_source::{Diagnostic, Shown, SourceMap, Vocabulary, shown};
use bcheck_value::Value;
use bcheck_value::display::display;
use std::ops::Range;

/// How many enabled steps are listed by default.
pub(super) const LISTED: usize = 30;

/// `Name = 2, MININT = -1, MAXINT = 3`
pub(super) fn scope_text(model: &Model, scope: &Scope) -> String {
    let sizes: String = deferred(model, scope).map(|(name, size)| format!("{name} = {size}, ")).collect();
    format!("{sizes}MININT = {}, MAXINT = {}", scope.minint, scope.maxint)
}

/// Every step that can be chosen, with its number as it is typed.
pub(super) fn numbered(enabled: &Enabled) -> Vec<(String, &TraceStep)> {
    let of_orbit = |(index, orbit): (usize, &'_ Vec<TraceStep>)| {
        let number =
            move |inner: usize, count: usize| if count == 1 { format!("{}", index + 1) } else { format!("{}.{}", index + 1, inner + 1) };
        let count = orbit.len();
        (0..count).map(move |inner| number(inner, count)).collect::<Vec<_>>()
    };
    let numbers = enabled.alike.iter().enumerate().flat_map(of_orbit);
    numbers.zip(enabled.alike.iter().flatten()).collect()
}

/// The choices at these positions, and what cannot be chosen.
pub(super) fn enabled(model: &Model, state: &[Value], enabled: &Enabled, listed: Range<usize>) -> Shown {
    let count = enabled.alike.len();
    if count == 0 && enabled.ill_defined.is_empty() && enabled.left_out.is_empty() {
        return shown!("nothing is enabled\n");
    }
    let firsts: Vec<&TraceStep> = enabled.alike[..listed.end].iter().filter_map(|orbit| orbit.first()).collect();
    let titles = titles(model, state, &firsts);
    let mut text = Shown::new();
    // Titles are computed for all choices: whether a title distinguishes a step depends on the others.
    for (index, (title, orbit)) in titles.iter().zip(&enabled.alike).enumerate().skip(listed.start) {
        text += shown!("{:>4}) {}", index + 1, title);
        if orbit.len() > 1 {
            text += shown!("  ({} alike)", orbit.len());
        }
        text += shown!("\n");
    }
    if listed.end < count {
        text += shown!("      … and {} more (list all)\n", count - listed.end);
    }
    if enabled.is_cut && state.is_empty() && model.set_up_steps() > 0 {
        text += shown!("      … and more set-ups, not enumerated yet (more)\n");
    } else if enabled.is_cut {
        text += shown!("      there are more, which are not listed\n");
    }
    // Neither ill-defined calls nor omitted ones can be chosen, so they have no numbers.
    for (operation, arguments, error) in &enabled.ill_defined {
        let arguments: Vec<String> = arguments.iter().map(|value| display(value, model)).collect();
        let name = model.operation_name(*operation);
        text += shown!("   !  {}({}) is ill-defined: {}\n", name, arguments.join(", "), error.kind.to_string());
    }
    for (operation, error) in &enabled.left_out {
        let what = if error.kind.is_left_out() { "has more steps" } else { "is left out" };
        text += shown!("   !  {} {}: {}\n", model.operation_name(*operation), what, error.kind.to_string());
    }
    text
}

/// The symmetric steps behind a choice.
pub(super) fn orbit(model: &Model, state: &[Value], number: usize, orbit: &[TraceStep]) -> Shown {
    let steps: Vec<&TraceStep> = orbit.iter().collect();
    let titles = titles(model, state, &steps);
    titles.iter().enumerate().map(|(index, title)| shown!("{:>4}.{}) {}\n", number, index + 1, title)).collect()
}

/// Titles that distinguish steps: the changes are appended where two titles are equal.
pub(super) fn titles(model: &Model, state: &[Value], steps: &[&TraceStep]) -> Vec<String> {
    let named: Vec<_> = steps.iter().map(|step| named_step(model, step, state)).collect();
    let plain: Vec<String> = named.iter().map(title).collect();
    // One call may have several outcomes, which differ only in their changes.
    let is_alone = |title: &String| plain.iter().filter(|other| *other == title).count() == 1;
    let with_changes = |(title, named): (&String, &bcheck_report::NamedStep)| {
        if is_alone(title) {
            return title.clone();
        }
        let changes = equations(named.changes());
        format!("{title}: {}", if changes.is_empty() { "no change" } else { changes.as_str() })
    };
    plain.iter().zip(&named).map(with_changes).collect()
}

/// The steps of a run from `first` on, with their changes.
pub(super) fn steps(model: &Model, run: &Trace, first: usize) -> Shown {
    text_from(&named_steps(model, run), first)
}

/// The whole state.
pub(super) fn state(model: &Model, state: &[Value]) -> Shown {
    let names = model.constants.keys().chain(model.variables.keys());
    let changes = Changes::new(model);
    let line = |(index, (name, value))| shown!("          {} = {}\n", name, changes.whole(index, value));
    let text: Shown = names.zip(state).enumerate().map(line).collect();
    if text.is_empty() { shown!("          (no constants, no variables)\n") } else { text }
}

/// The violations in the last state of a run.
pub(super) fn findings(machine: &Machine, sources: &SourceMap, run: &Trace) -> Shown {
    let findings = match findings_at_end(machine, run) {
        Ok(findings) => findings,
        Err(error) => return shown!("   !  {}: {}\n", place(error.span, sources), error.kind.to_string()),
    };
    let mut text = Shown::new();
    for fault in &findings {
        let Some(violation) = violation_of(machine.model(), sources, fault) else { continue };
        let formula = violation.formula.as_ref().map(|formula| shown!(": {}", formula)).unwrap_or_default();
        text += shown!("   !  {}: {}{}\n", fault.verdict().word(), violation.message, formula);
    }
    text
}

/// The reason why an operation is disabled.
pub(super) fn obstacle(model: &Model, sources: &SourceMap, obstacle: Option<&Obstacle>) -> Shown {
    let Some(obstacle) = obstacle else { return shown!("its guard can hold, but its body has no outcome\n") };
    let formula = sources.text(obstacle.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, message) = obstacle_message(obstacle, &formula);
    let changes = Changes::new(model);
    let names = || model.constants.keys().chain(model.variables.keys());
    // A name that is neither a constant nor a variable is a parameter, whose type no conjunct of the invariant gives.
    let text = |name: &str, value: &Value| {
        names().position(|known| known == name).map_or_else(|| display(value, model), |index| changes.whole(index, value))
    };
    let values: Shown = obstacle.values.iter().map(|(name, value)| shown!("          {} = {}\n", name, text(name, value))).collect();
    shown!("{}: {}\n{}", place(obstacle.span, sources), message, values)
}

/// Messages about a formula, one line each.
pub(super) fn diagnostics(list: &[Diagnostic], sources: &SourceMap) -> Shown {
    let lines: Vec<Shown> = list
        .iter()
        .map(|diagnostic| {
            let help: Shown = diagnostic.help.iter().map(|help| shown!(" ({})", help)).collect();
            headline(diagnostic, sources) + help
        })
        .collect();
    // Aligned below the first message, which follows `error: `.
    Shown::join(lines, "\n       ")
}
