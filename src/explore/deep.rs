//! Threads with a deep stack: evaluation recurses over formulas, which people or generators may nest deeply.
//!
//! Invariant: a stack has the requested depth, or what the limits of the system allow (`ulimit -v`), with room left for the heap; below
//! [`LEAST`] there is no thread. Address space is only reserved: memory is used when the stack is.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The requested stack size.
const WANTED: usize = 1 << 30;
/// A stack smaller than the usual 8 MiB of a main thread would overflow unexpectedly.
const LEAST: usize = 8 << 20;

/// By how much a stack is smaller than one for which there was no room.
const SMALLER: usize = 16;

/// Starts a thread with the deepest stack that the system allows.
///
/// # Errors
/// When the system starts no thread, or has no room for its stack.
pub fn spawn_deep<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    body: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    // `spawn_scoped` drops a closure that it could not run, so the body is shared with it and available for the next attempt.
    let body = std::sync::Arc::new(Mutex::new(Some(body)));
    let mut stack = WANTED;
    loop {
        let body = std::sync::Arc::clone(&body);
        let run = move || {
            let body = body.lock().unwrap_or_else(PoisonError::into_inner).take();
            body.expect("one thread was started, and its body is run once")()
        };
        match Builder::new().name(name.to_owned()).stack_size(stack).spawn_scoped(scope, run) {
            // The next size is much smaller, because a stack that just fits would leave nothing for the heap.
            Err(_) if stack > LEAST => stack = (stack / SMALLER).max(LEAST),
            started => return started,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_room_for_deep_recursion() {
        fn depth(levels: u32) -> u32 {
            let room = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { depth(levels - 1) + std::hint::black_box(room)[0].min(1) }
        }
        let reached = std::thread::scope(|scope| spawn_deep(scope, "deep", || depth(20_000)).expect("a thread").join());
        assert_eq!(reached.expect("no overflow"), 20_000);
    }
}
