//! Temporal formulas of a chain of refinements: which machines preserve each of them, below the first refinement of the machine that
//! states it.
//!
//! Invariant: a formula is preserved by a machine only if it is preserved by each one between. Deliberately elsewhere: the first
//! refinement of each formula, whose reasons are in the report of its link (`preserved`); which refinements pass a formula on
//! (`explore::refine::preservation`).

use super::CheckReport;
use super::preserved::{rows, words};
use bcheck_explore::refine::preservation::{PassesOn, Passing, Preservation};
use bcheck_source::{Shown, Vocabulary, shown};
use serde::Serialize;

/// A link of a chain, and the formulas of its refined machine.
#[derive(Clone, Debug)]
pub struct ChainLevel {
    own: String,
    refined: String,
    formulas: Vec<StatedFormula>,
    passes_on: Option<PassesOn>,
}

#[derive(Clone, Debug)]
struct StatedFormula {
    name: String,
    text: String,
    answer: Preservation,
    passing: Option<Passing>,
}

/// A formula, and the machines below the one that states it, from above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassedRow {
    machine: String,
    name: String,
    formula: String,
    answers: Vec<PassedAnswer>,
}

/// Whether a machine preserves a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PassedAnswer {
    machine: String,
    answer: &'static str,
    #[serde(skip)]
    words: &'static str,
}

/// The answers of a link about formulas; `None` unless requested.
pub fn level(report: &CheckReport<'_>) -> Option<ChainLevel> {
    let about = report.refinement?;
    let formulas = rows(report).into_iter().map(|row| StatedFormula {
        answer: row.preserved.answer,
        passing: row.preserved.passing.clone(),
        name: row.name,
        text: row.text,
    });
    Some(ChainLevel {
        own: report.model.name.clone(),
        refined: about.refinement.refined.clone(),
        formulas: formulas.collect(),
        passes_on: about.formulas?.passes_on.cloned(),
    })
}

/// The formulas of the machines that have more than one below them, from above; `levels` come from below.
pub fn passed(levels: &[ChainLevel]) -> Vec<PassedRow> {
    let mut rows = Vec::new();
    // Without the lowest link: there is no machine below its refinement.
    for (at, level) in levels.iter().enumerate().skip(1).rev() {
        for formula in &level.formulas {
            let of =
                |own: &str, answer: Preservation| PassedAnswer { machine: own.to_owned(), answer: answer.word(), words: words(answer) };
            let mut answer = formula.answer;
            let mut answers = vec![of(&level.own, answer)];
            for below in levels[..at].iter().rev() {
                // A violation concerns the machine that states the formula, so it is the same for all below. If one machine does not
                // preserve it, nothing is known for the next: that one was checked against the machine in between only.
                answer = match (answer, &formula.passing, &below.passes_on) {
                    (Preservation::Fails, ..) => Preservation::Fails,
                    (Preservation::Kept, Some(passing), Some(link)) if passing.is_kept_by(link) => Preservation::Kept,
                    _ => Preservation::OwnCheck,
                };
                answers.push(of(&below.own, answer));
            }
            let (machine, name, text) = (level.refined.clone(), formula.name.clone(), formula.text.clone());
            rows.push(PassedRow { machine, name, formula: text, answers });
        }
    }
    rows
}

/// The rows in a text report.
pub fn table(rows: &[PassedRow]) -> Shown {
    let mut text = Shown::new();
    if rows.is_empty() {
        return text;
    }
    text += shown!("\nTemporal formulas further down:\n");
    let width = |of: fn(&PassedRow) -> &str| rows.iter().map(|row| of(row).chars().count() + 2).max().unwrap_or(0);
    let (names, machines) = (width(|row| &row.name), width(|row| &row.machine));
    for row in rows {
        let answers: Vec<String> = row.answers.iter().map(|one| format!("{}: {}", one.machine, one.words)).collect();
        text += shown!("  {}{}{}\n", shown!("{}", row.machine).left(machines), shown!("{}", row.name).left(names), answers.join(", "));
    }
    text
}

impl PassedRow {
    /// The texts of a row of a table: machine, name, formula, and the answer for each machine below.
    pub(crate) fn cells(&self) -> [String; 4] {
        let answers: Vec<String> = self.answers.iter().map(|one| format!("{}: {}", one.machine, one.words)).collect();
        [self.machine.clone(), self.name.clone(), self.formula.clone(), answers.join(", ")]
    }
}
