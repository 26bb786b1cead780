//! `bcheck suite`: runs all machines that state an expected result, several at a time, and lists those with another result.
//!
//! Each expectation is a run of this very program in a separate process, so that no machine can bring down the others, and a limit on
//! memory applies to one machine. Invariant: lines come in the order of files and pragmas, however many run at once; a machine that cannot
//! be read or run is a failure.

mod expected;
pub mod pragma;
mod stated_counts;

use crate::args::{PropertyArgs, SuiteArgs, TableFormatArg, WellDefinednessArg};
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::child_runs::Runs;
use crate::io::decode::decode;
use crate::io::files::{self, plain};
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::io::temporary::Scratch;
use crate::project::MACHINE_ENDINGS;
use bcheck_report::html::index::IndexRow;
use bcheck_report::json::pretty;
use bcheck_report::junit::{TestCase, TestResult};
use bcheck_report::trace::saved_text;
use bcheck_report::{html, junit, sarif};
use bcheck_source::{Shown, shown};
use expected::Expected;
use pragma::{Expectation, Extent, expectations};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The most lines about the findings of one run.
const DETAILS: usize = 3;

/// One expectation of one file.
struct Case {
    file: PathBuf,
    work: Work,
}

enum Work {
    Run(Box<Expectation>),
    /// The pragma, or the file, cannot be read.
    Faulty(usize, String),
}

/// The result of a case.
struct Finished {
    differences: Vec<String>,
    report: Json,
    sarif: Vec<Json>,
    seconds: f64,
    /// Why it was not run, if so.
    left_out: Option<&'static str>,
}

/// Runs a suite.
pub(crate) fn run(args: &SuiteArgs) -> Ended {
    let program = std::env::current_exe()
        .map_err(|error| complain(&format!("cannot find the program itself, to run it: {}", plain(&error)), Exit::Io))?;
    if let Some(folder) = &args.html {
        crate::io::temporary::make_folder(folder).map_err(|reason| complain(&format!("--html: {reason}"), Exit::Io))?;
    }
    let index_path = args.html.as_ref().map(|folder| folder.join("index.html"));
    let named = [("--junit", args.junit.as_deref()), ("--sarif", args.sarif.as_deref()), ("--html", index_path.as_deref())];
    // Before the first machine runs: a suite may take hours, and a missing folder should not be discovered at the end.
    let [junit_file, sarif_file, index_file] = output::reserve(&[], named).map_err(refused)?;
    let scratch = sarif_file.as_ref().map(|_| Scratch::new("suite")).transpose().map_err(complaint(Exit::Io))?;
    let (cases, silent) = collect(args).map_err(complaint(Exit::Io))?;
    // The outputs were reserved before the machines were known: only now can it be tested whether one of them would be replaced.
    output::refuse_inputs().map_err(complaint(Exit::Usage))?;
    if cases.is_empty() {
        let shown: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        let reason = format!(
            "no machine in {} states an expected result, such as /*@ check: verified */; --expect VERDICT expects it of all machines",
            shown.join(", ")
        );
        return Err(complain(&reason, Exit::Unexpected));
    }
    let finished = run_all(&cases, &program, args, scratch.as_ref(), &mut |case, finished| {
        if args.format == TableFormatArg::Text {
            // A closed reader does not stop the run: its files may still be wanted.
            let _ = Output::stdout().put(&line(case, finished));
        }
    });
    let failed = finished.iter().filter(|finished| !finished.differences.is_empty()).count();
    let left_out = finished.iter().filter(|finished| finished.left_out.is_some()).count();
    let passed = finished.len() - failed - left_out;
    let text = match args.format {
        TableFormatArg::Text => {
            let mut text = shown!("\n{} passed, {} failed", passed, failed);
            if left_out > 0 {
                text += shown!(", {} left out (--large runs those marked as large)", left_out);
            }
            if silent > 0 {
                text += shown!("; {} machine{} nothing", silent, if silent == 1 { " states" } else { "s state" });
            }
            text + shown!("\n")
        }
        TableFormatArg::Json => render_json(&cases, &finished),
    };
    let junit_text = junit::render("bcheck suite", &test_cases(&cases, &finished));
    let results: Vec<Json> = cases.iter().zip(&finished).flat_map(|(case, finished)| sarif_results(case, finished)).collect();
    let written = [
        Output::stdout().put(&text),
        junit_file.map_or(Ok(()), |file| file.save(&junit_text)),
        sarif_file.map_or(Ok(()), |file| file.save(&sarif::render(&results, &[]))),
        index_file.map_or(Ok(()), |file| file.save(&index(args, &cases, &finished))),
    ];
    written.into_iter().try_for_each(|result| result.map_err(complaint(Exit::Io)))?;
    Ok(if failed > 0 { Exit::Unexpected } else { Exit::Done })
}

