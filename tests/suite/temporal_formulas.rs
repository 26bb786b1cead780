//! Random temporal formulas: texts are read as they are printed, automata agree with the definition. The same as the fuzz targets
//! `formulas` and `automata`, with seeds instead of a fuzzer.

use crate::damage;
use crate::dice::Dice;
use crate::random_temporal::{automaton_agrees, reads_as_printed, text};
use bcheck::syntax::temporal::Logic;

#[test]
fn random_texts_are_read_as_they_are_printed() {
    let mut read = 0;
    for seed in 0..4_000 {
        let mut dice = Dice::new(seed);
        let logic = *dice.pick(&[Logic::Ltl, Logic::Ltl, Logic::Ctl]);
        let depth = dice.below(5);
        let text = text(&mut dice, logic, depth);
        // What is damaged may still be a formula.
        let text = if dice.once_in(3) { damage::damaged(&text, &mut dice) } else { text };
        match reads_as_printed(logic, &text) {
            Ok(is_formula) => read += usize::from(is_formula),
            Err(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(read > 1_500, "only {read} of the texts are formulas");
}

#[test]
fn automata_of_random_formulas_agree_with_the_definition() {
    for seed in 0..3_000 {
        if let Err(why) = automaton_agrees(&mut Dice::new(seed)) {
            panic!("seed {seed}: {why}");
        }
    }
}
