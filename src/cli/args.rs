//! The command line: commands and options, grouped for `--help`, the manual page and the completions.
//!
//! Invariant: plain data as typed; its meaning together with the machine's own settings is decided in `config` and `scope`.

pub(super) use super::folder_args::FolderArgs;
pub(super) use super::limit_args::{LimitArgs, WorkLimitArgs};
pub(super) use super::refine_args::RefineArgs;
pub(super) use super::tool_args::{AnimateArgs, AnswerArgs, EvalArgs, LspArgs, ReplayArgs, SuiteArgs, UnfoldArgs};

use super::checkpoint_args::{CheckpointArgs, ShowCheckpointArgs};
use super::choice::{ComparedArg, LabelsArg, MergeArg, choice, compared};
use super::cover_args::CoverArgs;
use super::estimate_args::EstimateArgs;
use super::exit;
use super::expectation_args::ExpectationArgs;
use super::explain_args::ExplainArgs;
use super::fmt_args::FmtArgs;
use super::graph_args::GraphArgs;
use super::induct_args::InductArgs;
use super::page_args::PageArgs;
use super::picture_args::PictureArgs;
use super::progress_args::{ProgressArg, WatchArgs};
use super::random_args::RandomArgs;
use super::sizes::{Seconds, Sizes};
use super::temporal_args::TemporalArgs;
use bcheck_explore::Strategy;
use bcheck_ir::Precondition;
use bcheck_symmetry::Mode;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
// The word `check` may be left out, so its options stand at the top level beside the commands: the two exclude each other, and MACHINE is
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
pub(super) struct Cli {
    /// The command; `check` when there is none.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// The options of a check.
    #[command(flatten)]
    pub(super) check: CheckArgs,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Check a machine (the main job; the word may be left out)
    #[command(after_long_help = format!("{EXAMPLES}\n\n{}", exit::table()))]
    Check(Box<CheckArgs>),
    /// Compare the reduced with the full state space, one row per size of the deferred sets
    #[command(after_help = "Example: bcheck compare phonebook.mch --deferred 1..6")]
    Compare(CompareArgs),
    /// Find traces that together cover each operation, each branch, and on demand each condition: tests from a machine
    #[command(after_help = "Exit codes: 0 covered, 0 partly_coverable (the rest is proved uncoverable at these sizes), 152 incomplete;
others as for a check.

Example: bcheck cover phonebook.mch --deferred 3 --save tests")]
    Cover(CoverArgs),
    /// Estimate how large a check will be: states, transitions, memory, disk, time
    #[command(after_help = "Example: bcheck estimate phonebook.mch --deferred 12")]
    Estimate(EstimateArgs),
    /// Show a machine itself: which operations enable each other, what they read and write, which machines belong together
    #[command(after_help = "Exit codes: 0, 152 where a limit ended the walk; others as for a check.

Example: bcheck graph lift.mch --of enabling --output enabling.svg")]
    Graph(GraphArgs),
    /// Look whether the invariant is inductive: whether every step from any state that satisfies it, reachable or not, preserves it
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
    /// Show what a folder of --checkpoint holds, also while a run writes it
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
    /// Bring machines into one layout: indentation, blanks, clauses; comments and line breaks stay
    #[command(after_help = super::fmt_args::EXAMPLES)]
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

/// Sizes and bounds that the machine leaves open.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ScopeArgs {
    /// Size of all deferred sets, or of one (repeatable) [default: the machine's setting, else 2]
    #[arg(long, short = 'd', value_name = "N|SET=N", help_heading = "Scope")]
    pub(super) deferred: Vec<Sizes>,
    /// Smallest number of INT [default: SET_PREF_MININT, else -1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Scope")]
    pub(super) minint: Option<i64>,
    /// Largest number of INT and NAT [default: SET_PREF_MAXINT, else 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Scope")]
    pub(super) maxint: Option<i64>,
}

/// How a space is searched.
#[derive(Args, Clone, Debug)]
pub(super) struct SearchArgs {
    /// Do not reduce operation arguments by symmetry (same counts, more work)
    #[arg(long, help_heading = "Search")]
    pub(super) no_orbit_parameters: bool,
    /// Treat all named elements of enumerated sets as fixed
    #[arg(long, help_heading = "Search")]
    pub(super) no_named_symmetry: bool,
    /// Threads [default: all cores; dfs and random use one]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(super) workers: Option<u16>,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Which properties are checked.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct PropertyArgs {
    /// Do not check the invariant
    #[arg(long, help_heading = "What is checked")]
    pub(super) no_invariant: bool,
    /// Do not look for deadlocks
    #[arg(long, help_heading = "What is checked")]
    pub(super) no_deadlock: bool,
    /// Do not check the assertions
    #[arg(long, help_heading = "What is checked")]
    pub(super) no_assertions: bool,
    /// Treat an ill-defined guard as false, with a warning, or as a finding
    #[arg(long, value_enum, default_value = "guard-false", value_name = "HOW", help_heading = "What is checked")]
    pub(super) wd: WellDefinednessArg,
}

/// Where messages and logs go.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct MessageArgs {
    /// When to use colour (NO_COLOR is honoured)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(super) color: ColourArg,
    /// Log more to stderr (-vv: decisions as well; BCHECK_LOG sets a filter)
    #[arg(long, short = 'v', action = clap::ArgAction::Count, help_heading = "Output")]
    pub(super) verbose: u8,
}

/// What a report looks like, and where it goes.
#[derive(Args, Clone, Debug)]
pub(super) struct ReportArgs {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: FormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
}

/// Options of every command that reads a machine.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct CommonArgs {
    #[command(flatten)]
    pub(super) messages: MessageArgs,
    #[command(flatten)]
    pub(super) folders: FolderArgs,
}

