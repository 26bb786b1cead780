//! Letters of states and steps: the distinct bit vectors, and by state the index of its vector.
//!
//! Invariant: indices are assigned in the order in which vectors first occur, and never change. Deliberately elsewhere: what the bits
//! mean.

use rustc_hash::FxHashMap;

/// Distinct letters, interned.
#[derive(Clone, Debug, Default)]
pub(super) struct Alphabet {
    letters: Vec<u64>,
    indices: FxHashMap<u64, u32>,
}

impl Alphabet {
    /// The index of a letter.
    pub(crate) fn index(&mut self, letter: u64) -> u32 {
        *self.indices.entry(letter).or_insert_with(|| {
            self.letters.push(letter);
            u32::try_from(self.letters.len() - 1).expect("less letters than states or steps")
        })
    }

    /// The letters, by index.
    pub(super) fn letters(&self) -> &[u64] {
        &self.letters
    }

    /// The bytes that are allocated, about.
    pub(super) fn allocated(&self) -> usize {
        8 * self.letters.capacity() + 16 * self.indices.capacity()
    }
}

/// Numbers in as few bytes each as the largest one needs.
#[derive(Clone, Debug)]
pub(super) enum Indices {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Default for Indices {
    fn default() -> Self {
        Self::One(Vec::new())
    }
}

impl Indices {
    /// Adds a number at the end.
    pub(crate) fn push(&mut self, number: u32) {
        match self {
            Self::One(numbers) => match u8::try_from(number) {
                Ok(number) => numbers.push(number),
                // The whole table is widened: reading needs no second table, and it happens at most twice in the life of a graph.
                Err(_) => {
                    *self = Self::Two(numbers.iter().map(|&number| u16::from(number)).collect());
                    self.push(number);
                }
            },
            Self::Two(numbers) => match u16::try_from(number) {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    *self = Self::Four(numbers.iter().map(|&number| u32::from(number)).collect());
                    self.push(number);
                }
            },
            Self::Four(numbers) => numbers.push(number),
        }
    }

    /// The number at a position.
    #[inline]
    pub(super) fn get(&self, position: usize) -> u32 {
        match self {
            Self::One(numbers) => u32::from(numbers[position]),
            Self::Two(numbers) => u32::from(numbers[position]),
            Self::Four(numbers) => numbers[position],
        }
    }

    /// The bytes that are allocated.
    pub(super) fn allocated(&self) -> usize {
        match self {
            Self::One(numbers) => numbers.capacity(),
            Self::Two(numbers) => 2 * numbers.capacity(),
            Self::Four(numbers) => 4 * numbers.capacity(),
        }
    }

    /// Releases unused capacity.
    pub(super) fn shrink(&mut self) {
        match self {
            Self::One(numbers) => numbers.shrink_to_fit(),
            Self::Two(numbers) => numbers.shrink_to_fit(),
            Self::Four(numbers) => numbers.shrink_to_fit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_widen_and_keep_their_numbers() {
        let mut indices = Indices::default();
        let numbers = [3, 255, 256, 7, 65_535, 65_536, 1, u32::MAX];
        for number in numbers {
            indices.push(number);
        }
        let read: Vec<u32> = (0..numbers.len()).map(|position| indices.get(position)).collect();
        assert_eq!(read, numbers);
        indices.shrink();
        assert!(indices.allocated() >= 4 * numbers.len());
    }

    #[test]
    fn equal_letters_have_one_index() {
        let mut alphabet = Alphabet::default();
        let indices: Vec<u32> = [5, 9, 5, 0, 9].into_iter().map(|letter| alphabet.index(letter)).collect();
        assert_eq!(indices, [0, 1, 0, 2, 1]);
        assert_eq!(alphabet.letters(), [5, 9, 0]);
    }
}
