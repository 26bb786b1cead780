//! Values of small finite types (and machine integers) as words of 64 bits.
//!
//! An element is its index, BOOL is 0 and 1, a pair `(a, b)` is `a * |B| + b`, a set over a numbered universe is a bit mask, least
//! number lowest; so a relation between S and T is a row-major bit matrix. An integer is its two's complement; in sets and pairs it
//! is below a bound that the whole machine has in common, and not negative, so that its number is the integer itself.
//! Invariant: numbers have the order of their values, so that enumerating bits enumerates values in order; a value outside its packing
//! is refused, never cut. Deliberately elsewhere: evaluation on words (`eval::packed`), how elements in words are renamed (`symmetry`),
//! how words are stored (`state`).

use super::{Element, Set, Symbolic, Value};
use crate::ir::{Scope, SetId, Type};

/// A finite set of values that are numbered from 0 in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Universe {
    /// FALSE and TRUE.
    Bool,
    /// A given set of this size.
    Given(SetId, u32),
    /// The integers `0..n`.
    Integers(u32),
    /// Pairs, row by row, with their number.
    Pairs(Box<Universe>, Box<Universe>, u32),
}

/// How the values of one type are represented as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A number in a universe: one word.
    Index(Universe),
    /// A machine integer: one word.
    Integer,
    /// A set of numbers: a bit mask of as many words as the universe needs, at least one.
    Mask(Universe),
}

/// The largest universe of the members of a set: 64 words for a mask.
const MASK_BITS: u32 = 4096;
/// The largest universe of pairs.
const INDICES: u32 = 1 << 24;

/// The lowest `count` bits.
#[must_use]
pub fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Makes the mask of the interval `from..to`, whose numbers its words have room for; empty when `from` is above `to`.
pub fn set_interval(mask: &mut [u64], from: u64, to: u64) {
    for (word, at) in mask.iter_mut().zip((0..).step_by(64)) {
        // The bits of this word, which begins at number `at`, that stand for numbers below a bound: none, some, or all 64.
        let below = |number: u64| low_bits(u32::try_from(number.saturating_sub(at)).unwrap_or(64));
        *word = below(to + 1) & !below(from);
    }
}

/// The positions of the bits of a mask of one word, ascending.
pub fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let position = u64::from(mask.trailing_zeros());
        mask &= mask - 1;
        Some(position)
    })
}

/// The positions of the bits of a mask of several words, ascending.
pub fn all_bits(mask: &[u64]) -> impl Iterator<Item = u64> + '_ {
    (0..).zip(mask).flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
}

impl Universe {
    /// The universe of a type without sets, with the integers `0..integers` (exclusive); if that is 0, the type must be without integers.
    #[must_use]
    pub fn of(ty: &Type, scope: &Scope, integers: u32) -> Option<Self> {
        match ty {
            Type::Bool => Some(Universe::Bool),
            Type::Integer => (integers > 0).then_some(Universe::Integers(integers)),
            Type::Given(set) => Some(Universe::Given(*set, scope.size(*set))),
            Type::Pair(first, second) => Self::pairs(Self::of(first, scope, integers)?, Self::of(second, scope, integers)?),
            Type::String | Type::Set(_) | Type::Record(_) | Type::Free(_) => None,
        }
    }

    /// The pairs of two universes, unless there are too many.
    #[must_use]
    pub fn pairs(first: Self, second: Self) -> Option<Self> {
        let size = first.size().checked_mul(second.size()).filter(|size| *size <= INDICES)?;
        Some(Universe::Pairs(Box::new(first), Box::new(second), size))
    }

