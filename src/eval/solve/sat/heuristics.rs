//! What is decided next: activities, saved phases, and exactly-one constraints with few literals left.
//!
//! Invariant: every unassigned input is in the queue. Only inputs are decided, so neither phases of other variables nor their places in
//! the queue matter. After M. W. Moskewicz et al., *Chaff* (activities, here those of MiniSat), K. Pipatsrisawat and A. Darwiche, *A
//! lightweight component caching scheme for satisfiability solvers*, SAT 2007 (phase saving), and R. M. Haralick and G. L. Elliott,
//! *Increasing tree search efficiency for constraint satisfaction problems*, 1980 (first-fail). Deliberately elsewhere: integers whose
//! range is halved (`models`).

use super::queue::DecisionQueue;
use super::trail::Trail;
use super::{Lit, Variable};
use crate::thresholds::CHOICE_LITERALS;

pub(super) struct Heuristics {
    is_input: Vec<bool>,
    /// By variable: the value to try first, the last one that it had (phase saving).
    phase: Vec<bool>,
    /// By variable: how often recent conflicts involved it (VSIDS).
    activity: Vec<f64>,
    /// The increment of an activity in a conflict. It grows, which is equivalent to a decay of all activities.
    bump: f64,
    /// Every unassigned input, by activity, and some assigned ones.
    queue: DecisionQueue,
    /// Literals of which exactly one is true where the first of the pair is.
    choices: Vec<(Lit, Box<[Lit]>)>,
    /// How many literals `choices` has.
    chosen_from: usize,
}

impl Heuristics {
    pub(super) fn new() -> Self {
        Heuristics {
            is_input: Vec::new(),
            phase: Vec::new(),
            activity: Vec::new(),
            bump: 1.0,
            queue: DecisionQueue::default(),
            choices: Vec::new(),
            chosen_from: 0,
        }
    }

    /// Records a new variable, the next one. It is an input if there is a value to try first.
    pub(super) fn add(&mut self, phase: Option<bool>) {
        let variable = Variable::at(self.is_input.len());
        self.is_input.push(phase.is_some());
        self.phase.push(phase == Some(true));
        self.activity.push(0.0);
        if phase.is_some() {
            self.queue.insert(variable, &self.activity);
        }
    }

    /// Registers an exactly-one constraint, in force where the condition is true.
    pub(super) fn choice(&mut self, condition: Lit, literals: &[Lit]) {
        self.chosen_from += literals.len();
        self.choices.push((condition, literals.into()));
    }

    /// Saves the value of a literal that was true, and makes its variable ready to be decided again: after a restart the search comes back
    /// to where it was.
    #[inline]
    pub(super) fn unassigned(&mut self, literal: Lit) {
        let variable = literal.variable();
        if self.is_input[variable.index()] {
            self.phase[variable.index()] = literal == Lit::positive(variable);
            self.queue.insert(variable, &self.activity);
        }
    }

    /// Raises the activity of a variable; all are scaled down before one overflows.
    pub(super) fn bump(&mut self, variable: Variable) {
        self.activity[variable.index()] += self.bump;
        self.queue.rise(variable, &self.activity);
        if self.activity[variable.index()] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// Lowers all activities by 5 %, once per conflict.
    pub(super) fn decay(&mut self) {
        self.bump *= 1.0 / 0.95;
    }

    /// The literal to try of the unassigned input with the greatest activity.
    pub(super) fn next_input(&mut self, trail: &Trail) -> Option<Lit> {
        while let Some(variable) = self.queue.pop(&self.activity) {
            let literal = Lit::positive(variable);
            if trail.value(literal).is_none() {
                return Some(if self.phase[variable.index()] { literal } else { !literal });
            }
        }
        None
    }

    /// The first unassigned literal of the exactly-one constraint with the fewest (first-fail); among equals, of the one with the most
    /// active literal. Without conflict analysis activities do not change, but those of the first models still tell where conflicts were.
    pub(super) fn smallest_choice(&self, trail: &Trail) -> Option<Lit> {
        if self.chosen_from > CHOICE_LITERALS.get() {
            return None;
        }
        let mut smallest: Option<(usize, f64, Lit)> = None;
        for (condition, literals) in &self.choices {
            if trail.value(*condition) != Some(true) || literals.iter().any(|literal| trail.value(*literal) == Some(true)) {
                continue;
            }
            let open = || literals.iter().filter(|literal| trail.value(**literal).is_none());
            let Some(first) = open().next() else { continue };
            let size = open().count();
            if smallest.is_some_and(|(least, ..)| size > least) {
                continue;
            }
            let active = open().map(|literal| self.activity[literal.variable().index()]).fold(0.0, f64::max);
            if smallest.is_none_or(|(least, greatest, _)| size < least || active > greatest) {
                smallest = Some((size, active, *first));
            }
        }
        smallest.map(|(.., literal)| literal)
    }
}
