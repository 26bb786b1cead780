//! Direct simulation: which states can answer each step of another state by one that keeps no less.
//!
//! Invariant: a state accepts all that a state accepts which is below it. Deliberately elsewhere: what is done with it (`simplify`).

use super::automaton::{Automaton, Cube};
use super::cubes::covers;

/// Which state is below which.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    is_below: Vec<Vec<bool>>,
}

impl Simulation {
    /// Whether the second state simulates the first.
    pub(super) fn is_below(&self, state: usize, other: usize) -> bool {
        self.is_below[state][other]
    }

    /// By state: the first one of those that it simulates and that simulate it.
    pub(super) fn representatives(&self) -> Vec<u32> {
        let first = |state: usize| (0..state).find(|&other| self.is_below(state, other) && self.is_below(other, state)).unwrap_or(state);
        (0..self.is_below.len()).map(|state| u32::try_from(first(state)).expect("the number of a state")).collect()
    }
}

/// The largest direct simulation. An answer may need several transitions: for each letter of a step one of them.
pub(super) fn simulation(automaton: &Automaton) -> Simulation {
    let states = automaton.transitions.len();
    let ends = |state: usize, other: usize| automaton.accepts_end[state].iter().all(|cube| covers(&automaton.accepts_end[other], cube));
    let is_below = (0..states).map(|state| (0..states).map(|other| ends(state, other)).collect()).collect();
    let mut simulation = Simulation { is_below };
    loop {
        let mut has_changed = false;
        for state in 0..states {
            for other in 0..states {
                if simulation.is_below[state][other] && !answers(automaton, &simulation, state, other) {
                    simulation.is_below[state][other] = false;
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return simulation;
        }
    }
}

/// Whether the second state can answer every step of the first, if what is below what is as found so far.
fn answers(automaton: &Automaton, simulation: &Simulation, state: usize, other: usize) -> bool {
    state == other
        || automaton.transitions[state].iter().all(|step| {
            let answers = automaton.transitions[other]
                .iter()
                .filter(|answer| step.kept & !answer.kept == 0 && simulation.is_below(step.to as usize, answer.to as usize));
            covers(&answers.map(|answer| answer.reads).collect::<Vec<Cube>>(), &step.reads)
        })
}
