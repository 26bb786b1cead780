//! `bcheck refine`: load a refinement with the machine that it refines, search both side by side, report.
//!
//! Of a chain, each link is checked by itself: the refinement that is named, then the machine that it refines against the next one,
//! up to the MACHINE. Invariant: as for a check: the report is written before anything is said about expectations. A link that is
//! refused ends the chain; the links below it are reported all the same.

use super::args::{FormatArg, RefineArgs};
use super::check::{expectations, render, show_met};
use super::exit::Exit;
use super::exit::complain;
use super::interrupt::{self, Stage};
use super::load::{self, Failure, Loaded};
use super::more_files::{MoreFiles, of_refused};
use super::output::{self, Output, Refusal};
use super::progress::Watcher;
use super::saved::TraceFormat;
use super::second_look::second_look;
use super::terminal::Terminal;
use super::{config, memory, scope, symmetry_check};
use crate::eval::Machine;
use crate::explore::refine::{Demands, refine, survey};
use crate::explore::{LimitHit, Outcome, Verdict};
use crate::ir::{Refinement, Scope};
use crate::report::junit::{self, TestCase};
use crate::report::{CheckReport, RefinementReport, Times, html, json, sarif};
use crate::sema::RefinementRequest;
use crate::source::{Code, Diagnostic, Shown, SourceMap, Span, Vocabulary, shown};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Runs a refinement check.
pub(super) fn run(args: &RefineArgs) -> Exit {
    let terminal = Terminal::detect(args.common.messages.color);
    let RefinementFiles { report: mut report_file, more, trace } = match RefinementFiles::reserve(args) {
        Ok(files) => files,
        Err((reason, exit)) => return complain(&reason, exit),
    };
    // The report of a chain is one document; in other forms each link's is shown as soon as it is there.
    let is_document = args.chain && args.report.format == FormatArg::Json;
    let mut chain = Chain::default();
    let mut next = Some(args.machine.clone());
    while let Some(path) = next.take() {
        let mut sources = SourceMap::new();
        let format = trace.as_ref().map(|(format, _)| *format);
        let link = match check_link(args, &path, format, &chain.links, &mut sources, terminal) {
            Ok(link) => link,
            Err(Failure::Output(reason)) => return complain(&reason, Exit::Usage),
            Err(failure) => {
                let exit = failure.show(args.report.format, &sources, terminal);
                let (cases, results) = of_refused(&failure, &path, &sources);
                chain.refused = Some(Refused { report: failure.report(&path, &sources), path, exit, cases, results });
                break;
            }
        };
        if !is_document && let Err(reason) = report_file.put(&link.report) {
            return complain(&reason, Exit::Io);
        }
        let is_over = link.outcome.internal_error.is_some() || link.outcome.limit == Some(LimitHit::Interrupted);
        next = link.above.clone().filter(|_| args.chain && !is_over);
        chain.links.push(link);
    }
    let rest = if args.chain { chain.report(args.report.format) } else { chain.refusal(args.report.format) };
    let written = if chain.links.is_empty() { report_file.save_refusal(&rest) } else { report_file.save(&rest) };
    if let Err(reason) = written.and_then(|()| chain.write_more(&args.machine, more)) {
        return complain(&reason, Exit::Io);
    }
    if let Some((_, file)) = trace
        && let Some(text) = chain.links.iter().find_map(|link| link.trace.as_ref())
        && let Err(reason) = file.save(text)
    {
        return complain(&reason, Exit::Io);
    }
    if let Some(fault) = chain.links.iter().find_map(|link| link.outcome.internal_error.as_ref()) {
        return complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug);
    }
    if let Some(refused) = &chain.refused {
        return refused.exit;
    }
    if let Some(unknown) = args.hide.iter().find(|name| !chain.links.iter().any(|link| link.operations.contains(name))) {
        return complain(&format!("--hide {unknown}: no link of the chain has such an operation"), Exit::Usage);
    }
    match chain.faulty().or(chain.links.first()) {
        Some(link) => expectations(args.expect, &[], &link.outcome),
        None => Exit::Bug,
    }
}

/// What a refinement check writes.
struct RefinementFiles {
    report: Output,
    more: MoreFiles,
    trace: Option<(TraceFormat, Output)>,
}

impl RefinementFiles {
    fn reserve(args: &RefineArgs) -> Result<Self, Refusal> {
        let trace_format = args.trace.as_deref().map(TraceFormat::of).transpose().map_err(|reason| (reason, Exit::Usage))?;
        let named = [
            ("--output", args.report.output.as_deref()),
            ("--html", args.html.as_deref()),
            ("--junit", args.junit.as_deref()),
            ("--sarif", args.sarif.as_deref()),
            ("--trace", args.trace.as_deref()),
        ];
        let [report, html, junit, sarif, trace] = output::reserve(&[("the refinement", args.machine.as_path())], named)?;
        let report = report.unwrap_or_else(Output::stdout);
        Ok(Self { report, more: MoreFiles { html, junit, sarif }, trace: trace_format.zip(trace) })
    }
}

/// What was checked: the links from below, all of them or as far as they could be read.
#[derive(Default)]
struct Chain {
    links: Vec<Link>,
    refused: Option<Refused>,
}

/// A link of a chain that was checked.
struct Link {
    name: String,
    refined: String,
    /// The file of the next link.
    above: Option<PathBuf>,
    operations: Vec<String>,
    sets: Vec<String>,
    report: Shown,
    /// What the report in a browser says of it, if one is wanted.
    page: Option<html::Part>,
    /// The way to its finding in the format of a saved trace, if one is wanted.
    trace: Option<Shown>,
    cases: Vec<TestCase>,
    results: Vec<Json>,
    outcome: Outcome,
}