    /// The number of values.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Universe::Bool => 2,
            Universe::Given(_, size) | Universe::Integers(size) | Universe::Pairs(_, _, size) => *size,
        }
    }

    /// The number of words of a set.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        (self.size() as usize).div_ceil(64).max(1)
    }

    /// The number of a value.
    #[must_use]
    pub fn index(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Universe::Bool, Value::Bool(value)) => Some(u64::from(*value)),
            // Typing makes it an element of this set, and then its index is below the size.
            (Universe::Given(..), Value::Element(element)) => Some(u64::from(element.index)),
            (Universe::Integers(size), Value::Integer(number)) => {
                number.to_i64().and_then(|number| u64::try_from(number).ok()).filter(|number| *number < u64::from(*size))
            }
            (Universe::Pairs(first, second, _), Value::Pair(pair)) => {
                Some(first.index(&pair.0)? * u64::from(second.size()) + second.index(&pair.1)?)
            }
            _ => None,
        }
    }

    /// The value with a number.
    ///
    /// # Panics
    /// When the number is not below the size.
    #[must_use]
    pub fn value(&self, number: u64) -> Value {
        match self {
            Universe::Bool => Value::Bool(number != 0),
            Universe::Given(set, _) => {
                Value::Element(Element { set: *set, index: u32::try_from(number).expect("a number is below its universe's size") })
            }
            Universe::Integers(_) => Value::integer(i64::try_from(number).expect("a number is below its universe's size")),
            Universe::Pairs(first, second, _) => {
                let columns = u64::from(second.size());
                Value::pair(first.value(number / columns), second.value(number % columns))
            }
        }
    }

    /// Whether integers occur in the values: then the type has other values, which the universe does not.
    #[must_use]
    pub fn has_integers(&self) -> bool {
        match self {
            Universe::Bool | Universe::Given(..) => false,
            Universe::Integers(_) => true,
            Universe::Pairs(first, second, _) => first.has_integers() || second.has_integers(),
        }
    }

    /// Rows and columns, if this is a universe of pairs.
    #[must_use]
    pub fn rows_and_columns(&self) -> Option<(&Universe, &Universe)> {
        match self {
            Universe::Pairs(rows, columns, _) => Some((rows, columns)),
            _ => None,
        }
    }
}

impl Packing {
    /// How values of a type are packed, if words can hold them; for `integers` see [`Universe::of`].
    #[must_use]
    pub fn of(ty: &Type, scope: &Scope, integers: u32) -> Option<Self> {
        let universe = |ty| Universe::of(ty, scope, integers);
        match ty {
            Type::Integer => Some(Packing::Integer),
            Type::Set(element) => universe(element).filter(|universe| universe.size() <= MASK_BITS).map(Packing::Mask),
            Type::Bool | Type::Given(_) | Type::Pair(..) => universe(ty).map(Packing::Index),
            Type::String | Type::Record(_) | Type::Free(_) => None,
        }
    }

    /// Whether values with integers are numbered, so that not all values of the type fit. (A single integer is not numbered.)
    #[must_use]
    pub fn has_integers(&self) -> bool {
        match self {
            Packing::Integer => false,
            Packing::Index(universe) | Packing::Mask(universe) => universe.has_integers(),
        }
    }

    /// The number of words of a value.
    #[must_use]
    pub fn words(&self) -> usize {
        match self {
            Packing::Index(_) | Packing::Integer => 1,
            Packing::Mask(universe) => universe.mask_words(),
        }
    }

