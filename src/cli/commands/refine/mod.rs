//! `bcheck refine`: loads a refinement with the machine that it refines, searches both side by side, reports.
//!
//! In a chain, each link is checked by itself: the named refinement first, then the machine that it refines against the next one, up to the
//! MACHINE. Invariant: as in a check, the report is written before expectations are compared. A link that is refused ends the chain; the
//! links below it are reported all the same.

pub(crate) mod preserved;

use crate::args::{ExplainArgs, FormatArg, RefineArgs};
use crate::commands::check::expectations::exit_code_of_verdict;
use crate::commands::checkpoint;
use crate::commands::checkpoint::same_run;
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use crate::io::run_files::{FilePlan, RunFiles, of_refused};
use crate::io::trace_file::TraceFormat;
use crate::load::{self, Failure, Loaded};
use crate::pictures::states::{AlbumFormat, Drawing, say_left_out};
use crate::scope;
use crate::session::graph_walk;
use crate::session::re_exploration::Surveyed;
use crate::session::{RefinementTask, Session, Task};
use bcheck_explore::refine::{Demands, RefinementFacts};
use bcheck_explore::{LimitHit, Outcome, Verdict};
use bcheck_ir::{Refinement, Scope};
use bcheck_report::junit::{self, TestCase};
use bcheck_report::passed::{self, ChainLevel, PassedRow};
use bcheck_report::{CheckReport, html, json, sarif};
use bcheck_sema::RefinementRequest;
use bcheck_source::{Code, Diagnostic, Shown, SourceMap, Span, Vocabulary, keep_statistics, shown};
use preserved::RefinedFormulas;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// Runs a refinement check.
pub(crate) fn run(args: &RefineArgs) -> Ended {
    checkpoint::verify_refinement(args)?;
    let plan = FilePlan::of_search("refine", &args.report, &args.files, &args.drawing, &args.watch);
    let mut files = plan.reserve(&[("the refinement", args.machine.as_path())]).map_err(refused)?;
    let wanted = Wanted { trace: files.trace_format(), picture: files.picture_format() };
    // The report of a chain is one document; in other formats each link is shown as soon as it is done.
    let is_document = args.chain && args.report.format == FormatArg::Json;
    let mut chain = Chain::default();
    let mut next = Some(args.machine.clone());
    while let Some(path) = next.take() {
        // One for each link: it has its own texts, and measures its own time.
        let mut console = Console::open(&args.common.messages, args.report.format);
        if let Some(status) = &mut files.status {
            status.go_on_with(path.display().to_string());
        }
        let link = match check_link(args, &path, (wanted, &mut files, is_document), &chain.links, &mut console) {
            Ok(link) => link,
            // An output would replace an input: no output is written then, not even one with the refusal.
            Err(Failure::Plain(reason, Exit::Usage)) => return Err(complain(&reason, Exit::Usage)),
            Err(failure) => {
                chain.refused = Some(Refused::of(&failure, path, &console));
                break;
            }
        };
        // After a finding the links above are still checked, because each is a separate claim; after a signal they are not.
        let is_over = link.outcome.internal_error.is_some() || link.outcome.limit == Some(LimitHit::Interrupted);
        next = link.above.clone().filter(|_| args.chain && !is_over);
        chain.links.push(link);
    }
    let rest = if args.chain { chain.report(args.report.format) } else { chain.refusal(args.report.format) };
    chain.save(files, &rest, &args.machine).map_err(complaint(Exit::Io))?;
    chain.exit(args)
}

/// The requested form of everything written beside the report.
#[derive(Clone, Copy)]
struct Wanted {
    trace: Option<TraceFormat>,
    picture: Option<AlbumFormat>,
}

/// The checked links, from below, as far as they could be read.
#[derive(Default)]
struct Chain {
    links: Vec<Link>,
    refused: Option<Refused>,
}

/// A checked link of a chain.
struct Link {
    name: String,
    refined: String,
    /// The file of the next link.
    above: Option<PathBuf>,
    operations: Vec<String>,
    sets: Vec<String>,
    /// The requested temporal formulas of the refined machine.
    formulas: Vec<String>,
    /// Which of these, and of those from further up, are preserved.
    level: Option<ChainLevel>,
    report: Shown,
    /// Its part of the HTML report, if requested.
    page: Option<html::Part>,
    /// The run to its finding in the format of a saved trace, if requested.
    trace: Option<Shown>,
    /// The pictures of the states on this run, if requested and available, with remarks about them.
    picture: Option<Drawing>,
    cases: Vec<TestCase>,
    results: Vec<Json>,
    outcome: Outcome,
}

