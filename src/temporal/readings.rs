//! The transitions that the letter of a state allows, by letter and automaton state, found once for all edges of a product.
//!
//! A component of a product stays within one component of the automaton. So where components are searched, only transitions inside a
//! component with all marks count: the *inner* ones.
//! Invariant: letters that agree on the propositions of the automaton are one class; transitions stay in their order. Deliberately
//! elsewhere: conditions on steps, which are checked edge by edge (`product`).

use super::automaton::{Automaton, AutomatonState, Cube, Transition};
use super::components::{Components, Fate, Successors, decompose};
use super::graph::StateLetter;
use rustc_hash::FxHashMap;

bcheck_source::numbers! {
    /// The number of a class of letters of states.
    LetterClass;
    /// The number of a class of letters together with an automaton state.
    pub(super) Slot;
    /// The position of a transition in [`Allowed`].
    pub(super) AllowedPosition;
}

impl Slot {
    /// Of a class with the first automaton state: that of the class with this one.
    #[inline]
    pub(super) fn with(self, automaton_state: AutomatonState) -> Self {
        Self::new(self.number() + automaton_state.number())
    }
}

/// The transitions of an automaton, by what they read of a state.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    automaton_states: usize,
    /// By the index of a letter, its class.
    class_of: Vec<LetterClass>,
    /// All transitions.
    pub(super) all: Allowed,
    /// Those inside components that carry all acceptance marks.
    pub(super) inner: Allowed,
}

/// Transitions by slot: a class of letters and an automaton state.
#[derive(Clone, Debug)]
pub(super) struct Allowed {
    starts: Vec<AllowedPosition>,
    transitions: Vec<Transition>,
    /// By slot, the acceptance marks that any of them carries.
    marks: Vec<u64>,
}

/// An automaton as a graph of its automaton states.
struct StatesOfAutomaton<'a>(&'a Automaton);

impl Successors for StatesOfAutomaton<'_> {
    type Node = AutomatonState;
    type Place = (AutomatonState, usize);

    fn number(&self, node: AutomatonState) -> usize {
        node.index()
    }

    fn place(&self, node: AutomatonState) -> (AutomatonState, usize) {
        (node, 0)
    }

    fn next(&self, place: &mut (AutomatonState, usize)) -> Option<AutomatonState> {
        place.1 += 1;
        self.0.transitions[place.0.index()].get(place.1 - 1).map(|transition| transition.to)
    }
}

/// The components of an automaton whose transitions carry all marks; transitions that no letter allows are ignored.
fn good_components(automaton: &Automaton, is_read: impl Fn(&Transition) -> bool) -> Components {
    // Pruning before the product: a component of the automaton that never carries all acceptance marks can hold no accepting cycle.
    let all = automaton.all_marks();
    let count = automaton.transitions.len();
    let found = decompose(&StatesOfAutomaton(automaton), count, AutomatonState::all(count), &|| false, |component| {
        let transitions = component.nodes.iter().flat_map(|automaton_state| &automaton.transitions[automaton_state.index()]);
        // Marks are collected over all letters, and any two may be far apart in the graph: nothing good is lost.
        let inside = transitions.filter(|transition| component.contains(transition.to.index()) && is_read(transition));
        let marks = inside.fold(0, |marks, transition| marks | transition.marks);
        if marks & all == all { Fate::Kept } else { Fate::Dropped }
    });
    found.expect("nothing interrupts it")
}

/// Whether a transition can be taken in a state with this letter, if the step allows it.
fn reads(transition: &Transition, letter: u64) -> bool {
    let Cube { state_true, state_false, .. } = transition.reads;
    letter & state_true == state_true && letter & state_false == 0
}

impl Readings {
    /// The readings of an automaton of states with these letters.
    pub(crate) fn new(automaton: &Automaton, letters: &[u64]) -> Self {
        let cubes = automaton.transitions.iter().flatten().map(|transition| transition.reads);
        // Only propositions that the automaton reads: letters of a graph serve several formulas.
        let mask = cubes.fold(0, |mask, cube| mask | cube.state_true | cube.state_false);
        let mut classes = Vec::new();
        let mut indices: FxHashMap<u64, LetterClass> = FxHashMap::default();
        let mut class_of = Vec::with_capacity(letters.len());
        for letter in letters.iter().map(|letter| letter & mask) {
            class_of.push(*indices.entry(letter).or_insert_with(|| {
                classes.push(letter);
                LetterClass::at(classes.len() - 1)
            }));
        }
        let good = good_components(automaton, |transition| classes.iter().any(|&letter| reads(transition, letter)));
        let is_inner = |automaton_state: AutomatonState, transition: &Transition| {
            let component = good.of(automaton_state.index());
            // Two automaton states that belong to no kept component are not inside one.
            component.is_some() && good.of(transition.to.index()) == component
        };
        Self {
            automaton_states: automaton.transitions.len(),
            class_of,
            all: Allowed::new(automaton, &classes, |_, _| true),
            inner: Allowed::new(automaton, &classes, is_inner),
        }
    }

    /// The slot of a letter, by its index, and an automaton state.
    #[inline]
    pub(super) fn slot(&self, letter: StateLetter, automaton_state: AutomatonState) -> Slot {
        // As many slots as were counted in 32 bits.
        Slot::new((self.class_of[letter.index()].index() * self.automaton_states + automaton_state.index()) as u32)
    }
}

impl Allowed {
    fn new(automaton: &Automaton, classes: &[u64], has: impl Fn(AutomatonState, &Transition) -> bool) -> Self {
        let mut table = Self { starts: vec![AllowedPosition::new(0)], transitions: Vec::new(), marks: Vec::new() };
        for &letter in classes {
            for (automaton_state, transitions) in AutomatonState::all(automaton.transitions.len()).zip(&automaton.transitions) {
                let begin = table.transitions.len();
                // The letter of the state decides this part for all its edges; steps are compared edge by edge.
                let allows = |transition: &&Transition| reads(transition, letter) && has(automaton_state, transition);
                table.transitions.extend(transitions.iter().filter(allows));
                table.marks.push(table.transitions[begin..].iter().fold(0, |marks, transition| marks | transition.marks));
                table.starts.push(AllowedPosition::at(table.transitions.len()));
            }
        }
        table
    }

    /// Where the transitions of a slot begin and end.
    #[inline]
    pub(super) fn bounds(&self, slot: Slot) -> (AllowedPosition, AllowedPosition) {
        (self.starts[slot.index()], self.starts[slot.index() + 1])
    }

    /// A transition, by its position.
    #[inline]
    pub(super) fn transition(&self, position: AllowedPosition) -> &Transition {
        &self.transitions[position.index()]
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.marks.len()
    }

    /// The acceptance marks that any transition of a slot carries.
    pub(super) fn marks(&self, slot: Slot) -> u64 {
        self.marks[slot.index()]
    }
}
