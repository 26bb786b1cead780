//! What can be typed about watching a search.
//!
//! Deliberately elsewhere: what is shown (`progress`), and what is kept in a file (`status`).

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How a search is watched.
#[derive(Args, Clone, Debug)]
pub(super) struct WatchArgs {
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(super) progress: ProgressArg,
    /// Keep in FILE how far the search has come, as JSON: replaced each second, and at the end with the verdict
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) status: Option<PathBuf>,
}

/// `--progress`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ProgressArg {
    /// A live line on a terminal, elsewhere as plain
    Auto,
    /// A line after ten seconds, then at growing intervals of up to ten minutes
    Plain,
    /// Nothing
    None,
}
