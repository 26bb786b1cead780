//! Verdicts on temporal formulas, in words, whatever the format.
//!
//! Invariant: every formula of the model is listed, in its order, also one that was never judged; formulas of one name are numbered.
//! Deliberately elsewhere: how they are judged (`explore`), the formats.

use super::diagnostics::place;
use super::finding::{Violation, one_line, values_of, violation_of};
use super::subformulas::Table;
use super::{CheckReport, NamedStep, equations, named_steps};
use bcheck_explore::{FaultyPart, TemporalResult, TemporalVerdict, Trace, Verdict};
use bcheck_ir::Model;
use bcheck_ir::temporal::{FairnessKind, Logic, Pattern, Prefix, TemporalFormula, TemporalKind};
use bcheck_source::SourceMap;

/// The reason why a formula has no verdict when the search ended before it was judged.
const NOT_JUDGED: &str = "the search ended before it was judged";

/// A formula with its result.
pub(super) struct Judged<'a> {
    /// Its name, with a number where others have the same one.
    pub(super) name: String,
    /// Its text, on one line.
    pub(super) text: String,
    /// As it was stated.
    pub(super) stated: &'a TemporalFormula,
    /// As it was judged, if it was.
    pub(super) result: Option<&'a TemporalResult>,
    /// Its verdict; unknown where it was not judged.
    pub(super) verdict: TemporalVerdict,
    /// Whether the verdict of the check is about this formula.
    pub(super) is_finding: bool,
    index: usize,
    model: &'a Model,
}

/// The formulas of a check.
pub(super) fn judged<'a>(report: &CheckReport<'a>) -> Vec<Judged<'a>> {
    // With --continue several formulas may be violated, and the verdict of the check is about the first.
    let found = match report.outcome.finding.as_ref().map(|finding| &finding.fault.part) {
        Some(FaultyPart::Temporal(index)) => Some(*index),
        _ => None,
    };
    let stated = &report.model.temporal;
    let names = names(stated);
    let judged = stated.iter().enumerate().map(|(index, formula)| {
        // By number, not by position: a search that ended early has fewer results than formulas, or none.
        let result = report.outcome.temporal.iter().find(|result| result.formula == index);
        Judged {
            name: names[index].clone(),
            // Formulas may be written over several lines; reports have one line for each.
            text: formula.text.split_whitespace().collect::<Vec<_>>().join(" "),
            stated: formula,
            result,
            verdict: result.map_or_else(|| TemporalVerdict::Unknown(NOT_JUDGED.to_owned()), |result| result.verdict.clone()),
            is_finding: found == Some(index),
            index,
            model: report.model,
        }
    });
    judged.collect()
}

/// The names of formulas, with a number where others have the same one.
pub(super) fn names(stated: &[TemporalFormula]) -> Vec<String> {
    let name = |(index, formula): (usize, &TemporalFormula)| {
        let is_same = |other: &&TemporalFormula| other.name == formula.name;
        match (stated.iter().filter(is_same).count(), stated[..index].iter().filter(is_same).count()) {
            // A name that occurs once is unchanged: users search for it, also in `--temporal=NAME`.
            (1, _) => formula.name.clone(),
            (_, before) => format!("{} ({})", formula.name, before + 1),
        }
    };
    stated.iter().enumerate().map(name).collect()
}

/// A verdict in a word for programs.
pub(super) fn word(verdict: &TemporalVerdict) -> &'static str {
    match verdict {
        TemporalVerdict::Holds => "holds",
        TemporalVerdict::Violated => "violated",
        TemporalVerdict::Unknown(_) => "unknown",
        TemporalVerdict::IllDefined(_) => "ill_defined",
    }
}

/// The logic of a formula, in a word for programs.
pub(super) fn logic(stated: &TemporalFormula) -> &'static str {
    match stated.logic {
        Logic::Ltl => "ltl",
        Logic::Ctl => "ctl",
    }
}

