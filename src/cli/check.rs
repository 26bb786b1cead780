//! `bcheck check`: load, search, report, and compare with what was expected.
//!
//! Invariant: whether files can be written is known before the search, and the report is written before anything is said about
//! expectations.

use super::args::{CheckArgs, FormatArg};
use super::exit::{Exit, complain};
use super::files;
use super::graph_file::{Explored, GraphFault, GraphTarget, Merge, OpenGraph};
use super::interrupt::{self, Stage};
use super::load::{self, Failure, Loaded};
use super::more_files::{MoreFiles, of_refused};
use super::output::{self, Output, Refusal};
use super::progress::Watcher;
use super::saved::TraceFormat;
use super::second_look::second_look;
use super::terminal::Terminal;
use super::{config, memory, scope, symmetry_check};
use crate::eval::{Machine, TriedRange};
use crate::explore::{self, LimitHit, Outcome, Verdict, survey};
use crate::ir::{OperationId, Scope};
use crate::report::diagnostics::Colour;
use crate::report::{CheckReport, Times, html, json, junit, plan, sarif, short, text};
use crate::sema::nearest;
use crate::source::{Code, Diagnostic, Shown, SourceMap, Vocabulary};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs a check.
pub(super) fn run(args: &CheckArgs) -> Exit {
    let terminal = Terminal::detect(args.common.messages.color);
    let path = args.machine.as_deref().unwrap_or(Path::new(""));
    let Files { report: report_file, more, trace, graph } = match Files::reserve(args, path) {
        Ok(files) => files,
        Err((reason, exit)) => return complain(&reason, exit),
    };
    interrupt::report_unfinished(unfinished(args, path));
    interrupt::stage(Stage::Preparing("the machine was read"));
    let mut sources = SourceMap::new();
    let started = Instant::now();
    let prepared = prepare(args, path, &mut sources)
        .and_then(|(mut loaded, scope)| Merge::of(args, &mut loaded, &mut sources).map(|merge| (loaded, scope, merge)));
    let (loaded, scope, merge) = match prepared {
        Ok(ready) => ready,
        Err(Failure::Output(reason)) => return complain(&reason, Exit::Usage),
        Err(failure) => {
            let (cases, results) = of_refused(&failure, path, &sources);
            if let Err(reason) = more.write_refusal(&path.display().to_string(), &cases, &results) {
                return complain(&reason, Exit::Io);
            }
            return failure.tell(path, args.report.format, &sources, report_file, terminal);
        }
    };
    load::show(&loaded.warnings, args.report.format, &sources, terminal);
    let options = config::timed(config::of_check(args));
    interrupt::stage(Stage::Preparing("the machine was compiled"));
    let read_s = started.elapsed().as_secs_f64();
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let compiled_s = started.elapsed().as_secs_f64();
    if let Some(operation) = &args.explain_plan {
        return explain_plan(operation, &machine, &sources, report_file);
    }
    interrupt::stage(Stage::Preparing("symmetries were looked for"));
    let (symmetry, doubts) = match args.check_symmetry {
        true => symmetry_check::checked(&machine, &options),
        false => (options.symmetry_of(&machine), Vec::new()),
    };
    load::show(&doubts, args.report.format, &sources, terminal);
    if let Some(element) = merge.as_ref().and_then(|merge| merge.moving_element(&machine, &symmetry)) {
        let reason = format!("--project names {element}, which symmetric states exchange for others; add --symmetry off");
        return complain(&reason, Exit::Usage);
    }
    interrupt::watch(machine.interrupt());
    let load_s = started.elapsed().as_secs_f64();
    tracing::info!(
        machine = machine.model().name,
        variables = machine.model().variables.len(),
        operations = machine.model().operations.len(),
        movable = ?symmetry.detail().movable,
        load_s,
        "machine compiled"
    );
    let search = Instant::now();
    let mut watcher = Watcher::new(args.progress, "");
    let outcome = explore::explore(&machine, &symmetry, &options, &mut watcher);
    let search_s = search.elapsed().as_secs_f64();
    watcher.phase("looking at the states once more for the report");
    let survey = args.html.as_ref().and_then(|_| {
        second_look(&machine, &symmetry, &outcome, |symmetry, limits, is_over| survey(&machine, symmetry, &options, limits, is_over))
    });
    watcher.finish();
    interrupt::stage(Stage::Reporting);
    let diagnostics = [loaded.warnings, doubts, show_met(&machine, args.report.format, &sources, terminal)].concat();
    tracing::info!(states = outcome.explored.states, verdict = outcome.verdict.word(), "search ended");
    let report = CheckReport {
        sources: &sources,
        file: &path.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        tried: machine.tried(),
        options: &options,
        outcome: &outcome,
        refinement: None,
        symmetry: symmetry.detail(),
        survey: survey.as_ref(),
        diagnostics: &diagnostics,
        times: Times {
            load_s,
            read_s,
            compile_s: compiled_s - read_s,
            symmetry_s: load_s - compiled_s,
            search_s,
            survey_s: search.elapsed().as_secs_f64() - search_s,
        },
        peak_memory_bytes: memory::peak_bytes(),
    };
    let text = render(&report, args.report.format, args.report.output.is_some(), terminal);
    if let Err(reason) = report_file.save(&text).and_then(|()| save_beside(&report, args, more, trace)) {
        return complain(&reason, Exit::Io);
    }
    let counts =
        [("states", args.expect_states, outcome.explored.states), ("transitions", args.expect_transitions, outcome.explored.transitions)];
    let exit = match &outcome.internal_error {
        Some(fault) => complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug),
        None => expectations(args.expect, &counts, &outcome),
    };
    interrupt::look_back(machine.interrupt(), exit);
    let explored = Explored { machine: &machine, symmetry: &symmetry, options: &options, outcome: &outcome, merge: merge.as_ref() };
    graph.and_then(|graph| save_graph(graph, &explored)).unwrap_or(exit)
}

