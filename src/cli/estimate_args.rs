//! The options of `bcheck estimate`, as typed.

use super::args::{CommonArgs, PropertyArgs, ScopeArgs, TableFormatArg};
use super::choice::choice;
use super::progress_args::ProgressArg;
use super::sizes::{Bytes, Seconds};
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of an estimate.
#[derive(Args, Clone, Debug)]
pub(super) struct EstimateArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) properties: PropertyArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: Mode,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(super) workers: Option<u16>,
    /// Stop after this time, for all sizes that are searched together, reading and compiling included
    #[arg(long, value_name = "SECONDS", default_value = "20", help_heading = "Limits")]
    pub(super) time_limit: Seconds,
    /// Stop the search of a size when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(super) memory_limit: Option<Bytes>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(super) progress: ProgressArg,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}
