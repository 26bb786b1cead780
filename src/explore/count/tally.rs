//! Reduced counts and, by orbit sizes, the counts of the full space.
//!
//! By the orbit-stabiliser theorem a representative `s` stands for |G| / |Aut(s)| states of the full space. A permutation that maps one of
//! them to another maps its steps one-to-one to those of the other, so all have as many steps, and all or none violate the invariant.
//! Amounts are accumulated per distinct orbit size, of which there are few; big integers are multiplied only at the end. Invariant: a tally
//! is a sum, so tallies of workers merge in any order to the same result.

use crate::{Counts, Fault, FaultyPart, FullCounts, OperationCounts};
use bcheck_ir::{Model, OperationId};
use bcheck_symmetry::{Automorphisms, Symmetry};
use indexmap::IndexSet;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

bcheck_source::numbers! {
    /// The number of a distinct orbit size: an index into [`Orbits`] and [`Orbits::decimals`].
    pub(crate) OrbitClass;
}

/// The distinct orbit sizes so far, shared by all workers. Their order depends on the schedule, but only sums leave it.
pub(crate) struct Orbits {
    sizes: Mutex<IndexSet<BigUint>>,
}

impl Orbits {
    pub(crate) fn new() -> Self {
        Self { sizes: Mutex::new(IndexSet::from([BigUint::from(1u32)])) }
    }

    /// The sizes of a checkpoint, in its order; the first one must be 1.
    pub(crate) fn of_list(sizes: impl IntoIterator<Item = BigUint>) -> Self {
        Self { sizes: Mutex::new(sizes.into_iter().collect()) }
    }

    /// All sizes so far, in decimal, as they are stored and sent; classes are indices into them, which never change.
    pub(crate) fn decimals(&self) -> Vec<String> {
        self.sizes().iter().map(ToString::to_string).collect()
    }

    /// The class with this index, if there is one.
    pub(crate) fn class_at(&self, index: u32) -> Option<OrbitClass> {
        let count = self.sizes.lock().unwrap_or_else(PoisonError::into_inner).len();
        ((index as usize) < count).then_some(OrbitClass::new(index))
    }

    /// The class of orbits with one element: everything, in a run without symmetry.
    pub(crate) const SINGLE: OrbitClass = OrbitClass::new(0);

    /// The size of the orbits of a class.
    pub(crate) fn size_of(&self, class: OrbitClass) -> BigUint {
        let sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.get_index(class.index()).expect("a class is an index into the sizes").clone()
    }

    /// The class of orbits of this size.
    pub(crate) fn class_of(&self, size: BigUint) -> OrbitClass {
        // Equal sizes get one class whichever worker is first: `insert_full` returns the index of the existing entry.
        let (index, _) = self.sizes.lock().unwrap_or_else(PoisonError::into_inner).insert_full(size);
        OrbitClass::at(index)
    }

    fn sizes(&self) -> IndexSet<BigUint> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One worker's cache of orbit classes: the size is computed, and the shared list locked, only for stabilisers that are new to it.
#[derive(Default)]
pub(super) struct OrbitCache {
    known: FxHashMap<Automorphisms, OrbitClass>,
}

impl OrbitCache {
    pub(super) fn class(&mut self, orbits: &Orbits, symmetry: &Symmetry, automorphisms: &Automorphisms) -> OrbitClass {
        // By the list of factors, not by their product: two keys may have one size, and `Orbits` assigns them one class.
        if let Some(class) = self.known.get(automorphisms) {
            return *class;
        }
        let class = orbits.class_of(symmetry.orbit_size(automorphisms));
        self.known.insert(automorphisms.clone(), class);
        class
    }
}

/// The sums over representatives of one orbit size.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Amounts {
    set_ups: u64,
    /// Initialisation arrows of set-ups (not states) of this orbit size: one for each distinct concrete initial state.
    initial_arrows: u64,
    initial: u64,
    states: u64,
    transitions: u64,
    deadlocks: u64,
    unexpanded: u64,
    invariant_violations: u64,
    operations: Vec<u64>,
}

