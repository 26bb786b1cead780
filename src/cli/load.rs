//! From a path to a typed model, or to the reason why there is none, with its exit code.
//!
//! Invariant: nothing is loaded if an output of the command would replace a file that was read. Deliberately elsewhere: how diagnostics are
//! shown (`console`).

use crate::args::FolderArgs;
use crate::args::other_tools;
use crate::exit::Exit;
use crate::io::files::{self, ReadError};
use crate::io::output;
use crate::pictures::visb_files::VisbFiles;
use crate::project::ProjectFiles;
use crate::project::file_name::other_file_name;
use bcheck_explore::Projection;
use bcheck_ir::{Expr, ExprKind, Model, Precondition, Refinement, Scope, SetId, Type};
use bcheck_report::json;
use bcheck_sema as sema;
use bcheck_sema::{Formula, FormulaContext, Macros, RefinementRequest, StatedFormula};
use bcheck_source::{Code, Diagnostic, FileId, Shown, SourceFile, SourceMap, has_errors};
use bcheck_syntax as syntax;
use bcheck_syntax::ast::MachineKind;
use std::path::Path;

/// A machine that can be checked.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The typed machine.
    pub(crate) model: Model,
    /// Its definitions, for formulas of the command line.
    pub(crate) macros: Macros,
    /// The temporal formulas of its definitions that are to be checked.
    pub(crate) stated: Vec<StatedFormula>,
    /// The names of those that are not to be checked.
    pub(crate) not_taken: Vec<String>,
    /// Its VisB files, once its states are to be drawn.
    pub(crate) visb: VisbFiles,
    /// The deferred sets whose sizes are neither requested nor implied, once sizes are decided.
    pub(crate) default_sizes: Vec<SetId>,
    /// Warnings about its text.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// A machine after its analysis: no formula of its definitions is included, and no size decided.
    fn analysed(model: Model, macros: Macros, diagnostics: Vec<Diagnostic>) -> Self {
        let (stated, not_taken, default_sizes) = (Vec::new(), Vec::new(), Vec::new());
        Self { model, macros, stated, not_taken, visb: VisbFiles::default(), default_sizes, warnings: at_most(diagnostics) }
    }
}

impl Loaded {
    /// Reads its VisB files; the machine was read from this path.
    pub(crate) fn read_visb(&mut self, path: &Path, sources: &mut SourceMap) {
        self.visb = VisbFiles::read(&self.macros, path, sources);
    }
}

/// What is to be checked besides the clauses of the machine.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The predicate of `--goal`.
    pub(crate) goal: Option<&'a str>,
    /// How the precondition of a called operation is read.
    pub(crate) precondition: Precondition,
    /// Which of the temporal formulas in DEFINITIONS.
    pub(crate) is_wanted: &'a dyn Fn(&StatedFormula) -> bool,
}

impl Default for Asked<'_> {
    fn default() -> Self {
        Self { goal: None, precondition: Precondition::Contract, is_wanted: &|_| false }
    }
}

/// Why there is no machine.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A reason without a place in a text: a file cannot be read, or an output of the command is one of the files that were read
    /// ([`Exit::Usage`]).
    Plain(String, Exit),
    /// The machine or the command line is at fault; the exit code shows which.
    Refused(Vec<Diagnostic>, Exit),
}

impl Failure {
    /// Refuses a machine for the errors among these diagnostics.
    pub(crate) fn of_machine(diagnostics: Vec<Diagnostic>) -> Self {
        let diagnostics = at_most(diagnostics);
        // One syntax error suffices: later errors may be its consequences.
        let is_syntax = diagnostics.iter().any(|diagnostic| diagnostic.code.is_syntax() && has_errors(std::slice::from_ref(diagnostic)));
        Self::Refused(diagnostics, if is_syntax { Exit::Syntax } else { Exit::Rejected })
    }

    /// The JSON report of the failure; none without diagnostics.
    pub(crate) fn report(&self, path: &Path, sources: &SourceMap) -> Option<Shown> {
        match self {
            Self::Plain(..) => None,
            Self::Refused(list, _) => Some(json::render_unsearched(&path.display().to_string(), list, sources)),
        }
    }
}

/// Nobody reads more of them, and locating many takes long.
const MOST_DIAGNOSTICS: usize = 1_000;

/// The first diagnostics, including an error if there is one; the help of the last one counts those omitted.
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

