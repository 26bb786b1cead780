//! "Check this machine": a check of the text as it is in the editor, in a thread of its own, within a time limit.
//!
//! Invariant: a check gives one [`Verdict`] however it ends; it holds for the version of the text that it names.

use super::analysis::understand;
use super::position;
use crate::cli::args::{FolderArgs, ProgressArg, ScopeArgs};
use crate::cli::console::Console;
use crate::cli::load::{Failure, Loaded};
use crate::cli::project::OpenTexts;
use crate::cli::session::{Session, Task};
use crate::cli::{config, scope};
use crate::eval::Machine;
use crate::explore::Verdict as Found;
use crate::report::diagnostics::{Colour, headline};
use crate::report::{CheckReport, text, violation};
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
    let opened = Instant::now();
    let understood = understand(&request.path, &request.text, &request.folders, &request.open);
    let mut sources = understood.sources;
    let Some(model) = understood.model else {
        let errors = understood.diagnostics.iter().map(|diagnostic| headline(diagnostic, &sources));
        let report = Shown::join(errors, "\n").to_string();
        return Verdict { report, ..Verdict::rejected("rejected: the machine has errors") };
    };
    let mut loaded = Loaded { model, macros: understood.macros, warnings: understood.diagnostics };
    let scope = match scope::of_machine(&mut loaded, &request.scope, &mut sources) {
        Ok(scope) => scope,
        Err(Failure::Plain(reason, _)) => return Verdict::rejected(&reason),
        Err(Failure::Refused(diagnostics, _)) => {
            let title = diagnostics.first().map(|diagnostic| format!("rejected: {}", diagnostic.title)).unwrap_or_default();
            return Verdict::rejected(&title);
        }
    };
    let console = Console::of_editor(sources, opened);
    let mut session = Session::compile(&console, &request.path, (loaded, scope), config::of_editor(request.time_limit), Task::Check);
    handle.watch(&session.machine);
    let symmetry = session.symmetry(false);
    let (outcome, _) = session.search(&symmetry, ProgressArg::None, false);
    Verdict::of(&session.report(&symmetry, &outcome, None))
}

impl Verdict {
    fn rejected(title: &str) -> Self {
        Self { title: Shown::line(title).to_string(), is_bad: true, ..Self::default() }
    }

    fn of(report: &CheckReport<'_>) -> Self {
        let (outcome, violation) = (report.outcome, violation(report));
        let title = match &violation {
            Some(violation) => {
                let steps = outcome.finding.as_ref().map_or(0, |finding| finding.trace.steps.len());
                let formula = violation.formula.as_ref().map(|formula| format!(": {formula}")).unwrap_or_default();
                format!("{}: {}{formula} ({steps} step{})", outcome.verdict.word(), violation.message, if steps == 1 { "" } else { "s" })
            }
            None => {
                let explored = &outcome.explored;
                format!("{}: {} states, {} transitions", outcome.verdict.word(), explored.states, explored.transitions)
            }
        };
        // The text itself was read first; a finding may be in a file that it names.
        let place = violation.and_then(|violation| violation.span).filter(|span| span.file == FileId(0));
        Self {
            title: Shown::line(&title).to_string(),
            is_bad: outcome.verdict != Found::Verified,
            place: place.map(|span| position::range(report.sources, span)),
            report: text::render(report, Colour::Plain).to_string(),
        }
    }
}
