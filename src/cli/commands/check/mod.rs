//! `bcheck check`: load, search, report, and compare with what was expected.
//!
//! Invariant: whether files can be written is known before the search, and the report is written before expectations are compared.

pub(crate) mod by_size;
pub(crate) mod expectations;
mod lint;
pub(crate) mod several_machines;
pub(crate) mod temporal;

use crate::args::{CheckArgs, ExplainArgs, FormatArg, first_given};
use crate::commands::checkpoint;
use crate::commands::replay::resolve;
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::files;
use crate::io::graph_file::OpenGraph;
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::io::run_files::{FilePlan, RunFiles};
use crate::load::{Asked, Failure, Loaded};
use crate::processes::member::Member;
use crate::processes::{self, Role};
use crate::session::graph_walk::{self, Explored, GraphFault, Merge};
use crate::session::re_exploration::Surveyed;
use crate::session::{Session, Task};
use bcheck_eval::Machine;
use bcheck_explore::{LimitHit, Projection, Strategy};
use bcheck_ir::{Precondition, Scope};
use bcheck_report::{CheckReport, html, json, junit, plan, sarif, text};
use bcheck_sema::StatedFormula;
use bcheck_source::{Shown, SourceMap, Vocabulary, keep_statistics};
use bcheck_symmetry::Symmetry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs a check.
pub(crate) fn run(args: &CheckArgs) -> Ended {
    let path = args.machine.as_deref().unwrap_or(Path::new(""));
    args.temporal.verified(args.strategy).map_err(complaint(Exit::Usage))?;
    if args.goal.is_some() && args.temporal.only_temporal {
        return Err(complain("--goal looks for a state, and --only-temporal leaves that out: leave out one of them", Exit::Usage));
    }
    lint::alone(args)?;
    if args.lint {
        return lint::run(args, path);
    }
    plan_alone(args)?;
    one_thread(args)?;
    simulation(args)?;
    checkpoint::verify(&args.checkpoints, args.strategy, args.temporal.is_asked())?;
    match processes::role(&args.checkpoints)? {
        Role::Alone => run_one(args, path, None),
        Role::Supervisor(_) if path == Path::new("-") => {
            Err(complain("--processes: each process reads the machine: name a file instead of the standard input", Exit::Usage))
        }
        Role::Supervisor(number) => {
            let time_limit = config::limits(&args.search.limits).time;
            processes::supervise(&args.checkpoints, number, time_limit)
        }
        Role::Member(member) if member.is_first() => run_one(args, path, Some(&member)),
        // The first one writes what was asked for.
        Role::Member(member) => run_one(&args.clone().without_files(), path, Some(&member)),
    }
}

