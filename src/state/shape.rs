//! How the values of one type are packed into bits.
//!
//! Invariant: packing is a bijection between the values of the type within the scope and the bit strings it produces; a value
//! that is not among them (a symbolic set, say) is a [`Misfit`], never a wrong packing.
//!
//! A set of a finite type is one bit per possible member. A relation that happens to be a function is packed as one code per
//! argument instead, where that is shorter; one bit says which, and it depends on the value alone.

use super::bits::{BitReader, BitWriter};
use crate::ir::{Scope, SetId, Type};
use crate::value::{Element, Set, Value};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Sets over types with more values than this are not packed one bit per possible member.
const MAX_MEMBERS: usize = 4096;

/// A value that its shape cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Misfit;

/// A bit per possible member of a set.
type Words = SmallVec<[u64; 4]>;

/// A type with few values, which are numbered from 0 in their natural order (sets: by the bits of their members).
#[derive(Clone, Debug)]
pub(super) struct Finite {
    kind: FiniteKind,
    count: usize,
}

#[derive(Clone, Debug)]
enum FiniteKind {
    Bool,
    Given(SetId),
    Pair(Box<[Finite; 2]>),
    Record(Vec<(Arc<str>, Finite)>),
    Set(Box<Finite>),
}

impl Finite {
    /// The values of `ty`, if there are at most [`MAX_MEMBERS`].
    pub(super) fn of(ty: &Type, scope: &Scope) -> Option<Self> {
        let (kind, count) = match ty {
            Type::Integer | Type::String | Type::Free(_) => return None,
            Type::Bool => (FiniteKind::Bool, 2),
            Type::Given(set) => (FiniteKind::Given(*set), scope.size(*set) as usize),
            Type::Set(element) => {
                // At most 12 elements are left by the limit below, so that ranks of sets are shifts within a word.
                let element = Finite::of(element, scope)?;
                let count = 1usize.checked_shl(u32::try_from(element.count).ok()?)?;
                (FiniteKind::Set(Box::new(element)), count)
            }
            Type::Pair(first, second) => {
                // Both counts are within the limit, so the product does not overflow.
                let (first, second) = (Finite::of(first, scope)?, Finite::of(second, scope)?);
                let count = first.count * second.count;
                (FiniteKind::Pair(Box::new([first, second])), count)
            }
            Type::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| Some((name.clone(), Finite::of(ty, scope)?)));
                let fields: Vec<(Arc<str>, Finite)> = fields.collect::<Option<_>>()?;
                let count = fields.iter().try_fold(1usize, |count, (_, field)| count.checked_mul(field.count))?;
                (FiniteKind::Record(fields), count)
            }
        };
        (count <= MAX_MEMBERS).then_some(Finite { kind, count })
    }

    /// The number of a value: components are digits of a mixed radix, the first one the most significant.
    fn rank(&self, value: &Value) -> Result<usize, Misfit> {
        match (&self.kind, value) {
            (FiniteKind::Bool, Value::Bool(value)) => Ok(usize::from(*value)),
            (FiniteKind::Given(set), Value::Element(element)) if element.set == *set && (element.index as usize) < self.count => {
                Ok(element.index as usize)
            }
            (FiniteKind::Pair(sides), Value::Pair(pair)) => Ok(sides[0].rank(&pair.0)? * sides[1].count + sides[1].rank(&pair.1)?),
            (FiniteKind::Record(fields), Value::Record(values)) if fields.len() == values.len() => {
                fields.iter().zip(values.iter()).try_fold(0, |rank, ((name, field), (other, value))| {
                    if name == other { Ok(rank * field.count + field.rank(value)?) } else { Err(Misfit) }
                })
            }
            (FiniteKind::Set(element), Value::Set(set)) => set.iter().try_fold(0, |rank, member| Ok(rank | 1 << element.rank(&member)?)),
            _ => Err(Misfit),
        }
    }

    /// The value of a number: the inverse of [`Self::rank`].
    fn unrank(&self, rank: usize) -> Value {
        match &self.kind {
            FiniteKind::Bool => Value::Bool(rank == 1),
            FiniteKind::Given(set) => Value::Element(Element { set: *set, index: index(rank) }),
            FiniteKind::Pair(sides) => Value::pair(sides[0].unrank(rank / sides[1].count), sides[1].unrank(rank % sides[1].count)),
            FiniteKind::Record(fields) => {
                // The last field is the least significant digit.
                let mut rest = rank;
                let mut values: Vec<(Arc<str>, Value)> = Vec::with_capacity(fields.len());
                for (name, field) in fields.iter().rev() {
                    values.push((name.clone(), field.unrank(rest % field.count)));
                    rest /= field.count;
                }
                values.reverse();
                Value::Record(values.into())
            }
            FiniteKind::Set(element) => {
                Value::Set((0..element.count).filter(|member| rank >> member & 1 == 1).map(|member| element.unrank(member)).collect())
            }
        }
    }

    /// The members of a set as bits.
    fn members(&self, set: &Set) -> Result<Words, Misfit> {
        let mut words: Words = smallvec![0; self.count.div_ceil(64)];
        match (set.as_bits(), &self.kind) {
            (Some((given, bits)), FiniteKind::Given(own)) if given == *own => {
                // The mask of a set is its packing. It has bits beyond the scope only if its elements are from another one.
                if self.count < 64 && bits >> self.count != 0 {
                    return Err(Misfit);
                }
                words[0] = bits;
            }
            _ => {
                for member in set {
                    let rank = self.rank(&member)?;
                    words[rank / 64] |= 1 << (rank % 64);
                }
            }
        }
        Ok(words)
    }

    fn write_set(&self, set: &Set, out: &mut BitWriter<'_>) -> Result<(), Misfit> {
        let words = self.members(set)?;
        for (place, word) in words.iter().enumerate() {
            out.write(*word, width_of_word(self.count, place));
        }
        Ok(())
    }

    fn read_set(&self, bits: &mut BitReader<'_>) -> Set {
        if let (FiniteKind::Given(set), 1..=64) = (&self.kind, self.count) {
            return Set::from_bits(*set, bits.read(width_of_word(self.count, 0)));
        }
        let mut members = Vec::new();
        for place in 0..self.count.div_ceil(64) {
            let mut word = bits.read(width_of_word(self.count, place));
            while word != 0 {
                members.push(self.unrank(place * 64 + word.trailing_zeros() as usize));
                word &= word - 1;
            }
        }
        // Sorted if need be: sets are numbered by their bits, but ordered by size first.
        Set::from_values(members)
    }
}

