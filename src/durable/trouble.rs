//! Why a folder cannot be used, in sentences for users; the caller names the folder.

use super::quota::OverQuota;
use std::io;

/// Why something could not be stored or read back.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum Trouble {
    /// No room on the disk, within the quota of the user, or within the limit on file sizes. The files of the last manifest are intact.
    #[error("the disk is full: `{file}` could not be written")]
    Full { file: String },
    /// Within the room that the user gave, `file` could not be written.
    #[error("`{file}` would take more than {bytes} bytes with the others")]
    Limit { file: String, bytes: u64 },
    /// The system refused a call. After a failed write or synchronisation nothing is tried again.
    #[error("`{file}`: {source}")]
    Io { file: String, source: io::Error },
    /// The content of the file is not what was written.
    #[error("`{file}` is damaged at byte {offset}: {what}")]
    Damaged { file: String, offset: u64, what: &'static str },
    /// Another process holds the lock.
    #[error("the folder is in use by {}", in_words(*process))]
    InUse { process: Option<u32> },
    /// A new checkpoint needs an empty folder.
    #[error("the folder is not empty")]
    NotEmpty,
    /// The folder has no manifest.
    #[error("the folder does not hold a checkpoint")]
    NotACheckpoint,
    /// Written by a bcheck that uses another format.
    #[error("the checkpoint has format {found}, and this version of bcheck reads format {}", super::identity::VERSION)]
    OtherVersion { found: u32 },
    /// The file was copied from the checkpoint of another run.
    #[error("`{file}` belongs to another run")]
    OtherRun { file: String },
    /// A log whose last write failed is not written again: what of it reached the disk is unknown.
    #[error("`{file}` is not written any more, because writing it failed before")]
    Abandoned { file: String },
}

impl Trouble {
    /// Of a call of the system on a file.
    pub fn io(file: &str, source: io::Error) -> Self {
        let file = file.to_owned();
        if let Some(OverQuota(bytes)) = source.get_ref().and_then(|error| error.downcast_ref()) {
            return Self::Limit { file, bytes: *bytes };
        }
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::Full { file },
            _ => Self::Io { file, source },
        }
    }

    pub(super) fn damaged(file: &str, offset: u64, what: &'static str) -> Self {
        Self::Damaged { file: file.to_owned(), offset, what }
    }
}

fn in_words(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |process| format!("process {process}"))
}
