//! `bcheck check`: load, search, report, and compare with the expectations.
//!
//! Invariant: whether files can be written is known before the search, and the report is written before expectations are compared.

pub(crate) mod by_size;
mod conflicts;
pub(crate) mod expectations;
mod lint;
mod plan;
pub(crate) mod several_machines;
pub(crate) mod temporal;

use crate::args::{CheckArgs, FormatArg, ReportArgs};
use crate::commands::checkpoint;
use crate::commands::replay::resolve;
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::files;
use crate::io::graph_file::OpenGraph;
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::io::run_files::RunFiles;
use crate::processes::member::Member;
use crate::processes::{self, Role};
use crate::session::graph_walk::{self, Explored, GraphFault, Merge};
use crate::session::{Session, Task};
use bcheck_eval::Machine;
use bcheck_explore::{CheckpointFault, LimitHit, Outcome, Projection, Survey};
use bcheck_report::{CheckReport, html, json, junit, sarif, text};
use bcheck_source::{Shown, SourceMap, keep_statistics};
use bcheck_symmetry::Symmetry;
use plan::{Plan, ReportPlan};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs a check.
pub(crate) fn run(args: &CheckArgs) -> Ended {
    let path = args.machine.as_deref().unwrap_or(Path::new(""));
    conflicts::refuse(args)?;
    if args.lint {
        return lint::run(args, path);
    }
    match processes::role(&args.checkpoints)? {
        Role::Alone => run_plan(Plan::of(args, path, false), None),
        Role::Supervisor(_) if path == Path::new("-") => {
            Err(complain("--processes: each process reads the machine: name a file instead of the standard input", Exit::Usage))
        }
        Role::Supervisor(number) => {
            let time_limit = config::limits(&args.search.limits).time;
            processes::supervise(&args.checkpoints, number, time_limit)
        }
        Role::Member(member) if member.is_first() => run_plan(Plan::of(args, path, true), Some(&member)),
        // The first process writes the requested files.
        Role::Member(member) => run_plan(Plan::of(&args.clone().without_files(), path, true), Some(&member)),
    }
}

/// Runs a check in this process, perhaps as one of several.
fn run_plan(plan: Plan<'_>, member: Option<&Member>) -> Ended {
    let Plan { files, input, options, search: wanted, report: shown } = plan;
    let path = input.path;
    // First of all: after hours of search it is too late to learn that a file cannot be written.
    let mut files = files.reserve(&[("the machine", path)]).map_err(refused)?;
    // Before anything that may take long, so that the watchdog reports in the requested format.
    interrupt::report_unfinished(unfinished(shown.form, path));
    interrupt::stage(Stage::Preparing("the machine was read"));
    if shown.has_statistics {
        keep_statistics();
    }
    let mut console = input.console(shown.form);
    let (loaded, merge, projections) = match input.read(&mut console) {
        Ok(ready) => ready,
        Err(failure) => return Err(files.refuse(&failure, path, &console)),
    };
    input.temporal.verified_in(&loaded.0.model).map_err(complaint(Exit::Usage))?;
    input.temporal.warn_of_no_witness(&loaded.0.model);
    let mut session = Session::compile(&console, path, loaded, config::timed(options), Task::Check);
    // Plans do not depend on symmetry, and nothing is searched: options about a search have been refused.
    if let Some(operation) = wanted.explain_plan {
        return explain_plan(operation, &session.machine, &console.sources, files.take_report());
    }
    let symmetry = session.symmetry(wanted.tests_symmetry);
    temporal::say_costs(session.machine.model(), &symmetry, input.temporal.is_asked());
    verify_merge((merge.as_ref(), &projections), &session.machine, &symmetry)?;
    let subject = (&session.machine, &mut session.options, &console.sources);
    session.kept = checkpoint::open(wanted.checkpoints, subject, (wanted.kept, member)).map_err(refused)?;
    if let (Some(status), Some(kept)) = (&mut files.status, &session.kept) {
        status.keeps_in(kept.folder());
    }
    let search = || session.search(&symmetry, (shown.progress, files.status.as_mut()), shown.surveyed(&projections));
    let folder = wanted.checkpoints.folder().map_or(path, |(folder, _)| folder);
    let (outcome, survey) = searched(search, member, folder)?;
    if let Some(member) = member.filter(|member| !member.is_first()) {
        member.say_that_it_is_done();
        return Ok(Exit::Done);
    }
    report(&mut session, (&symmetry, &outcome, survey.as_ref()), merge.as_ref(), &shown, (files, &console))
}

