//! Groups of options that several commands share, as typed.
//!
//! Invariant: plain data, as everywhere in `args`; a group is flattened into the options of each command that has it. Deliberately
//! elsewhere: options of a single command (the file of its name), words that options accept (`vocabulary`).

use crate::args::choice;
use crate::args::sizes::{Bytes, Count, Seconds, Sizes, at_least_one};
use bcheck_eval::FIRST_CHOICES;
use bcheck_explore::Verdict;
use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use std::path::{Path, PathBuf};

/// Sizes and bounds that the machine leaves open.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ScopeArgs {
    /// Size of all deferred sets, or of one (repeatable) [default: the machine's setting, else 2]
    #[arg(long, short = 'd', value_name = "N|SET=N", help_heading = "Scope")]
    pub(crate) deferred: Vec<Sizes>,
    /// Smallest number of INT [default: SET_PREF_MININT, else -1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Scope")]
    pub(crate) minint: Option<i64>,
    /// Largest number of INT and NAT [default: SET_PREF_MAXINT, else 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Scope")]
    pub(crate) maxint: Option<i64>,
}

/// How a space is searched.
#[derive(Args, Clone, Debug)]
pub(crate) struct SearchArgs {
    /// Do not reduce operation arguments by symmetry (same counts, more work)
    #[arg(long, help_heading = "Search")]
    pub(crate) no_orbit_parameters: bool,
    /// Treat all named elements of enumerated sets as fixed
    #[arg(long, help_heading = "Search")]
    pub(crate) no_named_symmetry: bool,
    /// Threads [default: all cores; dfs and random use one]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub(crate) workers: Option<u16>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Which properties are checked.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PropertyArgs {
    /// Do not check the invariant
    #[arg(long, help_heading = "What is checked")]
    pub(crate) no_invariant: bool,
    /// Do not look for deadlocks
    #[arg(long, help_heading = "What is checked")]
    pub(crate) no_deadlock: bool,
    /// Do not check the assertions
    #[arg(long, help_heading = "What is checked")]
    pub(crate) no_assertions: bool,
    /// Treat an ill-defined guard as false, with a warning, or as a finding
    #[arg(long, value_enum, default_value = "guard-false", value_name = "HOW", help_heading = "What is checked")]
    pub(crate) wd: WellDefinednessArg,
}

/// Verbosity and colour of messages and logs, and thresholds.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MessageArgs {
    /// When to use colour (NO_COLOR is honoured)
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) color: ColourArg,
    /// Log more to stderr (-vv: decisions as well; BCHECK_LOG sets a filter)
    #[arg(long, short = 'v', action = clap::ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,
    /// Set a threshold of an algorithm, for tests and measurements
    #[arg(long, value_name = "FLOOR.NAME=VALUE", hide = true)]
    pub(crate) set: Vec<String>,
}

/// The form and destination of a report.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReportArgs {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: FormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// Files about the outcome of a search, besides its report.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutcomeFiles {
    /// Save the counterexample; the ending chooses the format: .json, .txt, .prob2trace, .itf.json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
    /// Write the report as one self-contained HTML file, with a trace to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Write each property as a test case to FILE (JUnit XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the finding, with its trace as a code flow, and all warnings to FILE (SARIF 2.1.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) sarif: Option<PathBuf>,
}

/// Options of every command that reads a machine.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
    #[command(flatten)]
    pub(crate) folders: FolderArgs,
}

/// `--wd`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WellDefinednessArg {
    /// It disables the operation, as in ProB, with one warning for each operation
    #[default]
    GuardFalse,
    /// It is a finding, like an ill-defined body
    Strict,
}

/// `--format` of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// For people; the verdict is the last line
    Text,
    /// For programs
    Json,
    /// One line per finding, `file:line:column: …`, then the verdict
    Short,
}

/// `--format` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormatArg {
    /// A table
    Text,
    /// For programs
    Json,
}

/// `--color`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourArg {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where files that a machine names are searched for.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FolderArgs {
    /// Also look in DIR for machines and definition files (repeatable) [always first: the folder of the file that names them]
    #[arg(long, short = 'I', value_name = "DIR", help_heading = "Files")]
    pub(crate) include: Vec<PathBuf>,
    /// Also look in all folders below DIR, as in an Atelier B project [`project = "DIR"` in .bcheck.toml]
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(crate) project: Vec<String>,
    /// Read only files below the machine's folder or below one of --include and --project (links are followed first)
    #[arg(long, help_heading = "Files")]
    pub(crate) include_only: bool,
}

