//! The options of an evaluation, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::eval`).

use crate::args::sizes::Count;
use crate::args::{CommonArgs, ScopeArgs, TableFormatArg, WorkLimitArgs};
use bcheck_syntax::temporal::Logic;
use clap::Args;
use std::path::PathBuf;

/// Options of an evaluation.
#[derive(Args, Clone, Debug)]
pub(crate) struct EvalArgs {
    /// The expression or predicate [default: read from standard input, line by line; :help lists the commands there]
    // A formula may begin with a minus sign.
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub(crate) formula: Option<String>,
    /// Evaluate with the sets, definitions and constants of this machine, and its variables in the first initial state
    #[arg(long, short = 'm', value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    /// Evaluate in a state of this saved trace, instead of the first initial one
    #[arg(long, value_name = "TRACE", requires = "machine", conflicts_with = "stated")]
    pub(crate) trace: Option<PathBuf>,
    /// The state after step K, as the trace numbers its steps [default: the last]
    #[arg(long, value_name = "K", requires = "trace")]
    pub(crate) state: Option<usize>,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) temporal: StudyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// How many answers are wanted for a predicate with free names.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct AnswerArgs {
    /// Show all values of the free names of FORMULA for which it is true, not only the first ones found
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(crate) all: bool,
    /// Show up to N of them
    #[arg(long, value_name = "N", group = "answers", help_heading = "Free names")]
    pub(crate) max: Option<Count>,
    /// Show how many there are
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(crate) count: bool,
    /// If FORMULA is false, for all values of its free names, show conjuncts that contradict each other, as few as can be found
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(crate) unsat_core: bool,
}

/// A temporal formula to be explained or evaluated, without a check.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct StudyArgs {
    /// Show how FORMULA (linear time) is parsed, and the size of the automaton of its negation
    #[arg(long, value_name = "FORMULA", group = "stated", conflicts_with_all = ["formula", "answers"], help_heading = "Temporal formulas")]
    pub(crate) ltl: Option<String>,
    /// Show how FORMULA (branching time) is parsed
    #[arg(long, value_name = "FORMULA", group = "stated", conflicts_with_all = ["formula", "answers"], help_heading = "Temporal formulas")]
    pub(crate) ctl: Option<String>,
    /// Evaluate the formula of --ltl, and its subformulas, on this saved trace
    #[arg(long, value_name = "TRACE", requires = "stated", help_heading = "Temporal formulas")]
    pub(crate) on: Option<PathBuf>,
    /// Write the automaton of the negation to FILE in the HOA format, or as a picture for Graphviz if FILE ends in .dot
    #[arg(long, value_name = "FILE", requires = "stated", help_heading = "Temporal formulas")]
    pub(crate) hoa: Option<PathBuf>,
    /// Format of the answer about a temporal formula [default: text]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "stated", help_heading = "Temporal formulas")]
    pub(crate) format: Option<TableFormatArg>,
}

impl StudyArgs {
    /// Refuses options that exclude each other.
    pub(crate) fn verified(&self) -> Result<(), String> {
        match (&self.ctl, &self.on, &self.hoa) {
            (Some(_), Some(_), _) => Err("--on goes with --ltl: a formula of branching time has no value on a single run".to_owned()),
            (Some(_), _, Some(_)) => Err("--hoa goes with --ltl: a formula of branching time has no automaton".to_owned()),
            _ => Ok(()),
        }
    }

    /// The formula, if there is one.
    pub(crate) fn stated(&self) -> Option<(Logic, &str)> {
        let ltl = self.ltl.as_deref().map(|text| (Logic::Ltl, text));
        ltl.or_else(|| self.ctl.as_deref().map(|text| (Logic::Ctl, text)))
    }
}
