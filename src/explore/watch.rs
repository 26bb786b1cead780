//! The limits of time and memory, and the first reason to stop: the part shared by the watch of a search and that of the whole process.
//!
//! Invariant: limits are tested here only; the first reason counts, be it a limit or a signal. Deliberately elsewhere: who polls, and what
//! a reason ends: a search (`search::watch`, also without a process around it), a command that does not end by itself
//! (`cli::io::interrupt`).

use crate::{LimitHit, Limits};
use std::time::{Duration, Instant};

/// The time between two looks; shorter where memory is limited, which may be taken at gigabytes a second.
const TICK: Duration = Duration::from_millis(20);
const TICK_OF_MEMORY: Duration = Duration::from_millis(5);

/// How long after a limit the trace of a finding may still be rebuilt, or results be made presentable; then that is abandoned.
pub const LAST_CALL: Duration = Duration::from_millis(500);

/// A watch that was begun.
#[derive(Debug)]
pub struct Watch {
    /// Only time and memory matter here.
    pub limits: Limits,
    /// From when on time counts.
    pub since: Instant,
    /// The first reason to stop, and since when there is one.
    pub hit: Option<(LimitHit, Instant)>,
}

impl Watch {
    /// Begins a watch; time counts from now on, unless the limits say otherwise.
    pub fn new(limits: Limits) -> Self {
        Self { since: limits.since.unwrap_or_else(Instant::now), limits, hit: None }
    }

    /// The time until the next look.
    pub fn tick(&self, now: Instant) -> Duration {
        let tick = if self.limits.memory_bytes.is_some() { TICK_OF_MEMORY } else { TICK };
        let left = self.limits.time.map_or(tick, |limit| limit.saturating_sub(now.saturating_duration_since(self.since)));
        // Once the time is over, it is no longer waited for.
        if left.is_zero() { tick } else { left.clamp(Duration::from_millis(1), tick) }
    }

    /// Tests whether a limit is exceeded; returns whether this is the first reason. Memory is queried only if it is limited.
    pub fn look(&mut self, now: Instant, resident: impl FnOnce() -> u64) -> bool {
        if self.hit.is_some() {
            return false;
        }
        let time = self.limits.time.filter(|limit| now.saturating_duration_since(self.since) >= *limit).map(LimitHit::Time);
        let hit = time.or_else(|| self.limits.memory_bytes.filter(|limit| resident() > *limit).map(LimitHit::Memory));
        hit.is_some_and(|hit| self.stop(hit, now))
    }

    /// Something stops from now on for this reason; returns whether it is the first one.
    pub fn stop(&mut self, reason: LimitHit, now: Instant) -> bool {
        let is_first = self.hit.is_none();
        self.hit.get_or_insert((reason, now));
        is_first
    }

    /// The first reason to stop, if there is one.
    pub fn reason(&self) -> Option<&LimitHit> {
        self.hit.as_ref().map(|(reason, _)| reason)
    }

    /// Whether work that may continue for [`LAST_CALL`] after a reason to stop must end now.
    pub fn is_last_call_over(&self, now: Instant) -> bool {
        self.hit.as_ref().is_some_and(|(_, at)| now.saturating_duration_since(*at) >= LAST_CALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_and_memory_is_asked_for_only_where_it_is_limited() {
        let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
        let mut watch = Watch::new(limits);
        let (before, late) = (watch.since + Duration::from_millis(990), watch.since + Duration::from_secs(1));
        assert_eq!((watch.tick(watch.since), watch.tick(before), watch.tick(late)), (TICK, Duration::from_millis(10), TICK));
        assert!(!watch.look(before, || unreachable!("memory is not limited")));
        watch.limits.memory_bytes = Some(10);
        assert!(!watch.look(before, || 10) && watch.look(before, || 11) && !watch.look(late, || 11));
        assert!(!watch.stop(LimitHit::Interrupted, late));
        assert_eq!(watch.reason(), Some(&LimitHit::Memory(10)));
        assert!(!watch.is_last_call_over(late) && watch.is_last_call_over(before + LAST_CALL));
    }
}
