//! Prefetching memory into the cache before it is read: the one place with `unsafe` below the program itself.
//!
//! Invariant: nothing here changes what a program computes. A load instead would stall the processor as soon as its reorder buffer is full;
//! a prefetch retires at once.

/// Prefetches the cache line of a place that will be read soon. A no-op without such an instruction.
#[inline]
#[allow(unsafe_code, reason = "the instruction has no safe form")]
pub(super) fn prefetch<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction is only a hint, valid for any address; it is part of SSE, which every x86-64 processor has.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}
