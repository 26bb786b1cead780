//! Signals that ask a command to end, polled by the watchdog.
//!
//! Invariant: every catchable signal that ends the process by default is a request to terminate; none of them ends a command without its
//! report. Deliberately elsewhere: what a command does then (`interrupt`).

#[cfg(unix)]
pub(crate) use unix::{Signals, end_on_abort};

#[cfg(not(unix))]
pub(crate) use others::{Signals, end_on_abort};

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // SIGPIPE needs no handler: Rust's runtime ignores it, and writing to a closed pipe is an error of that write. Signals of program
    // faults, such as SIGSEGV, cannot be handled reliably.
    const CAUGHT: [i32; 10] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU];

    /// Signals that have arrived.
    pub(crate) struct Signals(Option<signal_hook::iterator::Signals>);

    impl Signals {
        /// Catches signals from now on. If they cannot be caught, they end the process by default.
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

    /// Exits the process with this code if the runtime aborts it, after its own message that memory or the stack is exhausted.
    pub(crate) fn end_on_abort(code: u8) {
        // If this fails, the signal kills the process, and the shell shows 134.
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
            // If it cannot be caught, it ends the process by default.
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
