//! General values as self-delimiting bytes.
//!
//! Invariant: equal values have equal bytes, different values different bytes, and no encoding is a prefix of another, because its first
//! byte is a tag and whatever varies in length is led by its length; the bytes hold no addresses, so they mean the same in every process.
//! Deliberately elsewhere: typed, bit-packed states (`state::layout`), which use these bytes for what does not fit.

use super::set::Repr;
use super::{Element, Free, Integer, SequenceKind, Set, Symbolic, Value};
use bcheck_ir::{FunctionKind, IntegerSet, SetId};
use num_bigint::BigInt;
use std::sync::Arc;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const SMALL: u8 = 2;
const BIG: u8 = 3;
const ELEMENT: u8 = 4;
const STRING: u8 = 5;
const PAIR: u8 = 6;
const RECORD: u8 = 7;
const BITS: u8 = 8;
const LIST: u8 = 9;
const CONSTANT: u8 = 10;
const CONSTRUCTED: u8 = 11;
/// Symbolic sets: this plus the number of the variant.
const SYMBOLIC: u8 = 16;

const SEQUENCE_KINDS: [SequenceKind; 5] =
    [SequenceKind::Seq, SequenceKind::Seq1, SequenceKind::Iseq, SequenceKind::Iseq1, SequenceKind::Perm];

const INTEGER_SETS: [IntegerSet; 6] =
    [IntegerSet::Integer, IntegerSet::Natural, IntegerSet::Natural1, IntegerSet::Int, IntegerSet::Nat, IntegerSet::Nat1];

/// Appends an unsigned number, seven bits per byte, lowest first (LEB128); all bytes but the last have the highest bit set.
pub fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number that [`put_number`] wrote.
///
/// # Panics
/// When the bytes end early.
pub fn get_number(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut number, mut shift) = (0, 0);
    // Ends after ten bytes at most: no number was written with more.
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn get_length(bytes: &[u8], at: &mut usize) -> usize {
    usize::try_from(get_number(bytes, at)).expect("lengths were written from a usize")
}

fn get_bytes<'a>(bytes: &'a [u8], at: &mut usize) -> &'a [u8] {
    let length = get_length(bytes, at);
    *at += length;
    &bytes[*at - length..*at]
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put_bytes(text.as_bytes(), out);
}

fn get_text(bytes: &[u8], at: &mut usize) -> Arc<str> {
    Arc::from(std::str::from_utf8(get_bytes(bytes, at)).expect("the text was written from a string"))
}

fn get_id(bytes: &[u8], at: &mut usize) -> u32 {
    u32::try_from(get_number(bytes, at)).expect("the number was written from 32 bits")
}

fn get_set_id(bytes: &[u8], at: &mut usize) -> SetId {
    SetId(u16::try_from(get_number(bytes, at)).expect("the number was written from a set id"))
}

fn put_integer(integer: &Integer, out: &mut Vec<u8>) {
    match integer {
        Integer::Small(value) => {
            out.push(SMALL);
            // Zigzag: small negative numbers stay short.
            put_number((value << 1 ^ value >> 63).cast_unsigned(), out);
        }
        Integer::Big(value) => {
            // The shortest two's complement, so that a number has one encoding.
            out.push(BIG);
            put_bytes(&value.to_signed_bytes_le(), out);
        }
    }
}

fn get_integer(bytes: &[u8], at: &mut usize) -> Integer {
    match decode(bytes, at) {
        Value::Integer(integer) => integer,
        other => unreachable!("an integer was written, not {other:?}"),
    }
}

fn put_fields(fields: &[(Arc<str>, Value)], out: &mut Vec<u8>) {
    put_number(fields.len() as u64, out);
    for (name, value) in fields {
        put_text(name, out);
        encode(value, out);
    }
}

fn get_fields(bytes: &[u8], at: &mut usize) -> Arc<[(Arc<str>, Value)]> {
    (0..get_length(bytes, at)).map(|_| (get_text(bytes, at), decode(bytes, at))).collect()
}

