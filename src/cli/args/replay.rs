//! The options of a replay, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::replay`).

use crate::args::{CommonArgs, PictureArgs, ReportArgs, ScopeArgs, WorkLimitArgs, choice};
use bcheck_ir::Precondition;
use clap::Args;
use std::path::PathBuf;

/// Options of a replay.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayArgs {
    /// The saved trace
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    /// The machine, which may have changed since the trace was saved
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// How preconditions are read, as in the saved run; with `guard` a refinement also runs beyond those of what it refines
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(crate) pre: Precondition,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Write the report as one self-contained HTML file, with the run to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) drawing: PictureArgs,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
