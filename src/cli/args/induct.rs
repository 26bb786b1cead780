//! The options of `bcheck induct`, as typed.

use crate::args::sizes::Count;
use crate::args::{ChoiceArgs, CommonArgs, ProgressArg, ScopeArgs, TableFormatArg, WorkLimitArgs, choice};
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::Args;
use std::path::PathBuf;

/// Options of `bcheck induct`.
#[derive(Args, Clone, Debug)]
pub(crate) struct InductArgs {
    /// The machine; for a refinement: whether it refines from all pairs of states within the invariants
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// Consider this operation only (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What is checked")]
    pub(crate) operation: Vec<String>,
    /// Consider this conjunct of the invariant only, by its number or label (repeatable)
    #[arg(long, value_name = "N|LABEL", help_heading = "What is checked")]
    pub(crate) conjunct: Vec<String>,
    /// Also check whether each state that satisfies the invariant enables an operation
    #[arg(long, conflicts_with = "operation", help_heading = "What is checked")]
    pub(crate) deadlock: bool,
    /// Also check whether the invariant implies the assertions
    #[arg(long, help_heading = "What is checked")]
    pub(crate) assertions: bool,
    /// Also check whether each expression has a value wherever the invariant holds, and list the places where one has none
    #[arg(long, help_heading = "What is checked")]
    pub(crate) wd: bool,
    /// Also find out whether the states shown as examples are reachable, by a search as in a check
    #[arg(long, help_heading = "What is checked")]
    pub(crate) reachable: bool,
    /// Consider a refinement by itself, without the machine that it refines
    #[arg(long, help_heading = "What is checked")]
    pub(crate) alone: bool,
    /// How the preconditions of a refinement are read [default: contract]
    #[arg(long, value_parser = choice::<Precondition>(), value_name = "READING", conflicts_with = "alone", help_heading = "What is checked")]
    pub(crate) pre: Option<Precondition>,
    /// In a refinement, treat operation OP as internal, so that it refines skip (repeatable)
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
    /// Stop after N states, counting one of each symmetric class
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_states: Option<Count>,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Write a counterexample for each violated cell of the matrix to a file in DIR, for bcheck animate --from and bcheck replay
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
