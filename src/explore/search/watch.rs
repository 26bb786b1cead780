//! The watcher: runs a search on its own thread and stops it at the limits of time and memory (`explore::watch`).
//!
//! Invariant: a limit stops through the machine's interrupt flag only, which every evaluation polls; the first reason is stored.
//! A search that is interrupted without a reason was interrupted from outside. Rebuilding the trace comes after the search: it may continue
//! for [`LAST_CALL`] after a limit. Deliberately elsewhere: limits on states and depth, which do not depend on time and are checked by the
//! search itself.

use super::level_profile::LevelProfile;
use crate::deep::spawn_deep;
use crate::observer::{LastCheckpoint, Observer, Progress};
use crate::{LAST_CALL, LimitHit, Limits, Outcome, Watch};
use bcheck_eval::Machine;
use crossbeam::channel::{RecvTimeoutError, bounded};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two reports of progress.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// The time after a limit in which the recorded graph may still be judged, and the run of a counterexample found by that be rebuilt:
/// together no more than a program that stops in time can wait.
const LAST_JUDGEMENT: Duration = Duration::from_millis(300);
const LAST_RUN: Duration = Duration::from_millis(300);

/// How a search was stopped.
struct Stop {
    watch: Watch,
    /// The search has ended; only the trace is still to be rebuilt.
    is_finished: bool,
    /// When rebuilding the trace must end too.
    last_call: Option<Instant>,
    /// When the last judgement must end, or had to; one for all searches that take turns.
    last_judgement: Option<Instant>,
}

/// The state shared by a search and its watcher.
pub(crate) struct Control<'a> {
    machine: &'a Machine,
    stop: Mutex<Stop>,
    /// Requested workers that the system did not start.
    pub(crate) missing_workers: AtomicUsize,
    /// Published by the search for progress reports only.
    pub(crate) level: AtomicU64,
    pub(crate) states: AtomicU64,
    pub(crate) transitions: AtomicU64,
    pub(crate) frontier: AtomicU64,
    /// Valuations of the constants found.
    set_ups: AtomicU64,
    /// Whether the search for more of them is running.
    pub(crate) is_seeking: AtomicBool,
    is_resumed: AtomicBool,
    /// The memory in use at the watcher's last sample, and the maximum since the search last read it: a search beyond memory spills by
    /// them.
    resident: AtomicU64,
    most_resident: AtomicU64,
    profile: Mutex<LevelProfile>,
    /// The last checkpoint: when it was written, its epoch, its states.
    checkpoint: Mutex<Option<(Instant, u64, u64)>>,
}

impl<'a> Control<'a> {
    pub(crate) fn new(machine: &'a Machine, limits: &Limits) -> Self {
        Self {
            machine,
            stop: Mutex::new(Stop { watch: Watch::new(limits.clone()), is_finished: false, last_call: None, last_judgement: None }),
            missing_workers: AtomicUsize::new(0),
            level: AtomicU64::new(0),
            states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            frontier: AtomicU64::new(0),
            set_ups: AtomicU64::new(0),
            is_seeking: AtomicBool::new(false),
            is_resumed: AtomicBool::new(false),
            resident: AtomicU64::new(0),
            most_resident: AtomicU64::new(0),
            profile: Mutex::default(),
            checkpoint: Mutex::default(),
        }
    }

    /// Whether the search must stop now: at a limit or a signal, or because it begins again.
    pub(crate) fn is_stopped(&self) -> bool {
        self.flag().load(Ordering::Relaxed) || self.machine.has_ended_at_choices()
    }

    fn flag(&self) -> &AtomicBool {
        self.machine.interrupt()
    }

    /// This many valuations of the constants were found, and the search for more continues. A machine without constants has none to find.
    pub(crate) fn seek(&self, machine: &Machine, found: u64) {
        self.set_ups.store(if machine.model().set_up_steps() > 0 { found } else { 0 }, Ordering::Relaxed);
        self.is_seeking.store(machine.model().set_up_steps() > 0, Ordering::Relaxed);
    }

    /// The search resumes from a checkpoint with these numbers of states and transitions.
    pub(super) fn resume(&self, states: u64, transitions: u64) {
        self.states.store(states, Ordering::Relaxed);
        self.transitions.fetch_add(transitions, Ordering::Relaxed);
        self.is_resumed.store(true, Ordering::Relaxed);
    }

    /// The processes that share the search stop; `reason` is the limit that they have agreed on, if it was one.
    pub(super) fn stop_with_others(&self, reason: Option<LimitHit>) {
        // Under the lock, as in `look`: whoever sees the flag sees the reason.
        let mut stop = self.lock();
        stop.watch.hit = reason.map(|reason| (reason, Instant::now())).or(stop.watch.hit.take());
        self.flag().store(true, Ordering::Relaxed);
    }