    /// The number of bits that tell all values apart.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            // The bits of the greatest number: none where there is only one value.
            Packing::Index(universe) => 32 - universe.size().saturating_sub(1).leading_zeros(),
            Packing::Integer => 64,
            Packing::Mask(universe) => universe.size(),
        }
    }

    /// The number of bits in use of each word: all but the last are full.
    pub fn widths(&self) -> impl Iterator<Item = u32> + use<> {
        let (words, width) = (self.words(), self.width());
        (0..words).map(move |at| if at + 1 < words { 64 } else { width - 64 * u32::try_from(at).expect("a mask has few words") })
    }

    /// Writes a value to its words; false for descriptions other than intervals, big integers, and values outside the universe.
    #[must_use]
    pub fn pack(&self, value: &Value, out: &mut [u64]) -> bool {
        match (self, value) {
            (Packing::Index(universe), _) => universe.index(value).map(|number| out[0] = number).is_some(),
            #[allow(clippy::cast_sign_loss, reason = "two's complement is the representation")]
            (Packing::Integer, Value::Integer(number)) => number.to_i64().map(|number| out[0] = number as u64).is_some(),
            (Packing::Mask(universe), Value::Set(set)) => {
                out.fill(0);
                // The representation of a small set of elements is its packing, in the first word.
                if let (Universe::Given(..), Some((_, mask))) = (universe, set.as_bits()) {
                    out[0] = mask;
                    return true;
                }
                set.iter().all(|element| match universe.index(&element) {
                    Some(number) => {
                        out[number as usize / 64] |= 1 << (number % 64);
                        true
                    }
                    None => false,
                })
            }
            (Packing::Mask(universe @ Universe::Integers(_)), Value::Symbolic(symbolic)) => match &**symbolic {
                // An interval that is too long to be listed; equal to its members in words, so they must agree.
                Symbolic::Interval(from, to) => {
                    let ends = [from, to].map(|end| universe.index(&Value::Integer(end.clone())));
                    let [Some(from), Some(to)] = ends else { return false };
                    set_interval(out, from, to);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The value of its words.
    #[must_use]
    pub fn unpack(&self, words: &[u64]) -> Value {
        match self {
            Packing::Index(universe) => universe.value(words[0]),
            #[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation")]
            Packing::Integer => Value::integer(words[0] as i64),
            Packing::Mask(universe) => match universe {
                Universe::Given(set, size) if *size <= 64 => {
                    Value::Set(if words[0] == 0 { Set::empty() } else { Set::from_bits(*set, words[0]) })
                }
                // Ascending bits are ascending values.
                _ => Value::Set(Set::from_sorted(all_bits(words).map(|number| universe.value(number)).collect())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(packing: &Packing, value: &Value) -> Vec<u64> {
        let mut words = vec![7; packing.words()];
        assert!(packing.pack(value, &mut words), "{value:?}");
        assert_eq!(&packing.unpack(&words), value);
        words
    }

    #[test]
    fn a_relation_of_more_than_64_pairs_is_a_mask_of_several_words() {
        let scope = Scope { sizes: vec![9, 12], minint: -1, maxint: 3 };
        let pair = Type::pair(Type::Given(SetId(0)), Type::Given(SetId(1)));
        let packing = Packing::of(&Type::set(pair), &scope, 0).expect("108 bits fit");
        assert_eq!((packing.words(), packing.width()), (2, 108));
        let pairs = (0..9).map(|at| Value::pair(Value::element(SetId(0), at), Value::element(SetId(1), at + 3))).collect();
        let words = there_and_back(&packing, &Value::set(pairs));
        assert_eq!(words[0].count_ones() + words[1].count_ones(), 9);
        assert_eq!(there_and_back(&packing, &Value::Set(Set::empty())), [0, 0]);
    }

    #[test]
    fn integers_of_a_universe_are_their_own_numbers_and_others_are_refused() {
        let scope = Scope { sizes: vec![], minint: -1, maxint: 3 };
        assert_eq!(Packing::of(&Type::set(Type::Integer), &scope, 0), None);
        let packing = Packing::of(&Type::set(Type::Integer), &scope, 5).expect("5 bits fit");
        assert_eq!(there_and_back(&packing, &Value::set(vec![Value::integer(0), Value::integer(4)])), [0b10001]);
        assert!(!packing.pack(&Value::set(vec![Value::integer(5)]), &mut [0]));
        assert!(!packing.pack(&Value::set(vec![Value::integer(-1)]), &mut [0]));
    }

    #[test]
    fn intervals_are_sets_as_far_as_the_universe_goes() {
        let scope = Scope { sizes: vec![], minint: -1, maxint: 3 };
        let packing = Packing::of(&Type::set(Type::Integer), &scope, 130).expect("130 bits fit");
        let interval = |from: i64, to: i64| Value::Symbolic(Symbolic::Interval(from.into(), to.into()).into());
        for (from, to) in [(0, 0), (0, 129), (3, 70), (63, 64), (64, 127), (128, 129), (5, 4)] {
            let (mut described, mut listed) = ([7; 3], [7; 3]);
            assert!(packing.pack(&interval(from, to), &mut described));
            assert!(packing.pack(&Value::set((from..=to).map(Value::integer).collect()), &mut listed));
            assert_eq!(described, listed, "{from}..{to}");
        }
        assert!(!packing.pack(&interval(1, 130), &mut [0; 3]) && !packing.pack(&interval(-1, 2), &mut [0; 3]));
    }

    #[test]
    fn sets_over_more_than_64_elements_come_back() {
        let scope = Scope { sizes: vec![70], minint: -1, maxint: 3 };
        let packing = Packing::of(&Type::set(Type::Given(SetId(0))), &scope, 0).expect("70 bits fit");
        let low = Value::set(vec![Value::element(SetId(0), 0), Value::element(SetId(0), 63)]);
        let high = Value::set(vec![Value::element(SetId(0), 5), Value::element(SetId(0), 69)]);
        assert_eq!(there_and_back(&packing, &low), [1 | 1 << 63, 0]);
        assert_eq!(there_and_back(&packing, &high), [1 << 5, 1 << 5]);
    }
}
