//! `bcheck M -d 1..4`: a check for each size, the smallest first, up to the first finding.
//!
//! Invariant: each size is checked by a run of this very program with the options as typed, so it gets the same verdict as alone.
//! Deliberately elsewhere: several machines (`several_machines`), the table of sizes with and without reduction (`compare`).

use crate::args::sizes::{Sizes, combinations};
use crate::args::{CheckArgs, ExpectationArgs, FormatArg, ScopeArgs};
use crate::commands::check::expectations;
use crate::commands::check::unfinished;
use crate::exit::{Ended, Exit, complain, complaint};
use crate::io::child_runs::{self, Runs};
use crate::io::files::{self, plain};
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::load::{self, Asked};
use crate::scope;
use bcheck_explore::Verdict;
use bcheck_report::{json, says_no_set_up};
use bcheck_source::{Shown, SourceMap, Vocabulary, shown};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether several sizes are requested.
pub(crate) fn is_asked(args: &CheckArgs) -> bool {
    args.scope.deferred.iter().any(|sizes| sizes.from != sizes.to)
}

/// One size after the other; the exit code is that of the overall verdict.
pub(crate) fn run(args: &CheckArgs) -> Ended {
    let refuse = |reason: &str| Err(complain(reason, Exit::Usage));
    let path = args.machine.as_deref().unwrap_or(Path::new(""));
    if child_runs::is_standard_input(path) {
        return refuse("several sizes take several runs, which all read the machine: name a file instead of the standard input");
    }
    let kept = args.checkpoints.folder().map(|_| args.checkpoints.option()).or(args.checkpoints.processes.option());
    if let Some(option) = kept {
        return refuse(&format!("{option} is about one search: give one size to --deferred, not a range"));
    }
    let ExpectationArgs { expect, .. } = args.expected;
    if let Some(option) = (ExpectationArgs { expect: None, ..args.expected.clone() }).option() {
        return refuse(&format!(
            "{option} is about one search: give one size to --deferred; of a range, --expect is the verdict of all sizes"
        ));
    }
    let mut rows = combinations(&args.scope.deferred).map_err(|reason| complain(&reason, Exit::Usage))?;
    // Stable: among combinations with equal sums, the first set grows last.
    rows.sort_by_key(|row| row.iter().map(|sizes| u128::from(sizes.from)).sum::<u128>());
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (words, left_out) = without(&words, "--deferred", Some("-d"));
    if left_out != args.scope.deferred.len() {
        return refuse("write -d, with its sizes, apart from other options");
    }
    let (words, _) = without(&words, "--output", Some("-o"));
    let (words, _) = without(&words, "--time-limit", None);
    let (words, _) = without(&words, "--expect", None);
    let [file] = output::reserve(&[("the machine", path)], [("--output", args.report.output.as_deref())])
        .map_err(|(reason, exit)| complain(&reason, exit))?;
    let program =
        std::env::current_exe().map_err(|error| complain(&format!("cannot find the program itself: {}", plain(&error)), Exit::Io))?;
    interrupt::report_unfinished(unfinished(&args.report, path));
    interrupt::stage(Stage::Preparing("the machine was read"));
    let rows = distinct(args, path, rows);
    interrupt::stage(Stage::Supervising);
    let mut sizes = BySize { args, asked: rows.len(), runs: Runs::default(), told: Vec::new(), rows: Vec::new(), not_run: Vec::new() };
    for (at, row) in rows.iter().enumerate() {
        let limit = sizes.time_left().filter(|_| !interrupt::happened());
        let Some(limit) = limit else {
            sizes.not_run = rows[at..].iter().map(|row| typed(row)).collect();
            break;
        };
        let mut command = Command::new(&program);
        child_runs::that_listens(&mut command).args(with(&words, row, limit.as_deref())).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, written) = sizes.run_one(&mut command).map_err(|error| complain(&format!("cannot run bcheck: {error}"), Exit::Io))?;
        let end = RunEnd::of(code, &written, args.report.format);
        let goes_on = matches!(end, RunEnd::Verdict(Verdict::Verified | Verdict::Incomplete) | RunEnd::NoSetUp) && !interrupt::happened();
        sizes.rows.push(SizeRow { sizes: typed(row), written, end, is_whole: !goes_on || at + 1 == rows.len() });
        if !goes_on {
            if interrupt::happened() {
                sizes.not_run = rows[at + 1..].iter().map(|row| typed(row)).collect();
            }
            break;
        }
    }
    let overall = sizes.overall();
    file.unwrap_or_else(Output::stdout).save(&sizes.report(overall.ok())).map_err(complaint(Exit::Io))?;
    Ok(overall.map_or_else(|exit| exit, |verdict| expectations::exit_code_of_known(expect, verdict)))
}

