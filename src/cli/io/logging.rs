//! Logs on stderr: `-v`, `-vv` or a filter in BCHECK_LOG.
//!
//! Invariant: nothing is logged unless requested, and never on stdout.

use crate::io::files;
use bcheck_source::shown;
use std::io;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Installs the subscriber; a second call in one process changes nothing.
pub(crate) fn start(verbose: u8, colour: bool) {
    let from_environment = std::env::var("BCHECK_LOG").ok().filter(|filter| !filter.is_empty());
    let filter = match (&from_environment, verbose) {
        // A filter is more precise than a number of `-v`, so it takes precedence.
        (Some(filter), _) => filter,
        (None, 0) => return,
        (None, 1) => "bcheck=info",
        (None, _) => "bcheck=debug",
    };
    // Targets and levels only: filters by fields and spans would require a regular expression engine.
    let targets: Targets = match filter.parse() {
        Ok(targets) => targets,
        Err(error) => {
            files::complain(&shown!("warning: nothing is logged, because BCHECK_LOG is not TARGET=LEVEL,…: {}\n", error.to_string()));
            return;
        }
    };
    // Whoever filters by target wants to see the targets of events.
    let shows_target = verbose > 1 || from_environment.is_some();
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(colour);
    // Each phase logs its duration when it ends, and events inside it carry its name. Events have no timestamp; the layer's own
    // `without_time` would also drop the durations of spans.
    let lines = lines.with_span_events(FmtSpan::CLOSE).event_format(format().without_time().with_target(shows_target));
    // An error means that a subscriber is installed already, which is equally good.
    let _ = tracing_subscriber::registry().with(targets).with(lines).try_init();
}
