//! "Check this machine": a check of the text as it is in the editor, in a thread of its own, within a time limit.
//!
//! Invariant: a check gives one [`Verdict`] however it ends; it holds for the version of the text that it names.

use super::analysis::understand;
use super::position;
use crate::cli::args::{FolderArgs, ScopeArgs};
use crate::cli::load::{Failure, Loaded};
use crate::cli::project::OpenTexts;
use crate::cli::{config, memory, scope};
use crate::eval::Machine;
use crate::explore::{self, Silent, Verdict as Found};
use crate::report::diagnostics::{Colour, headline};
use crate::report::{CheckReport, Times, text, violation};
use crate::source::{FileId, Shown, Vocabulary};
use lsp_types::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The machine to be checked, with its settings.
pub(super) struct Request {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) folders: FolderArgs,
    pub(super) open: OpenTexts,
    pub(super) scope: ScopeArgs,
    pub(super) time_limit: Duration,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// One line.
    pub(super) title: String,
    /// Whether it is anything but `verified`.
    pub(super) is_bad: bool,
    /// The place of the finding, if it is in the text itself.
    pub(super) place: Option<Range>,
    /// The report as text, if there was a search.
    pub(super) report: String,
}

/// A running check, to be stopped from outside.
#[derive(Default)]
pub(super) struct Handle {
    is_stopped: AtomicBool,
    interrupt: OnceLock<Arc<AtomicBool>>,
}

impl Handle {
    /// Asks the search to stop and report its results so far.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.store(true, Ordering::Relaxed);
        }
    }

    /// Sets the machine to be interrupted; one that was stopped before it was compiled is interrupted at once.
    fn watch(&self, machine: &Machine) {
        let interrupt = self.interrupt.get_or_init(|| Arc::clone(machine.interrupt()));
        if self.is_stopped.load(Ordering::SeqCst) {
            interrupt.store(true, Ordering::Relaxed);
        }
    }
}

/// Checks a machine.
pub(super) fn check(request: &Request, handle: &Handle) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| run(request, handle))).unwrap_or_else(|_| Verdict {
        title: "bcheck is at fault: the check ended with a panic; please report this machine".to_owned(),
        is_bad: true,
        ..Verdict::default()
    })
}

fn run(request: &Request, handle: &Handle) -> Verdict {
    let started = Instant::now();
    let understood = understand(&request.path, &request.text, &request.folders, &request.open);
    let mut sources = understood.sources;
    let Some(model) = understood.model else {
        let errors = understood.diagnostics.iter().map(|diagnostic| headline(diagnostic, &sources));
        return Verdict {
            title: "rejected: the machine has errors".to_owned(),
            is_bad: true,
            place: None,
            report: Shown::join(errors, "\n").to_string(),
        };
    };
    let mut loaded = Loaded { model, macros: understood.macros, warnings: understood.diagnostics };
    let scope = match scope::of_machine(&mut loaded, &request.scope, &mut sources) {
        Ok(scope) => scope,
        Err(Failure::Io(reason) | Failure::Output(reason)) => {
            return Verdict { title: Shown::line(&reason).to_string(), is_bad: true, ..Verdict::default() };
        }
        Err(Failure::Refused(diagnostics, _)) => {
            let title = diagnostics.first().map(|diagnostic| format!("rejected: {}", diagnostic.title)).unwrap_or_default();
            return Verdict { title: Shown::line(&title).to_string(), is_bad: true, ..Verdict::default() };
        }
    };
    let options = config::of_editor(request.time_limit);
    let read_s = started.elapsed().as_secs_f64();
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let compiled_s = started.elapsed().as_secs_f64();
    handle.watch(&machine);
    let symmetry = options.symmetry_of(&machine);
    let load_s = started.elapsed().as_secs_f64();
    let outcome = explore::explore(&machine, &symmetry, &options, &mut Silent);
    let search_s = started.elapsed().as_secs_f64() - load_s;
    let times = Times { load_s, read_s, compile_s: compiled_s - read_s, symmetry_s: load_s - compiled_s, search_s, survey_s: 0.0 };
    let report = CheckReport {
        sources: &sources,
        file: &request.path.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        tried: machine.tried(),
        options: &options,
        outcome: &outcome,
        refinement: None,
        symmetry: symmetry.detail(),
        survey: None,
        diagnostics: &loaded.warnings,
        times,
        peak_memory_bytes: memory::peak_bytes(),
    };
    let violation = violation(&report);
    let counts = format!("{} states, {} transitions", outcome.explored.states, outcome.explored.transitions);
    let title = match &violation {
        Some(violation) => {
            let steps = outcome.finding.as_ref().map_or(0, |finding| finding.trace.steps.len());
            let formula = violation.formula.as_ref().map(|formula| format!(": {formula}")).unwrap_or_default();
            format!("{}: {}{formula} ({steps} step{})", outcome.verdict.word(), violation.message, if steps == 1 { "" } else { "s" })
        }
        None => format!("{}: {counts}", outcome.verdict.word()),
    };
    let place = violation.and_then(|violation| violation.span).filter(|span| span.file == FileId(0));
    Verdict {
        title: Shown::line(&title).to_string(),
        is_bad: outcome.verdict != Found::Verified,
        place: place.map(|span| position::range(&sources, span)),
        report: text::render(&report, Colour::Plain).to_string(),
    }
}
