//! The options of a comparison, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: what is compared (`commands::compare`).

use crate::args::sizes::Seconds;
use crate::args::vocabulary::possible;
use crate::args::{CommonArgs, ProgressArg, PropertyArgs, ScopeArgs, SearchArgs, TableFormatArg};
use bcheck_source::Vocabulary;
use bcheck_symmetry::Mode;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// Options of a comparison.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// The machine
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) properties: PropertyArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Ignore the formulas in DEFINITIONS, which a comparison does not judge, in its result
    #[arg(long, help_heading = "What is checked")]
    pub(crate) no_temporal: bool,
    /// How the representative of symmetric states is found; `all` compares all of them
    #[arg(long, value_parser = compared(), default_value = "exact", value_name = "MODE", help_heading = "Search")]
    pub(crate) symmetry: ComparedArg,
    /// Explore the full space for at most this time; beyond that, count it by orbit sizes
    #[arg(long, default_value = "60", value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) full_limit: Seconds,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: TableFormatArg,
    /// Write the report to FILE instead of stdout
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Draw states, transitions, time and speed-up over the size, as a picture: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the report as one self-contained HTML file, with the picture
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Progress on stderr
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub(crate) progress: ProgressArg,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--symmetry` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparedArg {
    /// One mode, against no reduction
    One(Mode),
    /// All modes, against each other
    All,
}

/// The parser of a comparison's `--symmetry`.
fn compared() -> impl TypedValueParser<Value = ComparedArg> {
    const ALL: &str = "all";
    let modes = Mode::ALL.iter().map(|mode| possible(*mode));
    let all = PossibleValue::new(ALL).help("Each of these in turn, in one table");
    PossibleValuesParser::new(modes.chain([all])).map(|word| Mode::of_word(&word).map_or(ComparedArg::All, ComparedArg::One))
}
