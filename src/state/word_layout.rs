//! Keys of states whose variables are words: the words bit by bit, at their widths.
//!
//! A key begins with the number of the set-up (when there are constants), then the words; a state that does not fit words is
//! written by a general [`Layout`](super::Layout) behind a mark. Invariant: equal states have equal keys, because whether a state
//! fits words depends on the state alone.

use super::bits::{BitReader, BitWriter};
use crate::value::codec;

/// How words are laid out in a key.
#[derive(Clone, Debug)]
pub struct WordLayout {
    widths: Vec<u32>,
    has_constants: bool,
}

impl WordLayout {
    /// A layout for words of these widths (bits, at most 64), behind the number of a set-up if there are constants.
    #[must_use]
    pub fn new(widths: Vec<u32>, has_constants: bool) -> Self {
        Self { widths, has_constants }
    }

    /// Appends the key of a state in words; `set_up` is the number of its constants.
    pub fn encode(&self, set_up: u32, words: &[u64], out: &mut Vec<u8>) {
        if self.has_constants {
            codec::put_number(u64::from(set_up), out);
        }
        let mut bits = BitWriter::new(out);
        bits.write(0, 1);
        for (&word, &width) in words.iter().zip(&self.widths) {
            bits.write(word, width);
        }
        bits.finish();
    }

    /// Appends what stands before a state that does not fit words.
    pub fn mark_general(&self, set_up: u32, out: &mut Vec<u8>) {
        if self.has_constants {
            codec::put_number(u64::from(set_up), out);
        }
        out.push(1);
    }

    /// Reads a key: the number of the set-up, and the words; or, for a state that does not fit words, where its general key begins.
    ///
    /// # Errors
    /// The position of the general key.
    pub fn decode(&self, key: &[u8], words: &mut Vec<u64>) -> (u32, Result<(), usize>) {
        let mut at = 0;
        let set_up = if self.has_constants { codec::get_number(key, &mut at) } else { 0 };
        let set_up = u32::try_from(set_up).expect("the number was written from 32 bits");
        let mut bits = BitReader::new(&key[at..]);
        if bits.read(1) == 1 {
            return (set_up, Err(at + 1));
        }
        words.clear();
        words.extend(self.widths.iter().map(|&width| bits.read(width)));
        (set_up, Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_key() {
        let layout = WordLayout::new(vec![3, 64, 0, 49, 1], true);
        let words = vec![5, u64::MAX - 7, 0, (1 << 49) - 3, 1];
        let mut key = Vec::new();
        layout.encode(300, &words, &mut key);
        let mut back = Vec::new();
        assert_eq!(layout.decode(&key, &mut back), (300, Ok(())));
        assert_eq!(back, words);
    }

    #[test]
    fn a_general_key_is_found_behind_its_mark() {
        let layout = WordLayout::new(vec![3], false);
        let mut key = Vec::new();
        layout.mark_general(0, &mut key);
        key.extend([7, 8]);
        let (_, general) = layout.decode(&key, &mut Vec::new());
        assert_eq!(general.map_err(|at| key[at..].to_vec()), Err(vec![7, 8]));
    }
}
