//! The options of a check, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: which options exclude each other (`commands::check`).

use crate::args::{
    CheckpointArgs, CommonArgs, ExpectationArgs, ExplainArgs, OutcomeFiles, PageArgs, PictureArgs, ProgressArg, PropertyArgs, RandomArgs,
    ReportArgs, ScopeArgs, SearchArgs, TemporalArgs, WatchArgs, choice,
};
use bcheck_explore::Strategy;
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of a check.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// The machine
    // Optional because a command may take its position; without a command, clap requires it.
    #[arg(value_name = "MACHINE", required = true)]
    pub(crate) machine: Option<PathBuf>,
    /// More machines, which are checked one after another: one line for each verdict
    #[arg(value_name = "MACHINE")]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) properties: PropertyArgs,
    /// Search for a state where PREDICATE holds (also GOAL in DEFINITIONS)
    #[arg(long, value_name = "PREDICATE", help_heading = "What is checked")]
    pub(crate) goal: Option<String>,
    /// What the precondition of a called operation is: what the caller must establish, or a guard of the caller
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(crate) pre: Precondition,
    /// Do not search for the GOAL in DEFINITIONS
    #[arg(long, conflicts_with = "goal", help_heading = "What is checked")]
    pub(crate) no_goal: bool,
    /// Do not stop at the first finding: cover the whole space
    #[arg(long = "continue", help_heading = "What is checked")]
    pub(crate) keep_going: bool,
    #[command(flatten)]
    pub(crate) temporal: TemporalArgs,
    #[command(flatten)]
    pub(crate) explaining: ExplainArgs,
    #[command(flatten)]
    pub(crate) drawing: PictureArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    /// Also show which values constants and variables take, and which branches were ever taken, in up to 20,000 states
    #[arg(long, help_heading = "Output")]
    pub(crate) coverage: bool,
    /// Report errors and warnings about the text only, without a search
    #[arg(long, help_heading = "Output")]
    pub(crate) lint: bool,
    /// Show the evaluation plan of operation OP, and on which tier it runs, instead of searching
    #[arg(long, value_name = "OP", help_heading = "Output")]
    pub(crate) explain_plan: Option<String>,
    /// Order of the search
    #[arg(long, value_parser = choice::<Strategy>(), default_value = "bfs", value_name = "ORDER", help_heading = "Search")]
    pub(crate) strategy: Strategy,
    #[command(flatten)]
    pub(crate) random: RandomArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    /// Test on some reachable states that the symmetries found are symmetries; use none if one is not
    #[arg(long, help_heading = "Search")]
    pub(crate) check_symmetry: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) files: OutcomeFiles,
    /// Write the graph of states; the ending chooses the format: .svg, .png, .dot, .aut, .graphml, .csv (and .states.csv). With --project
    /// EXPR (any formula that is not the name of a folder), states in which EXPR has the same value are merged
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) graph: Option<PathBuf>,
    /// Merge states of the graph by what they have in common
    #[arg(long, value_enum, value_name = "WHAT", requires = "graph", help_heading = "Output")]
    pub(crate) merge: Option<MergeArg>,
    /// Labels of the edges in .aut and .dot
    #[arg(long, value_enum, value_name = "FORM", requires = "graph", help_heading = "Output")]
    pub(crate) labels: Option<LabelsArg>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    #[command(flatten)]
    pub(crate) expected: ExpectationArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl CheckArgs {
    /// These options without output files and progress: for a process that searches on behalf of another one.
    pub(crate) fn without_files(mut self) -> Self {
        self.files = OutcomeFiles::default();
        (self.report.output, self.graph, self.watch.status, self.drawing.picture) = (None, None, None, None);
        self.watch.progress = ProgressArg::None;
        self
    }
}

/// `--merge`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MergeArg {
    /// The operations that they enable
    Signature,
}

/// `--labels`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LabelsArg {
    /// The operation with its arguments and results, how many steps the edge stands for, and the permutation of its target
    #[default]
    Counted,
    /// The operation with its arguments and results only, for tools that compare labels
    Plain,
}
