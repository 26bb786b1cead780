//! A text of the editor → trees, model and diagnostics, as for a check; other open texts take precedence over their files.
//!
//! Invariant: nothing is written; diagnostics of sema are shown only if the text has no syntax errors, as on the command line. Deliberately
//! elsewhere: panics (the callers of `understand` catch them).

use super::position;
use crate::args::FolderArgs;
use crate::project::file_name::other_file_name;
use crate::project::{OpenTexts, ProjectFiles};
use bcheck_ir::Model;
use bcheck_sema::{self as sema, Files, FormulaContext, LoadError, Macros, StatedFormula};
use bcheck_source::{Diagnostic, FileId, Severity, Shown, SourceMap, Span, has_errors};
use bcheck_syntax::{
    self as syntax,
    ast::{Definition, Machine, Parsed},
};
use lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri};
use std::path::Path;

/// The analysis of a text.
pub(super) struct Understood {
    /// The texts that spans point into; the first one is the text itself.
    pub(super) sources: SourceMap,
    /// The machine of the text, as far as it can be read.
    pub(super) machine: Option<Machine>,
    /// The definitions of the text, if it is a definition file.
    pub(super) definitions: Vec<Definition>,
    /// The machines and definition files that it requires, each once.
    pub(super) others: Others,
    /// The model, when there is no error.
    pub(super) model: Option<Model>,
    /// The definitions of the machine, for formulas in its context.
    pub(super) macros: Macros,
    /// The temporal formulas stated in its definitions.
    pub(super) stated: Vec<StatedFormula>,
    /// All diagnostics.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The other texts that belong to one, in the order in which they were found.
#[derive(Default)]
pub(super) struct Others {
    pub(super) machines: Vec<Machine>,
    /// Name as written, file, and definitions of each.
    pub(super) definition_files: Vec<(String, FileId, Vec<Definition>)>,
}

/// Records all trees that an analysis requests.
struct Recorder<'a> {
    files: ProjectFiles<'a>,
    others: Others,
}

impl Files for Recorder<'_> {
    fn machine(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        let parsed = self.files.machine(from, name, path)?;
        if let Some(machine) = &parsed.tree
            && !self.others.machines.iter().any(|known| known.span.file == machine.span.file)
        {
            self.others.machines.push(machine.clone());
        }
        Ok(parsed)
    }

    fn machine_file(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Option<FileId>, LoadError> {
        self.files.machine_file(from, name, path)
    }

    fn definitions(&mut self, from: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        let parsed = self.files.definitions(from, path)?;
        // The answer does not name the file, so it is recognised by the position of its first definition; a file without definitions
        // declares nothing anyway.
        let first = parsed.tree.first().map(|definition| match definition {
            Definition::Include(name) | Definition::Macro { name, .. } => name.span.file,
        });
        if let Some(file) = first
            && !self.others.definition_files.iter().any(|(_, known, _)| *known == file)
        {
            self.others.definition_files.push((path.to_owned(), file, parsed.tree.clone()));
        }
        Ok(parsed)
    }
}

/// Reads and types a text; a file that ends in `.def` contains definitions only.
pub(super) fn understand(path: &Path, text: &str, folders: &FolderArgs, open: &OpenTexts) -> Understood {
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text);
    // Decided by the ending, as the protocol gives no other hint: a text being written need not begin with DEFINITIONS yet.
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("def")) {
        let parsed = syntax::parse_definitions_file(file, text);
        return Understood {
            sources,
            machine: None,
            definitions: parsed.tree,
            others: Others::default(),
            model: None,
            macros: Macros::default(),
            stated: Vec::new(),
            diagnostics: parsed.diagnostics,
        };
    }
    let parsed = syntax::parse_machine(file, text);
    let mut diagnostics = parsed.diagnostics;
    let is_readable = !has_errors(&diagnostics);
    let mut recorder = Recorder { files: ProjectFiles::new(&mut sources, folders, file).with_open(open), others: Others::default() };
    let mut model = None;
    let mut macros = Macros::default();
    let mut stated = Vec::new();
    if let Some(machine) = &parsed.tree {
        diagnostics.extend(other_file_name(machine, path));
        // Done even if the text has syntax errors: then only for the files that it names, whose declarations answer requests.
        let analysis = sema::analyse_with(machine, &mut recorder);
        if is_readable {
            diagnostics.extend(analysis.diagnostics);
            model = analysis.model.filter(|_| !has_errors(&diagnostics));
            macros = analysis.macros;
            stated = analysis.stated;
        }
    }
    let others = recorder.others;
    // `check` parses these formulas on request; an editor reports their errors at once and keeps the model.
    if let Some(model) = &model {
        let context = FormulaContext { model: Some(model), ..FormulaContext::default() };
        diagnostics.extend(sema::stated_errors(&stated, &sources, context, &macros));
    }
    Understood { sources, machine: parsed.tree, definitions: Vec::new(), others, model, macros, stated, diagnostics }
}

impl Understood {
    /// The main text.
    pub(super) fn text(&self) -> &str {
        &self.sources.file(FileId(0)).text
    }

    /// The paths of all other files read for it, including those without a tree in `others`.
    pub(super) fn needed_files(&self) -> impl Iterator<Item = &Path> {
        self.sources.files().skip(1).map(|file| Path::new(&file.name))
    }

    /// A span as a location of the protocol. `own` is the URI of the text itself.
    pub(super) fn location(&self, own: &Uri, span: Span) -> Option<Location> {
        let uri = if span.file == FileId(0) { own.clone() } else { position::uri_of(Path::new(&self.sources.file(span.file).name))? };
        Some(Location { uri, range: position::range(&self.sources, span) })
    }

    /// All diagnostics in the form of the protocol, each with its file.
    pub(super) fn published(&self, own: &Uri) -> Vec<(Uri, lsp_types::Diagnostic)> {
        let publish = |diagnostic: &Diagnostic| {
            let place = self.location(own, diagnostic.span())?;
            // The first label always exists: it marks the diagnostic itself.
            let related: Vec<DiagnosticRelatedInformation> = diagnostic.labels[1..]
                .iter()
                .filter_map(|label| {
                    Some(DiagnosticRelatedInformation {
                        location: self.location(own, label.span)?,
                        message: Shown::line(&label.text).to_string(),
                    })
                })
                .collect();
            let label = Some(&diagnostic.labels[0].text).filter(|text| !text.is_empty());
            let lines = std::iter::once(&diagnostic.title).chain(label).chain(&diagnostic.help);
            let found = lsp_types::Diagnostic {
                range: place.range,
                severity: Some(match diagnostic.severity {
                    Severity::Error => DiagnosticSeverity::ERROR,
                    Severity::Warning => DiagnosticSeverity::WARNING,
                    Severity::Note => DiagnosticSeverity::INFORMATION,
                }),
                code: Some(NumberOrString::String(diagnostic.code.to_string())),
                source: Some("bcheck".to_owned()),
                message: Shown::join(lines.map(|line| Shown::line(line)), "\n").to_string(),
                related_information: Some(related).filter(|related| !related.is_empty()),
                ..lsp_types::Diagnostic::default()
            };
            Some((place.uri, found))
        };
        self.diagnostics.iter().filter_map(publish).collect()
    }
}
