//! Answers to requests about names, layout and colours.
//!
//! Invariant: the server's state does not change; edits are answers, which the editor applies or not. Deliberately elsewhere: requests with
//! an effect, and those about one place that `hover` and `symbols` answer (`mod.rs`).

use super::analysis::Understood;
use super::documents::{Document, Documents};
use super::handshake::Editor;
use super::names::{Names, Part};
use super::position::{self, LineStarts};
use super::references::{Places, Project, collect};
use super::rename::{self, Subject};
use super::reply::{RequestError, json, parameters};
use super::workspace::text_of;
use super::{colours, folding, hints, signatures, symbols};
use crate::args::FolderArgs;
use crate::project::full_path;
use bcheck_source::FileId;
use bcheck_syntax::{Formatted, ast::Parsed, begins_definitions, format_text, parse_definitions_file, parse_machine};
use lsp_server::{ErrorCode, Request};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, FoldingRangeProviderCapability, Location, OneOf, Range, RenameOptions, SemanticTokens,
    SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensServerCapabilities, ServerCapabilities, SignatureHelpOptions,
    SymbolKind, TextDocumentPositionParams, TextEdit, Uri, WorkDoneProgressOptions,
};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The capabilities of a server that also answers these requests.
pub(super) fn announced(others: ServerCapabilities) -> ServerCapabilities {
    ServerCapabilities {
        document_formatting_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(SemanticTokensOptions {
            legend: colours::legend(),
            full: Some(SemanticTokensFullOptions::Bool(true)),
            ..SemanticTokensOptions::default()
        })),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".to_owned(), ",".to_owned()]),
            ..SignatureHelpOptions::default()
        }),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        ..others
    }
}

/// The data that requests are answered from.
pub(super) struct LookUp<'s> {
    pub(super) documents: &'s Documents,
    pub(super) folders: &'s FolderArgs,
    pub(super) editor: &'s Editor,
}

