//! The options of `bcheck graph`, as typed.

use super::args::{CommonArgs, ScopeArgs, WorkLimitArgs};
use super::choice::choice;
use super::progress_args::ProgressArg;
use bcheck_symmetry::Mode;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the picture of a machine.
#[derive(Args, Clone, Debug)]
pub(super) struct GraphArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    /// What is shown; without it, what there is
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) of: Option<SubjectArg>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: Mode,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    /// Form of the answer [default: by the ending of --output, else text]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Option<GraphFormatArg>,
    /// Write to FILE instead of stdout; the ending chooses the form: .txt, .json, .dot, .svg, .png
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(super) progress: ProgressArg,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// `--of`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SubjectArg {
    /// Which operation can enable or disable which, counted over all reachable steps
    Enabling,
    /// Which operations read and write which variables
    Variables,
    /// Which machine sees, includes, extends, imports or refines which
    Machines,
}

/// `--format` of the picture of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GraphFormatArg {
    /// For people
    Text,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
}
