//! The log: states in the order of their numbers, each with its key, its parent and the class of its orbit size.
//!
//! A log is a sequence of files, `NAME-0000` and so on, of blocks (see `block`) without gaps: a block begins with the number at which the
//! block before it ends. Its payload has the columns one after the other, since alike values compress well beside each other:
//!
//! | part | how |
//! |---|---|
//! | mark | one byte: 0 for keys of words, 1 for keys of bytes |
//! | keys | of words: `width` times 8 bytes, little-endian; of bytes: varint of the length, bytes |
//! | parents | zigzag varints of differences: the first to the number of the block's first state, each other to the one before |
//! | classes | varint of the class, varint of how many states in a row have it |
//!
//! Invariant: a log is only appended to. Before it goes on after a crash, what lies beyond the length that the manifest names is cut off.
//! Deliberately elsewhere: how it is read (`log_reader`).

use super::block::{BlockWriter, MOST_BYTES, MOST_PAYLOAD};
use super::folder::Folder;
use super::head::{HEAD_BYTES, LOG, check_head, head};
use super::trouble::Trouble;
use super::varint::{MOST_VARINT_BYTES, push_varint, zigzag};
use serde::{Deserialize, Serialize};
use std::io;

/// A new file is begun before one becomes longer.
const FILE_BYTES: u64 = 4 << 30;
/// How much is written at once.
const WRITE_BYTES: usize = 1 << 20;
pub(super) const WORDS: u8 = 0;
pub(super) const BYTES: u8 = 1;

/// The key of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'k> {
    /// A state in words, by the layout.
    Words(&'k [u64]),
    /// The bytes of a state that does not fit words.
    Bytes(&'k [u8]),
}

/// How far a log has been written: what a manifest records of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLength {
    /// The number of states in it.
    pub states: u64,
    /// The names of its files with their lengths in bytes.
    pub files: Vec<(String, u64)>,
}

/// Where the blocks of a log begin, so that a few states are found without reading those before.
#[derive(Default)]
pub struct LogIndex {
    /// The number of the first state, the file, and the place there.
    pub(super) blocks: Vec<(u64, u32, u64)>,
}

/// Appends states to a log. After an error it refuses further writes; [`LogWriter::go_on`] creates another one from the lengths in the last
/// manifest.
pub struct LogWriter {
    name: String,
    width: usize,
    /// Its files, without the buffered data in `written`.
    files: Vec<(String, u64)>,
    file_bytes: u64,
    /// States in whole blocks.
    states: u64,
    index: LogIndex,
    open: OpenBlock,
    blocks: BlockWriter,
    /// The block that was closed last.
    block: Vec<u8>,
    /// Whole blocks that are not in the last file yet.
    written: Vec<u8>,
    /// The first file with bytes that are not synchronised.
    first_unsynced: Option<usize>,
    made_file: bool,
    failed: bool,
}

/// The states of the current block, by columns.
#[derive(Default)]
struct OpenBlock {
    count: u32,
    /// The mark and the keys.
    keys: Vec<u8>,
    parents: Vec<u8>,
    classes: Vec<u8>,
    last_parent: u64,
    /// The class of the last states, and their number.
    class: (u32, u64),
}

impl OpenBlock {
    fn begin(&mut self, mark: u8, first: u64) {
        self.count = 0;
        self.keys.clear();
        self.keys.push(mark);
        self.parents.clear();
        self.classes.clear();
        self.last_parent = first;
        self.class = (0, 0);
    }

    /// An upper bound of the payload with one more state whose key takes `key` bytes.
    fn bytes_with(&self, key: usize) -> usize {
        // Two classes with their counts may follow: that of the states so far, which is not written yet, and another one.
        self.keys.len() + key + self.parents.len() + MOST_VARINT_BYTES + self.classes.len() + 4 * MOST_VARINT_BYTES
    }

    fn close_class(&mut self) {
        if self.class.1 > 0 {
            push_varint(&mut self.classes, self.class.0.into());
            push_varint(&mut self.classes, self.class.1);
        }
    }

    fn push(&mut self, key: Key<'_>, parent: u64, class: u32) {
        match key {
            Key::Words(words) => words.iter().for_each(|word| self.keys.extend_from_slice(&word.to_le_bytes())),
            Key::Bytes(bytes) => {
                push_varint(&mut self.keys, bytes.len() as u64);
                self.keys.extend_from_slice(bytes);
            }
        }
        push_varint(&mut self.parents, zigzag(self.last_parent, parent));
        self.last_parent = parent;
        if self.class.0 != class {
            self.close_class();
            self.class = (class, 0);
        }
        self.class.1 += 1;
        self.count += 1;
    }