impl LookUp<'_> {
    /// The answer to a request, if it is one of these.
    pub(super) fn answer(&self, request: Request) -> Result<Json, RequestError> {
        match request.method.as_str() {
            request::Formatting::METHOD => {
                let params = parameters::<request::Formatting>(request)?;
                Ok(json(self.open(&params.text_document.uri).map(|document| layout(&document.text)).transpose()?.flatten()))
            }
            request::FoldingRangeRequest::METHOD => {
                let params = parameters::<request::FoldingRangeRequest>(request)?;
                Ok(json(self.understood(&params.text_document.uri).map(folding::ranges)))
            }
            request::SemanticTokensFullRequest::METHOD => {
                let params = parameters::<request::SemanticTokensFullRequest>(request)?;
                let data = self.understood(&params.text_document.uri).map(colours::tokens);
                Ok(json(data.map(|data| SemanticTokens { result_id: None, data })))
            }
            request::InlayHintRequest::METHOD => {
                let params = parameters::<request::InlayHintRequest>(request)?;
                Ok(json(self.understood(&params.text_document.uri).map(|understood| hints::hints(understood, params.range))))
            }
            request::SignatureHelpRequest::METHOD => {
                let params = parameters::<request::SignatureHelpRequest>(request)?;
                let at = &params.text_document_position_params;
                let help = self.open(&at.text_document.uri).and_then(|document| {
                    let offset = position::offset(&document.text, at.position);
                    signatures::help(document.understood.as_ref()?, document.older.as_ref(), offset)
                });
                Ok(json(help))
            }
            request::DocumentHighlightRequest::METHOD => {
                let params = parameters::<request::DocumentHighlightRequest>(request)?;
                Ok(json(self.highlights(&params.text_document_position_params)))
            }
            request::References::METHOD => {
                let params = parameters::<request::References>(request)?;
                self.references(&params.text_document_position, params.context.include_declaration)
            }
            request::PrepareRenameRequest::METHOD => {
                let params = parameters::<request::PrepareRenameRequest>(request)?;
                let (document, subject) = self.subject(&params)?;
                subject.check(&self.editor.workspace).map_err(refusal)?;
                let range = LineStarts::of(&document.text).range(&subject.bytes);
                Ok(serde_json::json!({ "range": range, "placeholder": subject.name }))
            }
            request::Rename::METHOD => {
                let params = parameters::<request::Rename>(request)?;
                self.rename(&params.text_document_position, &params.new_name)
            }
            request::WorkspaceSymbolRequest::METHOD => {
                let params = parameters::<request::WorkspaceSymbolRequest>(request)?;
                self.find_symbols(&params.query)
            }
            // Unknown requests must be answered as well.
            other => Err(RequestError(ErrorCode::MethodNotFound, format!("bcheck does not know the request {other}"))),
        }
    }

    fn open(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri)
    }

    fn understood(&self, uri: &Uri) -> Option<&Understood> {
        self.open(uri)?.understood.as_ref()
    }

    /// The files of the project.
    fn project(&self) -> Result<Project<'_>, RequestError> {
        let texts = self.documents.texts();
        let near: Vec<PathBuf> = self.documents.iter().map(|document| document.path.clone()).collect();
        let needed = self.documents.iter().filter_map(|document| document.understood.as_ref()).flat_map(|known| known.needed_files());
        let near = near.iter().map(PathBuf::as_path).chain(needed);
        let files = self.editor.workspace.files(near, &texts).map_err(refusal)?;
        Ok(Project::new(files, texts, self.folders).with_known(self.known()))
    }

    /// The files in which a name may occur: for a local name its own text alone.
    fn project_of(&self, document: &Document, subject: &Subject) -> Result<Project<'_>, RequestError> {
        if !subject.is_local {
            return self.project();
        }
        let files = std::iter::once(full_path(&document.path)).collect();
        Ok(Project::new(files, self.documents.texts(), self.folders).with_known(self.known()))
    }

    /// The analyses of the open texts: requests are answered when all of them are up to date.
    fn known(&self) -> BTreeMap<PathBuf, &Understood> {
        self.documents.iter().filter_map(|document| Some((full_path(&document.path), document.understood.as_ref()?))).collect()
    }

    /// The name under the cursor.
    fn subject(&self, at: &TextDocumentPositionParams) -> Result<(&Document, Subject), RequestError> {
        let none = || refusal("this text is not open, or could not be read".to_owned());
        let document = self.open(&at.text_document.uri).ok_or_else(none)?;
        let understood = document.understood.as_ref().ok_or_else(none)?;
        let subject = rename::subject(understood, position::offset(&document.text, at.position)).map_err(refusal)?;
        Ok((document, subject))
    }

    /// The occurrences of the name under the cursor in its text.
    fn highlights(&self, at: &TextDocumentPositionParams) -> Option<Vec<DocumentHighlight>> {
        let (document, subject) = self.subject(at).ok()?;
        let understood = document.understood.as_ref()?;
        let mut places = Places::new();
        collect(understood, &subject.symbol, &subject.name, &mut places);
        let own = Names::of(understood).path(FileId(0));
        let lines = LineStarts::of(&document.text);
        let highlight = |((path, _), place): ((PathBuf, usize), super::references::Place)| {
            let kind = match place.part {
                Part::Write => DocumentHighlightKind::WRITE,
                Part::Read => DocumentHighlightKind::READ,
                Part::Declaration | Part::Field => DocumentHighlightKind::TEXT,
            };
            (path == own).then(|| DocumentHighlight { range: lines.range(&place.bytes), kind: Some(kind) })
        };
        Some(places.into_iter().filter_map(highlight).collect())
    }

    fn references(&self, at: &TextDocumentPositionParams, with_declaration: bool) -> Result<Json, RequestError> {
        // Editors ask about any place: without a name there are no references.
        let Ok((document, subject)) = self.subject(at) else { return Ok(Json::Null) };
        let project = self.project_of(document, &subject)?;
        let mut places = project.places(&subject.symbol, &subject.name);
        if !with_declaration {
            places.retain(|_, place| place.part != Part::Declaration);
        }
        let files = self.ranges(&places, &project);
        let locations =
            files.into_iter().flat_map(|(uri, ranges)| ranges.into_iter().map(move |range| Location { uri: uri.clone(), range }));
        Ok(json(locations.collect::<Vec<_>>()))
    }

    /// Places as ranges of the protocol, file by file.
    fn ranges(&self, places: &Places, project: &Project<'_>) -> Vec<(Uri, Vec<Range>)> {
        let mut files: Vec<(Uri, Vec<Range>)> = Vec::new();
        let all: Vec<_> = places.iter().collect();
        for of_file in all.chunk_by(|(one, _), (other, _)| one.0 == other.0) {
            let path = &of_file[0].0.0;
            let (Some(uri), Some(text)) = (self.uri_of(path), text_of(path, &project.texts)) else { continue };
            let lines = LineStarts::of(&text);
            files.push((uri, of_file.iter().map(|(_, place)| lines.range(&place.bytes)).collect()));
        }
        files
    }

    /// The URI of a file: the one with which the editor opened it, if it did.
    fn uri_of(&self, path: &Path) -> Option<Uri> {
        let open = self.documents.iter().find(|document| full_path(&document.path) == path);
        open.map(|document| document.uri.clone()).or_else(|| position::uri_of(path))
    }

    fn rename(&self, at: &TextDocumentPositionParams, new: &str) -> Result<Json, RequestError> {
        let (document, subject) = self.subject(at)?;
        let project = self.project_of(document, &subject)?;
        let places = rename::edits(&subject, new, &project, &self.editor.workspace).map_err(refusal)?;
        let edit = |range: Range| TextEdit { range, new_text: new.to_owned() };
        let edits: Vec<(Uri, Vec<TextEdit>)> =
            self.ranges(&places, &project).into_iter().map(|(uri, ranges)| (uri, ranges.into_iter().map(edit).collect())).collect();
        if self.editor.takes_versions {
            let changes = edits.iter().map(|(uri, edits)| {
                // A file that is not open has no version.
                let version = self.documents.get(uri).map(|document| document.version);
                serde_json::json!({ "textDocument": { "uri": uri, "version": version }, "edits": edits })
            });
            return Ok(serde_json::json!({ "documentChanges": changes.collect::<Vec<_>>() }));
        }
        let changes: Map<String, Json> = edits.iter().map(|(uri, edits)| (uri.as_str().to_owned(), json(edits))).collect();
        Ok(serde_json::json!({ "changes": changes }))
    }

    /// The declarations of the project whose names contain the letters of a query in order.
    fn find_symbols(&self, query: &str) -> Result<Json, RequestError> {
        let project = self.project()?;
        let mut found = Vec::new();
        for path in project.paths() {
            let Some(text) = text_of(path, &project.texts) else { continue };
            let Some(uri) = self.uri_of(path) else { continue };
            let lines = LineStarts::of(&text);
            for (name, kind, container, start, end) in declarations(&text) {
                if matches_query(&name, query) {
                    let location = Location { uri: uri.clone(), range: lines.range(&(start..end)) };
                    found.push(serde_json::json!({ "name": name, "kind": kind, "location": location, "containerName": container }));
                }
            }
        }
        Ok(Json::Array(found))
    }
}