fn typed(row: &[Sizes]) -> String {
    row.iter().map(|sizes| sizes.typed.as_str()).collect::<Vec<_>>().join(", ")
}

/// The rows whose sizes differ from all rows before: a machine without deferred sets has one row.
fn distinct(args: &CheckArgs, path: &Path, rows: Vec<Vec<Sizes>>) -> Vec<Vec<Sizes>> {
    let mut sources = SourceMap::new();
    // A machine that is refused is reported with its first size.
    let Ok(mut loaded) = load::load(path, &args.common.folders, Asked::default(), &mut sources) else { return rows };
    let mut known = Vec::new();
    let mut is_new = |row: &[Sizes]| {
        let asked = ScopeArgs { deferred: row.to_vec(), ..args.scope.clone() };
        let Ok(scope) = scope::of_machine(&mut loaded, &asked, &mut sources) else { return true };
        let is_new = !known.contains(&scope);
        known.extend(is_new.then_some(scope));
        is_new
    };
    rows.into_iter().filter(|row| is_new(row)).collect()
}

/// A size that was run.
struct SizeRow {
    sizes: String,
    written: String,
    end: RunEnd,
    /// Whether the report is shown in full, or only its verdict.
    is_whole: bool,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunEnd {
    /// PROPERTIES exclude this size.
    NoSetUp,
    Verdict(Verdict),
    /// Without a verdict.
    Code(u8),
    /// By a signal.
    Killed,
}

impl RunEnd {
    fn of(code: Option<i32>, written: &str, format: FormatArg) -> Self {
        let Some(code) = code.and_then(|code| u8::try_from(code).ok()) else { return Self::Killed };
        let word = match format {
            FormatArg::Json => {
                serde_json::from_str::<serde_json::Value>(written).ok().and_then(|report| Some(report["verdict"].as_str()?.to_owned()))
            }
            FormatArg::Text | FormatArg::Short => Some(last_line(written).to_owned()),
        };
        match word.and_then(|word| Verdict::of_word(&word)) {
            Some(Verdict::UnsatisfiableProperties) if says_no_set_up(written) => Self::NoSetUp,
            // Unless a fault of bcheck outweighs it.
            Some(verdict) if Exit::Verdict(verdict).code() == code => Self::Verdict(verdict),
            _ => Self::Code(code),
        }
    }
}

fn last_line(written: &str) -> &str {
    written.trim_end().rsplit('\n').next().unwrap_or("")
}

/// The runs so far.
struct BySize<'a> {
    args: &'a CheckArgs,
    /// The number of sizes.
    asked: usize,
    runs: Runs,
    /// The messages written to stderr, each once.
    told: Vec<String>,
    rows: Vec<SizeRow>,
    /// The sizes for which no time remained.
    not_run: Vec<String>,
}

