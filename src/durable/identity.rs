//! The identity of a checkpoint file: a format and a run.

use std::fmt::{self, Display};

/// The format of all files. A file of another one is refused, never guessed at.
pub(crate) const VERSION: u32 = 2;

/// The identity of a run: a hash of everything that must be equal for its files to be read by another process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunId(pub [u8; 32]);

impl RunId {
    /// BLAKE3 of the parts, each with its length in front, so that no two lists of parts are the same bytes.
    pub fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = blake3::Hasher::new();
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The inverse of `to_string`.
    pub(super) fn of_hex(text: &str) -> Option<Self> {
        Some(Self(blake3::Hash::from_hex(text).ok()?.into()))
    }
}

impl Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
