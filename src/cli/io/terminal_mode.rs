//! The mode of the terminal before a line editor changed it, in case a signal ends the process meanwhile.
//!
//! Invariant: it is stored only while a line is read. On other systems than Unix the console restores its mode itself.

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
#[cfg(unix)]
use std::io::stdin;
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

#[cfg(unix)]
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Stores the current mode.
pub(crate) fn keep() {
    #[cfg(unix)]
    {
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = tcgetattr(stdin()).ok();
    }
}

/// Discards the stored mode: the editor has restored it.
pub(crate) fn forget() {
    #[cfg(unix)]
    {
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Restores the stored mode, if any.
pub(crate) fn restore() {
    #[cfg(unix)]
    if let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // A terminal that is gone needs no restoring.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}
