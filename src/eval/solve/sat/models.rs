//! The search for the next model, with restarts, and the exclusion of models that have been found.
//!
//! Invariant: every assignment of the inputs that satisfies all clauses is found exactly once, in an order that depends on the clauses
//! alone. A first number of models is excluded by blocking clauses, the others by chronological backtracking; T. Toda and T. Soh,
//! *Implementing Efficient All Solutions SAT Solvers*, 2016, compare the two. Where models are many, conflicts are near, so nothing is
//! learned from them then, unless they follow each other without a model. Deliberately elsewhere: conflict analysis (`conflict`), which
//! input is decided next (`heuristics`).

use super::conflict::Implications;
use super::{Conflict, Level, Lit, Propagated, Reason, Solver};
use crate::thresholds::{BLOCKED_MODELS, DEAD_ENDS, LEARNED_CLAUSES_OF_MANY, RESTART_UNIT};

/// The policy of the search: when it restarts, and how models are excluded.
pub(super) struct Enumeration {
    /// Conflicts before the first restart.
    restart_unit: u64,
    /// How many more models are excluded by a blocking clause each.
    blocking: u32,
    /// Conflicts since the last model that taught nothing, and after how many of them conflicts are analysed.
    dead_ends: u32,
    most_dead_ends: u32,
    /// Chronological backtracking bound: decisions up to this level are flipped in order and never undone otherwise, since models below
    /// them were enumerated without blocking clauses.
    ordered: Level,
}

impl Enumeration {
    pub(super) fn new() -> Self {
        Enumeration {
            restart_unit: RESTART_UNIT.get(),
            blocking: BLOCKED_MODELS.get(),
            dead_ends: 0,
            most_dead_ends: DEAD_ENDS.get(),
            ordered: Level::default(),
        }
    }

    /// Whether nothing is learned from a conflict at this level. At level `ordered` it follows from no clause that no model is left,
    /// because models found below were not excluded by one; elsewhere a clause may not be worth its while.
    fn is_dead_end(&self, level: Level) -> bool {
        level == self.ordered || (self.blocking == 0 && self.dead_ends < self.most_dead_ends)
    }
}

impl Solver {
    /// Continues to the next model; false when there is none. `tick` is called at each conflict and decision.
    ///
    /// A model is reported without undoing the trail: `block` must exclude it before the search continues.
    pub(in crate::solve) fn next_model<E>(&mut self, tick: &mut dyn FnMut() -> Result<(), E>) -> Result<bool, E> {
        let (mut conflicts, mut round) = (0, 1);
        if self.contradictory {
            return Ok(false);
        }
        loop {
            tick()?;
            let before = self.assignment.trail.propagated();
            let propagated = self.propagate();
            self.counts.propagations += u64::from(self.assignment.trail.propagated().since(before));
            match propagated {
                Propagated::Partly => {}
                Propagated::UpTo(_) if self.assignment.trail.is_at_root() => {
                    self.contradictory = true;
                    return Ok(false);
                }
                // Under the decisions up to here no model is left.
                Propagated::UpTo(_) if self.enumeration.is_dead_end(self.assignment.trail.level()) => {
                    self.counts.conflicts += 1;
                    self.enumeration.dead_ends = self.enumeration.dead_ends.saturating_add(1);
                    self.turn();
                }
                Propagated::UpTo(conflict) => {
                    conflicts += 1;
                    self.counts.conflicts += 1;
                    self.learn_from(conflict);
                }
                Propagated::Completely if conflicts >= self.enumeration.restart_unit * luby(round) => {
                    // A restart keeps the ordered levels. The trail is propagated completely there, as forgetting requires, and few learned
                    // clauses are reasons.
                    conflicts = 0;
                    round += 1;
                    self.counts.restarts += 1;
                    self.assignment.backtrack(self.enumeration.ordered, &mut self.heuristics);
                    self.forget();
                }
                Propagated::Completely => {
                    // With all inputs assigned and no clause false, propagation has determined the other variables.
                    let Some(literal) = self.next_decision() else {
                        self.enumeration.dead_ends = 0;
                        self.forget();
                        return Ok(true);
                    };
                    self.counts.decisions += 1;
                    self.assignment.decide(literal);
                }
            }
        }
    }

    /// Learns a clause from a conflict, and goes back to where it is unit.
    fn learn_from(&mut self, conflict: Conflict) {
        let from = Implications { assignment: &self.assignment, clauses: &self.clauses, constraints: &self.constraints };
        let (learned, level) = self.analysis.analyse(conflict, from, &mut self.heuristics);
        // Farther back, a flipped decision would be undone and its models found again.
        self.assignment.backtrack(level.max(self.enumeration.ordered), &mut self.heuristics);
        self.learn(learned, true);
    }

