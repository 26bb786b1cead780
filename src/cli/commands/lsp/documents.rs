//! The texts that the editor has open, with their analyses and published diagnostics.
//!
//! Invariant: after `refresh` all analyses belong to the current texts, and the diagnostics published for a file are those of the latest
//! analyses, together with the finding of a check of this version.

use super::analysis::{Understood, understand};
use super::position;
use super::verdict::{Handle, Verdict};
use crate::args::FolderArgs;
use crate::project::{OpenTexts, full_path};
use bcheck_ir::Model;
use lsp_types::{Diagnostic, DiagnosticSeverity, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

/// One open text.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    pub(super) version: i32,
    pub(super) text: String,
    pub(super) understood: Option<Understood>,
    /// The latest model, of this version or an earlier one.
    pub(super) older: Option<Model>,
    /// The running check, if any.
    pub(super) running: Option<Arc<Handle>>,
    /// The verdict of the check of this version.
    pub(super) verdict: Option<Verdict>,
    /// The verdicts of the checks of single formulas in this version, by name.
    pub(super) of_formulas: BTreeMap<String, Verdict>,
    /// Whether the analysis is outdated.
    is_changed: bool,
    /// Whether the diagnostics must be published again although the analysis is up to date, because a check ended.
    is_republished: bool,
    /// The diagnostics of the analysis, by the URI of their file.
    found: BTreeMap<String, Vec<Diagnostic>>,
}

/// All open texts, by URI.
#[derive(Default)]
pub(super) struct Documents {
    open: BTreeMap<String, Document>,
    /// The text that was opened or changed last, presumably the one the user is viewing.
    latest: Option<Uri>,
}

impl Documents {
    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    pub(super) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.open.get_mut(uri.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Document> {
        self.open.values()
    }

    /// Adds an opened text.
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        // A text without a file, such as `untitled:Untitled-1`, has its URI as its name in messages.
        let path = position::path_of(&uri).unwrap_or_else(|| PathBuf::from(uri.as_str()));
        let document = Document {
            uri: uri.clone(),
            path,
            version,
            text,
            understood: None,
            older: None,
            running: None,
            verdict: None,
            of_formulas: BTreeMap::new(),
            is_changed: true,
            is_republished: false,
            found: BTreeMap::new(),
        };
        self.mark_users(&document.path);
        self.latest = Some(uri.clone());
        self.open.insert(uri.as_str().to_owned(), document);
    }

    /// Applies changes to a text.
    pub(super) fn change(&mut self, uri: &Uri, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(document) = self.open.get_mut(uri.as_str()) else { return };
        changes.into_iter().for_each(|change| position::apply(&mut document.text, change));
        document.version = version;
        document.is_changed = true;
        // The verdict belongs to the previous version.
        document.verdict = None;
        document.of_formulas.clear();
        let path = document.path.clone();
        self.latest = Some(document.uri.clone());
        self.mark_users(&path);
    }

    /// The text that was opened or changed last.
    pub(super) fn latest(&self) -> Option<&Uri> {
        self.latest.as_ref()
    }

    /// Marks every analysis as outdated, as it may have read an older content: a text was saved, or a file changed on disk.
    pub(super) fn reload(&mut self) {
        self.open.values_mut().for_each(|document| document.is_changed = true);
    }

    /// Removes a closed text; returns the files for which it had diagnostics, to be published again.
    pub(super) fn close(&mut self, uri: &Uri) -> Vec<Uri> {
        let Some(document) = self.open.remove(uri.as_str()) else { return Vec::new() };
        if let Some(running) = &document.running {
            running.stop();
        }
        self.mark_users(&document.path);
        document.found.keys().filter_map(|uri| uri.parse().ok()).chain(std::iter::once(document.uri)).collect()
    }

    /// Marks the texts that depend on this file as outdated.
    fn mark_users(&mut self, path: &std::path::Path) {
        let path = full_path(path);
        for document in self.open.values_mut() {
            let needs = |understood: &Understood| understood.needed_files().any(|needed| full_path(needed) == path);
            // Without a model, a missing or unreadable file may be the cause, possibly this one.
            let may_need = document.understood.as_ref().is_none_or(|understood| needs(understood) || understood.model.is_none());
            document.is_changed |= may_need;
        }
    }

    /// Whether `refresh` must run before the next answer.
    pub(super) fn is_stale(&self) -> bool {
        self.open.values().any(|document| document.is_changed || document.is_republished)
    }

    /// Records the end of a check, of the machine or of the formula with this name.
    pub(super) fn finish(&mut self, uri: &Uri, version: i32, handle: &Arc<Handle>, formula: Option<String>, verdict: Verdict) {
        let Some(document) = self.open.get_mut(uri.as_str()) else { return };
        // A check that was stopped in favour of another one must not unregister its successor.
        if document.running.as_ref().is_some_and(|running| Arc::ptr_eq(running, handle)) {
            document.running = None;
        }
        // The verdict on an older version is only shown as a message.
        if document.version == version {
            match formula {
                Some(name) => drop(document.of_formulas.insert(name, verdict)),
                None => document.verdict = Some(verdict),
            }
            document.is_republished = true;
        }
    }

