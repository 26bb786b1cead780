//! Ctrl-C and termination signals: the first asks the search to stop and report what it has, the second ends the process.
//!
//! Invariant: the handler only sets a flag that every evaluation looks at; nothing is lost but time.

use super::exit::Exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The flag of the machine that runs now, and whether a signal came before there was one.
struct State {
    flag: Option<Arc<AtomicBool>>,
    signalled: bool,
}

static STATE: OnceLock<Mutex<State>> = OnceLock::new();

fn state() -> &'static Mutex<State> {
    STATE.get_or_init(|| Mutex::new(State { flag: None, signalled: false }))
}

/// Installs the handler; harmless when it is there already.
pub(super) fn install() {
    // The only error is "already installed", or a system without signals: then Ctrl-C just ends the process.
    let _ = ctrlc::set_handler(|| {
        let Ok(mut state) = state().lock() else { return };
        if state.signalled {
            #[allow(clippy::exit, reason = "the second signal must end a program that does not react to the first")]
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        state.signalled = true;
        if let Some(flag) = &state.flag {
            flag.store(true, Ordering::Relaxed);
        }
        drop(state);
        super::files::complain(&crate::source::shown!("\ninterrupted: finishing with what was found so far (again to stop at once)\n"));
    });
}

/// Tells the handler which flag to set; sets it at once if the signal came before.
pub(super) fn watch(flag: &Arc<AtomicBool>) {
    if let Ok(mut state) = state().lock() {
        if state.signalled {
            flag.store(true, Ordering::Relaxed);
        }
        state.flag = Some(Arc::clone(flag));
    }
}

/// As [`watch`], for the next of several pieces of work: a signal during one before does not count.
pub(super) fn begin(flag: &Arc<AtomicBool>) {
    if let Ok(mut state) = state().lock() {
        state.signalled = false;
        state.flag = Some(Arc::clone(flag));
    }
}

/// Lets a machine go on after a search that a limit stopped, but not after a signal.
pub(super) fn resume(flag: &AtomicBool) {
    if !happened() {
        flag.store(false, Ordering::Relaxed);
    }
}

/// Whether a signal came.
pub(super) fn happened() -> bool {
    state().lock().is_ok_and(|state| state.signalled)
}
