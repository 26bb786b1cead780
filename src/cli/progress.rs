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

/// Between two lines of plain progress.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Watches a search for the person who waits for it.
pub(super) struct Watcher {
    form: Form,
    /// What is being searched, when there are several searches.
    title: String,
}

enum Form {
    Silent,
    Plain { next: Duration },
    Live(ProgressBar),
}

impl Watcher {
    /// A watcher of the wanted form; `auto` is live on a terminal and plain elsewhere.
    pub(super) fn new(wanted: ProgressArg, title: impl Into<String>) -> Self {
        let form = match wanted {
            ProgressArg::None => Form::Silent,
            ProgressArg::Auto if std::io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
                if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                    bar.set_style(style);
                }
                Form::Live(bar)
            }
            ProgressArg::Plain | ProgressArg::Auto => Form::Plain { next: PLAIN_EVERY },
        };
        Self { form, title: title.into() }
    }

    /// Tells that something else is done now than searching.
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
            Form::Plain { next } => {
                if progress.elapsed >= *next {
                    *next = progress.elapsed + PLAIN_EVERY;
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
}

/// What a search is doing.
fn phase(progress: &Progress) -> &'static str {
    if progress.states == 0 { "setting up" } else { "searching" }
}

/// `Progress(7) at 12 s, searching: 41200 states, 130211 transitions, 2100 waiting, 3433 states/s, 84.0 MiB`
fn line(title: &str, progress: &Progress, resident: u64) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "a rate is shown without decimals")]
    let rate = if seconds > 0.0 { progress.states as f64 / seconds } else { 0.0 };
    let mut text = format!(
        "{title}{}Progress({}) at {seconds:.0} s, {}: {} states, {} transitions, {} waiting, {rate:.0} states/s",
        if title.is_empty() { "" } else { ": " },
        progress.level,
        phase(progress),
        progress.states,
        progress.transitions,
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
    fn a_progress_line_tells_depth_states_and_rate() {
        let progress = Progress { level: 7, states: 1000, transitions: 4000, frontier: 12, elapsed: Duration::from_secs(2) };
        assert_eq!(line("", &progress, 0), "Progress(7) at 2 s, searching: 1000 states, 4000 transitions, 12 waiting, 500 states/s");
        assert!(line("", &Progress::default(), 0).contains("setting up: 0 states"));
        assert!(line("size 3", &progress, 1 << 20).starts_with("size 3: Progress(7)"));
    }
}
