//! The options of an animation, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::animate`).

use crate::args::sizes::Count;
use crate::args::{CommonArgs, ScopeArgs, WorkLimitArgs};
use clap::Args;
use std::path::PathBuf;

/// Options of an animation.
#[derive(Args, Clone, Debug)]
pub(crate) struct AnimateArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// Commands line by line, also on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Begin with this saved trace, as far as it goes
    #[arg(long, visible_alias = "from", value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Begin in the nearest state where this holds, searched from the start or from the end of the trace
    #[arg(long, value_name = "PREDICATE", conflicts_with = "random")]
    pub(crate) goal: Option<String>,
    #[command(flatten)]
    pub(crate) random: RandomRunArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A random run instead of an animation.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct RandomRunArgs {
    /// Make one run of N random operations instead, and report its findings and which operations it executed
    #[arg(long, value_name = "N", conflicts_with = "plain", help_heading = "Random run")]
    pub(crate) random: Option<Count>,
    /// Make another run with another seed [default: 1]
    #[arg(long, value_name = "S", requires = "random", help_heading = "Random run")]
    pub(crate) seed: Option<u64>,
    /// Exit with 1 if the run left an operation unexecuted
    #[arg(long, requires = "random", help_heading = "Random run")]
    pub(crate) expect_covered: bool,
}
