//! Keys of states of the packed tier: the bits in use of each word, one after the other, in as few words as hold them.
//!
//! A key begins with the number of the set-up, when there are several. Invariant: equal states have equal keys, and keys of one
//! layout all have the same length. Deliberately elsewhere: which bits a value uses (`value::packing`), the visited set (`word_table`).

use super::constants::ConstantsNumber;
use bcheck_value::packing::{low_bits, number_width};

/// The place in a key of the bits in use of one word of a state.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// The word of the key in which they begin, and the bit there.
    word: usize,
    shift: u32,
    width: u32,
}

/// The places of all words of a state in its key.
#[derive(Clone, Debug)]
pub struct WordLayout {
    set_up: Field,
    fields: Vec<Field>,
    bits: usize,
}

impl WordLayout {
    /// A layout for states whose words use their lowest `widths` bits (at most 64 each), in one of `set_ups` set-ups.
    #[must_use]
    pub fn new(widths: impl IntoIterator<Item = u32>, set_ups: usize) -> Self {
        let mut end = 0;
        let mut field = |width: u32| {
            let field = Field { word: end / 64, shift: u32::try_from(end % 64).expect("less than 64"), width };
            end += width as usize;
            field
        };
        // None for a single set-up.
        let set_up = field(number_width(set_ups));
        let fields = widths.into_iter().map(&mut field).collect();
        Self { set_up, fields, bits: end }
    }

    /// The number of words of a key.
    #[must_use]
    pub fn key_words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// The number of bits of a key that are in use: the lowest ones.
    #[must_use]
    pub fn key_bits(&self) -> u32 {
        u32::try_from(self.bits).expect("a state has fewer than 2^32 bits")
    }

    /// Appends the key of a state; `set_up` is the number of its constants.
    #[inline]
    pub fn encode(&self, set_up: ConstantsNumber, state: &[u64], out: &mut Vec<u64>) {
        match state {
            // The usual case: one variable of one word. If no bits are used, the key has no word for it.
            [word] if self.set_up.width == 0 && self.bits > 0 => out.push(*word),
            _ => self.encode_fields(set_up, state, out),
        }
    }

    fn encode_fields(&self, set_up: ConstantsNumber, state: &[u64], out: &mut Vec<u64>) {
        // A key of one word is assembled in a register.
        if self.bits <= 64 && self.bits > 0 {
            let fields = self.fields.iter().zip(state).filter(|(field, _)| field.width > 0);
            let start = if self.set_up.width > 0 { u64::from(set_up.number()) } else { 0 };
            return out.push(fields.fold(start, |key, (field, word)| key | word << field.shift));
        }
        // Zeros, since fields are added with `or`: they do not overlap, as no word has bits beyond its width.
        let start = out.len();
        out.resize(start + self.key_words(), 0);
        let key = &mut out[start..];
        self.set_up.write(u64::from(set_up.number()), key);
        for (field, &word) in self.fields.iter().zip(state) {
            field.write(word, key);
        }
    }

    /// Replaces the content of `state` by the state of a key; returns the number of its constants.
    #[inline]
    pub fn decode(&self, key: &[u64], state: &mut Vec<u64>) -> ConstantsNumber {
        state.clear();
        state.extend(self.fields.iter().map(|field| field.read(key)));
        ConstantsNumber::new(u32::try_from(self.set_up.read(key)).expect("the number was written from 32 bits"))
    }
}

impl WordLayout {
    /// Whether a key has no bits beyond those in use.
    pub fn has_no_more(&self, key: &[u64]) -> bool {
        let used = self.bits % 64;
        used == 0 || key.last().is_none_or(|last| last >> used == 0)
    }
}

impl Field {
    /// Sets bits that are still zero; `bits` has no bit beyond the width.
    #[inline]
    fn write(self, bits: u64, key: &mut [u64]) {
        if self.width == 0 {
            return;
        }
        key[self.word] |= bits << self.shift;
        // The field continues in the next word. As a width is at most 64, the shift is not 0 then, and the other one below 64.
        if self.shift + self.width > 64 {
            key[self.word + 1] |= bits >> (64 - self.shift);
        }
    }

    #[inline]
    fn read(self, key: &[u64]) -> u64 {
        if self.width == 0 {
            return 0;
        }
        let mut bits = key[self.word] >> self.shift;
        if self.shift + self.width > 64 {
            bits |= key[self.word + 1] << (64 - self.shift);
        }
        bits & low_bits(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_key() {
        let layout = WordLayout::new([3, 64, 0, 49, 1], 400);
        let words = vec![5, u64::MAX - 7, 0, (1 << 49) - 3, 1];
        assert_eq!(layout.key_words(), 2);
        let mut key = vec![9];
        layout.encode(ConstantsNumber::new(300), &words, &mut key);
        let mut back = Vec::new();
        assert_eq!(layout.decode(&key[1..], &mut back), ConstantsNumber::new(300));
        assert_eq!(back, words);
    }

    #[test]
    fn a_single_set_up_needs_no_bits() {
        assert_eq!(WordLayout::new([64, 64], 1).key_words(), 2);
        assert_eq!(WordLayout::new([64, 64], 2).key_words(), 3);
        assert_eq!(WordLayout::new([], 0).key_words(), 0);
    }
}
