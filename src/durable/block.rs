//! Blocks: the parts of a binary file, each with its length, a count, a first number and a checksum over all of that and its content.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | length of the stored payload; the highest bit is set if it is compressed (LZ4, behind a varint with the uncompressed length) |
//! | 4 | how many entries |
//! | 8 | number of the first entry |
//! | 8 | XXH3-64 of the 16 bytes before and of the stored payload |
//! | … | payload |
//!
//! A payload has at most 64 KiB before compression, or one entry. The reader checks a length against what is left of the file before it
//! allocates memory for it, so that a forged length costs nothing.

use super::files::Files;
use super::trouble::Trouble;
use super::varint::{push_varint, take_varint};
use xxhash_rust::xxh3::Xxh3Default;

/// The longest payload of several entries, before compression.
pub(crate) const MOST_PAYLOAD: usize = 64 * 1024;
/// The bytes before the payload.
pub(crate) const PREFIX: usize = 24;
/// The longest payload of one entry: the length has 31 bits, and must fit where compression saves nothing.
pub(crate) const MOST_BYTES: usize = (1 << 31) - 1;
const COMPRESSED: u32 = 1 << 31;
/// LZ4 never makes more than 255 bytes of one.
const MOST_EXPANSION: u64 = 255;
/// How much is read at once.
const READ_BYTES: usize = 1 << 20;

fn checksum(prefix: &[u8], payload: &[u8]) -> u64 {
    // Of the payload as it is stored: what is damaged does not even reach the decompressor.
    let mut hash = Xxh3Default::new();
    hash.update(prefix);
    hash.update(payload);
    hash.digest()
}

/// Writes blocks; reuses the memory of the compressor.
#[derive(Default)]
pub(crate) struct BlockWriter {
    compressed: Vec<u8>,
}

impl BlockWriter {
    /// Appends a block and returns its checksum. The payload has at most [`MOST_BYTES`].
    pub(crate) fn write(&mut self, payload: &[u8], count: u32, first: u64, out: &mut Vec<u8>) -> u64 {
        let (stored, mark) = match self.compress(payload) {
            Some(compressed) => (compressed, COMPRESSED),
            None => (payload, 0),
        };
        append(stored, mark, (count, first), out)
    }

    /// The payload compressed, with its length in front, if that saves an eighth.
    fn compress(&mut self, payload: &[u8]) -> Option<&[u8]> {
        self.compressed.clear();
        push_varint(&mut self.compressed, payload.len() as u64);
        let start = self.compressed.len();
        // Room for the worst case, in which LZ4 makes its input longer; that result is then dropped.
        self.compressed.resize(start + lz4_flex::block::get_maximum_output_size(payload.len()), 0);
        let length = start + lz4_flex::block::compress_into(payload, &mut self.compressed[start..]).ok()?;
        (length <= payload.len() - payload.len() / 8).then(|| &self.compressed[..length])
    }
}

/// Appends a block with this stored payload and returns its checksum.
fn append(stored: &[u8], mark: u32, (count, first): (u32, u64), out: &mut Vec<u8>) -> u64 {
    let length = u32::try_from(stored.len()).expect("a payload has 31 bits of length") | mark;
    let start = out.len();
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&first.to_le_bytes());
    let sum = checksum(&out[start..], stored);
    out.extend_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(stored);
    sum
}

/// Appends a block whose payload claims to be compressed; a right checksum is all that is right about it.
#[cfg(any(test, fuzzing))]
pub(super) fn forge(stored: &[u8], (count, first): (u32, u64), out: &mut Vec<u8>) -> u64 {
    append(stored, COMPRESSED, (count, first), out)
}

/// A block as it is read.
pub(crate) struct Block<'b> {
    /// The number of its first entry.
    pub(crate) first: u64,
    /// The number of its entries, at least one; the payload may have fewer if it is damaged.
    pub(crate) count: u32,
    pub(crate) payload: &'b [u8],
    /// Where the block begins.
    pub(crate) offset: u64,
    /// Its checksum.
    pub(crate) sum: u64,
}

/// Reads the blocks of a part of a file in order.
pub(crate) struct BlockReader<'f> {
    files: &'f dyn Files,
    name: &'f str,
    /// Where the next byte of the file is read from.
    offset: u64,
    /// Where the part ends.
    end: u64,
    /// Bytes of the file before `offset`; those from `at` on have not been used.
    buffer: Vec<u8>,
    at: usize,
    plain: Vec<u8>,
}