/// Reads, parses and types a machine.
pub(crate) fn load(path: &Path, folders: &FolderArgs, asked: Asked<'_>, sources: &mut SourceMap) -> Result<Loaded, Failure> {
    let file = read(path, sources)?;
    // Kept until the outputs are compared with the files that were read: overwriting an input would be the more serious error.
    let analysed = analyse_asked(file, folders, asked, sources);
    keep_inputs()?;
    let mut loaded = analysed?;
    if asked.precondition == Precondition::Guard {
        loaded.model.guard_calls();
    }
    if let Some(goal) = asked.goal {
        add_goal(&mut loaded, goal, sources)?;
    }
    Ok(loaded)
}

/// Reads, parses and types a refinement with the machine that it refines.
pub(crate) fn load_refinement(
    path: &Path,
    folders: &FolderArgs,
    request: RefinementRequest<'_>,
    sources: &mut SourceMap,
) -> Result<(Loaded, Refinement), Failure> {
    let file = read(path, sources)?;
    analyse_refinement(file, folders, request, sources)
}

/// As [`load_refinement`] for a refinement, otherwise as [`load`]; `request` applies to the former.
pub(crate) fn load_either(
    path: &Path,
    folders: &FolderArgs,
    request: RefinementRequest<'_>,
    sources: &mut SourceMap,
) -> Result<(Loaded, Option<Refinement>), Failure> {
    let file = read(path, sources)?;
    let kind = syntax::parse_machine(file, &sources.file(file).text).tree.map(|machine| machine.kind);
    if kind.is_some_and(|kind| kind != MachineKind::Machine) {
        return analyse_refinement(file, folders, request, sources).map(|(loaded, refinement)| (loaded, Some(refinement)));
    }
    let analysed = analyse(file, folders, sources);
    keep_inputs()?;
    Ok((analysed?, None))
}

fn analyse_refinement(
    file: FileId,
    folders: &FolderArgs,
    request: RefinementRequest<'_>,
    sources: &mut SourceMap,
) -> Result<(Loaded, Refinement), Failure> {
    let parsed = syntax::parse_machine(file, &sources.file(file).text);
    let mut diagnostics = parsed.diagnostics;
    let Some(machine) = parsed.tree.filter(|_| !has_errors(&diagnostics)) else { return Err(Failure::of_machine(diagnostics)) };
    let analysis = sema::analyse_refinement(&machine, &mut ProjectFiles::new(sources, folders, file), request);
    keep_inputs()?;
    diagnostics.extend(analysis.diagnostics);
    diagnostics.extend(not_utf8(sources));
    match analysis.refinement {
        Some((mut model, refinement)) => {
            if request.precondition == Precondition::Guard {
                model.guard_calls();
            }
            Ok((Loaded::analysed(model, analysis.macros, diagnostics), refinement))
        }
        None => Err(Failure::of_machine(diagnostics)),
    }
}

fn read(path: &Path, sources: &mut SourceMap) -> Result<FileId, Failure> {
    files::read_argument(path, sources).map_err(|error| match error {
        ReadError::Io(reason) if path.is_dir() => {
            Failure::Plain(format!("{reason}; bcheck suite runs the machines below a folder that state their results"), Exit::Io)
        }
        ReadError::Io(reason) => Failure::Plain(reason, Exit::Io),
        ReadError::Refused(diagnostic) => Failure::of_machine(vec![*diagnostic]),
    })
}

/// Refuses outputs that would replace one of the files that were read. Which files a machine names is known only after its analysis, even
/// if that fails.
pub(crate) fn keep_inputs() -> Result<(), Failure> {
    output::refuse_inputs().map_err(|reason| Failure::Plain(reason, Exit::Usage))
}

/// A warning for each file of B that was read as Latin-1. A warning shows a line of its file, and no content is shown of a file that a
/// reference names but that is not B source.
fn not_utf8(sources: &SourceMap) -> Vec<Diagnostic> {
    let warn = |place| {
        Diagnostic::warning(Code::Latin1, place, "this file is not UTF-8: it was read as Latin-1")
            .label("the first character that is not UTF-8")
            .help("save it as UTF-8; from Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW")
    };
    // The map also contains formulas and options: only texts of B are warned about.
    let is_b = |file: &&SourceFile| syntax::begins_machine(&file.text) || syntax::begins_definitions(&file.text);
    sources.files().filter(is_b).filter_map(|file| file.latin1).map(warn).collect()
}

/// Parses and types the machine of a file with the files that it names.
pub(crate) fn analyse(file: FileId, folders: &FolderArgs, sources: &mut SourceMap) -> Result<Loaded, Failure> {
    analyse_asked(file, folders, Asked::default(), sources)
}