/// Writes the reports beside the main one, and the trace.
fn save_beside(report: &CheckReport<'_>, args: &CheckArgs, more: MoreFiles, trace: Option<(TraceFormat, Output)>) -> Result<(), String> {
    let page = args.html.as_ref().map(|_| html::render(report));
    more.write(&report.model.name, page, &junit::of_check(report), &sarif::of_check(report))?;
    match trace.and_then(|(format, file)| Some((file, format.of_finding(report)?))) {
        Some((file, text)) => file.save(&text),
        None => Ok(()),
    }
}

/// Writes the graph; the exit code if it cannot be written.
fn save_graph(graph: OpenGraph, explored: &Explored<'_>) -> Option<Exit> {
    match graph.write(explored) {
        Ok(None) => None,
        Ok(Some(warning)) | Err(GraphFault::Evaluation(warning)) => {
            files::complain(&format!("warning: {warning}\n"));
            None
        }
        Err(GraphFault::Io(reason)) => Some(complain(&reason, Exit::Io)),
        Err(GraphFault::TooLarge(reason)) => Some(complain(&reason, Exit::Usage)),
    }
}

/// Shows the plan of an operation.
fn explain_plan(name: &str, machine: &Machine, sources: &SourceMap, output: Output) -> Exit {
    let operations = &machine.model().operations;
    let Some(index) = operations.get_index_of(name) else {
        let near = nearest(name, operations.keys().map(String::as_str)).map(|near| format!("; is it {near}?")).unwrap_or_default();
        return complain(&format!("{} has no operation {name}{near}", machine.model().name), Exit::Usage);
    };
    let operation = OperationId(u32::try_from(index).expect("operations have 32-bit ids"));
    match output.save(&plan::render(name, &machine.explain(operation), sources)) {
        Ok(()) => Exit::Done,
        Err(reason) => complain(&reason, Exit::Io),
    }
}

/// The report of a check that is ended before it has explored anything, or while it does not react.
pub(super) fn unfinished(args: &CheckArgs, path: &Path) -> impl FnOnce(&LimitHit, &str) -> Exit + Send + 'static {
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
        match written {
            Ok(()) => exit,
            Err((reason, exit)) => complain(&reason, exit),
        }
    }
}

/// What a check writes.
struct Files {
    report: Output,
    more: MoreFiles,
    trace: Option<(TraceFormat, Output)>,
    graph: Option<OpenGraph>,
}

