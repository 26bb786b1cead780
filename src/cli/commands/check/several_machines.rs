//! `bcheck a.mch b.mch`: several machines, one after another, with one line for each verdict.
//!
//! Invariant: each machine is checked by a run of this very program with the options as typed, so it gets the same verdict as alone.
//! Deliberately elsewhere: expected results and several runs at a time (`suite`).

use crate::args::{CheckArgs, FormatArg};
use crate::commands::check::conflicts::written_file;
use crate::commands::suite::page_name;
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::child_runs::{self, Runs};
use crate::io::files::{self, plain};
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::io::temporary::{Scratch, make_folder};
use bcheck_explore::Verdict;
use bcheck_report::html::index::IndexRow;
use bcheck_report::{html, junit};
use bcheck_source::{Shown, shown};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Checks all machines in order; the exit code is that of the first run whose code is not 0.
pub(crate) fn run(args: &CheckArgs) -> Ended {
    let machines: Vec<&Path> = args.machine.iter().chain(&args.more).map(PathBuf::as_path).collect();
    let refuse = |reason: &str| Err(complain(reason, Exit::Usage));
    if let Some(option) = written_file(args).filter(|option| !OF_ALL.contains(option)) {
        return refuse(&format!("{option} concerns one machine: name one, or check several by `bcheck suite`"));
    }
    if machines.iter().any(|machine| child_runs::is_standard_input(machine)) {
        return refuse("one machine can be read from the standard input: name one, or files only");
    }
    let all = OfAll::new(args)?;
    let words = without_options(&std::env::args_os().skip(1).collect::<Vec<_>>());
    let is_typed = |option: &str| words.iter().any(|word| word.to_string_lossy().split('=').next() == Some(option));
    if is_typed("--format") && args.report.format != FormatArg::Short {
        return refuse("several machines have one line for each verdict: leave out --format, or name one machine");
    }
    let mut options = Vec::new();
    if !is_typed("--format") {
        options.extend(["--format", "short"]);
    }
    if !is_typed("--progress") {
        options.extend(["--progress", "none"]);
    }
    let Some(places) = places(&words, &machines) else {
        return refuse("an option has the same text as the name of a machine: write ./ before the name");
    };
    let program =
        std::env::current_exe().map_err(|error| complain(&format!("cannot find the program itself: {}", plain(&error)), Exit::Io))?;
    interrupt::stage(Stage::Supervising);
    let runs = Runs::default();
    let mut first_failure = None;
    let mut rows = Vec::new();
    for (at, machine) in machines.into_iter().enumerate() {
        if interrupt::happened() {
            let name = machine.display().to_string();
            Output::stdout().put(&shown!("{}: not run\n", name)).map_err(complaint(Exit::Io))?;
            continue;
        }
        let mut command = Command::new(&program);
        let files = all.of_one(at, machine);
        let options: Vec<&OsStr> = options.iter().map(OsStr::new).chain(files.iter().map(OsString::as_os_str)).collect();
        let started = Instant::now();
        child_runs::that_listens(&mut command).args(with_one(&words, &places, machine, &options)).stdout(Stdio::piped());
        if all.index.is_some() && !is_typed("--progress") {
            // The page contains the messages as well; only messages during a check cannot wait for its end.
            command.stderr(Stdio::piped());
        }
        let (code, written, complaints) =
            run_one(&runs, &mut command).map_err(|error| complain(&format!("cannot run bcheck: {error}"), Exit::Io))?;
        files::complain(&Shown::lines(&complaints));
        Output::stdout().put(&line(machine, code, &written)).map_err(complaint(Exit::Io))?;
        rows.push(all.row((at, machine), code, (&written, &complaints), started.elapsed().as_secs_f64()));
        first_failure = first_failure.or(code.filter(|code| *code != 0));
    }
    all.save(&rows).map_err(complaint(Exit::Io))?;
    let exit = first_failure.and_then(|code| u8::try_from(code).ok()).map_or(Exit::Done, Exit::Passed);
    Ok(if interrupt::happened() && exit == Exit::Done { Exit::Verdict(Verdict::Incomplete) } else { exit })
}

/// The positions of the machines in the command line, if each of them occurs exactly as often as it is named.
fn places(words: &[OsString], machines: &[&Path]) -> Option<Vec<usize>> {
    let is_machine = |word: &OsStr| machines.iter().any(|machine| machine.as_os_str() == word);
    let found: Vec<usize> = (0..words.len()).filter(|at| is_machine(&words[*at])).collect();
    (found.len() == machines.len()).then_some(found)
}

/// The command line for one machine: without the others, and with further options before the position of the first one.
fn with_one(words: &[OsString], places: &[usize], machine: &Path, options: &[&OsStr]) -> Vec<OsString> {
    let end_of_options = words.iter().position(|word| word == "--");
    let first = places.first().copied().unwrap_or(words.len());
    let insert_at = end_of_options.map_or(first, |end| end.min(first));
    let mut line = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if at == insert_at {
            line.extend(options.iter().map(OsString::from));
        }
        if at == first {
            line.push(machine.as_os_str().to_owned());
        } else if !places.contains(&at) {
            line.push(word.clone());
        }
    }
    line
}