/// The result of the search; where processes share it, the failure of another one ends this one as well.
fn searched(
    search: impl FnOnce() -> Result<(Outcome, Option<Survey>), CheckpointFault>,
    member: Option<&Member>,
    folder: &Path,
) -> Result<(Outcome, Option<Survey>), Exit> {
    let strange = member.filter(|member| member.has_strangers());
    let searched = match strange {
        None => search(),
        // A key that does not belong to this machine is only noticed when it is decoded.
        Some(member) => catch_unwind(AssertUnwindSafe(search)).map_err(|_| refused((member.broken(), member.lost())))?,
    };
    let (outcome, survey) = searched.map_err(|fault| refused(checkpoint::refusal(folder, member, &fault)))?;
    match strange.filter(|_| outcome.internal_error.is_some()) {
        Some(member) => Err(refused((member.broken(), member.lost()))),
        None => Ok((outcome, survey)),
    }
}

/// Reports the findings in all requested files; returns the exit code of the check.
fn report(
    session: &mut Session<'_>,
    (symmetry, outcome, survey): (&Symmetry, &Outcome, Option<&Survey>),
    merge: Option<&Merge>,
    shown: &ReportPlan<'_>,
    (files, console): (RunFiles, &Console),
) -> Ended {
    let _phase = tracing::debug_span!(target: "bcheck::cli", "report").entered();
    let painter = shown.draws.map(|draws_all| session.painter(draws_all, ""));
    let session = &*session;
    let report = session.report(symmetry, outcome, survey);
    // A page contains all of it, folded, whether or not it was requested.
    let (is_explained, is_covered) = (shown.is_explained || shown.has_page, shown.has_coverage || shown.has_page);
    let (evidence, never_enabled) = if is_explained { session.explanation(symmetry, outcome) } else { (None, Vec::new()) };
    let branches = is_covered.then(|| session.branches(outcome)).flatten();
    let (evidence, branches) = (evidence.as_ref(), branches.as_ref());
    let page = CheckReport { evidence, never_enabled: &never_enabled, branches, painter: painter.as_ref(), ..report };
    let report = as_asked(shown, page);
    let text = console.render(&report, shown.form.output.as_deref());
    let graph = save_reports(files, &text, (&report, &page), || match &outcome.internal_error {
        // A fault of bcheck outweighs the verdict, which may be wrong because of it.
        Some(fault) => own_fault(fault),
        None => expectations::exit_code(shown.expected, session.machine.model(), outcome),
    });
    let (graph, exit) = graph.map_err(complaint(Exit::Io))?;
    // The graph comes last: the reports are written, and reaching a limit now loses only the graph.
    interrupt::draw(session.machine.interrupt(), Some(exit));
    let Session { machine, options, .. } = session;
    let explored = Explored { machine, symmetry, options, outcome, merge, labels: shown.labels, progress: shown.progress };
    graph.map_or(Ok(()), |graph| save_graph(graph, &explored))?;
    Ok(exit)
}

/// The page's report, reduced to the requested parts.
fn as_asked<'r>(shown: &ReportPlan<'_>, page: CheckReport<'r>) -> CheckReport<'r> {
    let mut report = CheckReport { shows_changes: shown.shows_changes, ..page };
    if !shown.is_explained {
        (report.evidence, report.never_enabled) = (None, &[]);
    }
    if !shown.has_coverage {
        (report.survey, report.branches) = (None, None);
    }
    report
}