fn analyse_asked(file: FileId, folders: &FolderArgs, asked: Asked<'_>, sources: &mut SourceMap) -> Result<Loaded, Failure> {
    let _phase = tracing::debug_span!(target: "bcheck::cli", "load").entered();
    let mut parsed = syntax::parse_machine(file, &sources.file(file).text);
    // The file is not a machine at all.
    if let (None, Some(language)) = (&parsed.tree, other_tools::language_of(Path::new(&sources.file(file).name)))
        && let Some(first) = parsed.diagnostics.first_mut()
    {
        first.help = vec![format!("by its name this file is {language}; bcheck reads machines of B (.mch, .ref, .imp, .sys)")];
        first.fixes.clear();
        parsed.diagnostics.truncate(1);
    }
    let misnamed = parsed.tree.as_ref().and_then(|machine| other_file_name(machine, Path::new(&sources.file(file).name)));
    let _part = tracing::debug_span!(target: "bcheck::cli", "analyse").entered();
    let mut analysis = sema::analyse_parsed(parsed, &mut ProjectFiles::new(sources, folders, file));
    // Before the diagnostics are taken: selecting formulas renews the note about those left out.
    let stated = analysis.take_stated(asked.is_wanted);
    let not_taken = analysis.stated.into_iter().map(|stated| stated.name).collect();
    let mut diagnostics = analysis.diagnostics;
    diagnostics.extend(not_utf8(sources));
    diagnostics.extend(misnamed);
    match analysis.model {
        Some(model) => Ok(Loaded { stated, not_taken, ..Loaded::analysed(model, analysis.macros, diagnostics) }),
        None => Err(Failure::of_machine(diagnostics)),
    }
}

/// Parses and types a formula in the context of a machine; `name` replaces the file name in messages. With a scope, elements of deferred
/// sets can be named.
pub(crate) fn formula(
    loaded: &mut Loaded,
    scope: Option<&Scope>,
    name: &str,
    text: &str,
    sources: &mut SourceMap,
) -> Result<Formula, Failure> {
    let context = FormulaContext { model: Some(&loaded.model), scope, expected: None, has_current: false };
    let (formula, model) = sema::read_formula(sources.add(name, text), text, context, &loaded.macros).map_err(Failure::of_machine)?;
    // The names that the formula binds need slots in the machine's frame, and later formulas get others.
    loaded.model = model;
    Ok(formula)
}

/// As [`formula`], where a predicate may have free names.
pub(crate) fn question(
    loaded: &mut Loaded,
    scope: &Scope,
    name: &str,
    text: &str,
    sources: &mut SourceMap,
) -> Result<sema::Asked, Failure> {
    let context = FormulaContext { model: Some(&loaded.model), scope: Some(scope), expected: None, has_current: false };
    let (asked, model) = sema::read_question(sources.add(name, text), text, context, &loaded.macros).map_err(Failure::of_machine)?;
    loaded.model = model;
    Ok(asked)
}

/// A formula that has a value in each state; without a scope, as names of elements of deferred sets would distinguish symmetric states.
pub(crate) fn projection(loaded: &mut Loaded, name: &str, text: &str, sources: &mut SourceMap) -> Result<Projection, Failure> {
    let expr = match formula(loaded, None, name, text, sources)? {
        Formula::Expr(expr) => expr,
        Formula::Pred(pred) => Expr { span: pred.span, ty: Type::Bool, kind: ExprKind::BoolOf(Box::new(pred)) },
    };
    Ok(Projection { expr, text: text.trim().to_owned() })
}

/// Makes the predicate of `--goal` the goal of the machine.
fn add_goal(loaded: &mut Loaded, text: &str, sources: &mut SourceMap) -> Result<(), Failure> {
    // Without a scope: as in the machine itself, elements of deferred sets have no names in a goal.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_text_of_b_is_not_shown_for_its_encoding() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file");
        write("secret", b"word: \xE9\n");
        write("Seen.mch", b"MACHINE Seen /* \xE9 */ END");
        write("m.mch", b"MACHINE m SEES Seen, Other /*@file \"secret\" */ END");
        let mut sources = SourceMap::new();
        let Err(Failure::Refused(list, _)) = load(&folder.path().join("m.mch"), &FolderArgs::default(), Asked::default(), &mut sources)
        else {
            panic!("there is no machine in `secret`")
        };
        let shown = |list: &[Diagnostic]| -> Vec<String> {
            list.iter().flat_map(|one| &one.labels).map(|label| sources.file(label.span.file).name.clone()).collect()
        };
        assert!(shown(&list).iter().all(|name| !name.ends_with("secret")), "{list:?}");
        assert!(shown(&list).iter().any(|name| name.ends_with("Seen.mch")), "the warning about a machine is there: {list:?}");
    }
}
