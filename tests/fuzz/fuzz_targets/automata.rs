//! The automaton of any formula accepts the words of which the formula holds by its definition, and that of its negation the others.
//!
//! The bytes decide what formula and words are: a change of one byte is a change of one choice.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../suite/dice.rs"]
#[allow(dead_code, reason = "this target needs single choices only")]
mod dice;
#[path = "../../suite/random_temporal.rs"]
#[allow(dead_code, reason = "this target needs trees only")]
mod random_temporal;

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = random_temporal::automaton_agrees(&mut dice::Dice::of_bytes(bytes)) {
        panic!("{why}");
    }
});
