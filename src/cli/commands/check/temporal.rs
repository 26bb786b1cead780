//! Temporal formulas of a check: from the command line, from files, and from DEFINITIONS.
//!
//! Invariant: every requested formula becomes one of the model, in the order `--ltl`, `--ctl`, `--ltl-file`, DEFINITIONS, or the check is
//! refused. Deliberately elsewhere: the syntax of formulas (`sema`), how they are judged (`explore::temporal`).

use crate::args::{CheckpointArgs, NamedFormulas, TemporalArgs};
use crate::exit::Exit;
use crate::io::files;
use crate::load::{Failure, Loaded, keep_inputs};
use bcheck_explore::{Options, Strategy};
use bcheck_ir::temporal::{Prefix, TemporalFormula, TemporalKind};
use bcheck_ir::{Model, NotChecked, Scope};
use bcheck_sema::{FormulaContext, Macros, NOT_ASKED_FOR, StatedFormula, is_no_formula, nearest, read_stated, read_temporal};
use bcheck_source::{Code, Diagnostic, Severity, SourceMap, Vocabulary};
use bcheck_symmetry::Symmetry;
use bcheck_syntax::temporal::{Logic, begins_with_exists};
use std::path::Path;

impl NamedFormulas {
    /// Whether a formula of DEFINITIONS was requested.
    pub(crate) fn is_wanted(&self, stated: &StatedFormula) -> bool {
        // `--temporal` without names is a list with one empty name.
        self.temporal.as_ref().is_some_and(|names| names.iter().all(String::is_empty) || names.contains(&stated.name))
    }

    /// The names as typed; none where all formulas are meant.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.temporal.iter().flatten().filter(|name| !name.is_empty())
    }
}

impl TemporalArgs {
    /// Whether any formula was requested.
    pub(crate) fn is_asked(&self) -> bool {
        !self.ltl.is_empty() || !self.ctl.is_empty() || !self.ltl_file.is_empty() || self.named.temporal.is_some()
    }

    /// Whether formulas were typed, or named in files.
    fn is_typed(&self) -> bool {
        !self.ltl.is_empty() || !self.ctl.is_empty() || !self.ltl_file.is_empty()
    }

    /// Why a check leaves out the formulas of DEFINITIONS that were not requested, if it does.
    pub(crate) fn left_out(&self, strategy: Strategy, checkpoints: &CheckpointArgs) -> Option<LeftOut> {
        let by_choice = self.left_out_by_choice().map(|reason| LeftOut { reason, by_choice: true });
        let unable = || unable_to_judge(strategy, checkpoints).map(|reason| LeftOut { reason, by_choice: false });
        by_choice.or_else(unable)
    }

