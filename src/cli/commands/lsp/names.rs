//! All names of a text, each with its declaration.
//!
//! The names come from the tokens, their declarations from the trees: so each occurrence has its exact position, even in a text with
//! errors. Invariant: names resolve as in `symbols::declaration`, which answers for a single place. Deliberately elsewhere: other files,
//! and names in temporal formulas, which are strings (`references`).

use super::analysis::Understood;
use super::declared::Declared;
use super::{locals, symbols};
use bcheck_source::{FileId, Span};
use bcheck_syntax::ast::{ClauseKind, Machine};
use bcheck_syntax::{Written, WrittenKind, written};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// An occurrence of a name.
pub(super) struct Occurrence<'n, 'a> {
    /// The name itself: for `shelf.put`, `put`.
    pub(super) span: Span,
    /// Its declaration, if known.
    pub(super) declared: Option<&'n Declared<'a>>,
    /// Its role in the text.
    pub(super) part: Part,
}

/// The role of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It declares the name.
    Declaration,
    /// It assigns to the name.
    Write,
    /// It reads the value.
    Read,
    /// It is a field of a record, which is declared nowhere.
    Field,
}

/// The declaration that a name refers to, identical in all files of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    /// The full path of the file that declares it.
    pub(super) file: PathBuf,
    /// The place of the name there.
    pub(super) start: u32,
}

/// The declarations to which the names of a text may refer.
pub(super) struct Names<'a> {
    understood: &'a Understood,
    by_name: HashMap<&'a str, Vec<Declared<'a>>>,
    targets: HashSet<(FileId, u32)>,
}

impl<'a> Names<'a> {
    pub(super) fn of(understood: &'a Understood) -> Self {
        let (bound, targets) = locals::all_bound(understood);
        let mut by_name: HashMap<&str, Vec<Declared<'_>>> = HashMap::new();
        for declared in symbols::visible(understood).chain(bound) {
            by_name.entry(declared.name.text.as_str()).or_default().push(declared);
        }
        Self { understood, by_name, targets: targets.into_iter().map(|span| (span.file, span.start)).collect() }
    }

    /// The declaration that a name refers to at a place: the innermost one.
    pub(super) fn resolve(&self, word: &str, file: FileId, offset: usize) -> Option<&Declared<'a>> {
        let is_around = |within: Span| within.file == file && (within.start as usize..=within.end as usize).contains(&offset);
        let known = self.by_name.get(word).map_or(&[][..], Vec::as_slice);
        // Among the constructs around the place that bind the name, the one that begins last is the innermost.
        let bound = known.iter().filter(|declared| declared.is_bound && declared.within.is_some_and(is_around));
        if let Some(bound) = bound.max_by_key(|declared| (declared.within.map(|within| within.start), declared.name.span.start)) {
            return Some(bound);
        }
        let mut free = known.iter().filter(|declared| !declared.is_bound && declared.within.is_none_or(is_around));
        let found = free.clone().find(|declared| declared.within.is_some()).or_else(|| free.next());
        // `shelf.put` is `put` of the machine included under the name `shelf`.
        found.or_else(|| {
            let (_, last) = word.rsplit_once('.')?;
            self.by_name.get(last)?.iter().find(|declared| declared.within.is_none() && declared.name.span.file != file)
        })
    }

    /// All names of the text, or of a definition file that it includes.
    pub(super) fn occurrences(&self, file: FileId) -> Vec<Occurrence<'_, 'a>> {
        let text = &self.understood.sources.file(file).text;
        let tokens: Vec<Written> = written(text).into_iter().filter(|token| token.kind != WrittenKind::Comment).collect();
        let mut found = Vec::new();
        let mut brackets: Vec<bool> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| tokens[before].kind);
            match token.kind {
                WrittenKind::Sign("(" | "[" | "{") => brackets.push(matches!(before, Some(WrittenKind::Keyword("rec" | "struct")))),
                WrittenKind::Sign(")" | "]" | "}") => _ = brackets.pop(),
                WrittenKind::Name => {
                    let is_label = brackets.last() == Some(&true)
                        && matches!(before, Some(WrittenKind::Sign("(" | ",")))
                        && tokens.get(index + 1).is_some_and(|next| next.kind == WrittenKind::Sign(":"));
                    let is_field = is_label || before == Some(WrittenKind::Sign("'"));
                    found.push(self.occurrence(file, text, token, is_field));
                }
                _ => {}
            }
        }
        found
    }

    fn occurrence(&self, file: FileId, text: &str, token: &Written, is_field: bool) -> Occurrence<'_, 'a> {
        let written = &text[token.place.clone()];
        let word = written.trim_matches('`');
        let last = if written.starts_with('`') { 0 } else { word.rfind('.').map_or(0, |dot| dot + 1) };
        let span = Span::new(file, token.place.start + last, token.place.end);
        if is_field {
            return Occurrence { span, declared: None, part: Part::Field };
        }
        let declared = self.resolve(word, file, token.place.start);
        let whole = Span::new(file, token.place.start, token.place.end);
        let part = match declared {
            Some(declared) if declared.name.span == whole || declared.name.span == span => Part::Declaration,
            _ if self.targets.contains(&(file, whole.start)) => Part::Write,
            _ => Part::Read,
        };
        Occurrence { span, declared, part }
    }

    /// The symbol of a declaration: in a refinement, a variable, constant or operation that the refined machine declares under the same
    /// name is the same symbol.
    pub(super) fn symbol(&self, declared: &Declared<'_>) -> Symbol {
        let mut span = declared.name.span;
        // A circular chain of refinements is refused elsewhere; here the loop must only terminate.
        for _ in 0..=self.understood.others.machines.len() {
            match self.refined(declared, span) {
                Some(refined) => span = refined,
                None => break,
            }
        }
        Symbol { file: self.path(span.file), start: span.start }
    }

    /// The full path of a file.
    pub(super) fn path(&self, file: FileId) -> PathBuf {
        crate::project::full_path(std::path::Path::new(&self.understood.sources.file(file).name))
    }

    /// The declaration of the same symbol in the machine refined by the one with this declaration.
    fn refined(&self, declared: &Declared<'_>, span: Span) -> Option<Span> {
        if declared.within.is_some() || !matches!(declared.word, "variable" | "constant" | "operation") {
            return None;
        }
        let machine = self.machines().find(|machine| machine.span.file == span.file)?;
        let reference = machine.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Refines(reference) => Some(reference),
            _ => None,
        })?;
        let refined = self.machines().find(|other| other.name.text == reference.machine.text && other.span.file != span.file)?;
        let same = symbols::of_machine(refined)
            .into_iter()
            .find(|other| other.name.text == declared.name.text && other.word == declared.word && other.within.is_none())?;
        Some(same.name.span)
    }

    fn machines(&self) -> impl Iterator<Item = &'a Machine> {
        self.understood.machine.iter().chain(&self.understood.others.machines)
    }
}
