//! The phases that a check, a refinement check and a check in an editor have in common: compile, find the symmetries, search, report.
//!
//! Invariant: the result of a phase is an argument of the next one, so none can be left out; each phase is announced to the watchdog before
//! it begins, and timed. Deliberately elsewhere: how a machine is read (`load`), where a report goes (`check`, `refine`).

pub(crate) mod graph_walk;
mod growing;
pub(crate) mod re_exploration;
mod symmetry_check;
mod task;

pub(crate) use task::{RefinementTask, Task};

use crate::args::ProgressArg;
use crate::commands::checkpoint::Kept;
use crate::exit::Exit;
use crate::io::console::Console;
use crate::io::interrupt::{self, Stage};
use crate::io::memory;
use crate::load::Loaded;
use crate::pictures::states;
use crate::pictures::visb_files::VisbFiles;
use crate::progress::Watcher;
use crate::progress::status::StatusFile;
use bcheck_eval::{EvalError, Machine, TriedRange};
use bcheck_explore::statistics::TABLES;
use bcheck_explore::{self as explore, CheckpointFault, Growth, Limits, NeverEnabled, Options, Outcome, Survey};
use bcheck_ir::{OperationId, Scope, SetId};
use bcheck_report::picture::Painter;
use bcheck_report::{BranchCoverage, CheckReport, FindingEvidence, Times};
use bcheck_sema::Macros;
use bcheck_source::{Code, Diagnostic, Span, Vocabulary, keeps_statistics};
use bcheck_symmetry::Symmetry;
use re_exploration::{Surveyed, branches, second_look};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A compiled machine on its way to a report.
pub(crate) struct Session<'a> {
    pub(crate) machine: Machine,
    pub(crate) options: Options,
    pub(crate) task: Task,
    /// The checkpoints of the search, if it writes any.
    pub(crate) kept: Option<Kept>,
    console: &'a Console,
    file: String,
    /// Warnings so far: about the text, the symmetries, and the search.
    warnings: Vec<Diagnostic>,
    /// The variables that only grow, for a search that did not end.
    growth: Vec<Growth>,
    times: Times,
    /// The definitions of the machine, for pictures of its states.
    macros: Macros,
    visb: VisbFiles,
    default_sizes: Vec<SetId>,
}

impl<'a> Session<'a> {
    /// Compiles a machine that was read from this path, and shows the warnings about its text.
    pub(crate) fn compile(console: &'a Console, path: &Path, (loaded, scope): (Loaded, Scope), options: Options, task: Task) -> Self {
        // Before work that may take long: a warning may explain why.
        console.show(&loaded.warnings);
        interrupt::stage(Stage::Preparing(task.compiling()));
        let read_s = console.opened.elapsed().as_secs_f64();
        let _phase = tracing::debug_span!(target: "bcheck::cli", "compile").entered();
        let machine = Machine::compile(Arc::new(loaded.model), scope);
        let times = Times { read_s, compile_s: console.opened.elapsed().as_secs_f64() - read_s, ..Times::default() };
        let file = path.display().to_string();
        Self {
            machine,
            options,
            task,
            kept: None,
            console,
            file,
            warnings: loaded.warnings,
            growth: Vec::new(),
            times,
            macros: loaded.macros,
            visb: loaded.visb,
            default_sizes: loaded.default_sizes,
        }
    }

    /// The symmetries to search with; if they are to be tested, those that a sample of the states does not refute.
    pub(crate) fn symmetry(&mut self, is_tested: bool) -> Symmetry {
        interrupt::stage(Stage::Preparing("symmetries were looked for"));
        let _phase = tracing::debug_span!(target: "bcheck::cli", "symmetry").entered();
        // Without a test the analysis of the text suffices, as it is a proof.
        if !is_tested {
            return self.options.symmetry_of(&self.machine);
        }
        let (symmetry, doubts) = self.task.tested_symmetry(&self.machine, &self.options);
        self.warn(doubts);
        symmetry
    }

