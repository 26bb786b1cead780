//! Automata over the letters of paths: transition-based generalised Büchi acceptance for infinite paths, final states for finite ones.
//!
//! Invariant: each acceptance set is a bit of [`Transition::marks`]; an infinite run is accepting if its transitions carry each mark
//! infinitely often, a finite one if its last state accepts the letter of the last state of the path. Deliberately elsewhere: how a
//! formula is translated (`expand`), how an automaton is reduced (`simplify`), its product with a graph (`product`).

use super::cycles::components;
use super::word::{Letter, Word};

/// A conjunction of propositions and their negations, about a state and the step taken in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Propositions of the state that hold.
    pub(crate) state_true: u64,
    /// Propositions of the state that do not.
    pub(crate) state_false: u64,
    /// Propositions of the step that hold.
    pub(crate) step_true: u64,
    /// Propositions of the step that do not.
    pub(crate) step_false: u64,
}

impl Cube {
    /// Whether a state and the step taken there satisfy it. The end of a finite path is a step without propositions.
    #[must_use]
    pub fn allows(&self, state: u64, step: u64) -> bool {
        state & self.state_true == self.state_true
            && state & self.state_false == 0
            && step & self.step_true == self.step_true
            && step & self.step_false == 0
    }
}

bcheck_source::numbers! {
    /// The number of a state of an automaton.
    pub AutomatonState;
}

/// A transition of an automaton: it reads a state and the step taken there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// The letters that it reads.
    pub reads: Cube,
    /// Its target.
    pub to: AutomatonState,
    /// Its acceptance marks, one bit for each acceptance set.
    pub marks: u64,
}

/// An automaton that accepts the paths on which a formula holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// Its initial states.
    pub initial: Vec<AutomatonState>,
    /// The transitions of each state.
    pub transitions: Vec<Vec<Transition>>,
    /// By state: the letters, of the last state of a finite path, that it accepts. Propositions of steps do not occur.
    pub(crate) accepts_end: Vec<Vec<Cube>>,
    /// The number of acceptance sets, at most 64.
    pub acceptance_sets: u32,
}

impl Automaton {
    /// Whether it accepts a path: by its definition, in time that is good enough for tests and for single paths.
    #[must_use]
    pub fn accepts(&self, word: &Word) -> bool {
        let states = self.transitions.len();
        let node = |position: usize, state: AutomatonState| position * states + state.index();
        // The product with the one path, written out: nothing is shared with `product` and `emptiness`, whose oracle this is.
        let mut edges: Vec<Vec<(u32, u64)>> = vec![Vec::new(); states * word.letters.len()];
        for position in 0..word.letters.len() {
            let Some(next) = word.next(position) else { continue };
            for state in 0..states {
                let allowed =
                    self.transitions[state].iter().filter(|step| step.reads.allows(word.letters[position].state, word.step(position)));
                edges[position * states + state].extend(allowed.map(|step| (index(node(next, step.to)), step.marks)));
            }
        }
        let reached = reached(&edges, self.initial.iter().map(|&state| index(node(0, state))).collect());
        // A finite word is accepted by its end alone: acceptance sets are about infinite runs.
        let last = word.letters.len() - 1;
        if word.back.is_none() {
            let accepts_end = |state: usize| self.accepts_end[state].iter().any(|cube| cube.allows(word.letters[last].state, 0));
            return (0..states).any(|state| reached[last * states + state] && accepts_end(state));
        }
        let successors: Vec<Vec<u32>> = edges.iter().map(|edges| edges.iter().map(|&(to, _)| to).collect()).collect();
        let component = components(&successors);
        let mut marks: Vec<Option<u64>> = vec![None; edges.len()];
        for from in (0..edges.len()).filter(|&from| reached[from]) {
            for &(to, carried) in edges[from].iter().filter(|&&(to, _)| component[from] == component[to as usize]) {
                let marks = &mut marks[component[to as usize] as usize];
                *marks = Some(marks.unwrap_or(0) | carried);
            }
        }
        // A reachable component with all marks has an accepting run: a closed walk through all its edges, repeated forever.
        marks.contains(&Some(self.all_marks()))
    }

    /// Whether it accepts some path that begins with these letters. The step that leaves the last of them is any, or none.
    ///
    /// Each of its states accepts some path, so it is enough to compute the reachable ones.
    #[must_use]
    pub fn may_accept_after(&self, letters: &[Letter]) -> bool {
        let Some((last, before)) = letters.split_last() else { return !self.initial.is_empty() };
        // The subset construction along one word: the states that some run may be in.
        let mut here = vec![false; self.transitions.len()];
        self.initial.iter().for_each(|state| here[state.index()] = true);
        for letter in before {
            let mut next = vec![false; here.len()];
            for (_, row) in here.iter().zip(&self.transitions).filter(|(is_here, _)| **is_here) {
                for transition in row.iter().filter(|transition| transition.reads.allows(letter.state, letter.step)) {
                    next[transition.to.index()] = true;
                }
            }
            here = next;
        }
        // The requirement on the step is ignored: no cube contradicts itself, so some step satisfies it.
        let goes_on = |cube: &Cube| last.state & cube.state_true == cube.state_true && last.state & cube.state_false == 0;
        let rows = self.transitions.iter().zip(&self.accepts_end);
        here.iter().zip(rows).filter(|(is_here, _)| **is_here).any(|(_, (row, ends))| {
            row.iter().any(|transition| goes_on(&transition.reads)) || ends.iter().any(|cube| cube.allows(last.state, 0))
        })
    }

    /// The marks of all acceptance sets.
    #[must_use]
    pub(crate) fn all_marks(&self) -> u64 {
        if self.acceptance_sets >= 64 { u64::MAX } else { (1 << self.acceptance_sets) - 1 }
    }
}

fn index(node: usize) -> u32 {
    u32::try_from(node).expect("a word is short, an automaton has a few thousand states at most")
}

/// Which nodes of a graph can be reached from some.
fn reached(edges: &[Vec<(u32, u64)>], mut open: Vec<u32>) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            open.extend(edges[node as usize].iter().map(|&(to, _)| to));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::automaton;
    use crate::formula::Formula;

    fn may(formula: &Formula, states: &[u64]) -> bool {
        let letters: Vec<Letter> = states.iter().map(|&state| Letter { state, step: 0 }).collect();
        automaton(formula).unwrap().may_accept_after(&letters)
    }

    #[test]
    fn a_beginning_decides_what_every_path_with_it_has_in_common() {
        let p = || Box::new(Formula::State(0));
        let (always, some_time) = (Formula::Globally(p()), Formula::Finally(p()));
        assert!(may(&always, &[1, 1]) && !may(&always, &[1, 0]));
        assert!(may(&some_time, &[0, 0]) && may(&Formula::Not(Box::new(some_time.clone())), &[0, 0]));
        assert!(!may(&Formula::Not(Box::new(some_time)), &[0, 1]));
        // The step that leaves the last state is not known; the ones before are.
        let step = Formula::Step(0);
        assert!(may(&step, &[0]) && may(&Formula::Not(Box::new(step.clone())), &[0]) && !may(&step, &[0, 0]));
    }
}
