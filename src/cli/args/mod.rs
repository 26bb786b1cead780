//! The command line: commands and options, grouped for `--help`, the manual page and the completions.
//!
//! Invariant: plain data as typed; its meaning together with the machine's own settings is decided in `config` and `scope`.

mod animate;
mod check;
mod checkpoint;
mod compare;
mod cover;
mod estimate;
mod eval;
mod fmt;
mod graph;
mod induct;
mod lsp;
pub(crate) mod other_tools;
mod refine;
mod replay;
mod shared;
pub(crate) mod sizes;
pub(crate) mod slips;
mod suite;
pub(crate) mod thresholds;
mod unfold;
mod vocabulary;

pub(crate) use animate::{AnimateArgs, RandomRunArgs};
pub(crate) use check::{CheckArgs, LabelsArg, MergeArg};
pub(crate) use checkpoint::{AnswerFormatArg, CheckpointArgs, ProcessArgs, ShowCheckpointArgs};
pub(crate) use compare::{CompareArgs, ComparedArg};
pub(crate) use cover::CoverArgs;
pub(crate) use estimate::EstimateArgs;
pub(crate) use eval::{AnswerArgs, EvalArgs};
pub(crate) use fmt::FmtArgs;
pub(crate) use graph::{GraphArgs, GraphFormatArg, SubjectArg};
pub(crate) use induct::InductArgs;
pub(crate) use lsp::LspArgs;
pub(crate) use refine::RefineArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use shared::{
    ChoiceArgs, ColourArg, CommonArgs, ExpectationArgs, ExplainArgs, FolderArgs, FormatArg, LimitArgs, MessageArgs, NamedFormulas,
    OutcomeFiles, PageArgs, PictureArgs, ProgressArg, PropertyArgs, RandomArgs, ReportArgs, ScopeArgs, SearchArgs, TableFormatArg,
    TemporalArgs, WatchArgs, WellDefinednessArg, WorkLimitArgs, first_given,
};
pub(crate) use suite::SuiteArgs;
pub(crate) use unfold::UnfoldArgs;
pub(crate) use vocabulary::choice;

use crate::exit;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  bcheck phonebook.mch --deferred 3          every deferred set has three elements
  bcheck lift.mch --deferred FLOOR=5         only FLOOR has five
  bcheck m.mch --goal 'card(users) = 2'      find a state, with a trace to it
  bcheck m.mch --expect deadlock             for a test suite: exit with 0 if so
  bcheck m.mch --format json --output r.json
  bcheck compare m.mch --deferred 1..6       what symmetry saves, size by size
  bcheck eval 'card(POW(1..4))'";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default());

/// The whole command line.
#[derive(Parser, Debug)]
// The word `check` may be left out, so its options are at the top level beside the commands: the two exclude each other, and MACHINE is
// required only without a command.
#[command(
    name = "bcheck",
    version,
    about = "Checks B machines: explores every state, up to the symmetry of deferred sets",
    long_about = "bcheck explores every reachable state of a B machine and reports invariant violations, deadlocks, false assertions, \
                  ill-defined expressions and goals, each with a shortest trace. Elements of deferred sets are interchangeable, so only \
                  one of all symmetric states is explored; the size of the full state space is reported all the same.",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "`bcheck MACHINE` is short for `bcheck check MACHINE`. `bcheck --help` shows examples and exit codes.",
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::table()),
    styles = STYLES,
)]
pub(crate) struct Cli {
    /// The command; `check` when there is none.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The options of a check.
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a machine (the main job; the word may be left out)
    #[command(after_long_help = format!("{EXAMPLES}\n\n{}", exit::table()))]
    Check(Box<CheckArgs>),
    /// Compare the reduced with the full state space, one row per size of the deferred sets
    #[command(after_help = "Example: bcheck compare phonebook.mch --deferred 1..6")]
    Compare(CompareArgs),
    /// Find traces that together cover each operation, each branch, and on request each condition: tests from a machine
    #[command(after_help = "Exit codes: 0 covered, 0 partly_coverable (the rest is proved uncoverable at these sizes), 152 incomplete;
others as for a check.

Example: bcheck cover phonebook.mch --deferred 3 --save tests")]
    Cover(CoverArgs),
    /// Estimate the size of a check: states, transitions, memory, disk, time
    #[command(after_help = "Example: bcheck estimate phonebook.mch --deferred 12")]
    Estimate(EstimateArgs),
    /// Show a machine itself: which operations enable each other, what they read and write, which machines belong together
    #[command(after_help = "Exit codes: 0, 152 where a limit ended the walk; others as for a check.

Example: bcheck graph lift.mch --of enabling --output enabling.svg")]
    Graph(GraphArgs),
    /// Check whether the invariant is inductive: whether every step from any state that satisfies it, reachable or not, preserves it
    #[command(after_help = "Exit codes: 0 inductive, 16 not_inductive, 152 incomplete; others as for a check.

Example: bcheck induct phonebook.mch --deferred 3")]
    Induct(InductArgs),
    /// Check a REFINEMENT or IMPLEMENTATION against the machine it refines
    #[command(after_help = "Examples:
  bcheck refine Line.ref --deferred 3
  bcheck refine Line.ref --mode trace --hide tidy
  bcheck refine BarrierMotor.ref --temporal")]
    Refine(Box<RefineArgs>),
    /// Evaluate an expression or predicate, alone or in the context of a machine
    #[command(
        after_help = "Examples:\n  bcheck eval 'card(POW(1..4))'\n  bcheck eval '{x | x : PID & x /: active}' --machine scheduler.mch\n  bcheck eval < formulas.txt\n  bcheck eval --ltl 'G ({x = 1} => F {x = 2})' --machine m.mch --on bug.json"
    )]
    Eval(EvalArgs),
    /// Replay a saved trace, without reduction
    #[command(
        after_help = "The trace may be in ProB's format (.prob2trace), ITF, bcheck's JSON (a report too) or text. Its sizes of deferred sets
