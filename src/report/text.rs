//! The report that a person reads: what was checked and how, counts, coverage, warnings, the finding with its trace, the verdict.
//!
//! Invariant: the last line is the verdict and nothing else; a number that is only a bound is never shown as exact.

use super::diagnostics::{Colour, place, render as render_diagnostic};
use super::trace::text as trace_text;
use super::{CheckReport, Violation, matching_word, named_steps, precondition_word, strategy_word, symmetry_word, violation, warnings};
use crate::explore::{LimitHit, Verdict};
use crate::ir::Model;
use crate::source::{SourceMap, Span};
use crate::symmetry::Mode;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// So many reasons against symmetry are shown; a machine with large enumerated sets has one for each element.
const REASONS_SHOWN: usize = 4;

/// The report, ending with the verdict on a line of its own.
#[must_use]
pub fn render(report: &CheckReport<'_>, colour: Colour) -> String {
    let mut text = header(report);
    text.push_str(&counts(report));
    text.push_str(&coverage(report));
    for warning in warnings(report) {
        text.push('\n');
        text.push_str(&render_diagnostic(&warning, report.sources, colour));
    }
    if let Some(violation) = violation(report) {
        text.push('\n');
        text.push_str(&finding(report, &violation, colour));
    }
    text.push_str(&format!("\n{}\n", cost(report)));
    text.push_str(&format!("{}\n\n", conclusion(report)));
    text.push_str(&verdict(report.outcome.verdict, colour));
    text.push('\n');
    text
}

/// Machine, sizes, symmetry, search, properties.
fn header(report: &CheckReport<'_>) -> String {
    let mut lines = vec![format!("{} ({})", report.model.name, report.file)];
    let sizes: Vec<String> = report.deferred().map(|(name, size)| format!("{name} = {size}")).collect();
    if !sizes.is_empty() {
        lines.push(field("deferred sets", &sizes.join(", ")));
    }
    lines.push(field("integers", &format!("MININT = {}, MAXINT = {}", report.scope.minint, report.scope.maxint)));
    lines.push(field("symmetry", &symmetry_line(report)));
    if report.options.symmetry != Mode::Off {
        let why = &report.symmetry.why;
        lines.extend(why.iter().take(REASONS_SHOWN).map(|reason| field("", reason)));
        if why.len() > REASONS_SHOWN {
            lines.push(field("", &format!("… and {} more reasons (--format json lists all)", why.len() - REASONS_SHOWN)));
        }
    }
    let workers = if report.options.workers == 1 { "1 worker".to_owned() } else { format!("{} workers", report.options.workers) };
    lines.push(field("search", &format!("{}, {workers}", strategy_word(report.options.strategy))));
    lines.push(field("checked", &properties(report)));
    lines.join("\n") + "\n\n"
}

fn field(name: &str, value: &str) -> String {
    format!("  {name:<15}{value}")
}

fn symmetry_line(report: &CheckReport<'_>) -> String {
    let movable: Vec<String> = report.symmetry.movable.iter().map(|(name, count)| format!("{count} of {name}")).collect();
    let word = symmetry_word(report.options.symmetry);
    match (report.options.symmetry, movable.is_empty()) {
        (Mode::Off, _) => word.to_owned(),
        (_, true) => format!("{word}, but nothing is interchangeable"),
        (_, false) => format!("{word}; interchangeable: {}", movable.join(", ")),
    }
}

pub(super) fn properties(report: &CheckReport<'_>) -> String {
    if let Some(about) = report.refinement {
        let (refined, matching) = (&about.refinement.refined, matching_word(about.demands.matching));
        let also = match (about.demands.refusals, about.demands.divergence) {
            (false, false) => "",
            (true, false) => ", with refusals",
            (false, true) => ", with divergence",
            (true, true) => ", with refusals and divergence",
        };
        let precondition = precondition_word(about.refinement.precondition);
        return format!("refinement of {refined}, by {matching}{also}; a precondition is a {precondition}");
    }
    let options = report.options;
    let mut checked = Vec::new();
    if options.invariant {
        checked.push(counted(report.model.invariant.len(), "invariant conjunct", "invariant conjuncts"));
    }
    if options.deadlock {
        checked.push("deadlock".to_owned());
    }
    if options.assertions && !report.model.assertions.is_empty() {
        checked.push(counted(report.model.assertions.len(), "assertion", "assertions"));
    }
    if options.goal && report.model.goal.is_some() {
        checked.push("goal".to_owned());
    }
    if checked.is_empty() { "nothing but ill-definedness".to_owned() } else { checked.join(", ") }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A line of the table of counts: its name, explored, full where that is known. One that ends in a colon is a heading.
pub(super) type CountRow<'a> = (&'static str, u64, Option<&'a BigUint>);

/// The lines of the table of counts.
pub(super) fn count_rows<'a>(report: &CheckReport<'a>) -> Vec<CountRow<'a>> {
    let explored = &report.outcome.explored;
    let full = &report.outcome.full;
    let mut rows = vec![
        (if report.refinement.is_some() { "configurations" } else { "states" }, explored.states, Some(&full.states)),
        ("transitions", explored.transitions, Some(&full.transitions)),
        ("initial states", explored.initial, Some(&full.initial)),
    ];
    if explored.setups > 0 {
        rows.push(("set-ups", explored.setups, Some(&full.setups)));
    }
    for (name, count, whole) in [
        ("deadlocks", explored.deadlocks, Some(&full.deadlocks)),
        ("violations", explored.invariant_violations, Some(&full.invariant_violations)),
        ("false assertions", explored.assertion_violations, None),
        ("goals", explored.goals, None),
        ("ill-defined", explored.ill_defined, None),
    ] {
        if count > 0 {
            rows.push((name, count, whole));
        }
    }
    if report.refinement.is_none() {
        rows.push(("as ProB counts:", 0, None));
        rows.push(("  states", explored.prob_states, Some(&full.prob_states)));
        rows.push(("  transitions", explored.prob_transitions, Some(&full.prob_transitions)));
    }
    rows
}

