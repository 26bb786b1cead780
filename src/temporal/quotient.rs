//! Smaller automata by simulation.
//!
//! Invariant: what is accepted stays the same, of finite paths too; the numbers of states stay as well, so that a simulation can be used
//! several times. Deliberately elsewhere: the simulation itself (`simulation`), states that cannot be reached any more (`merge`).

use super::automaton::{Automaton, AutomatonState, Cube, Transition};
use super::cubes::{covers, primes};
use super::merge::{canonical, redirected};
use super::simulation::{Simulation, simulation};
use crate::thresholds::REPLACED_INITIAL;

/// With states that simulate each other merged. The numbers of the states stay.
pub(super) fn quotient(automaton: Automaton, simulation: &Simulation) -> Automaton {
    let mut automaton = redirected(automaton, &simulation.representatives());
    for row in &mut automaton.transitions {
        *row = canonical(row);
    }
    automaton
}

/// Merges states that are reached by the same finite runs: reverse simulation (Somenzi and Bloem, CAV 2000). The rows of merged states are
/// joined: the prefix of a run does not determine which of them it is in.
pub(super) fn backward_quotient(mut automaton: Automaton) -> Automaton {
    let states = automaton.transitions.len();
    let mut reversed = Automaton { transitions: vec![Vec::new(); states], accepts_end: vec![Vec::new(); states], ..Automaton::default() };
    for (from, row) in AutomatonState::all(states).zip(&automaton.transitions) {
        for transition in row {
            // Transitions are reversed with their cube and marks: simulation on the reversed automaton compares the pasts of states.
            reversed.transitions[transition.to.index()].push(Transition { to: from, ..*transition });
        }
    }
    for state in &automaton.initial {
        // A past that begins in an initial state must be answered by one that does.
        reversed.accepts_end[state.index()].push(Cube::ANY);
    }
    // Sound for infinite paths by König's lemma: each prefix of a run of the quotient is matched by a run of the automaton with at least
    // the same marks, and a state has finitely many transitions to choose from.
    let same = simulation(&reversed).representatives();
    for (state, first) in same.iter().map(|first| first.index()).enumerate().filter(|(state, first)| state != first) {
        let row = std::mem::take(&mut automaton.transitions[state]);
        automaton.transitions[first].extend(row);
        let end = std::mem::take(&mut automaton.accepts_end[state]);
        automaton.accepts_end[first].extend(end);
    }
    let mut automaton = redirected(automaton, &same);
    for row in &mut automaton.transitions {
        *row = canonical(row);
    }
    for end in &mut automaton.accepts_end {
        *end = primes(std::mem::take(end));
    }
    automaton
}

/// Replaces initial states that have no incoming transition by states that they simulate, if those read all that it reads.
pub(super) fn with_split_initial(mut automaton: Automaton, simulation: &Simulation) -> Automaton {
    let states = automaton.transitions.len();
    let has_incoming: Vec<bool> =
        (0..states).map(|state| automaton.transitions.iter().flatten().any(|other| other.to.index() == state)).collect();
    for state in automaton.initial.clone() {
        let state = state.index();
        // A state that is entered again stays for the sake of those runs: splitting it would only add initial states.
        if has_incoming[state] {
            continue;
        }
        let mut below: Vec<usize> = (0..states).filter(|&other| other != state && simulation.is_below(other, state)).collect();
        // Letter by letter, as in `simulation`: several states together may read what no single one does.
        let is_covered = |below: &[usize]| {
            let ends: Vec<Cube> = below.iter().flat_map(|&other| automaton.accepts_end[other].iter().copied()).collect();
            let answers = |step: &Transition| {
                let rows = below.iter().flat_map(|&other| &automaton.transitions[other]);
                // A run takes such a step at most once: its marks are irrelevant.
                let better = rows.filter(|other| simulation.is_below(step.to.index(), other.to.index()));
                better.map(|other| other.reads).collect::<Vec<Cube>>()
            };
            automaton.accepts_end[state].iter().all(|end| covers(&ends, end))
                && automaton.transitions[state].iter().all(|step| covers(&answers(step), &step.reads))
        };
        if !is_covered(&below) {
            continue;
        }
        // Not a least set, only one from which nothing can be left out.
        for position in (0..below.len()).rev() {
            let without = [&below[..position], &below[position + 1..]].concat();
            if is_covered(&without) {
                below = without;
            }
        }
        if below.len() <= REPLACED_INITIAL.get() {
            automaton.initial.retain(|other| other.index() != state);
            automaton.initial.extend(below.iter().map(|&other| AutomatonState::at(other)));
        }
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton
}

/// Removes transitions, initial states and ends that others imply: those others read no less, have no fewer marks, and their target
/// simulates the target of the removed one. One at a time, so that of two that imply each other one stays; as simulation is transitive, it
/// stays a simulation when one is removed (Somenzi and Bloem, CAV 2000).
pub(super) fn without_implied(mut automaton: Automaton, simulation: &Simulation) -> Automaton {
    for row in &mut automaton.transitions {
        // From the end, so that removing one does not move those still to be examined.
        let mut position = row.len();
        while position > 0 {
            position -= 1;
            let this = row[position];
            let is_better = |other: &&Transition| this.marks & !other.marks == 0 && simulation.is_below(this.to.index(), other.to.index());
            let others = row.iter().enumerate().filter(|&(other, _)| other != position).map(|(_, transition)| transition);
            let better: Vec<Cube> = others.filter(is_better).map(|other| other.reads).collect();
            if covers(&better, &this.reads) {
                row.remove(position);
            }
        }
    }
    for row in &mut automaton.accepts_end {
        let mut position = row.len();
        while position > 0 {
            position -= 1;
            let this = row.remove(position);
            if !covers(row, &this) {
                row.insert(position, this);
            }
        }
    }
    let mut position = automaton.initial.len();
    while position > 0 {
        position -= 1;
        let this = automaton.initial.remove(position);
        if !automaton.initial.iter().any(|other| simulation.is_below(this.index(), other.index())) {
            automaton.initial.insert(position, this);
        }
    }
    automaton
}
