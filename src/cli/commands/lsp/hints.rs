//! Inlay hints: inferred types, where the text does not state them.
//!
//! Invariant: hints come from the model of this very text; without a model there are none. A name that occurs in a typing conjunct `x : …`
//! or `x <: …` needs no hint. Deliberately elsewhere: types on demand (`hover`).

use super::analysis::Understood;
use super::hover::each_expr;
use super::names::{Names, Part};
use super::position::LineStarts;
use bcheck_ir::{ExprKind, Model, Type};
use bcheck_sema::type_text;
use bcheck_source::{FileId, Shown, Span};
use bcheck_syntax::ast::ClauseKind;
use bcheck_syntax::{Written, WrittenKind, written};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};
use std::collections::{HashMap, HashSet};

/// The hints in a range of a text.
pub(super) fn hints(understood: &Understood, range: Range) -> Vec<InlayHint> {
    let Some(model) = &understood.model else { return Vec::new() };
    let names = Names::of(understood);
    let uses = Uses::of(understood, &names);
    let types = types_by_place(model);
    let lines = LineStarts::of(understood.text());
    let mut hints = Vec::new();
    for declaration in uses.declarations.iter().filter(|declaration| !uses.stated.contains(&declaration.name.start)) {
        let position = lines.position(declaration.name.end as usize);
        if position < range.start || position > range.end {
            continue;
        }
        let of_uses = || {
            let mut places = uses.places.get(&declaration.name.start)?.iter();
            places.find_map(|used| types.get(&(used.start, used.end)).copied())
        };
        if let Some(ty) = declaration.of_model(model, understood).or_else(of_uses) {
            let label = Shown::line(&format!(" : {}", type_text(model, ty))).to_string();
            hints.push(hint(position, label));
        }
    }
    hints
}

fn hint(position: lsp_types::Position, label: String) -> InlayHint {
    InlayHint {
        position,
        label: InlayHintLabel::String(label),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// A declaration that has a type.
struct TypedName {
    name: Span,
    word: &'static str,
}

impl TypedName {
    /// Its type in the model; none for a bound name.
    fn of_model<'m>(&self, model: &'m Model, understood: &Understood) -> Option<&'m Type> {
        let word = understood.text().get(self.name.start as usize..self.name.end as usize)?;
        match self.word {
            "variable" => model.variables.get(word).map(|declaration| &declaration.ty),
            "constant" => model.constants.get(word).map(|declaration| &declaration.ty),
            "parameter" | "result" => {
                let is_around = |span: Span| span.file == FileId(0) && span.start <= self.name.start && self.name.end <= span.end;
                let operation = model.operations.values().find(|operation| is_around(operation.span))?;
                let mut all = operation.parameters.iter().chain(&operation.results);
                all.find(|(known, ..)| known == word).map(|(_, _, ty)| ty)
            }
            _ => None,
        }
    }
}

/// The declarations of a text that have types, and their uses.
#[derive(Default)]
struct Uses {
    declarations: Vec<TypedName>,
    /// The uses of each declaration, by its position.
    places: HashMap<u32, Vec<Span>>,
    /// The declarations whose types the text states.
    stated: HashSet<u32>,
}

impl Uses {
    fn of(understood: &Understood, names: &Names<'_>) -> Self {
        let tokens: Vec<Written> = written(understood.text()).into_iter().filter(|token| token.kind != WrittenKind::Comment).collect();
        let by_end: HashMap<usize, usize> = tokens.iter().enumerate().map(|(index, token)| (token.place.end, index)).collect();
        let mut uses = Self::default();
        for occurrence in names.occurrences(FileId(0)) {
            let Some(declared) = occurrence.declared.filter(|declared| declared.name.span.file == FileId(0)) else { continue };
            let start = declared.name.span.start;
            if occurrence.part == Part::Declaration {
                // Definitions are expanded before types are inferred: their parameters have a type per call.
                let is_bound = declared.is_bound && declared.word != "parameter of a definition";
                if is_bound || matches!(declared.word, "variable" | "constant" | "parameter" | "result") {
                    uses.declarations.push(TypedName { name: declared.name.span, word: declared.word });
                }
                continue;
            }
            uses.places.entry(start).or_default().push(occurrence.span);
            // A conjunct of a guard restricts a variable but does not type it.
            let may_state = declared.within.is_some() || is_in_static_clause(understood, occurrence.span);
            if may_state && by_end.get(&(occurrence.span.end as usize)).is_some_and(|index| states_type(&tokens, *index)) {
                uses.stated.insert(start);
            }
        }
        uses
    }
}

/// Whether the name at this token is the whole left side of `:` or `<:` in a conjunct.
fn states_type(tokens: &[Written], index: usize) -> bool {
    let next = tokens.get(index + 1).map(|token| token.kind);
    let before = index.checked_sub(1).map(|before| tokens[before].kind);
    let begins = match before {
        Some(WrittenKind::Sign(sign)) => matches!(sign, "(" | "&" | "|" | "=>" | "{"),
        Some(WrittenKind::Keyword(word)) => word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'),
        _ => false,
    };
    begins && matches!(next, Some(WrittenKind::Sign(":" | "<:" | "<<:" | "⦂")))
}

/// Whether types of constants and variables are stated at this place.
fn is_in_static_clause(understood: &Understood, span: Span) -> bool {
    understood.machine.iter().flat_map(|machine| &machine.clauses).any(|clause| {
        let is_static = matches!(clause.kind, ClauseKind::Invariant(_) | ClauseKind::Properties(_) | ClauseKind::Constraints(_));
        is_static && clause.span.start <= span.start && span.end <= clause.span.end
    })
}

/// The types of bound names, by the positions where the model uses them.
fn types_by_place(model: &Model) -> HashMap<(u32, u32), &Type> {
    let mut types = HashMap::new();
    each_expr(model, &mut |expr| {
        if matches!(expr.kind, ExprKind::Local(_)) && expr.span.file == FileId(0) {
            types.entry((expr.span.start, expr.span.end)).or_insert(&expr.ty);
        }
    });
    types
}
