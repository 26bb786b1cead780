//! Reports variables that only grow, to explain why a search does not end: on stderr after a few seconds, and in the report of a search
//! that was stopped.
//!
//! Invariant: the search is not influenced, and only observed growth is reported (`explore::growth`). Deliberately elsewhere: the wording
//! (`report::unbounded`).

use crate::exit::Exit;
use crate::io::interrupt;
use crate::progress::Watcher;
use bcheck_eval::Machine;
use bcheck_explore::{Growth, LimitHit, Outcome, growth};
use bcheck_report::unbounded;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A search that ends earlier is not examined.
const AFTER: Duration = Duration::from_secs(5);
/// The most time for examining one that has ended.
const LOOK: Duration = Duration::from_millis(500);

/// Looks for growth while a search runs.
pub(crate) struct Growing<'m> {
    machine: &'m Machine,
}

impl<'m> Growing<'m> {
    pub(crate) fn new(machine: &'m Machine) -> Self {
        Self { machine }
    }

    /// Runs the search, and looks for growth in parallel.
    pub(crate) fn beside<'s, T>(&self, watcher: &mut Watcher<'s>, search: impl FnOnce(&mut Watcher<'s>) -> T) -> T {
        let remark = Arc::new(OnceLock::new());
        watcher.tell(Arc::clone(&remark));
        let (over, waits) = channel::<()>();
        let looked_at: OnceLock<Machine> = OnceLock::new();
        std::thread::scope(|scope| {
            let look = || {
                let waits = waits;
                if waits.recv_timeout(AFTER) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let machine = looked_at.get_or_init(|| copy(self.machine));
                let mut is_over = || waits.try_recv() != Err(TryRecvError::Empty);
                // Evaluation errors are reported by the search itself.
                let found = growth(machine, &mut is_over).unwrap_or_default();
                if let Some(first) = found.first() {
                    let _ = remark.set(format!("note: {}\n", unbounded::in_words(machine.model(), first)));
                }
            };
            // If the thread cannot be started, the note is omitted.
            let _thread = std::thread::Builder::new().spawn_scoped(scope, look);
            let searched = search(watcher);
            drop(over);
            // A step that takes long is interrupted, not waited for.
            looked_at.get().into_iter().for_each(|machine| machine.interrupt().store(true, Ordering::Relaxed));
            searched
        })
    }
}

/// A copy of the machine: what its evaluation records, such as ranges that were tried, must not mix with the records of the search.
fn copy(machine: &Machine) -> Machine {
    Machine::compile(Arc::new(machine.model().clone()), machine.scope().clone())
}

/// The variables that only grow, for a search ended by a limit.
pub(crate) fn of_unfinished(machine: &Machine, outcome: &Outcome) -> Vec<Growth> {
    let is_cut = matches!(
        outcome.limit,
        Some(
            LimitHit::States(_)
                | LimitHit::Depth(_)
                | LimitHit::Time(_)
                | LimitHit::Memory(_)
                | LimitHit::DiskFull
                | LimitHit::DiskLimit(_)
        )
    );
    if !is_cut || outcome.complete || outcome.explored.states == 0 || interrupt::happened() {
        return Vec::new();
    }
    let copied = copy(machine);
    interrupt::watch(copied.interrupt());
    // A limit that stopped the search leaves some time (LAST_CALL) for this.
    interrupt::look_back(copied.interrupt(), Exit::Verdict(outcome.verdict));
    let started = Instant::now();
    let found = growth(&copied, &mut || started.elapsed() > LOOK || interrupt::happened());
    // From here on the machine itself is evaluated again.
    interrupt::watch(machine.interrupt());
    found.unwrap_or_default()
}
