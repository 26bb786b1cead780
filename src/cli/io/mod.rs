//! Files, streams, the terminal, signals, and the system's data about the process.
//!
//! Invariant: no other folder opens a file, and none decides how a command ends early (`interrupt`). Deliberately elsewhere: which files a
//! machine names (`project`), pictures (`pictures`), the progress of a search (`progress`).

pub(crate) mod allocator;
pub(crate) mod child_runs;
pub(crate) mod console;
pub(crate) mod decode;

pub(crate) mod files;
pub(crate) mod graph_file;
pub(crate) mod interrupt;
pub(crate) mod link_target;
pub(crate) mod logging;
pub(crate) mod memory;
pub(crate) mod output;
pub(crate) mod run_files;
pub(crate) mod signals;
pub(crate) mod system_path;
pub(crate) mod temporary;
pub(crate) mod terminal;
#[cfg(feature = "screen")]
pub(crate) mod terminal_mode;
pub(crate) mod timestamp;
pub(crate) mod trace_file;
pub(crate) mod writing;