impl CheckArgs {
    /// The same without files that are written, and without progress: of a process that searches for another one.
    pub(super) fn without_files(mut self) -> Self {
        (self.report.output, self.trace, self.html, self.graph) = (None, None, None, None);
        (self.junit, self.sarif, self.watch.status, self.drawing.picture) = (None, None, None, None);
        self.watch.progress = ProgressArg::None;
        self
    }
}

/// Options of a check.
#[derive(Args, Clone, Debug)]
pub(super) struct CheckArgs {
    /// The machine
    // Optional for the sake of the commands, which stand in its place; clap asks for it otherwise.
    #[arg(value_name = "MACHINE", required = true)]
    pub(super) machine: Option<PathBuf>,
    /// More machines, which are checked one after another: one line for each verdict
    #[arg(value_name = "MACHINE")]
    pub(super) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) properties: PropertyArgs,
    /// Search for a state where PREDICATE holds (also GOAL in DEFINITIONS)
    #[arg(long, value_name = "PREDICATE", help_heading = "What is checked")]
    pub(super) goal: Option<String>,
    /// What the precondition of a called operation is: what the caller must establish, or a guard of the caller
    #[arg(long, value_parser = choice::<Precondition>(), default_value = "contract", value_name = "READING", help_heading = "What is checked")]
    pub(super) pre: Precondition,
    /// Do not search for the GOAL in DEFINITIONS
    #[arg(long, conflicts_with = "goal", help_heading = "What is checked")]
    pub(super) no_goal: bool,
    /// Do not stop at the first finding: cover the whole space
    #[arg(long = "continue", help_heading = "What is checked")]
    pub(super) keep_going: bool,
    #[command(flatten)]
    pub(super) temporal: TemporalArgs,
    #[command(flatten)]
    pub(super) explaining: ExplainArgs,
    #[command(flatten)]
    pub(super) drawing: PictureArgs,
    #[command(flatten)]
    pub(super) page: PageArgs,
    /// Also show which values constants and variables take, and which branches were ever taken, in up to 20,000 states
    #[arg(long, help_heading = "Output")]
    pub(super) coverage: bool,
    /// Report errors and warnings about the text only, without a search
    #[arg(long, help_heading = "Output")]
    pub(super) lint: bool,
    /// Show the evaluation plan of operation OP, and on which tier it runs, instead of searching
    #[arg(long, value_name = "OP", help_heading = "Output")]
    pub(super) explain_plan: Option<String>,
    /// Order of the search
    #[arg(long, value_parser = choice::<Strategy>(), default_value = "bfs", value_name = "ORDER", help_heading = "Search")]
    pub(super) strategy: Strategy,
    #[command(flatten)]
    pub(super) random: RandomArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    #[command(flatten)]
    pub(super) checkpoints: CheckpointArgs,
    /// How the representative of symmetric states is found
    #[arg(long, value_parser = choice::<Mode>(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: Mode,
    /// Test on some reachable states that the symmetries found are symmetries; use none if one is not
    #[arg(long, help_heading = "Search")]
    pub(super) check_symmetry: bool,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    /// Save the counterexample; the ending chooses the format: .json, .txt, .prob2trace, .itf.json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,
    /// Write the report as one self-contained HTML file, with a trace to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) html: Option<PathBuf>,
    /// Write the graph of states; the ending chooses the format: .svg, .png, .dot, .aut, .graphml, .csv (and .states.csv). With --project
    /// EXPR (any formula that is not the name of a folder), states in which EXPR has the same value are merged
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) graph: Option<PathBuf>,
    /// Merge states of the graph by what they have in common
    #[arg(long, value_enum, value_name = "WHAT", requires = "graph", help_heading = "Output")]
    pub(super) merge: Option<MergeArg>,
    /// Labels of the edges in .aut and .dot
    #[arg(long, value_enum, value_name = "FORM", requires = "graph", help_heading = "Output")]
    pub(super) labels: Option<LabelsArg>,
    /// Write each property as a test case to FILE (JUnit XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) junit: Option<PathBuf>,
    /// Write the finding, with its trace as a code flow, and all warnings to FILE (SARIF 2.1.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) sarif: Option<PathBuf>,
    #[command(flatten)]
    pub(super) watch: WatchArgs,
    #[command(flatten)]
    pub(super) expected: ExpectationArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Options of a comparison.
#[derive(Args, Clone, Debug)]
pub(super) struct CompareArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(super) machine: PathBuf,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) properties: PropertyArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// How the representative of symmetric states is found; `all` compares all of them
    #[arg(long, value_parser = compared(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(super) symmetry: ComparedArg,
    /// Explore the full space for at most this time; beyond that, count it by orbit sizes
    #[arg(long, default_value = "60", value_name = "SECONDS", help_heading = "Limits")]
    pub(super) full_limit: Seconds,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// Draw states, transitions, time and speed-up over the size, as a picture: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) plot: Option<PathBuf>,
    /// Write the report as one self-contained HTML file, with the picture
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) html: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(super) progress: ProgressArg,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// `--wd`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum WellDefinednessArg {
    /// It disables the operation, as in ProB, with one warning for each operation
    #[default]
    GuardFalse,
    /// It is a finding, as an ill-defined body is
    Strict,
}

/// `--format` of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    /// For people; the verdict is the last line
    Text,
    /// For programs
    Json,
    /// One line per finding, `file:line:column: …`, then the verdict
    Short,
}

/// `--format` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormatArg {
    /// A table
    Text,
    /// For programs
    Json,
}

/// `--color`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColourArg {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

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
