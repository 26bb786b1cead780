//! A CDCL solver: its clauses, the trail, unit propagation with two watched literals per clause, and backtracking.
//!
//! Invariant: decisions are pushed only when the trail is propagated completely, so every literal that waits for propagation belongs to
//! the current level. Inputs are the only variables decided; clauses must determine all others from them by unit propagation.
//! Integer variables (`integers`) have bounds instead of a value, which linear inequalities and products propagate between the clauses.
//! After M. W. Moskewicz et al., *Chaff: Engineering an Efficient SAT Solver*, DAC 2001, and N. Eén and N. Sörensson, *An
//! Extensible SAT-solver*, SAT 2003. Deliberately elsewhere: what conflicts teach (`conflict`), the search and the enumeration of all
//! models (`models`), what the variables mean (`circuit`).

mod conflict;
mod disequalities;
mod inequalities;
mod integers;
mod models;
mod products;
mod queue;

use crate::thresholds::DISEQUALITY_VALUES;
use crate::thresholds::{BLOCKED_MODELS, DEAD_ENDS, LEARNED_CLAUSES, PROPAGATED_AT_ONCE, RESTART_UNIT};
use disequalities::Disequality;
use inequalities::Inequality;
pub(super) use inequalities::negated;
pub(super) use integers::IntegerVariable;
use integers::{IntegerState, Propagator};
use products::Product;
use queue::DecisionQueue;
use std::collections::VecDeque;

/// A literal: twice the number of its variable, plus one where it is negated.
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
    /// A decision, a literal that is true by itself (at level 0, or of a learned unit clause), or a decision flipped after its subtree was
    /// enumerated.
    None,
    Clause(u32),
    /// A true literal alone: the other one of a binary clause is its negation, or it is a bound of the same integer that is at least as
    /// narrow.
    Literal(Lit),
    /// A constraint of integers, with the length of the trail when it was propagated.
    Propagator(Propagator, u32),
}

/// What became false.
#[derive(Clone, Copy)]
enum Conflict {
    Clause(u32),
    Propagator(Propagator),
}

/// How far propagation came.
enum Propagated {
    Completely,
    /// Constraints of integers wait.
    Partly,
    UpTo(Conflict),
}

struct Clause {
    /// The first two are watched; a clause that is a reason has its consequence first.
    literals: Vec<Lit>,
    learned: bool,
}

/// A clause in the watch list of one of its literals, with another literal of it (the blocker): while that is true, the clause is satisfied
/// and need not be read. Nor need a binary one ever be.
#[derive(Clone, Copy)]
struct Watch {
    /// The number of the clause, and in the highest bit whether it is binary.
    clause: u32,
    other: Lit,
}

/// The bit of a [`Watch`] that tells a binary clause.
const BINARY: u32 = 1 << 31;

/// What became of a clause that was visited.
enum Visited {
    /// Another literal of it is watched now.
    Elsewhere,
    /// It is still watched here.
    Here(Watch),
    /// The same, and all its literals are false.
    Falsified(Watch),
}

impl Watch {
    fn new(clause: u32, length: usize, other: Lit) -> Self {
        Watch { clause: if length == 2 { clause | BINARY } else { clause }, other }
    }
}

