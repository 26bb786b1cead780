//! The options of the commands around a check: evaluation, replay, unfolding, animation, editors, suites.
//!
//! Invariant: as for `args`, of which this is a part: plain data as typed.

use super::args::{CommonArgs, MessageArgs, PropertyArgs, ReportArgs, ScopeArgs, TableFormatArg, WorkLimitArgs};
use super::choice::choice;
use super::picture_args::PictureArgs;
use super::sizes::{Bytes, Count, Seconds};
use bcheck_explore::Verdict;
use bcheck_ir::Precondition;
use bcheck_source::Vocabulary;
use bcheck_syntax::temporal::Logic;
use clap::Args;
use std::path::PathBuf;

/// Options of an evaluation.
#[derive(Args, Clone, Debug)]
pub(super) struct EvalArgs {
    /// The expression or predicate [default: those of the standard input, line by line; :help lists the commands there]
    // A formula may begin with a minus sign.
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub(super) formula: Option<String>,
    /// Evaluate with the sets, definitions and constants of this machine, and its variables in the first initial state
    #[arg(long, short = 'm', value_name = "FILE")]
    pub(super) machine: Option<PathBuf>,
    /// Evaluate in a state of this saved trace, instead of the first initial one
    #[arg(long, value_name = "TRACE", requires = "machine", conflicts_with = "stated")]
    pub(super) trace: Option<PathBuf>,
    /// The state after step K of the trace, as traces number their steps [default: the last]
    #[arg(long, value_name = "K", requires = "trace")]
    pub(super) state: Option<usize>,
    #[command(flatten)]
    pub(super) answers: AnswerArgs,
    #[command(flatten)]
    pub(super) temporal: StudyArgs,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// How many answers are wanted where a predicate has free names.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct AnswerArgs {
    /// Show all values of the free names of FORMULA for which it is true, not only the first ones found
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(super) all: bool,
    /// Show up to N of them
    #[arg(long, value_name = "N", group = "answers", help_heading = "Free names")]
    pub(super) max: Option<Count>,
    /// Show how many there are
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(super) count: bool,
    /// If FORMULA is false, for all values of its free names, show conjuncts that contradict each other, as few as can be found
    #[arg(long, group = "answers", help_heading = "Free names")]
    pub(super) unsat_core: bool,
}

/// A temporal formula to be explained or evaluated, without a check.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct StudyArgs {
    /// Show how FORMULA of linear time is parsed, and the size of the automaton of its negation
    #[arg(long, value_name = "FORMULA", group = "stated", conflicts_with_all = ["formula", "answers"], help_heading = "Temporal formulas")]
    pub(super) ltl: Option<String>,
    /// Show how FORMULA of branching time is parsed
    #[arg(long, value_name = "FORMULA", group = "stated", conflicts_with_all = ["formula", "answers"], help_heading = "Temporal formulas")]
    pub(super) ctl: Option<String>,
    /// Evaluate the formula of --ltl, and its subformulas, on this saved trace
    #[arg(long, value_name = "TRACE", requires = "stated", help_heading = "Temporal formulas")]
    pub(super) on: Option<PathBuf>,
    /// Write the automaton of the negation to FILE in the HOA format, or as a picture for Graphviz if FILE ends in .dot
    #[arg(long, value_name = "FILE", requires = "stated", help_heading = "Temporal formulas")]
    pub(super) hoa: Option<PathBuf>,
    /// Format of the answer about a temporal formula [default: text]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "stated", help_heading = "Temporal formulas")]
    pub(super) format: Option<TableFormatArg>,
}

impl StudyArgs {
    /// Refuses options that do not go together.
    pub(super) fn verified(&self) -> Result<(), String> {
        match (&self.ctl, &self.on, &self.hoa) {
            (Some(_), Some(_), _) => Err("--on goes with --ltl: a formula of branching time has no value on a single run".to_owned()),
            (Some(_), _, Some(_)) => Err("--hoa goes with --ltl: a formula of branching time has no automaton".to_owned()),
            _ => Ok(()),
        }
    }

    /// The formula, if there is one.
    pub(super) fn stated(&self) -> Option<(Logic, &str)> {
        let ltl = self.ltl.as_deref().map(|text| (Logic::Ltl, text));
        ltl.or_else(|| self.ctl.as_deref().map(|text| (Logic::Ctl, text)))
    }
}

