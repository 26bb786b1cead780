//! Progress of a search on stderr: a live line on a terminal, a line every ten seconds elsewhere, or nothing.
//!
//! Invariant: stdout is never touched, and the live line is gone before the report is printed.

use super::args::ProgressArg;
use super::{files, memory};
use crate::explore::{Observer, Progress};
use crate::report::text::bytes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// The time between two lines of plain progress.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Watches a search for the person who waits for it.
pub(super) struct Watcher {
    form: Form,
    /// The name of the search, where there are several.
    title: String,
}

enum Form {
    Silent,
    Plain(Timetable),
    Live(ProgressBar),
}

/// When the next line of plain progress is due, by the time that the search takes.
struct Timetable {
    next: Duration,
}

impl Timetable {
    fn new() -> Self {
        Self { next: PLAIN_EVERY }
    }

    /// Whether a line is due at this time; the next one is due later.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let is_due = elapsed >= self.next;
        if is_due {
            // From now, not from when it was due: a search that was late does not catch up with several lines.
            self.next = elapsed + PLAIN_EVERY;
        }
        is_due
    }
}

impl Watcher {
    /// A watcher of the wanted form; `auto` is live on a terminal and plain elsewhere.
    pub(super) fn new(wanted: ProgressArg, title: impl Into<String>) -> Self {
        let form = match wanted {
            ProgressArg::None => Form::Silent,
            // Of stderr, where the line stands: stdout may go to a file meanwhile.
            ProgressArg::Auto if std::io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
                // A constant that parses; otherwise the bar would keep its own style.
                if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                    bar.set_style(style);
                }
                Form::Live(bar)
            }
            ProgressArg::Plain | ProgressArg::Auto => Form::Plain(Timetable::new()),
        };
        Self { form, title: title.into() }
    }

    /// Shows that another phase than the search has begun.
    pub(super) fn phase(&mut self, name: &str) {
        if let Form::Live(bar) = &self.form {
            bar.set_message(name.to_owned());
            bar.tick();
        }
    }

    /// Removes the live line.
    pub(super) fn finish(self) {
        if let Form::Live(bar) = self.form {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watcher {
    fn progress(&mut self, progress: &Progress) {
        match &mut self.form {
            Form::Silent => {}
            Form::Plain(timetable) => {
                if timetable.is_due(progress.elapsed) {
                    files::complain(&format!("{}\n", line(&self.title, progress, memory::resident_bytes())));
                }
            }
            Form::Live(bar) => {
                bar.set_message(line(&self.title, progress, memory::resident_bytes()));
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

/// The phase of a search.
fn phase(progress: &Progress) -> &'static str {
    if progress.states == 0 { "setting up" } else { "searching" }
}

/// `12 s, searching: depth 7, 130211 transitions to 41200 distinct states, 2100 waiting, 3433 states/s, 84.0 MiB`
fn line(title: &str, progress: &Progress, resident: u64) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "a rate is shown without decimals")]
    let rate = if seconds > 0.0 { progress.states as f64 / seconds } else { 0.0 };
    // Rates of a whole run, not of the last seconds: they fall where states get larger, and do not jump.
    let mut text = format!(
        "{title}{}{seconds:.0} s, {}: depth {}, {} transitions to {} distinct states, {} waiting, {rate:.0} states/s",
        if title.is_empty() { "" } else { ": " },
        phase(progress),
        progress.level,
        progress.transitions,
        progress.states,
        progress.frontier
    );
    if resident > 0 {
        text.push_str(&format!(", {}", bytes(resident)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_phase_depth_generated_distinct_queue_rate_and_memory() {
        let progress = Progress { level: 7, states: 1000, transitions: 4000, frontier: 12, elapsed: Duration::from_secs(2) };
        let expected = "2 s, searching: depth 7, 4000 transitions to 1000 distinct states, 12 waiting, 500 states/s, 1.0 MiB";
        assert_eq!(line("", &progress, 1 << 20), expected);
        assert_eq!(line("size 3", &progress, 1 << 20), format!("size 3: {expected}"));
        assert!(!line("", &progress, 0).contains("MiB"), "where the system does not report it");
        assert!(line("", &Progress::default(), 0).contains("setting up: depth 0, 0 transitions"));
    }

    #[test]
    fn without_a_terminal_there_is_a_line_every_ten_seconds() {
        let lines_at = |times: &[u64]| {
            let mut timetable = Timetable::new();
            let due = times.iter().filter(|time| timetable.is_due(Duration::from_millis(**time)));
            due.copied().collect::<Vec<u64>>()
        };
        // A search looks at the clock about every 100 ms, and may be late.
        let ticks: Vec<u64> = (0..400).map(|tick| tick * 101).collect();
        assert_eq!(lines_at(&ticks), [10_100, 20_200, 30_300], "the last tick is at 40.299 s");
        assert_eq!(lines_at(&[100, 9_999, 10_000, 10_100, 19_999, 45_000, 46_000, 54_999, 55_000]), [10_000, 45_000, 55_000]);
        assert!(lines_at(&[0, 5_000, 9_900]).is_empty(), "a short search prints nothing");
    }
}
