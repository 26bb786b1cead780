//! Sets of product states, with one bit for each state of the graph and state of the automaton.
//!
//! The bits of a state are adjacent, their number rounded up to a power of two: within one word, or in words of their own. So all
//! automaton states in which a state is reached are read at once. Unlike that of a hash table, the size of a set is known beforehand.
//! Invariant: the members of a complete set are numbered without gaps, in the order of their states, then of their automaton states.
//! Deliberately elsewhere: edges between product states (`product`).

use super::automaton::AutomatonState;
use super::graph::StateNumber;
use std::ops::Range;

/// The logarithm of the number of bits of a word.
const WORD: u32 = u64::BITS.trailing_zeros();

/// A node of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ProductState {
    pub(super) state: StateNumber,
    pub(super) automaton_state: AutomatonState,
}

/// A set of product states.
#[derive(Clone, Debug)]
pub(super) struct ProductStates {
    /// The logarithm of the number of bits of a state.
    shift: u32,
    bits: Vec<u64>,
    /// By word, the number of members in the words before it, then the number of all that are counted; empty until the set is complete.
    before: Vec<u32>,
    /// The position behind those that are counted.
    end: usize,
}

impl ProductStates {
    /// A set for product states with this number of automaton states, without room.
    pub(crate) fn new(automaton_states: usize) -> Self {
        Self { shift: automaton_states.next_power_of_two().trailing_zeros(), bits: Vec::new(), before: Vec::new(), end: 0 }
    }

    /// Makes room for the product states of the states below this number.
    pub(super) fn grow(&mut self, end: StateNumber) {
        let words = (end.index() << self.shift).div_ceil(64);
        if words > self.bits.len() {
            self.bits.resize(words, 0);
        }
    }

    fn position(&self, product_state: ProductState) -> usize {
        product_state.state.index() << self.shift | product_state.automaton_state.index()
    }

    /// Adds a product state; whether it is new.
    pub(super) fn insert(&mut self, product_state: ProductState) -> bool {
        let position = self.position(product_state);
        let word = &mut self.bits[position / 64];
        let bit = 1 << (position % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The number of words in which a state has bits.
    pub(super) fn words_of_state(&self) -> usize {
        1 << self.shift.saturating_sub(WORD)
    }

    /// Where the bits of a state are: in which words, and from which bit on.
    #[inline]
    pub(super) fn words(&self, state: StateNumber) -> (Range<usize>, u32) {
        let position = state.index() << self.shift;
        // A power of two for each state, so its bits never straddle two words unless they fill them.
        let word = position >> WORD;
        (word..word + self.words_of_state(), (position % 64) as u32)
    }

    /// The bits of a state in its words, in place; zero for all other bits.
    #[inline]
    pub(super) fn mask(&self) -> u64 {
        if self.shift >= WORD { u64::MAX } else { (1 << (1_u32 << self.shift)) - 1 }
    }

    /// The automaton states of a state in one of its words.
    #[inline]
    pub(super) fn automaton_states(&self, word: usize, offset: u32) -> u64 {
        self.bits[word] >> offset & self.mask()
    }

    /// Adds automaton states of a state in one of its words; those that are new.
    #[inline]
    pub(super) fn add(&mut self, word: usize, offset: u32, automaton_states: u64) -> u64 {
        let new = automaton_states & !(self.bits[word] >> offset);
        self.bits[word] |= new << offset;
        new
    }

    /// Takes automaton states of a state out of one of its words.
    #[inline]
    pub(crate) fn remove(&mut self, word: usize, offset: u32, automaton_states: u64) {
        self.bits[word] &= !(automaton_states << offset);
    }

    /// Whether a state has no product state in the set.
    #[inline]
    pub(super) fn is_without(&self, state: StateNumber) -> bool {
        let (words, offset) = self.words(state);
        words.into_iter().all(|word| self.automaton_states(word, offset) == 0)
    }

    /// Makes the set complete: from now on its members are those of states below this number, less than 2^32.
    pub(super) fn complete(&mut self, end: StateNumber) {
        self.end = end.index() << self.shift;
        let mut count = 0;
        self.before.clear();
        self.before.reserve_exact(self.end.div_ceil(64) + 1);
        for index in 0..self.end.div_ceil(64) {
            self.before.push(count);
            count += self.counted(index).count_ones();
        }
        self.before.push(count);
    }

    /// The members in a word of a complete set.
    fn counted(&self, index: usize) -> u64 {
        // The last word may have bits of states beyond the end, whose product states wait for their rows.
        let rest = self.end - index * 64;
        if rest < 64 { self.bits[index] & ((1 << rest) - 1) } else { self.bits[index] }
    }

    /// The number of members of a complete set.
    pub(super) fn len(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// The number of a member of a complete set: how many are before it.
    #[inline]
    pub(super) fn number(&self, product_state: ProductState) -> usize {
        let position = self.position(product_state);
        // Rank by popcount with one counter a word (Jacobson, FOCS 1989): numbers without gaps, so the arrays of a search are as long as
        // the set.
        let below = self.bits[position / 64] & ((1 << (position % 64)) - 1);
        self.before[position / 64] as usize + below.count_ones() as usize
    }

    /// The members of a complete set, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = ProductState> {
        let positions = (0..self.end.div_ceil(64)).flat_map(|index| {
            let mut rest = self.counted(index);
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        });
        let automaton_states = (1 << self.shift) - 1;
        // Both numbers were of 32 bits when the product state was made a position.
        positions.map(move |position| ProductState {
            state: StateNumber::new((position >> self.shift) as u32),
            automaton_state: AutomatonState::new((position & automaton_states) as u32),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_numbers_of_their_order() {
        for automaton_states in [3, 4, 40, 200] {
            let mut product_states = ProductStates::new(automaton_states);
            product_states.grow(StateNumber::new(80));
            let inserted = [(70, 1), (0, 2), (21, 0), (21, 2), (0, 2), (42, 1), (71, 0)]
                .map(|(state, number)| ProductState { state: StateNumber::new(state), automaton_state: AutomatonState::new(number) });
            let new: Vec<bool> = inserted.iter().map(|&product_state| product_states.insert(product_state)).collect();
            assert_eq!(new, [true, true, true, true, false, true, true]);
            product_states.complete(StateNumber::new(71));
            let members: Vec<ProductState> = product_states.members().collect();
            assert_eq!(members, [inserted[1], inserted[2], inserted[3], inserted[5], inserted[0]]);
            assert_eq!(members.iter().map(|&product_state| product_states.number(product_state)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            assert_eq!(product_states.len(), 5);
        }
    }

    #[test]
    fn automaton_states_of_a_state_are_added_and_removed_together() {
        for automaton_states in [3, 64, 130] {
            let mut product_states = ProductStates::new(automaton_states);
            let [before, state, after, end] = [6, 7, 8, 9].map(StateNumber::new);
            product_states.grow(end);
            let (words, offset) = product_states.words(state);
            assert_eq!(words.len(), automaton_states.div_ceil(64).next_power_of_two());
            assert_eq!(product_states.add(words.end - 1, offset, 0b101), 0b101);
            assert_eq!(product_states.add(words.end - 1, offset, 0b111), 0b010);
            assert!(!product_states.is_without(state) && product_states.is_without(before) && product_states.is_without(after));
            product_states.remove(words.end - 1, offset, 0b011);
            assert_eq!(product_states.automaton_states(words.end - 1, offset), 0b100);
            let automaton_state = AutomatonState::at((words.len() - 1) * 64 + 2);
            assert!(!product_states.insert(ProductState { state, automaton_state }));
        }
    }
}
