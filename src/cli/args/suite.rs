//! The options of a suite, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: the command (`commands::suite`).

use crate::args::sizes::{Bytes, Seconds};
use crate::args::{CommonArgs, PropertyArgs, ScopeArgs, TableFormatArg};
use bcheck_explore::Verdict;
use bcheck_source::Vocabulary;
use clap::Args;
use std::path::PathBuf;

/// Options of a run of all machines of a folder.
#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteArgs {
    /// Folders (with everything below) and single files
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Expect this verdict, or `rejected`, of every machine, whatever its comments state
    #[arg(long, value_name = "VERDICT", value_parser = verdict_or_rejected, help_heading = "Expectations")]
    pub(crate) expect: Option<String>,
    /// Expect what a table lists: lines of FILE,VERDICT or FILE,VERDICT,OPTIONS, with paths relative to its folder
    #[arg(long, value_name = "CSV", conflicts_with = "expect", help_heading = "Expectations")]
    pub(crate) expect_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) properties: PropertyArgs,
    /// Also run machines marked as large (`/*@ large …`)
    #[arg(long)]
    pub(crate) large: bool,
    /// Number of machines run at the same time [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Stop each machine after this time; it is then `incomplete`
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) time_limit: Option<Seconds>,
    /// Stop each machine when its process uses this much memory (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    pub(crate) memory_limit: Option<Bytes>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: TableFormatArg,
    /// Write each expected result as a test case to FILE (JUnit XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the results that differ, with traces as code flows, to FILE (SARIF 2.1.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write a page for each machine, and index.html about all of them, to the folder DIR
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The name of a verdict, or `rejected`.
fn verdict_or_rejected(word: &str) -> Result<String, String> {
    let all = || Verdict::ALL.iter().map(|verdict| verdict.word()).chain(["rejected"]);
    if all().any(|known| known == word) {
        return Ok(word.to_owned());
    }
    Err(format!("it is one of {}", all().collect::<Vec<_>>().join(", ")))
}
