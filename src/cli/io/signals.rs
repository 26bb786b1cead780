//! Signals that ask a command to end, polled by the watchdog.
//!
//! Invariant: a signal whose default is to end the process, and that can be caught, is one to terminate; none of them ends a command
//! without its report. Deliberately elsewhere: what a command does then (`interrupt`).

#[cfg(unix)]
pub(crate) use unix::{Signals, end_on_abort};

#[cfg(not(unix))]
pub(crate) use others::{Signals, end_on_abort};

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // SIGPIPE needs no handler: Rust's run-time system ignores it, and writing to a closed pipe is an error of that write. Those of faults
    // of the program, such as SIGSEGV, cannot be handled in order.
    const CAUGHT: [i32; 10] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU];

    /// Signals that have arrived.
    pub(crate) struct Signals(Option<signal_hook::iterator::Signals>);

    impl Signals {
        /// Catches signals from now on. Where they cannot be caught, they end the process as ever.
        pub(crate) fn new() -> Self {
            Self(signal_hook::iterator::Signals::new(CAUGHT).ok())
        }

        /// Reports each signal since the last call, and whether it is meant for the whole command.
        pub(crate) fn arrived(&mut self, signalled: &mut dyn FnMut(bool)) {
            for signal in self.0.iter_mut().flat_map(signal_hook::iterator::Signals::pending) {
                signalled(signal != SIGINT);
            }
        }
    }

    /// Ends the process with this code where the run-time system aborts it, after its own message that memory or the stack is used up.
    pub(crate) fn end_on_abort(code: u8) {
        // Where this fails, the process dies of the signal, and the shell shows 134.
        let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, i32::from(code), Arc::new(AtomicBool::new(true)));
    }
}

#[cfg(not(unix))]
mod others {
    //! Ctrl-C only.

    use std::sync::atomic::{AtomicBool, Ordering};

    static ARRIVED: AtomicBool = AtomicBool::new(false);

    pub(crate) struct Signals;

    impl Signals {
        pub fn new() -> Self {
            // Where it cannot be caught, it ends the process as ever.
            let _ = ctrlc::set_handler(|| ARRIVED.store(true, Ordering::Relaxed));
            Self
        }

        pub(crate) fn arrived(&mut self, signalled: &mut dyn FnMut(bool)) {
            if ARRIVED.swap(false, Ordering::Relaxed) {
                signalled(false);
            }
        }
    }

    pub(crate) fn end_on_abort(_: u8) {}
}
