//! Automata without states that are useless, or equal to others.
//!
//! Invariant: what is accepted stays the same, of finite paths too. Deliberately elsewhere: states that are not equal but simulate each
//! other (`quotient`).

use super::automaton::{Automaton, AutomatonState, Cube, Transition};
use super::cubes::primes;
use super::cycles::components;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, VecDeque};

/// Represents the state itself as the target of its own transition.
const ITSELF: AutomatonState = AutomatonState::new(u32::MAX);

/// By state, the targets of its transitions.
pub(super) fn successors(automaton: &Automaton) -> Vec<Vec<u32>> {
    automaton.transitions.iter().map(|row| row.iter().map(|transition| transition.to.number()).collect()).collect()
}

/// By component, the union of the marks of its transitions; `None` if it has no transition.
pub(super) fn marks_of_components(automaton: &Automaton, component: &[u32]) -> Vec<Option<u64>> {
    let mut marks = vec![None; automaton.transitions.len()];
    for (from, row) in automaton.transitions.iter().enumerate() {
        // Only transitions inside a component can be taken infinitely often.
        for transition in row.iter().filter(|transition| component[transition.to.index()] == component[from]) {
            let marks = &mut marks[component[from] as usize];
            // A component without inner transitions stays `None`: as `Some(0)` it would be accepting if there are no acceptance sets.
            *marks = Some(marks.unwrap_or(0) | transition.marks);
        }
    }
    marks
}

/// Without the states that cannot be reached, or from which nothing is accepted.
pub(super) fn useful(automaton: Automaton) -> Automaton {
    let component = components(&successors(&automaton));
    let marks = marks_of_components(&automaton, &component);
    let all = automaton.all_marks();
    // In the order of components, so that the targets of transitions come before their sources.
    let mut in_order: Vec<usize> = (0..component.len()).collect();
    in_order.sort_by_key(|&state| component[state]);
    let mut is_good: Vec<bool> = marks.iter().map(|&marks| marks == Some(all)).collect();
    for state in in_order {
        // Ends count: a state from which no infinite path is accepted may still accept finite ones.
        let accepts = !automaton.accepts_end[state].is_empty();
        let leads_on = |transition: &Transition| is_good[component[transition.to.index()] as usize];
        if accepts || automaton.transitions[state].iter().any(leads_on) {
            // Of the whole component: its states reach each other, so all of them reach an accepting one.
            is_good[component[state] as usize] = true;
        }
    }
    let is_useful = |state: AutomatonState| is_good[component[state.index()] as usize];
    let initial: Vec<AutomatonState> = automaton.initial.iter().copied().filter(|&state| is_useful(state)).collect();
    let mut order: Vec<AutomatonState> = Vec::new();
    let mut numbers: FxHashMap<AutomatonState, AutomatonState> = FxHashMap::default();
    let mut open: VecDeque<AutomatonState> = initial.iter().copied().collect();
    while let Some(state) = open.pop_front() {
        let number = AutomatonState::at(order.len());
        if let Entry::Vacant(entry) = numbers.entry(state) {
            entry.insert(number);
            order.push(state);
            // Breadth first from the initial states: numbers depend on the automaton as read, not on how it was built.
            open.extend(automaton.transitions[state.index()].iter().map(|transition| transition.to).filter(|&to| is_useful(to)));
        }
    }
    let row = |state: &AutomatonState| {
        let row = automaton.transitions[state.index()].iter().filter(|transition| is_useful(transition.to));
        row.map(|transition| Transition { to: numbers[&transition.to], ..*transition }).collect()
    };
    Automaton {
        initial: initial.iter().map(|state| numbers[state]).collect(),
        transitions: order.iter().map(row).collect(),
        accepts_end: order.iter().map(|state| automaton.accepts_end[state.index()].clone()).collect(),
        acceptance_sets: automaton.acceptance_sets,
    }
}

/// With states that have equal rows merged, and rows in order, each with as few cubes as their prime implicants allow.
pub(crate) fn merged(mut automaton: Automaton) -> Automaton {
    loop {
        for row in &mut automaton.transitions {
            *row = canonical(row);
        }
        // One round of partition refinement from below: merging targets makes more rows equal, so it is repeated until no two are.
        let mut first_with: FxHashMap<(Vec<Transition>, Vec<Cube>), AutomatonState> = FxHashMap::default();
        let rows = automaton.transitions.iter().zip(&automaton.accepts_end);
        let same: Vec<AutomatonState> = AutomatonState::all(automaton.transitions.len())
            .zip(rows)
            .map(|(state, (row, end))| {
                // Where a transition leads back to its own state, equal rows do so too.
                let row = row
                    .iter()
                    .map(|transition| Transition { to: if transition.to == state { ITSELF } else { transition.to }, ..*transition });
                let mut row: Vec<Transition> = row.collect();
                row.sort_unstable();
                // States that agree up to the name of their own self-loops are bisimilar.
                *first_with.entry((row, end.clone())).or_insert(state)
            })
            .collect();
        if AutomatonState::all(same.len()).eq(same.iter().copied()) {
            return automaton;
        }
        automaton = useful(redirected(automaton, &same));
    }
}

/// A row with prime implicants, in order.
pub(super) fn canonical(row: &[Transition]) -> Vec<Transition> {
    let mut cubes: BTreeMap<(AutomatonState, u64), Vec<Cube>> = BTreeMap::new();
    for transition in row {
        cubes.entry((transition.to, transition.marks)).or_default().push(transition.reads);
    }
    let transitions = |((to, marks), cubes)| primes(cubes).into_iter().map(move |reads| Transition { reads, to, marks });
    cubes.into_iter().flat_map(transitions).collect()
}

/// Replaces each state by another one that accepts the same; the rows of replaced states stay, unused.
pub(super) fn redirected(mut automaton: Automaton, same: &[AutomatonState]) -> Automaton {
    for state in &mut automaton.initial {
        *state = same[state.index()];
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    for transition in automaton.transitions.iter_mut().flatten() {
        transition.to = same[transition.to.index()];
    }
    automaton
}