    /// The option by which the user excluded them.
    fn left_out_by_choice(&self) -> Option<&'static str> {
        if self.named.temporal.is_some() {
            return Some("--temporal names others");
        }
        if self.no_temporal {
            return Some(NOT_WANTED);
        }
        let only_typed = self.only_temporal && self.is_typed();
        only_typed.then_some("--only-temporal checks the formulas that were typed; with --temporal, this one too")
    }

    /// Whether a formula of DEFINITIONS is checked.
    pub(crate) fn is_wanted(&self, stated: &StatedFormula, left_out: Option<LeftOut>) -> bool {
        self.named.is_wanted(stated) || self.named.temporal.is_none() && left_out.is_none()
    }

    /// Refuses options that exclude each other.
    pub(crate) fn verified(&self, strategy: Strategy) -> Result<(), String> {
        let has_any = self.is_typed() || !self.no_temporal;
        if !has_any && self.only_temporal {
            return Err("--only-temporal checks nothing with --no-temporal and without --ltl, --ctl or --ltl-file".to_owned());
        }
        if !has_any && self.witness {
            return Err("--witness shows nothing with --no-temporal and without --ctl".to_owned());
        }
        if self.is_asked() && strategy != Strategy::Breadth {
            return Err(format!("temporal formulas are judged level by level: leave out --strategy {}", strategy.word()));
        }
        Ok(())
    }

    /// Refuses a check of temporal formulas alone if there is none.
    pub(crate) fn verified_in(&self, model: &Model) -> Result<(), String> {
        if self.only_temporal && model.temporal.is_empty() {
            let name = &model.name;
            return Err(format!(
                "--only-temporal: {name} states no formula that --temporal takes, and there is no --ltl, --ctl or --ltl-file"
            ));
        }
        Ok(())
    }

    /// Warns if a witness was requested and no formula can have one.
    pub(crate) fn warn_of_no_witness(&self, model: &Model) {
        let has_witness =
            |formula: &TemporalFormula| matches!(&formula.body.kind, TemporalKind::Prefixed(Prefix::Path { is_existential: true, .. }, _));
        if self.witness && !model.temporal.iter().any(has_witness) {
            files::complain("warning: --witness shows nothing: no formula has EF, EG, EX or E f U g outermost\n");
        }
    }

    /// The options of a search that judges these formulas.
    pub(crate) fn applied(&self, options: Options) -> Options {
        let options = Options { witness: self.witness, ..options };
        if !self.only_temporal {
            return options;
        }
        Options { invariant: false, deadlock: false, assertions: false, goal: false, ..options }
    }

    /// Adds the requested formulas to a model; the sizes of its sets determine the names of their elements.
    pub(crate) fn add_to(&self, loaded: &mut Loaded, scope: &Scope, sources: &mut SourceMap) -> Result<(), Failure> {
        for (option, logic, texts) in [("--ltl", Logic::Ltl, &self.ltl), ("--ctl", Logic::Ctl, &self.ctl)] {
            for text in texts {
                let file = sources.add(option, text);
                add(loaded, scope, |context, macros| read_temporal(file, logic, option, text, context, macros))?;
            }
        }
        for path in &self.ltl_file {
            add_file(path, loaded, scope, sources)?;
        }
        for name in self.named.names() {
            if !loaded.stated.iter().any(|stated| stated.name == *name) {
                return Err(unknown(name, loaded));
            }
        }
        for stated in std::mem::take(&mut loaded.stated) {
            add(loaded, scope, |context, macros| read_stated(&stated, sources, context, macros))?;
        }
        Ok(())
    }

    /// As [`TemporalArgs::add_to`], for a check, which includes formulas of DEFINITIONS by default: if bcheck cannot read one of these,
    /// this is not an error, but the machine is not verified. `left_out`: why no such formula is checked, if so.
    pub(crate) fn add_to_check(
        &self,
        loaded: &mut Loaded,
        scope: &Scope,
        sources: &mut SourceMap,
        left_out: Option<LeftOut>,
    ) -> Result<(), Failure> {
        let by_default = if self.named.temporal.is_none() { std::mem::take(&mut loaded.stated) } else { Vec::new() };
        self.add_to(loaded, scope, sources)?;
        for stated in by_default {
            if let Err(Failure::Refused(faults, _)) = add(loaded, scope, |context, macros| read_stated(&stated, sources, context, macros)) {
                leave_unread(loaded, &stated, &faults);
            }
        }
        leave_out(loaded, left_out);
        Ok(())
    }
}

/// Leaves out the formulas of DEFINITIONS that were not added, with the reason if there is one.
pub(crate) fn leave_out(loaded: &mut Loaded, left_out: Option<LeftOut>) {
    if let Some(left_out) = left_out {
        tell_left_out(loaded, left_out);
    }
    // Definitions with parameters, and those that are not strings, were meant as formulas.
    if left_out.is_none_or(|left_out| !left_out.by_choice) {
        let was_meant = |property: &&mut NotChecked| is_no_formula(property.reason);
        loaded.model.not_checked.iter_mut().filter(was_meant).for_each(|property| property.leaves_open = true);
    }
}

/// Why formulas of DEFINITIONS are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftOut {
    reason: &'static str,
    /// The user excluded them: then the verdict is one without them.
    by_choice: bool,
}

const NOT_WANTED: &str = "--no-temporal leaves it out";

impl LeftOut {
    /// For a comparison, which counts states and judges no formula.
    pub(crate) fn of_comparison(by_choice: bool) -> Self {
        Self { reason: if by_choice { NOT_WANTED } else { "a comparison judges none" }, by_choice }
    }
}

/// Why a search cannot judge formulas, if so.
fn unable_to_judge(strategy: Strategy, checkpoints: &CheckpointArgs) -> Option<&'static str> {
    if strategy != Strategy::Breadth {
        return Some("temporal formulas are judged level by level, by --strategy bfs only");
    }
    if checkpoints.processes.option().is_some() {
        return Some("several processes share the search of states only");
    }
    checkpoints.disk.as_ref().map(|_| "the graph that temporal formulas are judged on is kept in memory, not by --disk")
}

