//! VisB's JSON files, with those that they include.
//!
//! Invariant: files are read only below the folder of the machine, links followed first, each once, and only a few; an unreadable file
//! causes a warning where it is named, and stops nothing. Deliberately elsewhere: their meaning (`sema::visb`), their pictures
//! (`pictures::states`).

use crate::io::decode::decode;
use crate::pictures::sources::read_below;
use crate::project::full_path;
use bcheck_ir::ImageReference;
use bcheck_sema::{Macros, VisbFile, visb_file_of};
use bcheck_source::{Code, Diagnostic, SourceMap, Span};
use bcheck_syntax::{JsonKind, JsonTree, parse_json};
use std::path::{Path, PathBuf};

/// The limit on the files of one machine.
const MOST_FILES: usize = 32;

/// The VisB files of a machine.
#[derive(Debug, Default)]
pub(crate) struct VisbFiles {
    /// Included ones first.
    pub(crate) files: Vec<VisbFile>,
    /// What could not be read.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl VisbFiles {
    /// Reads the file that the definitions of a machine name, and those that it includes.
    pub(crate) fn read(macros: &Macros, machine: &Path, sources: &mut SourceMap) -> Self {
        let mut reader = FileReader { machine, sources, open: Vec::new(), read: Vec::new(), found: Self::default() };
        if let Some(ImageReference { path, place }) = visb_file_of(macros) {
            reader.file(&path.replace('\\', "/"), place);
        }
        reader.found
    }
}

struct FileReader<'r> {
    machine: &'r Path,
    sources: &'r mut SourceMap,
    /// The chain of files that include the current one.
    open: Vec<PathBuf>,
    read: Vec<PathBuf>,
    found: VisbFiles,
}

impl FileReader<'_> {
    fn warn(&mut self, path: &str, place: Span, reason: &str, help: &str) {
        let title = format!("the VisB file {path} is not read: {reason}");
        self.found.warnings.push(Diagnostic::warning(Code::LeftOutOfPictures, place, title).help(help));
    }

    /// Reads a file whose path is relative to the folder of the machine.
    fn file(&mut self, path: &str, place: Span) {
        let folder = self.machine.parent().unwrap_or(Path::new(""));
        let whole = full_path(&folder.join(path));
        if self.open.contains(&whole) {
            return self.warn(path, place, "it includes itself", "break the cycle of `include`");
        }
        if self.read.contains(&whole) {
            return;
        }
        if self.read.len() >= MOST_FILES {
            return self.warn(path, place, &format!("it is one of more than {MOST_FILES} files"), "put several files into one");
        }
        let bytes = match read_below(folder, path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return self.warn(path, place, "there is no such file", "VisB files are looked for in the folder of the machine"),
            Err(reason) => return self.warn(path, place, &reason, "put the file into the folder of the machine"),
        };
        let text = decode(&bytes).text;
        // Otherwise its lines would be shown in messages about it.
        if !text.trim_start().starts_with('{') {
            return self.warn(path, place, "it is not a JSON object", "write { \"svg\": \"FILE.svg\", \"items\": […], \"events\": […] }");
        }
        let id = self.sources.add(folder.join(path).display().to_string(), text.clone());
        self.read.push(whole.clone());
        let tree = match parse_json(id, &text) {
            Ok(tree) => tree,
            Err(warning) => return self.found.warnings.push(*warning),
        };
        let below = path.rsplit_once('/').map_or("", |(below, _)| below).to_owned();
        self.open.push(whole);
        self.included(&tree, &below);
        self.open.pop();
        self.found.files.push(VisbFile { tree, folder: below });
    }

    /// Reads the included files: one, or a list of them, relative to the folder of the including file.
    fn included(&mut self, tree: &JsonTree, below: &str) {
        let Some(include) = tree.get("include") else { return };
        let named = if let JsonKind::List(items) = &include.kind { items.iter().collect() } else { vec![include] };
        for file in named {
            match file.as_text() {
                Some(name) if name.text.trim().is_empty() => {}
                Some(name) => {
                    let name = name.text.replace('\\', "/");
                    let path = if below.is_empty() || name.starts_with('/') { name } else { format!("{below}/{name}") };
                    self.file(&path, file.span);
                }
                None => self.warn("that is included", file.span, "its name is not a string", "write \"include\": \"FILE.json\""),
            }
        }
    }
}
