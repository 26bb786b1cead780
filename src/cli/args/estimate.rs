//! The options of `bcheck estimate`, as typed.

use crate::args::sizes::{Bytes, Seconds};
use crate::args::{CommonArgs, ProgressArg, PropertyArgs, ScopeArgs, TableFormatArg, choice};
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of an estimate.
#[derive(Args, Clone, Debug)]
pub(crate) struct EstimateArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) properties: PropertyArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(crate) workers: Option<u16>,
    /// Stop after this time, reading and compiling included; all sizes searched together share it
    #[arg(long, value_name = "SECONDS", default_value = "20", help_heading = "Limits")]
    pub(crate) time_limit: Seconds,
    /// Stop the search of a size when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(crate) memory_limit: Option<Bytes>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) progress: ProgressArg,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
