//! What ends a command before its work is done: signals, and the limits of time and memory.
//!
//! One thread looks at them twenty times a second, from the first file that is read to the last line that is written. What comes up
//! first raises the flag of the machine that runs, which every evaluation polls, and the command reports what it has. A command that
//! does not end within [`GRACE`], or has nothing to lose yet, is ended by that thread with the report that it has left for this case.
//! Invariant: the first reason counts; a second signal ends the process at once, as does the first one while the command waits for input.

use super::exit::Exit;
use super::{files, memory};
use crate::explore::{LimitHit, Limits, Verdict};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks.
const TICK: Duration = Duration::from_millis(50);
/// A command that is stopped must have ended after this time.
const GRACE: Duration = Duration::from_millis(900);
/// For so long after a limit work goes on that makes what was found presentable: a trace is rebuilt, a graph walked.
pub(super) const LAST_CALL: Duration = Duration::from_millis(500);
/// A report of an unfinished command that cannot be written in this time has no reader.
const WRITING: Duration = Duration::from_millis(300);

/// What a command is doing, as far as it matters for how it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It reads or compiles, in words; it has nothing to report and is ended at once.
    Preparing(&'static str),
    /// It evaluates: its flag is raised.
    Running,
    /// A search, which looks at time and memory by itself.
    Searching,
    /// It looks once more at what was found, and has this exit code whether it finishes or not.
    LookingBack(Exit),
    /// It writes what was found: no limit applies any more.
    Reporting,
    /// It waits for processes that it stops by itself.
    Supervising,
    /// It waits for input.
    Waiting,
}

/// Writes the report of a command that is ended for this reason, during what it was doing; gives the exit code.
type Unfinished = Box<dyn FnOnce(&LimitHit, &str) -> Exit + Send>;

