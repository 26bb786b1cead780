//! `bcheck a.mch b.mch`: several machines, one after another, with one line for each verdict.
//!
//! Invariant: each machine is checked by a run of this very program with the options that were typed, so it gets the verdict that it has
//! alone. Deliberately elsewhere: expected results and several runs at a time (`suite`).

use super::args::{CheckArgs, FormatArg};
use super::check::written_file;
use super::exit::{Ended, Exit, complain, complaint};
use super::files::plain;
use super::interrupt::{self, Stage};
use super::output::Output;
use super::runs::Runs;
use crate::source::{Shown, shown};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Checks the first machine and all others; the exit code is that of the first run whose code is not 0.
pub(super) fn run(args: &CheckArgs) -> Ended {
    let machines: Vec<&Path> = args.machine.iter().chain(&args.more).map(PathBuf::as_path).collect();
    let refuse = |reason: &str| Err(complain(reason, Exit::Usage));
    if let Some(option) = written_file(args) {
        return refuse(&format!("{option} is about one machine: name one, or check several by `bcheck suite`"));
    }
    if machines.contains(&Path::new("-")) {
        return refuse("one machine can be read from the standard input: name one, or files only");
    }
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
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
    for machine in machines {
        if interrupt::happened() {
            break;
        }
        let mut command = Command::new(&program);
        command.args(with_one(&words, &places, machine, &options)).stdin(Stdio::null()).stdout(Stdio::piped());
        let (code, written) = run_one(&runs, &mut command).map_err(|error| complain(&format!("cannot run bcheck: {error}"), Exit::Io))?;
        Output::stdout().put(&line(machine, code, &written)).map_err(complaint(Exit::Io))?;
        first_failure = first_failure.or(code.filter(|code| *code != 0));
    }
    let exit = first_failure.and_then(|code| u8::try_from(code).ok()).map_or(Exit::Done, Exit::Passed);
    Ok(if interrupt::happened() && exit == Exit::Done { Exit::Interrupted } else { exit })
}

/// Where the machines stand among the words of the command line, if each of them is there once for each time that it is named.
fn places(words: &[OsString], machines: &[&Path]) -> Option<Vec<usize>> {
    let is_machine = |word: &OsStr| machines.iter().any(|machine| machine.as_os_str() == word);
    let found: Vec<usize> = (0..words.len()).filter(|at| is_machine(&words[*at])).collect();
    (found.len() == machines.len()).then_some(found)
}

/// The command line of one machine: the others left out, and further options before the place of the first one.
fn with_one(words: &[OsString], places: &[usize], machine: &Path, options: &[&str]) -> Vec<OsString> {
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

/// Runs a command to its end, or to a signal; its exit code, none after a signal, and what it wrote.
fn run_one(runs: &Runs, command: &mut Command) -> std::io::Result<(Option<i32>, String)> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || runs.run(command))?;
        runs.wait(|| thread.is_finished());
        let (code, written, _) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((code, String::from_utf8_lossy(&written).into_owned()))
    })
}

/// The findings of one run, and its verdict behind the name of the machine.
fn line(machine: &Path, code: Option<i32>, written: &str) -> Shown {
    let name = machine.display().to_string();
    let (findings, last) = written.trim_end().rsplit_once('\n').unwrap_or(("", written.trim_end()));
    let findings = if findings.is_empty() { shown!("") } else { Shown::lines(findings) + shown!("\n") };
    let verdict = match code {
        _ if !last.is_empty() => last.to_owned(),
        Some(code) if [Exit::Rejected, Exit::Syntax].iter().any(|exit| i32::from(exit.code()) == code) => "rejected".to_owned(),
        Some(code) => format!("no verdict, exit code {code}"),
        None => "interrupted".to_owned(),
    };
    findings + shown!("{}: {}\n", name, verdict)
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
        let line = with_one(&words, &places, machines[1], &["--format", "short"]);
        assert_eq!(line, split("check -d 3 --format short b.mch --temporal"));
        let words = split("-- a.mch b.mch");
        let line = with_one(&words, &[1, 2], machines[0], &["--format", "short"]);
        assert_eq!(line, split("--format short -- a.mch"));
    }

    #[test]
    fn an_option_with_the_text_of_a_machine_is_no_machine() {
        let machines = [Path::new("a.mch"), Path::new("b.mch")];
        assert_eq!(places(&split("--goal a.mch a.mch b.mch"), &machines), None);
    }
}
