//! Semantic tokens: the kind of each token of a text, for its colour.
//!
//! Invariant: tokens are in order, do not overlap, and end before the end of the line; kinds are transmitted as indices into the legend.
//! Deliberately elsewhere: declarations of names (`names`).

use super::analysis::Understood;
use super::names::{Names, Occurrence, Part};
use super::position::LineStarts;
use bcheck_source::FileId;
use bcheck_syntax::{Written, WrittenKind, written};
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend, SymbolKind};
use std::collections::HashMap;

const KINDS: &[SemanticTokenType] = &[
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::TYPE_PARAMETER,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::MACRO,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
];

const MODIFIERS: &[SemanticTokenModifier] =
    &[SemanticTokenModifier::DECLARATION, SemanticTokenModifier::READONLY, SemanticTokenModifier::MODIFICATION];

/// The meaning of the indices.
pub(super) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: KINDS.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// All tokens of a text.
pub(super) fn tokens(understood: &Understood) -> Vec<SemanticToken> {
    let text = understood.text();
    let names = Names::of(understood);
    let by_end: HashMap<u32, Occurrence<'_, '_>> =
        names.occurrences(FileId(0)).into_iter().map(|occurrence| (occurrence.span.end, occurrence)).collect();
    let mut row = Row { lines: LineStarts::of(text), last: (0, 0), tokens: Vec::new() };
    for Written { kind, place } in written(text) {
        let (kind, modifiers, start) = match kind {
            WrittenKind::Keyword(_) => (SemanticTokenType::KEYWORD, 0, place.start),
            WrittenKind::Number => (SemanticTokenType::NUMBER, 0, place.start),
            WrittenKind::Text => (SemanticTokenType::STRING, 0, place.start),
            WrittenKind::Comment => (SemanticTokenType::COMMENT, 0, place.start),
            WrittenKind::Name => {
                let found = u32::try_from(place.end).ok().and_then(|end| by_end.get(&end));
                match found.and_then(|found| Some((kind_of(found)?, found))) {
                    Some((kind, found)) => (kind, modifiers(found), found.span.start as usize),
                    None => continue,
                }
            }
            WrittenKind::Sign(_) | WrittenKind::Old => continue,
        };
        // A multi-line token becomes one token for each line.
        let mut at = start;
        for line in text[start..place.end].split_inclusive('\n') {
            let visible = line.trim_end_matches(['\n', '\r']);
            if !visible.is_empty() {
                row.put(at, visible, &kind, modifiers);
            }
            at += line.len();
        }
    }
    row.tokens
}

/// The kind of a name; none if it is not declared.
fn kind_of(occurrence: &Occurrence<'_, '_>) -> Option<SemanticTokenType> {
    if occurrence.part == Part::Field {
        return Some(SemanticTokenType::PROPERTY);
    }
    let declared = occurrence.declared?;
    Some(match (declared.word, declared.kind) {
        ("definition", _) => SemanticTokenType::MACRO,
        ("parameter" | "parameter of a definition", _) => SemanticTokenType::PARAMETER,
        (_, SymbolKind::MODULE) => SemanticTokenType::NAMESPACE,
        (_, SymbolKind::ENUM) => SemanticTokenType::ENUM,
        (_, SymbolKind::ENUM_MEMBER) => SemanticTokenType::ENUM_MEMBER,
        (_, SymbolKind::TYPE_PARAMETER) => SemanticTokenType::TYPE_PARAMETER,
        (_, SymbolKind::FUNCTION) => SemanticTokenType::FUNCTION,
        _ => SemanticTokenType::VARIABLE,
    })
}

/// The modifiers of a name, as bits.
fn modifiers(occurrence: &Occurrence<'_, '_>) -> u32 {
    let is_constant = occurrence.declared.is_some_and(|declared| declared.kind == SymbolKind::CONSTANT);
    let set = [occurrence.part == Part::Declaration, is_constant, occurrence.part == Part::Write];
    set.iter().enumerate().map(|(bit, is_set)| u32::from(*is_set) << bit).sum()
}

/// Tokens in the encoding of the protocol: each by its distance from the previous one.
struct Row<'t> {
    lines: LineStarts<'t>,
    last: (u32, u32),
    tokens: Vec<SemanticToken>,
}

impl Row<'_> {
    fn put(&mut self, at: usize, text: &str, kind: &SemanticTokenType, modifiers: u32) {
        let place = self.lines.position(at);
        let (line, start) = self.last;
        let delta_line = place.line - line;
        let delta_start = if delta_line == 0 { place.character - start } else { place.character };
        let length = u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let token_type = KINDS.iter().position(|known| known == kind).and_then(|index| u32::try_from(index).ok()).unwrap_or_default();
        self.tokens.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset: modifiers });
        self.last = (place.line, place.character);
    }
}