    /// The texts by path, for analyses.
    pub(super) fn texts(&self) -> OpenTexts {
        self.open.values().map(|document| (full_path(&document.path), document.text.clone())).collect()
    }

    /// Analyses all outdated texts; returns the diagnostics to be published, and reports of faults in bcheck itself.
    pub(super) fn refresh(&mut self, folders: &FolderArgs) -> (Vec<PublishDiagnosticsParams>, Vec<String>) {
        // One snapshot for all analyses, so that they agree about the texts that several of them read.
        let texts = self.texts();
        let mut touched: BTreeMap<String, Uri> = BTreeMap::new();
        let mut complaints = Vec::new();
        for document in self.open.values_mut() {
            if document.is_changed {
                let analysis = || understand(&document.path, &document.text, folders, &texts);
                let understood = catch_unwind(AssertUnwindSafe(analysis)).ok();
                if understood.is_none() {
                    complaints
                        .push(format!("bcheck is at fault: it panicked on the text of {}; please report it", document.path.display()));
                }
                document.take(understood, &texts, &mut touched);
            }
            if document.is_republished {
                touched.insert(document.uri.as_str().to_owned(), document.uri.clone());
            }
            (document.is_changed, document.is_republished) = (false, false);
        }
        (touched.into_values().map(|uri| self.diagnostics_of(uri)).collect(), complaints)
    }

    /// The diagnostics of all open texts about a file, each of them once: texts that read the same file report the same errors in it.
    pub(super) fn diagnostics_of(&self, uri: Uri) -> PublishDiagnosticsParams {
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for document in self.open.values() {
            let verdicts = document.verdict.iter().chain(document.of_formulas.values()).filter(|_| document.uri == uri);
            let findings: Vec<Diagnostic> = verdicts.filter_map(finding).collect();
            for found in document.found.get(uri.as_str()).into_iter().flatten().chain(&findings) {
                if !diagnostics.contains(found) {
                    diagnostics.push(found.clone());
                }
            }
        }
        let version = self.get(&uri).map(|document| document.version);
        PublishDiagnosticsParams { uri, diagnostics, version }
    }
}

/// The finding of a check as a diagnostic.
fn finding(verdict: &Verdict) -> Option<Diagnostic> {
    Some(Diagnostic {
        range: verdict.place?,
        // Not an error: the text is correct, whatever a check finds in its states.
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("bcheck check".to_owned()),
        message: verdict.title.clone(),
        ..Diagnostic::default()
    })
}

impl Document {
    /// Installs a new analysis.
    fn take(&mut self, understood: Option<Understood>, texts: &OpenTexts, touched: &mut BTreeMap<String, Uri>) {
        let mut touch = |uri: Uri| {
            touched.insert(uri.as_str().to_owned(), uri);
        };
        // Files that had diagnostics before are published again in any case: an empty list removes the old ones.
        self.found.keys().filter_map(|uri| uri.parse().ok()).for_each(&mut touch);
        touch(self.uri.clone());
        let before = self.understood.take();
        if let Some(model) = before.and_then(|understood| understood.model) {
            self.older = Some(model);
        }
        self.found.clear();
        let published = understood.as_ref().map(|understood| understood.published(&self.uri)).unwrap_or_default();
        for (uri, diagnostic) in published {
            // An open file has diagnostics from its own analysis.
            let is_other = uri != self.uri;
            if is_other && position::path_of(&uri).is_some_and(|path| texts.contains_key(&full_path(&path))) {
                continue;
            }
            self.found.entry(uri.as_str().to_owned()).or_default().push(diagnostic);
            touch(uri);
        }
        self.understood = understood;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_definition_file_without_definitions_reaches_its_users() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("d.def"), "DEFINITIONS").expect("a file");
        let uri = |name: &str| position::uri_of(&folder.path().join(name)).expect("a URI");
        let (user, definitions) = (uri("m.mch"), uri("d.def"));
        let mut documents = Documents::default();
        documents.open(user.clone(), 1, "MACHINE m DEFINITIONS \"d.def\" END".to_owned());
        documents.refresh(&FolderArgs::default());
        let has_model = |documents: &Documents| {
            documents.get(&user).and_then(|document| document.understood.as_ref()).is_some_and(|understood| understood.model.is_some())
        };
        assert!(has_model(&documents) && !documents.is_stale());
        documents.open(definitions, 1, "DEFINITIONS one == ".to_owned());
        assert!(documents.get(&user).is_some_and(|document| document.is_changed), "it needs the file");
        documents.refresh(&FolderArgs::default());
        assert!(!has_model(&documents), "the error in the file");
    }
}