    /// Why the search was stopped, if it was.
    pub(crate) fn stop_reason(&self) -> Option<LimitHit> {
        // `look` raises the flag while it holds the lock, after it has set the reason. Whoever reads the raised flag and then takes the
        // lock therefore sees the reason, although the flag is relaxed: had this lock been taken first, the flag would have been read
        // as not raised.
        if !self.is_stopped() {
            return None;
        }
        Some(self.named(LimitHit::Interrupted))
    }

    fn lock(&self) -> MutexGuard<'_, Stop> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search, and explains the limit that it hit. If it was stopped, rebuilding the trace has [`LAST_CALL`] from here on: the
    /// flag then stops the trace, not the search.
    pub(crate) fn finish(&self, limit: Option<LimitHit>) -> Option<LimitHit> {
        // Before the lock is taken, because `stop_reason` takes it as well.
        let explained = limit.map(|limit| self.stop_reason().unwrap_or(limit));
        let mut stop = self.lock();
        stop.is_finished = true;
        stop.last_call = self.is_stopped().then(|| Instant::now() + LAST_CALL);
        explained
    }

    /// Confirms something that was found, whether or not a limit has been reached: that takes [`LAST_CALL`] from here on, or from the limit
    /// on, at most. Afterwards a limit stops the search again.
    pub(crate) fn last_call<T>(&self, confirm: impl FnOnce() -> T) -> T {
        let now = Instant::now();
        let (was_finished, was_stopped, outer) = {
            let mut stop = self.lock();
            let was_stopped = self.flag().swap(false, Ordering::Relaxed);
            // Within the last judgement the time of both is fixed, however many formulas are violated.
            let outer = stop.last_call.filter(|_| stop.is_finished);
            stop.last_call = outer.map(|end| end + LAST_RUN).or(was_stopped.then(|| now + LAST_CALL));
            (std::mem::replace(&mut stop.is_finished, true), was_stopped, outer)
        };
        let confirmed = confirm();
        let mut stop = self.lock();
        stop.is_finished = was_finished;
        stop.last_call = outer;
        if was_stopped || stop.watch.hit.is_some() && outer.is_none() {
            self.flag().store(true, Ordering::Relaxed);
        }
        confirmed
    }

    /// Judges the graph recorded before a limit. All such judgements together, of all searches, take at most [`LAST_JUDGEMENT`]; afterwards
    /// the search is still stopped.
    pub(super) fn last_judgement<T>(&self, judge: impl FnOnce() -> T) -> T {
        let now = Instant::now();
        {
            let mut stop = self.lock();
            let end = *stop.last_judgement.get_or_insert(now + LAST_JUDGEMENT);
            stop.is_finished = true;
            stop.last_call = Some(end);
            self.flag().store(now >= end, Ordering::Relaxed);
        }
        let judged = judge();
        let mut stop = self.lock();
        stop.is_finished = false;
        stop.last_call = None;
        self.flag().store(true, Ordering::Relaxed);
        judged
    }

    /// Replaces an interrupt by the limit that caused it.
    pub(crate) fn named(&self, limit: LimitHit) -> LimitHit {
        match limit {
            LimitHit::Interrupted => self.lock().watch.reason().cloned().unwrap_or(limit),
            limit => limit,
        }
    }

    /// As [`Self::named`], for the limit of an outcome.
    pub(crate) fn explained(&self, outcome: Outcome) -> Outcome {
        Outcome { limit: outcome.limit.map(|limit| self.named(limit)), ..outcome }
    }

    /// Takes one sample.
    fn look(&self, now: Instant, resident: u64) {
        // Under the lock, so that once `finish` has returned the flag is raised for the last call only.
        let mut stop = self.lock();
        stop.watch.look(now, || resident);
        if !stop.is_finished && self.flag().load(Ordering::Relaxed) {
            // Raised from outside, unless there is a reason.
            stop.watch.stop(LimitHit::Interrupted, now);
        }
        if stop.watch.hit.is_some() {
            if stop.is_finished {
                stop.last_call.get_or_insert(now + LAST_CALL);
            } else {
                self.flag().store(true, Ordering::Relaxed);
            }
        }
        if stop.last_call.is_some_and(|end| now >= end) {
            self.flag().store(true, Ordering::Relaxed);
        }
    }

    /// The sizes of levels, for progress reports: touched once for each level.
    pub(super) fn profile(&self) -> MutexGuard<'_, LevelProfile> {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The maximal memory in use since the last call, in bytes; 0 if it is not known.
    pub(super) fn take_most_resident(&self) -> u64 {
        self.most_resident.swap(0, Ordering::Relaxed)
    }

    /// The memory in use a moment ago, in bytes; 0 where that is not known.
    pub(super) fn resident(&self) -> u64 {
        self.resident.load(Ordering::Relaxed)
    }