/// Lists a stated formula that cannot be read among the properties that are not checked, with a warning.
fn leave_unread(loaded: &mut Loaded, stated: &StatedFormula, faults: &[Diagnostic]) {
    let (name, formula, span) = (stated.name.clone(), stated.literal, stated.span);
    let reason = "it is not read as a temporal formula";
    let why = faults.first().map(|fault| (fault.span(), fault.title.clone()));
    let warning = Diagnostic::warning(Code::NotChecked, span, format!("the property `{name}` is not checked: it is not read as a formula"));
    loaded.warnings.push(why.into_iter().fold(warning, |warning, (place, title)| warning.also(place, title)));
    loaded.model.not_checked.push(NotChecked { name, formula, span, reason, leaves_open: true });
}

/// Records why stated formulas are left out, both in the list of unchecked properties and in the note about them.
fn tell_left_out(loaded: &mut Loaded, LeftOut { reason, by_choice }: LeftOut) {
    let is_left_out = |property: &&mut NotChecked| loaded.not_taken.contains(&property.name) && property.reason == NOT_ASKED_FOR;
    loaded.model.not_checked.iter_mut().filter(is_left_out).for_each(|property| {
        property.reason = reason;
        property.leaves_open = !by_choice;
    });
    let is_note = |warning: &&mut Diagnostic| warning.code == Code::NotChecked && warning.severity == Severity::Note;
    for note in loaded.warnings.iter_mut().filter(is_note) {
        let what = note.title.split("; ").next().unwrap_or_default();
        note.title = format!("{what}: {reason}");
    }
}

/// Reports, before a search, that formulas included by default make it more expensive.
pub(crate) fn say_costs(model: &Model, symmetry: &Symmetry, is_asked: bool) {
    if model.temporal.is_empty() || is_asked || symmetry.is_trivial() {
        return;
    }
    files::complain(
        "note: temporal formulas of DEFINITIONS are checked, too: the graph of states is kept in memory, and formulas that tell symmetric \
         elements apart take searches of their own (--no-temporal leaves them out)\n",
    );
}

/// Adds the formula that `read` reads in the context of the model.
fn add(
    loaded: &mut Loaded,
    scope: &Scope,
    read: impl FnOnce(FormulaContext<'_>, &Macros) -> Result<(TemporalFormula, Model), Vec<Diagnostic>>,
) -> Result<(), Failure> {
    let context = FormulaContext { model: Some(&loaded.model), scope: Some(scope), ..FormulaContext::default() };
    let (formula, mut model) = read(context, &loaded.macros).map_err(Failure::of_machine)?;
    model.temporal.push(formula);
    loaded.model = model;
    Ok(())
}

/// Adds the formulas of a file, one on each line that is neither empty nor a comment. `#` begins a comment, unless it begins `#x.(…)`: a
/// comment that is read as a formula is refused, but a formula that is read as a comment would silently go unchecked.
fn add_file(path: &Path, loaded: &mut Loaded, scope: &Scope, sources: &mut SourceMap) -> Result<(), Failure> {
    let text = files::read_text(path).map_err(|reason| Failure::Plain(reason, Exit::Io))?;
    keep_inputs()?;
    let name = path.display().to_string();
    for (before, line) in text.lines().enumerate() {
        let is_comment = line.trim_start().starts_with('#') && !begins_with_exists(line);
        if line.trim().is_empty() || is_comment {
            continue;
        }
        // A source of its own, padded by as many empty lines as precede it, so that errors have the right line number.
        let alone = "\n".repeat(before) + line;
        let file = sources.add(&name, &alone);
        add(loaded, scope, |context, macros| read_temporal(file, Logic::Ltl, &name, &alone, context, macros))?;
    }
    Ok(())
}

fn unknown(name: &str, loaded: &Loaded) -> Failure {
    let known = || loaded.not_taken.iter().map(String::as_str).chain(loaded.stated.iter().map(|stated| stated.name.as_str()));
    let near = nearest(name, known()).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let reason = match known().count() {
        0 => format!("--temporal={name}: {} states no temporal formula in DEFINITIONS", loaded.model.name),
        _ => format!("--temporal={name}: DEFINITIONS have no temporal formula of that name{near}"),
    };
    Failure::Plain(reason, Exit::Usage)
}
