//! Why a run violates a formula: the value of each part of the formula in each state of the run.
//!
//! Invariant: values are those of the definition, on the very run that is shown. Deliberately elsewhere: how the table is shown (`report`).

use crate::SubformulaRow;
use bcheck_ir::temporal::{Prefix, Temporal, TemporalFormula, TemporalKind};
use bcheck_source::Span;
use bcheck_temporal::formula::Formula;
use bcheck_temporal::word::{Values, Word, values};

/// The subformulas along a run, outermost first. `stated` is the formula from which `numbered` was made.
pub(super) fn rows(stated: &TemporalFormula, numbered: &Formula, word: &Word) -> Vec<SubformulaRow> {
    // Fairness is assumed of paths, and has no value in states.
    let formula = if let TemporalKind::Prefixed(Prefix::Fair(_), formula) = &stated.body.kind { formula } else { &stated.body };
    let mut table = Table { stated, word, values: values(numbered, word), rows: Vec::new() };
    table.add(formula, numbered, 0);
    table.rows
}

struct Table<'a> {
    stated: &'a TemporalFormula,
    word: &'a Word,
    values: Values<'a>,
    rows: Vec<SubformulaRow>,
}

impl<'a> Table<'a> {
    /// Adds a formula and its parts; both trees have the same shape.
    fn add(&mut self, formula: &Temporal, numbered: &'a Formula, depth: usize) {
        let values = self.along_run(numbered);
        self.rows.push(SubformulaRow { text: self.text(formula.span), depth, values });
        self.add_parts(formula, numbered, depth + 1, &mut Vec::new());
    }

    /// Adds the parts of a formula that are not in `added` yet. A part with the span of the whole is not in the text, since it comes from a
    /// property pattern or a quantifier: its own parts are added instead, each once however often the pattern copies it.
    fn add_parts(&mut self, formula: &Temporal, numbered: &'a Formula, depth: usize, added: &mut Vec<(Span, &'a Formula)>) {
        // Both trees have the same shape: the numbered formula is not rewritten, as evaluation by definition needs no normal form.
        for (part, numbered) in formula.parts().zip(numbered.arguments()) {
            if part.span == formula.span {
                self.add_parts(part, numbered, depth, added);
            } else if !added.contains(&(part.span, numbered)) {
                added.push((part.span, numbered));
                self.add(part, numbered, depth);
            }
        }
    }

    /// The values in the states of the run; a loop ends with a copy of its first state.
    fn along_run(&self, numbered: &Formula) -> Vec<bool> {
        let Some((_, row)) = self.values.rows.iter().find(|(other, _)| *other == numbered) else { return Vec::new() };
        let length = self.word.letters.len();
        // The value in the second round if rounds of the loop differ, which past operators can detect; otherwise that of the first state.
        let again = self.word.back.map(|back| row.get(length).copied().unwrap_or(row[back]));
        row.iter().take(length).copied().chain(again).collect()
    }

    fn text(&self, span: Span) -> String {
        let part = self.stated.part(span);
        part.unwrap_or(&self.stated.text).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
