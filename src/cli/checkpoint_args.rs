//! Options about checkpoints, as typed.
//!
//! Deliberately elsewhere: what the options mean (`checkpoint`).

use super::args::MessageArgs;
use super::process_args::ProcessArgs;
use super::sizes::{Bytes, Seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of a search that keeps checkpoints.
#[derive(Args, Clone, Debug)]
pub(super) struct CheckpointArgs {
    /// Save the progress of the search in DIR (new or empty), so that another run can go on with it
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Checkpoints")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Go on with the checkpoint in DIR, and keep checkpoints there
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(super) resume: Option<PathBuf>,
    /// Let states go to DIR (new or empty) when --memory-limit, or half of the memory of the machine, is used up; implies --checkpoint DIR
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(super) disk: Option<PathBuf>,
    /// Stop when the states in the folder would take more than so much (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Checkpoints")]
    pub(super) disk_limit: Option<Bytes>,
    /// Time between two checkpoints; the last one is made when the search ends, whatever ends it
    #[arg(long, value_name = "SECONDS", default_value = "300", help_heading = "Checkpoints")]
    pub(super) checkpoint_every: Seconds,
    #[command(flatten)]
    pub(super) processes: ProcessArgs,
}

impl CheckpointArgs {
    /// The folder, and whether it holds a checkpoint to go on with.
    pub(crate) fn folder(&self) -> Option<(&PathBuf, bool)> {
        let new = || self.checkpoint.as_ref().or(self.disk.as_ref());
        self.resume.as_ref().map(|folder| (folder, true)).or_else(|| new().map(|folder| (folder, false)))
    }

    /// The option that asks for a folder.
    pub(super) fn option(&self) -> &'static str {
        match (&self.disk, &self.resume) {
            (Some(_), _) => "--disk",
            (None, Some(_)) => "--resume",
            (None, None) => "--checkpoint",
        }
    }
}

/// Options of `bcheck checkpoint`.
#[derive(Args, Clone, Debug)]
pub(super) struct ShowCheckpointArgs {
    /// The folder of --checkpoint
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Form of the answer
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: AnswerFormatArg,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// `--format` of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFormatArg {
    /// For people
    Text,
    /// For programs
    Json,
}
