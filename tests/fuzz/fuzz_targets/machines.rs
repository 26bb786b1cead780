//! Any random machine has the same verdict and counts in every mode, tier, order, and when it is written in another way.
//!
//! The bytes decide what the machine is: a change of one byte is a change of one choice.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../suite/dice.rs"]
mod dice;
#[path = "../../suite/random_machine/mod.rs"]
mod random_machine;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = dice::Dice::of_bytes(bytes);
    let text = random_machine::machine(&mut dice);
    // What follows is decided by the machine alone, so that the text is enough to see a finding again.
    if let Err(why) = random_machine::comparison::agreement(&text, &mut dice) {
        panic!("{why}\n{text}");
    }
    if dice.once_in(8)
        && let Err(why) = random_machine::refinement::refinements(&text, &mut dice)
    {
        panic!("{why}\n{text}");
    }
});