/// All expectations of the machines in these places, and the number of machines without any.
fn collect(args: &SuiteArgs) -> Result<(Vec<Case>, usize), String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        files_below(path, MACHINE_ENDINGS, &mut files)?;
    }
    let mut expected = match (&args.expect, &args.expect_file) {
        (Some(verdict), _) => Some(Expected::Same(verdict.clone())),
        (None, Some(table)) => Some(Expected::table(table)?),
        (None, None) => None,
    };
    let (mut cases, mut silent) = (Vec::new(), 0);
    let runs = |stated: Vec<Expectation>| stated.into_iter().map(|expectation| Work::Run(Box::new(expectation))).collect();
    for file in files {
        let works: Vec<Work> = match (&mut expected, files::read_bytes(&file)) {
            // The first line represents a file without readable lines.
            (_, Err(reason)) => vec![Work::Faulty(1, reason)],
            (Some(expected), Ok(_)) => runs(expected.of(&file)?),
            (None, Ok(bytes)) => match expectations(&decode(&bytes).text) {
                Ok(stated) => runs(stated),
                Err(fault) => vec![Work::Faulty(fault.line, fault.message)],
            },
        };
        silent += usize::from(works.is_empty());
        cases.extend(works.into_iter().map(|work| Case { file: file.clone(), work }));
    }
    for row in expected.into_iter().flat_map(Expected::rest) {
        cases.push(Case { file: row.file, work: Work::Faulty(1, "the table names it, but it is not in these folders".to_owned()) });
    }
    Ok((cases, silent))
}

/// Adds a file, or all files with these endings below a folder in alphabetical order.
pub(crate) fn files_below(path: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> Result<(), String> {
    let refuse = |error: std::io::Error| format!("cannot read {}: {}", path.display(), plain(&error));
    if !std::fs::metadata(path).map_err(refuse)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        // The type of the entry itself, links not followed: following a link to a folder might lead back up, and the recursion would not
        // terminate.
        entries.push((entry.path(), entry.file_type().map_err(refuse)?.is_dir()));
    }
    // `read_dir` lists in the order of the file system.
    entries.sort();
    for (path, is_folder) in entries {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if is_folder {
            files_below(&path, endings, files)?;
        } else if endings.contains(&ending) {
            files.push(path);
        }
    }
    Ok(())
}

/// Shows a case that has been run.
type Show<'a> = &'a mut (dyn FnMut(&Case, &Finished) + Send);

/// The results so far. Invariant: the first `shown` cases are finished and shown, and the next one is not finished.
struct Board<'a> {
    results: Vec<Option<Finished>>,
    shown: usize,
    show: Show<'a>,
}

