//! Temporal formulas of the refined machine in the report of a refinement check: whether the refinement preserves each, in words, whatever
//! the format.
//!
//! Invariant: every requested formula has a row, in order, with a reason and, unless it is preserved, the command that shows more.
//! Deliberately elsewhere: which are preserved (`explore::refine::preservation`), the formats.

use super::CheckReport;
use super::temporal::{logic, names};
use bcheck_explore::refine::RefinementFacts;
use bcheck_explore::refine::preservation::{Gap, Lemma, Obstacle, PassesOn, Preservation, Preserved};
use bcheck_explore::{TemporalResult, TemporalVerdict};
use bcheck_ir::temporal::TemporalFormula;
use bcheck_ir::{Model, Scope};
use bcheck_source::{Shown, Vocabulary, shown};

/// The formulas of the refined machine, and which of them the refinement preserves.
#[derive(Clone, Copy, Debug)]
pub struct PreservedReport<'a> {
    /// The refined machine by itself, with the formulas.
    pub model: &'a Model,
    /// Its file.
    pub file: &'a str,
    /// The sizes at which the formulas were judged.
    pub scope: &'a Scope,
    /// Their verdicts on it.
    pub results: &'a [TemporalResult],
    /// Whether the refinement preserves them.
    pub preserved: &'a [Preserved],
    /// The facts about runs of the refinement that these answers rest on.
    pub facts: &'a RefinementFacts,
    /// The formulas from further up that the refinement preserves, if that is known.
    pub passes_on: Option<&'a PassesOn>,
}

/// A formula of the refined machine.
pub(super) struct PreservedRow<'a> {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) stated: &'a TemporalFormula,
    pub(super) preserved: &'a Preserved,
    /// Its verdict on the refined machine.
    pub(super) refined_verdict: &'static str,
    /// Reasons, and how it is read: sentences without full stops.
    pub(super) why: Vec<String>,
    /// The command that shows more.
    pub(super) command: Option<String>,
}

impl PreservedRow<'_> {
    /// The answer for people.
    pub(super) fn words(&self) -> &'static str {
        words(self.preserved.answer)
    }

    /// The logic, in a word for programs.
    pub(super) fn logic(&self) -> &'static str {
        logic(self.stated)
    }
}

/// An answer for people.
pub(super) fn words(answer: Preservation) -> &'static str {
    match answer {
        Preservation::Kept => "kept",
        Preservation::NotKept => "not kept",
        Preservation::OwnCheck => "own check",
        Preservation::Fails => "fails already",
    }
}

/// The rows of a report; empty unless requested.
pub(super) fn rows<'a>(report: &CheckReport<'a>) -> Vec<PreservedRow<'a>> {
    let Some(about) = report.refinement.and_then(|about| about.formulas) else { return Vec::new() };
    let names = names(&about.model.temporal);
    let row = |preserved: &'a Preserved| {
        let stated = about.model.temporal.get(preserved.formula)?;
        let result = about.results.iter().find(|result| result.formula == preserved.formula);
        let text = stated.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(PreservedRow {
            name: names[preserved.formula].clone(),
            why: why(report, about, preserved),
            command: command(report, about, preserved, stated, &text),
            text,
            stated,
            preserved,
            refined_verdict: result.map_or("unknown", |result| super::temporal::word(&result.verdict)),
        })
    };
    about.preserved.iter().filter_map(row).collect()
}

fn why(report: &CheckReport<'_>, about: PreservedReport<'_>, preserved: &Preserved) -> Vec<String> {
    let (own, refined) = (&report.model.name, &about.model.name);
    let mut why = Vec::new();
    if preserved.answer == Preservation::Fails {
        let ill_defined = about
            .results
            .iter()
            .find(|result| result.formula == preserved.formula)
            .is_some_and(|result| matches!(result.verdict, TemporalVerdict::IllDefined(_)));
        let fault = if ill_defined { "a proposition of it has no value in some state of" } else { "it does not hold of" };
        why.push(format!("{fault} {refined}"));
    }
    why.extend(preserved.lemma.map(|lemma| lemma_text(lemma, own, refined)));
    why.extend(preserved.gaps.iter().map(|gap| gap_text(*gap, report, about)));
    why.extend(preserved.obstacle.as_ref().map(|obstacle| obstacle_text(obstacle, own, refined)));
    if !preserved.glued.is_empty() {
        let variables = list(&preserved.glued);
        why.push(format!("{variables} of {refined}: read through the gluing invariant, as of the related states"));
    }
    for (name, refining) in &preserved.renamed {
        why.push(match refining.is_empty() {
            true => format!("`{name}` is not refined: no step of {own} is one of it"),
            false => format!("`{name}` is read as {}, by which it is refined", list(refining)),
        });
    }
    why
}

