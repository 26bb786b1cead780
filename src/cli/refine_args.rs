//! The options of a refinement check.
//!
//! Invariant: as for `args`, of which this is a part: plain data as typed.

use super::args::{CommonArgs, LimitArgs, ReportArgs, ScopeArgs};
use super::checkpoint_args::CheckpointArgs;
use super::choice::choice;
use super::explain_args::ExplainArgs;
use super::page_args::PageArgs;
use super::picture_args::PictureArgs;
use super::progress_args::WatchArgs;
use super::random_args::ChoiceArgs;
use super::temporal_args::NamedFormulas;
use bcheck_explore::Verdict;
use bcheck_explore::refine::Matching;
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// The help of `--temporal` in a refinement check.
const FORMULAS: &str = "Also report which temporal formulas in DEFINITIONS of the refined machine hold of the refinement, and why: \
    of all whose names begin with ASSERT_LTL or ASSERT_CTL, or of those named";

/// Options of a refinement check.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("temporal", |arg| arg.help(FORMULAS)))]
pub(super) struct RefineArgs {
    /// The REFINEMENT or IMPLEMENTATION
    #[arg(value_name = "REFINEMENT")]
    pub(super) machine: PathBuf,
    /// How each step of the refinement must be matched
    #[arg(long, value_parser = choice::<Matching>(), default_value = "simulation", value_name = "MODE", help_heading = "What is checked")]
    pub(super) mode: Matching,
    /// How preconditions are read
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(super) pre: Precondition,
    /// Treat operation OP as internal: it refines skip, like operations that the refined machine does not have (repeatable)
    #[arg(long, value_name = "OP", help_heading = "What is checked")]
    pub(super) hide: Vec<String>,
    /// Also check that the refinement, where no internal step is possible, refuses only calls that the refined machine may refuse
    #[arg(long, help_heading = "What is checked")]
    pub(super) refusals: bool,
    /// Also check that internal steps of the refinement cannot go on for ever
    #[arg(long, help_heading = "What is checked")]
    pub(super) divergence: bool,
    #[command(flatten)]
    pub(super) formulas: NamedFormulas,
    /// Check each link of the chain up to the MACHINE, the lowest one first
    #[arg(long, help_heading = "What is checked")]
    pub(super) chain: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    /// How the representative of symmetric configurations is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: Mode,
    /// Treat all named elements of enumerated sets as fixed
    #[arg(long, help_heading = "Search")]
    pub(super) no_named_symmetry: bool,
    /// Test on some configurations that the symmetries found are symmetries; use none if one is not
    #[arg(long, help_heading = "Search")]
    pub(super) check_symmetry: bool,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(super) workers: Option<u16>,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    #[command(flatten)]
    pub(super) choices: ChoiceArgs,
    #[command(flatten)]
    pub(super) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(super) explaining: ExplainArgs,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    /// Save the refinement's run to the finding; the ending chooses the format: .json, .txt, .prob2trace, .itf.json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,
    /// Write the report as one self-contained HTML file, with a trace to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) html: Option<PathBuf>,
    /// Write each obligation as a test case to FILE (JUnit XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) junit: Option<PathBuf>,
    /// Write the findings, each with its trace as a code flow, and all warnings to FILE (SARIF 2.1.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) sarif: Option<PathBuf>,
    #[command(flatten)]
    pub(super) drawing: PictureArgs,
    #[command(flatten)]
    pub(super) page: PageArgs,
    #[command(flatten)]
    pub(super) watch: WatchArgs,
    /// Exit with 0 if this is the verdict, with 1 otherwise
    #[arg(long, value_parser = choice::<Verdict>(), value_name = "VERDICT", help_heading = "Expectations")]
    pub(super) expect: Option<Verdict>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}