    /// Searches, and explores the states again if the report needs a survey of them.
    ///
    ///
    /// If the checkpoints cannot be used; without any there is no error.
    pub(crate) fn search(
        &mut self,
        symmetry: &Symmetry,
        (progress, status): (ProgressArg, Option<&mut StatusFile>),
        surveyed: Option<Surveyed<'_>>,
    ) -> Result<(Outcome, Option<Survey>), CheckpointFault> {
        // From here on a limit ends the search, which reports its results so far; before, it ended the process.
        interrupt::watch(self.machine.interrupt());
        let load_s = self.console.opened.elapsed().as_secs_f64();
        // The remainder, so that the parts add up to the whole.
        (self.times.load_s, self.times.symmetry_s) = (load_s, load_s - self.times.read_s - self.times.compile_s);
        tracing::info!(
            target: "bcheck::cli",
            machine = self.machine.model().name,
            variables = self.machine.model().variables.len(),
            operations = self.machine.model().operations.len(),
            movable = ?symmetry.detail().movable,
            load_s,
            "machine compiled"
        );
        let phase = tracing::debug_span!(target: "bcheck::cli", "search").entered();
        // One for search and survey: the line of progress changes its phase and is drawn by one owner.
        let limits = self.shown_limits();
        let mut watcher = Watcher::new(progress, "").of_search(&limits, status);
        let started = Instant::now();
        let subject = (&self.machine, symmetry, &self.options);
        let mut outcome = self.task.search(subject, self.kept.as_mut(), &mut watcher)?;
        outcome.leave_open(self.machine.model());
        drop(phase);
        self.times.search_s = started.elapsed().as_secs_f64();
        // After the search is timed: what the page costs is not a cost of the check.
        let survey = surveyed.and_then(|surveyed| self.task.survey(subject, (&outcome, surveyed), &mut watcher));
        self.growth = if self.task.is_check() { growing::of_unfinished(&self.machine, &outcome) } else { Vec::new() };
        self.times.survey_s = started.elapsed().as_secs_f64() - self.times.search_s;
        watcher.finish();
        // The results are there: from now on no limit discards them, only a second signal.
        interrupt::stage(Stage::Reporting);
        tracing::info!(target: "bcheck::cli", states = outcome.explored.states, verdict = outcome.verdict.word(), "search ended");
        // Which parts of PROPERTIES are unknown depends on the values that occurred, so it is known only now.
        self.warn([assumed(&self.machine), within_bounds(self.machine.tried()), not_chosen(&self.machine)].concat());
        Ok((outcome, survey))
    }

    /// The limits to be shown: including that on memory, at which states go to disk.
    fn shown_limits(&self) -> Limits {
        let of_process = self.kept.as_ref().and_then(|kept| kept.memory_bytes);
        Limits { memory_bytes: of_process.or(self.options.limits.memory_bytes), ..self.options.limits.clone() }
    }

    /// Why the property of the finding fails, and why operations are never enabled.
    pub(crate) fn explanation(&self, symmetry: &Symmetry, outcome: &Outcome) -> (Option<FindingEvidence>, Vec<NeverEnabled>) {
        // A limit that ended the search leaves some time for this as well.
        interrupt::look_back(self.machine.interrupt(), Exit::Verdict(outcome.verdict));
        let evidence = outcome.finding.as_ref().and_then(|finding| self.task.evidence(&self.machine, finding));
        let never_enabled = self.never_enabled(symmetry, outcome);
        // As after the search: findings are reported, whatever limit is reached meanwhile.
        interrupt::stage(Stage::Reporting);
        (evidence, never_enabled)
    }

    /// Which branches were ever taken; `None` for a refinement check, and if nothing was explored.
    pub(crate) fn branches(&self, outcome: &Outcome) -> Option<BranchCoverage> {
        if !self.task.is_check() || outcome.explored.states == 0 || interrupt::happened() {
            return None;
        }
        branches(&self.machine, &self.options)
    }