    /// The payload.
    fn close(&mut self) -> &[u8] {
        self.close_class();
        self.keys.append(&mut self.parents);
        self.keys.append(&mut self.classes);
        &self.keys
    }
}

impl LogWriter {
    /// A log without states. `width` is how many words a key of words has.
    pub fn new(name: &str, width: usize) -> Self {
        Self::with_file_bytes(name, width, FILE_BYTES)
    }

    /// As [`Self::new`], with another largest length of files.
    pub(super) fn with_file_bytes(name: &str, width: usize, file_bytes: u64) -> Self {
        let mut open = OpenBlock::default();
        open.begin(WORDS, 0);
        Self {
            name: name.to_owned(),
            width,
            files: Vec::new(),
            file_bytes,
            states: 0,
            index: LogIndex::default(),
            open,
            blocks: BlockWriter::default(),
            block: Vec::new(),
            written: Vec::new(),
            first_unsynced: None,
            made_file: false,
            failed: false,
        }
    }

    /// Continues a log from a length, to which its files are cut back; `index` is the index of this length.
    pub fn go_on(folder: &Folder, name: &str, width: usize, length: &LogLength, index: LogIndex) -> Result<Self, Trouble> {
        let mut log = Self { index, ..Self::new(name, width) };
        for (index, (file, _)) in length.files.iter().enumerate() {
            // A manifest that was forged must not make us cut off other files.
            if *file != file_name(name, index) {
                return Err(Trouble::damaged(&file_name(name, index), 0, "the manifest has another file in its place"));
            }
        }
        // All files are examined before the first is changed, so that a refused folder stays unchanged.
        for (file, bytes) in &length.files {
            check_file(folder, file, *bytes)?;
        }
        // This need not survive a loss of power: a file that is too long again is cut off again.
        for (file, bytes) in &length.files {
            folder.files().truncate(file, *bytes).map_err(|error| Trouble::io(file, error))?;
        }
        // Later ones are named by no manifest; they go now because the disk may be full.
        for index in length.files.len().. {
            if !log.remove_file(folder, &file_name(name, index))? {
                break;
            }
        }
        log.files.clone_from(&length.files);
        log.states = length.states;
        log.open.begin(WORDS, length.states);
        Ok(log)
    }

    /// Appends the next state: its key, the number of its parent plus one (0 of an initial state), and the index of its orbit size.
    pub fn push(&mut self, folder: &Folder, key: Key<'_>, parent: u64, class: u32) -> Result<(), Trouble> {
        if self.failed {
            return Err(Trouble::Abandoned { file: self.name.clone() });
        }
        let (mark, bytes) = match key {
            Key::Words(words) => {
                assert_eq!(words.len(), self.width, "all keys of words have the width of the log");
                (WORDS, size_of_val(words))
            }
            Key::Bytes(bytes) => (BYTES, bytes.len() + MOST_VARINT_BYTES),
        };
        // A block has keys of one kind. A key that is too long for a block with others is alone in one.
        if self.open.count > 0 && (self.open.keys[0] != mark || self.open.bytes_with(bytes) > MOST_PAYLOAD) {
            self.close_block(folder)?;
        }
        if self.open.count == 0 {
            self.open.begin(mark, self.states);
            if self.open.bytes_with(bytes) > MOST_BYTES {
                self.failed = true;
                let source = io::Error::new(io::ErrorKind::InvalidInput, "a state of more than 2 GiB cannot be kept");
                return Err(Trouble::io(&self.name, source));
            }
        }
        self.open.push(key, parent, class);
        Ok(())
    }

    /// Writes what is buffered, and returns when it would survive a loss of power.
    pub fn flush(&mut self, folder: &Folder) -> Result<LogLength, Trouble> {
        if self.failed {
            return Err(Trouble::Abandoned { file: self.name.clone() });
        }
        self.write_out(folder)?;
        let synced = self.sync(folder);
        // A synchronisation that failed is not tried again: the system may have dropped what it could not write, and report success.
        self.failed |= synced.is_err();
        synced?;
        Ok(LogLength { states: self.states, files: self.files.clone() })
    }

    /// Writes the buffered states, so that they can be read; they may not survive a power failure.
    pub fn write_out(&mut self, folder: &Folder) -> Result<(), Trouble> {
        if self.open.count > 0 {
            self.close_block(folder)?;
        }
        self.write(folder)
    }

