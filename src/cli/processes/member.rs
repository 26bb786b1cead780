//! A process that shares a search with others.
//!
//! Deliberately elsewhere: who started it (`processes`, `hosts`), and the contents of its folder (`checkpoint`).

use crate::exit::Exit;
use crate::io::files;
use bcheck_explore::Verdict;
use bcheck_mesh::rendezvous::Place;
use std::path::{Path, PathBuf};

/// The process that reports.
pub(crate) const FIRST: usize = 0;

/// This process, as one of those that share a search.
pub(crate) struct Member {
    pub(crate) me: usize,
    pub(crate) places: Vec<Place>,
    /// The run's shared secret, which authenticates peers.
    pub(crate) key: [u8; 32],
    /// Whether a supervisor has started it and watches it.
    pub(crate) is_supervised: bool,
}

impl Member {
    /// Whether it reports.
    pub(crate) fn is_first(&self) -> bool {
        self.me == FIRST
    }

    /// Tells the user who started it that another process reports.
    pub(crate) fn say_that_it_is_done(&self) {
        if !self.is_supervised {
            let (me, last) = (self.me, self.places.len() - 1);
            files::complain(&format!("process {me} of 0 to {last} has done its part; process {FIRST} reports\n"));
        }
    }

    /// Its exit if another one was lost.
    pub(crate) fn lost(&self) -> Exit {
        if self.is_supervised { Exit::Lost } else { Exit::Verdict(Verdict::Incomplete) }
    }

    /// Whether data from others is untrusted, as they were not started by this run itself.
    pub(crate) fn has_strangers(&self) -> bool {
        !self.is_supervised
    }

    /// The message if the search failed on data from others.
    pub(crate) fn broken(&self) -> String {
        let others: Vec<String> = (0..self.places.len()).filter(|other| *other != self.me).map(|other| other.to_string()).collect();
        let others = match &others[..] {
            [other] => format!("process {other}"),
            others => format!("one of the processes {}", others.join(", ")),
        };
        format!("{others} was lost: it has sent data that does not belong to this search; restart all processes with --resume")
    }

    /// Its own folder, within that of all processes.
    pub(crate) fn folder(&self, of_all: &Path) -> PathBuf {
        folder_of(of_all, self.me)
    }
}

fn folder_of(of_all: &Path, process: usize) -> PathBuf {
    of_all.join(format!("process-{process}"))
}

/// The folders of the processes whose search is stored in a folder; none if it is that of one process.
pub(crate) fn folders(of_all: &Path) -> Vec<PathBuf> {
    (0..).map(|process| folder_of(of_all, process)).take_while(|folder| folder.is_dir()).collect()
}
