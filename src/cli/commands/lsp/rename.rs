//! Renaming in all files of a project.
//!
//! The new texts are analysed before the edits are returned. Invariant: after the edits no file has an error that it did not have before,
//! and the new name refers to the renamed symbol at exactly the edited places: nothing is captured, and no other name changes its meaning.
//! Deliberately elsewhere: finding the places (`references`).

use super::analysis::Understood;
use super::names::{Names, Part, Symbol};
use super::references::{Place, Places, Project};
use super::workspace::{Workspace, text_of};
use bcheck_report::diagnostics::place;
use bcheck_source::{FileId, Severity, has_errors, in_back_quotes, word_in_back_quotes};
use bcheck_syntax::keywords;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The name under the cursor, with its declaration.
pub(super) struct Subject {
    /// The place of the name under the cursor.
    pub(super) bytes: Range<usize>,
    /// The name.
    pub(super) name: String,
    /// The symbol that it refers to.
    pub(super) symbol: Symbol,
    /// Whether it is visible in a part of one text only.
    pub(super) is_local: bool,
    word: &'static str,
}

/// The subject of a request about the name at a place.
pub(super) fn subject(understood: &Understood, offset: usize) -> Result<Subject, String> {
    let names = Names::of(understood);
    let occurrences = names.occurrences(FileId(0));
    let found = occurrences.iter().find(|occurrence| (occurrence.span.start as usize..=occurrence.span.end as usize).contains(&offset));
    let Some(found) = found else { return Err("there is no name that can be renamed here".to_owned()) };
    let bytes = found.span.start as usize..found.span.end as usize;
    let name = understood.text()[bytes.clone()].trim_matches('`').to_owned();
    if found.part == Part::Field {
        return Err(format!("`{name}` is a field: fields belong to types, which have no place of declaration"));
    }
    let Some(declared) = found.declared else { return Err(format!("the declaration of `{name}` is not known here")) };
    Ok(Subject { bytes, name, symbol: names.symbol(declared), is_local: declared.within.is_some(), word: declared.word })
}

impl Subject {
    /// Refuses what cannot be renamed, whatever the new name.
    pub(super) fn check(&self, workspace: &Workspace) -> Result<(), String> {
        if self.word == "machine" {
            return Err(format!("{} is the name of a machine, which is that of its file: rename the file and its references", self.name));
        }
        if !workspace.has(&self.symbol.file) {
            let file = self.symbol.file.display();
            return Err(format!("{} is declared in {file}, outside of the folder of the editor: open the folder that has both", self.name));
        }
        Ok(())
    }
}

/// The edits of each file, in order, that rename the subject.
pub(super) fn edits(subject: &Subject, new: &str, project: &Project<'_>, workspace: &Workspace) -> Result<Places, String> {
    subject.check(workspace)?;
    check_name(new)?;
    let places = project.places(&subject.symbol, &subject.name);
    if new == subject.name {
        return Ok(Places::new());
    }
    if let Some((path, _)) = places.keys().find(|(path, _)| !workspace.has(path)) {
        return Err(format!("{} is used in {}, outside of the folder of the editor", subject.name, path.display()));
    }
    let changed = Changed::of(&places, new, project);
    changed.check_errors(subject, new, project)?;
    changed.check_meaning(subject, new, &places)?;
    Ok(places)
}

/// Refuses a text that is not a name.
fn check_name(new: &str) -> Result<(), String> {
    if keywords().any(|keyword| keyword == new) {
        return Err(format!("{new} is a keyword of B"));
    }
    // Plain names only: a name that needs back quotes would have to be quoted at every occurrence.
    if new.is_empty() || word_in_back_quotes(new) != new || in_back_quotes(new) != new {
        return Err(format!("`{new}` is not a name: a letter first, then letters, digits and underscores"));
    }
    Ok(())
}

/// A project after the edits.
struct Changed<'p> {
    project: Project<'p>,
    /// The edited places of each file, in order.
    by_file: BTreeMap<PathBuf, Vec<Range<usize>>>,
    length: usize,
}

impl<'p> Changed<'p> {
    fn of(places: &Places, new: &str, project: &Project<'p>) -> Self {
        let mut by_file: BTreeMap<PathBuf, Vec<Range<usize>>> = BTreeMap::new();
        for ((path, _), Place { bytes, .. }) in places {
            by_file.entry(path.clone()).or_default().push(bytes.clone());
        }
        let mut texts = project.texts.clone();
        for (path, places) in &by_file {
            if let Some(mut text) = text_of(path, &project.texts) {
                // From the end, so that earlier offsets stay valid.
                places.iter().rev().for_each(|bytes| text.replace_range(bytes.clone(), new));
                texts.insert(path.clone(), text);
            }
        }
        Self { project: project.with_texts(texts), by_file, length: new.len() }
    }

    /// The offset of a place after the edits before it.
    fn moved(&self, path: &Path, at: usize) -> usize {
        let before = self.by_file.get(path).into_iter().flatten().take_while(|bytes| bytes.start < at);
        before.fold(at, |moved, bytes| moved + self.length - bytes.len())
    }

    /// Refuses if a text has new errors.
    fn check_errors(&self, subject: &Subject, new: &str, project: &Project<'_>) -> Result<(), String> {
        for (path, text) in self.project.candidates(&[&subject.name, new]) {
            let Some(after) = self.project.understood(&path, &text) else { continue };
            let Some(error) = after.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) else { continue };
            let before = text_of(&path, &project.texts).and_then(|text| project.understood(&path, &text));
            if before.is_some_and(|before| has_errors(&before.diagnostics)) {
                continue;
            }
            let place = place(error.span(), &after.sources);
            return Err(format!("with the name {new}, {place} would be an error: {}", error.title));
        }
        Ok(())
    }

    /// Refuses if the new name refers to the subject at other places than the edited ones.
    fn check_meaning(&self, subject: &Subject, new: &str, places: &Places) -> Result<(), String> {
        let start = self.moved(&subject.symbol.file, subject.symbol.start as usize);
        let symbol = Symbol { file: subject.symbol.file.clone(), start: u32::try_from(start).unwrap_or(u32::MAX) };
        let after = self.project.places(&symbol, new);
        let wanted: Vec<(PathBuf, usize)> = places.keys().map(|(path, at)| (path.clone(), self.moved(path, *at))).collect();
        let lost = wanted.iter().find(|place| !after.contains_key(*place));
        let gained = after.keys().find(|place| !wanted.contains(place));
        let Some((path, at)) = lost.or(gained) else { return Ok(()) };
        let text = text_of(path, &self.project.texts).unwrap_or_default();
        let line = text.get(..*at).map_or(0, |before| before.matches('\n').count()) + 1;
        let reason = if lost.is_some() { "would mean another declaration of that name" } else { "would refer to the renamed declaration" };
        Err(format!("{new} is taken: in line {line} of {} it {reason}", path.display()))
    }
}
