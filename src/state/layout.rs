//! The packed form of a valuation: the bytes that are its key in the visited set.
//!
//! A key is, in this order:
//! 1. when some slots are shared constants: the number of their valuation plus 1, or 0 when it was never registered;
//! 2. the packed slots as one bit string, led by one bit that says whether some slot escapes; if so, one such bit per slot;
//! 3. the general bytes ([`codec`]) of the slots without a packing and of those that escape, which delimit themselves.
//!
//! Invariant: equal valuations have equal bytes, different valuations different bytes. A value that its packing cannot hold
//! (a symbolic set; never a value that the type and scope allow) escapes to part 3, and is never packed wrongly.
//! Deliberately elsewhere: what a symbolic set denotes; two descriptions of one set are two values here.

use super::bits::{BitReader, BitWriter};
use super::constants::{ConstantsNumber, ConstantsTable};
use super::shape::{Misfit, Shape};
use bcheck_ir::{Scope, Type};
use bcheck_value::{Valuation, Value, codec};

/// Which part of a key holds the value of a slot.
#[derive(Clone, Debug)]
enum Place {
    /// None: the table of constants holds it.
    Shared,
    /// The bit string.
    Packed(Shape),
    /// The general bytes.
    General,
}

/// The layout of all valuations of one machine in one scope.
#[derive(Clone, Debug)]
pub struct Layout {
    places: Vec<Place>,
    has_shared: bool,
    /// The number of slots with a packing.
    packed: usize,
    constants: ConstantsTable,
}

impl Layout {
    /// The layout for slots of these types. Those marked in `shared` (which may be shorter) are stored once per set-up: constants that no
    /// symmetry moves. Their valuations are registered with [`Layout::share`] before the search.
    #[must_use]
    pub fn new(types: &[Type], scope: &Scope, shared: &[bool]) -> Self {
        let place = |(slot, ty): (usize, &Type)| match Shape::of(ty, scope) {
            _ if shared.get(slot) == Some(&true) => Place::Shared,
            Some(shape) => Place::Packed(shape),
            None => Place::General,
        };
        let places: Vec<Place> = types.iter().enumerate().map(place).collect();
        Layout {
            has_shared: places.iter().any(|place| matches!(place, Place::Shared)),
            packed: places.iter().filter(|place| matches!(place, Place::Packed(_))).count(),
            places,
            constants: ConstantsTable::new(),
        }
    }

    /// Registers the shared slots of a valuation, so that keys can refer to them. Registering one after the first key of such a valuation
    /// was made would give it a second key.
    pub fn share(&mut self, valuation: &[Value]) -> ConstantsNumber {
        let row = shared_values(&self.places, valuation);
        self.constants.insert(row)
    }

    /// The number of the valuation of the shared slots in a key that this layout made, if it has one.
    #[must_use]
    pub fn shared_number(&self, key: &[u8]) -> Option<ConstantsNumber> {
        if !self.has_shared {
            return None;
        }
        codec::get_number(key, &mut 0).checked_sub(1).and_then(|number| u32::try_from(number).ok()).map(ConstantsNumber::new)
    }

    /// Appends the key of a valuation whose shared slots are probably those with number `likely`, as in all successors of a
    /// state: that is checked by comparing pointers, where a search through many set-ups would hash all of the constants.
    ///
    /// # Panics
    /// When the valuation has another number of slots.
    pub fn encode(&self, likely: Option<ConstantsNumber>, valuation: &[Value], out: &mut Vec<u8>) {
        assert_eq!(valuation.len(), self.places.len(), "a valuation has one value per slot");
        let constants = if self.has_shared { self.number_of_shared(likely, valuation) } else { None };
        // A valuation that was never registered has number 0, and its constants are written out with the general bytes.
        if self.has_shared {
            codec::put_number(constants.map_or(0, |number| u64::from(number.number()) + 1), out);
        }
        let start = out.len();
        // Hardly any value escapes, so all are packed in one pass; if one does not fit, the output is discarded.
        let escaped = self.pack(valuation, out).err().map(|Misfit| {
            out.truncate(start);
            self.pack_what_fits(valuation, out)
        });
        // In the order of slots, which `decode` follows. These bytes delimit themselves, so they need no count.
        for (slot, (place, value)) in self.places.iter().zip(valuation).enumerate() {
            let is_general = match place {
                Place::Shared => constants.is_none(),
                Place::Packed(_) => escaped.as_ref().is_some_and(|escaped| escaped[slot]),
                Place::General => true,
            };
            if is_general {
                codec::encode(value, out);
            }
        }
    }

