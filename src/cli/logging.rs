//! Logs on stderr: `-v`, `-vv` or a filter in BCHECK_LOG.
//!
//! Invariant: nothing is logged unless asked for, and never on stdout.

use std::io;
use tracing_subscriber::EnvFilter;

/// Installs the subscriber; a second call in one process changes nothing.
pub(super) fn start(verbose: u8, colour: bool) {
    let filter = match std::env::var("BCHECK_LOG") {
        Ok(filter) if !filter.is_empty() => EnvFilter::new(filter),
        _ => EnvFilter::new(match verbose {
            0 => return,
            1 => "bcheck=info",
            _ => "bcheck=debug",
        }),
    };
    let subscriber =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colour).without_time().with_target(verbose > 1);
    // Failing means that a subscriber is installed already, which is as good.
    let _ = subscriber.try_init();
}