    /// Adds a clause of which all literals but the first are false, and assigns that at the current level.
    ///
    /// Where chronological backtracking has kept the search above the level at which the clause is unit, the assignment is lost with
    /// the current level. The clause is only missed as a source of propagation then: it is visited when its first literal becomes false.
    fn learn(&mut self, literals: Vec<Lit>, learned: bool) {
        let consequence = literals[0];
        // Such a clause is not stored, and above level 0 it has to be learned again.
        let reason = match literals.len() {
            1 => Reason::None,
            _ => Reason::Clause(self.clauses.attach(literals, learned, &self.assignment.trail)),
        };
        self.assignment.assign(consequence, reason);
    }

    /// Forgets learned clauses if there are too many.
    fn forget(&mut self) {
        if self.clauses.is_full() {
            self.clauses.forget(&mut self.assignment.trail);
        }
    }

    /// A literal of the smallest choice where blocking clauses are used up (first-fail), else an unassigned literal of an input; when there
    /// is none, one that halves the range of an integer.
    fn next_decision(&mut self) -> Option<Lit> {
        let trail = &self.assignment.trail;
        if self.enumeration.blocking == 0
            && let Some(literal) = self.heuristics.smallest_choice(trail)
        {
            return Some(literal);
        }
        if let Some(literal) = self.heuristics.next_input(trail) {
            return Some(literal);
        }
        let variable = self.assignment.integers.open()?;
        let [least, greatest] = self.assignment.integers.range(variable).map(i128::from);
        let middle = (least + greatest).div_euclid(2);
        // Rounded down, so less than the greatest.
        Some(self.at_most(variable, i64::try_from(middle).expect("between two numbers of 64 bits")))
    }

    /// Excludes the model just found: the last decision becomes a consequence of the others.
    ///
    /// The decisions imply all other literals of the model, so a clause of their negations excludes nothing else.
    pub(in crate::solve) fn block(&mut self) {
        let Some(level) = self.assignment.trail.level().below() else {
            // A model without a decision is the only one left.
            self.contradictory = true;
            return;
        };
        if self.enumeration.blocking == 0 {
            return self.turn();
        }
        self.enumeration.blocking -= 1;
        if self.enumeration.blocking == 0 {
            self.clauses.keep(LEARNED_CLAUSES_OF_MANY.get());
        }
        // The last decision first, as the consequence, then the one before it: the two literals that are unassigned first are watched.
        let literals: Vec<Lit> = self.assignment.trail.decisions().rev().map(|decision| !decision).collect();
        self.assignment.backtrack(level, &mut self.heuristics);
        self.learn(literals, false);
    }

    /// Flips the last decision after its subtree has been enumerated.
    ///
    /// After M. Gebser, B. Kaufmann, A. Neumann and T. Schaub, *Conflict-Driven Answer Set Enumeration*, LPNMR 2007: nothing is learned
    /// from it, and no conflict goes back behind it. The flipped literal has no reason, but its level is at most `ordered`, where no
    /// conflict is analysed.
    fn turn(&mut self) {
        let decision = self.assignment.trail.decisions().next_back().expect("there is a decision");
        let level = self.assignment.trail.level().below().expect("it has opened a level");
        self.assignment.backtrack(level, &mut self.heuristics);
        self.assignment.assign(!decision, Reason::None);
        self.enumeration.ordered = level;
    }

    /// A solver that restarts after each conflict and forgets all learned clauses then. It excludes a number of models by clauses; from
    /// then on a number of conflicts in a row is not analysed.
    #[cfg(test)]
    pub(super) fn of_many_restarts([blocking, most_dead_ends]: [u32; 2]) -> Self {
        let mut solver = Solver::new();
        solver.enumeration = Enumeration { blocking, most_dead_ends, restart_unit: 1, ..Enumeration::new() };
        solver.clauses.keep(0);
        solver
    }
}

