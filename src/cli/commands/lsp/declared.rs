//! A declared name, whether by a clause (`symbols`) or by a formula or substitution (`locals`).
//!
//! Invariant: a declaration with a scope is visible nowhere else.

use bcheck_source::{FileId, Span};
use bcheck_syntax::ast::Name;
use lsp_types::SymbolKind;

/// A declared name.
pub(super) struct Declared<'a> {
    /// The name.
    pub(super) name: &'a Name,
    /// The kind of the declaration, as a symbol kind of the protocol.
    pub(super) kind: SymbolKind,
    /// The kind of the declaration in words.
    pub(super) word: &'static str,
    /// The span of the whole declaration.
    pub(super) whole: Span,
    /// Its scope, if it is not visible everywhere.
    pub(super) within: Option<Span>,
    /// Whether a formula or substitution binds it.
    pub(super) is_bound: bool,
}

impl<'a> Declared<'a> {
    pub(super) fn new(name: &'a Name, kind: SymbolKind, word: &'static str) -> Self {
        Self { name, kind, word, whole: name.span, within: None, is_bound: false }
    }
}

/// Whether an offset of the main text lies within a span, or directly behind it.
pub(super) fn covers(span: Span, offset: usize) -> bool {
    span.file == FileId(0) && (span.start as usize..=span.end as usize).contains(&offset)
}
