//! The automaton of a formula: a tableau by rewriting one step (Couvreur, FM 1999; Giannakopoulou and Lerda, FORTE 2002).
//!
//! Invariant: a state is a set of formulas that are to hold, with the bits of the past that they read; an until that is put off by a
//! transition is in the set that follows, or a formula with the same row. For this, sets are not rewritten: a formula that is replaced by
//! an equivalent one could take turns with it, and the acceptance set of neither would be put off for ever. Equal rows and simulation
//! (`simplify`) find again what rewriting would have found. Deliberately elsewhere: rewriting of the whole formula (`rewrite`), past
//! operators (`past`), one formula at one position (`step`).
//!
//! Limits: 64 acceptance sets and 64 bits of the past; `AUTOMATON_SETS` states and some ten million pairs of terms while it is built;
//! [`AUTOMATON_STATES`] states of the result, or `AUTOMATON_SETS` if the formula has past operators, whose bits multiply states.

use super::automaton::{Automaton, AutomatonState, Cube, Transition};
use super::cubes::primes;
use super::formula::Formula;
use super::normal::{Form, Id, Normal};
use super::past::{Bits, TooManyBits, without_past};
use super::simplify::simplified;
use super::step::{Excess, Steps, Terms};
use super::term::{Term, absorbed};
use crate::thresholds::{AUTOMATON_SETS, AUTOMATON_STATES};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeMap;
use std::fmt;

/// The formula is too large: its automaton would exceed a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// More than 64 different untils.
    AcceptanceSets,
    /// More than 64 different past operators.
    Past,
    /// Too many sets of formulas, or terms that satisfy them, during construction.
    Sets,
    /// This number of states is left after simplification.
    States(usize),
}

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excess = match self {
            Self::AcceptanceSets => "it has more than 64 eventualities".to_owned(),
            Self::Past => "it has more than 64 past operators".to_owned(),
            Self::Sets => {
                format!("its automaton has more than {} states, or too many transitions, before it is simplified", AUTOMATON_SETS.get())
            }
            Self::States(states) => format!("its automaton has {states} states"),
        };
        write!(formatter, "formula too large: {excess}; check parts of it as formulas of their own")
    }
}

impl std::error::Error for TooLarge {}

impl From<Excess> for TooLarge {
    fn from(excess: Excess) -> Self {
        match excess {
            Excess::AcceptanceSets => Self::AcceptanceSets,
            Excess::Terms => Self::Sets,
        }
    }
}

impl From<TooManyBits> for TooLarge {
    fn from(_: TooManyBits) -> Self {
        Self::Past
    }
}

/// The automaton that accepts the maximal paths on which a formula holds.
///
/// # Errors
/// When it would exceed a limit.
pub fn automaton(formula: &Formula) -> Result<Automaton, TooLarge> {
    let mut normal = Normal::new();
    let id = normal.of(formula);
    // After rewriting: a past operator that a rule removes needs no bit.
    let (root, bits) = without_past(&mut normal, id)?;
    let most = if bits.updates.is_empty() { AUTOMATON_STATES.get() } else { AUTOMATON_SETS.get() };
    let automaton = simplified(Tableau::new(normal, bits).build(root)?);
    let states = automaton.transitions.len();
    if states > most { Err(TooLarge::States(states)) } else { Ok(automaton) }
}

/// A state of the construction: formulas in order, and the bits that they read.
type Set = (Vec<Id>, u64);

struct Tableau {
    steps: Steps,
    bits: Bits,
    sets: IndexSet<Set, FxBuildHasher>,
    /// By formula: the bits in it.
    bits_in: FxHashMap<Id, u64>,
}

impl Tableau {
    fn new(normal: Normal, bits: Bits) -> Self {
        Self { steps: Steps::new(normal), bits, sets: IndexSet::default(), bits_in: FxHashMap::default() }
    }

    fn build(mut self, root: Id) -> Result<Automaton, TooLarge> {
        let mut automaton = Automaton::default();
        for root in self.alternatives(root) {
            let obligations = self.steps.normal.conjuncts(root);
            // Irrelevant bits are 0 in the key of a state, otherwise equal states would differ in them.
            let bits = self.bits.initial & self.bits_read(&obligations);
            let (state, _) = self.sets.insert_full((obligations, bits));
            // The first position has no past: its bits are determined, not guessed.
            automaton.initial.push(AutomatonState::at(state));
        }
        while let Some(set) = self.sets.get_index(automaton.transitions.len()).cloned() {
            let transitions = self.transitions(&set)?;
            automaton.transitions.push(transitions);
            automaton.accepts_end.push(self.accepts_end(&set)?);
        }
        automaton.acceptance_sets = self.steps.acceptance_sets();
        // During construction, `marks` holds the postponed acceptance sets; now it is complemented.
        let all = automaton.all_marks();
        for transition in automaton.transitions.iter_mut().flatten() {
            transition.marks = all & !transition.marks;
        }
        Ok(automaton)
    }

