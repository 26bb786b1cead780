//! Finite types whose values are numbered from 0: the only numbering of the program, for words and for keys of bytes.
//!
//! An element is its index, BOOL is 0 and 1, a pair `(a, b)` is `a * |B| + b`, and a record is a number with as many digits as it has
//! fields. A set is its index among all subsets of its universe. An integer is itself, from 0 up to a bound that is common to the whole
//! machine.
//!
//! Invariant: numbering is a bijection onto `0..size` in the order of values, so enumerating numbers enumerates values in order; a value
//! outside the universe has no number. Deliberately elsewhere: which values are packed by their numbers, into words (`packing`) or bytes
//! (`state::shape`).

use super::masks::{all_bits, compare_sets};
use crate::thresholds::PACKED_MASK_BITS;
use crate::{Element, Set, Value};
use bcheck_ir::{Scope, SetId, Type};
use std::sync::Arc;

/// A finite set of values that are numbered from 0 in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Universe {
    /// FALSE and TRUE.
    Bool,
    /// A given set of this size.
    Given(SetId, u32),
    /// The integers `0..n`.
    Integers(u32),
    /// Pairs, row by row, and how many there are.
    Pairs(Box<Universe>, Box<Universe>, u32),
    /// Records by their fields, and how many there are. Not for words.
    Records(Box<[(Arc<str>, Universe)]>, u32),
    /// All subsets of a small universe. Not for words.
    Subsets(Box<Subsets>),
}

/// The subsets of a universe of at most twelve values, in the order of sets. That is not the order of their masks, so there is a
/// table for each direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subsets {
    members: Universe,
    /// By number, the mask.
    masks: Box<[u16]>,
    /// By mask, the number.
    numbers: Box<[u16]>,
}

/// The largest universe of pairs: numbers stay far below 2^32, so arithmetic on them does not overflow a word.
const INDICES: u32 = 1 << 24;

impl Universe {
    /// The universe of a type without sets and records, with the integers `0..integers` (exclusive); if that is 0, the type must be without
    /// integers. The operators on words know these universes only.
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