/// Running sums of a search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    classes: Vec<Amounts>,
    /// Operation transitions by representative of the successor.
    prob_transitions: u64,
    /// Initialisation arrows by representative of the initial state.
    prob_initial_arrows: u64,
    assertion_violations: u64,
    goals: u64,
    ill_defined: u64,
    instances: u64,
    is_inexact: bool,
    is_partial: bool,
}

/// The most that the counts of a checkpoint may add up to: many years' work of any machine, and so much less than 2^64 that more can be
/// added.
pub(crate) const MOST_COUNTED: u64 = 1 << 56;

impl Tally {
    /// Whether its sums can be increased, and are consistent with each other. A tally read from a file may be arbitrary.
    pub(crate) fn is_countable(&self) -> bool {
        let Self { prob_transitions, prob_initial_arrows, assertion_violations, goals, ill_defined, instances, .. } = *self;
        let of_all = [prob_transitions, prob_initial_arrows, assertion_violations, goals, ill_defined, instances].map(u128::from);
        let of_class = |amounts: &Amounts| {
            let Amounts { set_ups, initial_arrows, initial, states, transitions, deadlocks, unexpanded, invariant_violations, .. } =
                *amounts;
            let counts = [set_ups, initial_arrows, initial, states, transitions, deadlocks, unexpanded, invariant_violations];
            counts.iter().chain(&amounts.operations).map(|count| u128::from(*count)).sum::<u128>()
        };
        let total = of_all.into_iter().chain(self.classes.iter().map(of_class)).sum::<u128>();
        total <= u128::from(MOST_COUNTED) && self.classes.iter().all(|amounts| amounts.unexpanded <= amounts.states)
    }

    /// Whether it counts steps of at most this many operations.
    pub(crate) fn has_at_most(&self, operations: usize) -> bool {
        self.classes.iter().all(|amounts| amounts.operations.len() <= operations)
    }

    fn amounts(&mut self, class: OrbitClass) -> &mut Amounts {
        let index = class.index();
        // Other workers also add to the list of sizes, so an index may be more than one beyond the end.
        if index >= self.classes.len() {
            self.classes.resize_with(index + 1, Amounts::default);
        }
        &mut self.classes[index]
    }

    pub(crate) fn set_up(&mut self, class: OrbitClass) {
        self.amounts(class).set_ups += 1;
    }

    /// Initialisation arrows of one representative set-up: to distinct states, and to distinct representatives.
    pub(crate) fn initial_arrows(&mut self, set_up: OrbitClass, arrows: u64, by_representative: u64) {
        self.amounts(set_up).initial_arrows += arrows;
        self.prob_initial_arrows += by_representative;
    }

    /// An initial state. Orbits are initial as a whole: an initial state of a set-up is, renamed, initial under the renamed set-up.
    pub(crate) fn initial(&mut self, class: OrbitClass) {
        self.amounts(class).initial += 1;
    }

    pub(crate) fn state(&mut self, class: OrbitClass) {
        self.amounts(class).states += 1;
    }

    /// Steps of one operation from one representative: distinct ones, and distinct ones by representative of the successor.
    pub(crate) fn steps(&mut self, class: OrbitClass, operation: OperationId, steps: u64, by_representative: u64) {
        // Not by orbit size: ProB's convention counts arrows of the reduced graph.
        self.prob_transitions += by_representative;
        let amounts = self.amounts(class);
        amounts.transitions += steps;
        let index = operation.index();
        if index >= amounts.operations.len() {
            amounts.operations.resize(index + 1, 0);
        }
        amounts.operations[index] += steps;
    }

    pub(crate) fn deadlock(&mut self, class: OrbitClass) {
        self.amounts(class).deadlocks += 1;
    }

    /// A representative that `SCOPE` leaves unexpanded.
    pub(crate) fn unexpanded(&mut self, class: OrbitClass) {
        self.amounts(class).unexpanded += 1;
    }

    /// Whether any representative is left unexpanded.
    pub(super) fn has_unexpanded(&self) -> bool {
        self.classes.iter().any(|amounts| amounts.unexpanded > 0)
    }

    /// Whether any representative has no steps.
    pub(super) fn has_deadlocks(&self) -> bool {
        self.classes.iter().any(|amounts| amounts.deadlocks > 0)
    }

