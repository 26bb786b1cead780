//! The allocator of the program: if the system grants no more memory, the process exits with a message and the exit code for that.
//!
//! Rust's default handler aborts; before `main`, no signal handler can turn that into an exit code. With RUST_BACKTRACE it prints a
//! backtrace, which allocates, and deadlocks if the failure occurred within a backtrace. And a library that returns an error for a null
//! pointer may unwrap it and panic. Invariant: no caller gets a null pointer, and handling the failure allocates nothing. Deliberately
//! elsewhere: limits that end a search in time, with its findings (`memory`).

use crate::exit::Exit;
use crate::io::interrupt::end_at_once;
use std::alloc::{GlobalAlloc, Layout};
use std::io::{Write as _, stderr};

const MESSAGE: &[u8] =
    b"error: out of memory: the system, or a limit (ulimit -v), allows no more; with --memory-limit a search ends earlier, with a report\n";

/// An allocator that exits the process where the inner one returns null.
#[derive(Debug)]
pub struct ProgramAllocator<A>(pub A);

#[allow(unsafe_code, reason = "an allocator has no safe form")]
// SAFETY: every call is forwarded unchanged, and every pointer returned is the inner allocator's.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ProgramAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract.
        present(unsafe { self.0.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        present(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        present(unsafe { self.0.realloc(pointer, layout, size) })
    }
}

#[inline]
fn present(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        exhausted()
    }
    pointer
}

/// Exits the process. Temporary files stay, under names that explain them: removing them may need memory, or a lock that this thread holds.
#[cold]
fn exhausted() -> ! {
    // Stderr is unbuffered, so writing allocates nothing, and its lock is reentrant. A write error is ignored: it cannot be reported.
    let _ = stderr().write_all(MESSAGE);
    end_at_once(Exit::Io)
}
