//! Signals and the limits of time and memory, which end a command before its work is done.
//!
//! One thread, the watchdog, polls `explore::Watch`, which has the limits and the first reason to stop, from reading the first file to
//! writing the last line. That reason raises the flag of the running machine, which every evaluation polls, and the command reports its
//! results so far. A search enforces its limits by a watch of its own, independent of this process: here, a command that does not end
//! within [`GRACE`], has no results yet, or continues to take memory, is ended with the report prepared for this case. Only the reader of
//! the results may take its time: while something is written, nothing is ended. Invariant: the first reason counts; a second signal ends
//! the process at once, as does the first one while the command waits for input.

use crate::exit::Exit;
use crate::io::files;
use crate::io::memory;
use crate::io::signals;
use crate::io::writing;
use bcheck_explore::{LAST_CALL, LimitHit, Limits, Verdict, Watch};
use bcheck_source::shown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that a command has to end by itself after a limit or signal.
// Together with a tick before it and the report after it, a command ends within a second of its limit.
const GRACE: Duration = Duration::from_millis(900);
/// The minimum time for a report, however late its search ended.
const TO_REPORT: Duration = Duration::from_millis(300);
/// What a command may take beyond the limit on memory in order to end by itself: a tenth of the limit, and what the program needs without
/// any states.
const OWN_MEMORY: u64 = 24 << 20;
/// If the report of an unfinished command cannot be written in this time, it has no reader.
const WRITING: Duration = Duration::from_millis(300);

/// The stage of a command, which decides how it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Reading or compiling, in words; nothing to report: the command is ended at once.
    Preparing(&'static str),
    /// Evaluating: the flag is raised.
    Running,
    /// Searching, which enforces limits of time and memory itself.
    Searching,
    /// Writing a checkpoint, which is worth the wait: only a second signal ends that.
    Keeping,
    /// Walking the found states again; has this exit code whether it finishes or not.
    LookingBack(Exit),
    /// Drawing. If the report is written already, the exit code is this one whether drawing finishes or not.
    Drawing(Option<Exit>),
    /// Building and writing the report.
    Reporting,
    /// Waiting for processes that it stops itself.
    Supervising,
    /// Waiting for input.
    Waiting,
}

/// Writes the report of a command that is ended for this reason, during this activity; returns the exit code.
type Unfinished = Box<dyn FnOnce(&LimitHit, &str) -> Exit + Send>;

struct State {
    flag: Option<Arc<AtomicBool>>,
    stage: Stage,
    /// When the stage began.
    entered: Instant,
    /// The limits, and the first reason to stop.
    watch: Watch,
    /// The time spent on writing results until then: what is spent afterwards is the reader's, and does not count.
    written: Duration,
    /// Whether a signal came, either for the whole command or for one line of a session.
    signalled: bool,
    /// Whether a signal came that ends the whole command.
    is_terminated: bool,
    /// Whether commands are typed interactively: Ctrl-C then stops one of them.
    is_conversation: bool,
    unfinished: Option<Unfinished>,
}

