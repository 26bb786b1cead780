//! Satisfiability of clauses by conflict-driven learning, and the enumeration of all models.
//!
//! Invariant: every assignment of the inputs that satisfies all clauses is found exactly once, in an order that depends on the
//! clauses alone. Inputs are the only variables decided; clauses must determine all others from them by unit propagation.
//! After M. W. Moskewicz et al., *Chaff: Engineering an Efficient SAT Solver*, DAC 2001, and N. Eén and N. Sörensson, *An
//! Extensible SAT-solver*, SAT 2003. Deliberately elsewhere: what the variables mean (`circuit`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    /// Always true: the variable 0.
    pub(super) const TRUE: Lit = Lit(0);
    /// Always false.
    pub(super) const FALSE: Lit = Lit(1);

    fn positive(variable: usize) -> Self {
        Lit(u32::try_from(variable * 2).expect("fewer than 2^31 variables"))
    }

    fn variable(self) -> usize {
        self.0 as usize / 2
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Why a variable has its value.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
    /// It was chosen, follows at level 0, or is what is left after all models with its negation.
    None,
    Clause(u32),
}

struct Clause {
    /// The first two are watched; a clause that is a reason has its consequence first.
    literals: Vec<Lit>,
    learned: bool,
}

/// A clause that looks at a literal, and another literal of it: while that one is true there is nothing to do.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    other: Lit,
}

pub(super) struct Solver {
    clauses: Vec<Clause>,
    /// By literal: the clauses to look at when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// By literal.
    values: Vec<Option<bool>>,
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    trail: Vec<Lit>,
    /// Lengths of the trail before each decision.
    decisions: Vec<usize>,
    propagated: usize,
    is_input: Vec<bool>,
    /// The value tried first: the last one it had.
    phase: Vec<bool>,
    activity: Vec<f64>,
    bump: f64,
    /// Inputs by activity, with outdated entries in between.
    queue: BinaryHeap<(u64, Reverse<u32>)>,
    seen: Vec<bool>,
    learned: usize,
    learned_limit: usize,
    contradictory: bool,
    /// Conflicts before the first restart.
    restart_unit: u64,
    /// How many more models are excluded by a clause each.
    blocking: u32,
    /// Chronological backtracking bound: decisions up to this level are flipped in order, since models below them were enumerated without
    /// blocking clauses.
    ordered: u32,
}

/// Conflicts before the first restart.
const RESTART_UNIT: u64 = 128;

/// So many models are excluded by clauses, which leaves the search free to begin anew where models are rare. Where there are more,
/// clauses would slow it down: a search among 241,920 permutations took 18 s, and takes 4.
const BLOCKED: u32 = 1000;

impl Solver {
    pub(super) fn new() -> Self {
        let mut solver = Solver {
            clauses: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            trail: Vec::new(),
            decisions: Vec::new(),
            propagated: 0,
            is_input: Vec::new(),
            phase: Vec::new(),
            activity: Vec::new(),
            bump: 1.0,
            queue: BinaryHeap::new(),
            seen: Vec::new(),
            learned: 0,
            learned_limit: 4000,
            contradictory: false,
            restart_unit: RESTART_UNIT,
            blocking: BLOCKED,
            ordered: 0,
        };
        let truth = solver.variable();
        debug_assert_eq!(truth, Lit::TRUE, "the first variable is the constant");
        solver.clause(vec![truth]);
        solver
    }

    /// A new variable that clauses will determine.
    pub(super) fn variable(&mut self) -> Lit {
        let variable = self.levels.len();
        self.levels.push(0);
        self.reasons.push(Reason::None);
        self.is_input.push(false);
        self.phase.push(false);
        self.activity.push(0.0);
        self.seen.push(false);
        self.values.extend([None, None]);
        self.watches.extend([Vec::new(), Vec::new()]);
        Lit::positive(variable)
    }