are used unless --deferred gives others.

Exit codes: 0 perfect (every step, every value), 30 partial, 31 broken (not even the first step);
others as for a check.

Example: bcheck replay bug.prob2trace phonebook.mch"
    )]
    Replay(ReplayArgs),
    /// Show the contents of a --checkpoint folder, even while a run writes it
    #[command(after_help = "Exit codes: 0, 153 when it holds no checkpoint or a damaged one.

Example: bcheck checkpoint kept")]
    Checkpoint(ShowCheckpointArgs),
    /// Unfold a graph up to symmetry into the full graph of states
    #[command(
        after_help = "Exit codes: 0, 120 when the graph does not fit itself or is too large, 153 when a file cannot be read or written.

Example: bcheck phonebook.mch --graph classes.graphml; bcheck unfold classes.graphml full.aut"
    )]
    Unfold(UnfoldArgs),
    /// Animate a machine step by step, from a terminal or a script
    #[command(after_help = "Exit codes: 0, or 1 when a command of a script failed; others as for a check.

Examples:
  bcheck animate phonebook.mch --deferred 3
  bcheck animate phonebook.mch < script.txt

help lists the commands.")]
    Animate(AnimateArgs),
    /// Run all machines below a folder that state an expected result, and list those whose result differs
    #[command(after_help = "A machine states its result in a comment:

  /*@ check --deferred 3: verified, 8 states, 50 transitions; full 65 states, 433 transitions */
  /*@ check --goal \"x = 2\": goal_found, 4 steps */
  /*@ check: rejected, B0203 */
  /*@ refine --mode trace: refinement_violation, operation of leave */

Exit codes: 0 all as stated, 1 some are not.

Example: bcheck suite machines --junit results.xml --sarif results.sarif")]
    Suite(SuiteArgs),
    /// Format machines uniformly: indentation, blanks, clauses; comments and line breaks stay
    #[command(after_help = fmt::EXAMPLES)]
    Fmt(FmtArgs),
    /// Serve an editor over stdin and stdout (Language Server Protocol): diagnostics, types, definitions, checks
    #[command(after_help = "bcheck help editors explains how VS Code, Neovim, Emacs and Helix are set up to start it.

Exit codes: 0, 1 when the editor leaves without saying so first, 153 when it does not speak the protocol.")]
    Lsp(LspArgs),
    /// Print a page of the manual; without PAGE, the list of pages
    #[command(after_help = "Example: bcheck help ltl")]
    Help {
        /// The page, a command, or the code of a message [default: the list of pages]
        #[arg(value_name = "PAGE")]
        page: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff), or that of a command
    Man {
        /// The command [default: the page of bcheck as a whole]
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::path::PathBuf;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_word_check_may_be_left_out() {
        let short = Cli::try_parse_from(["bcheck", "m.mch", "--deferred", "3", "--deferred", "PID=4"]).expect("parses");
        let args = short.check;
        assert_eq!(args.machine, Some(PathBuf::from("m.mch")));
        assert_eq!(args.scope.deferred.len(), 2);
        let long = Cli::try_parse_from(["bcheck", "check", "m.mch"]).expect("parses");
        assert!(matches!(long.command, Some(Command::Check(_))));
        let first = Cli::try_parse_from(["bcheck", "--deferred", "3", "m.mch"]).expect("options may come first");
        assert!(first.check.machine.is_some());
    }

    #[test]
    fn without_arguments_it_is_a_usage_error() {
        let error = Cli::try_parse_from(["bcheck"]).expect_err("no machine");
        assert!(error.to_string().contains("<MACHINE>"), "{error}");
    }

    #[test]
    fn a_misspelt_option_is_suggested() {
        let error = Cli::try_parse_from(["bcheck", "m.mch", "--defered", "3"]).expect_err("no such option");
        assert!(error.to_string().contains("--deferred"), "{error}");
        assert_eq!(error.exit_code(), i32::from(exit::Exit::Usage.code()));
    }

    #[test]
    fn negative_bounds_can_be_given() {
        let cli = Cli::try_parse_from(["bcheck", "m.mch", "--minint", "-8"]).expect("parses");
        assert_eq!(cli.check.scope.minint, Some(-8));
    }

    #[test]
    fn a_formula_may_start_with_a_minus_sign() {
        let cli = Cli::try_parse_from(["bcheck", "eval", "-1 + 2"]).expect("parses");
        assert!(matches!(cli.command, Some(Command::Eval(args)) if args.formula.as_deref() == Some("-1 + 2")));
    }
}
