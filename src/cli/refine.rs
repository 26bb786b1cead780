//! `bcheck refine`: load a refinement with the machine that it refines, search both side by side, report.
//!
//! Of a chain, each link is checked by itself: the refinement that is named, then the machine that it refines against the next one,
//! up to the MACHINE. Invariant: as for a check: the report is written before anything is said about expectations.

use super::args::{FormatArg, RefineArgs};
use super::check::{complain, expectations, render, show_met};
use super::exit::Exit;
use super::files::Sink;
use super::load::{self, Failure, Loaded};
use super::progress::Watcher;
use super::saved::{TraceFormat, save};
use super::second_look::second_look;
use super::terminal::Terminal;
use super::{config, interrupt, memory, scope};
use crate::eval::Machine;
use crate::explore::refine::{Demands, refine, survey};
use crate::explore::{LimitHit, Outcome, Verdict};
use crate::ir::{Refinement, Scope};
use crate::report::{CheckReport, RefinementReport, Times, html, json};
use crate::sema::RefinementRequest;
use crate::source::{Code, Diagnostic, SourceMap, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Runs a refinement check.
pub(super) fn run(args: &RefineArgs) -> Exit {
    let terminal = Terminal::detect(args.common.messages.color);
    let trace = match args.trace.as_deref().map(|file| TraceFormat::of(file).map(|format| (file, format))).transpose() {
        Ok(trace) => trace,
        Err(reason) => return complain(&reason, Exit::Usage),
    };
    let mut sink = match Sink::open(args.output.as_deref()) {
        Ok(sink) => sink,
        Err(reason) => return complain(&reason, Exit::Io),
    };
    let mut page = match args.html.as_deref().map(|path| Sink::open(Some(path))).transpose() {
        Ok(page) => page,
        Err(reason) => return complain(&reason, Exit::Io),
    };
    let mut links: Vec<Link> = Vec::new();
    let mut path = args.machine.clone();
    loop {
        let mut sources = SourceMap::new();
        let format = trace.map(|(_, format)| format);
        let link = match check_link(args, &path, format, &links, &mut sources, terminal) {
            Ok(link) => link,
            Err(failure) => return failure.tell(&path, args.format, &sources, &mut sink, terminal),
        };
        // The report of a chain is one document; in other forms each link's is shown as soon as it is there.
        let is_document = args.chain && args.format == FormatArg::Json;
        if !is_document && let Err(reason) = sink.write(&link.report) {
            return complain(&reason, Exit::Io);
        }
        if let Some(fault) = &link.outcome.internal_error {
            return complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug);
        }
        let above = link.above.clone().filter(|_| args.chain && link.outcome.limit != Some(LimitHit::Interrupted));
        links.push(link);
        match above {
            Some(above) => path = above,
            None => break,
        }
    }
    let first_fault = links.iter().position(|link| link.outcome.verdict != Verdict::Verified);
    if args.chain
        && let Err(reason) = sink.write(&chain_report(&links, first_fault, args.format))
    {
        return complain(&reason, Exit::Io);
    }
    if let Some(page) = &mut page {
        let verdict = first_fault.map_or(Verdict::Verified, |at| links[at].outcome.verdict);
        if let Err(reason) = page.write(&html::render_chain(verdict, links.iter_mut().filter_map(|link| link.page.take()).collect())) {
            return complain(&reason, Exit::Io);
        }
    }
    if let Some((path, _)) = trace
        && let Some(text) = links.iter().find_map(|link| link.trace.as_deref())
        && let Err(reason) = save(path, text)
    {
        return complain(&reason, Exit::Io);
    }
    if let Some(unknown) = args.hide.iter().find(|name| !links.iter().any(|link| link.operations.contains(name))) {
        return complain(&format!("--hide {unknown}: no link of the chain has such an operation"), Exit::Usage);
    }
    expectations(args.expect, &[], &links[first_fault.unwrap_or(0)].outcome)
}

/// A link of a chain that was checked.
struct Link {
    name: String,
    refined: String,
    /// The file of the next link.
    above: Option<PathBuf>,
    operations: Vec<String>,
    sets: Vec<String>,
    report: String,
    /// What the report in a browser says of it, if one is wanted.
    page: Option<html::Part>,
    /// The way to its finding in the format of a saved trace, if one is wanted.
    trace: Option<String>,
    outcome: Outcome,
}