/// Runs all cases, several at a time, and shows each as soon as those before it are shown.
fn run_all(cases: &[Case], program: &Path, args: &SuiteArgs, scratch: Option<&Scratch>, show: Show<'_>) -> Vec<Finished> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = args.jobs.map_or(cores, usize::from).min(cases.len());
    let next = AtomicUsize::new(0);
    let board = Mutex::new(Board { results: cases.iter().map(|_| None).collect(), shown: 0, show });
    let runs = Runs::default();
    let work = || {
        loop {
            // Relaxed suffices: the counter only hands out each index once. The mutex publishes the results.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { break };
            let finished = run_one((index, case), program, args, &runs, scratch.map(|scratch| scratch.file(&format!("{index}.sarif"))));
            // Poisoned by a worker that panicked while it showed a line: its panic ends the scope, so there is nothing left to do.
            let Ok(mut board) = board.lock() else { break };
            let Board { results, shown, show } = &mut *board;
            results[index] = Some(finished);
            // Shown under the lock, so lines are in the order of the cases, whichever worker finishes first.
            while let Some(Some(finished)) = results.get(*shown) {
                show(&cases[*shown], finished);
                *shown += 1;
            }
        }
    };
    interrupt::stage(Stage::Supervising);
    std::thread::scope(|scope| {
        // A thread for each job, until the system starts no more: the running threads take over the cases of the others.
        let threads: Vec<_> = (0..jobs).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        if threads.is_empty() {
            files::complain(
                "warning: no thread can be started (ulimit -u, -v): machines are run one after the other, and only a second signal ends that\n",
            );
            return work();
        }
        runs.wait(|| threads.iter().all(|thread| thread.is_finished()));
    });
    interrupt::stage(Stage::Reporting);
    let board = board.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    board.results.into_iter().map(|finished| finished.unwrap_or_else(|| failed("it was not run"))).collect()
}

fn failed(reason: impl Into<String>) -> Finished {
    Finished { differences: vec![reason.into()], report: Json::Null, sarif: Vec::new(), seconds: 0.0, left_out: None }
}

fn run_one((index, case): (usize, &Case), program: &Path, args: &SuiteArgs, runs: &Runs, sarif_file: Option<PathBuf>) -> Finished {
    let expectation = match &case.work {
        Work::Faulty(_, message) => return failed(message),
        Work::Run(expectation) if expectation.extent == Extent::Large && !args.large => {
            return Finished { differences: Vec::new(), left_out: Some("large"), ..failed("") };
        }
        Work::Run(expectation) => expectation,
    };
    if interrupt::happened() {
        return failed("interrupted before it was run");
    }
    // An option of the pragma takes precedence over one of the suite, because the stated result holds with that option.
    let has = |option: &str| expectation.gives(option);
    let mut command = Command::new(program);
    command.arg(if expectation.is_refinement { "refine" } else { "check" }).arg(&case.file);
    command.args(["--format", "json", "--progress", "none", "--color", "never"]);
    for folder in &args.common.folders.include {
        command.arg("--include").arg(folder);
    }
    if args.common.folders.include_only {
        command.arg("--include-only");
    }
    // Cases run in parallel already, so each gets one worker unless it states otherwise.
    if !has("--workers") && !has("-j") {
        command.args(["--workers", "1"]);
    }
    let sizes = &args.scope;
    for size in sizes.deferred.iter().filter(|_| !has("--deferred") && !has("-d")) {
        command.args(["--deferred", &size.typed]);
    }
    for (option, bound) in [("--minint", sizes.minint), ("--maxint", sizes.maxint)] {
        if let Some(bound) = bound.filter(|_| !has(option)) {
            command.args([option, &bound.to_string()]);
        }
    }
    let PropertyArgs { no_invariant, no_deadlock, no_assertions, wd } = args.properties;
    let switches = [("--no-invariant", no_invariant), ("--no-deadlock", no_deadlock), ("--no-assertions", no_assertions)];
    // A refinement check has other properties.
    for (option, _) in switches.into_iter().filter(|(option, is_given)| *is_given && !expectation.is_refinement && !has(option)) {
        command.arg(option);
    }
    if wd == WellDefinednessArg::Strict && !expectation.is_refinement && !has("--wd") {
        command.args(["--wd", "strict"]);
    }
    if let Some(folder) = &args.html {
        command.arg("--html").arg(folder.join(page_name(index, &case.file)));
    }
    if let Some(limit) = args.time_limit.filter(|_| !has("--time-limit")) {
        command.args(["--time-limit", &limit.0.as_secs_f64().to_string()]);
    }
    if let Some(limit) = args.memory_limit.filter(|_| !has("--memory-limit")) {
        command.args(["--memory-limit", &limit.0.to_string()]);
    }
    if let Some(file) = &sarif_file {
        command.arg("--sarif").arg(file);
    }
    // Without input: a machine that asks for some would wait for the terminal of the suite.
    command.args(&expectation.options).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let (code, written, complaints) = match runs.run(&mut command) {
        Ok(run) => run,
        Err(error) => return failed(format!("it cannot be run: {}", plain(&error))),
    };
    let seconds = started.elapsed().as_secs_f64();
    // Without a code, the process was killed by a signal: that of the terminal, or our own `kill`.
    if interrupt::happened() && code.is_none() {
        return Finished { seconds, ..failed("interrupted") };
    }
    let report = of_all_sizes(serde_json::from_slice(&written).unwrap_or_default());
    let mut differences = expectation.differences(code, &report, false);
    if report.is_null() {
        // Invalid options, or a crash: the reason is on stderr.
        let complaints = String::from_utf8_lossy(&complaints);
        differences.extend(complaints.lines().find(|line| !line.trim().is_empty()).map(str::to_owned));
    }
    let sarif = sarif_file.map(|file| take_results(&file)).unwrap_or_default();
    Finished { differences, report, sarif, seconds, left_out: None }
}

