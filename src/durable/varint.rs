//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit set on all but the last (LEB128); and signed
//! differences as numbers, small in both directions (zigzag).

use num_traits::{AsPrimitive, PrimInt};

/// The most bytes of a number.
pub(crate) const MOST_VARINT_BYTES: usize = 10;

/// Appends a number in LEB128.
#[inline]
pub fn push_varint(bytes: &mut Vec<u8>, number: u64) {
    push(bytes, number);
}

/// The number at the start of the bytes, which are advanced past it. `None` where they end, or where it does not fit 64 bits.
#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes)
}

/// The most bytes of a number of 128 bits.
pub(crate) const MOST_WIDE_VARINT_BYTES: usize = 19;

/// As [`push_varint`], for a number of 128 bits.
pub(crate) fn push_wide_varint(bytes: &mut Vec<u8>, number: u128) {
    push(bytes, number);
}

/// As [`take_varint`], for a number of 128 bits.
pub(crate) fn take_wide_varint(bytes: &mut &[u8]) -> Option<u128> {
    take(bytes)
}

#[inline]
fn push<N: PrimInt + From<u8> + AsPrimitive<u8>>(bytes: &mut Vec<u8>, mut number: N) {
    while number >= 0x80.into() {
        bytes.push(number.as_() | 0x80);
        number = number >> 7;
    }
    bytes.push(number.as_());
}

#[inline]
fn take<N: PrimInt + From<u8> + From<u64>>(bytes: &mut &[u8]) -> Option<N> {
    let (&first, rest) = bytes.split_first()?;
    // Most numbers are small, and those with at most eight bytes, which are most others, need no loop.
    if first < 0x80 {
        *bytes = rest;
        return Some(first.into());
    }
    if let Some((eight, _)) = bytes.split_first_chunk()
        && let Some((number, length)) = of_eight_bytes(u64::from_le_bytes(*eight))
    {
        *bytes = &bytes[length..];
        return Some(number.into());
    }
    let bits = 8 * size_of::<N>();
    let mut number = N::zero();
    for (index, &byte) in bytes.iter().enumerate().take(bits.div_ceil(7)) {
        let shift = 7 * index;
        // The last byte has room for the bits that those before it leave: one of 64, two of 128.
        if bits - shift < 7 && byte >> (bits - shift) > 0 {
            return None;
        }
        let part: N = (byte & 0x7f).into();
        number = number | part << shift;
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// The number that ends within eight bytes, and how many of them it has.
#[inline]
fn of_eight_bytes(bytes: u64) -> Option<(u64, usize)> {
    // The top bit of each byte of the number but the last is set, so the lowest clear one marks its end.
    let ends = !bytes & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    let length = ends.trailing_zeros() as usize / 8 + 1;
    let sevens = bytes & u64::MAX >> (64 - 8 * length) & 0x7f7f_7f7f_7f7f_7f7f;
    // Neighbours are joined: eight times seven bits become four times fourteen, then twice 28, then 56.
    let pairs = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let halves = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    Some((halves & 0x0fff_ffff | (halves & 0x0fff_ffff_0000_0000) >> 4, length))
}

/// The difference between two numbers as an unsigned number. It is taken modulo 2^64, so that it never overflows.
pub fn zigzag(from: u64, to: u64) -> u64 {
    let difference = to.wrapping_sub(from).cast_signed();
    // The sign becomes the lowest bit; `>> 63` is all ones for a negative difference, which inverts the others.
    (difference << 1 ^ difference >> 63).cast_unsigned()
}

/// The number at this difference.
pub fn unzigzag(from: u64, difference: u64) -> u64 {
    from.wrapping_add(difference >> 1 ^ (difference & 1).wrapping_neg())
}
