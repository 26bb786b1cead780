//! The files of a project: machines and definition files that another file names.
//!
//! They are searched for in the folder of the file that names them, then in the folders of `--include`, in order, then in those of the
//! project (`folders`); for Atelier B's library machines bcheck has interfaces (`library`). A machine in a package (`/*@package p.q */`)
//! may name machines of packages that it imports. A path (`/*@file "sub/M.mch" */`) is relative to these folders. Invariant: a file is read
//! once, however often and by whatever path it is named. A file that does not begin like a text of B is refused by name, and none of its
//! content is repeated.

pub(crate) mod file_name;
mod folders;
mod library;

use crate::args::FolderArgs;
use crate::io::files::{self, ReadError};
use bcheck_sema::{Files, LoadError};
use bcheck_source::{FileId, SourceFile, SourceMap};
use bcheck_syntax::{
    self as syntax,
    ast::{Definition, Machine, Parsed},
};
use folders::Settings;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Endings of files that hold a machine, in the order in which they are tried.
pub(crate) const MACHINE_ENDINGS: &[&str] = &["mch", "ref", "imp", "sys"];
/// The same, and that of definition files.
pub(crate) const TEXT_ENDINGS: &[&str] = &["mch", "ref", "imp", "sys", "def"];

/// Texts open in an editor, by the full path of their file: they replace the content on disk.
pub(crate) type OpenTexts = BTreeMap<PathBuf, String>;

/// The full path of a file, the same for all paths that denote it; also for a file that does not exist yet.
pub(crate) fn full_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// The folder of a file.
fn own_folder(sources: &SourceMap, file: FileId) -> PathBuf {
    Path::new(&sources.file(file).name).parent().unwrap_or(Path::new("")).to_owned()
}

/// Reads the files of a project into a source map.
pub(crate) struct ProjectFiles<'a> {
    sources: &'a mut SourceMap,
    /// Folders to search after that of the referring file.
    include: Vec<PathBuf>,
    /// Folders to search recursively, if the former do not suffice.
    project: Vec<PathBuf>,
    /// All folders below these, once listed.
    below: Option<Vec<PathBuf>>,
    /// The error in the settings file.
    fault: Option<String>,
    /// With `--include-only`: the folders below which every file must be.
    allowed: Option<Vec<PathBuf>>,
    /// The files read, by full path.
    known: HashMap<PathBuf, FileId>,
    open: Option<&'a OpenTexts>,
}

impl<'a> ProjectFiles<'a> {
    /// The files of this machine, also searched for in these folders.
    pub(crate) fn new(sources: &'a mut SourceMap, folders: &'a FolderArgs, machine: FileId) -> Self {
        let own = own_folder(sources, machine);
        // A file name without a folder is relative to the current one.
        let full = |folder: &PathBuf| full_path(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let projects: Vec<PathBuf> = folders.projects().collect();
        let given = || std::iter::once(&own).chain(&folders.include).chain(&projects);
        let allowed = folders.include_only.then(|| given().map(full).collect());
        // A settings file above the allowed folders is not read.
        let settings = if folders.include_only { Ok(Settings::default()) } else { folders::settings(&full(&own)) };
        let (settings, fault) = settings.map_or_else(|fault| (Settings::default(), Some(fault)), |settings| (settings, None));
        let include = folders.include.iter().cloned().chain(settings.include).collect();
        let project = projects.into_iter().chain(settings.project).collect();
        // A reference to the machine itself must find this file, not read it again.
        let known = HashMap::from([(full_path(Path::new(&sources.file(machine).name)), machine)]);
        Self { sources, include, project, below: None, fault, allowed, known, open: None }
    }

    /// Reads these texts instead of their files.
    pub(crate) fn with_open(self, open: &'a OpenTexts) -> Self {
        Self { open: Some(open), ..self }
    }

    /// The text of a file that is open in an editor.
    fn open_text(&self, path: &Path) -> Option<&'a String> {
        // Outside of an editor no path needs to be resolved.
        self.open.filter(|open| !open.is_empty())?.get(&full_path(path))
    }

