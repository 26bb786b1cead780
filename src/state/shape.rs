//! How the values of one type are packed into bits.
//!
//! Invariant: packing is a bijection between the values of the type within the scope and the bit strings it produces; a value
//! that is not among them (a symbolic set, say) is a [`Misfit`], never a wrong packing.
//!
//! A set of a finite type is one bit per possible member. A relation that happens to be a function is packed as one code per
//! argument instead, where that is shorter; one bit says which, and it depends on the value alone.
//! Deliberately elsewhere: the numbers of possible members and of values (`value::packing`).

use super::bits::{BitReader, BitWriter};
use bcheck_ir::{Scope, SetId, Type};
use bcheck_value::packing::{Packing, Universe, number_width};
use bcheck_value::{Element, Set, Value};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A value that its shape cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Misfit;

/// A bit per possible member of a set.
type Words = SmallVec<[u64; 4]>;

/// The packing of one type.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Bool,
    Given(SetId, u32),
    Pair(Box<[Shape; 2]>),
    Record(Box<[(Arc<str>, Shape)]>),
    /// A set: one bit per possible member.
    Members(Packing),
    /// A relation whose functions are shorter as codes.
    Relation(Box<Relation>),
}

/// The encoding of relations between two types. The first bit selects one of two encodings: a bit for each possible pair or, for a
/// function, a code for each argument, which is 0 outside the domain and otherwise the number of the value plus 1.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    arguments: Universe,
    values: Universe,
    pairs: Packing,
    code_width: u32,
}

impl Shape {
    /// The packing of `ty`, unless its values are unbounded or too many.
    pub(crate) fn of(ty: &Type, scope: &Scope) -> Option<Self> {
        Some(match ty {
            Type::Integer | Type::String | Type::Free(_) => return None,
            Type::Bool => Shape::Bool,
            Type::Given(set) => Shape::Given(*set, scope.size(*set)),
            Type::Pair(first, second) => Shape::Pair(Box::new([Shape::of(first, scope)?, Shape::of(second, scope)?])),
            Type::Record(fields) => {
                Shape::Record(fields.iter().map(|(name, ty)| Some((name.clone(), Shape::of(ty, scope)?))).collect::<Option<_>>()?)
            }
            Type::Set(element) => {
                // A set with too many possible members is stored as general bytes, which grow with its actual members.
                let members = Universe::of_members(element, scope)?;
                Relation::of(&members)
                    .map_or_else(|| Shape::Members(Packing::Mask(members)), |relation| Shape::Relation(Box::new(relation)))
            }
        })
    }

    /// Appends the bits of `value`. After a misfit, the bits appended are to be thrown away.
    pub(super) fn write(&self, value: &Value, out: &mut BitWriter<'_>) -> Result<(), Misfit> {
        match (self, value) {
            (Shape::Bool, Value::Bool(value)) => out.write(u64::from(*value), 1),
            (Shape::Given(set, size), Value::Element(element)) if element.set == *set && element.index < *size => {
                out.write(u64::from(element.index), number_width(*size as usize));
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
            (Shape::Members(members), _) => write_members(members, value, out)?,
            (Shape::Relation(relation), Value::Set(set)) => match relation.codes(set)? {
                // The first bit says which form follows; it is a function of the value, so equal values have equal bits.
                Some(codes) => {
                    out.write(1, 1);
                    codes.iter().for_each(|code| out.write(u64::from(*code), relation.code_width));
                }
                None => {
                    out.write(0, 1);
                    write_members(&relation.pairs, value, out)?;
                }
            },
            _ => return Err(Misfit),
        }
        Ok(())
    }

    /// Reads a value that [`Shape::write`] wrote.
    pub(crate) fn read(&self, bits: &mut BitReader<'_>) -> Value {
        match self {
            Shape::Bool => Value::Bool(bits.read(1) == 1),
            Shape::Given(set, size) => {
                // Widths come from the shape: a key does not contain the lengths of its parts.
                let index = bits.read(number_width(*size as usize));
                Value::Element(Element { set: *set, index: index as u32 })
            }
            Shape::Pair(sides) => {
                let first = sides[0].read(bits);
                Value::pair(first, sides[1].read(bits))
            }
            Shape::Record(fields) => Value::Record(fields.iter().map(|(name, field)| (name.clone(), field.read(bits))).collect()),
            Shape::Members(members) => read_members(members, bits),
            Shape::Relation(relation) => {
                if bits.read(1) == 1 {
                    relation.read_codes(bits)
                } else {
                    read_members(&relation.pairs, bits)
                }
            }
        }
    }
}

/// Appends one bit per possible member of a set.
fn write_members(members: &Packing, set: &Value, out: &mut BitWriter<'_>) -> Result<(), Misfit> {
    let mut words: Words = smallvec![0; members.words()];
    if !members.pack(set, &mut words) {
        return Err(Misfit);
    }
    // No padding bits: the last word is written only as far as there are members.
    words.iter().zip(members.widths()).for_each(|(word, width)| out.write(*word, width));
    Ok(())
}

fn read_members(members: &Packing, bits: &mut BitReader<'_>) -> Value {
    let words: Words = members.widths().map(|width| bits.read(width)).collect();
    members.unpack(&words)
}

impl Relation {
    /// The packing of sets of these members, if they are pairs and functions are shorter as codes.
    fn of(members: &Universe) -> Option<Self> {
        let (arguments, values) = members.rows_and_columns()?;
        // For each argument, a code has ⌈log₂(values + 1)⌉ bits, as "undefined" is a code too; a row of the matrix has a bit per value.
        let code_width = number_width(values.size() as usize + 1);
        (code_width < values.size()).then(|| Self {
            arguments: arguments.clone(),
            values: values.clone(),
            pairs: Packing::Mask(members.clone()),
            code_width,
        })
    }

    /// The code of each argument, if the relation is a function. This depends on the value alone, so its packing does as well.
    fn codes(&self, relation: &Set) -> Result<Option<SmallVec<[u16; 16]>>, Misfit> {
        let arguments = self.arguments.size() as usize;
        // More pairs than arguments: some argument occurs twice, and no pair need be read.
        if relation.len() > arguments {
            return Ok(None);
        }
        let mut codes = smallvec![0u16; arguments];
        for member in relation {
            let (first, second) = member.as_pair().ok_or(Misfit)?;
            // A code other than 0: the argument occurred before.
            let code = &mut codes[self.arguments.index(first).ok_or(Misfit)? as usize];
            if *code != 0 {
                return Ok(None);
            }
            *code = u16::try_from(self.values.index(second).ok_or(Misfit)? + 1)
                .expect("a mask of pairs has at most 4,096 values for one argument");
        }
        Ok(Some(codes))
    }

    /// Reads a function from its codes.
    fn read_codes(&self, bits: &mut BitReader<'_>) -> Value {
        let mut members = Vec::new();
        for argument in 0..u64::from(self.arguments.size()) {
            let code = bits.read(self.code_width);
            if code > 0 {
                members.push(Value::pair(self.arguments.value(argument), self.values.value(code - 1)));
            }
        }
        // Ascending arguments, each once, are ascending pairs.
        Value::Set(Set::from_sorted(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
