//! The options of `bcheck graph`, as typed.

use crate::args::{CommonArgs, ProgressArg, ScopeArgs, WorkLimitArgs, choice};
use bcheck_symmetry::Mode;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the picture of a machine.
#[derive(Args, Clone, Debug)]
pub(crate) struct GraphArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// What to show; without it, list what can be shown
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) of: Option<SubjectArg>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    /// Form of the answer [default: by the ending of --output, else text]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<GraphFormatArg>,
    /// Write to FILE instead of stdout; the ending chooses the form: .txt, .json, .dot, .svg, .png
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) progress: ProgressArg,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--of`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubjectArg {
    /// Which operation can enable or disable which, counted over all reachable steps
    Enabling,
    /// Which operations read and write which variables
    Variables,
    /// Which machine sees, includes, extends, imports or refines which
    Machines,
}

/// `--format` of the picture of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormatArg {
    /// For people
    Text,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
}
