//! `--explain-plan OP`: how the steps of an operation are found, for a person.
//!
//! Invariant: expressions are shown verbatim. Deliberately elsewhere: the plan itself (`eval`).

use super::diagnostics::place;
use bcheck_eval::{Choice, Explanation, PlannedStep, StepKind, Tier};
use bcheck_source::{Shown, SourceMap, Span, shown};

/// Longer expressions are cut.
const LONGEST_TEXT: usize = 80;

/// The plan of the operation with this name.
#[must_use]
pub fn render(operation: &str, plan: &Explanation, sources: &SourceMap) -> Shown {
    let mut lines = Vec::new();
    let head = match plan.parameters.names.as_slice() {
        [] => shown!("{}: its guard", operation),
        names => shown!("{}: the values of {}{}", operation, names.join(", "), visits(plan.parameters.cost)),
    };
    lines.push(head);
    steps(&plan.parameters, 1, sources, &mut lines);
    for choice in &plan.body {
        let at = place(choice.span, sources);
        lines.push(shown!("in its body, at {}: the values of {}{}", at, choice.names.join(", "), visits(choice.cost)));
        steps(choice, 1, sources, &mut lines);
    }
    lines.push(tier(&plan.tier, sources));
    Shown::join(lines, "\n") + shown!("\n")
}

fn visits(cost: f64) -> String {
    // No search, no estimate: the elements of one set.
    if cost.is_nan() {
        String::new()
    } else if cost.is_infinite() {
        ", which nothing bounds".to_owned()
    } else if cost < 1e6 {
        format!(", about {} bindings", cost.max(1.0).round())
    } else {
        format!(", about {cost:.0e} bindings")
    }
}

fn steps(choice: &Choice, depth: usize, sources: &SourceMap, lines: &mut Vec<Shown>) {
    let indent = "  ".repeat(depth);
    if choice.steps.is_empty() {
        lines.push(shown!("{}nothing to enumerate or to test", indent));
    }
    for (number, step) in (1..).zip(&choice.steps) {
        lines.push(shown!("{}{}. {}", indent, number, in_words(step, sources)));
        for branch in &step.branches {
            lines.push(shown!("{}   in the branch at {}:", indent, place(branch.span, sources)));
            steps(branch, depth + 3, sources, lines);
        }
    }
}

fn in_words(step: &PlannedStep, sources: &SourceMap) -> String {
    let names = step.names.join(", ");
    let texts: Vec<String> = step.spans.iter().map(|span| text(*span, sources)).collect();
    let all = texts.join(" and ");
    match step.kind {
        StepKind::Test => format!("test {all}"),
        StepKind::Bind if names.is_empty() => format!("compare with {all}"),
        StepKind::Bind => format!("{names} is {all}"),
        StepKind::Each if names.is_empty() => format!("look up in {all}"),
        StepKind::Each => format!("each {names} of {all}"),
        StepKind::EachSubset => format!("each subset {names} of {all}"),
        StepKind::EachInteger => format!("each integer {names} between the bounds in {all}"),
        StepKind::EachOfBranches => format!("each {names} that some branch gives"),
        StepKind::Recurrence => format!("{names} is computed value by value from {all}"),
        StepKind::Roots => format!("each integer {names} that solves the equation with {all}"),
        StepKind::Total => format!("each function {names} with the given total on {all}"),
        StepKind::Solve => format!("{names} are solved together (SAT)"),
        StepKind::Unbounded => format!("{names} is bounded by nothing: a few values are tried"),
    }
}

/// The text of a span on one line; one that is not in the text has no words.
fn text(span: Span, sources: &SourceMap) -> String {
    if span == Span::nowhere() {
        return "the type".to_owned();
    }
    let words: Vec<&str> = sources.text(span).split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LONGEST_TEXT {
        return line;
    }
    // By characters: a byte may lie inside of one.
    let cut: String = line.chars().take(LONGEST_TEXT).collect();
    format!("{cut}…")
}

fn tier(tier: &Tier, sources: &SourceMap) -> Shown {
    match tier {
        Tier::Packed => shown!("tier: packed (states as machine words)"),
        // No single variable is to blame: packed sets of integers need every operation to fit words (`Tier`).
        Tier::Variables(names) if names.is_empty() => shown!("tier: general (sets of integers, and an operation that does not fit words)"),
        Tier::Variables(names) => shown!("tier: general (these variables do not fit words: {})", names.join(", ")),
        Tier::Part(None) => shown!("tier: general (a parameter or result does not fit words)"),
        Tier::Part(Some(span)) => {
            shown!("tier: general, for {} at {}", text(*span, sources), place(*span, sources))
        }
    }
}
