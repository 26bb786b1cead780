//! The speed of a search in the last seconds, and how long the rest of it may take at that rate.
//!
//! Invariant: an estimate is given only if the search can predict its number of states (`Progress::expected`).

use bcheck_explore::{Limits, Progress};
use std::collections::VecDeque;
use std::time::Duration;

/// The time between two stored samples.
const SAMPLED_EVERY: Duration = Duration::from_secs(1);
/// The number of stored samples: rates cover about this many seconds.
const SAMPLES: usize = 10;

/// The work done by some point in time.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    at: Duration,
    states: u64,
    transitions: u64,
    expanded: u64,
}

/// The work done in the last seconds.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The oldest first.
    samples: VecDeque<Sample>,
    latest: Sample,
    is_resumed: bool,
}

/// Amounts per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) states: f64,
    pub(crate) transitions: f64,
    expanded: f64,
}

/// The remaining work of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// In total.
    pub(crate) states: u64,
    pub(crate) left_s: f64,
}

impl Pace {
    /// At the beginning of a search.
    pub(crate) fn new() -> Self {
        Self { samples: VecDeque::from([Sample::default()]), latest: Sample::default(), is_resumed: false }
    }

    /// Records the progress of the search.
    pub(crate) fn note(&mut self, progress: &Progress) {
        let Progress { states, transitions, frontier, elapsed, .. } = *progress;
        // Another search under the same watcher, such as one for formulas, counts anew.
        if states < self.latest.states || elapsed < self.latest.at {
            *self = Self::new();
        }
        self.latest = Sample { at: elapsed, states, transitions, expanded: states.saturating_sub(frontier) };
        if progress.is_resumed && !self.is_resumed {
            // Work restored from a checkpoint was not done in the last seconds.
            *self = Self { samples: VecDeque::new(), is_resumed: true, ..*self };
        }
        if self.samples.back().is_none_or(|last| elapsed >= last.at + SAMPLED_EVERY) {
            self.samples.push_back(self.latest);
        }
        if self.samples.len() > SAMPLES {
            self.samples.pop_front();
        }
    }

    /// Rates over the last seconds.
    #[allow(clippy::cast_precision_loss, reason = "rates are shown without decimals")]
    pub(crate) fn rates(&self) -> Rates {
        let Some(first) = self.samples.front() else { return Rates::default() };
        let seconds = self.latest.at.saturating_sub(first.at).as_secs_f64();
        if seconds <= 0.0 {
            return Rates::default();
        }
        let per_second = |amount: fn(&Sample) -> u64| amount(&self.latest).saturating_sub(amount(first)) as f64 / seconds;
        Rates {
            states: per_second(|sample| sample.states),
            transitions: per_second(|sample| sample.transitions),
            expanded: per_second(|sample| sample.expanded),
        }
    }

    /// The remaining work, if the search can predict it.
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn estimate(&self, progress: &Progress) -> Option<Estimate> {
        let states = progress.expected?.max(progress.states);
        // By expansions, not by new states: the search ends when all states are expanded, and near its end hardly any state is new.
        let rate = self.rates().expanded;
        (rate > 0.0).then(|| Estimate { states, left_s: states.saturating_sub(self.latest.expanded) as f64 / rate })
    }
}

/// A snapshot of a search for display.
pub(crate) struct Seen<'a> {
    pub(crate) progress: &'a Progress,
    pub(crate) pace: &'a Pace,
    pub(crate) limits: &'a Limits,
}

impl Seen<'_> {
    /// The phase of the search.
    pub(crate) fn phase(&self) -> &'static str {
        if self.progress.states == 0 || self.progress.is_seeking { "setting up" } else { "searching" }
    }

    /// The time that counts for the limit, including the reading of the machine.
    pub(crate) fn elapsed(&self) -> Duration {
        self.limits.since.map_or(self.progress.elapsed, |since| since.elapsed().max(self.progress.elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, states: u64, frontier: u64) -> Progress {
        Progress { states, transitions: 3 * states, frontier, elapsed: Duration::from_secs(seconds), ..Progress::default() }
    }

    #[test]
    fn rates_are_those_of_the_last_seconds() {
        let mut pace = Pace::new();
        assert_eq!(pace.rates(), Rates::default());
        pace.note(&at(1, 1000, 0));
        assert_eq!((pace.rates().states, pace.rates().transitions), (1000.0, 3000.0));
        for second in 2..=40 {
            pace.note(&at(second, 1000 + 10 * second, 0));
        }
        assert_eq!(pace.rates().states, 10.0, "the fast first second is forgotten");
        pace.note(&at(1, 7, 0));
        assert_eq!(pace.rates().states, 7.0, "another search");
    }

    #[test]
    fn what_a_checkpoint_brings_is_no_part_of_the_rates() {
        let mut pace = Pace::new();
        pace.note(&at(3, 1, 0));
        let resumed = |seconds, states| Progress { is_resumed: true, ..at(seconds, states, 0) };
        pace.note(&resumed(5, 1_000_000));
        assert_eq!(pace.rates(), Rates::default());
        pace.note(&resumed(7, 1_000_020));
        assert_eq!((pace.rates().states, pace.rates().transitions), (10.0, 30.0));
    }

    #[test]
    fn what_is_left_is_estimated_only_where_states_are_foreseen() {
        let mut pace = Pace::new();
        let progress = at(10, 5000, 1000);
        pace.note(&progress);
        assert_eq!(pace.estimate(&progress), None);
        let foreseen = Progress { expected: Some(6000), ..progress };
        // 4000 were expanded in ten seconds, 2000 are left.
        assert_eq!(pace.estimate(&foreseen), Some(Estimate { states: 6000, left_s: 5.0 }));
        let surpassed = Progress { expected: Some(4500), ..progress };
        assert_eq!(pace.estimate(&surpassed), Some(Estimate { states: 5000, left_s: 2.5 }));
    }
}
