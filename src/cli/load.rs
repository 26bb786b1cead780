//! From a path to a typed model, and from a refusal to what the user sees and the exit code.
//!
//! Invariant: diagnostics go to stderr whatever the format; with JSON they are also the report, so that programs need one
//! stream only.

use super::args::{FolderArgs, FormatArg};
use super::exit::Exit;
use super::files::{self, ReadError};
use super::output::{self, Output};
use super::project::ProjectFiles;
use super::terminal::Terminal;
use crate::ir::{Model, Refinement, Scope};
use crate::report::{diagnostics, json};
use crate::sema::{Formula, FormulaContext, Macros, RefinementRequest};
use crate::source::{Code, Diagnostic, FileId, Shown, SourceMap, has_errors, shown};
use crate::syntax::ast::Machine;
use crate::{sema, syntax};
use std::path::Path;

/// A machine that can be checked.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The typed machine.
    pub(super) model: Model,
    /// Its definitions, for formulas of the command line.
    pub(super) macros: Macros,
    /// Warnings about its text.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Why there is no machine.
#[derive(Debug)]
pub(super) enum Failure {
    /// The system refused.
    Io(String),
    /// An output of the command is one of the files that were read.
    Output(String),
    /// The machine or the command line is at fault; the exit code says which.
    Refused(Vec<Diagnostic>, Exit),
}

impl Failure {
    /// Refuses a machine for the errors among these diagnostics.
    pub(super) fn of_machine(diagnostics: Vec<Diagnostic>) -> Self {
        let diagnostics = at_most(diagnostics);
        let is_syntax = diagnostics.iter().any(|diagnostic| diagnostic.code.is_syntax() && has_errors(std::slice::from_ref(diagnostic)));
        Self::Refused(diagnostics, if is_syntax { Exit::Syntax } else { Exit::Rejected })
    }

    /// Tells the user, and says how the program ends.
    pub(super) fn tell(&self, path: &Path, format: FormatArg, sources: &SourceMap, output: Output, terminal: Terminal) -> Exit {
        let exit = self.show(format, sources, terminal);
        if format == FormatArg::Json
            && let Some(report) = self.report(path, sources)
            && let Err(reason) = output.save_refusal(&report)
        {
            files::complain(&format!("error: {reason}\n"));
        }
        exit
    }

    /// The same on stderr alone.
    pub(super) fn show(&self, format: FormatArg, sources: &SourceMap, terminal: Terminal) -> Exit {
        match self {
            Self::Io(reason) => {
                files::complain(&format!("error: {reason}\n"));
                Exit::Io
            }
            Self::Output(reason) => {
                files::complain(&format!("error: {reason}\n"));
                Exit::Usage
            }
            Self::Refused(list, exit) => {
                show(list, format, sources, terminal);
                *exit
            }
        }
    }

    /// What it is in JSON: nothing where the system refused.
    pub(super) fn report(&self, path: &Path, sources: &SourceMap) -> Option<Shown> {
        match self {
            Self::Io(_) | Self::Output(_) => None,
            Self::Refused(list, _) => Some(json::render_rejected(&path.display().to_string(), list, sources)),
        }
    }
}

/// Nobody reads more of them, and to find the places of many takes long.
const MOST_DIAGNOSTICS: usize = 1_000;

/// The first diagnostics, among them an error if there is one; that there are more is said by the last one.
fn at_most(mut list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if list.len() <= MOST_DIAGNOSTICS {
        return list;
    }
    let left_out = list.len() - MOST_DIAGNOSTICS;
    // Errors first, each kind in its order.
    list.sort_by_key(|diagnostic| !has_errors(std::slice::from_ref(diagnostic)));
    list.truncate(MOST_DIAGNOSTICS);
    if let Some(last) = list.last_mut() {
        last.help.push(format!("{left_out} more errors and warnings are not shown"));
    }
    list
}

/// Writes diagnostics to stderr in the form that goes with the format of the report.
pub(super) fn show(list: &[Diagnostic], format: FormatArg, sources: &SourceMap, terminal: Terminal) {
    if format == FormatArg::Text {
        files::complain(&diagnostics::render_all(list, sources, terminal.stderr));
    } else {
        for diagnostic in list {
            files::complain(&shown!("{}\n", diagnostics::headline(diagnostic, sources)));
        }
    }
}

/// Reads, parses and types a machine; `goal` is the predicate of `--goal`.
pub(super) fn load(path: &Path, folders: &FolderArgs, goal: Option<&str>, sources: &mut SourceMap) -> Result<Loaded, Failure> {
    let file = files::read(path, sources).map_err(|error| match error {
        ReadError::Io(reason) => Failure::Io(reason),
        ReadError::Refused(diagnostic) => Failure::of_machine(vec![*diagnostic]),
    })?;
    let analysed = analyse(file, folders, sources);
    keep_inputs()?;
    let mut loaded = analysed?;
    if let Some(goal) = goal {
        add_goal(&mut loaded, goal, sources)?;
    }
    Ok(loaded)
}

