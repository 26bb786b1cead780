//! A process as one of those that share a search.
//!
//! Deliberately elsewhere: who has started it (`processes`, `hosts`), and what it keeps in its folder (`checkpoint`).

use crate::mesh::meeting::Place;
use std::path::{Path, PathBuf};

/// The process that reports.
pub(super) const FIRST: usize = 0;

/// This process, as one of those that share a search.
pub(super) struct Member {
    pub(super) me: usize,
    pub(super) places: Vec<Place>,
    /// What only processes of this run know.
    pub(super) key: [u8; 32],
}

impl Member {
    /// Whether it reports.
    pub(super) fn is_first(&self) -> bool {
        self.me == FIRST
    }

    /// Its own folder, in that of all processes.
    pub(super) fn folder(&self, of_all: &Path) -> PathBuf {
        folder_of(of_all, self.me)
    }
}

fn folder_of(of_all: &Path, process: usize) -> PathBuf {
    of_all.join(format!("process-{process}"))
}

/// The folders of the processes whose search a folder has; none if it is that of one process.
pub(super) fn folders(of_all: &Path) -> Vec<PathBuf> {
    (0..).map(|process| folder_of(of_all, process)).take_while(|folder| folder.is_dir()).collect()
}