    /// The bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum::<u64>() + self.written.len() as u64
    }

    /// The words of a key of words.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Its files, and where their blocks begin; what is not written out is missing there.
    pub(super) fn written(&self) -> (&[(String, u64)], &LogIndex) {
        (&self.files, &self.index)
    }

    fn sync(&mut self, folder: &Folder) -> Result<(), Trouble> {
        if let Some(first) = self.first_unsynced {
            for (file, _) in &self.files[first..] {
                folder.files().sync(file).map_err(|error| Trouble::io(file, error))?;
            }
        }
        if self.made_file {
            // Before a manifest names the file: a loss of power may keep the manifest and lose the name.
            folder.files().sync_folder().map_err(|error| Trouble::io(&self.name, error))?;
        }
        self.first_unsynced = None;
        self.made_file = false;
        Ok(())
    }

    fn close_block(&mut self, folder: &Folder) -> Result<(), Trouble> {
        let count = self.open.count;
        self.block.clear();
        self.blocks.write(self.open.close(), count, self.states, &mut self.block);
        let first = self.states;
        self.states += u64::from(count);
        self.open.begin(WORDS, self.states);
        if self.is_full() {
            self.write(folder)?;
            let begun = self.begin_file(folder);
            self.failed |= begun.is_err();
            begun?;
        }
        // The position of the block: behind the bytes of the file and those that wait to be written.
        let file = u32::try_from(self.files.len() - 1).expect("fewer files than 2^32");
        let bytes = self.files[file as usize].1 + self.written.len() as u64;
        self.index.blocks.push((first, file, bytes));
        self.written.append(&mut self.block);
        if self.written.len() >= WRITE_BYTES { self.write(folder) } else { Ok(()) }
    }

    /// Whether the block that was closed belongs into another file: a file has at least one block.
    fn is_full(&self) -> bool {
        self.files.last().is_none_or(|(_, bytes)| {
            let bytes = bytes + self.written.len() as u64;
            bytes > HEAD_BYTES as u64 && bytes + self.block.len() as u64 > self.file_bytes
        })
    }

    fn begin_file(&mut self, folder: &Folder) -> Result<(), Trouble> {
        let file = file_name(&self.name, self.files.len());
        // Of a run that ended before a manifest named it.
        self.remove_file(folder, &file)?;
        // `flush` synchronises content and name before its caller commits a manifest that names the file.
        self.first_unsynced.get_or_insert(self.files.len());
        self.files.push((file, 0));
        self.made_file = true;
        self.written.extend_from_slice(&head(LOG, folder.run()));
        Ok(())
    }

    /// Whether this file existed.
    fn remove_file(&self, folder: &Folder, file: &str) -> Result<bool, Trouble> {
        let io = |error| Trouble::io(file, error);
        let there = folder.files().len(file).map_err(io)?.is_some();
        if there {
            folder.files().remove(file).map_err(io)?;
        }
        Ok(there)
    }

    fn write(&mut self, folder: &Folder) -> Result<(), Trouble> {
        if self.written.is_empty() {
            return Ok(());
        }
        let index = self.files.len() - 1;
        let (file, bytes) = self.files.last_mut().expect("a block is written to a file that was begun");
        if let Err(error) = folder.files().append(file, &self.written) {
            // A part may have been written: where the next block would begin is not known until the file is cut back.
            self.failed = true;
            return Err(Trouble::io(file, error));
        }
        *bytes += self.written.len() as u64;
        self.first_unsynced.get_or_insert(index);
        self.written.clear();
        Ok(())
    }
}

pub(super) fn file_name(name: &str, index: usize) -> String {
    format!("{name}-{index:04}")
}

/// Refuses a file of another run, or one that is shorter than the manifest says.
pub(super) fn check_file(folder: &Folder, file: &str, bytes: u64) -> Result<(), Trouble> {
    let found = folder.files().len(file).map_err(|error| Trouble::io(file, error))?;
    match found {
        None => Err(Trouble::damaged(file, 0, "it is missing")),
        Some(found) if found < bytes => Err(Trouble::damaged(file, found, "it is shorter than the manifest says")),
        Some(_) if bytes < HEAD_BYTES as u64 => Err(Trouble::damaged(file, bytes, "it ends within its head")),
        Some(_) => check_head(folder.files(), file, LOG, folder.run()),
    }
}