    fn number_of_shared(&self, likely: Option<ConstantsNumber>, valuation: &[Value]) -> Option<ConstantsNumber> {
        let row = shared_values(&self.places, valuation);
        // Values that share memory are equal without a look at their content, and a successor has its constants from its parent.
        match likely {
            Some(number) if self.constants.row(number).iter().eq(row.clone()) => Some(number),
            _ => self.constants.get(row),
        }
    }

    /// The slots with a packing, in order.
    fn packed_slots<'a>(&'a self, valuation: &'a [Value]) -> impl Iterator<Item = (usize, &'a Shape, &'a Value)> {
        self.places.iter().zip(valuation).enumerate().filter_map(|(slot, (place, value))| match place {
            Place::Packed(shape) => Some((slot, shape, value)),
            Place::Shared | Place::General => None,
        })
    }

    /// Writes the bit string in the usual case that every slot fits.
    fn pack(&self, valuation: &[Value], out: &mut Vec<u8>) -> Result<(), Misfit> {
        if self.packed == 0 {
            return Ok(());
        }
        let mut bits = BitWriter::new(out);
        bits.write(0, 1);
        for (_, shape, value) in self.packed_slots(valuation) {
            // After a misfit the writer is dropped with its pending bits, and the caller takes back the bytes.
            shape.write(value, &mut bits)?;
        }
        bits.finish();
        Ok(())
    }

    /// Writes the bit string in the rare case that some slots do not fit, and returns which ones.
    fn pack_what_fits(&self, valuation: &[Value], out: &mut Vec<u8>) -> Vec<bool> {
        let mut escaped = vec![false; self.places.len()];
        // Tried on scratch first: the bits that report escapes precede all values, and a misfit may show when some bits are written.
        for (slot, shape, value) in self.packed_slots(valuation) {
            escaped[slot] = shape.write(value, &mut BitWriter::new(&mut Vec::new())).is_err();
        }
        let mut bits = BitWriter::new(out);
        bits.write(1, 1);
        for (slot, _, _) in self.packed_slots(valuation) {
            bits.write(u64::from(escaped[slot]), 1);
        }
        for (slot, shape, value) in self.packed_slots(valuation) {
            if !escaped[slot] {
                shape.write(value, &mut bits).expect("what fitted once fits again");
            }
        }
        bits.finish();
        escaped
    }

    /// The valuation of a key.
    ///
    /// # Panics
    /// When the key was not made by this layout.
    #[must_use]
    pub fn decode(&self, key: &[u8]) -> Valuation {
        let mut at = 0;
        let constants = if self.has_shared { codec::get_number(key, &mut at).checked_sub(1) } else { None };
        let mut row = constants.map(|number| {
            let number = u32::try_from(number).expect("the number was written from 32 bits");
            self.constants.row(ConstantsNumber::new(number)).iter()
        });
        // The bit string ends at a whole byte, where the general bytes begin; so these are read after all bits.
        let mut bits = BitReader::new(&key[at..]);
        // In the order of `pack` and `pack_what_fits`: one bit; if it is set, one for each packed slot; then the values that fit.
        let has_escapes = self.packed > 0 && bits.read(1) == 1;
        let mut read_escape = |place: &Place| has_escapes && matches!(place, Place::Packed(_)) && bits.read(1) == 1;
        let escaped: Vec<bool> = self.places.iter().map(&mut read_escape).collect();
        let packed = self.places.iter().zip(&escaped).map(|(place, escaped)| match place {
            Place::Packed(shape) if !escaped => Some(shape.read(&mut bits)),
            Place::Shared => row.as_mut().and_then(Iterator::next).cloned(),
            Place::Packed(_) | Place::General => None,
        });
        let values: Vec<Option<Value>> = packed.collect();
        at += bits.bytes_read();
        // General slots, those that escape, and shared ones of a valuation that was never registered.
        values.into_iter().map(|value| value.unwrap_or_else(|| codec::decode(key, &mut at))).collect()
    }
}

