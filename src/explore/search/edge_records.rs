//! Edge records: what a worker records of the states that it expands, from which the graph is written: letters, and targets of steps.
//!
//! Invariant: a worker expands states in the order of their numbers and offers their successors in that order too, so each list of its
//! records ascends; a state is recorded once all its steps are found and labelled, an interrupted one never: a row is final. Self-loops
//! found by the packed tier are recorded separately, because the successors of states before it may still wait to be offered. Deliberately
//! elsewhere: who writes records (`record_writer`), how they become rows (`recorder`).

use super::rank::state_of;
use crate::number::StateNumber;
use crate::temporal::letters::LetterBit;
use bcheck_eval::{EvalError, Successors};
use bcheck_state::{Offered, Rank, StateId};
use std::iter::repeat_n;

/// A state that was expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedState {
    pub(super) number: StateNumber,
    /// Whether steps may be missing.
    pub(super) is_open: bool,
    pub(super) letter: u64,
}

/// A step, by the number of its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedStep {
    pub(super) from: StateNumber,
    pub(super) to: StateId,
}

/// A step to the state itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedLoop {
    pub(super) number: StateNumber,
    pub(super) letter: u64,
}

/// A proposition that has no value in a state, and why.
#[derive(Clone, Debug)]
pub(super) struct WithoutValue {
    pub(super) number: StateNumber,
    pub(super) proposition: LetterBit,
    pub(super) error: EvalError,
}

/// The records of one worker about one slice.
#[derive(Debug, Default)]
pub(super) struct EdgeRecords {
    pub(super) states: Vec<RecordedState>,
    pub(super) steps: Vec<RecordedStep>,
    /// The letter of each step, if letters of steps are recorded.
    pub(super) letters: Vec<u64>,
    pub(super) loops: Vec<RecordedLoop>,
    /// The first ill-defined body.
    pub(super) ill_defined: Option<(StateNumber, EvalError)>,
    /// Of each proposition the first state.
    pub(super) without_value: Vec<WithoutValue>,
}

impl EdgeRecords {
    /// Clears the lists, keeping their capacity.
    pub(super) fn clear(&mut self) {
        let Self { states, steps, letters, loops, ill_defined, without_value } = self;
        states.clear();
        steps.clear();
        letters.clear();
        loops.clear();
        without_value.clear();
        *ill_defined = None;
    }

    /// Records steps whose successors were offered together, under these ranks. `letters`: from which of them on steps have which letter,
    /// if letters are recorded.
    pub(super) fn offered(&mut self, ranks: &[Rank], offered: &[Offered], letters: &[(usize, u64)]) {
        // Initial states are offered before anything is expanded, and one by one.
        let steps = ranks
            .iter()
            .zip(offered)
            .map(|(rank, offered)| RecordedStep { from: state_of(*rank).unwrap_or_default(), to: StateId(offered.entry) });
        self.steps.extend(steps);
        let ends = letters.iter().skip(1).map(|(start, _)| *start).chain([ranks.len()]);
        for ((start, letter), end) in letters.iter().zip(ends) {
            self.letters.extend(repeat_n(*letter, end - start));
        }
    }

    /// Records an operation whose body may be ill-defined in a state.
    pub(super) fn ran(&mut self, number: StateNumber, successors: &Successors) {
        // The first of a worker is the one in the state with the lowest number, as it expands them in that order.
        if let Some((_, error)) = successors.ill_defined.first() {
            self.ill_defined.get_or_insert_with(|| (number, error.clone()));
        }
    }

    pub(super) fn without(&mut self, number: StateNumber, valued: &[(LetterBit, EvalError)]) {
        for (proposition, error) in valued {
            if self.without_value.iter().all(|known| known.proposition != *proposition) {
                self.without_value.push(WithoutValue { number, proposition: *proposition, error: error.clone() });
            }
        }
    }
}