fn get_list(bytes: &[u8], at: &mut usize) -> Vec<Value> {
    (0..get_length(bytes, at)).map(|_| decode(bytes, at)).collect()
}

fn put_set(set: &Set, out: &mut Vec<u8>) {
    // A set has one representation, so the two forms do not overlap; slices and trees differ in length, so one form serves both.
    if let Repr::Bits(given, bits) = set.0 {
        out.push(BITS);
        put_number(u64::from(given.0), out);
        put_number(bits, out);
    } else {
        out.push(LIST);
        put_number(set.len() as u64, out);
        set.listed().for_each(|value| encode(value, out));
    }
}

/// Appends the bytes of `value`.
pub fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(value) => out.push(if *value { TRUE } else { FALSE }),
        Value::Integer(integer) => put_integer(integer, out),
        Value::Element(element) => {
            out.push(ELEMENT);
            put_number(u64::from(element.set.0), out);
            put_number(u64::from(element.index), out);
        }
        Value::String(text) => {
            out.push(STRING);
            put_text(text, out);
        }
        Value::Pair(pair) => {
            out.push(PAIR);
            encode(&pair.0, out);
            encode(&pair.1, out);
        }
        Value::Record(fields) => {
            out.push(RECORD);
            put_fields(fields, out);
        }
        Value::Free(free) => {
            out.push(if free.argument.is_some() { CONSTRUCTED } else { CONSTANT });
            encode(&free.constructor, out);
            free.argument.iter().for_each(|argument| encode(argument, out));
        }
        Value::Set(set) => put_set(set, out),
        Value::Symbolic(symbolic) => put_symbolic(symbolic, out),
    }
}

/// Reads the value that starts at `at`, and moves `at` behind it.
///
/// # Panics
/// When the bytes were not written by [`encode`].
pub fn decode(bytes: &[u8], at: &mut usize) -> Value {
    let tag = bytes[*at];
    *at += 1;
    match tag {
        FALSE => Value::Bool(false),
        TRUE => Value::Bool(true),
        SMALL => {
            let zigzag = get_number(bytes, at);
            Value::integer((zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed()))
        }
        BIG => Value::Integer(Integer::from(BigInt::from_signed_bytes_le(get_bytes(bytes, at)))),
        ELEMENT => {
            let set = get_set_id(bytes, at);
            Value::Element(Element { set, index: get_id(bytes, at) })
        }
        STRING => Value::String(get_text(bytes, at)),
        PAIR => {
            let first = decode(bytes, at);
            Value::pair(first, decode(bytes, at))
        }
        RECORD => Value::Record(get_fields(bytes, at)),
        CONSTANT => Value::Free(Arc::new(Free { constructor: decode(bytes, at), argument: None })),
        CONSTRUCTED => {
            let constructor = decode(bytes, at);
            Value::Free(Arc::new(Free { constructor, argument: Some(decode(bytes, at)) }))
        }
        BITS => {
            let set = get_set_id(bytes, at);
            Value::Set(Set::from_bits(set, get_number(bytes, at)))
        }
        // Ascending, as they were written: the set gets back the one representation that its content has.
        LIST => Value::Set(Set::from_sorted(get_list(bytes, at))),
        // Tags from SYMBOLIC on are the only ones left.
        _ => Value::Symbolic(Arc::new(get_symbolic(tag - SYMBOLIC, bytes, at))),
    }
}

/// Appends the position of an item in a table, as one byte.
fn put_place<T: PartialEq>(item: &T, table: &[T], out: &mut Vec<u8>) {
    let place = table.iter().position(|other| other == item).expect("the table lists every kind");
    out.push(place as u8);
}

fn get_place<T: Copy>(table: &[T], bytes: &[u8], at: &mut usize) -> T {
    *at += 1;
    table[usize::from(bytes[*at - 1])]
}

