//! Progress of a search: a live line on a terminal, or lines at growing intervals elsewhere, on stderr; and a file of `--status`.
//!
//! Invariant: stdout is never touched, and the live line is gone before the report is printed. Deliberately elsewhere: rates and estimates
//! (`rate`), the content of the file (`status`).

pub(crate) mod graph_walk;
mod rate;
pub(crate) mod status;

use crate::args::ProgressArg;
use crate::io::files;
use crate::io::memory;
use bcheck_explore::{Limits, Observer, Progress};
use bcheck_report::text::bytes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rate::{Estimate, Pace, Seen};
use status::StatusFile;
use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The time before the first line of plain progress, and the least time between two.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// The most time between two lines.
const PLAIN_AT_LEAST: Duration = Duration::from_secs(600);

/// Shows the progress of a search to the user.
pub(crate) struct Watcher<'s> {
    form: Form,
    /// The name of the search, where there are several.
    title: String,
    limits: Limits,
    pace: Pace,
    expected: Option<u64>,
    status: Option<&'s mut StatusFile>,
    /// A remark found in parallel with the search, shown once.
    remark: Option<Arc<OnceLock<String>>>,
}

enum Form {
    Silent,
    Plain(Timetable),
    Live(ProgressBar),
}

/// When the next line of plain progress is due, in time since the start of the search.
struct Timetable {
    next: Duration,
}

impl Timetable {
    fn new() -> Self {
        Self { next: PLAIN_EVERY }
    }

    /// Whether a line is due at this time; if so, schedules the next one.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let is_due = elapsed >= self.next;
        if is_due {
            // From now, not from when it was due: a search that was late does not catch up with several lines. In a search of days, a line
            // every ten seconds would bury everything else.
            self.next = elapsed + (elapsed / 5).clamp(PLAIN_EVERY, PLAIN_AT_LEAST);
        }
        is_due
    }
}

impl<'s> Watcher<'s> {
    /// A watcher of the requested form; `auto` is live on a terminal and plain elsewhere.
    pub(crate) fn new(wanted: ProgressArg, title: impl Into<String>) -> Self {
        let form = match wanted {
            ProgressArg::None => Form::Silent,
            // On stderr, where the line is written: stdout may go to a file meanwhile.
            ProgressArg::Auto if std::io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
                // A constant that parses; otherwise the bar would keep its default style. Text wider than the terminal is cut off.
                if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                    bar.set_style(style);
                }
                Form::Live(bar)
            }
            ProgressArg::Plain | ProgressArg::Auto => Form::Plain(Timetable::new()),
        };
        Self { form, title: title.into(), limits: Limits::default(), pace: Pace::new(), expected: None, status: None, remark: None }
    }

    /// As this watcher, for a search with these limits, whose status may be written to a file.
    pub(crate) fn of_search(self, limits: &Limits, status: Option<&'s mut StatusFile>) -> Self {
        Self { limits: limits.clone(), status, ..self }
    }

    /// Shows this remark as soon as it is available.
    pub(crate) fn tell(&mut self, remark: Arc<OnceLock<String>>) {
        self.remark = Some(remark);
    }

    /// Shows that another phase than the search has begun.
    pub(crate) fn phase(&mut self, name: &'static str) {
        if let Form::Live(bar) = &self.form {
            bar.set_message(name.to_owned());
            bar.tick();
        }
        if let Some(status) = &mut self.status {
            status.phase(name);
        }
    }

    /// Shows the progress of work that is not a search and has taken this long.
    pub(crate) fn show(&mut self, elapsed: Duration, text: impl FnOnce() -> String) {
        match &mut self.form {
            Form::Silent => {}
            Form::Plain(timetable) => {
                if timetable.is_due(elapsed) {
                    files::complain(&format!("{}\n", text()));
                }
            }
            Form::Live(bar) => {
                bar.set_message(text());
                bar.tick();
            }
        }
    }

    /// The last estimate of the number of states.
    pub(crate) fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// Removes the live line.
    pub(crate) fn finish(self) {
        if let Form::Live(bar) = self.form {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.pace.note(progress);
        self.expected = progress.expected;
        if let Some(text) = self.remark.as_ref().and_then(|remark| remark.get()) {
            match &self.form {
                Form::Silent => {}
                Form::Plain(_) => files::complain(text),
                Form::Live(bar) => bar.println(text.trim_end()),
            }
            self.remark = None;
        }
        let seen = Seen { progress, pace: &self.pace, limits: &self.limits };
        if let Some(status) = &mut self.status {
            status.note(&seen);
        }
        match &mut self.form {
            Form::Silent => {}
            Form::Plain(timetable) => {
                if timetable.is_due(progress.elapsed) {
                    files::complain(&format!("{}\n", line(&self.title, &seen, memory::resident_bytes())));
                }
            }
            Form::Live(bar) => {
                bar.set_message(line(&self.title, &seen, memory::resident_bytes()));
                bar.tick();
            }
        }
    }

    fn memory_bytes(&mut self) -> u64 {
        memory::resident_bytes()
    }

    fn missing_workers(&mut self, missing: usize) {
        let threads = if missing == 1 { "thread was" } else { "threads were" };
        files::complain(&format!(
            "warning: {missing} {threads} not started, because the system, or a limit (ulimit -u, -v), allows no more\n"
        ));
    }
}

