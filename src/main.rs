//! The `bcheck` program: the allocator that it uses; everything else happens in the library's `cli`.

use bcheck::cli::ProgramAllocator;
use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<mimalloc::MiMalloc> = ProgramAllocator(mimalloc::MiMalloc);

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<std::alloc::System> = ProgramAllocator(std::alloc::System);

fn main() -> ExitCode {
    #[cfg(feature = "mimalloc")]
    return_freed_memory_soon();
    bcheck::cli::run(std::env::args_os())
}

/// Has mimalloc return freed memory to the system after 10 ms, as its version 2 did, instead of a second: until then it counts against
/// `--memory-limit`, and a search beyond memory frees its tables several times a second. MIMALLOC_PURGE_DELAY in the environment wins.
#[cfg(feature = "mimalloc")]
#[allow(unsafe_code, reason = "a C function")]
fn return_freed_memory_soon() {
    /// `mi_option_purge_delay` in mimalloc.h of versions 2 and 3; the bindings have no name for it.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    // SAFETY: not thread-safe, but no other thread runs yet.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, 10) };
}

#[cfg(all(test, feature = "mimalloc", target_os = "linux"))]
mod tests {
    use std::time::Duration;

    fn resident_kibibytes() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("memory in use");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }

    #[test]
    fn freed_memory_is_returned_soon() {
        super::return_freed_memory_soon();
        let tables: Vec<Vec<u8>> = (0..1024).map(|byte| vec![byte as u8 | 1; 1 << 16]).collect();
        let before = resident_kibibytes();
        drop(std::hint::black_box(tables));
        // The allocator looks for memory to return when a block is large enough for pages of its own. What takes longer than a second on
        // a slow machine is returned as well.
        let is_returned = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            drop(std::hint::black_box(vec![1u8; 1 << 22]));
            resident_kibibytes() + (32 << 10) < before
        });
        assert!(is_returned, "{before} kB in use, and still {} kB", resident_kibibytes());
    }
}
