//! Sets of vertices as bits, of a width that is fixed at compile time or chosen at run time.
//!
//! All code that labels a structure is generic over [`Bits`]; arrays of one, two and four words make it fast, a vector of words makes it
//! general.
//! Invariant: the operands of an operation have equally many words. Deliberately elsewhere: which width is used when ([`label`](super)).

use std::fmt::Debug;

bcheck_source::numbers! {
    /// The number of a vertex of a structure.
    pub Vertex;
}

impl Vertex {
    /// The vertex of a bit of a word.
    #[inline]
    fn of_bit(word: usize, bit: u32) -> Self {
        Vertex(number(word) * 64 + bit)
    }

    /// The index of the word that has its bit.
    #[inline]
    pub(crate) fn word(self) -> usize {
        self.index() / 64
    }

    /// Where its bit is in that word.
    #[inline]
    pub(crate) fn shift(self) -> u32 {
        self.0 % 64
    }

    /// Its bit, in that word.
    #[inline]
    pub(crate) fn bit(self) -> u64 {
        1 << self.shift()
    }
}

/// A set of vertices.
pub(super) trait Bits: Clone + Ord + Debug + Default {
    /// The empty set; a set of fixed width has its own number of words.
    fn none(words: usize) -> Self;

    /// The words; bit `k` of word `w` is vertex `64 * w + k`.
    fn words(&self) -> &[u64];

    /// The words, to be changed.
    fn words_mut(&mut self) -> &mut [u64];

    /// Combines two sets word by word.
    fn zip(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self;

    /// The intersection.
    #[inline]
    fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The difference: the vertices that the other set lacks.
    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// The symmetric difference.
    #[inline]
    fn xor(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    /// Adds all vertices of the other set.
    #[inline]
    fn add(&mut self, other: &Self) {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a |= b);
    }

    /// Removes all vertices of the other set.
    #[inline]
    fn remove(&mut self, other: &Self) {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= !b);
    }

    /// Whether the set has no vertex.
    #[inline]
    fn is_empty(&self) -> bool {
        // Folded without an early exit: for a few words, combining all is cheaper than branching on each. Likewise in `meets`.
        self.words().iter().fold(0, |all, word| all | word) == 0
    }

    /// Whether the two sets have a vertex in common.
    #[inline]
    fn meets(&self, other: &Self) -> bool {
        self.words().iter().zip(other.words()).fold(0, |all, (a, b)| all | a & b) != 0
    }

    /// The number of vertices.
    #[inline]
    fn count(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// The least vertex.
    #[inline]
    fn first(&self) -> Option<Vertex> {
        self.first_from(&mut 0)
    }

    /// The least vertex, if the words before `from` are known to be empty; moves `from` to its word. A loop that only removes vertices
    /// keeps `from` from call to call, so that it scans the words once.
    #[inline]
    fn first_from(&self, from: &mut usize) -> Option<Vertex> {
        let words = self.words();
        while let Some(word) = words.get(*from) {
            if *word != 0 {
                return Some(Vertex::of_bit(*from, word.trailing_zeros()));
            }
            *from += 1;
        }
        None
    }

    /// Inserts a vertex.
    #[inline]
    fn set(&mut self, vertex: Vertex) {
        self.words_mut()[vertex.word()] |= vertex.bit();
    }

    /// Removes a vertex.
    #[inline]
    fn clear(&mut self, vertex: Vertex) {
        self.words_mut()[vertex.word()] &= !vertex.bit();
    }

    /// All vertices, ascending.
    #[inline]
    fn ones(&self) -> Ones<'_> {
        let words = self.words();
        Ones { words, at: 0, rest: words.first().copied().unwrap_or(0) }
    }
}

impl<const W: usize> Bits for [u64; W]
where
    [u64; W]: Default,
{
    #[inline]
    fn none(_words: usize) -> Self {
        [0; W]
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    #[inline]
    fn zip(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        std::array::from_fn(|at| combine(self[at], other[at]))
    }
}

impl Bits for Vec<u64> {
    fn none(words: usize) -> Self {
        vec![0; words]
    }

    fn words(&self) -> &[u64] {
        self
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    fn zip(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        self.iter().zip(other).map(|(&a, &b)| combine(a, b)).collect()
    }
}

/// The vertices of a list of words, ascending.
#[derive(Clone, Debug)]
pub(super) struct Ones<'a> {
    words: &'a [u64],
    at: usize,
    rest: u64,
}

impl Iterator for Ones<'_> {
    type Item = Vertex;

    #[inline]
    fn next(&mut self) -> Option<Vertex> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.words.get(self.at)?;
        }
        // One instruction for each element, whatever the gaps.
        let bit = self.rest.trailing_zeros();
        // Clears the lowest one bit.
        self.rest &= self.rest - 1;
        Some(Vertex::of_bit(self.at, bit))
    }
}

/// A position or a count as 32 bits, which hold all of them.
#[inline]
pub(super) fn number(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok(), "structures have fewer than 2^32 vertices");
    at as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B: Bits>(words: usize) {
        let mut set = B::none(words);
        let mut expected = Vec::new();
        for vertex in [0, 63, 64, 100, 200, 500].map(Vertex) {
            if vertex.word() < words {
                set.set(vertex);
                expected.push(vertex);
            }
        }
        assert_eq!(set.ones().collect::<Vec<_>>(), expected);
        assert_eq!(set.count() as usize, expected.len());
        let mut other = set.clone();
        other.clear(Vertex(63));
        assert!(set.meets(&other));
        assert_eq!(set.minus(&other).first(), Some(Vertex(63)));
        assert_eq!(set.and(&other), other);
        assert_eq!(set.xor(&other).ones().collect::<Vec<_>>(), [Vertex(63)]);
        other.remove(&set);
        assert!(other.is_empty() && !other.meets(&set) && other.first().is_none());
        other.add(&set);
        assert_eq!(other, set);
    }

    #[test]
    fn all_widths_are_sets_alike() {
        check::<[u64; 1]>(1);
        check::<[u64; 2]>(2);
        check::<[u64; 4]>(4);
        check::<Vec<u64>>(9);
    }
}