impl<'a> Judged<'a> {
    /// The verdict in a word for programs.
    pub(super) fn word(&self) -> &'static str {
        word(&self.verdict)
    }

    /// The verdict for people.
    pub(super) fn words(&self) -> &'static str {
        match self.verdict {
            TemporalVerdict::IllDefined(_) => "ill-defined",
            _ => self.word(),
        }
    }

    /// Why there is no other verdict, or why the verdict is weak; one sentence without a full stop.
    pub(super) fn why(&self) -> Option<String> {
        match &self.verdict {
            TemporalVerdict::Holds => self.result?.vacuity.as_ref().map(|vacuity| format!("vacuously: {vacuity}")),
            TemporalVerdict::Violated => {
                let values = self.values();
                let values = (!values.is_empty()).then(|| format!("for {}", equations(&values)));
                let renaming = self.result?.renaming.as_ref().map(|renaming| {
                    format!("its loop is too long to be shown; each round renames the elements by {}", renaming.in_names(self.model))
                });
                values.into_iter().chain(renaming).reduce(|first, second| format!("{first}; {second}"))
            }
            TemporalVerdict::Unknown(reason) => Some(reason.clone()),
            TemporalVerdict::IllDefined(error) => Some(error.kind.to_string()),
        }
    }

    /// The logic, in a word for programs.
    pub(super) fn logic(&self) -> &'static str {
        logic(self.stated)
    }

    /// The fairness that it assumes, one part of the conjunction each.
    pub(super) fn fairness(&self, model: &Model, sources: &SourceMap) -> Vec<String> {
        let mut formula = &self.stated.body;
        loop {
            match &formula.kind {
                TemporalKind::Prefixed(Prefix::Quantified { .. }, body) => formula = body,
                TemporalKind::Prefixed(Prefix::Fair(kinds), _) => {
                    return kinds.iter().flat_map(|kind| fairness(kind, model, sources)).collect();
                }
                _ => return Vec::new(),
            }
        }
    }

    /// The values of quantified names for which it fails.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        self.result.map(|result| values_of(result, self.model)).unwrap_or_default()
    }

    /// The run on which it fails.
    pub(super) fn trace(&self) -> Option<&'a Trace> {
        self.result.and_then(|result| result.trace.as_ref())
    }

    /// That run in names and texts.
    pub(super) fn steps(&self, model: &Model) -> Vec<NamedStep> {
        self.trace().map(|trace| named_steps(model, trace)).unwrap_or_default()
    }

    /// The run that shows that it holds; `None` unless requested.
    pub(super) fn witness(&self) -> Option<&'a Trace> {
        self.result.and_then(|result| result.witness.as_ref())
    }

    /// Its parts along the run on which it fails; `None` unless requested.
    pub(crate) fn table(&self, model: &Model) -> Option<Table<'a>> {
        let rows = self.result.map(|result| result.explanation.as_slice()).filter(|rows| !rows.is_empty())?;
        Some(Table::new(rows, model.set_up_steps()))
    }

    /// The violation, as a finding would be.
    pub(super) fn violation(&self, model: &Model, sources: &SourceMap) -> Option<(Verdict, Violation)> {
        let fault = self.verdict.fault(self.index)?;
        let mut violation = violation_of(model, sources, &fault)?;
        violation.arguments.extend(self.values());
        Some((fault.verdict(), violation))
    }

    /// Where it is stated.
    pub(super) fn place(&self, sources: &SourceMap) -> String {
        place(self.stated.span, sources)
    }
}

fn fairness(kind: &FairnessKind, model: &Model, sources: &SourceMap) -> Vec<String> {
    match kind {
        FairnessKind::Every { is_strong, .. } => vec![if *is_strong { "SEF" } else { "WEF" }.to_owned()],
        FairnessKind::Of { is_strong, alternatives } => {
            let word = if *is_strong { "SF" } else { "WF" };
            let one = |pattern: &Pattern| format!("{word}({})", pattern_text(pattern, model, sources));
            let all = |patterns: &Vec<Pattern>| patterns.iter().map(one).collect::<Vec<_>>();
            match alternatives.as_slice() {
                [patterns] => all(patterns),
                _ => {
                    // Neither of `&` and `or` binds more tightly than the other one.
                    let bracketed = |text: String, patterns: &Vec<Pattern>| if patterns.len() > 1 { format!("({text})") } else { text };
                    let shown = alternatives.iter().map(|patterns| bracketed(all(patterns).join(" & "), patterns));
                    vec![shown.collect::<Vec<_>>().join(" or ")]
                }
            }
        }
    }
}

/// The text of a pattern; the name of its operation if it is in no text.
fn pattern_text(pattern: &Pattern, model: &Model, sources: &SourceMap) -> String {
    let text = one_line(sources, pattern.span);
    if text.is_empty() { model.operation_name(pattern.operation).to_owned() } else { text }
}

/// The formulas that were judged and could not be decided, with reasons, as one sentence.
pub(crate) fn undecided(report: &CheckReport<'_>) -> Option<String> {
    let all = judged(report);
    let parts: Vec<String> = all
        .iter()
        // Formulas that were never judged have no separate reason; the limit of the search is reported already.
        .filter(|judged| judged.result.is_some())
        .filter_map(|judged| match &judged.verdict {
            TemporalVerdict::Unknown(reason) => Some(format!("{} ({reason})", judged.name)),
            TemporalVerdict::Holds | TemporalVerdict::Violated | TemporalVerdict::IllDefined(_) => None,
        })
        .collect();
    let formulas = if parts.len() == 1 { "formula" } else { "formulas" };
    (!parts.is_empty()).then(|| format!("{} temporal {formulas} could not be decided: {}.", parts.len(), parts.join(", ")))
}

#[cfg(test)]
mod tests;
