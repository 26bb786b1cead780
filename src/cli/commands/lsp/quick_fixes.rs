//! Quick fixes: the changes to the text that diagnostics carry, as code actions.
//!
//! Invariant: a fix is offered at the place of its diagnostic, as edits of the texts that the analysis has read; only the first one is
//! marked as preferred.

use super::analysis::Understood;
use bcheck_source::{Diagnostic, FileId, Fix};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, NumberOrString, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use std::collections::HashMap;

/// The fixes of the diagnostics at a range of the text.
pub(super) fn quick_fixes(understood: &Understood, params: &CodeActionParams) -> CodeActionResponse {
    // An editor that requests other kinds of actions, such as refactorings, gets none.
    let is_asked = |kind: &CodeActionKind| CodeActionKind::QUICKFIX.as_str().starts_with(kind.as_str());
    if params.context.only.as_ref().is_some_and(|only| !only.iter().any(is_asked)) {
        return Vec::new();
    }
    let own = &params.text_document.uri;
    let here = understood.diagnostics.iter().filter(|diagnostic| diagnostic.span().file == FileId(0));
    let mut actions: CodeActionResponse = here.flat_map(|diagnostic| of_diagnostic(understood, diagnostic, own, params)).collect();
    // One for the whole range: an editor that fixes automatically takes the preferred one.
    for (index, action) in actions.iter_mut().enumerate() {
        if let CodeActionOrCommand::CodeAction(action) = action {
            action.is_preferred = Some(index == 0);
        }
    }
    actions
}

fn of_diagnostic(understood: &Understood, diagnostic: &Diagnostic, own: &Uri, params: &CodeActionParams) -> CodeActionResponse {
    let Some(place) = understood.location(own, diagnostic.span()) else { return Vec::new() };
    if !touches(place.range, params.range) {
        return Vec::new();
    }
    // The editor's own copy of the diagnostic, so that it shows the fix with it.
    let code = NumberOrString::String(diagnostic.code.to_string());
    let shown = params.context.diagnostics.iter().filter(|shown| shown.range == place.range && shown.code.as_ref() == Some(&code));
    let shown: Vec<lsp_types::Diagnostic> = shown.cloned().collect();
    let made = diagnostic.fixes.iter().filter_map(|fix| Some((fix.title.clone(), workspace_edit(understood, fix, own)?)));
    made.map(|(title, edit)| {
        CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(shown.clone()).filter(|shown| !shown.is_empty()),
            edit: Some(edit),
            ..CodeAction::default()
        })
    })
    .collect()
}

#[expect(clippy::mutable_key_type, reason = "the protocol has maps by addresses; nothing changes what an address caches after parsing")]
fn workspace_edit(understood: &Understood, fix: &Fix, own: &Uri) -> Option<WorkspaceEdit> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in fix.replacements(&understood.sources)? {
        let place = understood.location(own, edit.span)?;
        changes.entry(place.uri).or_default().push(TextEdit { range: place.range, new_text: edit.text });
    }
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Whether two ranges overlap or touch: a cursor directly behind a word counts as at it.
fn touches(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
