//! `bcheck M -d 1..4`: a check for each size, least first, up to the first finding.
//!
//! Invariant: each size is checked by a run of this very program with the options that were typed, so it gets the verdict that it has
//! alone. Deliberately elsewhere: several machines (`several`), the table of sizes with and without reduction (`compare`).

use super::args::{CheckArgs, FormatArg};
use super::exit::{Ended, Exit, complain, complaint};
use super::files::{self, plain};
use super::interrupt::{self, Stage};
use super::output::{self, Output};
use super::runs::Runs;
use super::sizes::{Sizes, combinations};
use crate::explore::Verdict;
use crate::report::{json, says_no_set_up};
use crate::source::{Shown, Vocabulary, shown};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Whether several sizes are asked for.
pub(super) fn is_asked(args: &CheckArgs) -> bool {
    args.scope.deferred.iter().any(|sizes| sizes.from != sizes.to)
}

/// One size after the other; the exit code is that of the first finding, else that of the first run that is incomplete.
pub(super) fn run(args: &CheckArgs) -> Ended {
    let refuse = |reason: &str| Err(complain(reason, Exit::Usage));
    if args.machine.as_deref() == Some(Path::new("-")) {
        return refuse("several sizes take several runs, which all read the machine: name a file instead of the standard input");
    }
    let kept = args.checkpoints.folder().map(|_| args.checkpoints.option()).or(args.checkpoints.processes.option());
    if let Some(option) = kept {
        return refuse(&format!("{option} is about one search: give one size to --deferred, not a range"));
    }
    let mut rows = combinations(&args.scope.deferred).map_err(|reason| complain(&reason, Exit::Usage))?;
    // Stable: of combinations of one sum, the first set grows last.
    rows.sort_by_key(|row| row.iter().map(|sizes| u128::from(sizes.from)).sum::<u128>());
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (words, left_out) = without(&words, "--deferred", Some("-d"));
    if left_out != args.scope.deferred.len() {
        return refuse("write -d, with its sizes, apart from other options");
    }
    let (words, _) = without(&words, "--output", Some("-o"));
    let (words, _) = without(&words, "--time-limit", None);
    let inputs = args.machine.as_deref().map(|machine| ("the machine", machine));
    let [file] = output::reserve(inputs.as_slice(), [("--output", args.report.output.as_deref())])
        .map_err(|(reason, exit)| complain(&reason, exit))?;
    let program =
        std::env::current_exe().map_err(|error| complain(&format!("cannot find the program itself: {}", plain(&error)), Exit::Io))?;
    interrupt::stage(Stage::Supervising);
    let mut sizes = BySize { args, runs: Runs::default(), started: Instant::now(), told: Vec::new(), written: Vec::new() };
    let mut ended = Exit::Done;
    let last = rows.len() - 1;
    for (at, row) in rows.iter().enumerate() {
        let Some(limit) = sizes.time_left() else {
            ended = if ended == Exit::Done { Exit::Verdict(Verdict::Incomplete) } else { ended };
            break;
        };
        let mut command = Command::new(&program);
        command.args(with(&words, row, limit.as_deref())).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, written) = sizes.run_one(&mut command).map_err(|error| complain(&format!("cannot run bcheck: {error}"), Exit::Io))?;
        let code = code.and_then(|code| u8::try_from(code).ok());
        let is_without_set_up = code == Some(Exit::Verdict(Verdict::UnsatisfiableProperties).code()) && says_no_set_up(&written);
        let is_incomplete = code == Some(Exit::Verdict(Verdict::Incomplete).code());
        let goes_on = (code == Some(0) || is_without_set_up || is_incomplete) && !interrupt::happened();
        sizes.tell(row, &written, !goes_on || at == last);
        match code {
            Some(0) => {}
            // PROPERTIES may exclude single sizes. That is a result of the whole only if they exclude all sizes.
            Some(code) if is_without_set_up => {
                ended = if at == last && ended == Exit::Done && sizes.is_none_satisfied() { Exit::Passed(code) } else { ended }
            }
            Some(code) if is_incomplete => ended = if ended == Exit::Done { Exit::Passed(code) } else { ended },
            Some(code) => ended = Exit::Passed(code),
            None => ended = Exit::Interrupted,
        }
        if !goes_on {
            break;
        }
    }
    file.unwrap_or_else(Output::stdout).save(&sizes.report()).map_err(complaint(Exit::Io))?;
    Ok(ended)
}

/// The runs so far.
struct BySize<'a> {
    args: &'a CheckArgs,
    runs: Runs,
    started: Instant,
    /// What was written to stderr, each message once.
    told: Vec<String>,
    /// By size, the report: whole, or only its verdict.
    written: Vec<(String, String, bool)>,
}

impl BySize<'_> {
    /// What is left of the time for all sizes, in seconds as an option takes them; `None` when there is none.
    fn time_left(&self) -> Option<Option<String>> {
        let Some(limit) = self.args.search.limits.time_limit else { return Some(None) };
        let left = limit.0.checked_sub(self.started.elapsed())?;
        (!left.is_zero()).then(|| Some(format!("{:.3}", left.as_secs_f64().max(0.001))))
    }

    /// Runs one size; its exit code and what it wrote. What it complains about is shown once.
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

    fn tell(&mut self, row: &[Sizes], written: &str, is_whole: bool) {
        let sizes: Vec<&str> = row.iter().map(|sizes| sizes.typed.as_str()).collect();
        self.written.push((sizes.join(", "), written.to_owned(), is_whole));
    }

    /// Whether PROPERTIES have a solution at none of the sizes so far.
    fn is_none_satisfied(&self) -> bool {
        self.written.iter().all(|(_, written, _)| says_no_set_up(written))
    }

    /// One report of all sizes: in JSON each in full, else a line for each but the last.
    fn report(&self) -> Shown {
        if self.args.report.format == FormatArg::Json {
            return json::render_sizes(self.written.iter().map(|(_, written, _)| written.as_str()));
        }
        let mut text = Shown::new();
        for (sizes, written, is_whole) in &self.written {
            let verdict = written.trim_end().rsplit('\n').next().unwrap_or("");
            let verdict = if verdict.is_empty() { "no verdict" } else { verdict };
            text += match is_whole {
                true if self.written.len() > 1 => shown!("-d {}:\n", sizes) + Shown::lines(written),
                true => Shown::lines(written),
                false => shown!("-d {}: {}\n", sizes, verdict),
            };
        }
        // The last size may be one without states, or cut off: then the verdict is that of all together.
        if self.written.iter().all(|(_, _, is_whole)| !is_whole) {
            text += shown!("{}\n", Verdict::Incomplete.word());
        }
        text
    }
}

/// The words of a command line without an option that has a value, and how often it was there.
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