/// Appends the tag of a symbolic set, its operands, and its other data behind them, in the order in which [`get_symbolic`] reads them.
// A list: an arm for each form that has other data than operands, with the number that is its tag (those of the others: `symbolic`).
fn put_symbolic(symbolic: &Symbolic, out: &mut Vec<u8>) {
    let mut start = |variant: u8, values: &[&Value]| {
        out.push(SYMBOLIC + variant);
        values.iter().for_each(|value| encode(value, out));
    };
    match symbolic {
        Symbolic::Integers(which) => {
            start(0, &[]);
            put_place(which, &INTEGER_SETS, out);
        }
        Symbolic::Interval(low, high) => {
            start(1, &[]);
            put_integer(low, out);
            put_integer(high, out);
        }
        Symbolic::Strings => start(2, &[]),
        Symbolic::Free { name, is_finite } => {
            start(20, &[]);
            put_text(name, out);
            out.push(u8::from(*is_finite));
        }
        Symbolic::Power { base, nonempty, finite } => {
            start(3, &[base]);
            out.push(u8::from(*nonempty) << 1 | u8::from(*finite));
        }
        Symbolic::Functions(kind, from, to) => {
            start(5, &[from, to]);
            put_place(kind, &FunctionKind::ALL, out);
        }
        Symbolic::Sequences(kind, base) => {
            start(6, &[base]);
            put_place(kind, &SEQUENCE_KINDS, out);
        }
        Symbolic::Struct(fields) => {
            start(7, &[]);
            put_fields(fields, out);
        }
        Symbolic::DomainRestrict(set, relation, subtract) => {
            start(15, &[set, relation]);
            // After the operands, which delimit themselves.
            out.push(u8::from(*subtract));
        }
        Symbolic::RangeRestrict(relation, set, subtract) => {
            start(16, &[relation, set]);
            out.push(u8::from(*subtract));
        }
        Symbolic::Closure { plan, captured } => {
            // Plans are numbered as they are compiled, in the same order in every process.
            start(19, &[]);
            put_number(u64::from(*plan), out);
            put_number(captured.len() as u64, out);
            captured.iter().for_each(|value| encode(value, out));
        }
        regular => {
            let (number, form) = regular.regular().expect("all other forms are listed here");
            start(number, &[]);
            form.operands().for_each(|operand| encode(operand, out));
        }
    }
}

/// Reads a symbolic set by the number of its form.
fn get_symbolic(variant: u8, bytes: &[u8], at: &mut usize) -> Symbolic {
    let mut two = || {
        let first = decode(bytes, at);
        (first, decode(bytes, at))
    };
    match variant {
        0 => Symbolic::Integers(get_place(&INTEGER_SETS, bytes, at)),
        1 => {
            let low = get_integer(bytes, at);
            Symbolic::Interval(low, get_integer(bytes, at))
        }
        2 => Symbolic::Strings,
        3 => {
            let base = decode(bytes, at);
            // Both flags in one byte, by the same bounds-checked table as other places: a damaged key panics here and not later.
            let flags = get_place(&[0, 1, 2, 3], bytes, at);
            Symbolic::Power { base, nonempty: flags & 2 != 0, finite: flags & 1 != 0 }
        }
        5 => {
            let (from, to) = two();
            Symbolic::Functions(get_place(&FunctionKind::ALL, bytes, at), from, to)
        }
        6 => {
            let base = decode(bytes, at);
            Symbolic::Sequences(get_place(&SEQUENCE_KINDS, bytes, at), base)
        }
        7 => Symbolic::Struct(get_fields(bytes, at)),
        15 | 16 => {
            let (left, right) = two();
            let of = if variant == 15 { Symbolic::DomainRestrict } else { Symbolic::RangeRestrict };
            of(left, right, get_place(&[false, true], bytes, at))
        }
        19 => {
            let plan = get_id(bytes, at);
            Symbolic::Closure { plan, captured: get_list(bytes, at).into() }
        }
        20 => {
            let name = get_text(bytes, at);
            *at += 1;
            Symbolic::Free { name, is_finite: bytes[*at - 1] != 0 }
        }
        _ => match Symbolic::of_number(variant, || decode(bytes, at)) {
            Some(regular) => regular,
            None => unreachable!("no symbolic set has number {variant}"),
        },
    }
}
