//! Sorted runs: files of keys in ascending order, written once and never changed.
//!
//! A run is one file of blocks (see `block`), whose first numbers count the keys before them; `coding` defines their payloads. The first
//! key of each block stays in memory, so that only those blocks are read that may contain a requested key. Invariant: a run that is read
//! again has exactly the keys that were written, or is refused. Deliberately elsewhere: the purpose of runs (`duplicates`), and that they
//! are synchronised before a manifest names them (`explore::search::checkpoint`).

use super::block::{BlockReader, BlockWriter};
use super::coding::Coding;
use super::folder::Folder;
use super::head::{HEAD_BYTES, RUN, check_head, head};
use super::trouble::Trouble;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3Default;

/// The longest payload of several keys: short, because usually only few keys of a block are requested.
const PAYLOAD: usize = if cfg!(test) { 64 } else { 8 * 1024 };
/// How much is written at once.
const WRITE_BYTES: usize = 1 << 20;

/// The record of a run in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// The name of its file.
    pub name: String,
    /// The number of keys in it.
    pub keys: u64,
    /// Its length.
    pub bytes: u64,
    /// XXH3-64 of the checksums of its blocks, in hexadecimal.
    pub(crate) digest: String,
}

impl RunFile {
    /// Whether it exists and is at least as long as the manifest says.
    pub fn is_there(&self, folder: &Folder) -> Result<bool, Trouble> {
        folder.has(&self.name, self.bytes)
    }
}

/// A run, ready to be read.
pub(crate) struct Run<K> {
    pub(crate) file: RunFile,
    /// The first key of each block, and where the block begins.
    blocks: Vec<(K, u64)>,
}

impl<K: Coding> Run<K> {
    /// Opens a run that a manifest names: reads it completely, and tests all its checksums.
    pub(crate) fn open(folder: &Folder, file: RunFile) -> Result<Self, Trouble> {
        check_head(folder.files(), &file.name, RUN, folder.run())?;
        let mut run = Self { blocks: Vec::new(), file };
        let (mut digest, mut keys, mut last) = (Xxh3Default::new(), 0, None::<K>);
        if run.file.bytes < HEAD_BYTES as u64 {
            return Err(Trouble::damaged(&run.file.name, run.file.bytes, "it ends within its head"));
        }
        let mut blocks = BlockReader::new(folder.files(), &run.file.name, HEAD_BYTES as u64, run.file.bytes);
        while let Some(block) = blocks.next()? {
            let damaged = |what| Trouble::damaged(&run.file.name, block.offset, what);
            digest.update(&block.sum.to_le_bytes());
            let (mut payload, mut key) = (block.payload, K::default());
            for at in 0..block.count {
                key.decode(at == 0, &mut payload).map_err(damaged)?;
                if at == 0 {
                    // `decode` compares keys within a block; here the first one is compared with the last one of the block before.
                    if block.first != keys || last.as_ref().is_some_and(|last| *last >= key) {
                        return Err(damaged("its blocks are not in order"));
                    }
                    run.blocks.push((key.clone(), block.offset));
                }
            }
            if !payload.is_empty() {
                return Err(damaged("a block has more than its keys"));
            }
            keys += u64::from(block.count);
            last = Some(key);
        }
        // Names of runs are used again after a crash: all checksums may hold, and it may still be another run than the manifest means.
        if keys != run.file.keys || format!("{:016x}", digest.digest()) != run.file.digest {
            return Err(Trouble::damaged(&run.file.name, run.file.bytes, "it is not the run that the manifest names"));
        }
        Ok(run)
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The first key of a block; `None` behind the last one.
    pub(super) fn first_of(&self, block: usize) -> Option<&K> {
        self.blocks.get(block).map(|(first, _)| first)
    }

    /// The only block, from `start` on, that can have a key: the last one whose first key does not come after it. `None` if all first keys
    /// do.
    pub(super) fn block_of(&self, start: usize, mut is_after: impl FnMut(&K) -> bool) -> Option<usize> {
        let behind = self.blocks[start..].partition_point(|(first, _)| !is_after(first));
        (start + behind).checked_sub(1)
    }

    /// A reader of some blocks in a row.
    pub(super) fn reader<'f>(&'f self, folder: &'f Folder, blocks: Range<usize>) -> BlockReader<'f> {
        let offset = |block: usize| self.blocks.get(block).map_or(self.file.bytes, |(_, offset)| *offset);
        BlockReader::new(folder.files(), &self.file.name, offset(blocks.start), offset(blocks.end))
    }

    /// All keys, in order.
    pub(super) fn keys<'f>(&'f self, folder: &'f Folder) -> Keys<'f, K> {
        let blocks = self.reader(folder, 0..self.blocks.len());
        Keys { blocks, name: &self.file.name, payload: Vec::new(), at: 0, left: 0, is_first: true, key: K::default() }
    }

    /// The bytes of memory that it takes.
    pub(crate) fn memory(&self) -> usize {
        // An estimate: an element of the list takes some 24 bytes besides the key itself.
        self.blocks.iter().map(|(first, _)| first.most_bytes() + 24).sum()
    }
}

/// The keys of a run in order.
pub(super) struct Keys<'f, K> {
    blocks: BlockReader<'f>,
    name: &'f str,
    /// Of the current block.
    payload: Vec<u8>,
    at: usize,
    left: u32,
    is_first: bool,
    pub(super) key: K,
}

