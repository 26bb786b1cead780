//! The options of `bcheck cover`, as typed.

use crate::args::{ChoiceArgs, CommonArgs, LimitArgs, ScopeArgs, TableFormatArg, choice};
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of a search for tests.
#[derive(Args, Clone, Debug)]
pub(crate) struct CoverArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// Cover this target only: its number, the name of an operation, or a part of its text (repeatable)
    #[arg(long, value_name = "TEXT|N", help_heading = "What is covered")]
    pub(crate) target: Vec<String>,
    /// Also cover the conditions of IF, SELECT and guards: each must be true and false where it decides (masking MC/DC)
    #[arg(long, help_heading = "What is covered")]
    pub(crate) mcdc: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    /// Threads, as for a check; targets are recorded by a single thread, whatever N is
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(crate) workers: Option<u16>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Write each trace to a file of DIR: trace_1.prob2trace, and trace_1.json for bcheck replay
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
