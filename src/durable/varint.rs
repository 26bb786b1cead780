//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit set on all but the last (LEB128); and signed
//! differences as numbers, small in both directions (zigzag).

/// The most bytes of a number.
pub(crate) const MOST_VARINT_BYTES: usize = 10;

pub(crate) fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number at the start of the bytes, which are advanced past it. `None` where they end, or where it does not fit 64 bits.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    // Most numbers are small, and the loop below is not free.
    if first < 0x80 {
        *bytes = rest;
        return Some(first.into());
    }
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate().take(MOST_VARINT_BYTES) {
        let part = u64::from(byte & 0x7f);
        // Nine bytes have 63 bits: the tenth has room for one.
        if index == MOST_VARINT_BYTES - 1 && byte > 1 {
            return None;
        }
        number |= part << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// The most bytes of a number of 128 bits.
pub(crate) const MOST_WIDE_VARINT_BYTES: usize = 19;

/// The same of a number of 128 bits.
pub(crate) fn push_wide_varint(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number of 128 bits at the start of the bytes, which are advanced past it. `None` where they end, or where it does not fit.
pub(crate) fn take_wide_varint(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate().take(MOST_WIDE_VARINT_BYTES) {
        let part = u128::from(byte & 0x7f);
        // Eighteen bytes have 126 bits: the last one has room for two.
        if index == MOST_WIDE_VARINT_BYTES - 1 && byte > 3 {
            return None;
        }
        number |= part << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// The difference from one number to another as a number without sign. It is taken modulo 2^64, so that it never overflows.
pub(crate) fn zigzag(from: u64, to: u64) -> u64 {
    let difference = to.wrapping_sub(from).cast_signed();
    // The sign becomes the lowest bit; `>> 63` gives all ones for a negative difference, which inverts the others.
    (difference << 1 ^ difference >> 63).cast_unsigned()
}

/// The number that a difference leads to.
pub(crate) fn unzigzag(from: u64, difference: u64) -> u64 {
    from.wrapping_add(difference >> 1 ^ (difference & 1).wrapping_neg())
}
