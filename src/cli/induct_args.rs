//! The options of `bcheck induct`, as typed.

use super::args::{CommonArgs, ScopeArgs, TableFormatArg, WorkLimitArgs};
use super::choice::choice;
use super::sizes::Count;
use crate::symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of the question whether an invariant is inductive.
#[derive(Args, Clone, Debug)]
pub(super) struct InductArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    /// Look at this operation only (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What is checked")]
    pub(super) operation: Vec<String>,
    /// Ask for this conjunct of the invariant only, by its number or label (repeatable)
    #[arg(long, value_name = "N|LABEL", help_heading = "What is checked")]
    pub(super) conjunct: Vec<String>,
    /// Whether each state that satisfies the invariant enables an operation, too
    #[arg(long, conflicts_with = "operation", help_heading = "What is checked")]
    pub(super) deadlock: bool,
    /// Whether the invariant implies the assertions, too
    #[arg(long, help_heading = "What is checked")]
    pub(super) assertions: bool,
    /// Whether each expression has a value wherever the invariant holds, too; where not, each place is listed
    #[arg(long, help_heading = "What is checked")]
    pub(super) wd: bool,
    /// Whether the states shown as examples are reachable, by a search as in a check
    #[arg(long, help_heading = "What is checked")]
    pub(super) reachable: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: Mode,
    /// Stop after N states, of symmetric ones one counts
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(super) max_states: Option<Count>,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}
