//! The options that end a command early.
//!
//! Invariant: as for `args`, of which this is a part: plain data as typed. Deliberately elsewhere: what they mean (`config`).

use super::sizes::{Bytes, Count, Seconds, at_least_one};
use clap::Args;

/// Where a search stops.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct LimitArgs {
    /// Stop when N states are stored (suffixes k, M, G)
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(super) max_states: Option<Count>,
    /// Stop after N levels of the search
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(super) max_depth: Option<Count>,
    /// Seek no more than N set-ups of constants, symmetric ones included, and explore what is reached from these
    #[arg(long = "max-setups", value_name = "N", value_parser = at_least_one, help_heading = "Limits")]
    pub(super) max_set_ups: Option<Count>,
    /// The same as --max-setups 1
    #[arg(long = "one-setup", conflicts_with = "max_set_ups", help_heading = "Limits")]
    pub(super) one_set_up: bool,
    /// Stop after this time, reading and compiling included
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(super) time_limit: Option<Seconds>,
    /// Stop when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(super) memory_limit: Option<Bytes>,
}

/// Limits of commands that do not search.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct WorkLimitArgs {
    /// Stop after this time; of several formulas or commands, each has this limit
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(super) time_limit: Option<Seconds>,
    /// Stop when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(super) memory_limit: Option<Bytes>,
}

impl LimitArgs {
    /// The greatest number of set-ups, whichever option states it.
    pub(super) fn set_ups(&self) -> Option<u64> {
        if self.one_set_up { Some(1) } else { self.max_set_ups.map(|count| count.0) }
    }
}