struct State {
    flag: Option<Arc<AtomicBool>>,
    stage: Stage,
    limits: Limits,
    /// Since when time counts.
    started: Instant,
    hit: Option<(LimitHit, Instant)>,
    /// Whether a signal came; with the first of them that ends the whole command.
    signalled: bool,
    is_terminated: bool,
    /// Whether a person types commands: Ctrl-C then stops one of them.
    is_conversation: bool,
    unfinished: Option<Unfinished>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<State>> {
    // A panic elsewhere leaves it usable: every change is one assignment.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes the state, when the watch was begun; else there is nothing that could end a command.
fn change<T>(change: impl FnOnce(&mut State) -> T) -> Option<T> {
    lock().as_mut().map(change)
}

/// Begins the watch with these limits, of which only time and memory matter here. Without threads nothing can be limited, so that the
/// command must not begin.
pub(super) fn install(limits: Limits) -> Result<(), String> {
    memory::warn_if_unknown(&limits);
    *lock() = Some(State {
        flag: None,
        stage: Stage::Preparing("it was getting ready"),
        limits,
        started: Instant::now(),
        hit: None,
        signalled: false,
        is_terminated: false,
        is_conversation: false,
        unfinished: None,
    });
    let mut signals = signals::Signals::new();
    let watch = move || {
        loop {
            std::thread::sleep(TICK);
            signals.arrived(&mut signalled);
            look(Instant::now());
        }
    };
    // Small, but printing needs some of it.
    let thread = std::thread::Builder::new().name("limits".to_owned()).stack_size(256 << 10).spawn(watch);
    thread.map(drop).map_err(|error| no_thread(&error))
}

/// Why nothing can be done without threads.
pub(super) fn no_thread(error: &std::io::Error) -> String {
    format!("cannot start a thread: {error}; the system, or a limit (ulimit -u, ulimit -v), allows no more")
}

/// What the command is doing from now on.
pub(super) fn stage(stage: Stage) {
    change(|state| state.stage = stage);
}

/// Ctrl-C stops what is done for one line of input from now on, not the command.
pub(super) fn converse() {
    change(|state| state.is_conversation = true);
}

/// How an end before the work is done is reported.
pub(super) fn report_unfinished(unfinished: impl FnOnce(&LimitHit, &str) -> Exit + Send + 'static) {
    change(|state| state.unfinished = Some(Box::new(unfinished)));
}

/// The flag of the machine that is searched from now on.
pub(super) fn watch(flag: &Arc<AtomicBool>) {
    change(|state| {
        if state.signalled {
            flag.store(true, Ordering::Relaxed);
        }
        state.flag = Some(Arc::clone(flag));
        state.stage = Stage::Searching;
    });
}

/// Makes writing beyond the limit on the size of files (`ulimit -f`) an error of that write; by itself the signal ends the process, with
/// no word about it.
pub(super) fn outlive_file_limit() {
    #[cfg(unix)]
    // Without the handler the process ends as it would have.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// The next of several pieces of work: time counts anew, and what stopped one before does not count, unless it ends all of them.
pub(super) fn restart() {
    change(|state| {
        state.signalled = state.is_terminated;
        state.hit = state.hit.take().filter(|_| state.is_terminated);
        state.started = Instant::now();
        state.flag = None;
        state.stage = Stage::Preparing("the machine was compiled");
    });
}

/// When time began to count.
pub(super) fn started() -> Option<Instant> {
    change(|state| state.started)
}

/// The flag of the machine that evaluates from now on.
pub(super) fn run(flag: &Arc<AtomicBool>) {
    watch(flag);
    stage(Stage::Running);
}

/// As [`restart`], for an evaluation by this machine, which goes on with what it was.
pub(super) fn begin(flag: &Arc<AtomicBool>) {
    restart();
    flag.store(is_terminated(), Ordering::Relaxed);
    run(flag);
}

/// Goes on to look at what was found, which ends with this code: after a limit or a signal not for longer than [`LAST_CALL`].
pub(super) fn look_back(flag: &AtomicBool, exit: Exit) {
    change(|state| {
        state.stage = Stage::LookingBack(exit);
        if state.hit.as_ref().is_none_or(|(_, at)| at.elapsed() < LAST_CALL) {
            flag.store(false, Ordering::Relaxed);
        }
    });
}

/// Whether a signal came.
pub(super) fn happened() -> bool {
    change(|state| state.signalled).unwrap_or(false)
}

/// Whether a signal came that ends the whole command, not only what it does now.
pub(super) fn is_terminated() -> bool {
    change(|state| state.is_terminated).unwrap_or(false)
}

/// Why the work was stopped, as a sentence without its end, if it was.
pub(super) fn reason() -> Option<String> {
    change(|state| state.hit.as_ref().map(|(hit, _)| words(hit))).flatten()
}

fn words(hit: &LimitHit) -> String {
    match hit {
        LimitHit::Time(seconds) => format!("stopped at --time-limit after {seconds} s"),
        LimitHit::Memory(bytes) => format!("stopped at --memory-limit {}", crate::report::text::bytes(*bytes)),
        LimitHit::Interrupted
        | LimitHit::States(_)
        | LimitHit::Depth(_)
        | LimitHit::Enumeration(_)
        | LimitHit::Partial(_)
        | LimitHit::Undecided(_) => "interrupted".to_owned(),
    }
}

/// A signal came.
fn signalled(is_termination: bool) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    if state.signalled || state.stage == Stage::Waiting {
        drop(guard);
        leave(Exit::Interrupted);
    }
    state.signalled = true;
    state.is_terminated |= is_termination || !state.is_conversation;
    state.hit.get_or_insert((LimitHit::Interrupted, Instant::now()));
    if let Some(flag) = &state.flag {
        flag.store(true, Ordering::Relaxed);
    }
    drop(guard);
    files::complain("\ninterrupted: finishing with what was found so far (again to stop at once)\n");
}

/// Looks at the limits and at the clock.
fn look(now: Instant) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    state.meet_limits(now);
    let Some((hit, at)) = state.hit.clone() else { return };
    let since = now.saturating_duration_since(at);
    match state.stage {
        Stage::Preparing(_) => {}
        Stage::Running | Stage::Searching if since < GRACE => return,
        Stage::LookingBack(_) if since < LAST_CALL => return,
        Stage::LookingBack(_) if since < GRACE => {
            state.raise();
            return;
        }
        Stage::Reporting if !state.signalled || since < GRACE => return,
        Stage::Supervising | Stage::Waiting => return,
        Stage::Running | Stage::Searching | Stage::LookingBack(_) | Stage::Reporting => {}
    }
    let (stage, unfinished) = (state.stage, state.unfinished.take());
    drop(guard);
    end(stage, &hit, unfinished);
}

impl State {
    /// Notes the first limit that is exceeded.
    fn meet_limits(&mut self, now: Instant) {
        if self.hit.is_some() || matches!(self.stage, Stage::Reporting | Stage::Supervising | Stage::Waiting) {
            return;
        }
        let time = self.limits.time.filter(|limit| now.saturating_duration_since(self.started) >= *limit);
        let memory = self.limits.memory_bytes.filter(|limit| memory::resident_bytes() > *limit);
        let hit = time.map(|limit| LimitHit::Time(limit.as_secs())).or(memory.map(LimitHit::Memory));
        if let Some(hit) = hit {
            self.hit = Some((hit, now));
            // A search notices by itself, and knows why.
            if self.stage == Stage::Running {
                self.raise();
            }
        }
    }

