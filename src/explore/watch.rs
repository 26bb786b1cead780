//! The watcher: runs a search on its own thread and stops it at the limits of time and memory.
//!
//! Invariant: stopping goes through the machine's interrupt flag only, which every evaluation polls; the first reason is kept.
//! A search that is interrupted without a reason was interrupted from outside. Deliberately elsewhere: limits on states and
//! depth, which do not depend on time and are kept by the search itself.

use super::observer::{Observer, Progress};
use super::{LimitHit, Limits};
use crossbeam::channel::{RecvTimeoutError, bounded};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(100);

/// Evaluation recurses over nested predicates and values; the default of 2 MiB would bound their depth.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// What a search and its watcher share.
pub(super) struct Control<'a> {
    interrupt: &'a AtomicBool,
    reason: Mutex<Option<LimitHit>>,
    /// No limit stops what comes after the search: rebuilding the trace.
    is_finished: AtomicBool,
    /// Published by the search for progress reports only.
    pub(super) level: AtomicU64,
    pub(super) states: AtomicU64,
    pub(super) transitions: AtomicU64,
    pub(super) frontier: AtomicU64,
}

impl<'a> Control<'a> {
    pub(super) fn new(interrupt: &'a AtomicBool) -> Self {
        Self {
            interrupt,
            reason: Mutex::new(None),
            is_finished: AtomicBool::new(false),
            level: AtomicU64::new(0),
            states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            frontier: AtomicU64::new(0),
        }
    }

    /// Whether the search must stop now.
    pub(super) fn is_stopped(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Why the search was stopped, if it was.
    pub(super) fn stop_reason(&self) -> Option<LimitHit> {
        if !self.is_stopped() {
            return None;
        }
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        Some(reason.clone().unwrap_or(LimitHit::Interrupted))
    }

    /// Ends the time in which limits apply.
    pub(super) fn finish(&self) {
        let _reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_finished.store(true, Ordering::Relaxed);
    }

    fn stop(&self, why: LimitHit) {
        // Under the lock, so that the flag is not raised after `finish`.
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_finished.load(Ordering::Relaxed) {
            return;
        }
        reason.get_or_insert(why);
        self.interrupt.store(true, Ordering::Relaxed);
    }

    fn progress(&self, started: Instant) -> Progress {
        Progress {
            level: self.level.load(Ordering::Relaxed),
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            frontier: self.frontier.load(Ordering::Relaxed),
            elapsed: started.elapsed(),
        }
    }
}

/// Runs `search` on its own thread while the calling thread watches time and memory and reports progress.
pub(super) fn watched<T: Send>(
    control: &Control<'_>,
    limits: &Limits,
    observer: &mut dyn Observer,
    search: impl FnOnce() -> T + Send,
) -> T {
    let started = Instant::now();
    thread::scope(|scope| {
        let (alive, ended) = bounded::<()>(0);
        let body = move || {
            let result = search();
            drop(alive);
            result
        };
        let handle = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, body)
            .expect("the system can start one thread");
        loop {
            let wait = limits.time.map_or(TICK, |limit| TICK.min(limit.saturating_sub(started.elapsed()))).max(Duration::from_millis(1));
            match ended.recv_timeout(wait) {
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(limit) = limits.time
                && started.elapsed() >= limit
            {
                control.stop(LimitHit::Time(limit.as_secs()));
            }
            if let Some(limit) = limits.memory_bytes
                && observer.memory_bytes() > limit
            {
                control.stop(LimitHit::Memory(limit));
            }
            observer.progress(&control.progress(started));
        }
        let result = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        observer.progress(&control.progress(started));
        result
    })
}