    /// A checkpoint was written.
    pub(super) fn note_checkpoint(&self, epoch: u64, states: u64) {
        *self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), epoch, states));
    }

    fn progress(&self, started: Instant) -> Progress {
        let checkpoint = *self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        Progress {
            level: self.level.load(Ordering::Relaxed),
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            frontier: self.frontier.load(Ordering::Relaxed),
            set_ups: self.set_ups.load(Ordering::Relaxed),
            is_seeking: self.is_seeking.load(Ordering::Relaxed),
            is_resumed: self.is_resumed.load(Ordering::Relaxed),
            elapsed: started.elapsed(),
            expected: self.profile().expected(),
            checkpoint: checkpoint.map(|(at, epoch, states)| LastCheckpoint { epoch, states, age: at.elapsed() }),
        }
    }
}

/// Runs `search` on its own thread while the calling thread watches time and memory and reports progress.
pub(crate) fn watched<T: Send>(control: &Control<'_>, observer: &mut dyn Observer, search: impl FnOnce() -> T + Send) -> T {
    let started = Instant::now();
    // Taken by the thread that runs it: the new one, or this one if no thread can be started.
    let search = Mutex::new(Some(search));
    let run = || search.lock().unwrap_or_else(PoisonError::into_inner).take().expect("it is run on one thread, once")();
    let result = thread::scope(|scope| {
        // Nothing is ever sent: dropping `alive`, at the end or by a panic, closes the channel and wakes the watcher at once.
        let (alive, ended) = bounded::<()>(0);
        let body = || {
            let result = run();
            drop(alive);
            result
        };
        let handle = match spawn_deep(scope, "search", body) {
            Ok(handle) => handle,
            // Nobody watches limits then, but the flag still works from outside: better than no search.
            Err(_) => return run(),
        };
        let mut shown = started;
        loop {
            let wait = control.lock().watch.tick(Instant::now());
            match ended.recv_timeout(wait) {
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let resident = observer.memory_bytes();
            control.resident.store(resident, Ordering::Relaxed);
            control.most_resident.fetch_max(resident, Ordering::Relaxed);
            control.look(Instant::now(), resident);
            if shown.elapsed() >= SHOWN_EVERY {
                shown = Instant::now();
                observer.progress(&control.progress(started));
            }
        }
        let result = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        observer.progress(&control.progress(started));
        result
    });
    let missing = control.missing_workers.load(Ordering::Relaxed);
    if missing > 0 {
        observer.missing_workers(missing);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::load;

    #[test]
    fn what_was_found_is_confirmed_after_a_limit_and_the_search_stops_all_the_same() {
        let machine = load("MACHINE m END", 1);
        let control = Control::new(&machine, &Limits { time: Some(Duration::ZERO), ..Limits::default() });
        let now = Instant::now();
        // Nothing has been reached before or meanwhile.
        assert!(!control.last_call(|| control.is_stopped()));
        assert!(!control.is_stopped());
        // The limit is reached meanwhile, and the watcher looks again and again.
        let was_stopped = control.last_call(|| {
            control.look(now, 0);
            control.look(now, 0);
            control.is_stopped()
        });
        assert!(!was_stopped && control.is_stopped());
        // It was reached before; the last call ends after its time.
        let was_stopped = control.last_call(|| {
            control.look(now, 0);
            let before = control.is_stopped();
            control.look(Instant::now() + 2 * LAST_CALL, 0);
            (before, control.is_stopped())
        });
        assert_eq!((was_stopped, control.is_stopped()), ((false, true), true));
        assert_eq!(control.stop_reason(), Some(LimitHit::Time(Duration::ZERO)));
    }

    #[test]
    fn what_was_recorded_is_judged_after_a_limit_once() {
        let machine = load("MACHINE m END", 1);
        let control = Control::new(&machine, &Limits { time: Some(Duration::ZERO), ..Limits::default() });
        let now = Instant::now();
        control.look(now, 0);
        assert!(control.is_stopped());
        let seen = control.last_judgement(|| {
            control.look(now, 0);
            let before = control.is_stopped();
            // A counterexample is confirmed in the midst of it, which has a little more time.
            let confirmed = control.last_call(|| {
                control.look(Instant::now() + LAST_JUDGEMENT, 0);
                control.is_stopped()
            });
            let between = control.is_stopped();
            control.look(Instant::now() + LAST_JUDGEMENT, 0);
            (before, confirmed, between, control.is_stopped())
        });
        assert_eq!(seen, (false, false, false, true));
        assert!(control.is_stopped());
        assert_eq!(control.stop_reason(), Some(LimitHit::Time(Duration::ZERO)));
        // A second judgement continues the time of the first.
        control.lock().last_judgement = Some(now);
        assert!(control.last_judgement(|| control.is_stopped()));
    }
}