    /// Counts a fault found by examining a representative. Others are counted where they are found: when a state is expanded, or before
    /// there is one.
    pub(crate) fn fault(&mut self, class: OrbitClass, fault: &Fault) {
        match &fault.part {
            _ if !fault.is_met_in_examination() => {}
            _ if fault.is_ill_defined() => self.ill_defined += 1,
            FaultyPart::Invariant(_) => self.amounts(class).invariant_violations += 1,
            FaultyPart::Assertion(_) => self.assertion_violations += 1,
            FaultyPart::Goal => self.goals += 1,
            _ => {}
        }
    }

    pub(crate) fn ill_defined(&mut self, instances: u64) {
        self.ill_defined += instances;
    }

    /// Adds to the number of bindings of parameters that were run.
    pub(crate) fn instances(&mut self, instances: u64) {
        self.instances += instances;
    }

    /// Steps of all operations.
    pub(crate) fn transitions(&self) -> u64 {
        self.classes.iter().map(|amounts| amounts.transitions).sum()
    }

    pub(super) fn run_instances(&self) -> u64 {
        self.instances
    }

    /// A canonical form was not exact: symmetric states may be counted more than once.
    pub(crate) fn inexact(&mut self) {
        self.is_inexact = true;
    }

    pub(super) fn is_inexact(&self) -> bool {
        self.is_inexact
    }

    /// Takes back [`Self::inexact`]; whether there was any.
    pub(crate) fn take_inexact(&mut self) -> bool {
        std::mem::take(&mut self.is_inexact)
    }

    /// An initialisation was ill-defined: how many initial states were visited before depends on the order of enumeration.
    pub(crate) fn partial(&mut self) {
        self.is_partial = true;
    }

    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    pub(crate) fn merge(&mut self, other: &Tally) {
        for (index, from) in other.classes.iter().enumerate() {
            // `Orbits` is shared, so an index means the same orbit size in both.
            let into = self.amounts(OrbitClass::at(index));
            into.set_ups += from.set_ups;
            into.initial_arrows += from.initial_arrows;
            into.initial += from.initial;
            into.states += from.states;
            into.transitions += from.transitions;
            into.deadlocks += from.deadlocks;
            into.unexpanded += from.unexpanded;
            into.invariant_violations += from.invariant_violations;
            // Lists grow with the first step of an operation, so that operations without steps cost nothing.
            if into.operations.len() < from.operations.len() {
                into.operations.resize(from.operations.len(), 0);
            }
            for (into, from) in into.operations.iter_mut().zip(&from.operations) {
                *into += from;
            }
        }
        self.prob_transitions += other.prob_transitions;
        self.prob_initial_arrows += other.prob_initial_arrows;
        self.assertion_violations += other.assertion_violations;
        self.goals += other.goals;
        self.ill_defined += other.ill_defined;
        self.instances += other.instances;
        self.is_inexact |= other.is_inexact;
        self.is_partial |= other.is_partial;
    }

    /// These sums with renumbered classes: each becomes the one at its index of the list. `None` if there are more.
    pub(crate) fn with_classes(&self, classes: &[OrbitClass]) -> Option<Tally> {
        let mut renamed = Tally { classes: Vec::new(), ..self.clone() };
        if self.classes.len() > classes.len() {
            return None;
        }
        for (amounts, class) in self.classes.iter().zip(classes) {
            *renamed.amounts(*class) = amounts.clone();
        }
        Some(renamed)
    }

    /// Whether states violate the invariant.
    pub(super) fn has_violations(&self) -> bool {
        self.classes.iter().any(|amounts| amounts.invariant_violations > 0)
    }

