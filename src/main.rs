//! The `bcheck` program; everything happens in the library's `cli`.

use bcheck::cli::ProgramAllocator;
use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<mimalloc::MiMalloc> = ProgramAllocator(mimalloc::MiMalloc);

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<std::alloc::System> = ProgramAllocator(std::alloc::System);

fn main() -> ExitCode {
    bcheck::cli::run(std::env::args_os())
}
