//! The options of `bcheck induct`, as typed.

use crate::args::sizes::Count;
use crate::args::{ChoiceArgs, CommonArgs, ProgressArg, ScopeArgs, TableFormatArg, WorkLimitArgs, choice};
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of the question whether an invariant is inductive.
#[derive(Args, Clone, Debug)]
pub(crate) struct InductArgs {
    /// The machine, or a refinement: then whether it refines from all pairs of states within the invariants
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// Look at this operation only (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What is checked")]
    pub(crate) operation: Vec<String>,
    /// Ask for this conjunct of the invariant only, by its number or label (repeatable)
    #[arg(long, value_name = "N|LABEL", help_heading = "What is checked")]
    pub(crate) conjunct: Vec<String>,
    /// Whether each state that satisfies the invariant enables an operation, too
    #[arg(long, conflicts_with = "operation", help_heading = "What is checked")]
    pub(crate) deadlock: bool,
    /// Whether the invariant implies the assertions, too
    #[arg(long, help_heading = "What is checked")]
    pub(crate) assertions: bool,
    /// Whether each expression has a value wherever the invariant holds, too; where not, each place is listed
    #[arg(long, help_heading = "What is checked")]
    pub(crate) wd: bool,
    /// Whether the states shown as examples are reachable, by a search as in a check
    #[arg(long, help_heading = "What is checked")]
    pub(crate) reachable: bool,
    /// Look at a refinement by itself, without the machine that it refines
    #[arg(long, help_heading = "What is checked")]
    pub(crate) alone: bool,
    /// Of a refinement: how preconditions are read [default: contract]
    #[arg(long, value_parser = choice::<Precondition>(), value_name = "READING", conflicts_with = "alone", help_heading = "What is checked")]
    pub(crate) pre: Option<Precondition>,
    /// Of a refinement: treat operation OP as internal, so that it refines skip (repeatable)
    #[arg(long, value_name = "OP", conflicts_with = "alone", help_heading = "What is checked")]
    pub(crate) hide: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: Mode,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(crate) workers: Option<u16>,
    /// Stop after N states, of symmetric ones one counts
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_states: Option<Count>,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Write a counterexample for each violated cell of the matrix to a file of DIR, for bcheck animate --from and bcheck replay
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) traces: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) progress: ProgressArg,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
