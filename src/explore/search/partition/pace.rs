//! How many slices the processes expand between two exchanges: a superstep (Valiant, "A bridging model for parallel computation",
//! CACM 33, 1990).
//!
//! The more, the less often processes wait for each other, and the longer until all react to a limit that one of them has hit.
//! Invariant: all processes take the same number, the least that one of them can afford; what is found does not depend on it.

use crate::thresholds::{SUPERSTEP_BYTES, SUPERSTEP_SLICES};
use std::time::Duration;

/// A superstep should not take longer.
const MOST_TIME: Duration = Duration::from_millis(500);

/// How fast a process was in its last superstep.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Pace {
    pub(in super::super) slices: usize,
    /// The time of expanding them.
    pub(in super::super) time: Duration,
}

impl Pace {
    /// The most slices that this process can afford in the next superstep; `bytes` were sent and received in the last one. Messages may
    /// take a sixteenth of the `memory`, in bytes, that the process is allowed.
    pub(super) fn affordable(self, processes: usize, bytes: u64, memory: u64) -> usize {
        let slices = self.slices.max(1);
        // At most twice as many: the next slices may be different.
        let mut affordable = (2 * slices).min(SUPERSTEP_SLICES.get() * processes);
        let most_bytes = SUPERSTEP_BYTES.get().min(memory / 16);
        // The next slices find about as much as the last ones, in the same time.
        while affordable > 1
            && (bytes * affordable as u64 > most_bytes * slices as u64 || self.time * affordable as u32 > MOST_TIME * slices as u32)
        {
            affordable -= 1;
        }
        affordable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affordable(slices: usize, milliseconds: u64, bytes: u64, memory: u64) -> usize {
        Pace { slices, time: Duration::from_millis(milliseconds) }.affordable(3, bytes, memory)
    }

    #[test]
    fn supersteps_grow_up_to_what_time_and_memory_allow() {
        let (little, much) = (1000, u64::MAX);
        assert_eq!([0, 1, 2, 5, 6, 12].map(|slices| affordable(slices, 1, little, much)), [2, 2, 4, 10, 12, 12]);
        assert_eq!([1, 50, 250, 499, 501, 9000].map(|time| affordable(4, time, little, much)), [8, 8, 8, 4, 3, 1]);
        assert_eq!([1, 32, 64, 65, 1000].map(|megabytes| affordable(4, 1, megabytes << 20, much)), [8, 8, 4, 3, 1]);
        assert_eq!([0, 100, 160].map(|memory| affordable(4, 1, 1 << 20, memory << 20)), [1, 8, 8]);
        assert_eq!(affordable(4, 1, 4 << 20, 16 << 20), 1);
    }
}