// Global, as signals and limits belong to the process.
static STATE: Mutex<Option<State>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<State>> {
    // A panic elsewhere leaves the state consistent: every change is one assignment.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes the state, if the watch has begun; before, nothing could end a command. The closure must not lock again: the mutex is not
/// reentrant.
fn change<T>(change: impl FnOnce(&mut State) -> T) -> Option<T> {
    lock().as_mut().map(change)
}

/// Begins the watch with these limits, of which only time and memory matter here. Without a thread for the watchdog no limit would be
/// enforced, so the command must not begin.
pub(crate) fn install(limits: Limits) -> Result<(), String> {
    memory::warn_if_unknown(&limits);
    memory::keep_within(limits.memory_bytes);
    *lock() = Some(State {
        flag: None,
        stage: Stage::Preparing("it was starting"),
        entered: Instant::now(),
        watch: Watch::new(limits),
        written: Duration::ZERO,
        signalled: false,
        is_terminated: false,
        is_conversation: false,
        unfinished: None,
    });
    // Handlers are installed by the calling thread: once this returns, no signal ends the process unnoticed.
    let mut signals = signals::Signals::new();
    let watch = move || {
        loop {
            std::thread::sleep(change(|state| state.watch.tick(Instant::now())).expect("the state was set before"));
            // Signal handlers only record the signal (little else is safe in them); this thread does the work.
            signals.arrived(&mut signalled);
            look(Instant::now());
        }
    };
    // Small, but printing needs some of it.
    let thread = std::thread::Builder::new().name("limits".to_owned()).stack_size(256 << 10).spawn(watch);
    thread.map(drop).map_err(|error| no_thread(&error))
}

/// The message that a thread could not be started.
pub(crate) fn no_thread(error: &std::io::Error) -> String {
    format!("cannot start a thread: {error}; the system, or a limit (ulimit -u, ulimit -v), allows no more")
}

/// Sets or removes the limit on memory: a search that may use the disk moves states there at its own limit, instead of being ended.
pub(crate) fn limit_memory(limit: Option<u64>) {
    change(|state| state.watch.limits.memory_bytes = limit);
    memory::keep_within(limit);
}

/// The search begins to write a checkpoint.
pub(crate) fn keep() {
    stage(Stage::Keeping);
}

/// The checkpoint is written: if a limit or signal came meanwhile, the time for ending begins now.
pub(crate) fn kept() {
    stage(Stage::Searching);
}

/// Sets the stage of the command. A stage that was exempt, however long it took, is followed by the full [`GRACE`].
pub(crate) fn stage(stage: Stage) {
    change(|state| {
        if let (Stage::Keeping | Stage::Supervising, Some((_, at))) = (state.stage, &mut state.watch.hit) {
            *at = Instant::now();
        }
        (state.stage, state.entered) = (stage, Instant::now());
    });
}

/// Begins an interactive session: from now on Ctrl-C stops the work for one line of input, not the command.
pub(crate) fn converse() {
    change(|state| state.is_conversation = true);
}

/// Sets the report for an end before the work is done.
pub(crate) fn report_unfinished(unfinished: impl FnOnce(&LimitHit, &str) -> Exit + Send + 'static) {
    change(|state| state.unfinished = Some(Box::new(unfinished)));
}

/// Sets the flag of the machine to be searched from now on.
pub(crate) fn watch(flag: &Arc<AtomicBool>) {
    change(|state| {
        // A signal that came before there was a machine must stop this one as well. Relaxed suffices for flags: no data depends on them.
        if state.signalled {
            flag.store(true, Ordering::Relaxed);
        }
        state.flag = Some(Arc::clone(flag));
        state.stage = Stage::Searching;
    });
}

/// Turns writing beyond the limit on file sizes (`ulimit -f`) into an error of that write; by default the signal would silently end the
/// process.
pub(crate) fn outlive_file_limit() {
    #[cfg(unix)]
    // Without the handler the process ends as it would by default.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Begins the next of several pieces of work: time counts anew, and a previous stop is forgotten, unless it ends all of them.
pub(crate) fn restart() {
    change(|state| {
        state.signalled = state.is_terminated;
        state.watch.hit = state.watch.hit.take().filter(|_| state.is_terminated);
        state.watch.since = Instant::now();
        // The previous machine's flag: a signal must not stop a machine that is gone and miss the next one.
        state.flag = None;
        state.stage = Stage::Preparing("the machine was compiled");
    });
}

/// As [`restart`], but all pieces of work share the time limit.
pub(crate) fn go_on() {
    let began = started();
    restart();
    change(|state| {
        state.watch.since = began.unwrap_or(state.watch.since);
        // Earlier results are still to be reported, so the end comes with [`GRACE`].
        state.stage = Stage::Running;
    });
}

/// Subtracts the time that passed before this process was started from the time limit.
pub(crate) fn has_passed(time: Duration) {
    change(|state| state.watch.since = state.watch.since.checked_sub(time).unwrap_or(state.watch.since));
}

/// The time from which the time limit counts.
pub(crate) fn started() -> Option<Instant> {
    change(|state| state.watch.since)
}

/// Sets the flag of the machine that evaluates from now on.
pub(crate) fn run(flag: &Arc<AtomicBool>) {
    watch(flag);
    stage(Stage::Running);
}

/// As [`restart`], for another evaluation by the same machine: its flag is cleared first.
pub(crate) fn begin(flag: &Arc<AtomicBool>) {
    restart();
    // A signal between these lines is not lost: `watch` raises the flag again.
    flag.store(is_terminated(), Ordering::Relaxed);
    run(flag);
}

/// Continues by walking the found states, with this exit code; only briefly after a limit or a signal.
pub(crate) fn look_back(flag: &Arc<AtomicBool>, exit: Exit) {
    last_call(flag, Stage::LookingBack(exit));
}

/// Continues by drawing with a machine that has this flag; only briefly after a limit or a signal. If the report is written already, the
/// command ends with this code.
pub(crate) fn draw(flag: &Arc<AtomicBool>, exit: Option<Exit>) {
    last_call(flag, Stage::Drawing(exit));
}

/// Continues with a machine that has this flag: after a limit or a signal for [`LAST_CALL`] at most.
fn last_call(flag: &Arc<AtomicBool>, next: Stage) {
    stage(next);
    change(|state| {
        // The flag that stopped the search would stop this work at once; `look` raises it when the time is over.
        flag.store(state.watch.is_last_call_over(Instant::now()), Ordering::Relaxed);
        state.flag = Some(Arc::clone(flag));
    });
}

/// Whether a signal came.
pub(crate) fn happened() -> bool {
    change(|state| state.signalled).unwrap_or(false)
}

/// Whether a signal came that ends the whole command, not only its current work.
pub(crate) fn is_terminated() -> bool {
    change(|state| state.is_terminated).unwrap_or(false)
}

/// Why the work was stopped, if it was, as a sentence without a full stop.
pub(crate) fn reason() -> Option<String> {
    change(|state| state.watch.reason().map(words)).flatten()
}

fn words(hit: &LimitHit) -> String {
    match hit {
        LimitHit::Time(limit) => format!("stopped at --time-limit after {} s", limit.as_secs_f64()),
        LimitHit::Memory(bytes) => format!("stopped at --memory-limit {}", bcheck_report::text::bytes(*bytes)),
        // The watchdog sets only time, memory and signals; the others are limits of a search.
        LimitHit::Interrupted
        | LimitHit::DiskFull
        | LimitHit::DiskLimit(_)
        | LimitHit::States(_)
        | LimitHit::Depth(_)
        | LimitHit::SetUps(_)
        | LimitHit::Runs(_)
        | LimitHit::Enumeration(_)
        | LimitHit::Partial(_)
        | LimitHit::Undecided(_)
        | LimitHit::Assumed(_)
        | LimitHit::Scope => "interrupted".to_owned(),
    }
}

/// The parent process requests the end, as a signal would.
pub(crate) fn asked() {
    arrived(true, false);
}

/// The command that runs this process as one of several requests its end; a signal of the terminal may have done so already.
pub(crate) fn asked_as_well() {
    if !happened() {
        asked();
    }
}

/// Handles a signal that came.
fn signalled(is_termination: bool) {
    arrived(is_termination, true);
}

fn arrived(is_termination: bool, is_shown: bool) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    // The user has waited once already, or the command waits for the user: nothing would be reported.
    if state.signalled || state.stage == Stage::Waiting {
        drop(guard);
        leave(Exit::Interrupted);
    }
    state.signalled = true;
    // In a session Ctrl-C ends one line; a termination request (SIGTERM, SIGHUP) always applies to the whole command.
    state.is_terminated |= is_termination || !state.is_conversation;
    // The first reason counts, also if a limit was reached before the signal.
    state.watch.stop(LimitHit::Interrupted, Instant::now());
    state.raise();
    drop(guard);
    if !is_shown {
        return;
    }
    // On a new line: the terminal shows `^C` within the live line of progress.
    files::complain(&shown!("\ninterrupted: finishing with what was found so far (again to stop at once)\n"));
}

/// Checks limits and clock, and ends the command if its time is up.
fn look(now: Instant) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    if state.is_read() && !state.signalled {
        return;
    }
    state.meet_limits(now);
    let Some((hit, at)) = state.watch.hit.clone() else { return };
    let since = now.saturating_duration_since(at).saturating_sub(writing::time_taken().saturating_sub(state.written));
    let memory = state.memory();
    // First match wins. Arms that return leave the command alone for now; the others fall through to its end below.
    match state.stage {
        // No work polls the flag yet, and there is nothing to report.
        Stage::Preparing(_) => {}
        Stage::Keeping | Stage::Supervising | Stage::Waiting => return,
        // It would continue to take memory until its time is up.
        _ if memory == MemoryUse::Beyond => {}
        Stage::Running | Stage::Searching if since < GRACE => return,
        Stage::LookingBack(_) | Stage::Drawing(_) if since < LAST_CALL && memory == MemoryUse::Within => return,
        Stage::LookingBack(_) | Stage::Drawing(_) if since < GRACE => {
            state.raise();
            return;
        }
        Stage::Reporting if since < GRACE || now.saturating_duration_since(state.entered) < TO_REPORT => return,
        Stage::Running | Stage::Searching | Stage::LookingBack(_) | Stage::Drawing(_) | Stage::Reporting => {}
    }
    // Released before the report is written: that may take until WRITING, and other threads must not wait for the lock.
    let (stage, unfinished) = (state.stage, state.unfinished.take().filter(|_| !writing::has_begun()));
    drop(guard);
    end(stage, &hit, unfinished);
}