/// The names that a text declares, parameters of operations aside: name, kind, machine, place.
fn declarations(text: &str) -> Vec<(String, SymbolKind, String, usize, usize)> {
    let file = FileId(0);
    let of = |declared: &super::declared::Declared<'_>, machine: &str| {
        let span = declared.name.span;
        (declared.name.text.clone(), declared.kind, machine.to_owned(), span.start as usize, span.end as usize)
    };
    if begins_definitions(text) {
        let Parsed { tree, .. } = parse_definitions_file(file, text);
        return symbols::of_definitions(&tree).iter().map(|declared| of(declared, "DEFINITIONS")).collect();
    }
    let Some(machine) = parse_machine(file, text).tree else { return Vec::new() };
    let visible = symbols::of_machine(&machine);
    visible
        .iter()
        .filter(|declared| declared.within.is_none() && !declared.name.text.is_empty())
        .map(|declared| of(declared, &machine.name.text))
        .collect()
}

/// Whether the letters of a query occur in a name in order, ignoring case.
fn matches_query(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

/// The edits that format a text: none if it is formatted, `null` if it has errors, which are shown already.
fn layout(text: &str) -> Result<Option<Vec<TextEdit>>, RequestError> {
    match format_text(text) {
        Formatted::Text(formatted) => Ok(Some(changed_lines(text, &formatted).into_iter().collect())),
        Formatted::Refused(_) => Ok(None),
        Formatted::Unfaithful => {
            let fault = "bcheck is at fault: the text would change its meaning in the layout; please report this machine";
            Err(RequestError(ErrorCode::InternalError, fault.to_owned()))
        }
    }
}

/// One edit of whole lines, from the first to the last that differ. An editor keeps its marks in all other lines.
fn changed_lines(old: &str, new: &str) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let (before, after): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let alike = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = before.len().min(after.len()) - alike;
    let behind = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    let start: usize = before[..alike].iter().map(|line| line.len()).sum();
    let end: usize = old.len() - before[before.len() - behind..].iter().map(|line| line.len()).sum::<usize>();
    let new_text = after[alike..after.len() - behind].concat();
    Some(TextEdit { range: LineStarts::of(old).range(&(start..end)), new_text })
}

fn refusal(reason: String) -> RequestError {
    RequestError(ErrorCode::RequestFailed, bcheck_source::Shown::line(&reason).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_covers_the_lines_that_differ() {
        let edit = changed_lines("a\nb\nc\nd\n", "a\nx\ny\nd\n").expect("a change");
        assert_eq!((edit.range.start.line, edit.range.end.line, edit.new_text.as_str()), (1, 3, "x\ny\n"));
        let edit = changed_lines("a\nb", "a\nb\n").expect("a change");
        assert_eq!((edit.range.start.line, edit.range.end, edit.new_text.as_str()), (1, lsp_types::Position::new(1, 1), "b\n"));
        assert_eq!(changed_lines("a\n", "a\n"), None);
    }

    #[test]
    fn queries_are_letters_in_their_order() {
        assert!(matches_query("VariableRoom", "vroom") && matches_query("x", "") && !matches_query("room", "moor"));
    }
}