/// The table of counts: explored, full, and what symmetry saved.
fn counts(report: &CheckReport<'_>) -> String {
    let full = &report.outcome.full;
    let rows = count_rows(report);
    let reduced = report.is_reduced();
    let bound = if full.exact { "" } else { ">= " };
    let width =
        14.max(rows.iter().filter_map(|(_, _, whole)| whole.map(|whole| whole.to_string().len() + bound.len() + 2)).max().unwrap_or(0));
    let mut text = if reduced { format!("  {:<17}{:>14}{:>width$}{:>12}\n", "", "explored", "full", "reduction") } else { String::new() };
    for (name, count, whole) in rows {
        if name.ends_with(':') {
            text.push_str(&format!("  {name}\n"));
            continue;
        }
        text.push_str(&format!("  {name:<17}{count:>14}"));
        if let (true, Some(whole)) = (reduced, whole) {
            text.push_str(&format!("{:>width$}", format!("{bound}{whole}")));
            if full.exact {
                text.push_str(&format!("{:>12}", factor(count, whole)));
            }
        }
        text.push('\n');
    }
    if reduced && !full.exact {
        for why in &full.why {
            text.push_str(&format!("  the full counts are bounds: {why}\n"));
        }
    }
    text
}

/// How many times larger the full count is.
pub(super) fn factor(explored: u64, full: &BigUint) -> String {
    if explored == 0 || full.is_zero() {
        return String::new();
    }
    #[allow(clippy::cast_precision_loss, reason = "a factor is shown with two digits")]
    let ratio = full.to_f64().unwrap_or(f64::INFINITY) / explored as f64;
    if ratio < 100.0 {
        format!("{ratio:.1}x")
    } else if ratio < 1e7 {
        format!("{ratio:.0}x")
    } else {
        format!("{ratio:.1e}x")
    }
}

/// How often each operation was seen.
fn coverage(report: &CheckReport<'_>) -> String {
    let operations = &report.outcome.operations;
    if operations.is_empty() {
        return String::new();
    }
    let name = |index: usize| report.model.operation_name(operations[index].operation);
    let width = (0..operations.len()).map(|index| name(index).chars().count() + 1).max().unwrap_or(0).max(17);
    let whole = 14.max(operations.iter().map(|counts| counts.full_transitions.to_string().len() + 2).max().unwrap_or(0));
    let reduced = report.is_reduced() && report.outcome.full.exact;
    let mut text = format!("\n  {:<width$}{:>14}", "operation", "explored");
    if reduced {
        text.push_str(&format!("{:>whole$}", "full"));
    }
    text.push('\n');
    for (index, counts) in operations.iter().enumerate() {
        text.push_str(&format!("  {:<width$}{:>14}", name(index), counts.transitions));
        if reduced {
            text.push_str(&format!("{:>whole$}", counts.full_transitions));
        }
        if counts.transitions == 0 {
            text.push_str(if report.outcome.complete { "   never enabled" } else { "   not seen" });
        }
        text.push('\n');
    }
    text
}

/// The finding: one line, the place, what was met, the trace.
fn finding(report: &CheckReport<'_>, violation: &Violation, colour: Colour) -> String {
    let mut text = violation_text(report.model, report.sources, violation, colour);
    if let Some(finding) = &report.outcome.finding {
        let steps = named_steps(report.model, &finding.trace);
        if !steps.is_empty() {
            text.push_str(&format!("\nTrace:\n{}", trace_text(&steps)));
        }
    }
    text
}

