//! The allocator of the program: where the system gives no more memory, the process ends with a message and the exit code for that.
//!
//! Rust's own answer is no use here. It aborts; before `main` nothing can turn that into an exit code. It prints a backtrace if one is
//! asked for, which allocates, and can wait for ever for a lock that its own thread holds. And a library that takes a null pointer for an
//! error panics. Invariant: no caller gets a null pointer, and what happens instead allocates nothing. Deliberately elsewhere: limits that
//! end a search in time, with what was found (`memory`).

use super::exit::Exit;
use super::interrupt::end_at_once;
use std::alloc::{GlobalAlloc, Layout};
use std::io::{Write as _, stderr};

const MESSAGE: &[u8] =
    b"error: out of memory: the system, or a limit (ulimit -v), allows no more; with --memory-limit a search ends before, with a report\n";

/// An allocator that ends the process where another one has no memory.
#[derive(Debug)]
pub struct ProgramAllocator<A>(pub A);

#[allow(unsafe_code, reason = "an allocator has no safe form")]
// SAFETY: every call is handed on as it is, and every pointer that is returned is the inner allocator's.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ProgramAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
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

/// Ends the process. Temporary files stay, under names that explain them: to remove them may take memory, or a lock that this thread holds.
#[cold]
fn exhausted() -> ! {
    // Standard error has no buffer, and its lock may be taken again by the thread that holds it. Nobody is told where that fails.
    let _ = stderr().write_all(MESSAGE);
    end_at_once(Exit::Io)
}