impl BySize<'_> {
    /// What remains of the time for all sizes, in seconds as an option takes them; `None` when the time is used up.
    fn time_left(&self) -> Option<Option<String>> {
        let Some(limit) = self.args.search.limits.time_limit else { return Some(None) };
        let passed = interrupt::started().map_or(Duration::ZERO, |started| started.elapsed());
        let left = limit.0.checked_sub(passed)?;
        (!left.is_zero()).then(|| Some(format!("{:.3}", left.as_secs_f64().max(0.001))))
    }

    /// Runs one size; returns its exit code and output. Each of its messages is shown once.
    fn run_one(&mut self, command: &mut Command) -> std::io::Result<(Option<i32>, String)> {
        let runs = &self.runs;
        let (code, written, complaints) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, || runs.run(command))?;
            runs.wait(|| thread.is_finished());
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        let complaints = String::from_utf8_lossy(&complaints).into_owned();
        if !complaints.is_empty() && !self.told.contains(&complaints) {
            files::complain(&Shown::lines(&complaints));
            self.told.push(complaints);
        }
        Ok((code, String::from_utf8_lossy(&written).into_owned()))
    }

    /// The overall verdict: a finding if any run has one, otherwise whether all sizes were searched; the exit code if a run has no verdict.
    fn overall(&self) -> Result<Verdict, Exit> {
        let is_silent = |end: RunEnd| matches!(end, RunEnd::Code(_)) || end == RunEnd::Killed && !interrupt::happened();
        match self.rows.last().map(|row| row.end) {
            Some(RunEnd::Code(code)) => return Err(Exit::Passed(code)),
            Some(end) if is_silent(end) => return Err(Exit::Interrupted),
            Some(RunEnd::Verdict(verdict)) if !matches!(verdict, Verdict::Verified | Verdict::Incomplete) => return Ok(verdict),
            _ => {}
        }
        let is_searched = |row: &SizeRow| matches!(row.end, RunEnd::Verdict(Verdict::Verified) | RunEnd::NoSetUp);
        Ok(if self.rows.len() < self.asked || !self.rows.iter().all(is_searched) {
            Verdict::Incomplete
        } else if self.rows.iter().all(|row| row.end == RunEnd::NoSetUp) {
            // PROPERTIES may exclude single sizes; this becomes the overall result only if they exclude all sizes.
            Verdict::UnsatisfiableProperties
        } else {
            Verdict::Verified
        })
    }

    /// One report on all sizes: in JSON each in full, otherwise a line for each but the last; the last line is the overall verdict.
    fn report(&self, overall: Option<Verdict>) -> Shown {
        if self.args.report.format == FormatArg::Json {
            return json::render_sizes(overall.map(Verdict::word), self.rows.iter().map(|row| row.written.as_str()));
        }
        let mut text = Shown::new();
        for SizeRow { sizes, written, end, is_whole } in &self.rows {
            let verdict = match (end, last_line(written)) {
                (RunEnd::Killed, _) => "interrupted",
                (_, "") => "no verdict",
                (_, last) => last,
            };
            text += match is_whole {
                true if *end == RunEnd::Killed => shown!("-d {}: {}\n", sizes, verdict),
                true if self.rows.len() > 1 => shown!("-d {}:\n", sizes) + Shown::lines(written),
                true => Shown::lines(written),
                false => shown!("-d {}: {}\n", sizes, verdict),
            };
        }
        for sizes in &self.not_run {
            text += shown!("-d {}: not run\n", sizes);
        }
        let last = self.rows.last().filter(|row| row.is_whole && row.end != RunEnd::Killed && self.not_run.is_empty());
        if let Some(verdict) = overall.filter(|verdict| last.is_none_or(|row| last_line(&row.written) != verdict.word())) {
            if self.args.report.format == FormatArg::Text && last.is_some() {
                text += shown!("\nAll sizes together:\n");
            }
            text += shown!("{}\n", verdict.word());
        }
        text
    }
}

/// A command line without this option and its values, and how often the option occurred.
fn without(words: &[OsString], long: &str, short: Option<&str>) -> (Vec<OsString>, usize) {
    let (mut kept, mut found) = (Vec::new(), 0);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.to_string_lossy();
        if word == OsStr::new("--") {
            kept.extend_from_slice(&words[at..]);
            break;
        }
        let is_joined = text.strip_prefix(long).is_some_and(|rest| rest.starts_with('='))
            || short.is_some_and(|short| !text.starts_with("--") && text.len() > short.len() && text.starts_with(short));
        if text == long || short.is_some_and(|short| text == short) {
            (found, at) = (found + 1, at + 2);
        } else if is_joined {
            (found, at) = (found + 1, at + 1);
        } else {
            kept.push(word.clone());
            at += 1;
        }
    }
    (kept, found)
}

/// The command line of one size.
fn with(words: &[OsString], row: &[Sizes], time: Option<&str>) -> Vec<OsString> {
    let end_of_options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut line = words[..end_of_options].to_vec();
    for sizes in row {
        line.extend(["--deferred".into(), OsString::from(&sizes.typed)]);
    }
    line.extend(time.map(|time| OsString::from(format!("--time-limit={time}"))));
    line.extend_from_slice(&words[end_of_options..]);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn sizes_are_taken_out_of_a_command_line_however_they_are_typed() {
        let words = split("check -d 1..3 a.mch -dS=2..4 --deferred=T=1 --deferred U=2 --goal -- -d 7");
        let (left, found) = without(&words, "--deferred", Some("-d"));
        assert_eq!((left, found), (split("check a.mch --goal -- -d 7"), 4));
    }

    #[test]
    fn one_size_is_put_before_the_end_of_options() {
        let row: Vec<Sizes> = ["2", "S=3"].iter().map(|text| text.parse().expect("parses")).collect();
        assert_eq!(with(&split("check -- a.mch"), &row, Some("1.5")), split("check --deferred 2 --deferred S=3 --time-limit=1.5 -- a.mch"));
    }
}