/// Runs a check in this process, perhaps as one of several.
fn run_one(args: &CheckArgs, path: &Path, member: Option<&Member>) -> Ended {
    // First of all: after hours of search it is too late to find that a file cannot be written.
    let mut files = file_plan(args).reserve(&[("the machine", path)]).map_err(refused)?;
    // Before anything that may take long, so that an end by the watchdog has the format that was asked for.
    interrupt::report_unfinished(unfinished(args, path));
    interrupt::stage(Stage::Preparing("the machine was read"));
    if args.explaining.stats {
        keep_statistics();
    }
    let mut console = Console::open(&args.common.messages, args.report.format);
    let (loaded, merge, projections) = match prepare(args, path, &mut console) {
        Ok(ready) => ready,
        Err(failure) => return Err(files.refuse(&failure, path, &console)),
    };
    args.temporal.verified_in(&loaded.0.model).map_err(complaint(Exit::Usage))?;
    args.temporal.warn_of_no_witness(&loaded.0.model);
    let options = config::timed(config::of_check(args));
    let mut session = Session::compile(&console, path, loaded, options, Task::Check);
    // Plans do not depend on symmetry, and nothing is searched: what a search is asked for was refused.
    if let Some(operation) = &args.explain_plan {
        return explain_plan(operation, &session.machine, &console.sources, files.take_report());
    }
    let symmetry = session.symmetry(args.check_symmetry);
    temporal::say_costs(session.machine.model(), &symmetry, &args.temporal);
    verify_merge((merge.as_ref(), &projections), &session.machine, &symmetry)?;
    let subject = (&session.machine, &mut session.options, &console.sources);
    // A symmetry that one process doubts must not be used by another one.
    let tested = ("--check-symmetry".to_owned(), if args.check_symmetry { "on" } else { "off" }.to_owned());
    let guards = (args.pre == Precondition::Guard).then(|| ("--pre".to_owned(), args.pre.word().to_owned()));
    let more = member.map(|_| tested).into_iter().chain(guards).collect();
    session.kept = checkpoint::open(&args.checkpoints, subject, (more, member)).map_err(refused)?;
    if let (Some(status), Some(kept)) = (&mut files.status, &session.kept) {
        status.keeps_in(kept.folder());
    }
    let surveyed = args.html.is_some().then_some(Surveyed::Graph(&projections)).or(args.coverage.then_some(Surveyed::Coverage));
    let mut search = || session.search(&symmetry, (args.watch.progress, files.status.as_mut()), surveyed);
    let folder = args.checkpoints.folder().map_or(path, |(folder, _)| folder);
    let strange = member.filter(|member| member.has_strangers());
    let searched = match strange {
        None => search(),
        // A key that is none of this machine is not noticed before it is decoded.
        Some(member) => catch_unwind(AssertUnwindSafe(search)).map_err(|_| refused((member.broken(), member.lost())))?,
    };
    let (outcome, survey) = searched.map_err(|fault| refused(checkpoint::refusal(folder, member, &fault)))?;
    if let Some(member) = strange.filter(|_| outcome.internal_error.is_some()) {
        return Err(refused((member.broken(), member.lost())));
    }
    if let Some(member) = member.filter(|member| !member.is_first()) {
        member.say_that_it_is_done();
        return Ok(Exit::Done);
    }
    let _phase = tracing::debug_span!(target: "bcheck::cli", "report").entered();
    let painter = args.drawing.draws(args.html.is_some()).map(|draws_all| session.painter(draws_all, ""));
    let report = session.report(&symmetry, &outcome, survey.as_ref());
    // A page has all of it, folded, whether or not it was asked for.
    let (is_explained, is_covered) = (args.explaining.explain || args.html.is_some(), args.coverage || args.html.is_some());
    let (evidence, never_enabled) = if is_explained { session.explanation(&symmetry, &outcome) } else { (None, Vec::new()) };
    let branches = is_covered.then(|| session.branches(&outcome)).flatten();
    let (evidence, branches) = (evidence.as_ref(), branches.as_ref());
    let page = CheckReport { evidence, never_enabled: &never_enabled, branches, painter: painter.as_ref(), ..report };
    let report = as_asked(args, page);
    let text = console.render(&report, args.report.output.as_deref());
    let graph = save(files, &text, (&report, &page), || match &outcome.internal_error {
        // A fault of bcheck outweighs the verdict, which may be wrong because of it.
        Some(fault) => own_fault(fault),
        None => expectations::exit_code(&args.expected, session.machine.model(), &outcome),
    });
    let (graph, exit) = graph.map_err(complaint(Exit::Io))?;
    // The graph comes last: the reports are written, and a limit that strikes now costs the graph alone.
    interrupt::draw(session.machine.interrupt(), Some(exit));
    let Session { machine, options, .. } = &session;
    let (outcome, merge, progress) = (&outcome, merge.as_ref(), args.watch.progress);
    let labels = args.labels.unwrap_or_default();
    let explored = Explored { machine, symmetry: &symmetry, options, outcome, merge, labels, progress };
    graph.map_or(Ok(()), |graph| save_graph(graph, &explored))?;
    Ok(exit)
}

/// A report with what was asked for of all that a page shows.
fn as_asked<'r>(args: &CheckArgs, page: CheckReport<'r>) -> CheckReport<'r> {
    let ExplainArgs { explain, changes: shows_changes, stats: _ } = args.explaining;
    let mut report = CheckReport { shows_changes, ..page };
    if !explain {
        (report.evidence, report.never_enabled) = (None, &[]);
    }
    if !args.coverage {
        (report.survey, report.branches) = (None, None);
    }
    report
}

/// Refuses to merge or colour by a formula that tells symmetric states apart: it may have other values in the rest of an orbit. Only when
/// symmetries were looked for is it known what moves.
fn verify_merge((merge, projections): (Option<&Merge>, &[Projection]), machine: &Machine, symmetry: &Symmetry) -> Result<(), Exit> {
    let why = merge.and_then(|merge| merge.told_apart(machine, symmetry));
    match why.or_else(|| graph_walk::told_apart(projections, machine, symmetry)) {
        Some(why) => Err(complain(&format!("{why}, but symmetric states exchange elements; add --symmetry off"), Exit::Usage)),
        None => Ok(()),
    }
}

/// The first option that writes a file or folder, if one is given.
pub(crate) fn written_file(args: &CheckArgs) -> Option<&'static str> {
    let report = ("--output", args.report.output.is_some());
    first_given([report].into_iter().chain(config::files_beside_report(args)))
}

/// Refuses options about a search, or about another form of report, where the plan of an operation is shown instead.
fn plan_alone(args: &CheckArgs) -> Result<(), Exit> {
    if args.explain_plan.is_none() {
        return Ok(());
    }
    let format = ("--format", args.report.format != FormatArg::Text);
    let others = config::files_beside_report(args).into_iter().chain([format]).chain(config::shown_of_search(args));
    match first_given(others).or(args.expected.option()) {
        Some(option) => {
            let reason = format!("--explain-plan shows a plan as text and searches nothing: leave it out, or {option}");
            Err(complain(&reason, Exit::Usage))
        }
        None => Ok(()),
    }
}

/// Refuses several workers for an order that has one state to expand at a time.
fn one_thread(args: &CheckArgs) -> Result<(), Exit> {
    match args.search.workers {
        Some(workers @ 2..) if args.strategy.is_sequential() => {
            let word = args.strategy.word();
            let reason = format!(
                "--strategy {word} expands one state at a time, on one thread: leave out --workers {workers}, or search by --strategy bfs"
            );
            Err(complain(&reason, Exit::Usage))
        }
        _ => Ok(()),
    }
}