    /// The counts of what was explored.
    pub(crate) fn counts(&self, model: &Model, depth: u64) -> Counts {
        let sum = |amount: fn(&Amounts) -> u64| self.classes.iter().map(amount).sum::<u64>();
        let states = sum(|amounts| amounts.states);
        let unexpanded = sum(|amounts| amounts.unexpanded);
        let set_ups = if has_set_ups(model) { sum(|amounts| amounts.set_ups) } else { 0 };
        Counts {
            setups: set_ups,
            initial: sum(|amounts| amounts.initial),
            states,
            transitions: sum(|amounts| amounts.transitions),
            depth,
            deadlocks: sum(|amounts| amounts.deadlocks),
            unexpanded,
            invariant_violations: sum(|amounts| amounts.invariant_violations),
            assertion_violations: self.assertion_violations,
            goals: self.goals,
            ill_defined: self.ill_defined,
            // ProB counts the root and the states that it expands. Unexpanded states are states, so this does not underflow.
            prob_states: 1 + set_ups + states - unexpanded,
            prob_transitions: set_ups + self.prob_initial_arrows + self.prob_transitions,
        }
    }

    /// The counts of the full space, exact unless there is a reason `why` not.
    pub(crate) fn full_counts(&self, model: &Model, orbits: &Orbits, why: Vec<String>) -> FullCounts {
        // Classes are indices into the sizes, so there are at least as many sizes, and `zip` cuts off unused ones only.
        let sizes = orbits.sizes();
        let sum = |amount: fn(&Amounts) -> u64| -> BigUint {
            // One multiplication for each orbit size instead of one for each state.
            self.classes.iter().zip(&sizes).map(|(amounts, size)| size * amount(amounts)).sum()
        };
        let states = sum(|amounts| amounts.states);
        let transitions = sum(|amounts| amounts.transitions);
        let unexpanded = sum(|amounts| amounts.unexpanded);
        let set_ups = if has_set_ups(model) { sum(|amounts| amounts.set_ups) } else { BigUint::default() };
        FullCounts {
            exact: why.is_empty(),
            why,
            initial: sum(|amounts| amounts.initial),
            deadlocks: sum(|amounts| amounts.deadlocks),
            invariant_violations: sum(|amounts| amounts.invariant_violations),
            prob_states: &set_ups + &states + 1u32 - &unexpanded,
            // Without reduction each successor represents itself, so here an arrow by representative is a transition.
            prob_transitions: &set_ups + &transitions + sum(|amounts| amounts.initial_arrows),
            setups: set_ups,
            states,
            transitions,
            unexpanded,
        }
    }

    /// Steps of each operation, in declaration order.
    pub(crate) fn operations(&self, model: &Model, orbits: &Orbits) -> Vec<OperationCounts> {
        let sizes = orbits.sizes();
        (0..model.operations.len())
            .map(|index| {
                let of = |amounts: &Amounts| amounts.operations.get(index).copied().unwrap_or(0);
                OperationCounts {
                    operation: OperationId(u32::try_from(index).expect("operations have 32-bit ids")),
                    transitions: self.classes.iter().map(of).sum(),
                    full_transitions: self.classes.iter().zip(&sizes).map(|(amounts, size)| size * of(amounts)).sum(),
                }
            })
            .collect()
    }

    /// How many valuations of the constants the representatives represent.
    pub(crate) fn full_set_ups(&self, orbits: &Orbits) -> BigUint {
        self.classes.iter().zip(&orbits.sizes()).map(|(amounts, size)| size * amounts.set_ups).sum()
    }
}

/// Whether valuations of the constants count as nodes: as soon as the machine has CONSTANTS or PROPERTIES.
pub(super) fn has_set_ups(model: &Model) -> bool {
    !model.constants.is_empty() || model.has_properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_tallies_are_the_sum_of_their_parts() {
        let orbits = Orbits::new();
        let six = orbits.class_of(BigUint::from(6u32));
        let (mut one, mut two) = (Tally::default(), Tally::default());
        one.state(Orbits::SINGLE);
        one.steps(Orbits::SINGLE, OperationId(0), 4, 1);
        two.state(six);
        two.steps(six, OperationId(1), 3, 2);
        one.merge(&two);
        assert_eq!(one.classes.iter().map(|amounts| amounts.states).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(one.classes[1].operations, [0, 3]);
        assert_eq!(one.prob_transitions, 3);
        let sizes = orbits.sizes();
        assert_eq!(sizes.len(), 2);
        assert_eq!(orbits.class_of(BigUint::from(6u32)), six);
    }
}
