//! Automata against the definition, on random formulas and words.
//!
//! Invariant: seeds are committed. Deliberately elsewhere: normal forms (`rewrite`), sizes (`known`).

use super::random::{Kind, formula, word};
use crate::expand::{TooLarge, automaton};
use crate::formula::Formula;
use crate::thresholds::AUTOMATON_STATES;
use crate::word::holds;
use bcheck_source::SplitMix64;

/// Compares the automata of random formulas and of their negations with the definition.
fn compare(seed: u64, formulas: usize, kind: Kind, operators: usize) {
    let mut random = SplitMix64::new(seed);
    let mut refused = 0;
    for number in 0..formulas {
        let mut formula = formula(&mut random, 1 + number % operators, kind);
        if matches!(kind, Kind::Past) {
            // At the first position, past operators say little.
            formula = match random.below(3) {
                0 => Formula::Globally(Box::new(formula)),
                1 => Formula::Finally(Box::new(formula)),
                _ => Formula::Globally(Box::new(Formula::Finally(Box::new(formula)))),
            };
        }
        let negation = Formula::Not(Box::new(formula.clone()));
        let automata = [automaton(&formula), automaton(&negation)];
        let [Ok(positive), Ok(negative)] = automata else {
            refused += 1;
            continue;
        };
        let ends = [&positive, &negative].into_iter().flat_map(|automaton| automaton.accepts_end.iter().flatten());
        assert!(ends.clone().all(|end| end.step_true | end.step_false == 0), "at the end no step is taken: {formula:?}");
        for _ in 0..8 {
            let word = word(&mut random, 7);
            let expected = holds(&formula, &word);
            assert_eq!(positive.accepts(&word), expected, "{formula:?} on {word:?}: {positive:?}");
            assert_eq!(negative.accepts(&word), !expected, "the negation of {formula:?} on {word:?}: {negative:?}");
        }
    }
    assert!(refused * 1_000 <= formulas, "{refused} formulas of {formulas} are too large");
}

#[test]
fn automata_of_formulas_of_the_future_accept_what_the_definition_says() {
    compare(101, 1_000, Kind::Future, 8);
}

#[test]
fn automata_of_formulas_of_the_past_accept_what_the_definition_says() {
    compare(102, 600, Kind::Past, 8);
}

#[test]
fn automata_of_mixed_formulas_accept_what_the_definition_says() {
    compare(103, 1_000, Kind::Mixed, 8);
}

#[test]
fn formulas_beyond_a_limit_are_refused() {
    let later = |proposition: u8| Formula::Finally(Box::new(Formula::State(proposition)));
    let and = |left: Formula, right: Formula| Formula::And(Box::new(left), Box::new(right));
    let most = (1..8).map(later).fold(later(0), and);
    assert_eq!(automaton(&most).map(|automaton| automaton.transitions.len()), Ok(AUTOMATON_STATES.get()));
    let many = (1..9).map(later).fold(later(0), and);
    assert_eq!(automaton(&many), Err(TooLarge::States(1 << 9)));
    let more = (1..20).map(later).fold(later(0), and);
    assert_eq!(automaton(&more), Err(TooLarge::Sets));
}

#[test]
fn more_rounds_change_nothing() {
    let mut random = SplitMix64::new(11);
    for _ in 0..3_000 {
        let formula = formula(&mut random, 8, Kind::Mixed);
        let word = word(&mut random, 5);
        assert_eq!(holds(&formula, &word), holds(&formula, &word.unrolled(5)), "{formula:?} on {word:?}");
    }
}

#[test]
fn a_refuted_conjunction_about_the_past_remembers_one_conjunct_only() {
    let state = |proposition: u8| Box::new(Formula::State(proposition));
    let answers = |number: u8| {
        let once = Formula::Once(state(2 * number));
        Formula::Globally(Box::new(Formula::Implies(state(2 * number + 1), Box::new(once))))
    };
    let all = (1..30).map(answers).fold(answers(0), |left, right| Formula::And(Box::new(left), Box::new(right)));
    let refuted = automaton(&Formula::Not(Box::new(all))).unwrap();
    assert_eq!((refuted.transitions.len(), refuted.initial.len()), (31, 30));
}