    /// A new variable to decide, with the value to try first.
    pub(super) fn input(&mut self, phase: bool) -> Lit {
        let literal = self.variable();
        self.is_input[literal.variable()] = true;
        self.phase[literal.variable()] = phase;
        self.enqueue_input(literal.variable());
        literal
    }

    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.index()]
    }

    fn level(&self) -> u32 {
        u32::try_from(self.decisions.len()).expect("fewer than 2^32 decisions")
    }

    fn enqueue_input(&mut self, variable: usize) {
        // Bits of positive floating-point numbers are in the order of the numbers.
        let entry = (self.activity[variable].to_bits(), Reverse(u32::try_from(variable).expect("fewer than 2^31 variables")));
        self.queue.push(entry);
    }

    /// Adds a clause; only before a search, that is at level 0.
    pub(super) fn clause(&mut self, mut literals: Vec<Lit>) {
        debug_assert!(self.decisions.is_empty(), "clauses are added before decisions");
        literals.sort_unstable();
        literals.dedup();
        let is_tautology = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_tautology || literals.iter().any(|literal| self.value(*literal) == Some(true)) {
            return;
        }
        literals.retain(|literal| self.value(*literal).is_none());
        match literals.as_slice() {
            [] => self.contradictory = true,
            [only] => self.assign(*only, Reason::None),
            _ => {
                self.attach(literals, false);
            }
        }
    }

    /// Draws all consequences at level 0; false when there is a contradiction.
    pub(super) fn settle(&mut self) -> bool {
        if !self.contradictory && self.propagate().is_some() {
            self.contradictory = true;
        }
        !self.contradictory
    }

    fn attach(&mut self, literals: Vec<Lit>, learned: bool) -> u32 {
        let at = u32::try_from(self.clauses.len()).expect("fewer than 2^32 clauses");
        self.watches[literals[0].index()].push(Watch { clause: at, other: literals[1] });
        self.watches[literals[1].index()].push(Watch { clause: at, other: literals[0] });
        self.learned += usize::from(learned);
        self.clauses.push(Clause { literals, learned });
        at
    }

    fn assign(&mut self, literal: Lit, reason: Reason) {
        self.values[literal.index()] = Some(true);
        self.values[(!literal).index()] = Some(false);
        let variable = literal.variable();
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    /// Draws consequences; the clause that became false, if any.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let false_now = !literal;
            let mut watches = std::mem::take(&mut self.watches[false_now.index()]);
            let mut kept = 0;
            let mut conflict = None;
            let mut at = 0;
            'watches: while at < watches.len() {
                let watch = watches[at];
                at += 1;
                if self.value(watch.other) == Some(true) {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let literals = &mut self.clauses[watch.clause as usize].literals;
                if literals[0] == false_now {
                    literals.swap(0, 1);
                }
                let first = literals[0];
                let watch = Watch { clause: watch.clause, other: first };
                if self.values[first.index()] == Some(true) {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                for place in 2..literals.len() {
                    if self.values[literals[place].index()] != Some(false) {
                        literals.swap(1, place);
                        let now = literals[1];
                        self.watches[now.index()].push(watch);
                        continue 'watches;
                    }
                }
                watches[kept] = watch;
                kept += 1;
                if self.values[first.index()] == Some(false) {
                    conflict = Some(watch.clause);
                    break;
                }
                self.assign(first, Reason::Clause(watch.clause));
            }
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[false_now.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn backtrack(&mut self, level: u32) {
        let Some(&length) = self.decisions.get(level as usize) else { return };
        for at in length..self.trail.len() {
            let literal = self.trail[at];
            self.values[literal.index()] = None;
            self.values[(!literal).index()] = None;
            let variable = literal.variable();
            if self.is_input[variable] {
                self.phase[variable] = literal == Lit::positive(variable);
                self.enqueue_input(variable);
            }
        }
        self.trail.truncate(length);
        self.propagated = length;
        self.decisions.truncate(level as usize);
        if self.queue.len() > 8 * self.is_input.len() {
            self.requeue();
        }
    }

    /// Drops the outdated entries of the queue.
    fn requeue(&mut self) {
        self.queue.clear();
        for variable in 0..self.is_input.len() {
            if self.is_input[variable] && self.values[Lit::positive(variable).index()].is_none() {
                self.enqueue_input(variable);
            }
        }
    }

    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.bump;
        if self.is_input[variable] && self.values[Lit::positive(variable).index()].is_none() {
            self.enqueue_input(variable);
        }
        if self.activity[variable] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
            self.requeue();
        }
    }

    /// The clause that a conflict teaches, its consequence first, and the level to go back to.
    fn analyse(&mut self, conflict: u32) -> (Vec<Lit>, u32) {
        let mut learned = vec![Lit::TRUE];
        let mut open = 0;
        let mut at = self.trail.len();
        let mut clause = conflict;
        let mut implied: Option<Lit> = None;
        let here = self.level();
        loop {
            for place in 0..self.clauses[clause as usize].literals.len() {
                let literal = self.clauses[clause as usize].literals[place];
                let variable = literal.variable();
                if Some(literal) == implied || self.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.bump(variable);
                if self.levels[variable] == here {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            self.seen[literal.variable()] = false;
            open -= 1;
            if open == 0 {
                learned[0] = !literal;
                break;
            }
            implied = Some(literal);
            let Reason::Clause(reason) = self.reasons[literal.variable()] else { unreachable!("only the last one has no reason") };
            clause = reason;
        }
        let all = learned.clone();
        // What the others imply by one clause says nothing.
        let needed = |solver: &Self, literal: &Lit| match solver.reasons[literal.variable()] {
            Reason::None => true,
            Reason::Clause(reason) => solver.clauses[reason as usize].literals.iter().any(|other| {
                other.variable() != literal.variable() && !solver.seen[other.variable()] && solver.levels[other.variable()] > 0
            }),
        };
        let mut kept = vec![learned[0]];
        kept.extend(learned[1..].iter().filter(|literal| needed(self, literal)));
        all.iter().for_each(|literal| self.seen[literal.variable()] = false);
        self.bump *= 1.0 / 0.95;
        // The second literal watched is one of the level to go back to.
        let mut level = 0;
        for place in 1..kept.len() {
            if self.levels[kept[place].variable()] > level {
                level = self.levels[kept[place].variable()];
                kept.swap(1, place);
            }
        }
        (kept, level)
    }

    fn learn(&mut self, literals: Vec<Lit>, learned: bool) {
        let consequence = literals[0];
        if literals.len() == 1 {
            self.assign(consequence, Reason::None);
        } else {
            let clause = self.attach(literals, learned);
            self.assign(consequence, Reason::Clause(clause));
        }
    }

    /// Forgets the longer half of what was learned, but no reasons; only when all consequences are drawn.
    fn forget(&mut self) {
        let mut lengths: Vec<usize> = self.clauses.iter().filter(|clause| clause.learned).map(|clause| clause.literals.len()).collect();
        lengths.sort_unstable();
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0).max(3);
        let clauses = std::mem::take(&mut self.clauses);
        self.watches.iter_mut().for_each(Vec::clear);
        for (before, mut clause) in (0u32..).zip(clauses) {
            let consequence = clause.literals[0].variable();
            let is_reason = self.reasons[consequence] == Reason::Clause(before) && self.value(clause.literals[0]) == Some(true);
            if clause.learned && clause.literals.len() >= median && !is_reason {
                continue;
            }
            let at = u32::try_from(self.clauses.len()).expect("no more clauses than before");
            if is_reason {
                self.reasons[consequence] = Reason::Clause(at);
            }
            // Those that become undecided first are watched, so that literals that are false for good are not.
            let is_false = |literal: &Lit| self.values[literal.index()] == Some(false);
            clause.literals.sort_by_key(|literal| (is_false(literal), is_false(literal).then(|| Reverse(self.levels[literal.variable()]))));
            let [first, second, ..] = clause.literals.as_slice() else { unreachable!("a clause has two literals") };
            self.watches[first.index()].push(Watch { clause: at, other: *second });
            self.watches[second.index()].push(Watch { clause: at, other: *first });
            self.clauses.push(clause);
        }
        self.learned = self.clauses.iter().filter(|clause| clause.learned).count();
        self.learned_limit += self.learned_limit / 10;
    }

    /// Goes on to the next model; false when there is none. `tick` is called at each conflict and decision.
    pub(super) fn next_model<E>(&mut self, tick: &mut dyn FnMut() -> Result<(), E>) -> Result<bool, E> {
        let (mut conflicts, mut round) = (0, 1);
        if self.contradictory {
            return Ok(false);
        }
        loop {
            tick()?;
            if let Some(conflict) = self.propagate() {
                if self.decisions.is_empty() {
                    self.contradictory = true;
                    return Ok(false);
                }
                if self.level() == self.ordered {
                    self.turn();
                    continue;
                }
                conflicts += 1;
                let (learned, level) = self.analyse(conflict);
                self.backtrack(level.max(self.ordered));
                self.learn(learned, true);
            } else if conflicts >= self.restart_unit * luby(round) {
                conflicts = 0;
                round += 1;
                self.backtrack(self.ordered);
                if self.learned > self.learned_limit {
                    self.forget();
                }
            } else {
                let Some(variable) = self.next_input() else { return Ok(true) };
                self.decisions.push(self.trail.len());
                let literal = Lit::positive(variable);
                let literal = if self.phase[variable] { literal } else { !literal };
                self.assign(literal, Reason::None);
            }
        }
    }

    fn next_input(&mut self) -> Option<usize> {
        while let Some((_, Reverse(variable))) = self.queue.pop() {
            if self.values[Lit::positive(variable as usize).index()].is_none() {
                return Some(variable as usize);
            }
        }
        None
    }

    /// Excludes the model just found: the last decision becomes a consequence of the others.
    pub(super) fn block(&mut self) {
        let Some(level) = self.level().checked_sub(1) else {
            self.contradictory = true;
            return;
        };
        if self.blocking == 0 {
            return self.turn();
        }
        self.blocking -= 1;
        let mut literals: Vec<Lit> = self.decisions.iter().map(|&at| !self.trail[at]).collect();
        literals.reverse();
        self.backtrack(level);
        self.learn(literals, false);
    }

    /// Flips the last decision after its subtree has been enumerated.
    ///
    /// After M. Gebser, B. Kaufmann, A. Neumann and T. Schaub, *Conflict-Driven Answer Set Enumeration*, LPNMR 2007: nothing is
    /// learned from it, and no conflict goes back behind it.
    fn turn(&mut self) {
        let literal = self.trail[*self.decisions.last().expect("there is a decision")];
        let level = self.level() - 1;
        self.backtrack(level);
        self.assign(!literal, Reason::None);
        self.ordered = level;
    }
}

/// The sequence 1 1 2 1 1 2 4 …, from 1.
fn luby(mut at: u64) -> u64 {
    loop {
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

    /// All models, in the order of their discovery; so many of them excluded by clauses.
    fn models(inputs: usize, clauses: &[Vec<(usize, bool)>], blocking: u32) -> Vec<Vec<bool>> {
        let mut solver = Solver { blocking, learned_limit: 0, restart_unit: 1, ..Solver::new() };
        let names: Vec<Lit> = (0..inputs).map(|at| solver.input(at % 2 == 0)).collect();
        for clause in clauses {
            solver.clause(clause.iter().map(|&(at, positive)| if positive { names[at] } else { !names[at] }).collect());
        }
        solver.settle();
        let mut found = Vec::new();
        while solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
            found.push(names.iter().map(|name| solver.value(*name) == Some(true)).collect());
            solver.block();
        }
        found
    }

    proptest! {
        #[test]
        fn all_models_are_found_once(
            clauses in prop::collection::vec(prop::collection::vec((0usize..12, any::<bool>()), 1..5), 0..60),
            blocking in prop::sample::select(vec![0, 1, 7, 1000]),
        ) {
            let mut found = models(12, &clauses, blocking);
            let expected: Vec<Vec<bool>> = (0u32..4096)
                .map(|bits| (0..12).map(|at| bits >> (11 - at) & 1 == 1).collect::<Vec<bool>>())
                .filter(|model| clauses.iter().all(|clause| clause.iter().any(|&(at, positive)| model[at] == positive)))
                .collect();
            found.sort();
            prop_assert_eq!(found, expected);
        }
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
        assert!(models(pigeons * holes, &clauses, BLOCKED).is_empty());
    }

    #[test]
    fn restarts_grow_as_luby_says() {
        assert_eq!((1..=15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
