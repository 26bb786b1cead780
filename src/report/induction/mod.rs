//! `bcheck induct`: which steps preserve which conjuncts of the invariant, for people (`text`) and as JSON (`json`).
//!
//! Invariant: "inductive" is reported only where all states that satisfy the invariant were expanded and nothing was left out.
//! Deliberately elsewhere: how it is decided (`explore::induct`).

mod json;
mod text;

pub use json::json;
pub use text::text;

use super::finding::one_line;
use super::named::{NamedStep, named_step};
use super::refinement::{BothSides, conjunct_formula, notes};
use bcheck_eval::EvalError;
use bcheck_explore::{Induction, PreservationRow, Reachability, Refuted, TraceStep, Verdict};
use bcheck_ir::{Conjunct, Model, OperationId, Refinement, Scope};
use bcheck_source::{SourceMap, Vocabulary, in_back_quotes};

/// The data of the report.
pub struct InductionReport<'a> {
    /// The machine.
    pub model: &'a Model,
    /// The sizes of its sets.
    pub scope: &'a Scope,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    /// The results.
    pub found: &'a Induction,
    /// The parts of the model, if it is that of a refinement with the machine that it refines.
    pub refinement: Option<&'a Refinement>,
    /// The conjuncts that must be preserved; all without any.
    pub conjuncts: &'a [usize],
    /// Why there may be other states, if so.
    pub stopped: Option<String>,
    /// Whether PROPERTIES are unknown and assumed to hold, so that no example is certain.
    pub is_assumed: bool,
}

/// A state in names and texts, and the step from it if there is one.
struct NamedExample {
    before: Vec<(String, String)>,
    step: Option<NamedStep>,
    reached: Option<Reachability>,
    /// Of a refinement: why the refined machine does not follow.
    reasons: Vec<String>,
}

/// A column of the matrix: something that each step must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixColumn {
    /// Of a refinement: accept each call that the refined machine allows.
    Call,
    /// Of a refinement: have a counterpart with the same arguments and results.
    Step,
    /// Preserve a conjunct.
    Conjunct(usize),
    /// Of a refinement: preserve all conjuncts at once.
    All,
}

impl MatrixColumn {
    /// Its head, which also names files of counterexamples.
    pub fn head(self) -> String {
        if let Self::Conjunct(at) = self { (at + 1).to_string() } else { self.key().to_owned() }
    }

    /// Its name in JSON.
    fn key(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Step => "step",
            Self::Conjunct(_) => "conjunct",
            Self::All => "all",
        }
    }

    /// Its cell of a row.
    pub fn cell(self, effect: &PreservationRow) -> &Refuted {
        match self {
            Self::Call => &effect.unmatched.calls,
            Self::Step => &effect.unmatched.steps,
            Self::Conjunct(at) => &effect.violated[at],
            Self::All => &effect.unmatched.pairs,
        }
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InductionVerdict {
    /// Every step preserves the invariant.
    Inductive,
    /// A step does not preserve it.
    NotInductive,
    /// No step is known to violate the invariant, but something has no value.
    IllDefined,
    /// An obligation is undecided.
    Incomplete,
}

impl InductionVerdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Inductive => "inductive",
            Self::NotInductive => "not_inductive",
            Self::IllDefined => Verdict::IllDefined.word(),
            Self::Incomplete => Verdict::Incomplete.word(),
        }
    }
}

/// The effect of a step on a conjunct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preservation {
    Preserved,
    Violated,
    Unknown,
}

impl Preservation {
    fn sign(self) -> &'static str {
        match self {
            Self::Preserved => "+",
            Self::Violated => "-",
            Self::Unknown => "?",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Preserved => "preserved",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

impl InductionReport<'_> {
    /// The verdict on the obligations.
    pub fn verdict(&self) -> InductionVerdict {
        match self.found.is_refuted() {
            true if !self.is_assumed => InductionVerdict::NotInductive,
            true => InductionVerdict::Incomplete,
            false if self.found.is_ill_defined() => InductionVerdict::IllDefined,
            false if self.found.is_proved() && self.stopped.is_none() => InductionVerdict::Inductive,
            false => InductionVerdict::Incomplete,
        }
    }

    /// The columns of the matrix.
    pub fn columns(&self) -> Vec<MatrixColumn> {
        let conjuncts = self.asked().map(|(at, _)| MatrixColumn::Conjunct(at));
        match self.refinement {
            None => conjuncts.collect(),
            Some(_) => [MatrixColumn::Call, MatrixColumn::Step].into_iter().chain(conjuncts).chain([MatrixColumn::All]).collect(),
        }
    }

    fn mark(&self, effect: &PreservationRow, column: MatrixColumn) -> Preservation {
        let is_undecided = match column {
            MatrixColumn::Conjunct(at) => effect.undecided[at].is_some(),
            MatrixColumn::All => effect.undecided.iter().any(Option::is_some),
            MatrixColumn::Call | MatrixColumn::Step => false,
        };
        match column.cell(effect) {
            cell if cell.states > 0 => Preservation::Violated,
            _ if effect.incomplete.is_some() || is_undecided || self.stopped.is_some() => Preservation::Unknown,
            _ => Preservation::Preserved,
        }
    }

    /// The conjuncts that must be preserved.
    fn asked(&self) -> impl Iterator<Item = (usize, &Conjunct)> {
        // Behind those of a refinement are those that are assumed.
        let own = self.model.invariant.iter().take(self.found.initialisation.violated.len());
        own.enumerate().filter(|(at, _)| self.conjuncts.is_empty() || self.conjuncts.contains(at))
    }

    pub(crate) fn effect_name(&self, operation: Option<OperationId>) -> String {
        operation.map_or_else(|| "INITIALISATION".to_owned(), |id| in_back_quotes(self.model.operation_name(id)).into_owned())
    }

    /// The text of a conjunct.
    fn text_of(&self, at: usize) -> String {
        match self.refinement {
            None => one_line(self.sources, self.model.invariant[at].pred.span),
            Some(refinement) => conjunct_formula(self.both_sides(refinement), at),
        }
    }

    /// As [`Self::conjunct`], with its label.
    fn formula(&self, at: usize) -> String {
        let (conjunct, text) = (&self.model.invariant[at], self.text_of(at));
        conjunct.label.as_ref().map_or_else(|| text.clone(), |label| format!("{label}: {text}"))
    }

    fn both_sides<'s>(&'s self, refinement: &'s Refinement) -> BothSides<'s> {
        BothSides { model: self.model, sources: self.sources, refinement }
    }

    /// An error and its place.
    fn reason(&self, error: &EvalError) -> String {
        let place = self.sources.line_column(error.span);
        format!("{} ({}:{}:{})", error.kind, self.sources.file(error.span.file).name, place.line, place.column)
    }

    fn named(&self, refuted: &Refuted) -> Option<NamedExample> {
        let example = refuted.example.as_ref()?;
        let before = named_step(self.model, &TraceStep::beginning(example.before.clone()), &[]).state;
        let mut step = example.step.as_ref().map(|step| named_step(self.model, step, &example.before));
        let mut reasons = Vec::new();
        if let Some((mismatch, refinement)) = example.mismatch.as_ref().zip(self.refinement) {
            reasons = notes(self.both_sides(refinement), mismatch);
            // A refused call is not a step, but has arguments.
            let arguments = mismatch.arguments.clone();
            let call = TraceStep { operation: mismatch.operation, arguments, results: Vec::new(), state: Vec::new() };
            step = step.or_else(|| mismatch.operation.map(|_| named_step(self.model, &call, &[])));
        }
        Some(NamedExample { before, reached: example.reached, step, reasons })
    }
}
