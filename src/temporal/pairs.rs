//! Sets of pairs of a state and a phase, one bit for each pair that there could be.
//!
//! The bits of a state stand together, as many as the next power of two has: within one word, or in words of their own. So all phases
//! in which a state is reached are seen at once. Unlike that of a hash table, the size of a set is known before.
//! Invariant: the members of a complete set have numbers without gaps, in the order of their states, then of their phases. Deliberately
//! elsewhere: what leads from pair to pair (`product`).

use std::ops::Range;

/// The logarithm of the number of bits of a word.
const WORD: u32 = u64::BITS.trailing_zeros();

/// A node of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) state: u32,
    pub(super) phase: u32,
}

/// A set of pairs.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// The logarithm of the number of bits of a state.
    shift: u32,
    bits: Vec<u64>,
    /// By word, the number of members in the words before it, then the number of all that are counted; empty until the set is complete.
    before: Vec<u32>,
    /// The position behind those that are counted.
    end: usize,
}

impl Pairs {
    /// A set for pairs with this number of phases, without room.
    pub(crate) fn new(phases: usize) -> Self {
        Self { shift: phases.next_power_of_two().trailing_zeros(), bits: Vec::new(), before: Vec::new(), end: 0 }
    }

    /// Makes room for the pairs of the states below this number.
    pub(super) fn grow(&mut self, states: u32) {
        let words = ((states as usize) << self.shift).div_ceil(64);
        if words > self.bits.len() {
            self.bits.resize(words, 0);
        }
    }

    fn position(&self, pair: Pair) -> usize {
        (pair.state as usize) << self.shift | pair.phase as usize
    }

    /// Adds a pair; whether it is new.
    pub(super) fn insert(&mut self, pair: Pair) -> bool {
        let position = self.position(pair);
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
    pub(super) fn words(&self, state: u32) -> (Range<usize>, u32) {
        let position = (state as usize) << self.shift;
        // A power of two for each state, so its bits never straddle two words unless they fill them.
        let word = position >> WORD;
        (word..word + self.words_of_state(), (position % 64) as u32)
    }

    /// The bits of a state in its words, as they stand there; zero for all other bits.
    #[inline]
    pub(super) fn mask(&self) -> u64 {
        if self.shift >= WORD { u64::MAX } else { (1 << (1_u32 << self.shift)) - 1 }
    }

    /// The phases of a state in one of its words.
    #[inline]
    pub(super) fn phases(&self, word: usize, offset: u32) -> u64 {
        self.bits[word] >> offset & self.mask()
    }

    /// Adds phases of a state in one of its words; those that are new.
    #[inline]
    pub(super) fn add(&mut self, word: usize, offset: u32, phases: u64) -> u64 {
        let new = phases & !(self.bits[word] >> offset);
        self.bits[word] |= new << offset;
        new
    }

    /// Takes phases of a state out of one of its words.
    #[inline]
    pub(crate) fn remove(&mut self, word: usize, offset: u32, phases: u64) {
        self.bits[word] &= !(phases << offset);
    }

    /// Whether a state has no pair in the set.
    #[inline]
    pub(super) fn is_without(&self, state: u32) -> bool {
        let (words, offset) = self.words(state);
        words.into_iter().all(|word| self.phases(word, offset) == 0)
    }

    /// Makes the set complete: from now on its members are those of states below this number, less than 2^32.
    pub(super) fn complete(&mut self, states: u32) {
        self.end = (states as usize) << self.shift;
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
        // The last word may have bits of states beyond the end, whose pairs wait for their rows.
        let rest = self.end - index * 64;
        if rest < 64 { self.bits[index] & ((1 << rest) - 1) } else { self.bits[index] }
    }

    /// The number of members of a complete set.
    pub(super) fn len(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// The number of a member of a complete set: how many are before it.
    #[inline]
    pub(super) fn number(&self, pair: Pair) -> usize {
        let position = self.position(pair);
        // Rank by popcount with one counter a word (Jacobson, FOCS 1989): numbers without gaps, so the arrays of a search are as long as
        // the set.
        let below = self.bits[position / 64] & ((1 << (position % 64)) - 1);
        self.before[position / 64] as usize + below.count_ones() as usize
    }

    /// The members of a complete set, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = Pair> {
        let positions = (0..self.end.div_ceil(64)).flat_map(|index| {
            let mut rest = self.counted(index);
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        });
        let phases = (1 << self.shift) - 1;
        // Both numbers were of 32 bits when the pair was made a position.
        positions.map(move |position| Pair { state: (position >> self.shift) as u32, phase: (position & phases) as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_numbers_of_their_order() {
        for phases in [3, 4, 40, 200] {
            let mut pairs = Pairs::new(phases);
            pairs.grow(80);
            let inserted = [(70, 1), (0, 2), (21, 0), (21, 2), (0, 2), (42, 1), (71, 0)].map(|(state, phase)| Pair { state, phase });
            let new: Vec<bool> = inserted.iter().map(|&pair| pairs.insert(pair)).collect();
            assert_eq!(new, [true, true, true, true, false, true, true]);
            pairs.complete(71);
            let members: Vec<Pair> = pairs.members().collect();
            assert_eq!(members, [inserted[1], inserted[2], inserted[3], inserted[5], inserted[0]]);
            assert_eq!(members.iter().map(|&pair| pairs.number(pair)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            assert_eq!(pairs.len(), 5);
        }
    }

    #[test]
    fn phases_of_a_state_are_added_and_removed_together() {
        for phases in [3, 64, 130] {
            let mut pairs = Pairs::new(phases);
            pairs.grow(9);
            let (words, offset) = pairs.words(7);
            assert_eq!(words.len(), phases.div_ceil(64).next_power_of_two());
            assert_eq!(pairs.add(words.end - 1, offset, 0b101), 0b101);
            assert_eq!(pairs.add(words.end - 1, offset, 0b111), 0b010);
            assert!(!pairs.is_without(7) && pairs.is_without(6) && pairs.is_without(8));
            pairs.remove(words.end - 1, offset, 0b011);
            assert_eq!(pairs.phases(words.end - 1, offset), 0b100);
            let phase = (words.len() as u32 - 1) * 64 + 2;
            assert!(!pairs.insert(Pair { state: 7, phase }));
        }
    }
}
