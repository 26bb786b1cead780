//! Temporal formulas about a machine: tree → `ir::temporal`. Names and types are resolved as in other formulas (`formula`).
//!
//! The parts: what definitions state (`stated`), operators of both logics (`operators`), fairness (`fairness`),
//! property patterns (`property_patterns`), and the propositions of all of them (`propositions`). Invariant: as for formulas of B, the
//! model that comes back is the one given, with the bound names of the formula added. Deliberately elsewhere: the syntax
//! (`syntax::temporal`), the meaning of formulas (`temporal`, `explore`).

mod fairness;
mod operators;
mod property_patterns;
mod propositions;
mod stated;
#[cfg(test)]
mod tests;

pub use stated::{NOT_ASKED_FOR, StatedFormula, is_no_formula};
pub(super) use stated::{not_checked, note, stated};

use super::definitions::Definitions;
use super::formula::{FormulaContext, Macros, elaborator_of};
use bcheck_ir::temporal::TemporalFormula;
use bcheck_ir::{Model, Scope};
use bcheck_source::{Diagnostic, FileId, SourceMap, has_errors};
use bcheck_syntax::Anchor;
use bcheck_syntax::temporal::{Logic, parse_temporal_at};
use propositions::Propositions;

/// Parses and types a temporal formula. `file` is the number of the text in a source map, `name` what reports call the formula.
///
/// # Errors
/// The diagnostics of the parser or those of the analysis, when there is an error among them.
pub fn read_temporal(
    file: FileId,
    logic: Logic,
    name: &str,
    text: &str,
    context: FormulaContext<'_>,
    macros: &Macros,
) -> Result<(TemporalFormula, Model), Vec<Diagnostic>> {
    read_at(&Anchor::of_file(file), logic, name, text, context, macros)
}

/// As [`read_temporal`], for a formula stated in a definition: places are those in the string of the definition. `sources` has the text of
/// the machine and of its definition files.
///
/// # Errors
/// As for [`read_temporal`].
///
/// # Panics
/// When `sources` does not have that text.
pub fn read_stated(
    stated: &StatedFormula,
    sources: &SourceMap,
    context: FormulaContext<'_>,
    macros: &Macros,
) -> Result<(TemporalFormula, Model), Vec<Diagnostic>> {
    let (anchor, text) =
        Anchor::of_literal(stated.literal, sources.text(stated.literal)).expect("the map has the string of the definition");
    read_at(&anchor, stated.logic, &stated.name, &text, context, macros)
}

/// The errors of stated formulas, each at its place in the string. Without a scope, sets have as many elements as a formula names.
#[must_use]
pub fn stated_errors(stated: &[StatedFormula], sources: &SourceMap, context: FormulaContext<'_>, macros: &Macros) -> Vec<Diagnostic> {
    // The sizes of a later run are not known; that an element is beyond them is an error of that run.
    let any_size = context.model.map(|model| Scope { sizes: vec![u32::MAX; model.sets.len()], minint: i64::MIN, maxint: i64::MAX });
    let context = FormulaContext { scope: context.scope.or(any_size.as_ref()), ..context };
    stated.iter().filter_map(|stated| read_stated(stated, sources, context, macros).err()).flatten().collect()
}

fn read_at(
    anchor: &Anchor,
    logic: Logic,
    name: &str,
    text: &str,
    context: FormulaContext<'_>,
    macros: &Macros,
) -> Result<(TemporalFormula, Model), Vec<Diagnostic>> {
    let parsed = parse_temporal_at(anchor, logic, text);
    if has_errors(&parsed.diagnostics) {
        return Err(parsed.diagnostics);
    }
    let tree = parsed.tree;
    let start = text.len() - text.trim_start().len();
    let span = anchor.span(start, start + text.trim().len());
    let mut model = context.model.cloned().unwrap_or_else(|| Model::empty("formula", span));
    // Errors in the definitions themselves were reported when the machine was analysed.
    let definitions = Definitions::collect(macros.definitions(), &mut Vec::new());
    let mut elaborator = elaborator_of(&mut model, context.scope, macros, &definitions, span);
    elaborator.is_temporal = true;
    let mut propositions = Propositions::new(elaborator, &definitions, &model, (logic, context.has_current));
    let body = propositions.formula(&tree);
    let (locals, mut diagnostics) = propositions.into_parts();
    if has_errors(&diagnostics) {
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
        diagnostics.dedup();
        return Err(diagnostics);
    }
    model.locals = locals;
    let escapes = anchor.escapes_from(start);
    Ok((TemporalFormula { name: name.to_owned(), text: text.trim().to_owned(), span, escapes, logic, body }, model))
}