impl<K: Coding> Keys<'_, K> {
    /// Goes on to the next key; false behind the last one.
    pub(super) fn next(&mut self) -> Result<bool, Trouble> {
        if self.left == 0 {
            let Some(block) = self.blocks.next()? else { return Ok(false) };
            // Copied, because a block borrows its reader, and the next key may need the next block.
            self.payload.clear();
            self.payload.extend_from_slice(block.payload);
            (self.at, self.left, self.is_first) = (0, block.count, true);
        }
        let mut rest = &self.payload[self.at..];
        self.key.decode(self.is_first, &mut rest).map_err(|what| Trouble::damaged(self.name, 0, what))?;
        self.at = self.payload.len() - rest.len();
        (self.left, self.is_first) = (self.left - 1, false);
        Ok(true)
    }
}

/// Writes a run.
pub(crate) struct RunWriter<K> {
    name: String,
    blocks: BlockWriter,
    index: Vec<(K, u64)>,
    /// The current block.
    payload: Vec<u8>,
    count: u32,
    last: K,
    /// Whole blocks that are not in the file yet, and how long the file is with them.
    written: Vec<u8>,
    bytes: u64,
    keys: u64,
    digest: Xxh3Default,
}

impl<K: Coding> RunWriter<K> {
    /// A run without keys. A file of this name, which a run left that ended before a manifest named it, goes.
    pub(crate) fn new(folder: &Folder, name: String) -> Result<Self, Trouble> {
        let io = |error| Trouble::io(&name, error);
        if folder.files().len(&name).map_err(io)?.is_some() {
            folder.files().remove(&name).map_err(io)?;
        }
        Ok(Self {
            name,
            blocks: BlockWriter::default(),
            index: Vec::new(),
            payload: Vec::new(),
            count: 0,
            last: K::default(),
            written: head(RUN, folder.run()).to_vec(),
            bytes: HEAD_BYTES as u64,
            keys: 0,
            digest: Xxh3Default::new(),
        })
    }

    /// Appends the next key, which must come after the last one.
    pub(crate) fn push(&mut self, folder: &Folder, key: &K) -> Result<(), Trouble> {
        if self.keys + u64::from(self.count) > 0 && *key <= self.last {
            // Merging finds here what must not be: a key in two runs is a state with two numbers.
            return Err(Trouble::damaged(&self.name, self.bytes, "duplicate key"));
        }
        if self.count > 0 && self.payload.len() + key.most_bytes() > PAYLOAD {
            self.close_block(folder)?;
        }
        if self.count == 0 {
            self.index.push((key.clone(), self.bytes));
        }
        // The first key of a block is written in full, so that a block can be read without the one before it.
        key.encode((self.count > 0).then_some(&self.last), &mut self.payload);
        self.last.clone_from(key);
        self.count += 1;
        Ok(())
    }

    fn close_block(&mut self, folder: &Folder) -> Result<(), Trouble> {
        let start = self.written.len();
        let sum = self.blocks.write(&self.payload, self.count, self.keys, &mut self.written);
        self.digest.update(&sum.to_le_bytes());
        self.bytes += (self.written.len() - start) as u64;
        self.keys += u64::from(self.count);
        self.count = 0;
        self.payload.clear();
        if self.written.len() >= WRITE_BYTES { self.write(folder) } else { Ok(()) }
    }

    fn write(&mut self, folder: &Folder) -> Result<(), Trouble> {
        folder.files().append(&self.name, &self.written).map_err(|error| Trouble::io(&self.name, error))?;
        self.written.clear();
        Ok(())
    }

    /// Writes the rest; the file is not synchronised.
    pub(crate) fn finish(mut self, folder: &Folder) -> Result<Run<K>, Trouble> {
        if self.count > 0 {
            self.close_block(folder)?;
        }
        self.write(folder)?;
        let digest = format!("{:016x}", self.digest.digest());
        Ok(Run { file: RunFile { name: self.name, keys: self.keys, bytes: self.bytes, digest }, blocks: self.index })
    }
}