fn lemma_text(lemma: Lemma, own: &str, refined: &str) -> String {
    let source = lemma.help();
    match lemma {
        Lemma::Prefixes => {
            format!("it speaks of beginnings of runs, and each of {own} is one of {refined} but for internal steps ({source})")
        }
        Lemma::Runs => format!(
            "each run of {own} as a whole is one of {refined} but for internal steps, which end; it stops only where that may ({source})"
        ),
        Lemma::Simulation => {
            format!("{refined} follows {own} step by step, whichever way it takes, so what holds of all ways is kept ({source})")
        }
    }
}

fn gap_text(gap: Gap, report: &CheckReport<'_>, about: PreservedReport<'_>) -> String {
    let (own, refined) = (&report.model.name, &about.model.name);
    match gap {
        // A search that neither covered everything nor found anything was ended by a limit.
        Gap::Simulation if report.outcome.exhausted || report.outcome.finding.is_some() => "the refinement check did not pass".to_owned(),
        Gap::Simulation => "the refinement check did not come to its end".to_owned(),
        Gap::Divergence => {
            let operation = about.facts.divergence.map(|operation| format!(" (`{}`)", report.model.operation_name(operation)));
            let operation = operation.unwrap_or_default();
            format!("internal steps{operation} can go on for ever, and then nothing else comes; --divergence shows how")
        }
        Gap::Deadlock => format!("{own} has a deadlock where {refined} can go on; a check of {own} shows it"),
        Gap::Refusals => format!("guards may be stronger, so what is possible in {refined} need not be in {own}; --refusals checks that"),
        Gap::Choices => {
            format!("{refined} may be in several states, which can do different things, where {own} is in one; see --mode simulation-all")
        }
        Gap::InternalSteps => format!("it speaks of neighbouring steps or of the next one, which in {own} may be internal"),
    }
}

fn obstacle_text(obstacle: &Obstacle, own: &str, refined: &str) -> String {
    match obstacle {
        Obstacle::Unjudged(reason) => format!("it could not be decided of {refined}: {reason}"),
        Obstacle::Fairness => "fairness is assumed, and what is fair differs: guards and steps are others".to_owned(),
        Obstacle::Existence => format!("it says that some run exists, and {own} need not have each run of {refined}"),
        Obstacle::Sink => format!("whether a step leads to another state differs, as {own} has other states"),
        Obstacle::Calls => "it speaks of variables, and --mode trace compares calls and results only".to_owned(),
        Obstacle::NotRefined(name) => format!("it asks whether `{name}` is possible, which nothing refines"),
        Obstacle::OtherOperation(name) => format!("`{name}` of {own} is another operation: it does not refine that of {refined}"),
        Obstacle::Seen(name) => format!("`{name}` belongs to a machine that is seen, whose steps are steps of both"),
        Obstacle::Valued(name) => format!("{own} gives the set {name} its elements"),
        Obstacle::Guard(name) => format!("by itself {refined} has other guards of `{name}` than here: preconditions from further up"),
        Obstacle::Scope => format!("of {refined}, states outside of SCOPE were left out"),
        Obstacle::Tried => format!("of {refined}, integers that nothing bounds were tried in a range only"),
    }
}

/// Names in backquotes.
fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The command that shows the counterexample, or that checks the formula alone if the refinement has all of its names.
fn command(
    report: &CheckReport<'_>,
    about: PreservedReport<'_>,
    preserved: &Preserved,
    stated: &TemporalFormula,
    text: &str,
) -> Option<String> {
    let sizes: String = super::deferred(about.model, about.scope).map(|(set, size)| format!(" --deferred {set}={size}")).collect();
    let has_names = preserved.glued.is_empty() && preserved.renamed.is_empty();
    match (preserved.answer, &preserved.obstacle) {
        (Preservation::Kept, _) => None,
        (Preservation::Fails, _) | (_, Some(Obstacle::Unjudged(_))) => {
            Some(format!("bcheck {} --temporal={}{sizes}", about.file, stated.name))
        }
        (_, Some(Obstacle::NotRefined(_) | Obstacle::OtherOperation(_) | Obstacle::Valued(_))) => None,
        // The refinement by itself has no variable or operation of that name, so it could not read the formula.
        _ if !has_names => None,
        // A quote within quotes of the shell.
        _ => Some(format!("bcheck {} --{} '{}'{sizes}", report.file, logic(stated), text.replace('\'', "'\\''"))),
    }
}

/// The table of a text report.
pub(crate) fn table(report: &CheckReport<'_>) -> Shown {
    let rows = rows(report);
    let Some(about) = report.refinement.filter(|_| !rows.is_empty()) else { return Shown::new() };
    let head = format!("formula of {}", about.refinement.refined);
    let width = rows.iter().map(|row| row.name.chars().count() + 2).max().unwrap_or(0).max(head.chars().count() + 2).max(19);
    let mut text = shown!("\n  {}of {}\n", shown!("{}", head).left(width), report.model.name);
    for row in &rows {
        text += shown!("  {}{}{}\n", shown!("{}", row.name).left(width), shown!("{}", row.words()).left(15), row.text);
        for line in row.why.iter().chain(&row.command) {
            text += shown!("  {}{}\n", " ".repeat(width + 15), line);
        }
    }
    text
}
