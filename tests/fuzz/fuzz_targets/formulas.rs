//! Any text is read as a temporal formula of both logics, or refused: no panic, no hang; what is read is printed so that it is read the same.

#![no_main]

use bcheck::syntax::temporal::Logic;
use libfuzzer_sys::fuzz_target;

#[path = "../../suite/dice.rs"]
#[allow(dead_code, reason = "this target takes its texts from the fuzzer")]
mod dice;
#[path = "../../suite/random_temporal.rs"]
#[allow(dead_code, reason = "this target takes its texts from the fuzzer")]
mod random_temporal;

fuzz_target!(|text: &str| {
    for logic in [Logic::Ltl, Logic::Ctl] {
        if let Err(why) = random_temporal::reads_as_printed(logic, text) {
            panic!("{why}");
        }
    }
});