pub(super) struct Solver {
    clauses: Vec<Clause>,
    /// By literal: the clauses that watch it, visited when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// By literal: the value, `None` while the variable is unassigned.
    values: Vec<Option<bool>>,
    /// By variable: the level of its assignment; meaningless while it is unassigned, as its reason is.
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    /// The true literals in the order of their assignment.
    trail: Vec<Lit>,
    /// Length of the trail before each decision.
    decisions: Vec<usize>,
    /// How many literals of the trail have been propagated.
    propagated: usize,
    is_input: Vec<bool>,
    /// By variable: the value to try first, the last one that it had (phase saving).
    phase: Vec<bool>,
    /// By variable: how often recent conflicts involved it (VSIDS).
    activity: Vec<f64>,
    /// What a conflict adds to an activity. It grows, which is the same as a decay of all activities.
    bump: f64,
    /// Every unassigned input, by activity, and some assigned ones.
    queue: DecisionQueue,
    /// By variable: a mark of conflict analysis, false otherwise.
    seen: Vec<bool>,
    integers: Vec<IntegerState>,
    /// The bounds of each integer at present, in one place, as propagation reads little else.
    ranges: Vec<[i64; 2]>,
    /// By variable, as far as any is a bound: the integer is at most the number.
    bounded: Vec<Option<(IntegerVariable, i64)>>,
    inequalities: Vec<Inequality>,
    products: Vec<Product>,
    disequalities: Vec<Disequality>,
    /// See [`DISEQUALITY_VALUES`].
    most_values: i128,
    /// By literal, as far as any is a condition: the constraints that it is the condition of.
    conditions: Vec<Vec<Propagator>>,
    /// What is to be propagated when the clauses are, each once.
    waiting: VecDeque<Propagator>,
    learned: usize,
    learned_limit: usize,
    contradictory: bool,
    /// Conflicts before the first restart.
    restart_unit: u64,
    /// How many more models are excluded by a blocking clause each.
    blocking: u32,
    /// Literals of which exactly one is true where the first of the pair is.
    choices: Vec<(Lit, Box<[Lit]>)>,
    /// How many literals `choices` has.
    chosen_from: usize,
    /// Conflicts since the last model that taught nothing, and after how many of them conflicts are analysed.
    dead_ends: u32,
    most_dead_ends: u32,
    /// Chronological backtracking bound: decisions up to this level are flipped in order and never undone otherwise, since models below
    /// them were enumerated without blocking clauses.
    ordered: u32,
}

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
            queue: DecisionQueue::default(),
            seen: Vec::new(),
            integers: Vec::new(),
            ranges: Vec::new(),
            bounded: Vec::new(),
            inequalities: Vec::new(),
            products: Vec::new(),
            disequalities: Vec::new(),
            most_values: DISEQUALITY_VALUES.get(),
            conditions: Vec::new(),
            waiting: VecDeque::new(),
            learned: 0,
            learned_limit: LEARNED_CLAUSES.get(),
            contradictory: false,
            restart_unit: RESTART_UNIT.get(),
            blocking: BLOCKED_MODELS.get(),
            choices: Vec::new(),
            chosen_from: 0,
            dead_ends: 0,
            most_dead_ends: DEAD_ENDS.get(),
            ordered: 0,
        };
        let truth = solver.variable();
        debug_assert_eq!(truth, Lit::TRUE, "the first variable is the constant");
        solver.clause(vec![truth]);
        solver
    }

    /// A new variable that clauses will determine, as its positive literal.
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

    /// The numbers of variables and of clauses, learned ones included.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.levels.len(), self.clauses.len())
    }

    fn level(&self) -> u32 {
        u32::try_from(self.decisions.len()).expect("fewer than 2^32 decisions")
    }

    fn enqueue_input(&mut self, variable: usize) {
        self.queue.insert(variable, &self.activity);
    }

    /// Registers an exactly-one constraint, in force where the condition is true, for the decision heuristic. It is not propagated: clauses
    /// must encode it.
    pub(super) fn choice(&mut self, condition: Lit, literals: &[Lit]) {
        self.chosen_from += literals.len();
        self.choices.push((condition, literals.into()));
    }

    /// Adds a clause; only before a search, that is at level 0.
    pub(super) fn clause(&mut self, mut literals: Vec<Lit>) {
        debug_assert!(self.decisions.is_empty(), "clauses are added before decisions");
        // A literal and its negation are neighbours in this order.
        literals.sort_unstable();
        literals.dedup();
        let is_tautology = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_tautology || literals.iter().any(|literal| self.value(*literal) == Some(true)) {
            return;
        }
        // At level 0 a false literal is false for good. So both watched literals of a new clause are unassigned.
        literals.retain(|literal| self.value(*literal).is_none());
        match literals.as_slice() {
            [] => self.contradictory = true,
            [only] => self.assign(*only, Reason::None),
            _ => {
                self.attach(literals, false);
            }
        }
    }

    /// Propagates at level 0, where a conflict means that the clauses contradict each other.
    pub(super) fn propagate_root(&mut self) {
        if !self.contradictory && matches!(self.propagate(), Propagated::UpTo(_)) {
            self.contradictory = true;
        }
    }

    fn attach(&mut self, literals: Vec<Lit>, learned: bool) -> u32 {
        let at = u32::try_from(self.clauses.len()).ok().filter(|at| at & BINARY == 0).expect("fewer than 2^31 clauses");
        // Watched by the literals themselves, visited when these become false (`propagate` looks up the negation of what became true).
        self.watches[literals[0].index()].push(Watch::new(at, literals.len(), literals[1]));
        self.watches[literals[1].index()].push(Watch::new(at, literals.len(), literals[0]));
        self.learned += usize::from(learned);
        self.clauses.push(Clause { literals, learned });
        at
    }

    /// Makes an unassigned literal true at the current level. It is propagated later, in the order of the trail.
    fn assign(&mut self, literal: Lit, reason: Reason) {
        self.set(literal, reason);
        if !self.integers.is_empty() {
            self.follow_bound(literal);
        }
    }

    /// The same for a literal that is no bound, or a bound that the caller follows.
    fn set(&mut self, literal: Lit, reason: Reason) {
        // Both polarities are stored, so reading a literal needs no test of its sign.
        self.values[literal.index()] = Some(true);
        self.values[(!literal).index()] = Some(false);
        let variable = literal.variable();
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.trail.push(literal);
        if !self.conditions.is_empty() {
            self.wake_conditional(literal);
        }
    }

    /// Propagates the trail to its end, clauses before bounds.
    fn propagate(&mut self) -> Propagated {
        for _ in 0..PROPAGATED_AT_ONCE.get() {
            if let Some(clause) = self.propagate_clauses() {
                return Propagated::UpTo(Conflict::Clause(clause));
            }
            let Some(propagator) = self.waiting.pop_front() else { return Propagated::Completely };
            *self.waits(propagator) = false;
            let conflict = match propagator {
                Propagator::Inequality(at) => self.propagate_inequality(at),
                Propagator::Product(at) => self.propagate_product(at),
                Propagator::Disequality(at) => self.propagate_disequality(at),
            };
            if let Some(conflict) = conflict {
                return Propagated::UpTo(conflict);
            }
        }
        Propagated::Partly
    }

    /// Propagates the trail through the clauses; the clause that became false, if any.
    fn propagate_clauses(&mut self) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            // The queue of propagation is the part of the trail behind `propagated`; it needs no memory of its own.
            self.propagated += 1;
            let false_now = !literal;
            // Taken out while clauses are visited: a new watch is put on a literal that is not false, so never into this list.
            let mut watches = std::mem::take(&mut self.watches[false_now.index()]);
            // Those visited and still wanted are moved to the front: `kept <= at` throughout.
            let mut kept = 0;
            let mut conflict = None;
            let mut at = 0;
            while at < watches.len() {
                let watch = watches[at];
                at += 1;
                // The common case: satisfied, without touching the clause itself, which is likely not in the cache.
                if self.value(watch.other) == Some(true) {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                match self.visit(watch, false_now) {
                    Visited::Elsewhere => {}
                    Visited::Here(watch) => {
                        watches[kept] = watch;
                        kept += 1;
                    }
                    Visited::Falsified(watch) => {
                        watches[kept] = watch;
                        kept += 1;
                        conflict = Some(watch.clause & !BINARY);
                        break;
                    }
                }
            }
            // After a conflict the rest has not been visited.
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[false_now.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Looks at a clause one of whose watched literals has become false, and the other is not known to be true.
    #[inline]
    fn visit(&mut self, watch: Watch, false_now: Lit) -> Visited {
        if watch.clause & BINARY != 0 {
            if self.value(watch.other) == Some(false) {
                return Visited::Falsified(watch);
            }
            self.assign(watch.other, Reason::Literal(!false_now));
            return Visited::Here(watch);
        }
        let literals = &mut self.clauses[watch.clause as usize].literals;
        // The other watched literal comes first, which is where a reason has its consequence. In the reason of a true literal that one is
        // at 0 already and stays there.
        if literals[0] == false_now {
            literals.swap(0, 1);
        }
        let first = literals[0];
        let watch = Watch { clause: watch.clause, other: first };
        if self.values[first.index()] == Some(true) {
            return Visited::Here(watch);
        }
        if let Some(place) = (2..literals.len()).find(|&place| self.values[literals[place].index()] != Some(false)) {
            literals.swap(1, place);
            self.watches[literals[1].index()].push(watch);
            return Visited::Elsewhere;
        }
        // All others are false, so the first one follows or is false too. The watches stay: backtracking unassigns this literal, of the
        // current level, no later than the first one.
        if self.values[first.index()] == Some(false) {
            return Visited::Falsified(watch);
        }
        self.assign(first, Reason::Clause(watch.clause));
        Visited::Here(watch)
    }

    /// Undoes all levels above the given one; nothing to do if there are none.
    fn backtrack(&mut self, level: u32) {
        let Some(&length) = self.decisions.get(level as usize) else { return };
        for at in length..self.trail.len() {
            let literal = self.trail[at];
            self.values[literal.index()] = None;
            self.values[(!literal).index()] = None;
            let variable = literal.variable();
            if !self.integers.is_empty() {
                self.forget_bounds(literal, length);
            }
            // Other variables are never decided, so neither their last values nor their places in the queue matter.
            if self.is_input[variable] {
                // Phase saving: after a restart the search comes back to where it was (Pipatsrisawat and Darwiche, SAT 2007).
                self.phase[variable] = literal == Lit::positive(variable);
                self.enqueue_input(variable);
            }
        }
        self.trail.truncate(length);
        // The decision was made when everything before it had been propagated.
        self.propagated = length;
        self.decisions.truncate(level as usize);
        // What waited belonged to the levels undone: each lower one had been propagated completely.
        while let Some(propagator) = self.waiting.pop_front() {
            *self.waits(propagator) = false;
        }
    }
}
