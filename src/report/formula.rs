//! How a temporal formula was parsed, and its value on a run: as text and as JSON.
//!
//! Invariant: both forms have the same content. Deliberately elsewhere: the words of operators and the tree (`cli`), formulas judged on a
//! machine (`temporal`).

use super::ending::{loop_of, word};
use super::json::pretty;
use super::text_formulas::of_rows;
use bcheck_explore::ValueOnRun;
use bcheck_source::{Shown, shown};
use serde::Serialize;

/// A formula as parsed.
#[derive(Clone, Debug)]
pub struct FormulaReport<'a> {
    /// `LTL` or `CTL`.
    pub logic: &'static str,
    /// With all parentheses, on one line.
    pub parenthesised: String,
    /// Part by part.
    pub tree: FormulaTree,
    /// States and acceptance sets of the automata of the negation, one for each value of the names that are quantified in front.
    pub automata: Vec<(usize, u32)>,
    /// Its value on a run.
    pub run: Option<RunReport<'a>>,
}

/// A part of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormulaTree {
    /// The operator with f and g for its operands; of a proposition the text.
    pub text: String,
    /// The meaning of the operator in words; may be empty.
    pub meaning: &'static str,
    /// Whether the text needs no explanation in words.
    #[serde(skip)]
    pub is_plain: bool,
    /// Its operands, in order.
    pub operands: Vec<FormulaTree>,
}

/// The value of a formula on a saved run.
#[derive(Clone, Copy, Debug)]
pub struct RunReport<'a> {
    /// The file of the trace.
    pub file: &'a str,
    /// The value.
    pub value: &'a ValueOnRun,
    /// The number of the step to the first state.
    pub first: usize,
    /// Remarks about the trace, one sentence each.
    pub notes: &'a [String],
}

/// For people.
pub fn text(report: &FormulaReport<'_>) -> Shown {
    let mut rows = Vec::new();
    add_rows(&report.tree, 1, &mut rows);
    // A long predicate does not move the words of all others to the right.
    let width = rows.iter().map(|(left, _)| left.chars().count()).filter(|width| *width <= 48).max().unwrap_or(0) + 2;
    let mut text = shown!("{}: {}\n\n", report.logic, report.parenthesised);
    for (left, meaning) in &rows {
        let line = if meaning.is_empty() { shown!("{}", left) } else { shown!("{}{}{}", left.clone().left(width), "  ", *meaning) };
        text += line + shown!("\n");
    }
    let counted = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let size = |states: usize, sets: u32| format!("{}, {}", counted(states as u64, "state"), counted(u64::from(sets), "acceptance set"));
    // The figures that an editor of formulas looks for: a formula that is too large for a check shows here without one.
    match report.automata.as_slice() {
        [] => {}
        [(states, sets)] => text += shown!("\nautomaton of the negation: {}\n", size(*states, *sets)),
        several => {
            let states = several.iter().map(|(states, _)| *states).max().unwrap_or(0);
            let sets = several.iter().map(|(_, sets)| *sets).max().unwrap_or(0);
            let of = size(states, sets);
            text += shown!("\nautomata of the negation, one for each value of quantified names: {}, of at most {}\n", several.len(), of);
        }
    }
    text.extend(report.run.as_ref().map(run_text));
    text
}

fn add_rows(tree: &FormulaTree, depth: usize, rows: &mut Vec<(Shown, &'static str)>) {
    rows.push((shown!("{}{}", "  ".repeat(depth), tree.text), if tree.is_plain { "" } else { tree.meaning }));
    for operand in &tree.operands {
        add_rows(operand, depth + 1, rows);
    }
}

fn run_text(run: &RunReport<'_>) -> Shown {
    let value = match run.value.holds {
        Some(true) if run.value.is_unfair => "TRUE, as the run is not fair",
        Some(true) => "TRUE",
        Some(false) => "FALSE",
        None => "undetermined: it depends on what follows the last step",
    };
    let mut text = shown!("\nvalue on {}: {}\n", run.file, value);
    text.extend(run.notes.iter().map(|note| shown!("  note: {}\n", note)));
    text + of_rows(&run.value.rows, run.first)
}

#[derive(Serialize)]
struct FormulaReportObject<'a> {
    format: &'static str,
    version: u32,
    logic: String,
    formula: &'a str,
    tree: &'a FormulaTree,
    automata: Vec<SizeObject>,
    /// Null without a run.
    run: Option<RunObject<'a>>,
}

#[derive(Serialize)]
struct SizeObject {
    states: usize,
    acceptance: u32,
}

#[derive(Serialize)]
struct RunObject<'a> {
    trace_file: &'a str,
    end: Option<&'static str>,
    loop_start: Option<usize>,
    /// Null if it depends on the continuation.
    value: Option<bool>,
    fair: bool,
    /// The number of the step that the first values of subformulas belong to.
    first_step: usize,
    subformulas: Vec<PartOnRunObject<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct PartOnRunObject<'a> {
    text: &'a str,
    depth: usize,
    values: &'a [bool],
}

/// For programs.
pub fn json(report: &FormulaReport<'_>) -> Shown {
    let run = report.run.as_ref().map(|run| RunObject {
        trace_file: run.file,
        end: run.value.end.map(word),
        loop_start: loop_of(run.value.end).map(|(start, _)| start),
        value: run.value.holds,
        fair: !run.value.is_unfair,
        first_step: run.first,
        subformulas: run.value.rows.iter().map(|row| PartOnRunObject { text: &row.text, depth: row.depth, values: &row.values }).collect(),
        notes: run.notes,
    });
    pretty(&FormulaReportObject {
        format: "bcheck-formula",
        version: 1,
        logic: report.logic.to_lowercase(),
        formula: &report.parenthesised,
        tree: &report.tree,
        automata: report.automata.iter().map(|&(states, acceptance)| SizeObject { states, acceptance }).collect(),
        run,
    })
}