/// A link that was not.
struct Refused {
    path: PathBuf,
    exit: Exit,
    report: Option<Shown>,
    cases: Vec<TestCase>,
    results: Vec<Json>,
}

impl Chain {
    /// The first link with a finding.
    fn faulty(&self) -> Option<&Link> {
        self.links.iter().find(|link| link.outcome.verdict != Verdict::Verified)
    }

    fn verdict(&self) -> Verdict {
        self.faulty().map_or(Verdict::Verified, |link| link.outcome.verdict)
    }

    /// What is said of the links together, when they have been reported. A chain that was not read to its end has no verdict.
    fn report(&self, format: FormatArg) -> Shown {
        let verdict = self.refused.is_none().then(|| self.verdict().word());
        if format == FormatArg::Json {
            let refused = self.refused.iter().filter_map(|refused| refused.report.as_deref());
            return json::render_chain(verdict, self.links.iter().map(|link| link.report.as_str()).chain(refused));
        }
        let mut text = Shown::new();
        if format == FormatArg::Text {
            text += shown!("\nThe chain, from below:\n");
            for link in &self.links {
                text += shown!("  {} refines {}: {}\n", link.name, link.refined, link.outcome.verdict.word());
            }
            if let Some(refused) = &self.refused {
                text += shown!("  {}: not checked\n", refused.path.display());
            }
        }
        match verdict {
            Some(verdict) if format == FormatArg::Text => text + shown!("\n{}\n", verdict),
            Some(verdict) => text + shown!("{}\n", verdict),
            None => text,
        }
    }

    /// What is said of a single link that was refused.
    fn refusal(&self, format: FormatArg) -> Shown {
        let report = self.refused.as_ref().filter(|_| format == FormatArg::Json).and_then(|refused| refused.report.clone());
        report.unwrap_or_default()
    }

    /// Writes the reports beside the report; the tests are named after the lowest link.
    fn write_more(&mut self, lowest: &Path, more: MoreFiles) -> Result<(), String> {
        let verdict = self.verdict();
        let pages: Vec<html::Part> = self.links.iter_mut().filter_map(|link| link.page.take()).collect();
        let page = (!pages.is_empty()).then(|| html::render_chain(verdict, pages));
        let cases = self.links.iter().flat_map(|link| &link.cases).chain(self.refused.iter().flat_map(|refused| &refused.cases));
        let results = self.links.iter().flat_map(|link| &link.results).chain(self.refused.iter().flat_map(|refused| &refused.results));
        let name = self.links.first().map_or_else(|| lowest.display().to_string(), |link| link.name.clone());
        let (cases, results) = (cases.cloned().collect::<Vec<_>>(), results.cloned().collect::<Vec<_>>());
        if self.links.is_empty() { more.write_refusal(&name, &cases, &results) } else { more.write(&name, page, &cases, &results) }
    }
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
    interrupt::restart();
    interrupt::stage(Stage::Preparing("the refinement was read"));
    let started = Instant::now();
    let (loaded, refinement, scope) = prepare(args, path, below, sources)?;
    load::show(&loaded.warnings, args.report.format, sources, terminal);
    let options = config::timed(config::of_refine(args));
    interrupt::stage(Stage::Preparing("the refinement was compiled"));
    let read_s = started.elapsed().as_secs_f64();
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let compiled_s = started.elapsed().as_secs_f64();
    let demands = Demands { matching: args.mode, refusals: args.refusals, divergence: args.divergence };
    let (symmetry, doubts) = match args.check_symmetry {
        true => symmetry_check::checked_refinement(&machine, &refinement, demands, &options),
        false => (options.symmetry_of(&machine), Vec::new()),
    };
    load::show(&doubts, args.report.format, sources, terminal);
    interrupt::watch(machine.interrupt());
    let load_s = started.elapsed().as_secs_f64();
    let search = Instant::now();
    let mut watcher = Watcher::new(args.progress, "");
    let outcome = refine(&machine, &refinement, &symmetry, demands, &options, &mut watcher);
    let search_s = search.elapsed().as_secs_f64();
    watcher.phase("looking at the configurations once more for the report");
    let survey = args.html.as_ref().and_then(|_| {
        second_look(&machine, &symmetry, &outcome, |symmetry, limits, is_over| {
            survey(&machine, &refinement, symmetry, demands, limits, is_over)
        })
    });
    watcher.finish();
    interrupt::stage(Stage::Reporting);
    let diagnostics = [loaded.warnings, doubts, show_met(&machine, args.report.format, sources, terminal)].concat();
    tracing::info!(configurations = outcome.explored.states, verdict = outcome.verdict.word(), "search ended");
    let report = CheckReport {
        sources,
        file: &path.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        tried: machine.tried(),
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
    let (cases, results) = (junit::of_check(&report), sarif::of_check(&report));
    let report = render(&report, args.report.format, args.report.output.is_some(), terminal);
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
        cases,
        results,
        outcome,
    })
}

/// Loads both machines and decides their sizes.
fn prepare(args: &RefineArgs, path: &Path, below: &[Link], sources: &mut SourceMap) -> Result<(Loaded, Refinement, Scope), Failure> {
    let request = RefinementRequest { precondition: args.pre, hidden: &args.hide };
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
