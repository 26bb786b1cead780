//! "Check this machine": a check of the text as it is in the editor, in a thread of its own, within a time limit.
//!
//! Invariant: a check yields one [`Verdict`] however it ends; it holds for the version of the text that it names.

use super::analysis::understand;
use super::position;
use crate::args::{FolderArgs, NamedFormulas, ProgressArg, ScopeArgs, TemporalArgs};
use crate::config;
use crate::io::console::Console;
use crate::load::{Failure, Loaded};
use crate::pictures::visb_files::VisbFiles;
use crate::project::OpenTexts;
use crate::scope;
use crate::session::{Session, Task};
use bcheck_eval::Machine;
use bcheck_explore::Verdict as Found;
use bcheck_report::diagnostics::{Colour, headline};
use bcheck_report::evidence::{Wording, lines};
use bcheck_report::{CheckReport, evidence_of, text, violation};
use bcheck_source::{FileId, Shown, Vocabulary};
use lsp_types::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The machine to be checked, with its settings.
pub(super) struct Request {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) folders: FolderArgs,
    pub(super) open: OpenTexts,
    pub(super) scope: ScopeArgs,
    pub(super) time_limit: Duration,
    /// The name of the stated formula to be checked by itself; without one, the machine is checked.
    pub(super) formula: Option<String>,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// One line.
    pub(super) title: String,
    /// Whether the verdict is not `verified`.
    pub(super) is_bad: bool,
    /// The place of the finding, if it is in the text itself.
    pub(super) place: Option<Range>,
    /// The report as text, if there was a search.
    pub(super) report: String,
    /// Why the finding is false, or the goal true, as lines of text; empty if there is nothing to explain.
    pub(super) why: String,
}

/// A running check, to be stopped from outside.
// One lock over both fields. With an atomic for each, `stop` would write the first and read the second while `watch` writes the second and
// reads the first; unless all four are sequentially consistent, both may read the old value, and the check would continue.
#[derive(Default)]
pub(super) struct Handle(Mutex<Stopping>);

/// Whether a check was stopped, and the flag that interrupts its machine, once that is compiled.
#[derive(Default)]
struct Stopping {
    is_stopped: bool,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Handle {
    /// Asks the search to stop and report its results so far.
    pub(super) fn stop(&self) {
        self.change(|stopping| stopping.is_stopped = true);
    }

    /// Sets the machine to be interrupted; one that was stopped before it was compiled is interrupted at once.
    fn watch(&self, machine: &Machine) {
        self.change(|stopping| stopping.interrupt = Some(Arc::clone(machine.interrupt())));
    }

    fn change(&self, change: impl FnOnce(&mut Stopping)) {
        // A panic elsewhere leaves the data consistent: each change is one assignment.
        let mut stopping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stopping);
        if let (true, Some(interrupt)) = (stopping.is_stopped, &stopping.interrupt) {
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
    let stated = understood.stated.into_iter().filter(|stated| Some(&stated.name) == request.formula.as_ref()).collect();
    let mut loaded = Loaded {
        model,
        macros: understood.macros,
        stated,
        not_taken: Vec::new(),
        visb: VisbFiles::default(),
        default_sizes: Vec::new(),
        warnings: understood.diagnostics,
    };
    let named = NamedFormulas { temporal: request.formula.clone().map(|name| vec![name]) };
    let temporal = TemporalArgs { named, only_temporal: true, ..TemporalArgs::default() };
    let sized = scope::of_machine(&mut loaded, &request.scope, &mut sources);
    let scope = match sized.and_then(|scope| temporal.add_to(&mut loaded, &scope, &mut sources).map(|()| scope)) {
        Ok(scope) => scope,
        Err(Failure::Plain(reason, _)) => return Verdict::rejected(&reason),
        Err(Failure::Refused(diagnostics, _)) => {
            let title = diagnostics.first().map(|diagnostic| format!("rejected: {}", diagnostic.title)).unwrap_or_default();
            return Verdict::rejected(&title);
        }
    };
    let console = Console::of_editor(sources, opened);
    let options = config::of_editor(request.time_limit);
    let options = if request.formula.is_some() { temporal.applied(options) } else { options };
    let mut session = Session::compile(&console, &request.path, (loaded, scope), options, Task::Check);
    handle.watch(&session.machine);
    // As without `--check-symmetry`.
    let symmetry = session.symmetry(false);
    let (outcome, _) = session.search(&symmetry, (ProgressArg::None, None), None).expect("without checkpoints there is no fault of theirs");
    let evidence = outcome.finding.as_ref().and_then(|finding| evidence_of(&session.machine, finding));
    let why = evidence.map(|evidence| {
        let wording = Wording { model: session.machine.model(), sources: &console.sources, scope: session.machine.scope() };
        lines(&wording.of_finding(&evidence)).to_string()
    });
    Verdict { why: why.unwrap_or_default(), ..Verdict::of(&session.report(&symmetry, &outcome, None)) }
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
            // A formula that was checked by itself.
            None if outcome.verdict == Found::Verified && !outcome.temporal.is_empty() => {
                let why = outcome.temporal[0].vacuity.as_ref().map(|why| format!(", vacuously: {why}")).unwrap_or_default();
                format!("holds: {} states{why}", outcome.explored.states)
            }
            None => {
                let explored = &outcome.explored;
                format!("{}: {} states, {} transitions", outcome.verdict.word(), explored.states, explored.transitions)
            }
        };
        // The main text was read first; a finding may be in a file that it names.
        let place = violation.and_then(|violation| violation.span).filter(|span| span.file == FileId(0));
        Self {
            title: Shown::line(&title).to_string(),
            is_bad: outcome.verdict != Found::Verified,
            place: place.map(|span| position::range(report.sources, span)),
            report: text::render(report, Colour::Plain).to_string(),
            why: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::Scope;
    use bcheck_source::SourceMap;

    #[test]
    fn a_check_is_interrupted_whether_it_is_stopped_before_or_after_it_is_compiled() {
        let file = SourceMap::new().add("m.mch", "MACHINE m END");
        let (model, _) = bcheck_sema::analyse(&bcheck_syntax::parse_machine(file, "MACHINE m END").tree.expect("a machine"));
        let machine = || Machine::compile(Arc::new(model.clone().expect("a model")), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
        let is_interrupted = |machine: &Machine| machine.interrupt().load(Ordering::Relaxed);
        let (before, after) = (machine(), machine());
        let handle = Handle::default();
        handle.stop();
        handle.watch(&before);
        assert!(is_interrupted(&before));
        let handle = Handle::default();
        handle.watch(&after);
        assert!(!is_interrupted(&after));
        handle.stop();
        assert!(is_interrupted(&after));
    }
}
