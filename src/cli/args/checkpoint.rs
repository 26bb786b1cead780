//! Options about checkpoints, and about processes that share a search, as typed.
//!
//! Invariant: plain data, as everywhere in `args`. Deliberately elsewhere: what they mean (`commands::checkpoint`, `processes`).

use crate::args::MessageArgs;
use crate::args::sizes::{Bytes, Seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of a search that writes checkpoints.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckpointArgs {
    /// Save the progress of the search in DIR (new or empty), so that another run can continue it
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Checkpoints")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint in DIR, and write further checkpoints there
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(crate) resume: Option<PathBuf>,
    /// Move states to DIR (new or empty) when --memory-limit, or half of the machine's memory, is used up; implies --checkpoint DIR
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(crate) disk: Option<PathBuf>,
    /// Stop when the states in the folder would take more than this (suffixes k, M, G)
    #[arg(long, value_name = "BYTES", help_heading = "Checkpoints")]
    pub(crate) disk_limit: Option<Bytes>,
    /// Time between two checkpoints; the last one is written when the search ends, for whatever reason
    #[arg(long, value_name = "SECONDS", default_value = "300", help_heading = "Checkpoints")]
    pub(crate) checkpoint_every: Seconds,
    #[command(flatten)]
    pub(crate) processes: ProcessArgs,
}

impl CheckpointArgs {
    /// The folder, and whether it contains a checkpoint to continue from.
    pub(crate) fn folder(&self) -> Option<(&PathBuf, bool)> {
        let new = || self.checkpoint.as_ref().or(self.disk.as_ref());
        self.resume.as_ref().map(|folder| (folder, true)).or_else(|| new().map(|folder| (folder, false)))
    }

    /// The option that names the folder.
    pub(crate) fn option(&self) -> &'static str {
        match (&self.disk, &self.resume) {
            (Some(_), _) => "--disk",
            (None, Some(_)) => "--resume",
            (None, None) => "--checkpoint",
        }
    }
}

/// Options of `bcheck checkpoint`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ShowCheckpointArgs {
    /// The folder of --checkpoint
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Form of the answer
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: AnswerFormatArg,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// `--format` of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormatArg {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Which processes share a search.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProcessArgs {
    /// Search with N processes on this machine, each with its share of the states (with --disk DIR)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "hosts", help_heading = "Processes")]
    pub(crate) processes: Option<u16>,
    /// Restart the processes from their last checkpoint at most K times when one is lost
    #[arg(long, value_name = "K", default_value = "3", help_heading = "Processes")]
    pub(crate) restarts: u32,
    /// Search with processes on several hosts; FILE lists their addresses, one host:port per line
    #[arg(long, value_name = "FILE", help_heading = "Processes")]
    pub(crate) hosts: Option<PathBuf>,
    /// Be process I of --hosts, counted from 0; process 0 reports
    #[arg(long, value_name = "I", help_heading = "Processes")]
    pub(crate) process: Option<usize>,
    /// The key shared by all processes of --hosts, in a file that only you may read
    #[arg(long, value_name = "FILE", help_heading = "Processes")]
    pub(crate) mesh_key: Option<PathBuf>,
    /// Give up connecting to the other processes after this time
    #[arg(long, value_name = "SECONDS", default_value = "600", help_heading = "Processes")]
    pub(crate) meet_within: Seconds,
    /// Allow wildcard addresses in --hosts (0.0.0.0 and [::]), which accept connections on all interfaces
    #[arg(long, help_heading = "Processes")]
    pub(crate) listen_anywhere: bool,
}

impl ProcessArgs {
    /// The option that requests other processes, if one was given.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let own = self.process.is_some() || self.mesh_key.is_some();
        self.processes.map(|_| "--processes").or(self.hosts.as_ref().map(|_| "--hosts")).or(own.then_some("--process"))
    }
}
