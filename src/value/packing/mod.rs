//! Values of small finite types (and machine integers) as words of 64 bits.
//!
//! A value of a finite type is its number (`universe`), a set over a numbered universe is a bit mask, least number lowest; so a relation
//! between S and T is a row-major bit matrix. An integer is its two's complement.
//! Invariant: enumerating bits enumerates values in order; a value outside its packing is refused, never cut. Deliberately elsewhere:
//! evaluation on words (`eval::packed`), how elements in words are renamed (`symmetry`), how words are stored (`state`).

mod masks;
mod universe;

use crate::thresholds::PACKED_MASK_BITS;
pub use masks::{all_bits, bits, compare_sets, low_bits, number_width, set_interval};
pub use universe::Universe;

use super::{Symbolic, Value};
use bcheck_ir::{Scope, Type};

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

impl Packing {
    /// How values of a type are packed, if words can hold them; for `integers` see [`Universe::of`].
    #[must_use]
    pub fn of(ty: &Type, scope: &Scope, integers: u32) -> Option<Self> {
        let universe = |ty| Universe::of(ty, scope, integers);
        match ty {
            Type::Integer => Some(Packing::Integer),
            Type::Set(element) => universe(element).filter(|universe| universe.size() <= PACKED_MASK_BITS.get()).map(Packing::Mask),
            Type::Bool | Type::Given(_) | Type::Pair(..) => universe(ty).map(Packing::Index),
            // Records could be numbered, as in keys of bytes, but the operators on words do not support fields.
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

    /// The exclusive bound of the number in the word of a value; `None` where every word of the width is a value or a part of one.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        match self {
            Packing::Index(universe) => Some(universe.size().into()),
            Packing::Integer | Packing::Mask(_) => None,
        }
    }

    /// The number of bits that distinguish all values.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Packing::Index(universe) => number_width(universe.size() as usize),
            Packing::Integer => 64,
            Packing::Mask(universe) => universe.size(),
        }
    }

    /// The number of bits in use of each word: all but the last are full.
    pub fn widths(&self) -> impl Iterator<Item = u32> + use<> {
        // A value that is not a mask has one word, the last one.
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
                // `add_to_mask` only sets bits, and the words hold an earlier value.
                out.fill(0);
                universe.add_to_mask(set, out)
            }
            (Packing::Mask(universe @ Universe::Integers(_)), Value::Symbolic(symbolic)) => match &**symbolic {
                // An interval too long to be explicit still has the words of its members: equal states need equal keys.
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
            Packing::Mask(universe) => Value::Set(universe.set_of(words)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Set;
    use bcheck_ir::SetId;

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
