//! All occurrences of a name in the files of a project.
//!
//! A file that does not contain the name as text cannot refer to it, so only the others are analysed, each once per request; open files are
//! analysed already. Invariant: an occurrence is listed if it refers to the requested declaration, not because it is spelled alike.
//! Occurrences in temporal formulas of DEFINITIONS count, as do definitions `scope_S` of a set S. Deliberately elsewhere: edits (`rename`).

use super::analysis::{Understood, understand};
use super::names::{Names, Part, Symbol};
use super::workspace::text_of;
use crate::args::FolderArgs;
use crate::project::OpenTexts;
use bcheck_source::FileId;
use bcheck_syntax::{Written, WrittenKind, written};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The prefix of a definition that sets the size of a set.
const SCOPE: &str = "scope_";

/// The files in which a name is searched for.
pub(super) struct Project<'s> {
    /// Their full paths, each with its analysis once it has been made.
    files: BTreeMap<PathBuf, OnceCell<Understood>>,
    /// Open texts, which take precedence over files.
    pub(super) texts: OpenTexts,
    /// The analyses of exactly these texts, by path.
    known: BTreeMap<PathBuf, &'s Understood>,
    /// Where files that a machine names are searched for.
    folders: &'s FolderArgs,
}

/// Places by file and offset.
pub(super) type Places = BTreeMap<(PathBuf, usize), Place>;

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The bytes of the name.
    pub(super) bytes: Range<usize>,
    /// Its role there.
    pub(super) part: Part,
}

impl<'s> Project<'s> {
    /// These files, not analysed yet.
    pub(super) fn new(files: BTreeSet<PathBuf>, texts: OpenTexts, folders: &'s FolderArgs) -> Self {
        let files = files.into_iter().map(|path| (path, OnceCell::new())).collect();
        Self { files, texts, known: BTreeMap::new(), folders }
    }

    /// Adds existing analyses of these texts.
    pub(super) fn with_known(self, known: BTreeMap<PathBuf, &'s Understood>) -> Self {
        Self { known, ..self }
    }

    /// The same files with other texts in place of their contents.
    pub(super) fn with_texts(&self, texts: OpenTexts) -> Self {
        Self::new(self.files.keys().cloned().collect(), texts, self.folders)
    }

    /// The full paths of the files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    /// The files whose texts contain one of these names, or include a definition file that does.
    pub(super) fn candidates(&self, names: &[&str]) -> Vec<(PathBuf, String)> {
        let texts: Vec<(PathBuf, String)> = self.paths().filter_map(|path| Some((path.clone(), text_of(path, &self.texts)?))).collect();
        let has_name = |text: &str| names.iter().any(|name| text.contains(name));
        let is_definitions = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("def"));
        let definition_files: Vec<String> = texts
            .iter()
            .filter(|(path, text)| is_definitions(path) && has_name(text))
            .filter_map(|(path, _)| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let is_candidate = |text: &str| has_name(text) || definition_files.iter().any(|file| text.contains(file.as_str()));
        texts.into_iter().filter(|(_, text)| is_candidate(text)).collect()
    }

    /// The analysis of one of the files, given its text.
    pub(super) fn understood(&self, path: &Path, text: &str) -> Option<&Understood> {
        let make = || understand(path, text, self.folders, &self.texts);
        self.known.get(path).copied().or_else(|| self.files.get(path).map(|made| made.get_or_init(make)))
    }

    /// All occurrences of a symbol with this name.
    pub(super) fn places(&self, symbol: &Symbol, name: &str) -> Places {
        let mut places = Places::new();
        for (path, text) in self.candidates(&[name]) {
            if let Some(understood) = self.understood(&path, &text) {
                collect(understood, symbol, name, &mut places);
            }
        }
        places
    }
}

/// Adds the occurrences of a symbol in a text, and in the definition files that it includes.
pub(super) fn collect(understood: &Understood, symbol: &Symbol, name: &str, places: &mut Places) {
    let names = Names::of(understood);
    let files = std::iter::once(FileId(0)).chain(understood.others.definition_files.iter().map(|(_, file, _)| *file));
    for file in files {
        let text = &understood.sources.file(file).text;
        let path = names.path(file);
        let mut add = |bytes: Range<usize>, part: Part| {
            // Another machine may include the same definition file, and not resolve the name there.
            places.entry((path.clone(), bytes.start)).or_insert(Place { bytes, part });
        };
        let is_it = |word: &str, at: usize| names.resolve(word, file, at).is_some_and(|declared| names.symbol(declared) == *symbol);
        for occurrence in names.occurrences(file) {
            let bytes = occurrence.span.start as usize..occurrence.span.end as usize;
            let word = text[bytes.clone()].trim_matches('`');
            if word == name && occurrence.declared.is_some_and(|declared| names.symbol(declared) == *symbol) {
                add(bytes, occurrence.part);
            } else if word.strip_prefix(SCOPE) == Some(name) && is_it(name, bytes.start) {
                add(bytes.start + SCOPE.len()..bytes.end, Part::Read);
            }
        }
        for literal in understood.stated.iter().map(|stated| stated.literal).filter(|literal| literal.file == file) {
            let start = literal.start as usize;
            for bytes in in_formula(&text[start..literal.end as usize], name) {
                let bytes = start + bytes.start..start + bytes.end;
                if is_it(&text[bytes.clone()], bytes.start) {
                    // `put` of `shelf.put`.
                    add(bytes.end - name.len()..bytes.end, Part::Read);
                }
            }
        }
    }
}

/// The occurrences of a name in the literal of a temporal formula, up to its last dot; none where the formula binds that name itself.
fn in_formula(literal: &str, name: &str) -> Vec<Range<usize>> {
    // Without the quotes: the text between them has the tokens of B, apart from some signs.
    let quotes = if literal.starts_with("'''") { 3 } else { 1 };
    let Some(inner) = literal.get(quotes..literal.len().saturating_sub(quotes)) else { return Vec::new() };
    let tokens: Vec<Written> = written(inner);
    let word = |token: &Written| if token.kind == WrittenKind::Name { &inner[token.place.clone()] } else { "" };
    let binds = |pair: &[Written]| matches!(pair[0].kind, WrittenKind::Sign("!" | "#" | "%")) && word(&pair[1]) == name;
    if tokens.windows(2).any(binds) {
        return Vec::new();
    }
    let is_it = |word: &str| word == name || word.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
    let places = tokens.iter().filter(|token| is_it(word(token))).map(|token| &token.place);
    places.map(|place| place.start + quotes..place.end + quotes).collect()
}
