//! A bound on the total size of the files of states and sorted runs. The others are small, and needed when room runs out.
//!
//! Invariant: the count equals the actual size, as long as nobody else writes the folder and no call fails. An append that fails may leave
//! a part of its bytes uncounted; after it the search writes nothing more (`explore::search::checkpoint`).

use super::files::Files;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// The error of a call that would take more room than is allowed.
#[derive(Debug, thiserror::Error)]
#[error("no more than {0} bytes are allowed")]
pub(super) struct OverQuota(pub(super) u64);

/// Files within a quota.
pub(super) struct Quota {
    files: Box<dyn Files>,
    most: u64,
    used: AtomicU64,
}

impl Quota {
    pub(crate) fn new(files: Box<dyn Files>, most: u64) -> io::Result<Self> {
        let mut used = 0;
        for name in files.names()?.iter().filter(|name| is_counted(name)) {
            used += files.len(name)?.unwrap_or(0);
        }
        Ok(Self { files, most, used: AtomicU64::new(used) })
    }

    /// Changes a counted file, and counts its size afterwards.
    fn change(&self, name: &str, change: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if !is_counted(name) {
            return change();
        }
        let before = self.files.len(name)?.unwrap_or(0);
        change()?;
        let after = self.files.len(name)?.unwrap_or(0);
        // Relaxed: one thread writes a folder.
        let used = self.used.load(Ordering::Relaxed);
        self.used.store((used + after).saturating_sub(before), Ordering::Relaxed);
        Ok(())
    }
}

fn is_counted(name: &str) -> bool {
    // Rows and internal steps are not counted: searches that store them have no quota.
    ["states-", "numbers-", "run-"].iter().any(|start| name.starts_with(start))
}

impl Files for Quota {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // Checked before anything is written, so that a refusal leaves no partial output.
        if is_counted(name) && self.used.load(Ordering::Relaxed) + bytes.len() as u64 > self.most {
            return Err(io::Error::other(OverQuota(self.most)));
        }
        self.change(name, || self.files.append(name, bytes))
    }

    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.files.read_at(name, offset, buffer)
    }

    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        self.files.len(name)
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        self.change(name, || self.files.truncate(name, len))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.files.sync(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.files.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.change(name, || self.files.remove(name))
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.files.sync_folder()
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.files.names()
    }
}
