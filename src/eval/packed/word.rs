//! How a value of a small finite type (or a machine integer) fits one 64-bit word.
//!
//! An element is its index, BOOL is 0 and 1, a pair `(a, b)` is `a * |B| + b`, a set over a universe of at most 64 such indices is
//! a bit mask; so a relation between S and T is a row-major bit matrix. An integer is its two's complement.
//! Invariant: index order is value order, so that both evaluators enumerate alike; a value outside a word is `None`, never cut.

use crate::ir::{Scope, Type};
use crate::value::{Element, Set, Value};

/// How words of one type read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// An index below this size, at most 64 of them inside a set.
    Index(Universe),
    /// A machine integer.
    Integer,
    /// A set of indices.
    Mask(Universe),
}

/// A finite type whose values are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Universe {
    pub(super) size: u32,
    pub(super) ty: Type,
}

/// The most elements a mask can tell apart.
const MASK_BITS: u32 = 64;

fn universe_size(ty: &Type, scope: &Scope) -> Option<u32> {
    match ty {
        Type::Bool => Some(2),
        Type::Given(set) => Some(scope.size(*set)),
        Type::Pair(first, second) => universe_size(first, scope)?.checked_mul(universe_size(second, scope)?),
        Type::Integer | Type::String | Type::Set(_) | Type::Record(_) => None,
    }
}

impl Universe {
    pub(super) fn of(ty: &Type, scope: &Scope) -> Option<Self> {
        let size = universe_size(ty, scope).filter(|size| *size <= 1 << 24)?;
        Some(Self { size, ty: ty.clone() })
    }

    fn index(&self, value: &Value, scope: &Scope) -> Option<u64> {
        index(&self.ty, value, scope)
    }

    fn value(&self, word: u64, scope: &Scope) -> Value {
        value(&self.ty, word, scope)
    }
}

/// The lowest `count` bits.
pub(super) fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

fn index(ty: &Type, value: &Value, scope: &Scope) -> Option<u64> {
    match (ty, value) {
        (Type::Bool, Value::Bool(value)) => Some(u64::from(*value)),
        (Type::Given(_), Value::Element(element)) => Some(u64::from(element.index)),
        (Type::Pair(first, second), Value::Pair(pair)) => {
            let columns = u64::from(universe_size(second, scope)?);
            Some(index(first, &pair.0, scope)? * columns + index(second, &pair.1, scope)?)
        }
        _ => None,
    }
}

fn value(ty: &Type, word: u64, scope: &Scope) -> Value {
    match ty {
        Type::Bool => Value::Bool(word != 0),
        Type::Given(set) => Value::Element(Element { set: *set, index: u32::try_from(word).expect("an index is below its set's size") }),
        Type::Pair(first, second) => {
            let columns = u64::from(universe_size(second, scope).expect("a universe of pairs has finite columns"));
            Value::pair(value(first, word / columns, scope), value(second, word % columns, scope))
        }
        Type::Integer | Type::String | Type::Set(_) | Type::Record(_) => unreachable!("not the type of a universe"),
    }
}

impl Word {
    /// How values of a type are packed, if a word can hold them.
    pub(super) fn of(ty: &Type, scope: &Scope) -> Option<Self> {
        match ty {
            Type::Integer => Some(Word::Integer),
            Type::Set(element) => Universe::of(element, scope).filter(|universe| universe.size <= MASK_BITS).map(Word::Mask),
            Type::Bool | Type::Given(_) | Type::Pair(..) => Universe::of(ty, scope).map(Word::Index),
            Type::String | Type::Record(_) => None,
        }
    }

    /// The number of bits that tell all words of the type apart.
    pub(super) fn width(&self) -> u32 {
        match self {
            Word::Index(universe) => 32 - universe.size.saturating_sub(1).leading_zeros(),
            Word::Integer => 64,
            Word::Mask(universe) => universe.size,
        }
    }

    /// The word of a value; `None` for descriptions and big integers.
    pub(super) fn pack(&self, value: &Value, scope: &Scope) -> Option<u64> {
        match (self, value) {
            (Word::Index(universe), _) => universe.index(value, scope),
            #[allow(clippy::cast_sign_loss, reason = "two's complement is the representation")]
            (Word::Integer, Value::Integer(number)) => number.to_i64().map(|number| number as u64),
            (Word::Mask(universe), Value::Set(set)) => {
                if let (Type::Given(_), Some((_, mask))) = (&universe.ty, set.as_bits()) {
                    return Some(mask);
                }
                set.iter().try_fold(0u64, |mask, element| Some(mask | 1 << universe.index(&element, scope)?))
            }
            _ => None,
        }
    }

    /// The value of a word.
    pub(super) fn unpack(&self, word: u64, scope: &Scope) -> Value {
        match self {
            Word::Index(universe) => universe.value(word, scope),
            #[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation")]
            Word::Integer => Value::integer(word as i64),
            Word::Mask(universe) => match &universe.ty {
                Type::Given(set) => Value::Set(if word == 0 { Set::empty() } else { Set::from_bits(*set, word) }),
                _ => Value::Set(Set::from_sorted(bits(word).map(|index| universe.value(index, scope)).collect())),
            },
        }
    }
}

/// The positions of the bits of a mask, ascending.
pub(super) fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let position = u64::from(mask.trailing_zeros());
        mask &= mask - 1;
        Some(position)
    })
}