/// The report of a check at several sizes: that of the last size run, with the overall verdict.
fn of_all_sizes(report: Json) -> Json {
    let Some(last) = report["rows"].as_array().and_then(|rows| rows.last()) else { return report };
    let mut last = last.clone();
    if last.is_object() && !report["verdict"].is_null() {
        last["verdict"] = report["verdict"].clone();
    }
    last
}

/// The results in the SARIF file of a run; none if the run ended before writing it.
fn take_results(file: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let parsed: Json = serde_json::from_str(&text).unwrap_or_default();
    parsed["runs"][0]["results"].as_array().cloned().unwrap_or_default()
}

/// The command and options of a case as stated: `check --deferred 3`.
fn title(case: &Case) -> String {
    match &case.work {
        Work::Faulty(..) => "pragma".to_owned(),
        Work::Run(expectation) => {
            let word = if expectation.is_refinement { "refine" } else { "check" };
            let quoted = |option: &String| if option.contains(char::is_whitespace) { format!("\"{option}\"") } else { option.clone() };
            std::iter::once(word.to_owned()).chain(expectation.options.iter().map(quoted)).collect::<Vec<_>>().join(" ")
        }
    }
}

fn place(case: &Case) -> String {
    let line = match &case.work {
        Work::Faulty(line, _) => *line,
        Work::Run(expectation) => expectation.line,
    };
    format!("{}:{line}", case.file.display())
}

fn stated(case: &Case) -> &str {
    match &case.work {
        Work::Faulty(..) => "",
        Work::Run(expectation) => &expectation.verdict,
    }
}

fn line(case: &Case, finished: &Finished) -> Shown {
    let (place, title) = (place(case), title(case));
    if let Some(reason) = finished.left_out {
        return shown!("skip  {}  {} ({})\n", place, title, reason);
    }
    if finished.differences.is_empty() {
        return shown!("ok    {}  {}: {} ({:.2} s)\n", place, title, stated(case), finished.seconds);
    }
    let found: Shown = details(&finished.report).iter().map(|line| shown!("        {}\n", line)).collect();
    shown!("FAIL  {}  {}: {}\n", place, title, finished.differences.join("; ")) + found
}

