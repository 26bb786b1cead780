//! The files of the editor's folders, for requests about all machines of a project.
//!
//! Invariant: a list of files is complete or refused; hidden folders and links to folders are skipped. Deliberately elsewhere: the files
//! that a machine names, wherever they are (`project`).

use super::position;
use crate::io::decode::decode;
use crate::io::files;
use crate::project::{OpenTexts, TEXT_ENDINGS, full_path};
use lsp_types::{InitializeParams, Uri};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// More files than this are refused: an answer would take too long.
const MOST_FILES: usize = 2_000;
/// The most folders that are searched, with or without machines.
const MOST_FOLDERS: usize = 20_000;

/// The folders that the editor has opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    roots: Vec<PathBuf>,
}

impl Workspace {
    /// From the editor's parameters at initialisation.
    pub(super) fn of(params: &InitializeParams) -> Self {
        #[allow(deprecated, reason = "editors that know no workspace folders send only this")]
        let root: Option<&Uri> = params.root_uri.as_ref();
        let folders: Vec<&Uri> = match &params.workspace_folders {
            Some(folders) if !folders.is_empty() => folders.iter().map(|folder| &folder.uri).collect(),
            _ => root.into_iter().collect(),
        };
        Self { roots: folders.into_iter().filter_map(position::path_of).map(|path| full_path(&path)).collect() }
    }

    /// Whether a file belongs to the project: files outside the folders are not changed.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.roots.is_empty() || self.roots.iter().any(|root| path.starts_with(root))
    }

    /// All machines and definition files: below the folders, beside these files, and open ones.
    pub(super) fn files<'a>(&self, near: impl Iterator<Item = &'a Path>, open: &OpenTexts) -> Result<BTreeSet<PathBuf>, String> {
        let mut found: BTreeSet<PathBuf> = open.keys().cloned().collect();
        let mut seen = BTreeSet::new();
        let mut folders: Vec<(PathBuf, bool)> = self.roots.iter().map(|root| (root.clone(), true)).collect();
        folders.extend(near.filter_map(|path| Some((full_path(path.parent()?), false))));
        while let Some((folder, with_all_below)) = folders.pop() {
            if !seen.insert((folder.clone(), with_all_below)) {
                continue;
            }
            // A folder that cannot be read contributes no names.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                // The type of the entry itself: following a link to a folder might lead back up.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if with_all_below && !is_hidden {
                        folders.push((path, true));
                    }
                } else if is_text_of_b(&path) {
                    found.insert(full_path(&path));
                }
            }
            if found.len() > MOST_FILES || seen.len() > MOST_FOLDERS {
                return Err(format!(
                    "the folder of the editor has more than {MOST_FILES} machines or {MOST_FOLDERS} folders: open a smaller one"
                ));
            }
        }
        Ok(found)
    }
}

fn is_text_of_b(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// The text of a file: the editor's version if it is open, otherwise the content on disk.
pub(super) fn text_of(path: &Path, texts: &OpenTexts) -> Option<String> {
    match texts.get(path) {
        Some(text) => Some(text.clone()),
        None => files::read_bytes(path).ok().map(|bytes| decode(&bytes).text),
    }
}
