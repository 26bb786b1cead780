//! Formulas that definitions state: `ASSERT_LTL… == "G {p}"`, `ASSERT_CTL… == "AG {p}"`.
//!
//! Invariant: a definition states a formula if its name has one of the prefixes, its body is a string, and it has no parameters; none
//! is checked unless the command that reads the machine takes it. Deliberately elsewhere: reading the string (`sema::temporal`), settings
//! (`sema::settings`).

use crate::definitions::Definitions;
use bcheck_ir::NotChecked;
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{DefinitionBody, Expr, ExprKind};
use bcheck_syntax::temporal::Logic;

const PREFIXES: &[(&str, Logic)] = &[("ASSERT_LTL", Logic::Ltl), ("ASSERT_CTL", Logic::Ctl)];

/// Why a stated formula is not checked: in a check, in a refinement check, and when it is not a formula.
pub const NOT_ASKED_FOR: &str = "temporal formulas are checked by `bcheck check`";
const NOT_IN_REFINEMENT: &str = "a refinement check does not check temporal formulas";
const PARAMETERS: &str = "the definition has parameters";
const NO_STRING: &str = "the definition is not a string";

/// Whether the reason is that the definition is not a formula, in spite of its name.
#[must_use]
pub fn is_no_formula(reason: &str) -> bool {
    reason == PARAMETERS || reason == NO_STRING
}

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
pub(crate) fn stated(definitions: &Definitions<'_>) -> Vec<StatedFormula> {
    by_name(definitions)
        .filter(|named| !named.has_parameters)
        .filter_map(|Named { name, span, logic, body, .. }| match body {
            DefinitionBody::Expr(Expr { kind: ExprKind::String(text), span: literal }) => {
                Some(StatedFormula { name: name.to_owned(), logic, text: text.clone(), literal: *literal, span })
            }
            _ => None,
        })
        .collect()
}

/// A definition whose name has one of the prefixes: it states a formula, or was meant to.
struct Named<'a> {
    name: &'a str,
    span: Span,
    logic: Logic,
    body: &'a DefinitionBody,
    has_parameters: bool,
}

fn by_name<'a>(definitions: &Definitions<'a>) -> impl Iterator<Item = Named<'a>> {
    definitions.iter().filter_map(|found| {
        let name = found.name.text.as_str();
        // By the beginning, as ProB takes them: users number their formulas behind it.
        let (_, logic) = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
        Some(Named { name, span: found.name.span, logic: *logic, body: found.body, has_parameters: !found.parameters.is_empty() })
    })
}

/// The stated formulas as properties that are not checked, with one note about all of them, and a warning for each that is not a string.
pub(crate) fn not_checked(definitions: &Definitions<'_>, in_refinement: bool, diagnostics: &mut Vec<Diagnostic>) -> Vec<NotChecked> {
    let mut properties = Vec::new();
    for Named { name, span, logic, body, has_parameters } in by_name(definitions) {
        // A body that is a formula of B was meant as one of temporal logic: silence would let it pass for checked.
        let is_text = matches!(body, DefinitionBody::Expr(Expr { kind: ExprKind::String(_), .. }));
        let reason = match (is_text, in_refinement) {
            _ if has_parameters => PARAMETERS,
            (false, _) => NO_STRING,
            (true, true) => NOT_IN_REFINEMENT,
            (true, false) => NOT_ASKED_FOR,
        };
        properties.push(NotChecked { name: name.to_owned(), formula: body_span(body).unwrap_or(span), span, reason, leaves_open: false });
        if has_parameters {
            let help = format!(
                "a property has none: state it once for each value, or with a quantifier: {name} == \"!x.({{x : S}} => G {{x : y}})\""
            );
            let warning = Diagnostic::warning(Code::NotChecked, span, format!("the property `{name}` is not checked"));
            diagnostics.push(warning.label("has parameters").help(help));
        } else if !is_text {
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
pub(crate) fn note(spans: &[Span], in_refinement: bool) -> Option<Diagnostic> {
    // One note for all of them: a machine may state dozens.
    let (first, others) = spans.split_first()?;
    let (what, them) = match spans.len() {
        1 => ("1 temporal formula is not checked".to_owned(), "it"),
        number => (format!("{number} temporal formulas are not checked"), "them"),
    };
    let note = if in_refinement {
        let note = Diagnostic::note(Code::NotChecked, *first, format!("{what} by a refinement check"));
        note.help(format!("`bcheck check`, without refine, checks {them}"))
    } else {
        Diagnostic::note(Code::NotChecked, *first, format!("{what}; `bcheck check` checks {them}"))
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
