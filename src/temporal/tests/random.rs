//! Random formulas and words for tests.
//!
//! Invariant: what is made depends on the random numbers only. Deliberately elsewhere: what is tested with them.

use crate::formula::Formula;
use crate::word::{Letter, Word};
use bcheck_source::SplitMix64;

/// Which operators a formula may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// None of the past.
    Future,
    /// None of the future.
    Past,
    /// All.
    Mixed,
}

/// A formula with at most this number of operators.
pub(crate) fn formula(random: &mut SplitMix64, operators: usize, kind: Kind) -> Formula {
    if operators == 0 {
        return match random.below(10) {
            0 => Formula::True,
            1 => Formula::False,
            2..=7 => Formula::State(u8::try_from(random.below(2)).expect("0 or 1")),
            _ => Formula::Step(0),
        };
    }
    let is_past = match kind {
        Kind::Future => false,
        Kind::Past => true,
        Kind::Mixed => random.below(2) == 0,
    };
    let operator = random.below(11);
    if matches!(operator, 0 | 4..=7) {
        let argument = Box::new(formula(random, operators - 1, kind));
        return match (operator, is_past) {
            (4 | 5, false) => Formula::Next(argument),
            (6, false) => Formula::Globally(argument),
            (7, false) => Formula::Finally(argument),
            (4 | 5, true) => Formula::Yesterday(argument),
            (6, true) => Formula::Historically(argument),
            (7, true) => Formula::Once(argument),
            _ => Formula::Not(argument),
        };
    }
    let left = random.below(operators);
    let mut part = |operators: usize| Box::new(formula(random, operators, kind));
    let (first, second) = (part(left), part(operators - 1 - left));
    match (operator, is_past) {
        (1, _) => Formula::And(first, second),
        (2, _) => Formula::Or(first, second),
        (3, _) if random.below(2) == 0 => Formula::Implies(first, second),
        (3, _) => Formula::Equivalent(first, second),
        (8, false) => Formula::Until(first, second),
        (9, false) => Formula::WeakUntil(first, second),
        (_, false) => Formula::Release(first, second),
        (8 | 9, true) => Formula::Since(first, second),
        (_, true) => Formula::Trigger(first, second),
    }
}

/// A word of at most this length; two of three have a loop.
pub(crate) fn word(random: &mut SplitMix64, length: usize) -> Word {
    let length = 1 + random.below(length);
    let letters = (0..length).map(|_| Letter { state: random.word() & 3, step: random.word() & 1 }).collect();
    let back = (random.below(3) > 0).then(|| random.below(length));
    Word { letters, back }
}