/// Reads, parses and types a refinement with the machine that it refines.
pub(super) fn load_refinement(
    path: &Path,
    folders: &FolderArgs,
    request: RefinementRequest<'_>,
    sources: &mut SourceMap,
) -> Result<(Loaded, Refinement), Failure> {
    let file = files::read(path, sources).map_err(|error| match error {
        ReadError::Io(reason) => Failure::Io(reason),
        ReadError::Refused(diagnostic) => Failure::of_machine(vec![*diagnostic]),
    })?;
    let (machine, mut diagnostics) = parse(file, sources)?;
    let analysis = sema::analyse_refinement(&machine, &mut ProjectFiles::new(sources, folders, file), request);
    keep_inputs()?;
    diagnostics.extend(analysis.diagnostics);
    diagnostics.extend(not_utf8(sources));
    match analysis.refinement {
        Some((model, refinement)) if !has_errors(&diagnostics) => {
            Ok((Loaded { model, macros: analysis.macros, warnings: diagnostics }, refinement))
        }
        _ => Err(Failure::of_machine(diagnostics)),
    }
}

/// Refuses outputs that would replace one of the files that were read.
fn keep_inputs() -> Result<(), Failure> {
    output::refuse_inputs().map_err(Failure::Output)
}

/// A warning for each file that was read as Latin-1.
fn not_utf8(sources: &SourceMap) -> Vec<Diagnostic> {
    let warn = |place| {
        Diagnostic::warning(Code::Latin1, place, "this file is not UTF-8: it was read as Latin-1")
            .label("the first character that is not UTF-8")
            .help("save it as UTF-8; from Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW")
    };
    sources.files().filter_map(|file| file.latin1).map(warn).collect()
}

fn parse(file: FileId, sources: &SourceMap) -> Result<(Machine, Vec<Diagnostic>), Failure> {
    let parsed = syntax::parse_machine(file, &sources.file(file).text);
    match parsed.tree.filter(|_| !has_errors(&parsed.diagnostics)) {
        Some(machine) => Ok((machine, at_most(parsed.diagnostics))),
        None => Err(Failure::of_machine(parsed.diagnostics)),
    }
}

/// Parses and types the machine of a file with the files that it names.
pub(super) fn analyse(file: FileId, folders: &FolderArgs, sources: &mut SourceMap) -> Result<Loaded, Failure> {
    let (machine, mut diagnostics) = parse(file, sources)?;
    tracing::debug!(clauses = machine.clauses.len(), "parsed");
    let analysis = sema::analyse_with(&machine, &mut ProjectFiles::new(sources, folders, file));
    diagnostics.extend(analysis.diagnostics);
    diagnostics.extend(not_utf8(sources));
    match analysis.model {
        Some(model) if !has_errors(&diagnostics) => Ok(Loaded { model, macros: analysis.macros, warnings: at_most(diagnostics) }),
        _ => Err(Failure::of_machine(diagnostics)),
    }
}

/// Parses and types a formula in the context of a machine; `name` stands for its file in messages. With a scope, elements of
/// deferred sets can be named.
pub(super) fn formula(
    loaded: &mut Loaded,
    scope: Option<&Scope>,
    name: &str,
    text: &str,
    sources: &mut SourceMap,
) -> Result<Formula, Failure> {
    let file = sources.add(name, text);
    let parsed = syntax::parse_formula(file, text);
    if has_errors(&parsed.diagnostics) {
        return Err(Failure::of_machine(parsed.diagnostics));
    }
    let context = FormulaContext { model: Some(&loaded.model), scope, expected: None };
    let (formula, model) = sema::analyse_formula(&parsed.tree, context, &loaded.macros).map_err(Failure::of_machine)?;
    loaded.model = model;
    Ok(formula)
}

/// Makes the predicate of `--goal` the goal of the machine.
fn add_goal(loaded: &mut Loaded, text: &str, sources: &mut SourceMap) -> Result<(), Failure> {
    match formula(loaded, None, "--goal", text, sources)? {
        Formula::Pred(pred) => {
            loaded.model.goal = Some(pred);
            Ok(())
        }
        Formula::Expr(expr) => Err(Failure::Refused(
            vec![
                Diagnostic::error(Code::ExpectedPredicate, expr.span, "the goal is an expression, not a predicate")
                    .help("compare it with something"),
            ],
            Exit::Syntax,
        )),
    }
}
