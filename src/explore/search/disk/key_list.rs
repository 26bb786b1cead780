//! Keys one after the other, of both kinds.
//!
//! Deliberately elsewhere: keys in ascending order (`durable::coding`).

use bcheck_durable::log::Key;

/// A list of keys.
#[derive(Debug, Default)]
pub(in crate::search) struct KeyList {
    words: Vec<u64>,
    bytes: Vec<u8>,
    /// Of each key, whether it has words, and where it ends among those of its kind.
    ends: Vec<(bool, usize)>,
    /// Where each begins.
    starts: Vec<usize>,
}

impl KeyList {
    pub(crate) fn push(&mut self, key: Key<'_>) {
        let (is_words, start, end) = match key {
            Key::Words(words) => {
                let start = self.words.len();
                self.words.extend_from_slice(words);
                (true, start, self.words.len())
            }
            Key::Bytes(bytes) => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                (false, start, self.bytes.len())
            }
        };
        self.starts.push(start);
        self.ends.push((is_words, end));
    }

    /// The key at this place; `None` where there are none.
    pub(in crate::search) fn get(&self, at: usize) -> Option<Key<'_>> {
        let (is_words, end) = *self.ends.get(at)?;
        let own = self.starts[at]..end;
        Some(if is_words { Key::Words(&self.words[own]) } else { Key::Bytes(&self.bytes[own]) })
    }

    pub(in crate::search) fn clear(&mut self) {
        self.words.clear();
        self.bytes.clear();
        self.ends.clear();
        self.starts.clear();
    }
}
