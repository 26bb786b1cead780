//! Bit strings in bytes: lowest bit first, padded with zeros to a whole byte.
//!
//! Invariant: the bytes depend on the numbers and their widths alone, and are read back with the same widths. Deliberately elsewhere:
//! which widths values have (`shape`).

/// Appends numbers of given widths to a byte vector.
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits that are not written out yet, in the lowest `used` bits (less than 64); the others are 0.
    pending: u64,
    used: u32,
}

impl<'a> BitWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        BitWriter { out, pending: 0, used: 0 }
    }

    /// Appends the lowest `width` bits (0 to 64) of `value`; the others must be 0.
    pub(super) fn write(&mut self, value: u64, width: u32) {
        debug_assert!(width == 64 || value >> width == 0, "the value must fit its width");
        if width == 0 {
            return;
        }
        // Bits of the value that go beyond the word are shifted out here and come again below.
        self.pending |= value << self.used;
        if self.used + width < 64 {
            self.used += width;
            return;
        }
        self.out.extend_from_slice(&self.pending.to_le_bytes());
        let written = 64 - self.used;
        self.used = width - written;
        // Without a rest, `written` may be 64, by which a word cannot be shifted.
        self.pending = if self.used == 0 { 0 } else { value >> written };
    }

    /// Writes out the bits that are pending.
    pub(super) fn finish(self) {
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..self.used.div_ceil(8) as usize]);
    }
}

/// Reads the numbers that a [`BitWriter`] wrote.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// In bits.
    position: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, position: 0 }
    }

    /// The next `width` bits (0 to 64).
    pub(crate) fn read(&mut self, width: u32) -> u64 {
        // Byte by byte: a key ends at any byte, so reading a word might go beyond its end.
        let (mut value, mut got) = (0, 0);
        while got < width {
            let offset = (self.position % 8) as u32;
            let take = (8 - offset).min(width - got);
            let byte = self.bytes[self.position / 8];
            value |= (u64::from(byte >> offset) & ((1 << take) - 1)) << got;
            got += take;
            self.position += take as usize;
        }
        value
    }

    /// The number of bytes that were read, wholly or in part.
    pub(super) fn bytes_read(&self) -> usize {
        self.position.div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_of_any_width_are_read_back(numbers in prop::collection::vec((any::<u64>(), 0..=64u32), 0..40)) {
            let numbers: Vec<(u64, u32)> =
                numbers.into_iter().map(|(value, width)| (if width == 0 { 0 } else { value >> (64 - width) }, width)).collect();
            let mut bytes = vec![7];
            let mut writer = BitWriter::new(&mut bytes);
            numbers.iter().for_each(|(value, width)| writer.write(*value, *width));
            writer.finish();
            let bits: usize = numbers.iter().map(|(_, width)| *width as usize).sum();
            prop_assert_eq!(bytes.len(), 1 + bits.div_ceil(8));
            let mut reader = BitReader::new(&bytes[1..]);
            for (value, width) in numbers {
                prop_assert_eq!(reader.read(width), value);
            }
            prop_assert_eq!(reader.bytes_read(), bytes.len() - 1);
        }
    }
}