    /// Why operations are never enabled, which only a complete search can tell.
    fn never_enabled(&self, symmetry: &Symmetry, outcome: &Outcome) -> Vec<NeverEnabled> {
        let never = outcome.operations.iter().filter(|counts| counts.transitions == 0);
        let operations: Vec<OperationId> = never.map(|counts| counts.operation).collect();
        if operations.is_empty() || !outcome.complete || !self.task.is_check() {
            return Vec::new();
        }
        let explored = (outcome, self.options.limits.set_ups, Surveyed::Guards);
        let found = second_look(&self.machine, symmetry, explored, |symmetry, limits, is_over| {
            explore::never_enabled(&self.machine, symmetry, &self.options, &operations, (limits, is_over))
        });
        found.unwrap_or_default()
    }

    /// The painter of the states of traces, with `draws_all` also of those that no definition describes; for a refinement, of its own
    /// states.
    pub(crate) fn painter(&mut self, draws_all: bool, name: &str) -> Painter {
        let model = self.task.drawn(&self.machine);
        let (subject, files) = ((&*model, self.machine.scope()), (Path::new(&self.file), &self.visb));
        let (painter, troubles) = states::painter(subject, &self.macros, files, (draws_all, name));
        self.warn(troubles);
        painter
    }

    /// The data of all reports.
    pub(crate) fn report<'r>(&'r self, symmetry: &'r Symmetry, outcome: &'r Outcome, survey: Option<&'r Survey>) -> CheckReport<'r> {
        CheckReport {
            sources: &self.console.sources,
            file: &self.file,
            model: self.machine.model(),
            scope: self.machine.scope(),
            tried: self.machine.tried(),
            options: &self.options,
            outcome,
            evidence: None,
            never_enabled: &[],
            growth: &self.growth,
            is_verbose: self.console.is_verbose(),
            shows_changes: false,
            painter: None,
            refinement: self.task.refinement(),
            symmetry: symmetry.detail(),
            survey,
            default_sizes: &self.default_sizes,
            branches: None,
            checkpoint: self.kept.as_ref().map(Kept::report),
            diagnostics: &self.warnings,
            times: self.times,
            // Read only now, so that search and survey are included.
            peak_memory_bytes: memory::peak_bytes(),
            statistics: if keeps_statistics() { &TABLES } else { &[] },
        }
    }

    /// Shows warnings, and stores them for the report.
    fn warn(&mut self, warnings: Vec<Diagnostic>) {
        self.console.show(&warnings);
        self.warnings.extend(warnings);
    }
}

/// A warning for each part of PROPERTIES that could not be decided and is assumed to hold, and for PROPERTIES without a value.
pub(crate) fn assumed(machine: &Machine) -> Vec<Diagnostic> {
    let warn = |error: EvalError| {
        Diagnostic::warning(Code::Assumed, error.span, format!("PROPERTIES are assumed to hold here: {}", error.kind))
            .label("unknown")
            .help("give the function a finite domain to have it checked")
    };
    let without_value = machine.properties_without_value().map(|error| {
        let message = format!("PROPERTIES have no value for some values of the constants: {}", error.kind);
        Diagnostic::warning(Code::GuardIllDefined, error.span, message).help("such values count as not satisfying them")
    });
    machine.assumptions().into_iter().map(warn).chain(without_value).collect()
}

/// A note for each constant that was left open.
pub(crate) fn not_chosen(machine: &Machine) -> Vec<Diagnostic> {
    let note = |(name, place): (&str, Span)| {
        Diagnostic::note(Code::NotChosen, place, format!("`{name}` is not chosen: nothing reads it"))
            .help("its values are too many to be enumerated; in traces it has one of them")
    };
    machine.not_chosen().into_iter().map(note).collect()
}

/// A warning for each unbounded name.
pub(crate) fn within_bounds(tried: &BTreeSet<TriedRange>) -> Vec<Diagnostic> {
    let warn = |tried: &TriedRange| {
        let TriedRange { name, from, to, .. } = tried;
        let moved = if tried.moves { ", or as many from the bound on that the state determines" } else { "" };
        Diagnostic::warning(Code::WithinBounds, tried.place, format!("nothing bounds `{name}`: {from}..{to} is tried{moved}"))
            .label("bounds are known on one side at most")
            .help("bound it by an interval or an equation, or choose the length of the range with --minint and --maxint")
    };
    tried.iter().map(warn).collect()
}