/// How many bits of the word at `place` belong to a string of `count` bits.
fn width_of_word(count: usize, place: usize) -> u32 {
    (count - place * 64).min(64) as u32
}

fn index(rank: usize) -> u32 {
    u32::try_from(rank).expect("numbers of values are below the limit on members")
}

/// The bits needed for a number below `count`.
fn width(count: usize) -> u32 {
    count.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}

/// The packing of one type.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Bool,
    Given(SetId, u32),
    Pair(Box<[Shape; 2]>),
    Record(Box<[(Arc<str>, Shape)]>),
    /// One bit per possible member.
    Members(Finite),
    /// One bit that tells which of two forms follows: one bit per possible pair; or, for a function, one code per argument: 0 for an
    /// argument outside the domain, else the value's number plus 1.
    Relation {
        pairs: Finite,
        code_width: u32,
    },
}

impl Shape {
    /// The packing of `ty`, unless its values are unbounded or too many.
    pub(super) fn of(ty: &Type, scope: &Scope) -> Option<Self> {
        Some(match ty {
            Type::Integer | Type::String | Type::Free(_) => return None,
            Type::Bool => Shape::Bool,
            Type::Given(set) => Shape::Given(*set, scope.size(*set)),
            Type::Pair(first, second) => Shape::Pair(Box::new([Shape::of(first, scope)?, Shape::of(second, scope)?])),
            Type::Record(fields) => {
                Shape::Record(fields.iter().map(|(name, ty)| Some((name.clone(), Shape::of(ty, scope)?))).collect::<Option<_>>()?)
            }
            Type::Set(element) => {
                let members = Finite::of(element, scope)?;
                match &members.kind {
                    // For each argument, a code has as many bits as numbers up to the count need, a row of the matrix one per value.
                    FiniteKind::Pair(sides) if width(sides[1].count + 1) < index(sides[1].count) => {
                        Shape::Relation { code_width: width(sides[1].count + 1), pairs: members }
                    }
                    _ => Shape::Members(members),
                }
            }
        })
    }

    /// Appends the bits of `value`. After a misfit, the bits appended are to be thrown away.
    pub(super) fn write(&self, value: &Value, out: &mut BitWriter<'_>) -> Result<(), Misfit> {
        match (self, value) {
            (Shape::Bool, Value::Bool(value)) => out.write(u64::from(*value), 1),
            (Shape::Given(set, size), Value::Element(element)) if element.set == *set && element.index < *size => {
                out.write(u64::from(element.index), width(*size as usize));
            }
            (Shape::Pair(sides), Value::Pair(pair)) => {
                sides[0].write(&pair.0, out)?;
                sides[1].write(&pair.1, out)?;
            }
            (Shape::Record(fields), Value::Record(values)) if fields.len() == values.len() => {
                for ((name, field), (other, value)) in fields.iter().zip(values.iter()) {
                    if name != other {
                        return Err(Misfit);
                    }
                    field.write(value, out)?;
                }
            }
            (Shape::Members(members), Value::Set(set)) => members.write_set(set, out)?,
            (Shape::Relation { pairs, code_width }, Value::Set(set)) => match codes(pairs, set)? {
                Some(codes) => {
                    out.write(1, 1);
                    codes.iter().for_each(|code| out.write(u64::from(*code), *code_width));
                }
                None => {
                    out.write(0, 1);
                    pairs.write_set(set, out)?;
                }
            },
            _ => return Err(Misfit),
        }
        Ok(())
    }

