//! The mode of the terminal before a line editor changed it, for the case that a signal ends the process meanwhile.
//!
//! Invariant: it is kept only while a line is read. Elsewhere than on Unix a console gets its mode back from the system.

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
#[cfg(unix)]
use std::io::stdin;
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

#[cfg(unix)]
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Keeps the present mode.
pub(crate) fn keep() {
    #[cfg(unix)]
    {
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = tcgetattr(stdin()).ok();
    }
}

/// The editor has given it back by itself.
pub(crate) fn forget() {
    #[cfg(unix)]
    {
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Gives the terminal back the mode that was kept, if one is.
pub(crate) fn restore() {
    #[cfg(unix)]
    if let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // A terminal that has gone needs nothing.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}
