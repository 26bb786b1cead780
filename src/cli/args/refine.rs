//! The options of a refinement check.
//!
//! Invariant: as for `args`, of which this is a part: plain data as typed.

use crate::args::{
    CheckpointArgs, ChoiceArgs, CommonArgs, ExplainArgs, LimitArgs, NamedFormulas, OutcomeFiles, PageArgs, PictureArgs, ReportArgs,
    ScopeArgs, WatchArgs, choice,
};
use bcheck_explore::Verdict;
use bcheck_explore::refine::Matching;
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

// The help of shared options whose help differs in a refinement check.
const FORMULAS: &str = "Also report which temporal formulas in DEFINITIONS of the refined machine hold of the refinement, and why: \
    of all whose names begin with ASSERT_LTL or ASSERT_CTL, or of those named";
const TRACE: &str = "Save the refinement's run up to the finding; the ending chooses the format: .json, .txt, .prob2trace, .itf.json";
const JUNIT: &str = "Write each obligation as a test case to FILE (JUnit XML)";
const SARIF: &str = "Write the findings, each with its trace as a code flow, and all warnings to FILE (SARIF 2.1.0)";

/// Options of a refinement check.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("temporal", |arg| arg.help(FORMULAS)),
    mut_arg("trace", |arg| arg.help(TRACE)),
    mut_arg("junit", |arg| arg.help(JUNIT)),
    mut_arg("sarif", |arg| arg.help(SARIF))
)]
pub(crate) struct RefineArgs {
    /// The REFINEMENT or IMPLEMENTATION
    #[arg(value_name = "REFINEMENT")]
    pub(crate) machine: PathBuf,
    /// How each step of the refinement must be matched
    #[arg(long, value_parser = choice::<Matching>(), default_value = "simulation", value_name = "MODE", help_heading = "What is checked")]
    pub(crate) mode: Matching,
    /// How preconditions are read
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(crate) pre: Precondition,
    /// Treat operation OP as internal: it refines skip, like operations that the refined machine does not have (repeatable)
    #[arg(long, value_name = "OP", help_heading = "What is checked")]
    pub(crate) hide: Vec<String>,
    /// Also check that the refinement, in states without internal steps, refuses only calls that the refined machine may refuse
    #[arg(long, help_heading = "What is checked")]
    pub(crate) refusals: bool,
    /// Also check that internal steps of the refinement cannot continue forever
    #[arg(long, help_heading = "What is checked")]
    pub(crate) divergence: bool,
    #[command(flatten)]
    pub(crate) formulas: NamedFormulas,
    /// Check each link of the chain up to the MACHINE, the lowest one first
    #[arg(long, help_heading = "What is checked")]
    pub(crate) chain: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// How the representative of symmetric configurations is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    /// Treat all named elements of enumerated sets as fixed
    #[arg(long, help_heading = "Search")]
    pub(crate) no_named_symmetry: bool,
    /// Test on some configurations that the symmetries found are symmetries; use none if one is not
    #[arg(long, help_heading = "Search")]
    pub(crate) check_symmetry: bool,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(crate) workers: Option<u16>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(crate) explaining: ExplainArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) files: OutcomeFiles,
    #[command(flatten)]
    pub(crate) drawing: PictureArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    /// Exit with 0 if this is the verdict, with 1 otherwise
    #[arg(long, value_parser = choice::<Verdict>(), value_name = "VERDICT", help_heading = "Expectations")]
    pub(crate) expect: Option<Verdict>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
