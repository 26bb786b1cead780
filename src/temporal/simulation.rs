//! Direct simulation: a state simulates another one if it can match each of its transitions by one with at least the same marks.
//!
//! Invariant: the language of a state includes those of the states that it simulates, of finite paths too. Deliberately elsewhere: how it
//! is used (`simplify`, `quotient`).

use super::automaton::{Automaton, AutomatonState, Cube};
use super::cubes::covers;

/// Which state is below which, that is, is simulated by it.
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
    pub(super) fn representatives(&self) -> Vec<AutomatonState> {
        let first = |state: usize| (0..state).find(|&other| self.is_below(state, other) && self.is_below(other, state)).unwrap_or(state);
        (0..self.is_below.len()).map(|state| AutomatonState::at(first(state))).collect()
    }
}

/// The largest direct simulation. An answer may need several transitions: for each letter of a step one of them.
pub(super) fn simulation(automaton: &Automaton) -> Simulation {
    let states = automaton.transitions.len();
    // Ends are compared once: they do not depend on other pairs.
    let ends = |state: usize, other: usize| automaton.accepts_end[state].iter().all(|cube| covers(&automaton.accepts_end[other], cube));
    let is_below = (0..states).map(|state| (0..states).map(|other| ends(state, other)).collect()).collect();
    let mut simulation = Simulation { is_below };
    loop {
        let mut has_changed = false;
        for state in 0..states {
            for other in 0..states {
                if simulation.is_below[state][other] && !answers(automaton, &simulation, state, other) {
                    // The greatest fixed point, from above. A pair that is removed at once saves rounds, and the result does not depend on
                    // the order.
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

/// Whether the second state can answer every step of the first, given the simulation found so far.
fn answers(automaton: &Automaton, simulation: &Simulation, state: usize, other: usize) -> bool {
    state == other
        || automaton.transitions[state].iter().all(|step| {
            let answers = automaton.transitions[other]
                .iter()
                .filter(|answer| step.marks & !answer.marks == 0 && simulation.is_below(step.to.index(), answer.to.index()));
            // Letter by letter: cubes of the other state need not be those of this one, together they must include them.
            covers(&answers.map(|answer| answer.reads).collect::<Vec<Cube>>(), &step.reads)
        })
}