    /// Reads a value that [`Shape::write`] wrote.
    pub(super) fn read(&self, bits: &mut BitReader<'_>) -> Value {
        match self {
            Shape::Bool => Value::Bool(bits.read(1) == 1),
            Shape::Given(set, size) => {
                let index = bits.read(width(*size as usize));
                Value::Element(Element { set: *set, index: index as u32 })
            }
            Shape::Pair(sides) => {
                let first = sides[0].read(bits);
                Value::pair(first, sides[1].read(bits))
            }
            Shape::Record(fields) => Value::Record(fields.iter().map(|(name, field)| (name.clone(), field.read(bits))).collect()),
            Shape::Members(members) => Value::Set(members.read_set(bits)),
            Shape::Relation { pairs, code_width } => Value::Set(if bits.read(1) == 1 {
                // Pairs ascend by argument, so the list of members is sorted.
                let [from, to] = sides(pairs);
                let mut members = Vec::new();
                for argument in 0..from.count {
                    let code = bits.read(*code_width) as usize;
                    if code > 0 {
                        members.push(Value::pair(from.unrank(argument), to.unrank(code - 1)));
                    }
                }
                Set::from_values(members)
            } else {
                pairs.read_set(bits)
            }),
        }
    }
}

fn sides(pairs: &Finite) -> &[Finite; 2] {
    match &pairs.kind {
        FiniteKind::Pair(sides) => sides,
        other => unreachable!("relations are sets of pairs, not of {other:?}"),
    }
}

/// The code of each argument, if the relation is a function. Whether it is one depends on the value alone, so its packing does too.
fn codes(pairs: &Finite, relation: &Set) -> Result<Option<SmallVec<[u16; 16]>>, Misfit> {
    let [from, to] = sides(pairs);
    // More pairs than arguments: some argument occurs twice.
    if relation.len() > from.count {
        return Ok(None);
    }
    let mut codes = smallvec![0u16; from.count];
    for member in relation {
        let (first, second) = member.as_pair().ok_or(Misfit)?;
        // A code other than 0: the argument occurred before.
        let code = &mut codes[from.rank(first)?];
        if *code != 0 {
            return Ok(None);
        }
        *code = u16::try_from(to.rank(second)? + 1).expect("codes are at most the limit on members plus 1");
    }
    Ok(Some(codes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_of_finite_values_are_a_bijection() {
        let scope = Scope { sizes: vec![3, 2], minint: -1, maxint: 3 };
        let (s, t) = (Type::Given(SetId(0)), Type::Given(SetId(1)));
        let record = Type::Record(Arc::from([(Arc::from("f"), s.clone()), (Arc::from("g"), Type::Bool)]));
        let types = [
            (s.clone(), 3),
            (Type::Bool, 2),
            (Type::pair(s.clone(), Type::pair(t.clone(), Type::Bool)), 12),
            (record.clone(), 6),
            (Type::set(record), 64),
            (Type::relation(s.clone(), t.clone()), 64),
            (Type::set(Type::set(s.clone())), 256),
            (Type::pair(Type::set(s), Type::set(t)), 32),
        ];
        for (ty, count) in types {
            let finite = Finite::of(&ty, &scope).unwrap();
            assert_eq!(finite.count, count, "{ty:?}");
            let values: BTreeSet<Value> = (0..count).map(|rank| finite.unrank(rank)).collect();
            assert_eq!(values.len(), count, "{ty:?}");
            assert!((0..count).all(|rank| finite.rank(&finite.unrank(rank)) == Ok(rank)), "{ty:?}");
        }
    }

    #[test]
    fn widths_are_the_least_that_hold_all_numbers() {
        assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(width), [0, 0, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn types_with_too_many_values_have_no_mask() {
        let scope = Scope { sizes: vec![13], minint: -1, maxint: 3 };
        let set = Type::set(Type::Given(SetId(0)));
        assert!(Shape::of(&set, &scope).is_some());
        assert!(Shape::of(&Type::set(set), &scope).is_none(), "2^13 possible members");
        assert!(Shape::of(&Type::set(Type::Integer), &scope).is_none());
        let large = Scope { sizes: vec![100_000], minint: -1, maxint: 3 };
        assert!(Shape::of(&Type::Given(SetId(0)), &large).is_some());
        assert!(Shape::of(&Type::relation(Type::Given(SetId(0)), Type::Given(SetId(0))), &large).is_none());
    }

    #[test]
    fn a_function_is_shorter_than_its_matrix() {
        let scope = Scope { sizes: vec![12, 12], minint: -1, maxint: 3 };
        let shape = Shape::of(&Type::relation(Type::Given(SetId(0)), Type::Given(SetId(1))), &scope).unwrap();
        let pair = |first, second| Value::pair(Value::element(SetId(0), first), Value::element(SetId(1), second));
        let bytes = |value: &Value| {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            shape.write(value, &mut writer).unwrap();
            writer.finish();
            assert_eq!(&shape.read(&mut BitReader::new(&bytes)), value);
            bytes.len()
        };
        assert_eq!(bytes(&Value::set(vec![pair(0, 3), pair(7, 3)])), 7, "1 + 12 * 4 bits");
        assert_eq!(bytes(&Value::set(vec![pair(0, 3), pair(0, 4)])), 19, "1 + 144 bits");
    }
}