    /// A list of formulas such that the given one holds if one of them does, each with bits of its own: choosing one at once saves the
    /// combinations of their bits. (A conjunction of properties about the past is refuted by one of them.)
    fn alternatives(&mut self, root: Id) -> Vec<Id> {
        let normal = &self.steps.normal;
        // `F (f or g)` is `F f or F g`, and a nondeterministic automaton may choose at the beginning.
        let (is_later, parts) = match normal.form(root) {
            Form::Or(parts) => (false, parts.to_vec()),
            Form::Until(Normal::TRUE, argument) => match normal.form(*argument) {
                Form::Or(parts) => (true, parts.to_vec()),
                _ => return vec![root],
            },
            _ => return vec![root],
        };
        let mut groups: Vec<(u64, Vec<Id>)> = parts.into_iter().map(|part| (self.bits_read(&[part]), vec![part])).collect();
        // Those with more bits first, so that those with a part of these join them.
        // Stable, so the result does not depend on anything but the formula.
        groups.sort_by_key(|(bits, _)| std::cmp::Reverse(bits.count_ones()));
        let mut joined: Vec<(u64, Vec<Id>)> = Vec::new();
        for (bits, parts) in groups {
            match joined.iter_mut().find(|(others, _)| bits & !others == 0) {
                Some((_, others)) => others.extend(parts),
                None => joined.push((bits, parts)),
            }
        }
        if joined.len() < 2 {
            return vec![root];
        }
        let mut alternatives = Vec::new();
        for (_, parts) in joined {
            let alternative = self.steps.normal.or(&parts);
            let later = if is_later { self.steps.normal.until(Normal::TRUE, alternative) } else { alternative };
            alternatives.extend(if is_later { vec![later] } else { self.alternatives(later) });
        }
        alternatives
    }

    /// The transitions of a state; `marks` holds the postponed acceptance sets, the complement of the final meaning.
    fn transitions(&mut self, (obligations, bits): &Set) -> Result<Vec<Transition>, TooLarge> {
        // A set without obligations has one term without requirements: the state that accepts everything.
        let terms = self.conjunction(obligations, *bits, Steps::row)?;
        let mut targets: BTreeMap<(Vec<Id>, u64, u64), Vec<Cube>> = BTreeMap::new();
        for term in terms {
            for (term, next_bits) in self.with_bits(term, *bits)? {
                // Terms that differ only in what they read become one function of the letter, whose prime implicants are its canonical
                // cubes.
                targets.entry((term.next, next_bits, term.postponed)).or_default().push(term.reads);
            }
        }
        let mut transitions = Vec::new();
        for ((next, next_bits, postponed), cubes) in targets {
            let next = self.without_repetitions(next);
            let (to, is_new) = self.sets.insert_full((next, next_bits));
            // Only where a set is new: a known one costs nothing more.
            if is_new && to >= AUTOMATON_SETS.get() {
                return Err(TooLarge::Sets);
            }
            let to = AutomatonState::at(to);
            transitions.extend(primes(cubes).into_iter().map(|reads| Transition { reads, to, marks: postponed }));
        }
        // Simplification compares the transitions of a state pair by pair.
        self.steps.spend(transitions.len() * transitions.len())?;
        Ok(transitions)
    }

    /// Removes the conjuncts of `g` from a set with `f R g`, such as `G g`. The row of the set is unchanged, as each term of `f R g`
    /// contains one of `g`, in the last position as well: this merges states with equal rows before they are created, of which there may be
    /// exponentially many.
    fn without_repetitions(&self, obligations: Vec<Id>) -> Vec<Id> {
        let lasting = |&id: &Id| match *self.steps.normal.form(id) {
            Form::Release(_, argument) => self.steps.normal.conjuncts(argument),
            _ => Vec::new(),
        };
        let repeated: Vec<Id> = obligations.iter().flat_map(lasting).collect();
        obligations.into_iter().filter(|obligation| !repeated.contains(obligation)).collect()
    }

