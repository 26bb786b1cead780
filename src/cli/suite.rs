//! `bcheck suite`: runs all machines that state an expected result, several at a time, and tells which do not give it.
//!
//! Each expectation is a run of this very program in a process of its own, so that no machine can take the others down, and limits on
//! memory mean what they say. Invariant: lines come in the order of files and pragmas, however many run at once; what cannot be read
//! or run is a failure.

use super::args::{SuiteArgs, TableFormatArg};
use super::check::complain;
use super::decode::decode;
use super::exit::Exit;
use super::files::{Sink, plain};
use super::interrupt;
use super::pragma::{Expectation, Extent, expectations};
use crate::report::json::pretty;
use crate::report::junit::{TestCase, TestResult};
use crate::report::trace::saved_text;
use crate::report::{junit, sarif};
use crate::source::{Shown, shown};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Endings of files that are machines.
const ENDINGS: &[&str] = &["mch", "ref", "imp", "sys"];

/// One thing to be run.
struct Case {
    file: PathBuf,
    work: Work,
}

enum Work {
    Run(Box<Expectation>),
    /// The pragma, or the file, cannot be read.
    Faulty(usize, String),
}

/// What came out.
struct Finished {
    differences: Vec<String>,
    report: Json,
    sarif: Vec<Json>,
    seconds: f64,
    /// It was not run, and why.
    left_out: Option<&'static str>,
}

/// Runs a suite.
pub(super) fn run(args: &SuiteArgs) -> Exit {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return complain(&format!("cannot find the program itself, to run it: {}", plain(&error)), Exit::Io),
    };
    let sinks = [&args.junit, &args.sarif].map(|path| path.as_deref().map(|path| Sink::open(Some(path))).transpose());
    let [mut junit_sink, mut sarif_sink] = match sinks {
        [Ok(junit), Ok(sarif)] => [junit, sarif],
        [Err(reason), _] | [_, Err(reason)] => return complain(&reason, Exit::Io),
    };
    let (cases, silent) = match collect(&args.paths) {
        Ok(found) => found,
        Err(reason) => return complain(&reason, Exit::Io),
    };
    if cases.is_empty() {
        let shown: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        let reason = format!("no machine in {} states an expected result, such as /*@ check: verified */", shown.join(", "));
        return complain(&reason, Exit::Unexpected);
    }
    let finished = run_all(&cases, &program, args, &mut |case, finished| {
        if args.format == TableFormatArg::Text {
            // A reader that went away does not stop the run: its files may still be wanted.
            let _ = Sink::Stdout.write(&line(case, finished));
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
        Sink::Stdout.write(&text),
        junit_sink.as_mut().map_or(Ok(()), |sink| sink.write(&junit_text)),
        sarif_sink.as_mut().map_or(Ok(()), |sink| sink.write(&sarif::render(&results))),
    ];
    for result in written {
        if let Err(reason) = result {
            return complain(&reason, Exit::Io);
        }
    }
    if failed > 0 { Exit::Unexpected } else { Exit::Done }
}

/// All that is stated by the machines in these places, and how many machines state nothing.
fn collect(paths: &[PathBuf]) -> Result<(Vec<Case>, usize), String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        machines_below(path, &mut files)?;
    }
    let (mut cases, mut silent) = (Vec::new(), 0);
    for file in files {
        let works = match std::fs::read(&file) {
            Err(error) => vec![Work::Faulty(1, format!("cannot be read: {}", plain(&error)))],
            Ok(bytes) => match expectations(&decode(&bytes).text) {
                Ok(stated) => stated.into_iter().map(|expectation| Work::Run(Box::new(expectation))).collect(),
                Err(fault) => vec![Work::Faulty(fault.line, fault.message)],
            },
        };
        silent += usize::from(works.is_empty());
        cases.extend(works.into_iter().map(|work| Case { file: file.clone(), work }));
    }
    Ok((cases, silent))
}

/// Adds a file, or all machines below a folder in alphabetical order.
fn machines_below(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let refuse = |error: std::io::Error| format!("cannot read {}: {}", path.display(), plain(&error));
    if !std::fs::metadata(path).map_err(refuse)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        // A link to a folder might lead back up.
        entries.push((entry.path(), entry.file_type().map_err(refuse)?.is_dir()));
    }
    entries.sort();
    for (path, is_folder) in entries {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if is_folder {
            machines_below(&path, files)?;
        } else if ENDINGS.contains(&ending) {
            files.push(path);
        }
    }
    Ok(())
}