/// What is said of a chain when its links have been reported.
fn chain_report(links: &[Link], first_fault: Option<usize>, format: FormatArg) -> String {
    let verdict = first_fault.map_or(Verdict::Verified, |at| links[at].outcome.verdict).as_str();
    if format == FormatArg::Json {
        return json::render_chain(verdict, links.iter().map(|link| link.report.as_str()));
    }
    let mut text = String::new();
    if format == FormatArg::Text {
        text.push_str("\nThe chain, from below:\n");
        for link in links {
            text.push_str(&format!("  {} refines {}: {}\n", link.name, link.refined, link.outcome.verdict.as_str()));
        }
        text.push('\n');
    }
    text + verdict + "\n"
}

/// Checks one refinement against the machine that it refines; `below` are the links of the chain that were checked before.
fn check_link(
    args: &RefineArgs,
    path: &Path,
    trace: Option<TraceFormat>,
    below: &[Link],
    sources: &mut SourceMap,
    terminal: Terminal,
) -> Result<Link, Failure> {
    let started = Instant::now();
    let (loaded, refinement, scope) = prepare(args, path, below, sources)?;
    load::show(&loaded.warnings, args.format, sources, terminal);
    let options = config::of_refine(args);
    let read_s = started.elapsed().as_secs_f64();
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let compiled_s = started.elapsed().as_secs_f64();
    let symmetry = options.symmetry_of(&machine);
    interrupt::watch(machine.interrupt());
    let load_s = started.elapsed().as_secs_f64();
    let search = Instant::now();
    let mut watcher = Watcher::new(args.progress, "");
    let demands = Demands { matching: args.mode.into(), refusals: args.refusals, divergence: args.divergence };
    let outcome = refine(&machine, &refinement, &symmetry, demands, &options, &mut watcher);
    let search_s = search.elapsed().as_secs_f64();
    watcher.phase("looking at the configurations once more for the report");
    let survey = args.html.as_ref().and_then(|_| {
        second_look(&machine, &symmetry, &outcome, |symmetry, limits, is_over| {
            survey(&machine, &refinement, symmetry, demands, limits, is_over)
        })
    });
    watcher.finish();
    let diagnostics = [loaded.warnings, show_met(&machine, args.format, sources, terminal)].concat();
    tracing::info!(configurations = outcome.explored.states, verdict = outcome.verdict.as_str(), "search ended");
    let report = CheckReport {
        sources,
        file: &path.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        options: &options,
        outcome: &outcome,
        refinement: Some(RefinementReport { refinement: &refinement, demands }),
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
    let page = args.html.is_some().then(|| html::part(&report));
    let trace = trace.and_then(|format| format.of_finding(&report));
    let report = render(&report, args.format, args.output.is_some(), terminal);
    let model = machine.model();
    Ok(Link {
        name: model.name.clone(),
        refined: refinement.refined.clone(),
        above: refinement.above.map(|file| PathBuf::from(&sources.file(file).name)),
        operations: model.operations.keys().take(refinement.operations.len()).cloned().collect(),
        sets: model.sets.keys().cloned().collect(),
        report,
        page,
        trace,
        outcome,
    })
}

/// Loads both machines and decides their sizes.
fn prepare(args: &RefineArgs, path: &Path, below: &[Link], sources: &mut SourceMap) -> Result<(Loaded, Refinement, Scope), Failure> {
    let request = RefinementRequest { precondition: args.pre.into(), hidden: &args.hide };
    let (mut loaded, refinement) = load::load_refinement(path, &args.common.folders, request, sources)?;
    let own: Vec<&String> = loaded.model.operations.keys().take(refinement.operations.len()).collect();
    // Of a chain, an operation may be hidden that only some links have.
    if let Some(unknown) = args.hide.iter().find(|name| !args.chain && !own.contains(name)) {
        let text = format!("--hide {unknown}");
        let file = sources.add("<command line>", text.clone());
        let place = Span::new(file, text.len() - unknown.len(), text.len());
        let error = Diagnostic::error(Code::UnknownOperation, place, format!("the refinement has no operation `{unknown}`"));
        return Err(Failure::Refused(vec![error], Exit::Usage));
    }
    // A set of a link below need not be one of the machines above.
    let mut asked = args.scope.clone();
    let is_below = |name: &String| below.iter().any(|link| link.sets.contains(name));
    asked.deferred.retain(|sizes| sizes.set.as_ref().is_none_or(|set| loaded.model.sets.contains_key(set) || !is_below(set)));
    let scope = scope::of_machine(&mut loaded, &asked, sources)?;
    Ok((loaded, refinement, scope))
}