    fn accepts_end(&mut self, (obligations, bits): &Set) -> Result<Vec<Cube>, TooLarge> {
        let terms = self.conjunction(obligations, *bits, Steps::end)?;
        Ok(primes(terms.into_iter().map(|term| term.reads).collect()))
    }

    /// The terms that satisfy all these formulas, given these bits of the past.
    fn conjunction(&mut self, formulas: &[Id], bits: u64, satisfied: fn(&mut Steps, Id) -> Terms) -> Result<Vec<Term>, TooLarge> {
        let mut terms = vec![Term::default()];
        for &formula in formulas {
            let row = satisfied(&mut self.steps, formula)?;
            let mut allowed: Vec<Term> = row.iter().filter(|term| term.allows_bits(bits)).cloned().collect();
            for term in &mut allowed {
                // Determined by the state: left in, they would make equal terms different.
                (term.bits_true, term.bits_false) = (0, 0);
            }
            terms = self.steps.product(&terms, &absorbed(allowed))?;
        }
        Ok(terms)
    }

    /// Splits a term by the values of the bits that the next position reads, given those of this one.
    fn with_bits(&mut self, term: Term, bits: u64) -> Result<Vec<(Term, u64)>, TooLarge> {
        let mut done = Vec::new();
        // A term, the bits that are decided, and those of them that are true.
        let mut open = vec![(term, 0_u64, 0_u64)];
        while let Some((term, decided, set)) = open.pop() {
            // Computed again each time: the demand of a guessed bit adds obligations, and these may read further bits.
            let undecided = self.bits_read(&term.next) & !decided;
            if undecided == 0 {
                done.push((term, set));
                continue;
            }
            let bit = undecided & undecided.wrapping_neg();
            let update = self.bits.updates[bit.trailing_zeros() as usize];
            // Two cases for each bit, in which its formula holds now or is refuted now; both are again terms with obligations.
            let held = self.conjunction(&[update], bits, Steps::row)?;
            for term in self.steps.product(std::slice::from_ref(&term), &held)? {
                open.push((term, decided | bit, set | bit));
            }
            // A guessed bit may be false although its formula holds, as the automaton is monotone in it: there is no obligation.
            let failed = if self.bits.guessed & bit != 0 {
                vec![term]
            } else {
                let refuted = self.steps.normal.negation(update);
                let failed = self.conjunction(&[refuted], bits, Steps::row)?;
                self.steps.product(&[term], &failed)?
            };
            open.extend(failed.into_iter().map(|term| (term, decided | bit, set)));
            self.steps.spend(open.len())?;
        }
        Ok(done)
    }

    /// The bits whose values make a difference to formulas: those in them, and those in the updates of such bits.
    fn bits_read(&mut self, formulas: &[Id]) -> u64 {
        if self.bits.updates.is_empty() {
            return 0;
        }
        let mut read = formulas.iter().fold(0, |bits, &formula| bits | self.bits_in(formula));
        // The least set that is closed under updates: a bit is computed from bits of the position before.
        loop {
            let updates =
                (0..self.bits.updates.len()).filter(|bit| read >> bit & 1 == 1).map(|bit| self.bits.updates[bit]).collect::<Vec<_>>();
            let more = updates.into_iter().fold(read, |bits, update| bits | self.bits_in(update));
            if more == read {
                return read;
            }
            read = more;
        }
    }

    fn bits_in(&mut self, id: Id) -> u64 {
        if let Some(&known) = self.bits_in.get(&id) {
            return known;
        }
        let found = match *self.steps.normal.form(id) {
            Form::Bit(bit, _) => 1 << bit,
            _ => self.steps.normal.arguments(id).into_iter().fold(0, |bits, argument| bits | self.bits_in(argument)),
        };
        self.bits_in.insert(id, found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::automaton;
    use crate::formula::Formula;

    #[test]
    fn nested_untils_have_small_automata() {
        let until = |left: Formula, right: Formula| Formula::Until(Box::new(left), Box::new(right));
        let (mut to_the_left, mut to_the_right) = (Formula::State(0), Formula::State(0));
        for number in 1..=7 {
            to_the_left = until(to_the_left, Formula::State(number));
            to_the_right = until(Formula::State(number), to_the_right);
            let states = |formula: &Formula| automaton(formula).map(|automaton| automaton.transitions.len());
            for formula in [&to_the_left, &to_the_right] {
                assert_eq!(states(&Formula::Not(Box::new(formula.clone()))), Ok(usize::from(number) + 1), "{formula:?}");
            }
        }
    }
}