/// The sequence 1 1 2 1 1 2 4 …, from 1: how long to search between restarts, after M. Luby, A. Sinclair and D. Zuckerman (1993).
fn luby(mut at: u64) -> u64 {
    loop {
        // The prefix of length 2^k - 1 is twice the prefix of half the length (rounded down), then 2^(k-1).
        let size = (at + 1).next_power_of_two();
        if size == at + 1 {
            return size / 2;
        }
        at -= size / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All models, in the order of their discovery. The first `blocking` of them are excluded by clauses; from then on `most_dead_ends`
    /// conflicts in a row are not analysed. Exactly one input of each choice is true.
    fn models(inputs: usize, clauses: &[Vec<(usize, bool)>], choices: &[(usize, usize)], limits: [u32; 2]) -> Vec<Vec<bool>> {
        let mut solver = Solver::of_many_restarts(limits);
        let names: Vec<Lit> = (0..inputs).map(|at| solver.input(at % 2 == 0)).collect();
        for &(from, to) in choices {
            solver.choice(Lit::TRUE, &names[from..to]);
            for clause in one_of(from, to) {
                solver.clause(clause.iter().map(|&(at, positive)| if positive { names[at] } else { !names[at] }).collect());
            }
        }
        for clause in clauses {
            solver.clause(clause.iter().map(|&(at, positive)| if positive { names[at] } else { !names[at] }).collect());
        }
        solver.propagate_root();
        let mut found = Vec::new();
        while solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
            found.push(names.iter().map(|name| solver.value(*name) == Some(true)).collect());
            solver.block();
        }
        found
    }

    /// Clauses that demand exactly one of these inputs.
    fn one_of(from: usize, to: usize) -> Vec<Vec<(usize, bool)>> {
        let mut clauses = vec![(from..to).map(|at| (at, true)).collect()];
        clauses.extend((from..to).flat_map(|one| (from..one).map(move |other| vec![(one, false), (other, false)])));
        clauses
    }

    proptest! {
        #[test]
        fn all_models_are_found_once(
            clauses in prop::collection::vec(prop::collection::vec((0usize..12, any::<bool>()), 1..5), 0..60),
            choices in prop::collection::vec((0usize..9, 1usize..4).prop_map(|(from, length)| (from, from + length)), 0..4),
            blocking in prop::sample::select(vec![0, 1, 7, 1000]),
            most_dead_ends in prop::sample::select(vec![0, 1, 3, 1000]),
        ) {
            let mut found = models(12, &clauses, &choices, [blocking, most_dead_ends]);
            let clauses: Vec<_> = clauses.into_iter().chain(choices.iter().flat_map(|&(from, to)| one_of(from, to))).collect();
            let expected: Vec<Vec<bool>> = (0u32..4096)
                .map(|bits| (0..12).map(|at| bits >> (11 - at) & 1 == 1).collect::<Vec<bool>>())
                .filter(|model| clauses.iter().all(|clause| clause.iter().any(|&(at, positive)| model[at] == positive)))
                .collect();
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }

    /// A failure that the property test above has found and shrunk.
    #[test]
    fn models_are_found_once_where_conflicts_follow_flipped_decisions() {
        let clauses: Vec<Vec<(usize, bool)>> = vec![
            vec![(7, false), (8, false), (1, false)],
            vec![(6, true), (7, false), (10, false)],
            vec![(0, false), (8, true), (3, false)],
            vec![(1, true), (6, false), (8, false)],
            vec![(3, false), (10, true)],
            vec![(7, true), (5, true)],
            vec![(0, false), (5, true)],
            vec![(7, true), (6, true)],
            vec![(3, true), (0, false), (5, false)],
            vec![(11, false)],
        ];
        let holds = |bits: &u32| clauses.iter().all(|clause| clause.iter().any(|&(at, positive)| (bits >> at & 1 == 1) == positive));
        let found = models(12, &clauses, &[], [0, 0]);
        assert_eq!(found.len(), (0u32..4096).filter(holds).count());
        assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>().len(), found.len());
    }

    #[test]
    fn pigeons_do_not_fit_into_fewer_holes() {
        let (pigeons, holes) = (7, 6);
        let at = |pigeon: usize, hole: usize| pigeon * holes + hole;
        let mut clauses: Vec<Vec<(usize, bool)>> =
            (0..pigeons).map(|pigeon| (0..holes).map(|hole| (at(pigeon, hole), true)).collect()).collect();
        for hole in 0..holes {
            for one in 0..pigeons {
                clauses.extend((0..one).map(|other| vec![(at(one, hole), false), (at(other, hole), false)]));
            }
        }
        assert!(models(pigeons * holes, &clauses, &[], [BLOCKED_MODELS.get(), DEAD_ENDS.get()]).is_empty());
    }

    #[test]
    fn restarts_follow_the_sequence_of_luby() {
        assert_eq!((1..=15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