fn shared_values<'a>(places: &'a [Place], valuation: &'a [Value]) -> impl Iterator<Item = &'a Value> + Clone {
    places.iter().zip(valuation).filter(|(place, _)| matches!(place, Place::Shared)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::{FreeType, IntegerSet, SetId};
    use bcheck_value::Symbolic;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn scope() -> Scope {
        Scope { sizes: vec![3, 70, 1], minint: -1, maxint: 3 }
    }

    fn types() -> impl Strategy<Value = Type> {
        let leaf = prop_oneof![
            Just(Type::Bool),
            Just(Type::Integer),
            Just(Type::String),
            (0..3u16).prop_map(|set| Type::Given(SetId(set))),
            Just(Type::Given(SetId(0))),
        ];
        leaf.prop_recursive(3, 8, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(Type::set),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Type::pair(a, b)),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Type::relation(a, b)),
                inner.clone().prop_map(|_| Type::Free(Arc::new(FreeType { name: Arc::from("F"), sets: vec![SetId(0)] }))),
                (inner.clone(), inner).prop_map(|(a, b)| Type::Record(Arc::from([(Arc::from("f"), a), (Arc::from("g"), b)]))),
            ]
        })
    }

    /// `none`, or `one(x)` of an element.
    fn free_value(index: Option<u32>) -> Value {
        Value::free(&Arc::from(if index.is_some() { "one" } else { "none" }), index.map(|index| Value::element(SetId(0), index)))
    }

    fn value_of(ty: &Type) -> BoxedStrategy<Value> {
        match ty {
            Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
            Type::Integer => (-3..300i64).prop_map(Value::integer).boxed(),
            Type::String => "[a-c]{0,2}".prop_map(|text| Value::string(&text)).boxed(),
            Type::Given(set) => {
                let set = *set;
                (0..scope().size(set)).prop_map(move |index| Value::element(set, index)).boxed()
            }
            Type::Set(element) => {
                let few = prop::collection::vec(value_of(element), 0..4);
                let many = prop::collection::vec(value_of(element), 0..20);
                prop_oneof![few, many].prop_map(Value::set).boxed()
            }
            Type::Pair(a, b) => (value_of(a), value_of(b)).prop_map(|(a, b)| Value::pair(a, b)).boxed(),
            Type::Free(_) => prop::option::of(0..3u32).prop_map(free_value).boxed(),
            Type::Record(fields) => {
                let names: Vec<Arc<str>> = fields.iter().map(|(name, _)| name.clone()).collect();
                let values: Vec<BoxedStrategy<Value>> = fields.iter().map(|(_, ty)| value_of(ty)).collect();
                values.prop_map(move |values| Value::Record(names.iter().cloned().zip(values).collect())).boxed()
            }
        }
    }

    /// A value of the type, or rarely one that no packing of any type holds.
    fn value_or_escape(ty: &Type) -> BoxedStrategy<Value> {
        let naturals = Value::Symbolic(Arc::new(Symbolic::Integers(IntegerSet::Natural)));
        let strange = vec![
            naturals.clone(),
            Value::pair(naturals.clone(), naturals),
            Value::element(SetId(0), 3),
            Value::set(vec![Value::integer(1)]),
        ];
        prop_oneof![9 => value_of(ty), 1 => prop::sample::select(strange)].boxed()
    }

    type Drawn = (Vec<Type>, Vec<bool>, Vec<Value>, Vec<Value>, usize);

    /// Types, which of them are shared, two valuations, and how many slots the second takes over from the first.
    fn drawn() -> impl Strategy<Value = Drawn> {
        prop::collection::vec((types(), any::<bool>()), 0..6).prop_flat_map(|slots| {
            let types: Vec<Type> = slots.iter().map(|(ty, _)| ty.clone()).collect();
            let values: Vec<BoxedStrategy<Value>> = types.iter().map(value_or_escape).collect();
            let shared: Vec<bool> = slots.iter().map(|(_, shared)| *shared).collect();
            (Just(types), Just(shared), values.clone(), values, 0..=slots.len())
        })
    }

    fn key(layout: &Layout, valuation: &[Value]) -> Vec<u8> {
        let mut key = Vec::new();
        layout.encode(None, valuation, &mut key);
        key
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn keys_decode_to_their_valuation_and_tell_valuations_apart((types, shared, first, mut second, common) in drawn()) {
            second[..common].clone_from_slice(&first[..common]);
            for register in 0..3 {
                let mut layout = Layout::new(&types, &scope(), if register == 0 { &[] } else { &shared });
                if register == 2 {
                    layout.share(&second);
                    layout.share(&first);
                }
                let (a, b) = (key(&layout, &first), key(&layout, &second));
                prop_assert_eq!(&layout.decode(&a), &first);
                prop_assert_eq!(&layout.decode(&b), &second);
                prop_assert_eq!(a == b, first == second);
            }
        }
    }

    #[test]
    fn a_phone_book_of_thirty_names_takes_nineteen_bytes() {
        let scope = Scope { sizes: vec![30, 30], minint: -1, maxint: 3 };
        let ty = Type::relation(Type::Given(SetId(0)), Type::Given(SetId(1)));
        let layout = Layout::new(&[ty], &scope, &[]);
        let full = (0..30).map(|index| Value::pair(Value::element(SetId(0), index), Value::element(SetId(1), 29 - index)));
        let valuation = vec![Value::set(full.collect())];
        assert_eq!(key(&layout, &valuation).len(), 19);
        assert_eq!(layout.decode(&key(&layout, &valuation)), valuation);
    }

    #[test]
    fn shared_constants_take_one_byte_once_registered() {
        let mut layout = Layout::new(&[Type::String, Type::Bool], &scope(), &[true]);
        let valuation = vec![Value::string("a long text that all states have in common"), Value::Bool(true)];
        assert!(key(&layout, &valuation).len() > 40);
        assert_eq!(layout.share(&valuation), ConstantsNumber::new(0));
        assert_eq!(key(&layout, &valuation), [1, 0b10]);
        assert_eq!(layout.decode(&[1, 0b10]), valuation);
    }

    #[test]
    fn keys_are_the_same_whatever_set_up_was_likely() {
        let mut layout = Layout::new(&[Type::Integer, Type::Bool], &scope(), &[true]);
        let state = |constant| vec![Value::integer(constant), Value::Bool(true)];
        (0..3).for_each(|constant| assert_eq!(i64::from(layout.share(&state(constant)).number()), constant));
        let mut expected = Vec::new();
        layout.encode(None, &state(2), &mut expected);
        assert_eq!(layout.shared_number(&expected), Some(ConstantsNumber::new(2)));
        for likely in [None, Some(0), Some(2)].map(|number: Option<u32>| number.map(ConstantsNumber::new)) {
            let mut key = Vec::new();
            layout.encode(likely, &state(2), &mut key);
            assert_eq!(key, expected);
        }
    }
}
