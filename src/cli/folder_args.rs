//! Where files that a machine names are searched for: options.
//!
//! Invariant: plain data as typed. Deliberately elsewhere: the search (`project`).

use clap::Args;
use std::path::{Path, PathBuf};

/// Where files that a machine names are searched for.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct FolderArgs {
    /// Also look in DIR for machines and definition files (repeatable) [always first: the folder of the file that names them]
    #[arg(long, short = 'I', value_name = "DIR", help_heading = "Files")]
    pub(super) include: Vec<PathBuf>,
    /// Also look in all folders below DIR, as of an Atelier B project [`project = "DIR"` in .bcheck.toml]
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(super) project: Vec<String>,
    /// Read only files below the machine's folder or below one of --include and --project (links are followed first)
    #[arg(long, help_heading = "Files")]
    pub(super) include_only: bool,
}

impl FolderArgs {
    /// The folders of `--project`.
    pub(super) fn projects(&self) -> impl Iterator<Item = PathBuf> {
        self.project.iter().map(PathBuf::from).filter(|path| path.is_dir())
    }

    /// What `--project` has besides folders: formulas by which states of a graph are merged.
    pub(super) fn merging(&self) -> Vec<&str> {
        self.project.iter().map(String::as_str).filter(|text| !Path::new(text).is_dir()).collect()
    }
}
