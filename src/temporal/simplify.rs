//! Smaller automata that accept the same paths.
//!
//! Invariant: each step preserves the accepted paths, finite ones too. Deliberately elsewhere: equal states (`merge`), states that
//! simulate others (`quotient`).

use super::automaton::Automaton;
use super::cycles::components;
use super::merge::{marks_of_components, merged, successors, useful};
use super::quotient::{backward_quotient, quotient, with_split_initial, without_implied};
use super::simulation::simulation;
use crate::thresholds::SIMULATED_TRANSITIONS;

/// The automaton after all simplifications, repeated until none finds anything.
pub(super) fn simplified(automaton: Automaton) -> Automaton {
    let mut automaton = merged(useful(automaton));
    loop {
        let size = size(&automaton);
        // The marks of a transition that lies on no cycle are irrelevant: without any, more of them are simulated by others; with all,
        // more of them simulate others.
        for irrelevant in [0, u64::MAX] {
            automaton = merged(useful(with_relevant_marks(automaton, irrelevant)));
            // One simulation serves three passes: the numbers of states stay, and a representative simulates all that it replaces.
            if size.1 <= SIMULATED_TRANSITIONS.get() {
                let simulation = simulation(&automaton);
                automaton = without_implied(with_split_initial(quotient(automaton, &simulation), &simulation), &simulation);
                automaton = useful(automaton);
                automaton = useful(backward_quotient(automaton));
            }
        }
        // States first, then transitions: the pair falls in each round, so the loop ends.
        if self::size(&automaton) >= size {
            return automaton;
        }
    }
}

/// States and transitions.
fn size(automaton: &Automaton) -> (usize, usize) {
    (automaton.transitions.len(), automaton.transitions.iter().map(Vec::len).sum())
}

/// Removes irrelevant marks: transitions between components get `irrelevant`, those of components that lack a mark get none, and
/// acceptance sets that include another one are removed.
fn with_relevant_marks(mut automaton: Automaton, irrelevant: u64) -> Automaton {
    // A run stays in one component from some position on: only transitions inside it are taken infinitely often.
    let component = components(&successors(&automaton));
    let marks = marks_of_components(&automaton, &component);
    let all = automaton.all_marks();
    let mut inside: Vec<u64> = Vec::new();
    for (from, row) in automaton.transitions.iter_mut().enumerate() {
        for transition in row {
            if component[from] != component[transition.to.index()] {
                transition.marks = irrelevant & all;
                continue;
            }
            if marks[component[from] as usize] != Some(all) {
                transition.marks = 0;
            }
            // Including transitions without marks: without them an automaton with a rejecting component would lose its last acceptance
            // set.
            inside.push(transition.marks);
        }
    }
    let mut needed: Vec<u32> = (0..automaton.acceptance_sets).collect();
    let has = |marks: u64, set: u32| marks >> set & 1 == 1;
    // One at a time: of two acceptance sets that include each other one has to stay.
    for set in (0..automaton.acceptance_sets).rev() {
        let is_implied_by = |other: u32| inside.iter().all(|&marks| !has(marks, other) || has(marks, set));
        let is_implied = needed.iter().any(|&other| other != set && is_implied_by(other));
        if is_implied || inside.iter().all(|&marks| has(marks, set)) {
            needed.retain(|&other| other != set);
        }
    }
    for transition in automaton.transitions.iter_mut().flatten() {
        let marks = transition.marks;
        transition.marks = needed.iter().enumerate().fold(0, |bits, (bit, &set)| bits | (marks >> set & 1) << bit);
    }
    automaton.acceptance_sets = u32::try_from(needed.len()).expect("no more than before");
    automaton
}