/// `12 s of 60 s, searching: level 7, 41200 states, 2100 waiting, 3433 states/s, 84.0 MiB of 1.0 GiB, estimate: 52000 states, 3 s left,
/// checkpoint 8 s ago, 130211 transitions`: the most important first, since a terminal may cut off the rest.
fn line(title: &str, seen: &Seen<'_>, resident: u64) -> String {
    let Progress { level, states, transitions, frontier, set_ups, is_seeking, checkpoint, .. } = *seen.progress;
    let of_limit = |limit: Option<String>| limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
    let mut parts = vec![
        format!(
            "{}{}{}{}, {}: {}level {level}",
            title,
            if title.is_empty() { "" } else { ": " },
            in_words(seen.elapsed()),
            of_limit(seen.limits.time.map(in_words)),
            seen.phase(),
            if is_seeking { format!("{set_ups} set-ups found, ") } else { String::new() }
        ),
        format!("{states} states, {frontier} waiting"),
        format!("{:.0} states/s", seen.pace.rates().states),
    ];
    if resident > 0 {
        parts.push(format!("{}{}", bytes(resident), of_limit(seen.limits.memory_bytes.map(bytes))));
    }
    if let Some(Estimate { states, left_s }) = seen.pace.estimate(seen.progress) {
        // At a rate close to 0, the seconds exceed what a duration can represent.
        let left = Duration::try_from_secs_f64(left_s).map_or_else(|_| "ages".to_owned(), in_words);
        parts.push(format!("estimate: {states} states, {left} left"));
    }
    parts.extend(checkpoint.map(|last| format!("checkpoint {} ago", in_words(last.age))));
    parts.push(format!("{transitions} transitions"));
    parts.join(", ")
}

/// A readable duration, in two units at most.
pub(crate) fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if minutes < 10 => format!("{seconds} s"),
        () if hours < 2 => format!("{minutes} min"),
        () if days < 2 => format!("{hours} h {} min", minutes % 60),
        () => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_explore::LastCheckpoint;

    fn line_of(title: &str, progress: &Progress, limits: &Limits, resident: u64) -> String {
        let mut pace = Pace::new();
        pace.note(progress);
        line(title, &Seen { progress, pace: &pace, limits }, resident)
    }

    #[test]
    fn a_line_shows_time_level_states_frontier_rate_and_memory() {
        let elapsed = Duration::from_secs(2);
        let progress = Progress { level: 7, states: 1000, transitions: 4000, frontier: 12, elapsed, ..Progress::default() };
        let none = Limits::default();
        let expected = "2 s, searching: level 7, 1000 states, 12 waiting, 500 states/s, 1.0 MiB, 4000 transitions";
        assert_eq!(line_of("", &progress, &none, 1 << 20), expected);
        assert_eq!(line_of("size 3", &progress, &none, 1 << 20), format!("size 3: {expected}"));
        assert!(!line_of("", &progress, &none, 0).contains("MiB"), "where the system does not report it");
        assert!(line_of("", &Progress::default(), &none, 0).contains("setting up: level 0, 0 states"));
    }

    #[test]
    fn while_set_ups_are_sought_a_line_counts_them() {
        let seeking = |states| Progress { states, set_ups: 1300, is_seeking: true, ..Progress::default() };
        let none = Limits::default();
        assert!(line_of("", &seeking(0), &none, 0).starts_with("0 s, setting up: 1300 set-ups found, level 0, 0 states, "));
        assert!(
            line_of("", &seeking(7), &none, 0).starts_with("0 s, setting up: 1300 set-ups found, level 0, 7 states, "),
            "between batches"
        );
        let exploring = Progress { is_seeking: false, ..seeking(7) };
        assert!(line_of("", &exploring, &none, 0).starts_with("0 s, searching: level 0, 7 states, "));
    }

    #[test]
    fn limits_checkpoint_and_estimate_stand_beside_what_they_are_about() {
        let age = Duration::from_secs(700);
        let progress = Progress {
            states: 1000,
            frontier: 500,
            elapsed: Duration::from_secs(5),
            expected: Some(1500),
            checkpoint: Some(LastCheckpoint { epoch: 2, states: 900, age }),
            ..Progress::default()
        };
        let limits = Limits { time: Some(Duration::from_secs(7200)), memory_bytes: Some(1 << 30), ..Limits::default() };
        let text = line_of("", &progress, &limits, 1 << 20);
        for part in ["5 s of 2 h 0 min, ", "1.0 MiB of 1.0 GiB, ", "estimate: 1500 states, 10 s left, ", "checkpoint 11 min ago, "] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn without_a_terminal_lines_come_at_growing_intervals() {
        let lines_at = |times: &[u64]| {
            let mut timetable = Timetable::new();
            let due = times.iter().filter(|time| timetable.is_due(Duration::from_millis(**time)));
            due.copied().collect::<Vec<u64>>()
        };
        // A search reads the clock about every 100 ms, and may be late.
        let ticks: Vec<u64> = (0..400).map(|tick| tick * 101).collect();
        assert_eq!(lines_at(&ticks), [10_100, 20_200, 30_300], "the last tick is at 40.299 s");
        assert_eq!(lines_at(&[100_000, 119_000, 120_000, 143_000, 144_000]), [100_000, 120_000, 144_000]);
        let (hour, late) = (3_600_000, 36_000_000);
        assert_eq!(lines_at(&[hour, hour + 599_000, hour + 600_000, late, late + 600_000]), [hour, hour + 600_000, late, late + 600_000]);
        assert!(lines_at(&[0, 5_000, 9_900]).is_empty(), "a short search prints nothing");
    }

    #[test]
    fn times_are_given_in_the_units_that_fit() {
        let words = [59, 599, 600, 7199, 7260, 172_799, 180_000].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(words, ["59 s", "599 s", "10 min", "119 min", "2 h 1 min", "47 h 59 min", "2 d 2 h"]);
    }
}