/// A link that was refused.
struct Refused {
    path: PathBuf,
    exit: Exit,
    report: Option<Shown>,
    cases: Vec<TestCase>,
    results: Vec<Json>,
}

impl Refused {
    /// Shows why a link was refused, and stores it for the reports.
    fn of(failure: &Failure, path: PathBuf, console: &Console) -> Self {
        let (cases, results) = of_refused(failure, &path, &console.sources);
        let report = failure.report(&path, &console.sources);
        Self { exit: console.show_failure(failure), report, path, cases, results }
    }
}

impl Chain {
    /// The exit code after all reports are written: a fault of bcheck has priority, then whatever prevented a link from being checked.
    fn exit(&self, args: &RefineArgs) -> Ended {
        if let Some(fault) = self.links.iter().find_map(|link| link.outcome.internal_error.as_ref()) {
            return Err(own_fault(fault));
        }
        if let Some(refused) = &self.refused {
            return Ok(refused.exit);
        }
        if let Some(unknown) = args.hide.iter().find(|name| !self.links.iter().any(|link| link.operations.contains(name))) {
            return Err(complain(&format!("--hide {unknown}: no link of the chain has such an operation"), Exit::Usage));
        }
        if let Some(unknown) = args.formulas.names().find(|name| !self.links.iter().any(|link| link.formulas.contains(name))) {
            return Err(complain(&format!("--temporal={unknown}: no machine of the chain has such a formula"), Exit::Usage));
        }
        match self.faulty().or(self.links.first()) {
            Some(link) => Ok(exit_code_of_verdict(args.expect, &link.outcome)),
            // A chain has a link or a refusal, which has been handled above.
            None => Ok(Exit::Bug),
        }
    }

    /// The first link with a finding, otherwise the first that was not searched completely. If a link is broken, those below are often
    /// incomplete because of it, and the finding explains why.
    fn faulty(&self) -> Option<&Link> {
        let of = |is_wanted: fn(Verdict) -> bool| self.links.iter().find(|link| is_wanted(link.outcome.verdict));
        of(|verdict| !matches!(verdict, Verdict::Verified | Verdict::Incomplete)).or_else(|| of(|verdict| verdict != Verdict::Verified))
    }

    fn verdict(&self) -> Verdict {
        self.faulty().map_or(Verdict::Verified, |link| link.outcome.verdict)
    }

    /// The summary of all links, after the report of each. A chain that was not read completely has no verdict.
    fn report(&self, format: FormatArg) -> Shown {
        let verdict = self.refused.is_none().then(|| self.verdict().word());
        if format == FormatArg::Json {
            // The document of a refused link comes last, as the chain ends there.
            let refused = self.refused.iter().filter_map(|refused| refused.report.as_deref());
            return json::render_chain(verdict, self.links.iter().map(|link| link.report.as_str()).chain(refused), &self.passed());
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
            text += passed::table(&self.passed());
        }
        match verdict {
            Some(verdict) if format == FormatArg::Text => text + shown!("\n{}\n", verdict),
            Some(verdict) => text + shown!("{}\n", verdict),
            None => text,
        }
    }

    /// The formulas of each machine traced down the links below it.
    fn passed(&self) -> Vec<PassedRow> {
        let levels: Vec<ChainLevel> = self.links.iter().filter_map(|link| link.level.clone()).collect();
        // Without `--temporal` no link has formulas; with it, each has.
        if levels.len() == self.links.len() { passed::passed(&levels) } else { Vec::new() }
    }

    /// The report of a single link that was refused.
    fn refusal(&self, format: FormatArg) -> Shown {
        let report = self.refused.as_ref().filter(|_| format == FormatArg::Json).and_then(|refused| refused.report.clone());
        report.unwrap_or_default()
    }

