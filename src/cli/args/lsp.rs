//! The options of the server for editors, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::lsp`).

use crate::args::sizes::Seconds;
use crate::args::{CommonArgs, ScopeArgs};
use clap::Args;

/// Options of the server for editors.
#[derive(Args, Clone, Debug)]
pub(crate) struct LspArgs {
    /// Stop a check requested by the editor after this time; it is then `incomplete`
    #[arg(long, default_value = "10", value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) time_limit: Seconds,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