/// Memory in use, relative to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryUse {
    /// At most the limit plus half of the allowance for ending, or unknown.
    Within,
    /// More than that.
    Above,
    /// More than the whole allowance for ending.
    Beyond,
}

impl MemoryUse {
    fn of(resident: u64, limit: u64) -> Self {
        let to_end = limit / 10 + OWN_MEMORY;
        match resident.saturating_sub(limit) {
            more if more > to_end => Self::Beyond,
            more if more > to_end / 2 => Self::Above,
            _ => Self::Within,
        }
    }
}

impl State {
    /// Whether results are being written, in stages that are about them: a status file may be written at any time.
    fn is_read(&self) -> bool {
        writing::is_going_on() && matches!(self.stage, Stage::Reporting | Stage::LookingBack(_) | Stage::Drawing(_))
    }

    /// The memory in use; the system is queried only if there is a limit.
    fn memory(&self) -> MemoryUse {
        self.watch.limits.memory_bytes.map_or(MemoryUse::Within, |limit| MemoryUse::of(memory::resident_bytes(), limit))
    }

    /// Whether a limit is exceeded, in stages that are subject to limits.
    fn meet_limits(&mut self, now: Instant) {
        if !matches!(self.stage, Stage::Supervising | Stage::Waiting) && self.watch.look(now, memory::resident_bytes) {
            self.written = writing::time_taken();
            // A search notices by itself, and reports which limit it was; raising the flag would turn that into an interrupt.
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

/// Ends a command that did not end by itself.
fn end(stage: Stage, hit: &LimitHit, unfinished: Option<Unfinished>) -> ! {
    let (doing, exit) = match stage {
        Stage::Preparing(doing) => (doing, None),
        Stage::LookingBack(exit) | Stage::Drawing(Some(exit)) => {
            files::complain(&format!("warning: {}: the outputs besides the report are not finished\n", words(hit)));
            leave(exit);
        }
        Stage::Drawing(None) => ("pictures were drawn", None),
        // Whoever requests the end does not wait for messages about it.
        Stage::Reporting if *hit == LimitHit::Interrupted => ("", Some(Exit::Interrupted)),
        Stage::Reporting => ("the report was made", None),
        // `look` exempts supervising and waiting commands, so they never reach this.
        Stage::Running | Stage::Searching | Stage::Keeping | Stage::Supervising | Stage::Waiting => ("the machine was running", None),
    };
    let hit = hit.clone();
    let report = move || match exit {
        Some(exit) => exit,
        None => match unfinished {
            Some(unfinished) => unfinished(&hit, doing),
            None => say_unfinished(&hit, doing),
        },
    };
    // If the reader of stdout has stopped reading, the write blocks: it is done in a thread that is abandoned after WRITING.
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

/// Prints why a command was ended, and during which activity.
pub(crate) fn say_unfinished(hit: &LimitHit, doing: &str) -> Exit {
    files::complain(&format!("error: {} while {doing}\n", words(hit)));
    Exit::Verdict(Verdict::Incomplete)
}

/// Exits the process, whatever its other threads do.
fn leave(exit: Exit) -> ! {
    crate::io::temporary::remove_all();
    crate::pictures::graphviz::stop_drawing();
    #[cfg(feature = "screen")]
    crate::commands::animate::leave_screen();
    #[cfg(feature = "screen")]
    crate::io::terminal_mode::restore();
    end_at_once(exit)
}

/// Exits the process at once, without closing anything.
pub(crate) fn end_at_once(exit: Exit) -> ! {
    #[cfg(unix)]
    // Like `_exit`: without the exit handlers of the C library, which would destroy data that threads still use.
    signal_hook::low_level::exit(i32::from(exit.code()));
    #[cfg(not(unix))]
    #[allow(clippy::exit, reason = "a command that does not react must be ended")]
    std::process::exit(i32::from(exit.code()))
}

/// Makes a process that runs out of memory or stack exit with the code for that.
pub(crate) fn exit_orderly_when_exhausted() {
    signals::end_on_abort(Exit::Io.code());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_beyond_the_limit_and_the_program_itself_are_borne() {
        let limit = 1 << 30;
        let beyond = |more: u64| MemoryUse::of(limit + more, limit);
        assert_eq!((MemoryUse::of(0, limit), beyond(0), beyond(60 << 20)), (MemoryUse::Within, MemoryUse::Within, MemoryUse::Within));
        assert_eq!((beyond(80 << 20), beyond(130 << 20)), (MemoryUse::Above, MemoryUse::Beyond));
    }
}
