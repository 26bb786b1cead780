//! The values that constants and variables take in the states that a survey has visited, in words.
//!
//! Invariant: a report states whether the survey was complete. Deliberately elsewhere: how values are collected
//! (`explore`), the number of states that were visited (`html::coverage`, `json_coverage`).

use super::CheckReport;
use super::notation::{Notation, notations, written};
use bcheck_explore::ValueRange;
use bcheck_ir::Model;
use bcheck_source::{Shown, in_back_quotes, shown};

/// The names with the notations of their values and their ranges, in the order of the model; none in a refinement check, whose states are
/// configurations.
pub(super) fn rows<'a>(report: &CheckReport<'a>) -> Vec<(&'a str, Notation, &'a ValueRange)> {
    let ranges = report.survey.filter(|_| report.refinement.is_none()).map(|survey| survey.ranges.as_slice()).unwrap_or_default();
    let model = report.model;
    let names = model.constants.keys().chain(model.variables.keys()).map(String::as_str);
    names.zip(notations(model)).zip(ranges).map(|((name, notation), range)| (name, notation, range)).collect()
}

/// A range in words.
pub(super) fn in_words(range: &ValueRange, notation: &Notation, model: &Model) -> String {
    match range {
        ValueRange::Integers(least, greatest) if least == greatest => least.to_string(),
        ValueRange::Integers(least, greatest) => format!("{least}..{greatest}"),
        ValueRange::Sizes(least, greatest) if least == greatest => format!("{least} {}", elements(*least)),
        ValueRange::Sizes(least, greatest) => format!("{least} to {greatest} elements"),
        ValueRange::Values(values, is_cut) => {
            let mut texts: Vec<String> = values.iter().map(|value| written(value, notation, model)).collect();
            texts.extend(is_cut.then(|| "…".to_owned()));
            texts.join(", ")
        }
    }
}

fn elements(count: usize) -> &'static str {
    if count == 1 { "element" } else { "elements" }
}

/// The ranges as a section of the text; empty unless requested.
pub(super) fn section(report: &CheckReport<'_>) -> Shown {
    let rows = rows(report);
    if rows.is_empty() {
        return Shown::new();
    }
    let names: Vec<Shown> = rows.iter().map(|(name, ..)| Shown::line(&in_back_quotes(name))).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = shown!("\nValues in {}:\n", visited(report));
    for (name, (_, notation, range)) in names.into_iter().zip(&rows) {
        text += shown!("  {}  {}\n", name.left(width), in_words(range, notation, report.model));
    }
    text
}

/// Which states were visited.
fn visited(report: &CheckReport<'_>) -> String {
    let classes = if report.is_reduced() { ", up to symmetry" } else { "" };
    match report.survey {
        Some(survey) if survey.is_complete => format!("all {} states{classes}", survey.states),
        Some(survey) => format!("the {} states nearest to the initial ones{classes}", survey.states),
        None => "no state".to_owned(),
    }
}
