//! The options about how a finding is explained, as typed.

use clap::Args;

/// How a finding is explained.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ExplainArgs {
    /// Show why what was found is false (or the goal true): the parts that decide it, with their values
    // Of a temporal formula, which has no truth value in one state, its parts along the trace.
    #[arg(
        long,
        long_help = "Show why what was found is false (or the goal true): the parts that decide it, with their values; of a violated temporal formula, the value of each part along its trace",
        help_heading = "Output"
    )]
    pub(super) explain: bool,
    /// Show what each step of a trace changes, by type, instead of whole values: `doors(P3): open -> moving`
    #[arg(long, help_heading = "Output")]
    pub(super) changes: bool,
}