    /// Writes all files: `rest` of the report first, then the others.
    fn save(&mut self, mut files: RunFiles, rest: &Shown, lowest: &Path) -> Result<(), String> {
        // Without a link there is only a refusal, which does not replace the report of an earlier run.
        let report = files.take_report();
        if self.links.is_empty() { report.save_refusal(rest) } else { report.save(rest) }?;
        self.save_more(lowest, &mut files)?;
        files.save_trace(|_| self.links.iter().find_map(|link| link.trace.clone()))?;
        let drawn = self.links.iter().find_map(|link| link.picture.as_ref());
        let without = "--picture draws the run that leads to a finding, and no finding has one";
        files.save_picture(drawn.map(|drawing| drawing.bytes.as_slice()), without)?;
        files.end_status(self.refused.is_none().then(|| self.verdict()))
    }

    /// Writes the outputs beside the report; the tests are named after the lowest link.
    fn save_more(&mut self, lowest: &Path, files: &mut RunFiles) -> Result<(), String> {
        let verdict = self.verdict();
        let pages: Vec<html::Part> = self.links.iter_mut().filter_map(|link| link.page.take()).collect();
        // A chain whose first link is refused has no page.
        let passed = self.passed();
        let page = (!pages.is_empty()).then(|| html::render_chain(verdict, pages, &passed));
        let cases = self.links.iter().flat_map(|link| &link.cases).chain(self.refused.iter().flat_map(|refused| &refused.cases));
        let results = self.links.iter().flat_map(|link| &link.results).chain(self.refused.iter().flat_map(|refused| &refused.results));
        let name = self.links.first().map_or_else(|| lowest.display().to_string(), |link| link.name.clone());
        let (cases, results) = (cases.cloned().collect::<Vec<_>>(), results.cloned().collect::<Vec<_>>());
        if self.links.is_empty() {
            return files.save_refusal(&name, &cases, &results);
        }
        if let Some(page) = page {
            files.save_page(|| page)?;
        }
        files.save_cases(&name, &cases, (&results, &[]))
    }
}

/// Checks one refinement against the machine that it refines; `below` are the links of the chain checked before. The report is written
/// here, before anything is drawn, unless it is a part of a document.
fn check_link(
    args: &RefineArgs,
    path: &Path,
    (wanted, files, is_document): (Wanted, &mut RunFiles, bool),
    below: &[Link],
    console: &mut Console,
) -> Result<Link, Failure> {
    // Each link has the full time limit, and a limit or signal that ended the previous link does not end this one.
    interrupt::restart();
    interrupt::stage(Stage::Preparing("the refinement was read"));
    if args.explaining.stats {
        keep_statistics();
    }
    let (mut loaded, refinement) = prepare(args, path, below, &mut console.sources)?;
    let projections = graph_walk::projections_of_refinement(&args.page, &mut loaded.0, &refinement, &mut console.sources)?;
    let draws = args.drawing.draws(args.files.html.is_some());
    if draws.is_some() {
        loaded.0.read_visb(path, &mut console.sources);
    }
    let formulas = RefinedFormulas::load(args, &loaded.0.model, &refinement, &loaded.1, &mut console.sources)?;
    let formula_names = formulas.as_ref().map(|formulas| formulas.names.clone()).unwrap_or_default();
    let (refined, above) = (refinement.refined.clone(), refinement.above);
    // In the model of both machines, the operations of the refinement come first; those of the refined one follow.
    let own_operations = refinement.operations.len();
    let demands = Demands { matching: args.mode, refusals: args.refusals, divergence: args.divergence };
    let options = config::timed(config::of_refine(args));
    let task = RefinementTask { refinement, demands, formulas, facts: RefinementFacts::default() };
    let mut session = Session::compile(console, path, loaded, options, Task::Refine(Box::new(task)));
    let symmetry = session.symmetry(args.check_symmetry);
    let plain = |(reason, exit)| Failure::Plain(reason, exit);
    let subject = (&session.machine, &mut session.options, &console.sources);
    session.kept = checkpoint::open(&args.checkpoints, subject, (same_run::about_refinement(args), None)).map_err(plain)?;
    let folder = args.checkpoints.folder().map_or(path, |(folder, _)| folder);
    if let Some(why) = graph_walk::told_apart(&projections, &session.machine, &symmetry) {
        return Err(plain((format!("{why}, but symmetric configurations exchange elements; add --symmetry off"), Exit::Usage)));
    }
    let surveyed = args.files.html.is_some().then_some(Surveyed::Graph(&projections));
    let searched = session.search(&symmetry, (args.watch.progress, files.status.as_mut()), surveyed);
    let (outcome, survey) = searched.map_err(|fault| plain(checkpoint::refusal(folder, None, &fault)))?;
    // Ids are unique in the page of a chain.
    let painter = draws.map(|draws_all| session.painter(draws_all, &link_name(below.len())));
    let report = session.report(&symmetry, &outcome, survey.as_ref());
    let ExplainArgs { explain, changes: shows_changes, stats: _ } = args.explaining;
    // A page contains it folded, whether or not it was requested.
    let evidence = if explain || args.files.html.is_some() { session.explanation(&symmetry, &outcome).0 } else { None };
    let page = CheckReport { evidence: evidence.as_ref(), painter: painter.as_ref(), ..report };
    let report = CheckReport { shows_changes, survey: None, ..if explain { page } else { report } };
    let text = console.render(&report, args.report.output.as_deref());
    // A limit reached from here on loses only the drawings.
    if !is_document {
        files.put(&text).map_err(|reason| plain((reason, Exit::Io)))?;
    }
    if let Some(painter) = &painter {
        let is_last_word = !args.chain && args.expect.is_none() && args.report.output.is_none();
        interrupt::draw(painter.machine().interrupt(), is_last_word.then_some(Exit::Verdict(outcome.verdict)));
    }
    let picture = wanted.picture.and_then(|format| drawn(format, &page));
    let page = args.files.html.is_some().then(|| html::part(&page));
    interrupt::stage(Stage::Reporting);
    let model = report.model;
    Ok(Link {
        name: model.name.clone(),
        refined,
        above: above.map(|file| PathBuf::from(&console.sources.file(file).name)),
        operations: model.operations.keys().take(own_operations).cloned().collect(),
        sets: model.sets.keys().cloned().collect(),
        formulas: formula_names,
        level: passed::level(&report),
        page,
        trace: wanted.trace.and_then(|format| format.of_finding(&report)),
        picture,
        cases: junit::of_check(&report),
        results: sarif::of_check(&report),
        report: text,
        outcome,
    })
}