/// The errors for which a machine was refused, or its findings: one line each.
fn details(report: &Json) -> Vec<String> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let place = |of: &Json| match (of["file"].as_str(), &of["line"], &of["column"]) {
        (Some(file), Json::Number(line), Json::Number(column)) => format!("{file}:{line}:{column}: "),
        _ => String::new(),
    };
    let violation = &report["violation"];
    let found = violation.is_object().then(|| {
        let formula = violation["conjunct"].as_str().or(violation["formula"].as_str()).map(|formula| format!(": {formula}"));
        format!("{}{}{}", place(&violation["place"]), text(&violation["message"]), formula.unwrap_or_default())
    });
    let all = report["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let errors = all.iter().filter(|one| one["severity"] == "error");
    let errors = errors.map(|one| format!("{}error[{}]: {}", place(one), text(&one["code"]), text(&one["message"])));
    let mut lines: Vec<String> = found.into_iter().chain(errors).collect();
    if lines.len() > DETAILS {
        let more = lines.len() - DETAILS;
        lines.truncate(DETAILS);
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// The file name of the page of a case: numbers distinguish machines with equal names.
pub(crate) fn page_name(index: usize, file: &Path) -> String {
    let stem: String = file.file_stem().unwrap_or_default().to_string_lossy().chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{:03}_{stem}.html", index + 1)
}

/// The index page of all cases.
fn index(args: &SuiteArgs, cases: &[Case], finished: &[Finished]) -> Shown {
    let row = |(at, (case, finished)): (usize, (&Case, &Finished))| {
        let page = page_name(at, &case.file);
        let is_there = args.html.as_ref().is_some_and(|folder| folder.join(&page).is_file());
        let verdict = finished.report["verdict"].as_str().unwrap_or(if finished.report.is_null() { "none" } else { "rejected" });
        IndexRow {
            file: case.file.display().to_string(),
            run: title(case),
            verdict: finished.left_out.unwrap_or(verdict).to_owned(),
            is_good: if finished.left_out.is_some() { None } else { Some(finished.differences.is_empty()) },
            details: finished.differences.iter().cloned().chain(details(&finished.report)).collect(),
            // A machine that was refused has no page.
            page: is_there.then_some(page),
            seconds: finished.seconds,
        }
    };
    let rows: Vec<IndexRow> = cases.iter().zip(finished).enumerate().map(row).collect();
    let places: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
    html::index::render("bcheck suite", &places.join(", "), ("as expected", "not as expected"), &rows)
}

fn test_cases(cases: &[Case], finished: &[Finished]) -> Vec<TestCase> {
    let of_one = |(case, finished): (&Case, &Finished)| TestCase {
        class: case.file.display().to_string(),
        name: title(case),
        seconds: finished.seconds,
        result: match finished.left_out {
            Some(reason) => TestResult::Skipped(reason.to_owned()),
            None if finished.differences.is_empty() => TestResult::Passed,
            None => TestResult::Failed(
                finished.differences.join("; "),
                shown!("{}\n{}\n{}", place(case), details(&finished.report).join("\n"), saved_text(&finished.report)),
            ),
        },
    };
    cases.iter().zip(finished).flat_map(|pair| std::iter::once(of_one(pair)).chain(not_checked(pair.0, pair.1))).collect()
}

/// The stated properties of a machine that were not checked, as skipped tests.
fn not_checked(case: &Case, finished: &Finished) -> Vec<TestCase> {
    let stated = finished.report["not_checked"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let of_one = |property: &Json| TestCase {
        class: case.file.display().to_string(),
        name: format!("{}: {}: {}", title(case), text(&property["name"]), text(&property["formula"])),
        seconds: 0.0,
        result: TestResult::Skipped(format!("not checked: {}", text(&property["reason"]))),
    };
    stated.iter().map(of_one).collect()
}

/// The SARIF results of a case with an unexpected result: the difference, and the findings of the run itself.
fn sarif_results(case: &Case, finished: &Finished) -> Vec<Json> {
    if finished.differences.is_empty() {
        return Vec::new();
    }
    let message = format!("{}: {}", title(case), finished.differences.join("; "));
    let mut results = vec![sarif::of_file("unexpected_result", &message, &case.file.display().to_string())];
    results.extend(finished.sarif.iter().cloned());
    results
}

fn render_json(cases: &[Case], finished: &[Finished]) -> Shown {
    let rows: Vec<Json> = cases
        .iter()
        .zip(finished)
        .map(|(case, finished)| {
            let result = match (finished.left_out, finished.differences.is_empty()) {
                (Some(_), _) => "skipped",
                (None, true) => "passed",
                (None, false) => "failed",
            };
            json!({
                "file": case.file.display().to_string(), "run": title(case), "stated": stated(case), "verdict": finished.report["verdict"],
                "result": result, "differences": finished.differences, "time_s": finished.seconds,
            })
        })
        .collect();
    pretty(&json!({ "format": "bcheck-suite", "version": 1, "cases": rows }))
}