/// A violation by itself: one line, the place, what was met.
pub(super) fn violation_text(model: &Model, sources: &SourceMap, violation: &Violation, colour: Colour) -> String {
    let title = violation_title(model, violation);
    let mut text = match violation.span {
        Some(span) => format!("{}: {title}\n{}", place(span, sources), excerpt(violation, sources, colour)),
        None => format!("{title}\n"),
    };
    if !violation.arguments.is_empty() {
        let arguments: Vec<String> = violation.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        text.push_str(&format!("with {}\n", arguments.join(", ")));
    }
    text
}

/// The message with the label, or the number of the conjunct.
pub(super) fn violation_title(model: &Model, violation: &Violation) -> String {
    match (&violation.label, violation.number) {
        (Some(label), _) => format!("{} (@{label})", violation.message),
        (None, Some(number)) if violation.kind == "invariant" && model.invariant.len() > 1 => {
            format!("{} (conjunct {number} of {})", violation.message, model.invariant.len())
        }
        _ => violation.message.clone(),
    }
}

/// The violated formula underlined in its text.
fn excerpt(violation: &Violation, sources: &SourceMap, colour: Colour) -> String {
    let Some(span) = violation.span else { return String::new() };
    let source = sources.file(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    if source.text.get(start..end).is_none() || source.text.trim().is_empty() {
        return String::new();
    }
    let level = if violation.kind == "goal" { Level::NOTE } else { Level::ERROR };
    let annotate = |span: Span| AnnotationKind::Primary.span(span.start as usize..span.end as usize);
    let mut snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(annotate(span));
    // Conjuncts of other machines are shown after those of the first one.
    let (here, elsewhere): (Vec<Span>, Vec<Span>) =
        violation.contradiction.iter().skip(1).map(|part| part.span).partition(|other| other.file == span.file);
    for other in here {
        snippet = snippet.annotation(annotate(other));
    }
    let mut group = Group::with_level(level).element(snippet);
    for other in elsewhere {
        let source = sources.file(other.file);
        group = group.element(Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(annotate(other)));
    }
    for note in &violation.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let renderer = match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    renderer.render(&[group]) + "\n"
}

/// Depth, time, memory.
fn cost(report: &CheckReport<'_>) -> String {
    let times = report.times;
    let mut text = format!(
        "depth {}, {:.3} s (load {:.3}, search {:.3})",
        report.outcome.explored.depth,
        times.load_s + times.search_s,
        times.load_s,
        times.search_s
    );
    if report.peak_memory_bytes > 0 {
        text.push_str(&format!(", peak memory {}", bytes(report.peak_memory_bytes)));
    }
    text
}

/// A number of bytes for people.
#[must_use]
pub fn bytes(count: u64) -> String {
    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mebibytes = count as f64 / f64::from(1 << 20);
    if mebibytes < 1024.0 { format!("{mebibytes:.1} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

/// What the verdict means here, in one sentence.
pub(super) fn conclusion(report: &CheckReport<'_>) -> String {
    let covered = if report.outcome.complete {
        "The whole state space was searched."
    } else if report.refinement.is_some() {
        "The search stopped there."
    } else {
        "The search stopped there; --continue covers the whole space."
    };
    if let Some(limit) = &report.outcome.limit {
        let so_far = if report.outcome.finding.is_some() { "" } else { "; nothing was found so far" };
        return format!("{}: the state space is not covered{so_far}.", limit_sentence(limit));
    }
    match report.outcome.verdict {
        Verdict::Verified => "The whole state space was searched and nothing was found.".to_owned(),
        Verdict::UnsatisfiableProperties | Verdict::NoInitialState => "There is no state to search.".to_owned(),
        _ => covered.to_owned(),
    }
}

/// What stopped the search.
fn limit_sentence(limit: &LimitHit) -> String {
    match limit {
        LimitHit::States(count) => format!("Stopped at --max-states {count}"),
        LimitHit::Depth(levels) => format!("Stopped at --max-depth {levels}"),
        LimitHit::Time(seconds) => format!("Stopped at --time-limit after {seconds} s"),
        LimitHit::Memory(limit) => format!("Stopped at --memory-limit {}", bytes(*limit)),
        LimitHit::Interrupted => "Interrupted".to_owned(),
        LimitHit::Enumeration(error) => format!("Stopped because {}", error.kind),
    }
}

fn verdict(verdict: Verdict, colour: Colour) -> String {
    let word = verdict.as_str();
    match (colour, verdict) {
        (Colour::Plain, _) => word.to_owned(),
        (Colour::Ansi, Verdict::Verified) => format!("\u{1b}[1;32m{word}\u{1b}[0m"),
        (Colour::Ansi, Verdict::GoalFound) => format!("\u{1b}[1;36m{word}\u{1b}[0m"),
        (Colour::Ansi, Verdict::Incomplete) => format!("\u{1b}[1;33m{word}\u{1b}[0m"),
        (Colour::Ansi, _) => format!("\u{1b}[1;31m{word}\u{1b}[0m"),
    }
}
