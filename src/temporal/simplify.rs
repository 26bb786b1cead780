//! Smaller automata that accept the same paths.
//!
//! Invariant: each step keeps what is accepted, of finite paths too. Deliberately elsewhere: equal states (`merge`), states that simulate
//! others (`quotient`).

use super::automaton::Automaton;
use super::cycles::components;
use super::merge::{kept_promises, merged, successors, useful};
use super::quotient::{backward_quotient, quotient, with_split_initial, without_implied};
use super::simulation::simulation;

/// Automata with more transitions are not compared by simulation, whose cost is a multiple of the square of their number.
const MOST_TRANSITIONS: usize = 1_000;

/// The automaton after all simplifications, repeated until none finds anything.
pub(super) fn simplified(automaton: Automaton) -> Automaton {
    let mut automaton = merged(useful(automaton));
    loop {
        let size = size(&automaton);
        // What a transition that lies on no cycle keeps is irrelevant: nothing makes more of them equal to smaller ones, everything makes
        // more of them equal to larger ones.
        for irrelevant in [0, u64::MAX] {
            automaton = merged(useful(with_relevant_promises(automaton, irrelevant)));
            // One simulation serves three passes: the numbers of states stay, and a representative simulates all that it replaces.
            if size.1 <= MOST_TRANSITIONS {
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

/// With promises only where they matter: transitions between components keep what is given, those of components where a promise is never
/// kept keep nothing, and promises that are kept wherever another one is are left out.
fn with_relevant_promises(mut automaton: Automaton, irrelevant: u64) -> Automaton {
    // A run stays in one component from some position on: only transitions inside it are taken infinitely often.
    let component = components(&successors(&automaton));
    let kept = kept_promises(&automaton, &component);
    let all = automaton.all_promises();
    let mut inside: Vec<u64> = Vec::new();
    for (from, row) in automaton.transitions.iter_mut().enumerate() {
        for transition in row {
            if component[from] != component[transition.to as usize] {
                transition.kept = irrelevant & all;
                continue;
            }
            if kept[component[from] as usize] != Some(all) {
                transition.kept = 0;
            }
            // Including those that keep nothing any more: without them an automaton with a rejecting component would lose its last promise.
            inside.push(transition.kept);
        }
    }
    let mut needed: Vec<u32> = (0..automaton.promises).collect();
    let has = |kept: u64, promise: u32| kept >> promise & 1 == 1;
    // One at a time: of two promises that imply each other one has to stay.
    for promise in (0..automaton.promises).rev() {
        let is_implied_by = |other: u32| inside.iter().all(|&kept| !has(kept, other) || has(kept, promise));
        let is_implied = needed.iter().any(|&other| other != promise && is_implied_by(other));
        if is_implied || inside.iter().all(|&kept| has(kept, promise)) {
            needed.retain(|&other| other != promise);
        }
    }
    for transition in automaton.transitions.iter_mut().flatten() {
        let kept = transition.kept;
        transition.kept = needed.iter().enumerate().fold(0, |bits, (bit, &promise)| bits | (kept >> promise & 1) << bit);
    }
    automaton.promises = u32::try_from(needed.len()).expect("no more than before");
    automaton
}