/// The prefix of ids in pictures of a link; for the first one as in a page with a single link.
fn link_name(number: usize) -> String {
    if number == 0 { String::new() } else { format!("link{number}-") }
}

/// Draws the states of the refinement up to the finding, with remarks about omitted ones.
fn drawn(format: AlbumFormat, report: &CheckReport<'_>) -> Option<Drawing> {
    let run = report.outcome.finding.as_ref().map(|finding| &finding.trace).filter(|run| !run.steps.is_empty());
    let (run, painter) = run.zip(report.painter)?;
    match format.draw(painter, (report.file, run)) {
        Ok(drawing) => {
            drawing.iter().for_each(|drawing| say_left_out(&drawing.remarks, report.sources));
            drawing
        }
        Err(why) => {
            files::complain(&format!("warning: {why}\n"));
            None
        }
    }
}

/// Loads both machines and decides their sizes.
fn prepare(args: &RefineArgs, path: &Path, below: &[Link], sources: &mut SourceMap) -> Result<((Loaded, Scope), Refinement), Failure> {
    let request = RefinementRequest { precondition: args.pre, hidden: &args.hide };
    let (mut loaded, refinement) = load::load_refinement(path, &args.common.folders, request, sources)?;
    let own: Vec<&String> = loaded.model.operations.keys().take(refinement.operations.len()).collect();
    // In a chain, an operation may be hidden that only some links have.
    if let Some(unknown) = args.hide.iter().find(|name| !args.chain && !own.contains(name)) {
        let text = format!("--hide {unknown}");
        let file = sources.add("<command line>", text.clone());
        let place = Span::new(file, text.len() - unknown.len(), text.len());
        let error = Diagnostic::error(Code::UnknownOperation, place, format!("the refinement has no operation `{unknown}`"));
        return Err(Failure::Refused(vec![error], Exit::Usage));
    }
    // A set of a link below need not exist in the machines above.
    let mut asked = args.scope.clone();
    // A name that no link has is a mistake, and stays in the request to be refused.
    let is_below = |name: &String| below.iter().any(|link| link.sets.contains(name));
    asked.deferred.retain(|sizes| sizes.set.as_ref().is_none_or(|set| loaded.model.sets.contains_key(set) || !is_below(set)));
    let scope = scope::of_machine(&mut loaded, &asked, sources)?;
    Ok(((loaded, scope), refinement))
}