    /// The folders in which to search for a file that this file names.
    fn folders(&self, from: FileId) -> Vec<PathBuf> {
        let file = self.sources.file(from);
        let own = own_folder(self.sources, from);
        let packages = package_folders(&own, &file.text);
        std::iter::once(own).chain(packages).chain(self.include.iter().cloned()).collect()
    }

    /// Whether a file may be read, wherever links point.
    fn is_allowed(&self, path: &Path) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| {
            let path = full_path(path);
            allowed.iter().any(|folder| path.starts_with(folder))
        })
    }

    /// The file of a machine.
    fn find_machine(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<FileId, LoadError> {
        match self.find(from, &names_of(name, path)) {
            Err(LoadError::NotFound(_)) if path.is_none() && library::interface(name).is_some() => Ok(self.interface(name)),
            Err(LoadError::NotFound(searched)) if path.is_none() => Err(match self.known_otherwise(from, name) {
                Some(known) => LoadError::Known(searched, known),
                None => LoadError::NotFound(searched),
            }),
            found => found,
        }
    }

    /// What is known about a machine without a file that bcheck could read, and the remedy.
    fn known_otherwise(&self, from: FileId, name: &str) -> Option<[String; 2]> {
        let mut rules = self.folders(from).into_iter().map(|folder| folder.join(format!("{name}.rmch")));
        let rules = rules.find(|path| path.is_file() && self.is_allowed(path)).map(|path| {
            let known = format!("there is {}: a machine of rules (RULES_MACHINE), which bcheck does not read", path.display());
            [known, format!("write its visible part as a separate machine, {name}.mch")]
        });
        rules.or_else(|| library::not_shipped(name))
    }

    /// The interface of a library machine that no folder has.
    fn interface(&mut self, name: &str) -> FileId {
        // No file has such a name: its key is not a path.
        let key = PathBuf::from(format!("<bcheck>/{name}.mch"));
        if let Some(&file) = self.known.get(&key) {
            return file;
        }
        let file = self.sources.add(key.display().to_string(), library::interface(name).unwrap_or_default());
        self.known.insert(key, file);
        file
    }

    /// The file of the project with one of these names, if there is one. Names are tried in order, each in all folders.
    fn in_project(&mut self, names: &[String]) -> Result<Option<PathBuf>, LoadError> {
        if self.project.is_empty() {
            return Ok(None);
        }
        let below = self.below.take().unwrap_or_else(|| folders::folders_of(&self.project));
        let found = names.iter().map(|name| {
            let paths = below.iter().map(|folder| folder.join(name));
            paths.filter(|path| path.is_file() && self.is_allowed(path)).collect::<Vec<_>>()
        });
        let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        self.below = Some(below);
        // Identical copies count as one machine; between different ones only the user can choose.
        let mut texts = found.iter().map(|path| files::read_text(path).ok());
        let first = texts.next();
        if texts.any(|text| Some(text) != first) {
            return Err(LoadError::Ambiguous(found.iter().map(|path| path.display().to_string()).collect()));
        }
        Ok(found.into_iter().next())
    }

    /// The first of these files that exists.
    fn find(&mut self, from: FileId, names: &[String]) -> Result<FileId, LoadError> {
        let folders = self.folders(from);
        let candidates = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        // Not `is_file`: a FIFO of that name is refused with a reason (`files`), not skipped.
        let is_there = |path: &PathBuf| (path.exists() && !path.is_dir()) || self.open_text(path).is_some();
        // A candidate that is not allowed is skipped, not refused at once: an allowed one may follow. Links are resolved before the
        // comparison, so that none points out of the allowed folders.
        let (here, outside): (Vec<PathBuf>, Vec<PathBuf>) = candidates.filter(is_there).partition(|path| self.is_allowed(path));
        let in_project = if here.is_empty() { self.in_project(names)? } else { None };
        let Some(path) = here.into_iter().next().or(in_project) else {
            if let Some(outside) = outside.first() {
                return Err(LoadError::Outside(outside.display().to_string()));
            }
            if let Some(fault) = &self.fault {
                return Err(LoadError::Unreadable(fault.clone()));
            }
            let shown = |folder: &PathBuf| if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() };
            return Err(LoadError::NotFound(folders.iter().chain(&self.project).map(shown).collect()));
        };
        // By the file and not by the path: diagnostics of a machine that is named twice must not appear twice.
        let key = full_path(&path);
        if let Some(&file) = self.known.get(&key) {
            return Ok(file);
        }
        let read = match self.open_text(&path) {
            Some(text) => Ok(self.sources.add(path.display().to_string(), text.as_str())),
            None => files::read(&path, self.sources),
        };
        match read {
            Ok(file) => {
                self.known.insert(key, file);
                Ok(file)
            }
            Err(ReadError::Refused(diagnostic)) => Err(LoadError::NotB(path.display().to_string(), diagnostic.title)),
            Err(ReadError::Io(reason)) => Err(LoadError::Unreadable(reason)),
        }
    }
}

