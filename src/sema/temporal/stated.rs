//! Formulas that definitions state: `ASSERT_LTL… == "G {p}"`, `ASSERT_CTL… == "AG {p}"`.
//!
//! Invariant: a definition is a stated formula by the beginning of its name, without parameters and with a string; nothing is checked
//! unless it is asked for. Deliberately elsewhere: reading the string (`sema::temporal`), settings (`sema::settings`).

use crate::ir::NotChecked;
use crate::sema::definitions::Definitions;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast::{DefinitionBody, Expr, ExprKind};
use crate::syntax::temporal::Logic;

const PREFIXES: &[(&str, Logic)] = &[("ASSERT_LTL", Logic::Ltl), ("ASSERT_CTL", Logic::Ctl)];

/// Why a stated formula is not checked: in a check, in a refinement check, and when it is none.
const NOT_ASKED_FOR: &str = "temporal formulas are checked by --temporal";
const NOT_IN_REFINEMENT: &str = "a refinement check does not check temporal formulas";
const NO_STRING: &str = "the definition is not a string";

/// A temporal formula that a definition states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedFormula {
    /// The name of the definition.
    pub name: String,
    /// The logic, by its name.
    pub logic: Logic,
    /// The content of the string.
    pub text: String,
    /// The place of the string, quotes included; it may be in a definition file.
    pub literal: Span,
    /// The place of the name.
    pub span: Span,
}

/// The formulas that definitions state, in order.
pub(in crate::sema) fn stated(definitions: &Definitions<'_>) -> Vec<StatedFormula> {
    by_name(definitions)
        .filter_map(|(name, span, logic, body)| match body {
            DefinitionBody::Expr(Expr { kind: ExprKind::String(text), span: literal }) => {
                Some(StatedFormula { name: name.to_owned(), logic, text: text.clone(), literal: *literal, span })
            }
            _ => None,
        })
        .collect()
}

/// Name, place, logic and body of the definitions whose names say that they state a formula.
fn by_name<'a>(definitions: &Definitions<'a>) -> impl Iterator<Item = (&'a str, Span, Logic, &'a DefinitionBody)> {
    definitions.iter().filter(|found| found.parameters.is_empty()).filter_map(|found| {
        let name = found.name.text.as_str();
        let (_, logic) = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
        Some((name, found.name.span, *logic, found.body))
    })
}

/// The stated formulas as properties that are not checked, with one note about all of them, and a warning for each that is no string.
pub(in crate::sema) fn not_checked(
    definitions: &Definitions<'_>,
    in_refinement: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<NotChecked> {
    let mut properties = Vec::new();
    for (name, span, logic, body) in by_name(definitions) {
        let is_text = matches!(body, DefinitionBody::Expr(Expr { kind: ExprKind::String(_), .. }));
        let reason = match (is_text, in_refinement) {
            (false, _) => NO_STRING,
            (true, true) => NOT_IN_REFINEMENT,
            (true, false) => NOT_ASKED_FOR,
        };
        properties.push(NotChecked { name: name.to_owned(), formula: body_span(body).unwrap_or(span), span, reason });
        if !is_text {
            let example = if logic == Logic::Ltl { "G {x = 1}" } else { "AG {x = 1}" };
            diagnostics.push(
                Diagnostic::warning(Code::NotChecked, span, format!("the property `{name}` is not checked"))
                    .label("not a string")
                    .help(format!("write the formula as a string: {name} == \"{example}\"")),
            );
        }
    }
    let spans: Vec<Span> = stated(definitions).iter().map(|stated| stated.span).collect();
    diagnostics.extend(note(&spans, in_refinement));
    properties
}

/// The note that stated formulas are not checked, by the places of their names.
pub(in crate::sema) fn note(spans: &[Span], in_refinement: bool) -> Option<Diagnostic> {
    let (first, others) = spans.split_first()?;
    let (what, them) = match spans.len() {
        1 => ("1 temporal formula is not checked".to_owned(), "it"),
        number => (format!("{number} temporal formulas are not checked"), "them"),
    };
    let note = if in_refinement {
        let note = Diagnostic::note(Code::NotChecked, *first, format!("{what} by a refinement check"));
        note.help(format!("bcheck --temporal, without refine, checks {them}"))
    } else {
        Diagnostic::note(Code::NotChecked, *first, format!("{what}; --temporal checks {them}"))
    };
    Some(others.iter().fold(note, |note, span| note.also(*span, "")))
}

fn body_span(body: &DefinitionBody) -> Option<Span> {
    match body {
        DefinitionBody::Expr(expr) => Some(expr.span),
        DefinitionBody::Subst(subst) => Some(subst.span),
        DefinitionBody::List(items) => items.first().zip(items.last()).map(|(first, last)| first.span.to(last.span)),
    }
}