impl<'f> BlockReader<'f> {
    /// Of the bytes from `start` to `end`, which the file is known to have.
    pub(crate) fn new(files: &'f dyn Files, name: &'f str, start: u64, end: u64) -> Self {
        Self { files, name, offset: start, end, buffer: Vec::new(), at: 0, plain: Vec::new() }
    }

    fn left(&self) -> u64 {
        self.end - self.offset + (self.buffer.len() - self.at) as u64
    }

    /// Makes at least `wanted` unused bytes available, which may be at most [`Self::left`].
    fn fill(&mut self, wanted: usize) -> Result<(), Trouble> {
        if self.buffer.len() - self.at >= wanted {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let had = self.buffer.len();
        // No underflow: fewer than `wanted` bytes were left over.
        let more = (self.end - self.offset).min(wanted.max(READ_BYTES) as u64 - had as u64);
        self.buffer.resize(had + usize::try_from(more).expect("at most 2 GiB"), 0);
        let read = self.files.read_at(self.name, self.offset, &mut self.buffer[had..]).map_err(|error| Trouble::io(self.name, error))?;
        self.buffer.truncate(had + read);
        self.offset += read as u64;
        // The file had these bytes when the reader was made, or a manifest names a length that includes them.
        if self.buffer.len() < wanted {
            return Err(Trouble::damaged(self.name, self.offset, "it is shorter than the manifest says"));
        }
        Ok(())
    }

    /// The next block, or `None` where the part ends.
    pub(crate) fn next(&mut self) -> Result<Option<Block<'_>>, Trouble> {
        let left = self.left();
        if left == 0 {
            return Ok(None);
        }
        let (name, offset) = (self.name, self.end - left);
        let damaged = |what| Err(Trouble::damaged(name, offset, what));
        if left < PREFIX as u64 {
            return damaged("a block is cut off");
        }
        self.fill(PREFIX)?;
        let prefix: [u8; PREFIX] = self.buffer[self.at..][..PREFIX].try_into().expect("the bytes were made available");
        let word = |at: usize| u64::from_le_bytes(prefix[at..at + 8].try_into().expect("eight bytes"));
        let (length, count) = (word(0) as u32, (word(0) >> 32) as u32);
        let stored = (length & !COMPRESSED) as usize;
        // Nothing of the prefix is trusted yet: its checksum covers the payload too, which must be read first.
        if stored as u64 > left - PREFIX as u64 {
            return damaged("a block is longer than the rest of the file");
        }
        // Of a block with one entry only the rest of the file is a bound.
        if count != 1 && stored > MOST_PAYLOAD {
            return damaged("a block is too long");
        }
        self.fill(PREFIX + stored)?;
        let start = self.at + PREFIX;
        self.at = start + stored;
        let payload = &self.buffer[start..self.at];
        if checksum(&prefix[..16], payload) != word(16) {
            return damaged("a checksum is wrong");
        }
        if count == 0 {
            return damaged("a block is empty");
        }
        let payload = if length & COMPRESSED == 0 {
            payload
        } else {
            match decompress(payload, count, &mut self.plain) {
                Ok(()) => &self.plain,
                Err(what) => return damaged(what),
            }
        };
        Ok(Some(Block { first: word(8), count, payload, offset, sum: word(16) }))
    }
}

fn decompress(mut payload: &[u8], count: u32, plain: &mut Vec<u8>) -> Result<(), &'static str> {
    let length = take_varint(&mut payload).ok_or("the length of compressed bytes is wrong")?;
    // The checksum held, but a checksum can be forged as well: what LZ4 cannot make of these bytes is refused before it is allocated.
    let most = MOST_EXPANSION * payload.len() as u64;
    if length > most.min(MOST_BYTES as u64) || count != 1 && length > MOST_PAYLOAD as u64 {
        return Err("the length of compressed bytes is wrong");
    }
    let length = usize::try_from(length).expect("at most 2 GiB");
    plain.resize(length, 0);
    match lz4_flex::block::decompress_into(payload, plain) {
        Ok(made) if made == length => Ok(()),
        _ => Err("compressed bytes are wrong"),
    }
}