impl Files for ProjectFiles<'_> {
    fn machine(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        let file = self.find_machine(from, name, path)?;
        let SourceFile { name, text, .. } = self.sources.file(file);
        if !syntax::begins_machine(text) {
            let reason = "it does not begin with MACHINE, MODEL, SYSTEM, REFINEMENT or IMPLEMENTATION";
            return Err(LoadError::NotB(name.clone(), reason.to_owned()));
        }
        Ok(syntax::parse_machine(file, text))
    }

    fn machine_file(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Option<FileId>, LoadError> {
        self.find_machine(from, name, path).map(Some)
    }

    fn elsewhere(&mut self, from: FileId, name: &str, path: Option<&str>) -> Option<(String, String)> {
        // Nothing is revealed about files outside of the allowed folders.
        if self.allowed.is_some() {
            return None;
        }
        let own = own_folder(self.sources, from);
        let own = full_path(if own.as_os_str().is_empty() { Path::new(".") } else { &own });
        let names = names_of(name, path);
        let found = folders::neighbour(&own, &names)?;
        // The folder in which the whole name is found: a name may be a path.
        let depth = names.iter().find(|name| found.ends_with(name)).map_or(1, |name| Path::new(name).components().count());
        let folder = found.ancestors().nth(depth).unwrap_or(&own);
        Some((from_here(&found), from_here(folder)))
    }

    fn definitions(&mut self, from: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        let file = self.find(from, &[path.replace('\\', "/")])?;
        let SourceFile { name, text, .. } = self.sources.file(file);
        if !syntax::begins_definitions(text) && !syntax::begins_machine(text) {
            return Err(LoadError::NotB(name.clone(), "it does not begin with DEFINITIONS, nor as a machine".to_owned()));
        }
        Ok(syntax::parse_definitions_file(file, text))
    }
}

/// The possible file names of a machine.
fn names_of(name: &str, path: Option<&str>) -> Vec<String> {
    match path {
        // Machines written on Windows have backslashes in paths, which are not separators elsewhere.
        Some(path) => vec![path.replace('\\', "/")],
        None => MACHINE_ENDINGS.iter().map(|ending| format!("{name}.{ending}")).collect(),
    }
}

/// A full path relative to the current folder.
fn from_here(path: &Path) -> String {
    let here = full_path(Path::new("."));
    let below = path.strip_prefix(&here).map(Path::to_owned);
    // By components, as joining an empty path would add a separator.
    let beside = || path.strip_prefix(here.parent()?).ok().map(|rest| Path::new("..").components().chain(rest.components()).collect());
    below.ok().or_else(beside).map_or_else(|| path.display().to_string(), |path| path.display().to_string())
}