/// What shows a case that has been run.
type Show<'a> = &'a mut (dyn FnMut(&Case, &Finished) + Send);

/// What has been run so far.
struct Board<'a> {
    results: Vec<Option<Finished>>,
    shown: usize,
    show: Show<'a>,
}

/// Runs all cases, several at a time, and shows each as soon as those before it are shown.
fn run_all(cases: &[Case], program: &Path, args: &SuiteArgs, show: Show<'_>) -> Vec<Finished> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = args.jobs.map_or(cores, usize::from).min(cases.len());
    let next = AtomicUsize::new(0);
    let board = Mutex::new(Board { results: cases.iter().map(|_| None).collect(), shown: 0, show });
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { break };
                    let finished = run_one(index, case, program, args);
                    let Ok(mut board) = board.lock() else { break };
                    let Board { results, shown, show } = &mut *board;
                    results[index] = Some(finished);
                    while let Some(Some(finished)) = results.get(*shown) {
                        show(&cases[*shown], finished);
                        *shown += 1;
                    }
                }
            });
        }
    });
    let board = board.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    board.results.into_iter().map(|finished| finished.unwrap_or_else(|| failed("it was not run"))).collect()
}

fn failed(reason: impl Into<String>) -> Finished {
    Finished { differences: vec![reason.into()], report: Json::Null, sarif: Vec::new(), seconds: 0.0, left_out: None }
}

fn run_one(index: usize, case: &Case, program: &Path, args: &SuiteArgs) -> Finished {
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
    let has = |option: &str| expectation.options.iter().any(|given| given == option || given.starts_with(&format!("{option}=")));
    let mut command = Command::new(program);
    command.arg(if expectation.is_refinement { "refine" } else { "check" }).arg(&case.file);
    command.args(["--format", "json", "--progress", "none", "--color", "never"]);
    for folder in &args.common.folders.include {
        command.arg("--include").arg(folder);
    }
    if args.common.folders.include_only {
        command.arg("--include-only");
    }
    if !expectation.is_refinement && !has("--workers") && !has("-j") {
        command.args(["--workers", "1"]);
    }
    if let Some(limit) = args.time_limit.filter(|_| !has("--time-limit")) {
        command.args(["--time-limit", &limit.0.as_secs_f64().to_string()]);
    }
    let sarif_file = args.sarif.as_ref().map(|target| {
        let mut file = target.clone().into_os_string();
        file.push(format!(".{index}.part"));
        PathBuf::from(file)
    });
    if let Some(file) = &sarif_file {
        command.arg("--sarif").arg(file);
    }
    command.args(&expectation.options).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return failed(format!("it cannot be run: {}", plain(&error))),
    };
    let seconds = started.elapsed().as_secs_f64();
    let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let mut differences = expectation.differences(output.status.code(), &report, false);
    if report.is_null() {
        // Options that cannot be used, or a crash: the reason was said in words.
        let said = String::from_utf8_lossy(&output.stderr);
        differences.extend(said.lines().find(|line| !line.trim().is_empty()).map(str::to_owned));
    }
    let sarif = sarif_file.map(|file| take_results(&file)).unwrap_or_default();
    Finished { differences, report, sarif, seconds, left_out: None }
}

/// The results in a SARIF file, which is removed.
fn take_results(file: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    // It may not exist, when the run did not get so far.
    let _ = std::fs::remove_file(file);
    let parsed: Json = serde_json::from_str(&text).unwrap_or_default();
    parsed["runs"][0]["results"].as_array().cloned().unwrap_or_default()
}

/// What was run, as it is stated: `check --deferred 3`.
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
    shown!("FAIL  {}  {}: {}\n", place, title, finished.differences.join("; "))
}

fn test_cases(cases: &[Case], finished: &[Finished]) -> Vec<TestCase> {
    let of_one = |(case, finished): (&Case, &Finished)| TestCase {
        class: case.file.display().to_string(),
        name: title(case),
        seconds: finished.seconds,
        result: match finished.left_out {
            Some(reason) => TestResult::Skipped(reason.to_owned()),
            None if finished.differences.is_empty() => TestResult::Passed,
            None => TestResult::Failed(finished.differences.join("; "), shown!("{}\n{}", place(case), saved_text(&finished.report))),
        },
    };
    cases.iter().zip(finished).map(of_one).collect()
}

/// What is not as stated: that, and what the run itself found.
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