/// Refuses to merge or colour by a formula that distinguishes symmetric states: it may have other values in the rest of an orbit. Which
/// elements move is known only after symmetries were searched for.
fn verify_merge((merge, projections): (Option<&Merge>, &[Projection]), machine: &Machine, symmetry: &Symmetry) -> Result<(), Exit> {
    let why = merge.and_then(|merge| merge.told_apart(machine, symmetry));
    match why.or_else(|| graph_walk::told_apart(projections, machine, symmetry)) {
        Some(why) => Err(complain(&format!("{why}, but symmetric states exchange elements; add --symmetry off"), Exit::Usage)),
        None => Ok(()),
    }
}

/// Writes the graph; it may come with a warning.
fn save_graph(graph: OpenGraph, explored: &Explored<'_>) -> Result<(), Exit> {
    match graph.write(explored) {
        Ok(None) => Ok(()),
        // The verdict is valid without its graph, so the exit code remains that of the verdict.
        Ok(Some(warning)) | Err(GraphFault::NotMade(warning)) => {
            files::complain(&format!("warning: {warning}\n"));
            Ok(())
        }
        Err(GraphFault::Io(reason)) => Err(complain(&reason, Exit::Io)),
    }
}

/// Shows the plan of an operation.
fn explain_plan(name: &str, machine: &Machine, sources: &SourceMap, output: Output) -> Ended {
    let operation = resolve::operation(machine.model(), name);
    let operation = operation.map_err(|unfit| complain(&format!("--explain-plan: {}", unfit.in_one_line()), Exit::Usage))?;
    output.save(&bcheck_report::plan::render(name, &machine.explain(operation), sources)).map_err(complaint(Exit::Io))?;
    Ok(Exit::Done)
}

/// The report of a check that is ended before it explored anything, or while it does not respond.
pub(crate) fn unfinished(form: &ReportArgs, path: &Path) -> impl FnOnce(&LimitHit, &str) -> Exit + Send + 'static {
    let (format, output, file) = (form.format, form.output.clone(), path.display().to_string());
    move |hit, doing| {
        let exit = interrupt::say_unfinished(hit, doing);
        let text = match format {
            FormatArg::Text | FormatArg::Short => text::unfinished(),
            FormatArg::Json => json::render_unfinished(&file, hit, doing),
        };
        // A separate temporary file: the one of the terminated run is removed with it.
        let written = output::reserve(&[], [("--output", output.as_deref())])
            .and_then(|[file]| file.unwrap_or_else(Output::stdout).save(&text).map_err(|reason| (reason, Exit::Io)));
        written.map_or_else(refused, |()| exit)
    }
}

/// Writes the reports, the trace and the drawings, and compares with the expectations; the graph comes last.
fn save_reports(
    mut files: RunFiles,
    text: &Shown,
    (report, page): (&CheckReport<'_>, &CheckReport<'_>),
    exit: impl FnOnce() -> Exit,
) -> Result<(Option<OpenGraph>, Exit), String> {
    // The report first: if a later file cannot be written, only that one is missing.
    files.save_report(text)?;
    let (results, rules) = (sarif::of_check(report), sarif::rules_of_check(report));
    files.save_cases(&report.model.name, &junit::of_check(report), (&results, &rules))?;
    files.save_trace(|format| format.of_finding(report))?;
    files.end_status(Some(report.outcome.verdict))?;
    let exit = exit();
    // Slow outputs come last: reaching a limit now loses only the drawings.
    if let Some(painter) = page.painter {
        interrupt::draw(painter.machine().interrupt(), Some(exit));
    }
    files.save_page(|| html::render(page))?;
    save_picture(&mut files, page)?;
    Ok((files.graph, exit))
}

/// Draws the states of the counterexample.
fn save_picture(files: &mut RunFiles, report: &CheckReport<'_>) -> Result<(), String> {
    let run = report.outcome.finding.as_ref().map(|finding| &finding.trace).filter(|run| !run.steps.is_empty());
    match run.zip(report.painter) {
        None => files.save_picture(None, "--picture draws the states of a counterexample, and there is none"),
        Some((run, painter)) => {
            let without = "DEFINITIONS draw no state of the counterexample, so --picture writes nothing";
            files.draw(Some(painter), (report.file, run), (report.sources, without))
        }
    }
}
