//! The options of a check about what is not covered as a whole: random runs, and choices among too many values.
//!
//! Invariant: plain data as typed. Deliberately elsewhere: which of them go together (`check`).

use super::sizes::Count;
use bcheck_eval::FIRST_CHOICES;
use clap::Args;

/// Random runs, and first choices.
#[derive(Args, Clone, Debug)]
pub(super) struct RandomArgs {
    /// Make N random runs (with --strategy simulate; --max-depth is their length, 100 steps by default)
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(super) runs: Option<Count>,
    /// Make other random runs with another seed (with --strategy simulate)
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) choices: ChoiceArgs,
}

/// First choices.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ChoiceArgs {
    /// Take N values of a choice among too many to be enumerated (0: none); findings stand, else the result is `incomplete`
    #[arg(long, value_name = "N", default_value_t = FIRST_CHOICES, help_heading = "Limits")]
    pub(super) max_choices: u32,
}