impl FolderArgs {
    /// The folders of `--project`.
    pub(crate) fn projects(&self) -> impl Iterator<Item = PathBuf> {
        self.project.iter().map(PathBuf::from).filter(|path| path.is_dir())
    }

    /// The arguments of `--project` that are not folders: formulas by which states of a graph are merged.
    pub(crate) fn merging(&self) -> Vec<&str> {
        self.project.iter().map(String::as_str).filter(|text| !Path::new(text).is_dir()).collect()
    }
}

/// Where a search stops.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LimitArgs {
    /// Stop when N states are stored (suffixes k, M, G)
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_states: Option<Count>,
    /// Stop after N levels of the search
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_depth: Option<Count>,
    /// Enumerate at most N set-ups of constants, symmetric ones included, and explore what is reachable from these
    #[arg(long = "max-setups", value_name = "N", value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_set_ups: Option<Count>,
    /// Shorthand for --max-setups 1
    #[arg(long = "one-setup", conflicts_with = "max_set_ups", help_heading = "Limits")]
    pub(crate) one_set_up: bool,
    /// Stop after this time, reading and compiling included
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) time_limit: Option<Seconds>,
    /// Stop when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(crate) memory_limit: Option<Bytes>,
}

/// Limits of commands that do not search.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct WorkLimitArgs {
    /// Stop after this time; with several formulas or commands, each has this limit
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) time_limit: Option<Seconds>,
    /// Stop when the process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(crate) memory_limit: Option<Bytes>,
}

impl LimitArgs {
    /// The greatest number of set-ups, whichever option sets it.
    pub(crate) fn set_ups(&self) -> Option<u64> {
        if self.one_set_up { Some(1) } else { self.max_set_ups.map(|count| count.0) }
    }
}

/// How the progress of a search is shown.
#[derive(Args, Clone, Debug)]
pub(crate) struct WatchArgs {
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) progress: ProgressArg,
    /// Write the progress of the search to FILE as JSON: replaced each second, and at the end with the verdict
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) status: Option<PathBuf>,
}

/// `--progress`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressArg {
    /// A live line on a terminal, elsewhere as plain
    Auto,
    /// A line after ten seconds, then at growing intervals of up to ten minutes
    Plain,
    /// Nothing
    None,
}

/// How a finding is explained.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ExplainArgs {
    /// Show why the finding is false (or the goal true): the parts that decide it, with their values
    // A temporal formula has no truth value in a single state: its parts are shown along the trace.
    #[arg(
        long,
        long_help = "Show why the finding is false (or the goal true): the parts that decide it, with their values; for a violated temporal formula, the value of each part along its trace",
        help_heading = "Output"
    )]
    pub(crate) explain: bool,
    /// Show what each step of a trace changes, by type, instead of whole values: `doors(P3): open -> moving`
    #[arg(long, help_heading = "Output")]
    pub(crate) changes: bool,
    /// Show statistics of the algorithms: branches of labelling, conflicts of the solver, probes of the visited set and the like
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
}

/// What the page offers.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PageArgs {
    /// Evaluate EXPR (a predicate too) in each state, so that the graph in the HTML report can be coloured, merged and searched by it; may
    /// be repeated. The page itself evaluates no formula: it compares printed values
    #[arg(long, value_name = "EXPR", requires = "html", help_heading = "Output")]
    pub(crate) html_project: Vec<String>,
}

/// Which states are drawn, and where.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PictureArgs {
    /// Draw the states of the counterexample, or of the run, as ANIMATION_… or VISB_… in DEFINITIONS say: FILE.svg, FILE.png, or
    /// FILE.html to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) picture: Option<PathBuf>,
    /// Which states are drawn in pages and by --picture
    #[arg(long, value_enum, default_value = "all", value_name = "WHICH", help_heading = "Output")]
    pub(crate) pictures: PicturesArg,
}

/// `--pictures`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PicturesArg {
    /// All: where DEFINITIONS do not say how, sets as chips and functions as arrows
    #[default]
    All,
    /// Those of machines whose DEFINITIONS say how
    Defined,
    /// None
    None,
}

