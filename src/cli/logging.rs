//! Logs on stderr: `-v`, `-vv` or a filter in BCHECK_LOG.
//!
//! Invariant: nothing is logged unless asked for, and never on stdout.

use std::io;
use tracing_subscriber::EnvFilter;

/// Installs the subscriber; a second call in one process changes nothing.
pub(super) fn start(verbose: u8, colour: bool) {
    let from_environment = std::env::var("BCHECK_LOG").ok().filter(|filter| !filter.is_empty());
    let filter = match (&from_environment, verbose) {
        // A filter is more exact than a number of `-v`, so it wins.
        (Some(filter), _) => filter,
        (None, 0) => return,
        (None, 1) => "bcheck=info",
        (None, _) => "bcheck=debug",
    };
    // Whoever names a target wants to see which one an event is of.
    let shows_target = verbose > 1 || from_environment.is_some();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(io::stderr)
        .with_ansi(colour)
        .without_time()
        .with_target(shows_target);
    // Failing means that a subscriber is installed already, which is as good.
    let _ = subscriber.try_init();
}