/// Refuses options that do not go with a simulation, or with nothing else.
fn simulation(args: &CheckArgs) -> Result<(), Exit> {
    let refuse = |reason: &str| Err(complain(reason, Exit::Usage));
    let given = first_given([("--runs", args.random.runs.is_some()), ("--seed", args.random.seed.is_some())]);
    match (args.strategy, given) {
        (Strategy::Simulation, _) if args.graph.is_some() => {
            refuse("--graph draws all states, and --strategy simulate is for spaces that have too many: leave out one of them")
        }
        (Strategy::Simulation, _) if args.random.runs.is_none() && args.search.limits.time_limit.is_none() => {
            refuse("random runs have no end of their own: give --strategy simulate a number by --runs, or a time by --time-limit")
        }
        (Strategy::Simulation, _) | (_, None) => Ok(()),
        (_, Some(option)) => refuse(&format!("{option} is about random runs: add --strategy simulate, or leave it out")),
    }
}

/// A machine with its sizes, the criterion for merging states of a graph, and what the graph of a page is coloured by.
type Prepared = ((Loaded, Scope), Option<Merge>, Vec<Projection>);

/// Loads all of this.
fn prepare(args: &CheckArgs, path: &Path, console: &mut Console) -> Result<Prepared, Failure> {
    let left_out = args.temporal.left_out(args.strategy, &args.checkpoints);
    let is_wanted = |stated: &StatedFormula| args.temporal.is_wanted(stated, left_out);
    let asked = Asked { goal: args.goal.as_deref(), precondition: args.pre, is_wanted: &is_wanted };
    let (mut loaded, scope) = console.load(path, &args.common, asked, &args.scope)?;
    args.temporal.add_to_check(&mut loaded, &scope, &mut console.sources, left_out)?;
    if args.drawing.draws(args.html.is_some()).is_some() {
        loaded.read_visb(path, &mut console.sources);
    }
    let merge = Merge::of(args, &mut loaded, &mut console.sources)?;
    let projections = graph_walk::projections(&args.page, &mut loaded, &mut console.sources)?;
    Ok(((loaded, scope), merge, projections))
}

/// Writes the graph, perhaps with a warning.
fn save_graph(graph: OpenGraph, explored: &Explored<'_>) -> Result<(), Exit> {
    match graph.write(explored) {
        Ok(None) => Ok(()),
        // The verdict stands without its graph, so the exit code stays that of the verdict.
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
    output.save(&plan::render(name, &machine.explain(operation), sources)).map_err(complaint(Exit::Io))?;
    Ok(Exit::Done)
}

/// The report of a check that is ended before it has explored anything, or while it does not react.
pub(crate) fn unfinished(args: &CheckArgs, path: &Path) -> impl FnOnce(&LimitHit, &str) -> Exit + Send + 'static {
    let (format, output, file) = (args.report.format, args.report.output.clone(), path.display().to_string());
    move |hit, doing| {
        let exit = interrupt::say_unfinished(hit, doing);
        let text = match format {
            FormatArg::Text | FormatArg::Short => text::unfinished(),
            FormatArg::Json => json::render_unfinished(&file, hit, doing),
        };
        // Another temporary file: the one of the run that is ended goes with it.
        let written = output::reserve(&[], [("--output", output.as_deref())])
            .and_then(|[file]| file.unwrap_or_else(Output::stdout).save(&text).map_err(|reason| (reason, Exit::Io)));
        written.map_or_else(refused, |()| exit)
    }
}

/// The files that are asked for.
fn file_plan(args: &CheckArgs) -> FilePlan<'_> {
    FilePlan {
        report: args.report.output.as_deref(),
        html: args.html.as_deref(),
        junit: args.junit.as_deref(),
        sarif: args.sarif.as_deref(),
        trace: args.trace.as_deref(),
        drawing: Some(&args.drawing),
        graph: args.graph.as_deref().map(|file| (file, args.labels)),
        status: args.watch.status.as_deref().map(|file| (file, "check")),
        ..FilePlan::default()
    }
}

/// Writes the reports, the trace and what is drawn, and compares with what was expected; the graph comes last.
fn save(
    mut files: RunFiles,
    text: &Shown,
    (report, page): (&CheckReport<'_>, &CheckReport<'_>),
    exit: impl FnOnce() -> Exit,
) -> Result<(Option<OpenGraph>, Exit), String> {
    // The report first: where a later file cannot be written, only that one is missing.
    files.save_report(text)?;
    let (results, rules) = (sarif::of_check(report), sarif::rules_of_check(report));
    files.save_cases(&report.model.name, &junit::of_check(report), (&results, &rules))?;
    files.save_trace(|format| format.of_finding(report))?;
    files.end_status(Some(report.outcome.verdict))?;
    let exit = exit();
    // What takes long comes behind all else: a limit that strikes now costs the drawings alone.
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
