//! The options of unfolding, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::unfold`).

use crate::args::sizes::Count;
use crate::args::{MessageArgs, WorkLimitArgs};
use clap::Args;
use std::path::PathBuf;

/// Options of unfolding.
#[derive(Args, Clone, Debug)]
pub(crate) struct UnfoldArgs {
    /// A graph up to symmetry, as written by `--graph FILE.graphml`
    #[arg(value_name = "GRAPH")]
    pub(crate) graph: PathBuf,
    /// Destination of the full graph (.dot, .aut, .graphml or .csv)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Refuse graphs that unfold to more states
    #[arg(long, default_value = "1000000", value_name = "N", help_heading = "Limits")]
    pub(crate) max_states: Count,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}