    fn raise(&self) {
        if let Some(flag) = &self.flag {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Ends a command that has not ended by itself.
fn end(stage: Stage, hit: &LimitHit, unfinished: Option<Unfinished>) -> ! {
    let (doing, exit) = match stage {
        Stage::Preparing(doing) => (doing, None),
        Stage::LookingBack(exit) => {
            files::complain(&format!("warning: {}: what was asked for besides the report is not finished\n", words(hit)));
            leave(exit);
        }
        Stage::Reporting => ("the report was written", Some(Exit::Interrupted)),
        Stage::Running | Stage::Searching | Stage::Supervising | Stage::Waiting => ("the machine was running", None),
    };
    let hit = hit.clone();
    let report = move || match exit {
        Some(exit) => exit,
        None => match unfinished {
            Some(unfinished) => unfinished(&hit, doing),
            None => say_unfinished(&hit, doing),
        },
    };
    // Whoever reads the report may have stopped reading.
    let (done, written) = crossbeam::channel::bounded(1);
    let body = move || {
        // The receiver waits, or the process has ended.
        let _ = done.send(report());
    };
    let exit = match std::thread::Builder::new().name("report".to_owned()).spawn(body) {
        Ok(_) => written.recv_timeout(WRITING).unwrap_or(Exit::Verdict(Verdict::Incomplete)),
        Err(_) => Exit::Verdict(Verdict::Incomplete),
    };
    leave(exit)
}

/// Says why a command was ended, and what it was doing.
pub(super) fn say_unfinished(hit: &LimitHit, doing: &str) -> Exit {
    files::complain(&format!("error: {} while {doing}\n", words(hit)));
    Exit::Verdict(Verdict::Incomplete)
}

/// Ends the process whatever its other threads do.
fn leave(exit: Exit) -> ! {
    super::temporary::remove_all();
    #[cfg(feature = "screen")]
    super::animate::leave_screen();
    #[cfg(unix)]
    // Without the handlers of the C library, which would pull data from under threads that still run.
    signal_hook::low_level::exit(i32::from(exit.code()));
    #[cfg(not(unix))]
    #[allow(clippy::exit, reason = "a command that does not react must be ended")]
    std::process::exit(i32::from(exit.code()))
}

#[cfg(unix)]
mod signals {
    //! Signals as they come, to be asked for.

    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Signals that have arrived.
    pub(super) struct Signals(Option<signal_hook::iterator::Signals>);

    impl Signals {
        /// From now on they end nothing by themselves. Where they cannot be caught, they end the process as ever.
        pub(super) fn new() -> Self {
            Self(signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]).ok())
        }

        /// Those that came since the last call; whether each one is meant for the whole command.
        pub(super) fn arrived(&mut self, signalled: &mut dyn FnMut(bool)) {
            for signal in self.0.iter_mut().flat_map(signal_hook::iterator::Signals::pending) {
                signalled(signal != SIGINT);
            }
        }
    }

    /// Ends the process with this code where the run-time system aborts it: memory or the stack is used up, which it has said by then.
    pub(super) fn end_on_abort(code: u8) {
        // Where this fails, the process dies of the signal, and the shell shows 134.
        let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, i32::from(code), Arc::new(AtomicBool::new(true)));
    }
}

#[cfg(not(unix))]
mod signals {
    //! Ctrl-C, to be asked for.

    use std::sync::atomic::{AtomicBool, Ordering};

    static ARRIVED: AtomicBool = AtomicBool::new(false);

    pub(super) struct Signals;

    impl Signals {
        pub(super) fn new() -> Self {
            // Where it cannot be caught, it ends the process as ever.
            let _ = ctrlc::set_handler(|| ARRIVED.store(true, Ordering::Relaxed));
            Self
        }

        pub(super) fn arrived(&mut self, signalled: &mut dyn FnMut(bool)) {
            if ARRIVED.swap(false, Ordering::Relaxed) {
                signalled(false);
            }
        }
    }

    pub(super) fn end_on_abort(_: u8) {}
}

/// From now on a process that runs out of memory or stack ends with the code for that.
pub(super) fn tell_of_exhaustion() {
    signals::end_on_abort(Exit::Io.code());
}
