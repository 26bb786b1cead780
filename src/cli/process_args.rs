//! Options of a search that several processes share, as typed.
//!
//! Deliberately elsewhere: what they mean (`processes`, `hosts`).

use super::sizes::Seconds;
use clap::Args;
use std::path::PathBuf;

/// Which processes share a search.
#[derive(Args, Clone, Debug)]
pub(super) struct ProcessArgs {
    /// Search with N processes on this machine, each with its share of the states (with --disk DIR)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "hosts", help_heading = "Processes")]
    pub(super) processes: Option<u16>,
    /// Start the processes again from their last checkpoint at most K times when one is lost
    #[arg(long, value_name = "K", default_value = "3", help_heading = "Processes")]
    pub(super) restarts: u32,
    /// Search with processes on several hosts; FILE has the address of each in a line, host:port
    #[arg(long, value_name = "FILE", help_heading = "Processes")]
    pub(super) hosts: Option<PathBuf>,
    /// Be process I of --hosts, from 0 on; process 0 reports
    #[arg(long, value_name = "I", help_heading = "Processes")]
    pub(super) process: Option<usize>,
    /// The key that all processes of --hosts have, in a file that only you may read
    #[arg(long, value_name = "FILE", help_heading = "Processes")]
    pub(super) mesh_key: Option<PathBuf>,
    /// Give up connecting to the other processes after this time
    #[arg(long, value_name = "SECONDS", default_value = "600", help_heading = "Processes")]
    pub(super) meet_within: Seconds,
    /// Allow wildcard addresses in --hosts (0.0.0.0 and [::]), by which a process accepts connections on all interfaces
    #[arg(long, help_heading = "Processes")]
    pub(super) listen_anywhere: bool,
}

impl ProcessArgs {
    /// The option that asks for other processes, if one does.
    pub(super) fn option(&self) -> Option<&'static str> {
        let own = self.process.is_some() || self.mesh_key.is_some();
        self.processes.map(|_| "--processes").or(self.hosts.as_ref().map(|_| "--hosts")).or(own.then_some("--process"))
    }
}