/// Options of a replay.
#[derive(Args, Clone, Debug)]
pub(super) struct ReplayArgs {
    /// The saved trace
    #[arg(value_name = "TRACE")]
    pub(super) trace: PathBuf,
    /// The machine, which may have changed since the trace was saved
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    /// What preconditions are, as in the run that was saved; with `guard` a refinement also runs beyond those of what it refines
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(super) pre: Precondition,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    /// Write the report as one self-contained HTML file, with the run to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) html: Option<PathBuf>,
    #[command(flatten)]
    pub(super) drawing: PictureArgs,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Options of unfolding.
#[derive(Args, Clone, Debug)]
pub(super) struct UnfoldArgs {
    /// A graph up to symmetry, as `--graph FILE.graphml` writes it
    #[arg(value_name = "GRAPH")]
    pub(super) graph: PathBuf,
    /// Where the full graph goes (.dot, .aut, .graphml or .csv)
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Refuse graphs that unfold to more states
    #[arg(long, default_value = "1000000", value_name = "N", help_heading = "Limits")]
    pub(super) max_states: Count,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// Options of an animation.
#[derive(Args, Clone, Debug)]
pub(super) struct AnimateArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    /// Commands line by line, also on a terminal
    #[arg(long)]
    pub(super) plain: bool,
    /// Begin with this saved trace, as far as it goes
    #[arg(long, visible_alias = "from", value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// Begin in the nearest state where this holds, seen from the start or from the end of the trace
    #[arg(long, value_name = "PREDICATE", conflicts_with = "random")]
    pub(super) goal: Option<String>,
    #[command(flatten)]
    pub(super) random: RandomRunArgs,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) limits: WorkLimitArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// A random run in the place of an animation.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct RandomRunArgs {
    /// Make one run of N random operations instead, and report what was found on it and which operations it executed
    #[arg(long, value_name = "N", conflicts_with = "plain", help_heading = "Random run")]
    pub(super) random: Option<Count>,
    /// Make another run with another seed [default: 1]
    #[arg(long, value_name = "S", requires = "random", help_heading = "Random run")]
    pub(super) seed: Option<u64>,
    /// Exit with 1 if the run did not execute each operation
    #[arg(long, requires = "random", help_heading = "Random run")]
    pub(super) expect_covered: bool,
}

/// Options of the server for editors.
#[derive(Args, Clone, Debug)]
pub(super) struct LspArgs {
    /// Stop a check that the editor asks for after this time; it is then `incomplete`
    #[arg(long, default_value = "10", value_name = "SECONDS", help_heading = "Limits")]
    pub(super) time_limit: Seconds,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Options of a run of all machines of a folder.
#[derive(Args, Clone, Debug)]
pub(super) struct SuiteArgs {
    /// Folders (with all below) and single files
    #[arg(value_name = "FOLDER", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Expect this verdict, or `rejected`, of every machine, whatever its comments state
    #[arg(long, value_name = "VERDICT", value_parser = verdict_or_rejected, help_heading = "Expectations")]
    pub(super) expect: Option<String>,
    /// Expect what a table says: lines of FILE,VERDICT or FILE,VERDICT,OPTIONS, with paths from its folder
    #[arg(long, value_name = "CSV", conflicts_with = "expect", help_heading = "Expectations")]
    pub(super) expect_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) properties: PropertyArgs,
    /// Also run what is marked as large (`/*@ large …`)
    #[arg(long)]
    pub(super) large: bool,
    /// Machines that are run at the same time [default: as many as there are cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Stop each machine after this time; it is then `incomplete`
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(super) time_limit: Option<Seconds>,
    /// Stop each machine when its process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(super) memory_limit: Option<Bytes>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: TableFormatArg,
    /// Write each expected result as a test case to FILE (JUnit XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) junit: Option<PathBuf>,
    /// Write the results that differ, with traces as code flows, to FILE (SARIF 2.1.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) sarif: Option<PathBuf>,
    /// Write a page for each machine, and index.html about all of them, to the folder DIR
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) html: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// The name of a verdict, or `rejected`.
fn verdict_or_rejected(word: &str) -> Result<String, String> {
    let all = || Verdict::ALL.iter().map(|verdict| verdict.word()).chain(["rejected"]);
    if all().any(|known| known == word) {
        return Ok(word.to_owned());
    }
    Err(format!("it is one of {}", all().collect::<Vec<_>>().join(", ")))
}