/// Runs a command until it exits or receives a signal; returns its exit code (none after a signal), and its output on stdout and, if that
/// is a pipe, on stderr.
fn run_one(runs: &Runs, command: &mut Command) -> std::io::Result<(Option<i32>, String, String)> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || runs.run(command))?;
        runs.wait(|| thread.is_finished());
        let (code, written, complaints) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((code, String::from_utf8_lossy(&written).into_owned(), String::from_utf8_lossy(&complaints).into_owned()))
    })
}

/// The findings of one run, and its verdict behind the name of the machine.
fn line(machine: &Path, code: Option<i32>, written: &str) -> Shown {
    let name = machine.display().to_string();
    let (findings, verdict) = findings_and_verdict(code, written);
    let findings = if findings.is_empty() { shown!("") } else { Shown::lines(findings) + shown!("\n") };
    findings + shown!("{}: {}\n", name, verdict)
}

/// Splits the output of a run into the findings and the verdict.
fn findings_and_verdict(code: Option<i32>, written: &str) -> (&str, String) {
    let (findings, last) = written.trim_end().rsplit_once('\n').unwrap_or(("", written.trim_end()));
    let verdict = match code {
        _ if !last.is_empty() => last.to_owned(),
        Some(code) if [Exit::Rejected, Exit::Syntax].iter().any(|exit| i32::from(exit.code()) == code) => "rejected".to_owned(),
        Some(code) => format!("no verdict, exit code {code}"),
        None => "interrupted".to_owned(),
    };
    (findings, verdict)
}

/// The options that concern all machines together.
const OF_ALL: [&str; 2] = ["--html", "--junit"];

/// The command line without these options and their values.
fn without_options(words: &[OsString]) -> Vec<OsString> {
    let mut left = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if OF_ALL.contains(&text.as_ref()) {
            words.next();
        } else if !OF_ALL.iter().any(|option| text.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))) {
            left.push(word.clone());
        }
    }
    left
}

/// Files about all machines: a folder with a page for each and an index page, and one file of test cases.
struct OfAll {
    folder: Option<PathBuf>,
    index: Option<Output>,
    junit: Option<Output>,
    scratch: Option<Scratch>,
}

impl OfAll {
    fn new(args: &CheckArgs) -> Result<Self, Exit> {
        let folder = args.files.html.clone();
        if let Some(folder) = &folder {
            make_folder(folder).map_err(|reason| complain(&format!("--html: {reason} (of several machines it is a folder)"), Exit::Io))?;
        }
        let index = folder.as_ref().map(|folder| folder.join("index.html"));
        let [index, junit] =
            output::reserve(&[], [("--html", index.as_deref()), ("--junit", args.files.junit.as_deref())]).map_err(refused)?;
        let scratch = junit.as_ref().map(|_| Scratch::new("several")).transpose().map_err(complaint(Exit::Io))?;
        Ok(Self { folder, index, junit, scratch })
    }

    /// The options of one run.
    fn of_one(&self, at: usize, machine: &Path) -> Vec<OsString> {
        let page = self.folder.iter().flat_map(|folder| ["--html".into(), folder.join(page_name(at, machine)).into_os_string()]);
        let tests = self.scratch.iter().flat_map(|scratch| ["--junit".into(), scratch.file(&format!("{at}.xml")).into_os_string()]);
        page.chain(tests).collect()
    }

    /// The row of one run in the index page.
    fn row(&self, (at, machine): (usize, &Path), code: Option<i32>, (written, complaints): (&str, &str), seconds: f64) -> IndexRow {
        // Without a verdict, the messages explain why there is none.
        let reasons = if written.trim().is_empty() { complaints } else { "" };
        let (findings, verdict) = findings_and_verdict(code, written);
        let page = page_name(at, machine);
        let is_there = self.folder.as_ref().is_some_and(|folder| folder.join(&page).is_file());
        IndexRow {
            file: machine.display().to_string(),
            run: "check".to_owned(),
            verdict,
            is_good: Some(code == Some(0)),
            details: findings.lines().chain(reasons.lines()).map(str::to_owned).collect(),
            page: is_there.then_some(page),
            seconds,
        }
    }

    fn save(self, rows: &[IndexRow]) -> Result<(), String> {
        if let Some(index) = self.index {
            index.save(&html::index::render("bcheck", "several machines", ("without findings", "with findings"), rows))?;
        }
        if let (Some(junit), Some(scratch)) = (self.junit, &self.scratch) {
            let read = |at: usize| files::read_text(&scratch.file(&format!("{at}.xml"))).unwrap_or_default();
            let parts: Vec<String> = (0..rows.len()).map(read).collect();
            junit.save_bytes(junit::merged(&parts).as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn each_machine_gets_the_words_that_are_no_other_machine() {
        let words = split("check -d 3 a.mch b.mch --temporal");
        let machines = [Path::new("a.mch"), Path::new("b.mch")];
        let places = places(&words, &machines).expect("both are there once");
        let line = with_one(&words, &places, machines[1], &["--format", "short"].map(OsStr::new));
        assert_eq!(line, split("check -d 3 --format short b.mch --temporal"));
        let words = split("-- a.mch b.mch");
        let line = with_one(&words, &[1, 2], machines[0], &["--format", "short"].map(OsStr::new));
        assert_eq!(line, split("--format short -- a.mch"));
    }

    #[test]
    fn an_option_with_the_text_of_a_machine_is_no_machine() {
        let machines = [Path::new("a.mch"), Path::new("b.mch")];
        assert_eq!(places(&split("--goal a.mch a.mch b.mch"), &machines), None);
    }
}
