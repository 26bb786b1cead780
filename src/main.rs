//! The `bcheck` program; everything happens in the library's `cli`.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Formulas nest as deep as people (or their generators) write them; the stack is reserved, not used, until then.
const STACK_BYTES: usize = 1 << 30;

fn main() -> ExitCode {
    let program =
        std::thread::Builder::new().name("bcheck".to_owned()).stack_size(STACK_BYTES).spawn(|| bcheck::cli::run(std::env::args_os()));
    match program.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic has been printed already.
        Ok(Err(_)) => bcheck::cli::exit_code_of_a_bug(),
        // Systems that cannot reserve so much address space get the usual stack.
        Err(_) => bcheck::cli::run(std::env::args_os()),
    }
}