    /// The universe of any type of few values, as the members of a set of bits have it: also of sets and records, but without integers.
    #[must_use]
    pub fn of_members(ty: &Type, scope: &Scope) -> Option<Self> {
        let universe = match ty {
            Type::Bool | Type::Given(_) => Self::of(ty, scope, 0)?,
            Type::Pair(first, second) => Self::pairs(Self::of_members(first, scope)?, Self::of_members(second, scope)?)?,
            Type::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| Some((name.clone(), Self::of_members(ty, scope)?)));
                let fields: Box<[(Arc<str>, Universe)]> = fields.collect::<Option<_>>()?;
                let size = fields.iter().try_fold(1u32, |size, (_, field)| size.checked_mul(field.size()))?;
                Universe::Records(fields, size)
            }
            Type::Set(element) => Universe::Subsets(Box::new(Subsets::of(Self::of_members(element, scope)?)?)),
            Type::Integer | Type::String | Type::Free(_) => return None,
        };
        // Universes inside of this one have passed the same test, so no size before it overflows.
        (universe.size() <= PACKED_MASK_BITS.get()).then_some(universe)
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
            Universe::Given(_, size) | Universe::Integers(size) | Universe::Pairs(_, _, size) | Universe::Records(_, size) => *size,
            // At most twelve members (`Subsets::of`).
            Universe::Subsets(subsets) => 1 << subsets.members.size(),
        }
    }

    /// The number of a value; `None` for a value that is not in the universe.
    #[must_use]
    pub fn index(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Universe::Bool, Value::Bool(value)) => Some(u64::from(*value)),
            (Universe::Given(set, size), Value::Element(element)) => {
                (element.set == *set && element.index < *size).then_some(u64::from(element.index))
            }
            (Universe::Integers(size), Value::Integer(number)) => {
                number.to_i64().and_then(|number| u64::try_from(number).ok()).filter(|number| *number < u64::from(*size))
            }
            (Universe::Pairs(first, second, _), Value::Pair(pair)) => {
                Some(first.index(&pair.0)? * u64::from(second.size()) + second.index(&pair.1)?)
            }
            (Universe::Records(fields, _), Value::Record(values)) if fields.len() == values.len() => {
                // Digits of a mixed radix, the first one the most significant, as records are compared.
                fields.iter().zip(values.iter()).try_fold(0, |number, ((name, field), (other, value))| {
                    if name == other { Some(number * u64::from(field.size()) + field.index(value)?) } else { None }
                })
            }
            (Universe::Subsets(subsets), Value::Set(set)) => subsets.index(set),
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
                // Row-major: the inverse of `index`.
                Value::pair(first.value(number / columns), second.value(number % columns))
            }
            Universe::Records(fields, _) => {
                // The last field is the lowest digit.
                let mut rest = number;
                let mut values: Vec<(Arc<str>, Value)> = Vec::with_capacity(fields.len());
                for (name, field) in fields.iter().rev() {
                    let size = u64::from(field.size());
                    values.push((name.clone(), field.value(rest % size)));
                    rest /= size;
                }
                values.reverse();
                Value::Record(values.into())
            }
            Universe::Subsets(subsets) => Value::Set(subsets.members.set_of(&[u64::from(subsets.masks[number as usize])])),
        }
    }

    /// Whether integers occur in the values: then the type has other values, which the universe does not.
    #[must_use]
    pub fn has_integers(&self) -> bool {
        match self {
            Universe::Bool | Universe::Given(..) => false,
            Universe::Integers(_) => true,
            Universe::Pairs(first, second, _) => first.has_integers() || second.has_integers(),
            Universe::Records(fields, _) => fields.iter().any(|(_, field)| field.has_integers()),
            Universe::Subsets(subsets) => subsets.members.has_integers(),
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

/// Sets over a universe, as bit masks: a bit per value.
impl Universe {
    /// The number of words of a mask: at least one, even if no value needs a bit.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        (self.size() as usize).div_ceil(64).max(1)
    }

    /// Adds the members of a set to a mask; false if one of them is outside the universe.
    #[must_use]
    pub(crate) fn add_to_mask(&self, set: &Set, mask: &mut [u64]) -> bool {
        // The representation of a small set of elements is its mask. Its bits are beyond the size only where its elements are from another
        // scope.
        if let (Universe::Given(own, size), Some((given, bits))) = (self, set.as_bits()) {
            mask[0] |= bits;
            return given == *own && (*size >= 64 || bits >> size == 0);
        }
        set.iter().all(|member| match self.index(&member) {
            Some(number) => {
                mask[number as usize / 64] |= 1 << (number % 64);
                true
            }
            None => false,
        })
    }

    /// The set that a mask represents.
    #[must_use]
    pub fn set_of(&self, mask: &[u64]) -> Set {
        match self {
            Universe::Given(set, size) if *size <= 64 => Set::from_bits(*set, mask[0]),
            // Ascending bits are ascending values.
            _ => Set::from_sorted(all_bits(mask).map(|number| self.value(number)).collect()),
        }
    }
}

impl Subsets {
    /// The subsets of a universe, unless there are more than a mask has bits.
    fn of(members: Universe) -> Option<Self> {
        // A shift by 32 or more has no value in `u32`, and is far beyond the limit.
        let count = 1u32.checked_shl(members.size()).filter(|count| *count <= PACKED_MASK_BITS.get())?;
        // Masks are ordered differently: that of `{0, 1}` is less than that of `{2}`, but a set of two comes after a set of one.
        let mut masks: Vec<u16> = (0..count).map(|mask| mask as u16).collect();
        masks.sort_unstable_by(|a, b| compare_sets(&[u64::from(*a)], &[u64::from(*b)]));
        let mut numbers = vec![0; masks.len()];
        for (number, mask) in (0..).zip(&masks) {
            numbers[usize::from(*mask)] = number;
        }
        Some(Self { members, masks: masks.into(), numbers: numbers.into() })
    }

    fn index(&self, set: &Set) -> Option<u64> {
        let mut mask = [0];
        self.members.add_to_mask(set, &mut mask).then(|| u64::from(self.numbers[mask[0] as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope() -> Scope {
        Scope { sizes: vec![3, 0, 1, 70], minint: -1, maxint: 3 }
    }

    fn types() -> impl Strategy<Value = Type> {
        let leaf = prop_oneof![Just(Type::Bool), Just(Type::Integer), (0..4u16).prop_map(|set| Type::Given(SetId(set)))];
        leaf.prop_recursive(3, 8, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(Type::set),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Type::pair(a, b)),
                (inner.clone(), inner).prop_map(|(a, b)| Type::Record(Arc::from([(Arc::from("f"), a), (Arc::from("g"), b)]))),
            ]
        })
    }

    /// All values of a type with the integers `0..integers`, by the definition of each type and in any order.
    fn all_values(ty: &Type, integers: u32) -> Vec<Value> {
        let two = |first: &Type, second: &Type| -> Vec<(Value, Value)> {
            let seconds = all_values(second, integers);
            all_values(first, integers)
                .into_iter()
                .flat_map(|a| seconds.iter().map(move |b| (a.clone(), b.clone())).collect::<Vec<_>>())
                .collect()
        };
        match ty {
            Type::Bool => vec![Value::Bool(true), Value::Bool(false)],
            Type::Integer => (0..i64::from(integers)).map(Value::integer).collect(),
            Type::Given(set) => (0..scope().size(*set)).map(|index| Value::element(*set, index)).collect(),
            Type::Pair(first, second) => two(first, second).into_iter().map(|(a, b)| Value::pair(a, b)).collect(),
            Type::Record(fields) => {
                let [(f, first), (g, second)] = &**fields else { unreachable!("records of two fields are drawn") };
                two(first, second).into_iter().map(|(a, b)| Value::Record(Arc::from([(f.clone(), a), (g.clone(), b)]))).collect()
            }
            Type::Set(element) => all_values(element, integers).into_iter().fold(vec![Value::set(Vec::new())], |sets, member| {
                let with = |set: &Value| Value::Set(set.as_set().expect("a set").insert(member.clone()));
                sets.iter().map(with).collect::<Vec<_>>().into_iter().chain(sets.iter().cloned()).collect()
            }),
            Type::String | Type::Free(_) => unreachable!("neither is drawn"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn numbers_are_a_bijection_in_the_order_of_values(ty in types(), integers in 0..4u32) {
            for universe in [Universe::of(&ty, &scope(), integers), Universe::of_members(&ty, &scope())].into_iter().flatten() {
                if universe.size() > PACKED_MASK_BITS.get() {
                    continue;
                }
                let mut values = all_values(&ty, integers);
                values.sort_unstable();
                prop_assert_eq!(values.len(), universe.size() as usize);
                for (number, value) in (0..).zip(values) {
                    prop_assert_eq!(universe.index(&value), Some(number));
                    prop_assert_eq!(universe.value(number), value);
                }
            }
        }
    }

    #[test]
    fn values_outside_have_no_number() {
        let scope = scope();
        let s = Universe::of(&Type::Given(SetId(0)), &scope, 0).expect("a given set");
        assert_eq!([Value::element(SetId(0), 3), Value::element(SetId(2), 0), Value::integer(0)].map(|value| s.index(&value)), [None; 3]);
        let sets = Universe::of_members(&Type::set(Type::Given(SetId(0))), &scope).expect("8 sets");
        let beyond = Value::set(vec![Value::element(SetId(0), 2), Value::element(SetId(0), 3)]);
        assert_eq!((sets.size(), sets.index(&beyond)), (8, None));
    }

    #[test]
    fn only_the_members_of_sets_of_bits_are_numbered_with_sets_in_them() {
        let scope = Scope { sizes: vec![12, 13], minint: -1, maxint: 3 };
        let sets = |set| Type::set(Type::Given(SetId(set)));
        assert_eq!(Universe::of_members(&sets(0), &scope).map(|universe| universe.size()), Some(PACKED_MASK_BITS.get()));
        assert_eq!(Universe::of_members(&sets(1), &scope), None, "2^13 values");
        assert_eq!(Universe::of(&sets(0), &scope, 0), None);
    }
}