impl Files {
    fn reserve(args: &CheckArgs, machine: &Path) -> Result<Self, Refusal> {
        let usage = |reason| (reason, Exit::Usage);
        let trace_format = args.trace.as_deref().map(TraceFormat::of).transpose().map_err(usage)?;
        let graph = args.graph.as_deref().map(GraphTarget::of).transpose().map_err(usage)?;
        let states = graph.and_then(|graph| graph.states_file());
        let named = [
            ("--output", args.report.output.as_deref()),
            ("--html", args.html.as_deref()),
            ("--junit", args.junit.as_deref()),
            ("--sarif", args.sarif.as_deref()),
            ("--trace", args.trace.as_deref()),
            ("--graph", args.graph.as_deref()),
            ("--graph (its states)", states.as_deref()),
        ];
        let [report, html, junit, sarif, trace, main, states] = output::reserve(&[("the machine", machine)], named)?;
        Ok(Self {
            report: report.unwrap_or_else(Output::stdout),
            more: MoreFiles { html, junit, sarif },
            trace: trace_format.zip(trace),
            graph: graph.zip(main).map(|(graph, main)| graph.open(main, states)).transpose()?,
        })
    }
}

/// The report in a format.
pub(super) fn render(report: &CheckReport<'_>, format: FormatArg, is_for_file: bool, terminal: Terminal) -> Shown {
    match format {
        FormatArg::Text => text::render(report, if is_for_file { Colour::Plain } else { terminal.stdout }),
        FormatArg::Json => json::render(report),
        FormatArg::Short => short::render(report),
    }
}

/// Shows what a search has met that is worth a warning, and gives it.
pub(super) fn show_met(machine: &Machine, format: FormatArg, sources: &SourceMap, terminal: Terminal) -> Vec<Diagnostic> {
    let met = [taken_on_trust(machine), within_bounds(machine)].concat();
    load::show(&met, format, sources, terminal);
    met
}

/// A warning for each place where a membership could not be decided and counted as true.
fn taken_on_trust(machine: &Machine) -> Vec<Diagnostic> {
    let warn = |place| {
        Diagnostic::warning(Code::TakenOnTrust, place, "that this infinite function is in this set of functions is taken on trust")
            .label("its values were not all checked")
            .help("give the function a finite domain to have it checked")
    };
    machine.assumptions().into_iter().map(warn).collect()
}

/// A warning for each name that nothing bounds.
fn within_bounds(machine: &Machine) -> Vec<Diagnostic> {
    let warn = |tried: &TriedRange| {
        let TriedRange { name, from, to, .. } = tried;
        let moved = if tried.moves { ", or as many from the bound on that the state gives" } else { "" };
        Diagnostic::warning(Code::WithinBounds, tried.place, format!("nothing bounds `{name}`: {from}..{to} is tried{moved}"))
            .label("bounds are known on one side at most")
            .help("bound it by an interval or an equation, or choose the length of the range with --minint and --maxint")
    };
    machine.tried().iter().map(warn).collect()
}

/// Loads the machine and decides its sizes.
fn prepare(args: &CheckArgs, path: &Path, sources: &mut SourceMap) -> Result<(Loaded, Scope), Failure> {
    let mut loaded = load::load(path, &args.common.folders, args.goal.as_deref(), sources)?;
    let scope = scope::of_machine(&mut loaded, &args.scope, sources)?;
    Ok((loaded, scope))
}

/// The exit code: that of the verdict, or whether everything was as expected.
pub(super) fn expectations(verdict: Option<Verdict>, counts: &[(&str, Option<u64>, u64)], outcome: &Outcome) -> Exit {
    let mut failed = Vec::new();
    if let Some(expected) = verdict
        && expected != outcome.verdict
    {
        failed.push(format!("expected verdict {}, found {}", expected.word(), outcome.verdict.word()));
    }
    for (what, expected, found) in counts {
        if let Some(expected) = expected
            && expected != found
        {
            failed.push(format!("expected {expected} explored {what}, found {found}"));
        }
    }
    for failure in &failed {
        files::complain(&format!("{failure}\n"));
    }
    if !failed.is_empty() {
        Exit::Unexpected
    } else if verdict.is_some() {
        Exit::Done
    } else {
        Exit::Verdict(outcome.verdict)
    }
}