/// The folders of the packages that a text imports: for each, the folder of the text without the components of its own package, then with
/// those of the imported one.
fn package_folders(folder: &Path, text: &str) -> Vec<PathBuf> {
    let pragmas = |word: &str| -> Vec<String> {
        let parts = text.split("/*@").skip(1).filter_map(|part| part.split_once("*/"));
        parts
            .filter_map(|(pragma, _)| {
                let rest = pragma.trim_start().strip_prefix(word)?;
                let name = rest.trim().trim_matches('"');
                (rest.starts_with(char::is_whitespace) && !name.is_empty()).then(|| name.to_owned())
            })
            .collect()
    };
    let own = pragmas("package");
    let Some(own) = own.first() else { return Vec::new() };
    let root = (0..own.split('.').count()).fold(folder.to_owned(), |folder, _| match folder.file_name() {
        Some(_) => folder.parent().unwrap_or(Path::new("")).to_owned(),
        // A relative path without further components: only the system knows the folders above.
        None => folder.join(".."),
    });
    pragmas("import-package").iter().map(|package| package.split('.').fold(root.clone(), |folder, part| folder.join(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_next_to_the_file_that_names_them_then_in_the_include_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let (near, far) = (folder.path().join("near"), folder.path().join("far"));
        fs::create_dir_all(&near).expect("a folder");
        fs::create_dir_all(&far).expect("a folder");
        for (path, name) in [(near.join("a.mch"), "a"), (far.join("a.mch"), "other"), (far.join("b.ref"), "b")] {
            fs::write(path, format!("MACHINE {name} END")).expect("a file");
        }
        fs::write(far.join("d.def"), "DEFINITIONS one == 1").expect("a file");
        let mut sources = SourceMap::new();
        let main = sources.add(near.join("main.mch").display().to_string(), "MACHINE main END");
        let folders = FolderArgs { include: vec![far], ..FolderArgs::default() };
        let mut files = ProjectFiles::new(&mut sources, &folders, main);
        let name = |loaded: Result<Parsed<Option<Machine>>, LoadError>| loaded.expect("it is there").tree.expect("a machine").name;
        assert_eq!(name(files.machine(main, "a", None)).text, "a");
        assert_eq!(name(files.machine(main, "b", None)).text, "b");
        assert_eq!(name(files.machine(main, "a", Some("..\\far/a.mch"))).text, "other");
        assert_eq!(files.definitions(main, "d.def").expect("it is there").tree.len(), 1);
        assert_eq!(name(files.machine(main, "a", None)).span.file, name(files.machine(main, "a", None)).span.file);
        let Err(LoadError::NotFound(searched)) = files.machine(main, "c", None) else { panic!("there is no machine c") };
        assert_eq!(searched.len(), 2);
    }

    #[test]
    fn a_machine_that_is_named_again_is_the_file_that_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("sub")).expect("a folder");
        for path in ["m.mch", "sub/s.mch"] {
            fs::write(folder.path().join(path), "MACHINE m END").expect("a file");
        }
        let mut sources = SourceMap::new();
        let main = sources.add(folder.path().join("m.mch").display().to_string(), "MACHINE m END");
        let folders = FolderArgs::default();
        let mut files = ProjectFiles::new(&mut sources, &folders, main);
        assert_eq!(files.machine_file(main, "m", None), Ok(Some(main)));
        let other = files.machine_file(main, "s", Some("sub/s.mch")).expect("it is there").expect("a file");
        assert_eq!(files.machine_file(other, "m", Some("../m.mch")), Ok(Some(main)));
        assert_ne!(other, main);
    }

    #[test]
    fn an_imported_package_is_a_folder_beside_the_own_package() {
        let text = "/*@package a.aa */ /*@import-package b.bb*/ MACHINE m END";
        assert_eq!(package_folders(Path::new("top/a/aa"), text), [PathBuf::from("top/b/bb")]);
        assert_eq!(package_folders(Path::new(""), text), [PathBuf::from("../../b/bb")]);
        assert!(package_folders(Path::new("top"), "/*@packages x */ MACHINE m END").is_empty());
    }
}
