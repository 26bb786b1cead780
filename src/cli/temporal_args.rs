//! The options of a check about temporal formulas.
//!
//! Invariant: plain data as typed. Deliberately elsewhere: what they mean together with a machine (`temporal`).

use clap::Args;
use std::path::PathBuf;

/// Temporal formulas in DEFINITIONS.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct NamedFormulas {
    /// Check the formulas in DEFINITIONS whose names begin with ASSERT_LTL or ASSERT_CTL (a check does so by default), or only those named
    // `--temporal` without names is a list with one empty name, which stands for all formulas.
    #[arg(
        long,
        value_name = "NAME,…",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_delimiter = ',',
        help_heading = "What is checked"
    )]
    pub(super) temporal: Option<Vec<String>>,
}

/// Which temporal formulas are checked.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct TemporalArgs {
    /// Check that FORMULA of linear time holds on all paths, in ProB's syntax (may be repeated)
    #[arg(long, value_name = "FORMULA", help_heading = "What is checked")]
    pub(super) ltl: Vec<String>,
    /// Check that FORMULA of branching time holds in all initial states (may be repeated)
    #[arg(long, value_name = "FORMULA", help_heading = "What is checked")]
    pub(super) ctl: Vec<String>,
    /// Check the formulas in FILE, one on each line, of linear time (`#` begins a comment, `#x.(` a formula)
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(super) ltl_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) named: NamedFormulas,
    /// Do not check the formulas in DEFINITIONS, which are checked by default
    #[arg(long, conflicts_with = "temporal", help_heading = "What is checked")]
    pub(super) no_temporal: bool,
    /// Check temporal formulas only: no invariant, deadlock, assertion, goal
    #[arg(long, help_heading = "What is checked")]
    pub(super) only_temporal: bool,
    /// Also show a run where a formula of branching time with EF, EG, EU or EX outermost holds
    #[arg(long, help_heading = "Output")]
    pub(super) witness: bool,
}
