//! The `bcheck` program; everything happens in the library's `cli`.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bcheck::cli::run(std::env::args_os())
}