impl PictureArgs {
    /// Whether states are drawn, and if so, whether also those that no definition describes.
    pub(crate) fn draws(&self, has_page: bool) -> Option<bool> {
        let is_drawn = self.pictures != PicturesArg::None && (has_page || self.picture.is_some());
        is_drawn.then_some(self.pictures == PicturesArg::All)
    }

    /// The file to draw into, if there is one; refuses to draw nothing.
    pub(crate) fn file(&self) -> Result<Option<&Path>, String> {
        match (&self.picture, self.pictures) {
            (Some(_), PicturesArg::None) => Err("--pictures none draws nothing: leave out --picture, or choose all or defined".to_owned()),
            (file, _) => Ok(file.as_deref()),
        }
    }
}

/// Random runs and first choices.
#[derive(Args, Clone, Debug)]
pub(crate) struct RandomArgs {
    /// Make N random runs (with --strategy simulate; --max-depth is their length, 100 steps by default)
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) runs: Option<Count>,
    /// Make other random runs with another seed (with --strategy simulate)
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
}

/// First choices.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ChoiceArgs {
    /// Take N values of a choice among too many to be enumerated (0: none); findings are valid, but the result is otherwise `incomplete`
    #[arg(long, value_name = "N", default_value_t = FIRST_CHOICES, help_heading = "Limits")]
    pub(crate) max_choices: u32,
}

/// What the result is expected to be.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ExpectationArgs {
    /// Exit with 0 if this is the verdict, with 1 otherwise
    #[arg(long, value_parser = choice::<Verdict>(), value_name = "VERDICT", help_heading = "Expectations")]
    pub(crate) expect: Option<Verdict>,
    /// Exit with 0 if N states were explored (`explored.states` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(crate) expect_states: Option<u64>,
    /// Exit with 0 if N transitions were explored (`explored.transitions` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(crate) expect_transitions: Option<u64>,
    /// Exit with 0 if the full space has N states (`full.states` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(crate) expect_full_states: Option<BigUint>,
    /// Exit with 1 if an operation was never enabled; alone, it leaves the exit code of a finding unchanged
    #[arg(long, help_heading = "Expectations")]
    pub(crate) expect_covered: bool,
}

impl ExpectationArgs {
    /// The first of these options that was given.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let Self { expect, expect_states, expect_transitions, expect_full_states, expect_covered } = self;
        let given = [
            ("--expect", expect.is_some()),
            ("--expect-states", expect_states.is_some()),
            ("--expect-transitions", expect_transitions.is_some()),
            ("--expect-full-states", expect_full_states.is_some()),
            ("--expect-covered", *expect_covered),
        ];
        first_given(given)
    }
}

/// Temporal formulas in DEFINITIONS.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NamedFormulas {
    /// Check the formulas in DEFINITIONS whose names begin with ASSERT_LTL or ASSERT_CTL (a check does so by default), or only those named
    // `--temporal` without names yields a list with one empty name, which means all formulas.
    #[arg(
        long,
        value_name = "NAME,…",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_delimiter = ',',
        help_heading = "What is checked"
    )]
    pub(crate) temporal: Option<Vec<String>>,
}

/// Which temporal formulas are checked.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TemporalArgs {
    /// Check that FORMULA (linear time) holds on all paths, in ProB's syntax (may be repeated)
    #[arg(long, value_name = "FORMULA", help_heading = "What is checked")]
    pub(crate) ltl: Vec<String>,
    /// Check that FORMULA (branching time) holds in all initial states (may be repeated)
    #[arg(long, value_name = "FORMULA", help_heading = "What is checked")]
    pub(crate) ctl: Vec<String>,
    /// Check the linear-time formulas in FILE, one per line (`#` begins a comment, `#x.(` a formula)
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(crate) ltl_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) named: NamedFormulas,
    /// Do not check the formulas in DEFINITIONS, which are checked by default
    #[arg(long, conflicts_with = "temporal", help_heading = "What is checked")]
    pub(crate) no_temporal: bool,
    /// Check temporal formulas only: no invariant, deadlock, assertion, goal
    #[arg(long, help_heading = "What is checked")]
    pub(crate) only_temporal: bool,
    /// Also show a run that witnesses a branching-time formula with EF, EG, EU or EX outermost
    #[arg(long, help_heading = "Output")]
    pub(crate) witness: bool,
}

/// The first option in a list that was given.
pub(crate) fn first_given(options: impl IntoIterator<Item = (&'static str, bool)>) -> Option<&'static str> {
    options.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}
